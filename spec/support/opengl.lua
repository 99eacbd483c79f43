-- OpenGL for specs: whether there is one that works without a window (Mesa's on the software device, the GPU's own on a
-- GPU). Specs that need it are pending where there is none; spec/skipped.lua lists them as no_gl.
local gpu = require "spec.support.gpu"
local ffi = require "ffi"
local gl = require "cudalua.gl"

local M = {}

gpu.context()
local ok, window = pcall(gl.headless, { width = 16, height = 16 })
if ok then
  local hook = gpu.cuda.on_notice
  gpu.cuda.on_notice = nil -- that mapping copies is said once
  local buffer = gl.RegisteredBuffer(window:buffer(4))
  buffer:map():unmap()
  buffer:unregister()
  gpu.cuda.on_notice = hook
  window:close()
end

M.there = ok
M.why = not ok and tostring(window) or nil

---Calls f(window, window.gl) with a context current, and none afterwards; nil where there is no OpenGL.
function M.with(options, f)
  gpu.context()
  local w = gl.headless(options)
  local done, err = xpcall(f, function(e) return type(e) == "string" and debug.traceback(e) or e end, w, w.gl)
  if w.made then w:close() end
  if not done then error(err, 0) end
end

---The bytes of a GL buffer.
function M.bytes(w, name, n)
  local out = ffi.new("uint8_t[?]", n)
  w.gl.BindBuffer(w.gl.ARRAY_BUFFER, name)
  w.gl.GetBufferSubData(w.gl.ARRAY_BUFFER, 0, n, out)
  w.gl.BindBuffer(w.gl.ARRAY_BUFFER, 0)
  return ffi.string(out, n)
end

return M
