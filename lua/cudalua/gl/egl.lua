-- An OpenGL context without a window, through EGL.

local ffi = require "ffi"
local errors = require "cudalua.base.errors"
local library = require "cudalua.gl.library"

local M = {}

local egl = library.functions("gl.headless", "egl", [[
  void *eglGetProcAddress(const char *name);
  const char *eglQueryString(void *display, int name);
  unsigned eglInitialize(void *display, int *major, int *minor);
  unsigned eglBindAPI(unsigned api);
  unsigned eglChooseConfig(void *display, const int *attributes, void **configs, int size, int *count);
  void *eglCreateContext(void *display, void *config, void *share, const int *attributes);
  unsigned eglDestroyContext(void *display, void *context);
  unsigned eglMakeCurrent(void *display, void *draw, void *read, void *context);
  void *eglGetCurrentContext(void);
  int eglGetError(void);
]], library.egl_symbol)

-- Extensions are known to the loader alone.
local extension = library.functions("gl.headless", "egl", [[
  unsigned eglQueryDevicesEXT(int most, void **devices, int *count);
  const char *eglQueryDeviceStringEXT(void *device, int name);
  unsigned eglQueryDeviceAttribEXT(void *device, int attribute, intptr_t *value);
  void *eglGetPlatformDisplayEXT(unsigned platform, void *native, const int *attributes);
]], function(name) return egl.GetProcAddress(name) end)

local EXTENSIONS, OPENGL_API, NONE = 0x3055, 0x30a2, 0x3038
local RENDERABLE_TYPE, SURFACE_TYPE, OPENGL_BIT = 0x3040, 0x3033, 8
local MAJOR, MINOR, PROFILE, CORE = 0x3098, 0x30fb, 0x30fd, 1
local PLATFORM_DEVICE, PLATFORM_SURFACELESS, CUDA_DEVICE = 0x313f, 0x31dd, 0x323a
local MOST = 64

local function has(text, name)
  return text ~= nil and (" " .. ffi.string(text) .. " "):find(" " .. name .. " ", 1, true) ~= nil
end

local function client_has(name) return has(egl.QueryString(nil, EXTENSIONS), name) end

-- EGL's devices; where EGL cannot tell them, none.
local function devices()
  if not (client_has "EGL_EXT_platform_device" and (client_has "EGL_EXT_device_enumeration"
      or client_has "EGL_EXT_device_base")) then
    return {}
  end
  local found, count, list = ffi.new("void *[?]", MOST), ffi.new "int[1]", {}
  if extension.QueryDevicesEXT(MOST, found, count) == 0 then return list end
  for i = 0, count[0] - 1 do list[#list + 1] = found[i] end
  return list
end

-- The CUDA number of a device, or nil.
local function cuda_number(device)
  if not has(extension.QueryDeviceStringEXT(device, EXTENSIONS), "EGL_NV_device_cuda") then return nil end
  local value = ffi.new "intptr_t[1]"
  return extension.QueryDeviceAttribEXT(device, CUDA_DEVICE, value) ~= 0 and tonumber(value[0]) or nil
end

local function platform_display(platform, native)
  local display = extension.GetPlatformDisplayEXT(platform, native, nil)
  if display == nil or egl.Initialize(display, nil, nil) == 0 then return nil end
  return display
end

-- Memory is shared only with the GPU that CUDA uses.
local function display_of_gpu(ordinal)
  for _, device in ipairs(devices()) do
    if cuda_number(device) == ordinal then
      local display = platform_display(PLATFORM_DEVICE, device)
      if display then return display, "device" end
    end
  end
  errors.raise("RuntimeError", ("gl.headless: EGL has no device for CUDA's device %d"):format(ordinal), { hint =
    "install the EGL part of NVIDIA's driver (libnvidia-gl of the driver's version); in a container "
    .. "NVIDIA_DRIVER_CAPABILITIES has to include graphics" })
end

-- The software device copies, so any renderer will do: Mesa's, else whichever EGL has.
local function display_of_any()
  local display = client_has "EGL_MESA_platform_surfaceless" and platform_display(PLATFORM_SURFACELESS, nil)
  if display then return display, "surfaceless" end
  for _, device in ipairs(devices()) do
    display = platform_display(PLATFORM_DEVICE, device)
    if display then return display, "device" end
  end
  errors.raise("RuntimeError", "gl.headless: EGL has no renderer that works without a window", { hint =
    library.INSTALL })
end

local function config_of(display)
  if has(egl.QueryString(display, EXTENSIONS), "EGL_KHR_no_config_context") then return nil end
  local wanted = ffi.new("int[5]", RENDERABLE_TYPE, OPENGL_BIT, SURFACE_TYPE, 0, NONE)
  local config, count = ffi.new "void *[1]", ffi.new "int[1]"
  if egl.ChooseConfig(display, wanted, config, 1, count) == 0 or count[0] == 0 then
    errors.raise("RuntimeError", "gl.headless: EGL has no configuration for OpenGL")
  end
  return config[0]
end

---Makes a context of OpenGL's core profile.
---@param ordinal integer?  number of CUDA's device; nil: any renderer
---@param major integer
---@param minor integer
---@return {display: ffi.cdata*, context: ffi.cdata*, platform: string}
---@raise RuntimeError if EGL is not installed, or has no such context
function M.create(ordinal, major, minor)
  if not library.present() then
    errors.raise("RuntimeError", "gl.headless: EGL is not installed: libEGL.so.1 cannot be opened", { hint =
      library.INSTALL })
  end
  if not (client_has "EGL_EXT_platform_base") then
    errors.raise("RuntimeError", "gl.headless: this EGL lacks the extension EGL_EXT_platform_base")
  end
  local display, platform
  if ordinal then display, platform = display_of_gpu(ordinal) else display, platform = display_of_any() end
  if egl.BindAPI(OPENGL_API) == 0 then
    errors.raise("RuntimeError", "gl.headless: this EGL has no OpenGL, only OpenGL ES")
  end
  local attributes = ffi.new("int[7]", MAJOR, major, MINOR, minor, PROFILE, CORE, NONE)
  local context = egl.CreateContext(display, config_of(display), nil, attributes)
  if context == nil then
    errors.raise("RuntimeError", ("gl.headless: EGL cannot create a context of OpenGL %d.%d (error " ..
      "0x%x)"):format(major, minor,
      egl.GetError()))
  end
  return { display = display, context = context, platform = platform }
end

---@param made table  of create()
---@return boolean
function M.make_current(made) return egl.MakeCurrent(made.display, nil, nil, made.context) ~= 0 end

---No context is current in this thread any more.
---@param made table
function M.release(made) egl.MakeCurrent(made.display, nil, nil, nil) end

---@param made table
---@return boolean
function M.is_current(made) return egl.GetCurrentContext() == made.context end

---@param made table
function M.destroy(made) egl.DestroyContext(made.display, made.context) end

---The address of a function of OpenGL.
---@param name string
---@return ffi.cdata*
function M.address(name) return egl.GetProcAddress(name) end

return M
