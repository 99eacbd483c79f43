-- Leaves few multiprocessors of a GPU to others: on each of the rest stays a block that fills it, until it is told to
-- go.
local cuda = require "cudalua"

local M = {}

local SECONDS = 20 -- at most, should nobody tell it

local kernel

local function load()
  kernel = kernel or cuda.SourceModule([[
extern "C" __global__ void occupy(volatile unsigned *flags, unsigned long long most) {
  if (threadIdx.x == 0) { // the flags are across the bus, which is for those who are measured
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    atomicAdd_system((unsigned *)flags, 1u);
    do {
      __nanosleep(20000);
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (!flags[1] && now - begin < most);
    if (!flags[1]) flags[2] = 1;
  }
  __syncthreads();
}]], { no_extern_c = true }):get_function "occupy"
  return kernel
end

---Calls f while others have `left` multiprocessors of a GPU. f must not wait for the whole context, as drivers do when
---they load kernels or free memory: what runs here is in a stream of its own, which the default stream does not wait
---for.
---@param left integer  from 1 on
---@param f fun()
---@return integer left  what they had: no more than the device has
function M.all_but(left, f)
  local device = cuda.Context.get_current():get_device()
  local count = device:get_attribute "multiprocessor_count"
  if left >= count then
    f()
    return count
  end
  load()
  cuda.collect() -- nothing is left that a driver would wait for to free it
  local flags = cuda.pagelocked_zeros(3, "uint32", { mem_flags = "devicemap" })
  local words, s = flags:data(), cuda.Stream "non_blocking"
  load()(flags.base:get_device_pointer(), SECONDS * 1e9, { grid = count - left, block = 1024, stream = s,
    shared = device:get_attribute "max_shared_memory_per_block_optin" })
  local began, waiting = os.time(), true
  while waiting and os.time() - began < SECONDS do waiting = words[0] < count - left and not s:is_done() end
  local ok, err = pcall(f)
  words[1] = 1
  s:synchronize()
  s:close()
  local began_all, told = words[0] == count - left, words[2] == 0
  flags.base:free()
  if not ok then error(err, 0) end
  assert(not waiting and began_all, "the multiprocessors were not free")
  assert(told, ("it took %d s; did something wait for the whole context?"):format(SECONDS))
  return left
end

return M
