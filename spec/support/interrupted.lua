-- A program for specs that interrupt it: launches, copies, sums, allocations, compilations and loops of the host.
-- program(kernels, step) does so until it is interrupted or done; check() says whether what it left is right.
local cuda = require "cudalua"
local gpuarray = require "cudalua.gpuarray"
local ffi = require "ffi"

local N = 3000

local M = {}

function M.kernels()
  return {
    add = cuda.kernel [[
      __global__ void add(int *a, int n, int k)
      {
        for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] += k;
      }]],
    -- Long enough to be stopped in the middle: the value is written after much counting.
    slow = cuda.kernel [[
      __global__ void slow(int *a, int n, int k, int turns)
      {
        int s = 0;
        for (int i = 0; i < turns; i++) s += (s ^ i) & 1;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
          a[i] += s < 0 ? 1000 : k;
      }]],
  }
end

---One run, with arrays of its own. What it notes is true at each moment: `done` launches have certainly ended, `begun`
---may have begun.
function M.run(kernels, number)
  local r = { done = 0, begun = 0 }
  M.now = r
  r.counted = gpuarray.zeros(N, "int32")
  r.still = gpuarray.arange(N, { dtype = "int32" })
  r.still:tolist()
  r.ready = true
  local stream = cuda.Stream()
  for turn = 1, 3 do
    r.begun = r.begun + 1
    kernels.add(r.counted, N, 1, { block = 64 })
    r.begun = r.begun + 1
    kernels.slow(r.counted, N, 1, 20000, { block = 64, grid = 8 })
    cuda.Context.synchronize()
    r.done = r.begun
    assert(r.counted:sum():item() == r.done * N, "sum of what is done")
    local b = r.still * 2 + turn
    assert(b:sum():item() == N * (N - 1) + turn * N, "sum of an expression")
    local host = ffi.new("int[?]", N)
    for i = 0, N - 1 do host[i] = 3 * i end
    local other = cuda.mem_alloc(N * 4)
    cuda.memcpy_htod(other, host)
    local back = ffi.new("int[?]", N)
    cuda.memcpy_dtoh(back, other)
    for i = 0, N - 1, 97 do assert(back[i] == 3 * i, "a copy") end
    r.begun = r.begun + 1
    kernels.add(r.counted, N, 1, { block = 32, stream = stream })
    stream:synchronize()
    r.done = r.begun
    local event = cuda.Event():record(stream)
    event:synchronize()
    other:free()
    local garbage = {} -- luacheck: ignore 241 (it is there to be collected)
    for i = 1, 20 do garbage[i] = gpuarray.zeros(16, "float32") end
    local sum = 0
    for i = 1, 200 do sum = sum + i end
    assert(sum == 20100)
    if number % 40 == 0 and turn == 2 then
      local f = cuda.kernel(("__global__ void k(int *a) { a[0] = %d; }"):format(number), { cache_dir = false })
      f(b, { block = 1 })
      assert(b:tolist()[1] == number, "a new kernel")
    end
    collectgarbage "step"
  end
  M.now = nil
end

---After an interruption: each element of what was counted is between what is done and what was begun. What no
---kernel writes is as it was.
function M.check(r)
  local still, counted = r.still and r.still:tolist(), r.counted and r.counted:tolist()
  for i = 1, still and N or 0 do assert(not r.ready or still[i] == i - 1, "an array that no kernel writes") end
  for i = 1, counted and N or 0 do
    local c = counted[i]
    assert(c >= 0 and c <= r.begun and c >= r.done, ("element %d is %d, %d were done and %d begun"):format(i, c, r.done,
      r.begun))
  end
end

return M
