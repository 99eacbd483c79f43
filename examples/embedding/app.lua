-- Entry points for host programs that show errors only if they are strings: host.py and nginx.conf.
local cuda = require "cudalua"

local app = {}

---The sum of 0, 1 ... n - 1, on the device.
function app.total(n, dtype) return cuda.gpuarray.arange(n, dtype or "float32"):sum():item() end

---Allocates device memory and frees it.
function app.reserve(bytes)
  local memory = cuda.mem_alloc(bytes)
  memory:free()
end

---Stores 0, 1 ... count - 1 to memory of n integers. If count is larger than n, the software device reports the store.
function app.fill(n, count)
  local fill = cuda.kernel [[
__global__ void fill(int *a, int count)
{
  int i = threadIdx.x;
  if (i < count) a[i] = i;
}
]]
  local memory = cuda.mem_alloc(4 * n)
  fill(memory, count, { block = count })
  cuda.Context.synchronize()
end

for name, fn in pairs(app) do app[name] = cuda.text_errors(fn) end
return app
