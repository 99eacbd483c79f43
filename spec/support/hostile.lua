-- Finalizers of the program's that run at every point of a call where one can: they raise, close what the call uses,
-- or change the current context. Started by spec/whole/hostile_spec.lua; prints what is wrong, then "fine".
--
-- With both parameters 0, Lua's collector runs a whole cycle wherever it may run at all; so an object that makes itself
-- anew in its finalizer counts those points.
jit.off()
local cuda = require "cudalua"
local core = require "cudalua.core"
local ffi = require "ffi"
local turn = require "spec.support.turn"
cuda.init()
cuda.on_notice = false

local outer = cuda.Device(0):make_context()
local image = cuda.compile [[
  __global__ void add(int *a, int *b, int n) { if (threadIdx.x < n) a[threadIdx.x] += b[threadIdx.x]; }
]]
local int = cuda.int32

local point, wanted, action

local function count(self)
  if not wanted then return end
  point = point + 1
  if point < wanted then return newproxy(self) end
  wanted = nil
  action()
end

local function at_point(n, f)
  point, wanted, action = 0, n, f
  getmetatable(newproxy(true)).__gc = count
end

-- What calls use; `closed` is what a finalizer closes.
local makers = {
  stream = function() return cuda.Stream() end,
  other = function() return cuda.Stream "non_blocking" end,
  event = function() return cuda.Event() end,
  memory = function() return cuda.to_device(ffi.new "int[64]") end,
  async = function() return cuda.mem_alloc_async(256) end,
  pinned = function() return cuda.pagelocked_zeros(64, "int32") end,
  module = function() return cuda.module_from_buffer(image) end,
  array = function() return cuda.Array(cuda.ArrayDescriptor { width = 16, height = 4 }) end,
  graph = function(o)
    local memory = o.memory
    return o.other:capture(function() cuda.memset_d8_async(memory, 1, 16) end)
  end,
  exec = function(o) return o.graph:instantiate() end,
}

local function fresh()
  local o = {}
  return setmetatable(o, { __index = function(_, name)
    local value = name == "add" and o.module:get_function "add" or makers[name](o)
    rawset(o, name, value)
    return value
  end })
end

local function close(x)
  if core.kind(x) == nil then x = x.base end
  local f = x.free or x.close
  f(x)
end

local cases = {
  { "stream event", function(o) o.event:record(o.stream) o.other:wait_for_event(o.event) return o.event:query() end },
  { "stream memory", function(o) return o.stream:use(function() cuda.memset_d8_async(o.memory, 1, 16) end) end },
  { "stream memory module", function(o) o.add(o.memory, o.async, int(5), { block = 32, stream = o.stream }) end },
  { "memory module", function(o) o.add { o.memory, o.memory, ffi.new("int", 5), block = 32 } end },
  { "stream module", function(o)
    o.add(cuda.InOut(ffi.new "int[64]"), cuda.In(o.pinned), int(5), { block = 32, stream = o.stream })
  end },
  { "memory pinned", function(o) cuda.memcpy_htod(o.memory, o.pinned) cuda.memcpy_dtoh(o.pinned, o.memory) end },
  { "memory pinned stream", function(o)
    cuda.memcpy_htod_async(o.memory, o.pinned, o.stream)
    cuda.memcpy_dtoh_async(o.pinned, o.async, o.stream)
  end },
  { "memory async stream", function(o) cuda.memcpy_dtod_async(o.async, o.memory, 64, o.stream) end },
  { "memory async", function(o)
    cuda.memcpy_peer(o.memory, o.async, 64)
    cuda.memcpy_peer_async(o.async, o.memory, 64, { stream = o.stream })
  end },
  { "memory async stream", function(o)
    local c = cuda.Memcpy3DPeer()
    c:set_src_device(o.memory)
    c:set_dst_device(o.async)
    c.src_pitch, c.dst_pitch, c.src_height, c.dst_height = 32, 32, 4, 4
    c.width_in_bytes, c.height, c.depth = 16, 4, 1
    c()
    c(o.stream)
  end },
  { "pinned array stream", function(o)
    local c = cuda.Memcpy2D()
    c:set_src_host(o.pinned)
    c:set_dst_array(o.array)
    c.src_pitch, c.width_in_bytes, c.height = 64, 64, 4
    c()
    c(o.stream)
    cuda.memcpy_atoh(o.pinned, o.array, 0)
  end },
  { "module", function(o) return o.module:get_function "add", o.add.num_regs end },
  { "other memory pinned module stream event", function(o)
    local graph = o.other:capture(function()
      cuda.memcpy_htod_async(o.memory, o.pinned)
      o.add(o.memory, o.async, int(5), { block = 32 })
      o.event:record()
      o.stream:wait_for_event(o.event)
      cuda.memset_d8_async(o.async, 1, 16, o.stream)
      o.event:record(o.stream)
      o.other:wait_for_event(o.event)
    end)
    graph:instantiate():launch(o.stream)
  end },
  { "exec graph memory stream", function(o)
    o.exec:launch(o.stream)
    o.exec:update(o.graph)
    o.exec:upload(o.stream)
    return o.graph:nodes(), o.graph:instantiate()
  end },
  { "stream", function(o) o.stream:on_complete(function() end) o.stream:synchronize() end },
  { "stream memory", function(o) return outer:with(function() o.stream:synchronize() return o.memory + 4 end) end },
  { "", function() return cuda.Stream(), cuda.Event(), cuda.mem_alloc(64), cuda.mem_alloc_async(64) end },
  { "", function() return cuda.module_from_buffer(image), cuda.pagelocked_empty(16, "int32") end },
  { "", function() return cuda.Array(cuda.ArrayDescriptor { width = 16, height = 4 }):get_descriptor() end },
}

