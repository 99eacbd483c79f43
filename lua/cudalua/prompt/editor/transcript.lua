-- A session of a prompt as a page or another terminal shows it: its chunks, without the prompt's marks and what it has
-- printed. No Lua begins with the mark.

local find, gmatch, gsub, match, sub = string.find, string.gmatch, string.gsub, string.match, string.sub
local loadstring = loadstring
local concat, ipairs, pcall = table.concat, ipairs, pcall

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

-- The blocks between Markdown's fences, with the words behind the first fence of each.
local function blocks_of(text)
  local list, block = {}, nil
  for line in gmatch(text .. "\n", "([^\n]*)\n") do
    local words = match(line, "^%s*```([%w_ ]*)$")
    if not words then
      if block then block[#block + 1] = line end
    elseif block then
      block = nil
    else
      block = { words = words }
      list[#list + 1] = block
    end
  end
  return list
end

-- Those that are Lua. A page names the others: output, commands, and programs whose errors it shows.
local function is_program(block)
  local words = block.words
  return find(words, "^%s*$") or find(words, "^%s*lua%f[^%w_]") and not find(words, "%f[%w]error%f[%W]")
end

---What is between Markdown's fences. Of several blocks, and of a page with text around them, those that are Lua.
---@param text string
---@return string  the text itself, if it has no blocks
function M.unfenced(text)
  local code = match(text, "^%s*```[%w_ ]*\n(.*)$")
  local single = code and gsub(code, "\n%s*```%s*$", "")
  if single and (not find("\n" .. single, "\n%s*```") or loadstring(single, "", "t")) then return single end
  if not single and (find(text, "^%s*>") or not find("\n" .. text, "\n%s*```lua[%w_ ]*\n") or
      loadstring(text, "", "t")) then
    return text
  end
  local lines = {}
  for _, block in ipairs(blocks_of(text)) do
    for k = 1, is_program(block) and #block or 0 do lines[#lines + 1] = block[k] end
  end
  return #lines > 0 and concat(lines, "\n") or single or text
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
