-- What operations of an expression cost, for kernels that contain it many times: unrolled loops take time to compile.

local M = {}

local costs = { astype = 1, add = 1, sub = 1, mul = 1, neg = 1, abs = 1, maximum = 1, minimum = 1, where = 1,
  square = 1, eq = 1, ne = 1, lt = 1, le = 1, gt = 1, ge = 1, div = 4, sqrt = 4, rsqrt = 4, reciprocal = 4,
  sin = 32, cos = 32, tan = 32, pow = 32 }
local FUNCTION = 8

---The cost of an operation.
---@param name string
---@return number
function M.of(name) return costs[name] or FUNCTION end

-- Each result of 16 bits is rounded.
local ROUNDED = 2

---The cost of a program's operations.
---@param tokens table[]
---@return number
function M.sum(tokens)
  local sum = 0
  for _, t in ipairs(tokens) do
    if type(t) == "table" and t.op then
      local short = t.result.kind == "float" and t.result.itemsize == 2
      sum = sum + M.of(t.op.name) + (short and ROUNDED or 0)
    end
  end
  return sum
end

return M
