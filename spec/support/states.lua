-- What the Lua states of spec/c/states_test.c do: the chunk gets a compiled module and returns a function that does
-- one thing at random with the library, and checks what comes out. Without a module, it returns one. A quiet state
-- raises no errors and compiles no Lua: both take locks of the unwinder, which a fork does not give back.
local cuda = require "cudalua"
local ffi = require "ffi"

local image, seed, quiet = ...
cuda.on_notice = nil
cuda.init()
if not image then
  return cuda.compile([[
    __global__ void add(int *a, int n, int k)
    {
      for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] += k;
    }
  ]], { arch = "compute_75" })
end
math.randomseed(seed)

local dev = cuda.Device(0)
local primary        -- retained by this state
local kernels        -- by Context
local kept, most = {}, 12 -- luacheck: ignore 241 (what is in it stays alive)

local int = cuda.int32

local function any(n) return math.random(1, n) end

local function forget_all()
  kernels, kept = setmetatable({}, { __mode = "k" }), {}
end
forget_all()

local function keep(...) kept[any(most)] = { ... } end

-- A state may be on another thread than the last time, where other states have pushed what they liked.
local function enter()
  primary = primary or dev:retain_primary_context()
  if cuda.Context.get_current() ~= primary then primary:push() end
end

local function add()
  local ctx = cuda.Context.get_current()
  kernels[ctx] = kernels[ctx] or cuda.module_from_buffer(image):get_function "add"
  return kernels[ctx]
end

local function numbers(n)
  local a = ffi.new("int[?]", n)
  for i = 0, n - 1 do a[i] = i end
  return a
end

local function check(a, n, k)
  for i = 0, n - 1 do
    if a[i] ~= i + k then error(("element %d is %d, not %d"):format(i, a[i], i + k), 0) end
  end
end

local allocators = {
  cuda.mem_alloc,
  cuda.mem_alloc_async,
  function(bytes)
    local pool = cuda.DeviceMemoryPool()
    keep(pool)
    return pool:allocate(bytes)
  end,
  function(bytes) return (cuda.mem_alloc_pitch(bytes, 1, 4)) end,
}

local function launch()
  local n, k = any(3000), any(100)
  local a, memory = numbers(n), allocators[any(#allocators)](n * 4)
  cuda.memcpy_htod(memory, a)
  add()(memory, int(n), int(k), { block = 128 })
  cuda.memcpy_dtoh(a, memory)
  check(a, n, k)
  if any(2) == 1 then keep(memory) end
end

local function asynchronous()
  local n, k = any(3000), any(100)
  local s, a, memory = cuda.Stream "non_blocking", cuda.pagelocked_empty(n, "int32"), cuda.mem_alloc(n * 4)
  ffi.copy(a:data(), numbers(n), n * 4)
  cuda.memcpy_htod_async(memory, a, s)
  add()(memory, int(n), int(k), { block = 64, stream = s })
  cuda.memcpy_dtoh_async(a, memory, s)
  local e = cuda.Event():record(s)
  if any(3) == 1 then return keep(e) end -- all of it may be dropped with the work under way
  if any(2) == 1 then s:synchronize() else e:synchronize() end
  check(a:data(), n, k)
  keep(s, e, a, memory)
end

local function graph()
  local n, k = any(1000), any(100)
  local s, a, memory, fn = cuda.Stream "non_blocking", numbers(n), cuda.mem_alloc(n * 4), add()
  cuda.memcpy_htod(memory, a)
  local g = s:capture(function()
    fn(memory, int(n), int(k), { block = 32, stream = s })
    if any(2) == 1 then collectgarbage() end
  end)
  local x = g:instantiate()
  for _ = 1, 3 do x:launch(s) end
  if any(3) == 1 then return keep(g, x) end
  s:synchronize()
  cuda.memcpy_dtoh(a, memory)
  check(a, n, 3 * k)
  keep(g, x, s)
end

local function another_context()
  local ctx = dev:make_context()
  launch()
  cuda.Context.pop()
  local fate = any(3)
  if fate == 1 then ctx:detach() elseif fate == 2 then keep(ctx) end
end

local function completions()
  local called = 0
  local s = cuda.Stream()
  s:on_complete(function() called = called + 1 end)
  if any(3) == 1 then return end
  s:synchronize()
  if called ~= 1 then error("on_complete(): called " .. called .. " times", 0) end
end

local function detach()
  cuda.Context.pop() -- pushed by this state or by one that will push it again
  primary:detach()   -- others may have retained it
  primary = nil
  forget_all()
end

local function mistakes()
  for _, f in ipairs { function() cuda.mem_alloc(-1) end, function() cuda.memcpy_htod(1, 2) end,
    function() add()(1, 2, 3, 4, { block = 1 }) end, function() kept = {} primary.push() end } do
    local ok, err = pcall(f)
    if ok or not cuda.is_error(err, "LogicError") then error("no LogicError: " .. tostring(err), 0) end
  end
end

local things = { launch, launch, asynchronous, asynchronous, another_context, completions, detach, cuda.collect,
  function() cuda.Context.synchronize() end, function() kept[any(most)] = nil end, cuda.mem_stats }
if quiet then
  jit.off()
else
  things[#things + 1] = graph
  things[#things + 1] = mistakes
end

-- One thread waits for a context while another one captures in it: either or both are told.
local function excusable(err) return cuda.is_error(err) and err.message:find("captur", 1, true) end

return function(leave)
  enter()
  local ok, err = pcall(things[any(#things)])
  if leave and cuda.Context.get_current() == primary and primary then cuda.Context.pop() end
  if not ok and not excusable(err) then error(tostring(err) .. "\n" .. tostring(err.traceback), 0) end
end
