-- The index of the search, as a script that a page loads from beside it: no server is asked.
local M = {}

local function quoted(text)
  return '"' .. text:gsub('[%c"\\]', function(c)
    return c == '"' and '\\"' or c == "\\" and "\\\\" or " "
  end):gsub("</", "<\\/") .. '"'
end

---What can be found.
---@class site.Target
---@field url string
---@field title string
---@field kind string  "function", "module", "page" ...
---@field of string    where it is: the page's title; of a name what its first sentence says
---@field text string  what is searched besides

---@param targets site.Target[]
---@return string script
function M.script(targets)
  local out = { "window.CUDALUA_INDEX=[" }
  for i, target in ipairs(targets) do
    out[#out + 1] = ("[%s,%s,%s,%s,%s]%s"):format(quoted(target.url), quoted(target.title), quoted(target.kind),
      quoted(target.of), quoted(target.text), i < #targets and "," or "")
  end
  out[#out + 1] = "];"
  return table.concat(out, "\n") .. "\n"
end

return M