local wrong = 0
local function check(ok, ...)
  if ok then return end
  wrong = wrong + 1
  if wrong < 20 then print(...) end
end

-- Nothing may reach the driver that it has to refuse: every error is the finalizer's, or our own.
local function try(number, f, uses, what, how, n)
  local where = ("case %d, %s, point %d"):format(number, what, n)
  local o = fresh()
  for name in uses:gmatch "%S+" do local _ = o[name] end
  collectgarbage("setpause", 0)
  collectgarbage("setstepmul", 0)
  collectgarbage()
  at_point(n, how(o))
  local ok, err = pcall(f, o)
  local reached = not wanted
  wanted = nil
  collectgarbage("setpause", 200)
  collectgarbage("setstepmul", 200)
  check(ok or err == "hostile" or cuda.is_error(err, "LogicError") and not err.code, where, err)
  return reached, where
end

local function undisturbed(where, ctx, depth)
  check(cuda.current_stream() == cuda.legacy_stream, where, "another stream is current")
  check(core.context_depth() == depth, where, "contexts on the stack: " .. core.context_depth())
  check(cuda.Context.get_current() == ctx, where, "another context is current")
  local ok, err = pcall(cuda.mem_alloc, 16) -- so nothing is being captured
  check(ok, where, err)
end

local function sweep(number, f, uses, what, how)
  for n = 1, 200 do
    local reached, where = try(number, f, uses, what, how, n)
    undisturbed(where, outer, 1)
    pcall(cuda.Context.synchronize)
    if not reached then break end
  end
end

-- The same in a context of its own, which the finalizer takes off or destroys.
local function sweep_context(number, f, what, how)
  for n = 1, 200 do
    local ctx = cuda.Device(0):make_context()
    local reached, where = try(number, f, "", what, function() return function() how(ctx) end end, n)
    if cuda.Context.get_current() == ctx then pcall(cuda.Context.synchronize) end
    pcall(ctx.detach, ctx)
    while core.context_depth() > 1 do cuda.Context.pop() end
    undisturbed(where, outer, 1)
    if not reached then break end
  end
end

-- Each call once undisturbed: an error in the middle of require() would be the module's.
for number, case in ipairs(cases) do
  case.number = number
  local o = fresh()
  for name in case[1]:gmatch "%S+" do local _ = o[name] end
  pcall(case[2], o)
end
for _, case in ipairs(turn.share(cases)) do
  local number, uses, f = case.number, case[1], case[2]
  if arg[1] ~= "contexts" then
    sweep(number, f, uses, "an error", function() return function() error("hostile", 0) end end)
    for name in uses:gmatch "%S+" do
      sweep(number, f, uses, name .. " is closed", function(o) return function() close(o[name]) end end)
    end
  else
    sweep_context(number, f, "the context is detached", function(ctx) ctx:detach() end)
    sweep_context(number, f, "another context is pushed", function() outer:push() end)
  end
end

local function used_up()
  for _ = 1, 3 do
    cuda.Context.synchronize()
    cuda.collect()
  end
end
used_up()
check(core.failed_destroys() == 0, "refused in finalizers: " .. core.failed_destroys())
if core.driver_info().soft then
  local stats = require("cudalua.softgpu").stats()
  check(stats.stale == 0, "calls with handles of what is gone: " .. stats.stale)
end
print(wrong == 0 and "fine" or wrong .. " findings")
