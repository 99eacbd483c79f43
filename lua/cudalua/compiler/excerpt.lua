-- Lines of a source as messages show them, with a mark at the one that is meant.

local WIDTH = 160 -- of a line that is shown
local AROUND = 1 -- lines before and after

-- Line `number` of a text with those around it, or nil.
local function lines_around(text, number)
  local found, n, at = {}, 1, 1
  while n < number - AROUND do
    at = text:find("\n", at, true)
    if not at then return nil end
    n, at = n + 1, at + 1
  end
  while n <= number + AROUND do
    local stop = text:find("\n", at, true)
    found[n] = text:sub(at, (stop or #text + 1) - 1):gsub("\r$", "")
    if not stop then break end
    n, at = n + 1, stop + 1
  end
  return found[number] and found
end

-- A long line's part around the column.
local function cut(line, column)
  if #line <= WIDTH then return line, column end
  local from = math.max(1, math.min((column or 1) - WIDTH / 2, #line - WIDTH))
  from = math.floor(from)
  local text = line:sub(from, from + WIDTH - 1)
  if from > 1 then text = "..." .. text:sub(4) end
  if from + WIDTH - 1 < #line then text = text:sub(1, -4) .. "..." end
  return text, column and column - from + 1
end

---@param text string
---@param number integer   the line
---@param column? integer  gets a mark of its own
---@return string?  nil: the text has no such line
return function(text, number, column)
  local found = lines_around(text, number)
  if not found then return nil end
  local out = {}
  for n = number - AROUND, number + AROUND do
    if found[n] then
      local here = n == number
      local line, at = cut(found[n]:gsub("[^\t\32-\255]", "?"), here and column or nil)
      out[#out + 1] = ("%s %4d | %s"):format(here and ">" or " ", n, line)
      if at and at >= 1 and at <= #line + 1 then
        -- Tabs stay, so that the mark is below its place however wide they are.
        out[#out + 1] = "       | " .. line:sub(1, at - 1):gsub("[^\t]", " ") .. "^"
      end
    end
  end
  return table.concat(out, "\n")
end
