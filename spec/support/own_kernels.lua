-- Own kernels compute products and transforms while the specs of a file run, and NVIDIA's libraries do not. What they
-- compute has bits that the manual gives. At the top of a file:
--   setup(own_kernels.choose)
--   teardown(own_kernels.restore)
-- Files that follow in the same process find the backend that was set before.
local linalg = require "cudalua.linalg"

local M = {}

local before

function M.choose()
  before = linalg.backend()
  linalg.backend "own"
end

function M.restore() linalg.backend(before) end

return M
