-- Runs an example again and again, each time with another driver call failing: started by
-- spec/whole/fault_sweep_spec.lua.
--   luajit faults.lua ROOT FILE STEP OFFSET EXAMPLE [arguments]   every STEPth call, from OFFSET
-- FILE gets what is about to be tried, so that whoever finds this program dead knows of what it died. Prints what is
-- wrong, line by line, then "N calls, N injections, N completed".
local root, file = arg[1], assert(io.open(arg[2], "w"))
local step, offset, example = tonumber(arg[3]), tonumber(arg[4]), arg[5]
local arguments = { [0] = example, unpack(arg, 6) }
local cuda = require "cudalua"
local core = require "cudalua.core"
local ffi = require "ffi"
local softgpu = require "cudalua.softgpu"
cuda.on_notice = false
cuda.init()

-- What NVRTC says stays the same, and takes longest.
local compile, compiled = core.nvrtc_compile, {}
function core.nvrtc_compile(text, ...)
  compiled[text] = compiled[text] or { compile(text, ...) }
  return unpack(compiled[text])
end

local findings = 0
local function finding(...)
  findings = findings + 1
  print((string.format(...):gsub("\n", " | ")))
end

local function about_to(text)
  file:seek "set"
  file:write(text, (" "):rep(100), "\n")
  file:flush()
end

local function run()
  local chunk = assert(loadfile(root .. "/examples/" .. example))
  setfenv(chunk, setmetatable({ print = function() end, arg = arguments }, { __index = _G }))
  return coroutine.wrap(pcall)(chunk) -- on a stack of its own: what is left in its slots keeps nothing alive
end

-- Everything that the example has left goes: work that is pending, what stands on the stack of contexts, machine code
-- (which holds what it was compiled for), then the garbage.
local function clean_up()
  local ok, err
  repeat
    pcall(cuda.Context.synchronize)
    ok, err = pcall(cuda.Context.pop)
  until not ok and err.code == cuda.result.INVALID_CONTEXT
  jit.flush()
  cuda.collect()
end

local function works()
  local ctx = cuda.Device(0):make_context()
  local n = 64
  local a = ffi.new("int[?]", n)
  for i = 0, n - 1 do a[i] = i end
  local memory = cuda.to_device(a)
  ffi.fill(a, 4 * n)
  cuda.memcpy_dtoh(a, memory)
  for i = 0, n - 1 do assert(a[i] == i, "bytes differ") end
  ctx:detach()
end

-- How many calls the example makes, and how many of which.
local function count_calls()
  softgpu.control "calls clear"
  local ok, err = run()
  if not ok then error(tostring(err), 0) end
  clean_up()
  local n, symbols = 0, {}
  for symbol, count in softgpu.control("calls"):gmatch "(%S+) (%d+)" do
    n, symbols[symbol] = n + count, tonumber(count)
  end
  return n, symbols
end

-- Calls that give something back: where they fail, it stays.
local function gives_back(symbol)
  for _, part in ipairs { "Destroy", "Free", "Unload", "Release", "Unregister", "PopCurrent" } do
    if symbol:find(part, 1, true) then return true end
  end
  return false
end

local completed, injections = 0, 0

local function judge(what, ok, err, failed)
  if ok then
    completed = completed + 1
  elseif not cuda.is_error(err) then
    finding("%s: no error of the library but %s: %s", what, type(err), tostring(err))
  elseif not err.sticky and not tostring(err):find(failed:gsub("_v%d$", ""), 1, true) then
    finding("%s: the error does not name the call: %s", what, tostring(err))
  end
  local stale = softgpu.stats().stale
  if stale > 0 then finding("%s: %d dead handles were used", what, stale) end
end

local function check_that_it_works(what)
  local fine, why = pcall(works)
  if not fine then finding("%s: afterwards nothing works: %s", what, tostring(why)) end
end

-- Call k of all fails.
local function inject(k, code)
  injections = injections + 1
  about_to(("%s: call %d answers %s"):format(example, k, code))
  softgpu.set_device_count(1)
  softgpu.control "log clear"
  softgpu.control "log on"
  softgpu.control(("fail any %d %s"):format(k, code))
  local ok, err = run()
  clean_up()
  softgpu.control "log off"
  softgpu.fail_clear()
  local number, failed = tonumber(code:match "^%d+"), "none"
  for _, call in ipairs(softgpu.calls()) do
    if call.result == number then
      failed = call.symbol
      break
    end
  end
  local what = ("%s: call %d, %s, answers %s"):format(example, k, failed, code)
  judge(what, ok, err, failed)
  if code:find "sticky" then return end
  local leaks = softgpu.leaks()
  if #leaks > 0 and not gives_back(failed) then
    finding("%s: %d leaks: %s%s", what, #leaks, leaks[1], ok and "" or ", after " .. tostring(err))
  end
  check_that_it_works(what)
end

-- Every call of a function fails.
local function inject_all(symbol, code)
  injections = injections + 1
  local what = ("%s: %s always answers %d"):format(example, symbol, code)
  about_to(what)
  softgpu.set_device_count(1)
  for n = 1, 1000 do softgpu.fail(symbol, n, code) end
  local ok, err = run()
  softgpu.fail_clear()
  clean_up()
  judge(what, ok, err, symbol)
  check_that_it_works(what)
end

count_calls() -- compiles
local calls, symbols = count_calls()
local turn = offset -- of a program with hundreds of calls some functions each time
for symbol in pairs(symbols) do
  turn = turn + 1
  if step <= 7 or turn % 4 == 0 then inject_all(symbol, 999) end
  if step <= 7 or turn % 4 == 2 then inject_all(symbol, 2) end
end
for k = 1 + offset % step, calls, step do
  for _, code in ipairs { "999", "2", "700 sticky" } do inject(k, code) end
end
about_to "the end"
print(("%d calls, %d injections, %d completed"):format(calls, injections, completed))
