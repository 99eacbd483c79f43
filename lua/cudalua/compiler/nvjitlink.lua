-- cuda.link: several images into one by nvJitLink, CUDA's linker as a library. Unlike the driver's own linker it
-- takes LTO-IR, which is optimised across the borders of files, and needs neither a device nor a context.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local pairs_of = require "cudalua.base.pairs_of"
local symbols = require "cudalua.compiler.symbols"
local toolchain = require "cudalua.compiler.toolchain"

---@class cudalua
local M = {}

local names = { "libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so" }

-- LTO-IR is understood by the nvJitLink of the same release, or a later one: the library beside NVRTC comes first,
-- then the folder where packages of their own have it. Bare names go through the dynamic linker.
local function candidates()
  local given = os.getenv "CUDALUA_NVJITLINK"
  if given and given ~= "" then return { given } end
  local paths = {}
  local nvrtc = toolchain.find().nvrtc
  local folder = nvrtc and nvrtc:match "^(.*)/[^/]*$"
  for _, dir in ipairs(folder and { folder, folder .. "/../../nvjitlink/lib" } or {}) do
    for _, name in ipairs(names) do
      if core.stat(dir .. "/" .. name) == "file" then paths[#paths + 1] = dir .. "/" .. name end
    end
  end
  for _, name in ipairs(names) do paths[#paths + 1] = name end
  for _, name in ipairs(names) do paths[#paths + 1] = "/usr/local/cuda/lib64/" .. name end
  return paths
end

local library

-- nvJitLink's library, opened at the first call: {path=, major=, minor=}, or nil and what was tried.
function M.library()
  if library then return library end
  local why
  library, why = core.nvjitlink_open(candidates())
  return library, why
end

local function need_library()
  local info, why = M.library()
  if not info then
    errors.raise("RuntimeError", "link: nvJitLink, CUDA's linker for link-time optimisation, was not found", {
      detail = why,
      hint = "install the CUDA toolkit (or the wheel nvidia-nvjitlink) and set CUDA_HOME, or CUDALUA_NVJITLINK to " ..
        "the library itself; without it, cuda.Linker links PTX and cubins by the driver",
    })
  end
  return info
end

-- Kinds of images as the library numbers them.
local types = { cubin = 1, ptx = 2, ltoir = 3, fatbinary = 4, object = 5, library = 6 }

local EM_CUDA = 190

-- An image tells its kind by its first bytes.
local function kind_of(data)
  local head = data:sub(1, 4)
  if head == "\237CN\127" then return "ltoir" end
  if head == "\80\237\85\186" then return "fatbinary" end
  if data:sub(1, 8) == "!<arch>\n" then return "library" end
  if head ~= "\127ELF" then return "ptx" end
  local low, high = data:byte(19, 20)
  return (low or 0) + 256 * (high or 0) == EM_CUDA and "cubin" or "object"
end

-- A library that ends too soon would be read past its end.
local function is_whole_library(data)
  local at = 9
  while at <= #data do
    local size = data:match("^%d+", at + 48)
    if not size or data:sub(at + 58, at + 59) ~= "`\n" then return false end
    at = at + 60 + tonumber(size)
    if at > #data + 1 then return false end
    at = at + (at + 1) % 2
  end
  return data:sub(1, 8) == "!<arch>\n"
end

local input_fields = { data = true, file = true, type = true, name = true }

-- An input of the user's as {type=, data=, name=}. `what` it is called where it has no name of its own.
function M.check_input(where, what, input)
  local function bad(message, ...)
    errors.raise("LogicError", ("%s: %s " .. message):format(where, what, ...))
  end
  if type(input) == "string" then input = { data = input } end
  if type(input) ~= "table" then
    bad("must be an image (a string), or a table with data or file, got %s", errors.text(input))
  end
  input = errors.options(where .. ": " .. what, input, input_fields)
  for _, field in ipairs { "data", "file", "type", "name" } do
    if input[field] ~= nil and type(input[field]) ~= "string" then
      bad("has a %s that is not a string: %s", field, errors.text(input[field]))
    end
  end
  local data = input.data
  if (data == nil) == (input.file == nil) then bad "needs either data or file" end
  if input.file then
    local file, why = io.open(input.file, "rb")
    data = file and file:read "*a"
    if file then file:close() end
    if not data then
      errors.raise("RuntimeError", where .. ": " .. (why or input.file .. " cannot be read"),
        { code = core.result.FILE_NOT_FOUND, name = "CUDA_ERROR_FILE_NOT_FOUND" })
    end
  end
  if data == "" then bad "is empty" end
  local kind = input.type or kind_of(data)
  if not types[kind] then
    bad("has the unknown type %s; valid types: cubin, ptx, ltoir, fatbinary, object, library", errors.text(kind))
  end
  if kind == "ptx" then data = data:gsub("%z+$", "") end
  local name = input.name or input.file or what
  if name:find("\0", 1, true) then bad "contains a zero byte" end
  if kind == "library" and not is_whole_library(data) then
    bad("('%s'): %d bytes are not a complete library", name, #data)
  end
  return { type = kind, data = data, name = name }
end

local known = { arch = true, lto = true, target = true, options = true }

-- The options of cuda.link, each of its type.
function M.check_options(opts)
  opts = errors.options("link", opts, known)
  for name, wanted in pairs_of { arch = "string", lto = "boolean", target = "string", options = "table" } do
    if opts[name] ~= nil and type(opts[name]) ~= wanted then
      errors.raise("LogicError", ("link: option %s must be a %s, got %s"):format(name, wanted, errors.text(opts[name])))
    end
  end
  if opts.target and opts.target ~= "cubin" and opts.target ~= "ptx" then
    errors.raise("LogicError", ("link: target must be cubin or ptx, got %s"):format(errors.text(opts.target)))
  end
  for i, option in ipairs(opts.options or {}) do
    if type(option) ~= "string" or option:find("\0", 1, true) then
      errors.raise("LogicError", ("link: options[%d] must be a string without zero bytes, got %s"):format(i,
        errors.text(option)))
    end
    if option:find "^%-*arch" then
      errors.raise("LogicError", "link: pass the architecture as option arch, such as {arch = \"sm_90\"}")
    end
  end
  -- nvJitLink ends the process over "sm_9".
  if opts.arch and not opts.arch:gsub("^compute_", "sm_"):find "^sm_%d%d%d?[af]?$" then
    errors.raise("LogicError", ("link: option arch must be an architecture such as \"sm_90\" or \"compute_90\", got " ..
      "%s"):format(
      errors.text(opts.arch)))
  end
  return opts
end

-- What to link for, and what of: machine code for the current device, PTX for the software one.
local function choose(opts, lto)
  local soft = core.driver_info().soft
  local arch, target = opts.arch, opts.target
  if not arch then
    if not (core.driver_info().open and core.classes.Context.get_current()) then
      errors.raise("LogicError", "link: no context is current: pass option arch, such as arch = \"sm_90\"")
    end
    local major, minor = core.classes.Context.get_device():compute_capability()
    arch = ("sm_%d%d"):format(major, minor)
    if soft and not target then target = "ptx" end
  end
  if not target then target = arch:find "^compute_" and "ptx" or "cubin" end
  if target == "ptx" and not lto then
    errors.raise("LogicError", "link: nvJitLink produces PTX only from LTO-IR", {
      hint = (soft and "the software device runs PTX: " or "") ..
        "compile the inputs with target = \"ltoir\", or link PTX with cuda.Linker",
    })
  end
  return arch, target
end

-- Why nvJitLink said no, where its own words do not help.
local hints = {
  [13] = "the inputs must be compiled for the target architecture or an older one",
  [14] = "nvJitLink must not be older than the compiler of the inputs; set CUDALUA_NVJITLINK to another one",
}

---Options of cuda.link.
---@class cudalua.LinkOptions
---@field arch string?  "sm_90"; default: that of the current device
---@field lto boolean?  optimise across the inputs; default: if there is LTO-IR among them
---@field target string?     "cubin" or "ptx"; default: a cubin, and PTX for "compute_90" and the software device
---@field options string[]?  options of nvJitLink: "-maxrregcount=32", "-lineinfo", "-verbose", "-kernels-used=name" ...

---Links images with nvJitLink, without loading the result. If you pass `arch`, it does not need a device.
---@param inputs (string|{data?: string, file?: string, type?: string, name?: string})[]  the images: LTO-IR of
---  cuda.compile(source, {target = "ltoir"}), relocatable PTX or cubins, fatbins, object files, libraries. `type` is
---  "ltoir", "ptx", "cubin", "fatbinary", "object" or "library"; default: detected from the first bytes
---@param opts? cudalua.LinkOptions  the linker's options
---@return string image  an argument for cuda.module_from_buffer
---@return string? log   the report of nvJitLink
---@raise CompileError (log, info_log, options) if symbols are missing or defined twice, and for invalid images,
---  RuntimeError if nvJitLink or a file (301) is not found, LogicError for invalid arguments.
function M.link(inputs, opts)
  opts = M.check_options(opts)
  if type(inputs) ~= "table" then
    errors.raise("LogicError", "link: expected a list of images, got " .. errors.text(inputs))
  end
  local checked, kinds, images, labels, lto = {}, {}, {}, {}, opts.lto
  for i, input in ipairs(inputs) do
    input = M.check_input("link", "input " .. i, input)
    checked[i], kinds[i], images[i], labels[i] = input, types[input.type], input.data, input.name
    if opts.lto == nil and input.type == "ltoir" then lto = true end
  end
  if #images == 0 then errors.raise("LogicError", "link: the list of images is empty") end
  local arch, target = choose(opts, lto)
  need_library()
  local options = { "-arch=" .. arch }
  if lto then options[#options + 1] = "-lto" end
  if target == "ptx" then options[#options + 1] = "-ptx" end
  for _, option in ipairs(opts.options or {}) do options[#options + 1] = option end

  local clashes = symbols.clashes(checked)
  local result = clashes and { status = "multiple definitions", log = clashes }
    or core.nvjitlink(kinds, images, labels, options)
  local image = target == "ptx" and result.ptx or result.cubin
  if not (result.ok and image) then
    errors.raise("CompileError", "the images cannot be linked: " .. result.status, {
      log = result.log or "", info_log = result.info_log or "", msg = result.status, options = options,
      command_line = { "nvjitlink", unpack(options) }, stdout = result.info_log or "", stderr = result.log or "",
      hint = hints[result.result],
    })
  end
  local log = (result.log or "") .. (result.info_log or "")
  return image, log ~= "" and log or nil
end

return M
