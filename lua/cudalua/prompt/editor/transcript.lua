-- A session of a prompt as a page or another terminal shows it: its chunks, without the prompt's marks and what it has
-- printed. No Lua begins with the mark.

local find, gmatch, gsub, match, sub = string.find, string.gmatch, string.gsub, string.match, string.sub
local loadstring = loadstring
local concat, pcall = table.concat, pcall

local M = {}

---The lines that were typed, if a text is a session: it has a line with the prompt's mark, behind the blanks that it
---begins with. Lines before that are output, or statements without the mark of the first one.
---@param text string
---@return string? code
function M.code(text)
  text = gsub(text, "^%s*\n", "")
  local blanks = match(text, "^[ \t]*")
  local before = find(text, "^> ", #blanks + 1) and "" or match(text, "^(.-)\n" .. blanks .. "> ")
  if not before then return nil end
  local lines, began = {}, before == ""
  local typed = not began and loadstring(gsub(before, "\n" .. blanks .. ">> ?", "\n"), "", "t")
  if not (began or typed) then -- a program may have such a line in a string, and an expression after a name
    if loadstring(text, "", "t") then return nil end
    if find(before, "^[%a_]") and loadstring("return " .. text, "", "t") then return nil end
  end
  for line in gmatch(typed and blanks .. "> " .. text or text, "[^\n]+") do
    local from = sub(line, 1, #blanks) == blanks and #blanks + 1 or 1
    local code = match(line, "^>>? (.*)$", from) or match(line, "^>>()$", from) and ""
    began = began or typed or match(line, "^> ", from)
    if began then lines[#lines + 1] = code end
  end
  return concat(lines, "\n")
end

---A text without Markdown's fences around it.
---@param text string
---@return string
function M.unfenced(text)
  local code = match(text, "^%s*```[%w_ ]*\n(.*)$")
  return code and gsub(code, "\n%s*```%s*$", "") or text
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
