-- Long sweeps. A run that has a turn takes an eighth of each sweep, or a quarter, and the next run another one.
-- `./dev test` without CUDALUA_TURN takes everything, and so does `./dev release-check sweeps`, also under the
-- sanitizers. CUDALUA_TURN chooses the part: a number, which tools/test.sh prints, or "all". Both runs of .ci/run have
-- the same turn, so that the sanitized one finds the kernels that the plain one compiled.
local M = {}

local sanitized = os.getenv "CUDALUA_SANITIZED" ~= nil
local word = os.getenv "CUDALUA_TURN" or (sanitized and "0" or "all")

---Does this run take only parts?
M.partial = word ~= "all" and os.getenv "CUDALUA_DRIVER" == "soft"

---How many parts a sweep has, if it does not say another number.
M.parts = M.partial and 8 or 1

---The number of the turn.
M.number = tonumber(word) or 0
local turn = M.number

---The elements of a list that it is the turn of, at least one.
---@generic T
---@param list T[]
---@param parts? integer  of the sweep; by default turn.parts
---@return T[]
function M.share(list, parts)
  local n = M.partial and math.min(parts or M.parts, #list) or 1
  if n < 2 then return list end
  local some = {}
  for i = turn % n + 1, #list, n do some[#some + 1] = list[i] end
  return some
end

local QUARTERS = 4

---busted's it(), which defines a quarter of the tests of a file under the sanitizers, and all in the plain run.
---@param it function
---@return function
function M.tests(it)
  if not (M.partial and sanitized) then return it end
  local at = turn % QUARTERS
  return function(...)
    at = at + 1
    if at % QUARTERS == 0 then return it(...) end
  end
end

return M
