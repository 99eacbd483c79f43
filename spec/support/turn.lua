-- Long sweeps. A run that has a turn takes an eighth of each sweep, or a quarter, and half of the tests of long files;
-- the next run takes another part.
-- `./dev test` without CUDALUA_TURN takes everything, and so does `./dev release-check sweeps`, also under the
-- sanitizers. CUDALUA_TURN chooses the part: a number, which tools/test.sh prints, or "all". Both runs of .ci/run have
-- the same turn, so that the sanitized one finds the kernels that the plain one compiled.
local M = {}

local sanitized = os.getenv "CUDALUA_SANITIZED" ~= nil
local word = os.getenv "CUDALUA_TURN" or (sanitized and "0" or "all")

---Does this run take only parts?
M.partial = word ~= "all"

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

-- it(), but for each `parts`-th call only.
local function some(it, parts)
  local at = turn % parts
  return function(...)
    at = at + 1
    if at % parts == 0 then return it(...) end
  end
end

---busted's it(), which defines a quarter of the tests of a file under the sanitizers, and all in the plain run.
---@param it function
---@param parts? integer  by default 4
---@return function
function M.tests(it, parts)
  return M.partial and sanitized and some(it, parts or QUARTERS) or it
end

---busted's it() for long files. A run that has a turn defines every second test, and the next run the others. Files
---whose tests prove the contract do not use it, because each proof has to run every time.
---@param it function
---@return function
function M.halves(it) return M.partial and some(it, 2) or it end

---busted's it() for tests that show what other tests are able to find. A quarter of them is defined, and none under the
---sanitizers.
---@param it function
---@return function
function M.protections(it)
  if sanitized then return function() end end
  return M.partial and some(it, QUARTERS) or it
end

return M
