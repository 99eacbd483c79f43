-- A session of a prompt as a page or another terminal shows it: its chunks, without the prompt's marks and what it has
-- printed. No Lua begins with the mark.

local find, gmatch, match, sub = string.find, string.gmatch, string.match, string.sub
local concat, pcall = table.concat, pcall

local M = {}

---The lines that were typed, if a text begins with the prompt's mark, behind blanks at most.
---@param text string
---@return string? code
function M.code(text)
  local blanks = match(text, "^([ \t]*)> ")
  if not blanks then return nil end
  local lines = {}
  for line in gmatch(text, "[^\n]+") do
    local from = sub(line, 1, #blanks) == blanks and #blanks + 1 or 1
    lines[#lines + 1] = match(line, "^>>? (.*)$", from) or match(line, "^>>()$", from) and ""
  end
  return concat(lines, "\n")
end

---The chunks of a text: each ends with the line that completes it, as when it is typed.
---@param text string
---@param complete_chunk? fun(text: string): boolean
---@return string[] chunks  without those that are blank
---@return boolean open     the last one needs more lines
function M.chunks(text, complete_chunk)
  local list, lines = {}, {}
  local function add()
    local chunk = concat(lines, "\n")
    if find(chunk, "%S") then list[#list + 1] = chunk end
    lines = {}
  end
  for line in gmatch(text .. "\n", "([^\n]*)\n") do
    lines[#lines + 1] = line
    local ok, complete = true, true
    if complete_chunk then ok, complete = pcall(complete_chunk, concat(lines, "\n")) end
    if not ok or complete then add() end
  end
  local open = #lines > 0
  add()
  return list, open
end

return M
