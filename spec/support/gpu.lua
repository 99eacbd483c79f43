-- What the specs share: a driver that is open, a context that is current, errors that are looked at, and child
-- processes for what ends a process or its device.
local cuda = require "cudalua"
local core = require "cudalua.core"
local ffi = require "ffi"
local assert = require "luassert" -- so that these checks count as a test's assertions
require "spec.support.quick"

local M = { cuda = cuda }

cuda.init()
M.soft = cuda.driver_info().soft
M.sanitized = os.getenv "CUDALUA_SANITIZED" ~= nil -- everything takes several times as long

-- Where one kernel cannot compute several arrays, others compute one after the other, also if the kernel does not
-- compile. That is a bug, so here it is not an error of the library's, which such places would catch.
local compiler = require "cudalua.compiler"
local build = compiler.build
function compiler.build(what, ...)
  if what ~= "gpuarray" then return build(what, ...) end
  local ok, result = pcall(build, what, ...)
  if ok then return result end
  if cuda.is_error(result, "CompileError") and result.message:find "does not compile: line" then
    error("a generated kernel is wrong: " .. tostring(result), 0)
  end
  error(result, 0)
end

-- One context for the whole run: making one on a GPU takes a tenth of a second.
local context
function M.context()
  context = context or cuda.Device(0):retain_primary_context()
  if cuda.Context.get_current() ~= context then context:push() end
  return context
end

---Calls f and returns its error, which must be one of the library's, of that class.
function M.error_of(class, f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok, "it raised nothing")
  assert(cuda.is_error(err, class), ("expected a %s, got: %s"):format(class, tostring(err)))
  return err
end

---As error_of, and its message contains the text.
function M.raises(class, text, f, ...)
  local err = M.error_of(class, f, ...)
  assert(err.message:find(text, 1, true), ("'%s' is not in: %s"):format(text, err.message))
  return err
end

---Values that no function with a size, a name or an object as its argument takes.
M.nonsense = { 0 / 0, -1, 1.5, 2 ^ 60, 1 / 0, true, {}, function() end, coroutine.create(function() end),
  ffi.new "int[2]", io.stdout }

---Calls f(value) for each of them (and nil, and a string): an error of the library each time.
function M.refuses_nonsense(f, except)
  except = except or {}
  local function try(value)
    local ok, err = pcall(f, value)
    if ok then error("it took " .. tostring(value)) end
    if not cuda.is_error(err) then
      error(("for %s it raised a %s: %s"):format(tostring(value), type(err), tostring(err)))
    end
  end
  for _, value in ipairs(M.nonsense) do
    if not except[type(value)] then try(value) end
  end
  if not except["nil"] then try(nil) end
  if not except.string then try "nonsense" end
end

function M.floats(...)
  local list = { ... }
  return ffi.new("float[?]", #list, list)
end

function M.random_floats(n)
  local a = ffi.new("float[?]", n)
  for i = 0, n - 1 do a[i] = math.random() * 200 - 100 end
  return a
end

---Calls f on a stack of its own: what it leaves in the slots of its calls keeps nothing alive. What it makes to last
---goes into kept, to be dropped from there.
M.kept = {}
function M.apart(f) coroutine.wrap(f)() end

---How many kernels f launches, on any driver; not those of graphs.
function M.kernels(f)
  local before = core.launch_count()
  f()
  return core.launch_count() - before
end

local soft = M.soft and require "cudalua.softgpu"

---In which streams kernels and fills run while f runs.
---@return table<integer, integer>?  by handle, how many; nil on a GPU, which does not tell
function M.launches_by_stream(f)
  if not soft then
    f()
    return nil
  end
  cuda.Context.synchronize()
  soft.log "on"
  soft.log "clear"
  local ok, err = pcall(f)
  cuda.Context.synchronize()
  local seen = {}
  for _, run in ipairs(soft.runs()) do
    if run.name == "launch" or run.name == "fill" then seen[run.stream] = (seen[run.stream] or 0) + 1 end
  end
  soft.log "off"
  if not ok then error(err, 0) end
  return seen
end

---Runs Lua code in a process of its own; returns what it printed and whether it ended well.
function M.child(code, environment)
  local script, out = os.tmpname(), os.tmpname()
  local file = assert(io.open(script, "w"))
  file:write(code)
  file:close()
  local luajit = arg and arg[-1] and arg[-1]:find "luajit" and arg[-1] or "luajit"
  local ok = os.execute(("%s %s %s >%s 2>&1 </dev/null"):format(environment or "", luajit, script, out))
  file = assert(io.open(out))
  local text = file:read "*a"
  file:close()
  os.remove(script)
  os.remove(out)
  -- Newer LuaJITs write to stderr what finalizers raise; others raise it in what the collector interrupted.
  text = text:gsub("ERROR in finalizer: [^\n]*\n", "")
  return text, ok == 0 or ok == true
end

M.driver = "CUDALUA_DRIVER=" .. (M.soft and "soft" or "cuda")

return M
