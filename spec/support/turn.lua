-- Long sweeps. A run that has a turn takes a quarter of each sweep, and the next run another one. `./dev test` without
-- CUDALUA_TURN takes everything, and so does `./dev release-check sweeps`, also under the sanitizers. CUDALUA_TURN
-- chooses the part: a number, which tools/test.sh prints, or "all". Both runs of .ci/run have the same turn, so that
-- the sanitized one finds the kernels that the plain one compiled.
local M = {}

local sanitized = os.getenv "CUDALUA_SANITIZED" ~= nil
local word = os.getenv "CUDALUA_TURN" or (sanitized and "0" or "all")

---Does this run take only parts?
M.partial = word ~= "all" and os.getenv "CUDALUA_DRIVER" == "soft"

---How many parts a sweep has.
M.parts = M.partial and 4 or 1

---The number of the turn.
M.number = tonumber(word) or 0
local turn = M.number

---The elements of a list that it is the turn of, at least one.
---@generic T
---@param list T[]
---@return T[]
function M.share(list)
  local n = math.min(M.parts, #list)
  if n < 2 then return list end
  local some = {}
  for i = turn % n + 1, #list, n do some[#some + 1] = list[i] end
  return some
end

---busted's it(), which defines a part of the tests of a file under the sanitizers, and all in the plain run.
---@param it function
---@return function
function M.tests(it)
  if not (M.partial and sanitized) then return it end
  local at = turn % M.parts
  return function(...)
    at = at + 1
    if at % M.parts == 0 then return it(...) end
  end
end

return M
