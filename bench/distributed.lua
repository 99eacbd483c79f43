-- Calls between ranks by NCCL: cudalua's beside NCCL's own in C, interleaved in the same processes, and then PyTorch's
-- if python3 has it. Needs as many GPUs as ranks, and NCCL.
--   ./dev bench distributed [RANKS [ROUNDS]]      default: 2 ranks, 9 rounds
-- On the software device it needs NCCL's stand-in (CUDALUA_NCCL), and its figures mean nothing.
local ranks, rounds = tonumber(arg[1] or 2), tonumber(arg[2] or 9)
local side = dofile("bench/common/compiled.lua").path "distributed/side"

local function sh(command) return os.execute(command) == 0 end

assert(sh(("sh bin/cudalua run -n %d bench/distributed/rank.lua %s %d"):format(ranks, side, rounds)),
  "the ranks have failed")
if sh "python3 -c 'import torch' 2>/dev/null" then
  sh(("python3 bench/distributed/peers.py %d %d"):format(ranks, rounds))
else
  print "torch: not installed"
end
