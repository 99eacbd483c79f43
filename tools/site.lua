-- Writes the site: the manual and the reference as pages of HTML that need no server and ask nothing of other hosts.
--   luajit tools/site.lua FOLDER CONSTANTS   run from the project's root, as ./dev docs does. CONSTANTS: what
--                                            tools/gen_constants.lua wrote
package.path = "./?.lua;" .. package.path
local constants = require "tools.site.constants"
local highlight = require "tools.site.highlight"
local html = require "tools.site.html"
local layout = require "tools.site.layout"
local markdown = require "tools.site.markdown"
local pages = require "tools.site.pages"
local reference = require "tools.site.reference"
local search = require "tools.site.search"

local M = {}

local ASSETS = { "style.css", "search.js", "icon.svg" }

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function lines_of(command)
  local out, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do out[#out + 1] = line end
  pipe:close()
  return out
end

-- Files of the source tree that are on the site: pages, examples, pictures.
local function new_map(groups)
  local map = {}
  for _, group in ipairs(groups) do
    for _, path in ipairs(group.pages) do map[path] = pages.url(path) end
  end
  for _, path in ipairs(lines_of "find examples -type f | grep -E '[.](lua|c|py|conf)$' | LC_ALL=C sort") do
    map[path] = path:gsub("[/%.]", "-"):gsub("^examples%-", "examples/") .. ".html"
  end
  map.examples, map["examples/embedding"] = "examples/index.html", "examples/index.html"
  for _, path in ipairs(lines_of "find docs/pictures -type f | LC_ALL=C sort") do
    map[path] = path:gsub("^docs/", "")
  end
  return map
end

-- Addresses on a page are relative to it.
local function relative(url, body)
  local root = ("../"):rep(select(2, url:gsub("/", "")))
  if root == "" then return body end
  return (body:gsub('(%s)(href=")([^"]*)"', function(space, name, target)
    if target:find "^%a+:" or target:find "^#" then return end
    return ('%s%s%s%s"'):format(space, name, root, target)
  end):gsub('(<img [^>]*src=")([^":]*)"', "%1" .. root .. '%2"'))
end

---@class site.Site
---@field folder string
---@field nav site.Navigation
---@field targets site.Target[]
---@field written string[]
local Site = {}
Site.__index = Site

function Site:put(page)
  page.body = relative(page.url, page.body)
  write(self.folder .. "/" .. page.url, layout.render(page, self.nav))
  self.written[#self.written + 1] = page.url
end

function Site:target(url, title, kind, of, text)
  self.targets[#self.targets + 1] = { url = url, title = title, kind = kind, of = of, text = text }
end

local function strip(text) return html.text(text):gsub("%s+", " ") end

function Site:manual(groups, map, ref)
  local function url_of(path) return map[path] end
  local function url_of_name(code) return ref.words:url_of_code(code) end
  local list = {}
  for _, group in ipairs(groups) do
    for _, path in ipairs(group.pages) do
      list[#list + 1] = markdown.page(path, map[path], url_of, url_of_name)
      list[path] = list[#list]
    end
  end
  for i, page in ipairs(list) do
    local before, after = list[i - 1], list[i + 1]
    if page.path ~= pages.START then
      self:put { url = page.url, title = page.title, body = page.body, headings = page.headings,
        description = strip(page.lead), before = before and { url = before.url, text = before.title },
        after = after and { url = after.url, text = after.title } }
    end
    if page.path ~= "docs/map.md" then
      for _, heading in ipairs(page.headings) do
        self:target(page.url .. (heading.level > 1 and "#" .. heading.id or ""), heading.text,
          heading.level > 1 and "section" or "page", page.title, heading.plain)
      end
    end
  end
  return list
end

function Site:examples(map)
  local paths, out = {}, { "<h1>Examples</h1>\n<p>Each program checks its own answer, and runs on the " ..
    'software device as on a GPU.</p>\n<dl class="rows">' }
  for path in pairs(map) do
    if path:find "^examples/.*%.%l+$" then paths[#paths + 1] = path end
  end
  table.sort(paths)
  for _, path in ipairs(paths) do
    local source = read(path)
    local about = {}
    for line in source:gmatch "([^\n]*)\n" do
      local text = line:match "^%-%-%s*(.*)$" or line:match "^#%s*([^!].*)$" or line:match "^/?%*+%s?(.-)%s*%*?/?$"
      if not text or text == "" then break end
      about[#about + 1] = text
    end
    local said = table.concat(about, " ")
    out[#out + 1] = ('<div class="row"><dt><a href="%s"><code>%s</code></a></dt><dd>%s</dd></div>'):format(map[path],
      path:gsub("^examples/", ""), html.escape(said))
    self:put { url = map[path], title = path, description = said, body =
      ('<h1><code>%s</code></h1>\n<pre class="code" tabindex="0"><code>%s</code></pre>'):format(path,
        highlight.code(source, path:match "%.(%l+)$")) }
    self:target(map[path], path, "example", said, "")
  end
  out[#out + 1] = "</dl>"
  self:put { url = "examples/index.html", title = "Examples", body = table.concat(out, "\n") }
end

function Site:constants(page, names)
  self:put { url = page.url, title = page.title, body = page.body, class = "reference" }
  self:target(page.url, page.title, "page", "The constants of cuda.h", "")
  for _, name in ipairs(names) do self:target(name.url, name.name, name.kind, name.text, "") end
end

function Site:reference(ref)
  for _, page in ipairs(ref.pages) do
    self:put { url = page.url, title = page.title, body = page.body, class = "reference" }
  end
  for _, name in ipairs(ref.names) do self:target(name.url, name.name, name.kind, name.text, "") end
end

function Site:names(ref)
  local out, letter = {}, nil
  local jump = {}
  for _, name in ipairs(ref.names) do
    local short = name.name:match "[%w_]+$"
    name.short, name.letter = short, short:sub(1, 1):upper()
  end
  local sorted = {}
  for i, name in ipairs(ref.names) do sorted[i] = name end
  table.sort(sorted, function(a, b)
    if a.short:lower() ~= b.short:lower() then return a.short:lower() < b.short:lower() end
    if a.name ~= b.name then return a.name < b.name end
    return a.url < b.url
  end)
  for _, name in ipairs(sorted) do
    if name.letter ~= letter then
      if letter then out[#out + 1] = "</ul>" end
      letter = name.letter
      jump[#jump + 1] = ('<a href="#%s">%s</a>'):format(letter, letter)
      out[#out + 1] = ('<h2 id="%s">%s</h2><ul class="index">'):format(letter, letter)
    end
    local owner = name.name:sub(1, #name.name - #name.short)
    out[#out + 1] = ('<li><a href="%s"><code><span>%s</span>%s</code></a> <small>%s</small></li>'):format(name.url,
      owner, name.short, name.kind)
  end
  out[#out + 1] = "</ul>"
  self:put { url = "names.html", title = "All names", class = "reference", body =
    ('<h1>All names</h1>\n<p>%d names, by their last word.</p>\n<nav class="letters" aria-label="Letters">%s</nav>\n%s')
      :format(#sorted, table.concat(jump), table.concat(out, "\n")) }
end

-- The front page: what it is, a program, the map of the manual that docs/start.md has, and the modules.
function Site:start(list, ref)
  local readme, map = list["README.md"], list[pages.START]
  local program = readme.body:match '(<pre class="code lua".-</pre>)' or ""
  local out = { '<h1>cudalua</h1>\n<p class="lead">' .. readme.lead .. "</p>", program }
  out[#out + 1] = '<p class="go"><a href="first-steps.html">First steps</a> '
    .. '<a href="installation.html">Install</a> <a href="gallery.html">Gallery</a></p>'
  out[#out + 1] = (map.body:gsub("^.-</h1>", ""))
  out[#out + 1] = '<h2>The reference</h2>\n<dl class="rows">'
  for _, page in ipairs(ref.pages) do
    if page.kind == "module" then
      local text = strip(page.body:match "</h1>%s*<p>(.-)</p>" or "")
      out[#out + 1] = ('<div class="row"><dt><a href="%s"><code>%s</code></a></dt><dd>%s</dd></div>'):format(page.url,
        page.title, html.escape(text:match "^(.-%.)%s" or text))
    end
  end
  out[#out + 1] = "</dl>"
  self:put { url = map.url, title = "cudalua", body = table.concat(out, "\n"), class = "start",
    description = strip(readme.lead) }
end

-- Modules are listed with their classes folded under them.
local function navigation(groups, list, ref)
  local nav = { groups = {} }
  for _, group in ipairs(groups) do
    local links = {}
    for _, path in ipairs(group.pages) do links[#links + 1] = { url = list[path].url, text = list[path].title } end
    nav.groups[#nav.groups + 1] = { title = group.title, links = links, fold = group.title == "Inside" }
  end
  local modules, classes = {}, {}
  for _, page in ipairs(ref.pages) do
    table.insert(page.kind == "module" and modules or classes, { url = page.url, text = page.title, code = true })
  end
  table.insert(modules, { url = constants.URL, text = "Constants" })
  table.insert(modules, { url = "names.html", text = "All names" })
  table.insert(nav.groups, { title = "Reference", links = modules })
  table.insert(nav.groups, { title = "Classes", links = classes, fold = true })
  table.insert(nav.groups, { title = "Programs to read",
    links = { { url = "examples/index.html", text = "Examples" } } })
  return nav
end

---Writes the site.
---@param folder string
---@param constants_file string  what tools/gen_constants.lua wrote
---@return {pages: string[], reference: site.Reference}
function M.write(folder, constants_file)
  os.execute(("rm -rf '%s' && mkdir -p '%s/reference' '%s/examples' '%s/pictures/gallery'"):format(folder, folder,
    folder, folder))
  local ref, groups = reference.load(), pages.load()
  local map = new_map(groups)
  local self = setmetatable({ folder = folder, targets = {}, written = {}, nav = { groups = {} } }, Site)
  local titles = {}
  for path, url in pairs(map) do
    if path:find "%.md$" then titles[path] = { url = url, title = read(path):match "\n?# ([^\n]*)" or path } end
  end
  self.nav = navigation(groups, titles, ref)
  self:reference(ref)
  self:constants(constants.page(constants_file, ref))
  local list = self:manual(groups, map, ref)
  self:examples(map)
  self:names(ref)
  self:start(list, ref)
  for path, url in pairs(map) do
    if path:find "^docs/pictures/" then write(folder .. "/" .. url, read(path)) end
  end
  for _, name in ipairs(ASSETS) do write(folder .. "/" .. name, read("tools/site/assets/" .. name)) end
  write(folder .. "/search-index.js", search.script(self.targets))
  table.sort(self.written)
  return { pages = self.written, reference = ref }
end

if arg and arg[0] and arg[0]:match "tools/site%.lua$" then
  local folder = arg[1]
  if not arg[2] then error("usage: luajit tools/site.lua FOLDER CONSTANTS", 0) end
  if not markdown.available() then error("the site needs cmark-gfm (Debian: cmark-gfm)", 0) end
  local site = M.write(folder, arg[2])
  local unresolved = 0
  for where in pairs(site.reference.words.unresolved) do
    unresolved = unresolved + 1
    print("not resolved: " .. where)
  end
  for _, name in ipairs(site.reference.lacking) do print("without a model: " .. name) end
  print(("%s/index.html: %d pages, %d names, %d of them without a model, %d references not resolved"):format(folder,
    #site.pages, #site.reference.names, #site.reference.lacking, unresolved))
end

return M
