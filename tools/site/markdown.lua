-- Pages of the manual: Markdown to HTML by cmark-gfm, GitHub's own renderer, so that a page reads as it does there.
-- Added are anchors of headings, colours of code, tables that scroll by themselves, links between pages, and links from
-- names in code to the reference.
local highlight = require "tools.site.highlight"
local html = require "tools.site.html"

local M = {}

---A page of the manual.
---@class site.Page
---@field path string   of its source: "docs/arrays.md"
---@field url string    of its HTML: "arrays.html"
---@field title string
---@field body string   HTML
---@field lead string   the first paragraph, as HTML
---@field headings {level: integer, text: string, id: string, plain: string}[]  plain: the text below it

---Is the program there?
---@return boolean
function M.available() return os.execute "command -v cmark-gfm >/dev/null 2>&1" == 0 end

local function convert(path)
  -- A sanitizer that a test run has loaded is not for other programs.
  local pipe = assert(io.popen(("unset LD_PRELOAD; cmark-gfm -e table -e strikethrough -e autolink '%s'"):format(path)))
  local text = pipe:read "*a"
  if not pipe:close() and text == "" then error("cmark-gfm could not convert " .. path, 0) end
  return (text:gsub("<!%-%- raw HTML omitted %-%->\n?", ""))
end

-- `../examples/x.lua#y` as docs/arrays.md has it -> "examples/x.lua", "#y".
local function absolute(from, target)
  local path, anchor = target:match "^([^#]*)(#?.*)$"
  if path == "" then return from, anchor end
  local parts = {}
  for part in ((from:match "^(.*/)" or "") .. path):gmatch "[^/]+" do
    if part == ".." then parts[#parts] = nil elseif part ~= "." then parts[#parts + 1] = part end
  end
  return table.concat(parts, "/"), anchor
end

-- Links to pages of the site become links to their HTML; files of the source tree that are not on it lose their link.
local function relink(body, from, url_of)
  local function link(before, target, text)
    if target:find "^%a+:" then return ('<a%shref="%s" rel="external">%s</a>'):format(before, target, text) end
    local path, anchor = absolute(from, target)
    local url = url_of(path)
    if not url then return ("<span class=\"file\" title=\"%s\">%s</span>"):format(path, text) end
    return ('<a%shref="%s%s">%s</a>'):format(before, url, anchor, text)
  end
  body = body:gsub('<a( )href="([^"]*)"[^>]*>(.-)</a>', link)
  return (body:gsub('<img src="([^"]*)"', function(target)
    local path = absolute(from, target)
    return ('<img loading="lazy" src="%s"'):format(url_of(path) or target)
  end))
end

local function colour(body)
  body = body:gsub('<pre><code class="language%-([^"]*)">(.-)</code></pre>', function(info, code)
    local language = info:match "^[%w+]+"
    return ('<pre class="code %s" tabindex="0"><code>%s</code></pre>'):format(language or "",
      highlight.code(html.unescape(code), language))
  end)
  return (body:gsub("<pre><code>", '<pre class="code" tabindex="0"><code>'))
end

-- Names in code, `gpuarray.sum(a)`, become links to the reference; not in blocks, headings and links.
local function link_names(body, url_of_name)
  local out, at = {}, 1
  while true do
    local from, to, tag = body:find("<(%l+%d?)[^>]*>", at)
    if not from then break end
    local close = (tag == "pre" or tag == "a" or tag:find "^h%d$") and "</" .. tag .. ">" or tag == "code" and "</code>"
    if close then
      local _, last = body:find(close, to, true)
      local piece = body:sub(from, last)
      local url = tag == "code" and url_of_name(html.unescape(piece:match "^<code>(.-)</code>$" or ""))
      out[#out + 1] = body:sub(at, from - 1)
      out[#out + 1] = url and ('<a class="name" href="%s">%s</a>'):format(url, piece) or piece
      at = last + 1
    else
      out[#out + 1] = body:sub(at, to)
      at = to + 1
    end
  end
  out[#out + 1] = body:sub(at)
  return table.concat(out)
end

local function wrap_tables(body)
  return (body:gsub("<table>(.-)</table>", '<div class="wide" tabindex="0"><table>%1</table></div>'))
end

-- Gives every heading its anchor, and lists them with the text that stands below each.
local function anchor_headings(body)
  local slug, headings, starts = html.slugs(), {}, {}
  body = body:gsub("()<h(%d)>(.-)</h%d>()", function(at, level, inner, after)
    local text = html.text(inner)
    local heading = { level = tonumber(level), text = text, id = slug(text) }
    headings[#headings + 1] = heading
    starts[#starts + 1] = { at, after }
    return ('<h%s id="%s">%s<a class="anchor" href="#%s" aria-label="Link to this section">#</a></h%s>'):format(level,
      heading.id, inner, heading.id, level)
  end)
  return body, headings, starts
end

---@param path string
---@param url string
---@param url_of fun(path: string): string?  the address on the site of a file of the source tree
---@param url_of_name fun(code: string): string?  the address of a name of the library
---@return site.Page
function M.page(path, url, url_of, url_of_name)
  local raw = convert(path)
  local body, headings, starts = anchor_headings(raw)
  for i, heading in ipairs(headings) do
    local to = starts[i + 1] and starts[i + 1][1] - 1 or #raw
    heading.plain = html.text(raw:sub(starts[i][2], to)):gsub("%s+", " ")
  end
  local lead = raw:match "<p>(.-)</p>" or ""
  return { path = path, url = url, title = headings[1] and headings[1].text or url, lead = relink(lead, path, url_of),
    body = wrap_tables(link_names(colour(relink(body, path, url_of)), url_of_name)), headings = headings }
end

return M
