-- Structs with a length and a pointer: a kernel doubles the arrays behind them. In PyCUDA:
--   class DoubleOperation:
--       mem_size = 8 + numpy.intp(0).nbytes
--       def __init__(self, array, struct_ptr):
--           self.data = drv.to_device(array)
--           drv.memcpy_htod(int(struct_ptr), numpy.int32(array.size))
--           drv.memcpy_htod(int(struct_ptr) + 8, numpy.intp(int(self.data)))
--   array1 = DoubleOperation(numpy.array([1, 2, 3], dtype=numpy.float32), struct_arr)
--   func(numpy.intp(do2_ptr), block=(32, 1, 1), grid=(1, 1))
local drv = require "cudalua"
local ffi = require "ffi"

local mod = drv.SourceModule [[
struct DoubleOperation {
  int datalen, padding;
  float *ptr;
};

__global__ void double_array(DoubleOperation *a)
{
  a = a + blockIdx.x;
  for (int i = threadIdx.x; i < a->datalen; i += blockDim.x) a->ptr[i] *= 2;
}
]]
local func = mod:get_function "double_array"

local mem_size = 16
local struct_arr = drv.mem_alloc(2 * mem_size)

local function double_operation(values, struct_ptr)
  local array = drv.ndarray.array(values, "float32")
  local data = drv.to_device(array)
  drv.memcpy_htod(struct_ptr, ffi.new("int32_t[1]", array.size))
  drv.memcpy_htod(struct_ptr + 8, ffi.new("uint64_t[1]", data:ptr()))
  return { data = data, get = function() return drv.from_device_like(data, array) end }
end

local do2_ptr = struct_arr + mem_size
local array1 = double_operation({ 1, 2, 3 }, struct_arr)
local array2 = double_operation({ 0, 4 }, do2_ptr)
print("before", array1.get(), array2.get())
func(struct_arr, { block = { 32, 1, 1 }, grid = { 2, 1 } })
print("both doubled", array1.get(), array2.get())
func(do2_ptr, { block = { 32, 1, 1 }, grid = { 1, 1 } })
print("the second again", array1.get(), array2.get())
func:prepare "P"
func:prepared_call({ 2, 1 }, { 32, 1, 1 }, struct_arr)
print("both again", array1.get(), array2.get())
