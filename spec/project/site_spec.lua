-- The site that ./dev docs writes: its links, its names, and what Chromium makes of it.
local browser = require "spec.support.browser"
local contract = require "tools.check_contract"
local core = require "cudalua.core"
local html = require "tools.site.html"
local highlight = require "tools.site.highlight"
local markdown = require "tools.site.markdown"
local semantics = require "tools.site.semantics"
local site = require "tools.site"

local NONE = "no cmark-gfm (Debian: cmark-gfm)"
local scratch, folder, written
local pages = {} -- url -> text
local ids = {}   -- url -> set of its anchors

setup(function()
  if not markdown.available() then return end
  scratch = core.realpath(assert(core.make_folder((os.getenv "TMPDIR" or "/tmp") .. "/cudalua-spec-")))
  folder = scratch .. "/site"
  written = site.write(folder, (os.getenv "CUDALUA_BUILD" or "build") .. "/src/cudalua/constants.inc")
  for _, url in ipairs(written.pages) do
    local file = assert(io.open(folder .. "/" .. url))
    pages[url], ids[url] = file:read "*a", {}
    file:close()
    for id in pages[url]:gmatch ' id="([^"]*)"' do
      id = html.unescape(id)
      ids[url][id] = (ids[url][id] or 0) + 1
    end
  end
end)

teardown(function()
  if scratch then os.execute(("rm -rf '%s'"):format(scratch)) end
end)

local function exists(path)
  local file = io.open(folder .. "/" .. path)
  if file then file:close() end
  return file ~= nil
end

