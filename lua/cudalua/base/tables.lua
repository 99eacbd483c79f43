-- Tables in tables, and lists of lines.

local M = {}

---The table at a key, which is made if it is missing.
---@param t table
---@param key any
---@return table
function M.sub(t, key)
  local found = t[key]
  if not found then
    found = {}
    t[key] = found
  end
  return found
end

---The same table with weak keys: what it has of an object goes with the object.
---@param t table
---@param key any
---@return table
function M.weak(t, key)
  local found = t[key]
  if not found then
    found = setmetatable({}, { __mode = "k" })
    t[key] = found
  end
  return found
end

---Returns t[key], a table that remembers values. If there is none, or if it has `most` values, it becomes an empty one.
---@param t table
---@param key any
---@param most integer
---@return {count: integer, [any]: any}  nothing may be remembered under "count"
function M.memo(t, key, most)
  local found = t[key]
  if not found or found.count == most then
    found = { count = 0 }
    t[key] = found
  end
  return found
end

---Remembers a value that a memo does not have.
---@generic T
---@param memo {count: integer, [any]: any}
---@param key any
---@param value T
---@return T
function M.remember(memo, key, value)
  memo[key], memo.count = value, memo.count + 1
  return value
end

---Adds a text to a list, formatted if values follow it.
---@param list string[]
---@param text string
---@param ... any
function M.add(list, text, ...) list[#list + 1] = select("#", ...) > 0 and text:format(...) or text end

return M
