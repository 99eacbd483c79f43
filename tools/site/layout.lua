-- A page of the site: head, navigation, body. Everything that it asks for is beside it, so that it works from a disk.
local html = require "tools.site.html"

local M = {}

---@class site.Link
---@field url string   from the site's root
---@field text string
---@field code? boolean

---@class site.Navigation
---@field groups {title: string, links: site.Link[]}[]

local function item(root, link, here)
  local text = html.escape(link.text)
  if link.code then text = "<code>" .. text:gsub("%.", ".<wbr>") .. "</code>" end
  return ('<li><a href="%s%s"%s>%s</a></li>'):format(root, link.url, link.url == here and ' aria-current="page"' or "",
    text)
end

local function navigation(root, nav, here)
  local out = {}
  for _, group in ipairs(nav.groups) do
    local open = false
    for _, link in ipairs(group.links) do open = open or link.url == here end
    if group.fold then
      out[#out + 1] = ("<details%s><summary>%s</summary><ul>"):format(open and " open" or "", html.escape(group.title))
    else
      out[#out + 1] = ("<h2>%s</h2><ul>"):format(html.escape(group.title))
    end
    for _, link in ipairs(group.links) do out[#out + 1] = item(root, link, here) end
    out[#out + 1] = group.fold and "</ul></details>" or "</ul>"
  end
  return table.concat(out, "\n")
end

local function contents(headings)
  local out = {}
  for _, heading in ipairs(headings or {}) do
    if heading.level == 2 or heading.level == 3 then
      out[#out + 1] = ('<li class="l%d"><a href="#%s">%s</a></li>'):format(heading.level, heading.id,
        html.escape(heading.text))
    end
  end
  if #out < 2 then return "" end
  return '<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>' .. table.concat(out, "\n") ..
    "</ul></nav>"
end

local PAGE = [[
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<meta name="description" content="$description">
<link rel="stylesheet" href="$root{}style.css">
<link rel="icon" href="$root{}icon.svg" type="image/svg+xml">
<script defer src="$root{}search.js" data-root="$root"></script>
</head>
<body class="$class">
<a class="skip" href="#site-content">Skip to the text</a>
<header>
<a class="brand" href="$root{}index.html">cudalua</a>
<div class="search" role="search">
<input id="site-search" type="search" placeholder="Search" aria-label="Search the manual and the names"
 autocomplete="off" spellcheck="false">
<kbd>/</kbd>
<ol id="site-results" role="listbox" aria-label="What was found" hidden></ol>
</div>
<a class="names" href="$root{}names.html">All names</a>
</header>
<div class="frame">
<nav class="side" aria-label="Pages">
<input type="checkbox" id="site-menu"><label for="site-menu">Pages</label>
<div class="pages">
$navigation
</div>
</nav>
<main id="site-content">
$body
$around
</main>
$contents
</div>
</body>
</html>
]]

---@class site.Shown
---@field url string
---@field title string
---@field body string
---@field description? string
---@field headings? {level: integer, text: string, id: string}[]
---@field before? site.Link
---@field after? site.Link
---@field class? string

---@param page site.Shown
---@param nav site.Navigation
---@return string
function M.render(page, nav)
  local root = ("../"):rep(select(2, page.url:gsub("/", "")))
  local around = {}
  if page.before then
    around[#around + 1] = ('<a rel="prev" href="%s%s"><span>Before</span> %s</a>'):format(root, page.before.url,
      html.escape(page.before.text))
  end
  if page.after then
    around[#around + 1] = ('<a rel="next" href="%s%s"><span>Next</span> %s</a>'):format(root, page.after.url,
      html.escape(page.after.text))
  end
  local parts = { title = html.escape(page.title == "cudalua" and "cudalua" or page.title .. " - cudalua"),
    description = html.escape(page.description or page.title), root = root,
    navigation = navigation(root, nav, page.url), body = page.body, contents = contents(page.headings),
    around = around[1] and '<nav class="around" aria-label="Neighbours">' .. table.concat(around) .. "</nav>" or "",
    class = page.class or "manual" }
  return (PAGE:gsub("%$(%l+)(%b{})", function(name) return parts[name] end):gsub("%$(%l+)", parts))
end

return M