-- What is wrong with an address on a page, or nil.
local function problem_of(page, address)
  local path, anchor = html.unescape(address):match "^([^#]*)#?(.*)$"
  local parts = {}
  for part in ((page:match "^(.*/)" or "") .. path):gmatch "[^/]+" do
    if part == ".." then
      if not parts[1] then return "leaves the site" end
      parts[#parts] = nil
    else
      parts[#parts + 1] = part
    end
  end
  local target = path == "" and page or table.concat(parts, "/")
  if not pages[target] and not exists(target) then return "leads nowhere" end
  if anchor ~= "" and not (ids[target] or {})[anchor] then return "names no anchor" end
end

describe("the site", function()
  it("has no link that leads nowhere", function()
    if not folder then pending(NONE); return end
    local problems, count = {}, 0
    for page, text in pairs(pages) do
      for attributes in text:gmatch "<a%s([^>]*)>" do
        local address = attributes:match 'href="([^"]*)"'
        if address and not attributes:find 'rel="external"' then
          count = count + 1
          local problem = problem_of(page, address)
          if problem then problems[#problems + 1] = ("%s: %s %s"):format(page, address, problem) end
        end
      end
    end
    assert.same({}, problems)
    assert.is_true(count > 10000)
  end)

  it("asks nothing of other hosts", function()
    if not folder then pending(NONE); return end
    for page, text in pairs(pages) do
      for tag in text:gmatch "<[^>]*>" do
        local name = tag:match "^<(%l+)"
        local address = tag:match '%ssrc="([^"]*)"' or name == "link" and tag:match 'href="([^"]*)"'
        if address then assert.is_nil(problem_of(page, address), page .. ": " .. tag) end
        local link = name == "a" and tag:match 'href="(%a+:[^"]*)"'
        if link then assert.matches('rel="external"', tag) end
      end
    end
    for _, name in ipairs { "style.css", "search.js", "search-index.js" } do
      local file = assert(io.open(folder .. "/" .. name))
      local text = file:read "*a"
      file:close()
      if name ~= "search-index.js" then assert.is_nil(text:find "https?://") end
      assert.is_nil(text:find "@import")
    end
  end)

  it("closes what it opens, and has every anchor once", function()
    if not folder then pending(NONE); return end
    local void = { meta = true, link = true, input = true, img = true, br = true, hr = true, wbr = true }
    for page, text in pairs(pages) do
      local open = {}
      for close, name in text:gmatch "<(/?)([%a][%w]*)[^>]*>" do
        if close == "/" then
          assert.equal(table.remove(open), name, page)
        elseif not void[name] then
          open[#open + 1] = name
        end
      end
      assert.same({}, open, page)
      for id, n in pairs(ids[page]) do assert.equal(1, n, page .. "#" .. id) end
    end
  end)

  it("has a place for every name of docs/contract.lua", function()
    if not folder then pending(NONE); return end
    local missing, count = {}, 0
    for _, row in ipairs(contract.rows(dofile "docs/contract.lua")) do
      if not row.later then
        count = count + 1
        local full = contract.annotated_name(row)
        local url = written.reference.words.url_of(full)
        if not url or problem_of("index.html", url) then missing[#missing + 1] = full end
      end
    end
    assert.same({}, missing)
    assert.is_true(count > 1500)
  end)

  it("says whose rules each function follows, and resolves every 'as for'", function()
    if not folder then pending(NONE); return end
    assert.same({}, written.reference.lacking) -- a row in docs/semantics.lua says it, or that it is the library's own
    assert.same({}, written.reference.words.unresolved)
    assert.is_true(written.reference.words.resolved > 80)
    local sum = pages["reference/cuda.gpuarray.html"]:match '<section class="entry" id="sum">.-</section>'
    assert.matches("numpy%.sum", sum)
    assert.matches("pycuda%.gpuarray%.sum", sum)
    assert.matches('href="%.%./reference/cuda%.Stream%.html"', sum)
    local var = pages["reference/cuda.gpuarray.html"]:match '<section class="entry" id="nanvar">.-</section>'
    assert.matches("<code>ddof</code>", var)
  end)

  it("has words for parameters, options and fields", function()
    if not folder then pending(NONE); return end
    for kind, most in pairs(dofile "tools/site/wordless.lua") do
      local lacking = written.reference.wordless[kind]
      table.sort(lacking)
      assert.is_true(#lacking <= most, ("%d %s without a sentence, at most %d are allowed:\n  %s"):format(
        #lacking, kind, most, table.concat(lacking, "\n  ")))
      assert.equal(most, #lacking, ("tools/site/wordless.lua: lower the number of %s to %d"):format(kind, #lacking))
    end
  end)

  it("has no row in docs/semantics.lua for a name that does not exist", function()
    if not folder then pending(NONE); return end
    local api, stale = written.reference.api, {}
    local function check(class, name)
      for _, mark in ipairs { ".", ":" } do
        local full = class .. mark .. name
        if api.found[full] or api.entries[full] then return end
      end
      stale[#stale + 1] = class .. "." .. name
    end
    for _, row in ipairs(dofile "docs/semantics.lua") do
      for _, names in ipairs { row.names or "", row.own or "" } do
        for name in names:gmatch "%S+" do check(row.class, name) end
      end
      for name in pairs(row.renamed or {}) do check(row.class, name) end
    end
    assert.same({}, stale)
  end)

  it("has an index of the search without dead ends", function()
    if not folder then pending(NONE); return end
    local file = assert(io.open(folder .. "/search-index.js"))
    local text, seen = file:read "*a", {}
    file:close()
    for url, title in text:gmatch '\n%["([^"]*)","([^"]*)"' do
      assert.is_nil(problem_of("index.html", url), url)
      seen[title] = url
    end
    assert.equal("reference/cuda.gpuarray.html#sum", seen["cuda.gpuarray.sum"])
    assert.equal("traps.html", seen.Traps)
    assert.equal("reference/constants.html#ctx_flags", seen["cuda.ctx_flags.SCHED_SPIN"])
    assert.equal("reference/cuda.Stream.html#use", seen["cuda.Stream:use"])
  end)

  it("colours code and keeps it as it is", function()
    local source = 'local s = "a < b" -- "c"\nlocal k = [[\n__global__ void f(int *p) { *p = 0x1F; } // x\n]]\n'
    local shown = highlight.code(source, "lua")
    assert.equal(source, html.text(shown))
    assert.matches('<span class="k">local</span>', shown)
    assert.matches('<span class="k">__global__</span>', shown)
    assert.matches('<span class="n">0x1F</span>', shown)
    assert.matches('<span class="c">// x</span>', shown)
    assert.equal("x &lt; y", highlight.code("x < y", "unknown"))
  end)

  it("knows PyCUDA's names by the expressions that have them here", function()
    assert.equal("cudalua.Stream.synchronize", semantics.name_of "stream.synchronize")
    assert.equal("cudalua.gpuarray.Array.get", semantics.name_of "a.get")
    assert.equal("cudalua.random.rand", semantics.name_of "cuda.curandom.rand")
    assert.equal("cudalua.gl.BufferObject.map", semantics.name_of "gl.BufferObject.map")
    assert.is_nil(semantics.name_of "tostring(x)")
  end)
end)

describe("the site in Chromium", function()
  it("fits windows of 360 and 1280 pixels, light and dark, and follows its links", function()
    if not folder then pending(NONE); return end
    if not browser.path then pending "no Chromium: set CUDALUA_CHROMIUM"; return end
    local window, problems = browser.start(scratch), {}
    finally(function() window:close() end)
    local root = "file://" .. folder .. "/"
    window:call "Runtime.enable"
    for _, url in ipairs(written.pages) do
      window:resize(1280, 900, false)
      window:open(root .. url)
      for _, shape in ipairs { { 1280, 900 }, { 360, 740 } } do
        window:resize(shape[1], shape[2], shape[1] == 360)
        local width = window:evaluate "document.documentElement.scrollWidth"
        if width > shape[1] then problems[#problems + 1] = ("%s: %d pixels at %d"):format(url, width, shape[1]) end
      end
      local links = window:evaluate "Array.from(document.links, a => a.rel === 'external' ? '' : a.href).join('\\n')"
      for link in links:gmatch "[^\n]+" do
        local problem = link:sub(1, #root) ~= root and "leaves the site" or
          problem_of("index.html", (link:sub(#root + 1):gsub("%%(%x%x)", function(hex)
            return string.char(tonumber(hex, 16))
          end)))
        if problem then problems[#problems + 1] = ("%s: %s %s"):format(url, link, problem) end
      end
    end
    assert.same({}, problems)
    for _, event in ipairs(window:take "Network.requestWillBeSent") do
      local address = event.params.request.url
      assert.is_true(address:sub(1, #root) == root or address == "about:blank", address)
    end
    assert.same({}, window:take "Runtime.exceptionThrown")
    local colours = {}
    for _, dark in ipairs { false, true } do
      window:resize(1280, 900, dark)
      colours[#colours + 1] = window:evaluate "getComputedStyle(document.body).backgroundColor"
    end
    assert.not_equal(colours[1], colours[2])
  end)

  it("searches, without a server", function()
    if not folder then pending(NONE); return end
    if not browser.path then pending "no Chromium: set CUDALUA_CHROMIUM"; return end
    local window = browser.start(scratch)
    finally(function() window:close() end)
    window:resize(360, 740, true)
    window:open("file://" .. folder .. "/reference/cuda.Stream.html")
    local function search(text)
      return window:evaluate(([[new Promise(done => {
        const input = document.getElementById("site-search");
        input.focus();
        input.value = %q;
        input.dispatchEvent(new Event("input"));
        const look = () => window.CUDALUA_INDEX ? done(Array.from(document.querySelectorAll("#site-results li"),
          li => li.textContent + " " + (li.querySelector("a") || {}).href).join("\n")) : setTimeout(look, 20);
        setTimeout(look, 20);
      })]]):format(text))
    end
    assert.matches("^cuda%.gpuarray%.sum.-cuda%.gpuarray%.html#sum\n", search "sum" .. "\n")
    assert.matches("traps%.html", search "traps")
    assert.matches("histogram", search "histogram edges")
    assert.matches("^Nothing has these words", search "zzzyx")
    assert.equal(360, window:evaluate "document.documentElement.scrollWidth")
    search "linalg.qr"
    window:evaluate [[document.getElementById("site-search").dispatchEvent(
      new KeyboardEvent("keydown", { key: "Enter", bubbles: true }))]]
    local deadline = os.time() + 20
    local place
    repeat
      local ok, where = pcall(window.evaluate, window, "document.readyState === 'complete' ? location.href : ''")
      place = ok and where or ""
    until place:find "#qr$" or os.time() > deadline
    assert.matches("reference/cuda%.linalg%.html#qr$", place)
  end)
end)
