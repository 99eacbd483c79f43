-- Pieces of HTML.
local M = {}

local ENTITIES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }
local CHARACTERS = { amp = "&", lt = "<", gt = ">", quot = '"', ["#39"] = "'" }

---@param text string
---@return string
function M.escape(text) return (text:gsub('[&<>"]', ENTITIES)) end

---@param text string
---@return string
function M.unescape(text) return (text:gsub("&(#?%w+);", CHARACTERS)) end

---The text of a piece of HTML.
---@param html string
---@return string
function M.text(html) return M.unescape((html:gsub("<[^>]*>", ""))) end

---What a heading is called in addresses, as GitHub does it.
---@param text string
---@return string
function M.slug(text)
  return (text:lower():gsub("[^%w%s_%-\128-\255]", ""):gsub("%s", "-"))
end

---The anchors of one page: a second heading of the same words gets a number.
---@return fun(text: string): string
function M.slugs()
  local seen = {}
  return function(text)
    local slug = M.slug(text)
    local n = seen[slug]
    seen[slug] = (n or 0) + 1
    return n and ("%s-%d"):format(slug, n) or slug
  end
end

return M
