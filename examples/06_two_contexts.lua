-- Two contexts in one program: each has its memory, its modules and its errors. Here one works on each device, or both
-- on the same one where there is only one.
local cuda = require "cudalua"
local ffi = require "ffi"

cuda.init()
local n = 1000

local source = [[
__global__ void fill(int *a, int n, int value)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = value + i;
}
]]

-- What belongs to one context. with() makes it current for the time of the call, also when that ends with an error.
local workers = {}
for i = 1, 2 do
  local ctx = cuda.Device((i - 1) % cuda.Device.count()):make_context()
  cuda.Context.pop()
  workers[i] = { ctx = ctx }
  ctx:with(function()
    workers[i].memory = cuda.mem_alloc(n * 4)
    workers[i].fill = cuda.SourceModule(source):get_function "fill"
  end)
end
assert(cuda.Context.get_current() == nil)

for i, w in ipairs(workers) do
  w.ctx:with(function() w.fill(w.memory, n, i * 10000, { block = 256, grid = math.ceil(n / 256) }) end)
end

-- Memory of one context is refused by the other one, before anything happens.
local a, b = workers[1], workers[2]
---@type boolean, any
local ok, err = pcall(function()
  a.ctx:with(function() a.fill(b.memory, n, 0, { block = 256, grid = 4 }) end)
end)
assert(not ok and cuda.is_error(err, "LogicError"), err)
print("as it should be: " .. err.message)

-- From one context's memory to the other's, and back to the host.
local out = ffi.new("int[?]", n)
b.ctx:with(function()
  cuda.memcpy_peer(b.memory, a.memory, n * 2, { src_context = a.ctx }) -- the other one is the current context
  cuda.memcpy_dtoh(out, b.memory)
end)
for i = 0, n - 1 do assert(out[i] == (i < n / 2 and 10000 or 20000) + i, "element " .. i .. " is wrong") end

-- A context that is detached takes what lives in it along; the other one goes on.
a.ctx:detach()
ok, err = pcall(function() return #a.memory end)
assert(not ok and cuda.is_error(err, "LogicError"), err)
print("as it should be: " .. err.message)
b.ctx:with(cuda.memcpy_dtoh, out, b.memory)
assert(out[n - 1] == 20000 + n - 1)
b.ctx:detach()
print "two contexts, all as expected"
