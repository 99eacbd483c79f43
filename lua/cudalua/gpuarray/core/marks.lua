-- Marks of arrays and leaves. Whatever looks through an expression marks what it came by with a number, so that it
-- finds it again without a table. No two searches use one number, not even if a finalizer searches within a search.

local M = {}

---A search has at most so many numbers: from its start + 1 to its start + MOST.
M.MOST = 2 ^ 20

local last = 0 -- below 2^53, as searches give back what they did not use

---@param start integer
---@param x table  leaf or array; others have no marks
---@return integer?  what a search has marked it with, less the start; nil: it did not come by
function M.number_from(start, x)
  local number = (x._mark or 0) - start
  return number > 0 and number <= M.MOST and number or nil
end

---Begins a search.
---@return integer start
function M.begin()
  local start = last last = start + M.MOST -- on one line: a finalizer must not begin at the same number
  return start
end

---Ends it.
---@param start integer
---@param used integer  the largest number, less the start
function M.finish(start, used)
  if last == start + M.MOST then last = start + used end
end

return M
