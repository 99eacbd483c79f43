-- Long sweeps under the sanitizers. A run there takes a part of each sweep, another part the next time; the plain run
-- takes everything, and so does `./dev release-check sweeps`, under the sanitizers. CUDALUA_TURN chooses the part: a
-- number, which tools/test.sh prints, or "all".
local M = {}

local word = os.getenv "CUDALUA_TURN" or "0"
local sanitized = os.getenv "CUDALUA_SANITIZED" ~= nil and os.getenv "CUDALUA_DRIVER" == "soft"

---Does this run take only parts?
M.partial = sanitized and word ~= "all"

---The number of the turn.
M.number = tonumber(word) or 0
local turn = M.number

---The elements of a list that it is the turn of: every n-th, at least one.
---@generic T
---@param list T[]
---@param n? integer  default 4
---@return T[]
function M.share(list, n)
  n = math.min(n or 4, #list)
  if not M.partial or n < 2 then return list end
  local some = {}
  for i = turn % n + 1, #list, n do some[#some + 1] = list[i] end
  return some
end

---busted's it(), which defines every n-th test of a file.
---@param it function
---@param n? integer  default 4
---@return function
function M.tests(it, n)
  n = n or 4
  if not M.partial then return it end
  local at = turn % n
  return function(...)
    at = at + 1
    if at % n == 0 then return it(...) end
  end
end

return M
