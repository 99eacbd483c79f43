-- Long lines in pieces, for products with dense matrices: one warp adds up a piece, so that no warp has the work of a
-- line of millions of elements. Which lines are long depends on the structure alone, and so does the order of sums.

local construct = require "cudalua.gpuarray.make.construct"
local gpuarray = require "cudalua.gpuarray"
local structures = require "cudalua.sparse.structure"

local M = {}

---Elements of a piece. Longer lines have several. As in kernels/sparse/rows.cu.
M.LENGTH = 512

---@class cudalua.sparse.Pieces
---@field count integer                  all pieces
---@field long integer                   lines that have several
---@field lines cudalua.gpuarray.Array   their numbers, from 0
---@field first cudalua.gpuarray.Array   the first piece of each, from 0; one more at the end
---@field owner cudalua.gpuarray.Array   by piece: whose it is, as a place in `lines`

-- Lists on the device from a list of the long lines and their lengths.
local function listed(place, lines, lengths)
  local first, owner, count = { 0 }, {}, 0
  for k = 1, #lines do
    for _ = 1, math.ceil(tonumber(lengths[k]) / M.LENGTH) do
      count = count + 1
      owner[count] = k - 1
    end
    first[k + 1] = count
  end
  return { count = count, long = #lines, lines = construct.to_gpu(lines, place), first = construct.to_gpu(first, place),
    owner = construct.to_gpu(owner, place) }
end

---The pieces of a structure's long lines, which are computed once.
---@param s table
---@param what string  for messages
---@return cudalua.sparse.Pieces|nil pieces  nil: no line is long
function M.of(s, what)
  if s.pieces == false then
    structures.check_no_capture(s, what)
    local lengths = (s.indptr[{ { 2, s.lines + 1 } }] - s.indptr[{ { 1, s.lines } }]):eval()
    local long = gpuarray.flatnonzero(lengths:gt(M.LENGTH))
    s.pieces = long.size > 0 and listed(s.place, (long - 1):tolist(), lengths[long]:tolist()) or "none"
  end
  return s.pieces ~= "none" and s.pieces or nil
end

return M
