-- Takes device memory in ever smaller pieces until none is left, and fills it with NaNs: programs that read memory
-- before they write to it then compute NaNs. The argument limits how many MiB it takes. In PyCUDA:
--   while step >= 1024:
--       try:
--           block = drv.mem_alloc(step)
--       except drv.MemoryError:
--           step //= 2
--       else:
--           drv.memset_d32(block, 0xffffffff, step // 4)
--           blocks.append(block)
local drv = require "cudalua"

local free = drv.mem_get_info()
local most = (tonumber(arg[1]) or math.huge) * 2 ^ 20
local blocks, taken, step, refused = {}, 0, 2 ^ 20, 0
while step < free do step = step * 2 end

while step >= 1024 do
  local ok, block
  if taken + step > most then
    ok, block = false, nil
  else
    ok, block = pcall(drv.mem_alloc, step)
  end
  if ok then
    drv.memset_d32(block, 0xffffffff, step / 4)
    blocks[#blocks + 1] = block
    taken = taken + step
  else
    if block and not drv.is_error(block, "MemoryError") then error(block, 0) end
    if block then refused = refused + 1 end
    step = step / 2
  end
end

local last = blocks[#blocks]
local values = drv.from_device(last, 4, "float32")
print("MiB taken", taken / 2 ^ 20)
print("NaN", tostring(values[1] ~= values[1]))
print("refused", refused)
for _, block in ipairs(blocks) do block:free() end
