-- Two results of a kernel: where they differ, in words for people.
local ffi = require "ffi"
local bounds = require "spec.softgpu.differential.bounds"
local inputs = require "spec.softgpu.differential.inputs"

local M = {}

local function hex(words, row) -- of one element
  if row.words == 2 then return ("%08x%08x"):format(words[1], words[0]) end
  return ("%08x"):format(words[0])
end
local function shown(words, row)
  local text = hex(words, row)
  return row.type:find "[wxJK]" and text or ("%s (%.9g)"):format(text, bounds.value(row.type, words))
end

-- The first operand as a number, for bounds that depend on it.
local function argument(row, lane)
  local operand = row.operands and row.operands[1]
  local kind = operand and operand:match "^[FMDE]"
  if not kind then return 0 end
  local first, words = unpack(inputs.rows[kind])
  local at = inputs.words() + (first + tonumber(operand:sub(2)) * words) * inputs.N + words * lane
  return bounds.value(words == 2 and "d" or "f", at)
end

---Says which lane it is, what it read and what came out.
function M.describe(kernel, row, lane, want, got)
  local operands = {}
  for k, name in ipairs(row.operands or {}) do operands[k] = name .. "=" .. inputs.show(name, lane) end
  return ("%s, %s: lane %d %s: %s on the GPU, %s here"):format(kernel.name, row.label, lane,
    table.concat(operands, " "), want and shown(want, row) or "?", shown(got, row))
end

---Compares one row, of which both results are there in full. want and got start at the row.
---@return {count: integer, first: integer, worst: number, at: integer}  how many lanes are wrong, the first of
---  them, and how far off the worst one is as a part of what its bound allows
function M.row(kernel, row, want, got)
  local count, first, worst, at = 0, nil, 0, 0
  local n = row.words
  for lane = 0, kernel.lanes - 1 do
    local differs = want[n * lane] ~= got[n * lane] or (n == 2 and want[2 * lane + 1] ~= got[2 * lane + 1])
    if differs then
      local part = row.bound and bounds.part_of(row.bound, row.type, want + n * lane, got + n * lane, argument(row,
        lane))
        or math.huge
      if part > worst then worst, at = part, lane end
      if part > 1 then count, first = count + 1, first or lane end
    end
  end
  return { count = count, first = first, worst = worst, at = at }
end

---A pointer to a row in the results of a kernel.
function M.start(kernel, row, words) return ffi.cast("uint32_t *", words) + row.at * kernel.lanes end

return M
