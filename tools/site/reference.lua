-- The reference: a page for each module, and one for each class with methods. Tables of options and results stand on
-- the page of their module.
local html = require "tools.site.html"
local luals_types = require "tools.luals_types"
local public_api = require "tools.public_api"
local public_names = require "tools.public_names"
local semantics = require "tools.site.semantics"
local words = require "tools.site.words"

local M = {}

local escape = html.escape

---@class site.Reference
---@field api public_api.Api
---@field words site.Words
---@field models table<string, site.Model[]>
---@field pages site.ReferencePage[]
---@field names {name: string, url: string, kind: string, text: string}[]  for the index and the search
---@field lacking string[]  functions without a model
---@field wordless {parameters: string[], options: string[]}  those with a type alone, as "cuda.gpuarray.sum: axis"
local Reference = {}
Reference.__index = Reference

---@class site.ReferencePage
---@field url string
---@field title string
---@field kind "module"|"class"
---@field name string
---@field body string
---@field sections {id: string, text: string}[]

local function first_sentence(text)
  text = text:gsub("%s+", " ")
  return text:match "^(.-[%.%?!])%s+%u" or text:match "^(.-[%.%?!])$" or text
end

-- Paragraphs of an entry's sentences.
local function paragraphs(self, entry, owner)
  local out, lines = {}, {}
  local function flush()
    if lines[1] then out[#out + 1] = "<p>" .. self.words:inline(table.concat(lines, " "), owner) .. "</p>" end
    lines = {}
  end
  for _, line in ipairs(entry.text) do
    if line:find "^%s*$" then flush() else lines[#lines + 1] = line end
  end
  flush()
  return table.concat(out, "\n")
end

-- A function's head: the owner as programs write it, and the arguments.
local function signature(full, entry, is_twin)
  local arguments = {}
  for i, name in ipairs(entry.arguments) do
    if name ~= "self" and not (is_twin and i == 1 and not entry.name:find ":") then
      local optional = false
      for _, param in ipairs(entry.params) do optional = optional or param.name == name and param.optional end
      arguments[#arguments + 1] = optional and name .. "?" or name
    end
  end
  return ("%s(%s)"):format(public_names.shown(full), table.concat(arguments, ", "))
end

local function row(out, name, type, text, class)
  out[#out + 1] = ('<div class="row%s"><dt><code>%s</code>%s</dt><dd>%s</dd></div>'):format(
    class and " " .. class or "", name, type ~= "" and (' <span class="type">%s</span>'):format(type) or "", text)
end

-- The text of a row: what is said of a parameter, option or field, of this kind in `wordless`.
function Reference:said(kind, full, name, text)
  text = self.words:as_for(full, name, text)
  if not text:find "%S" then table.insert(self.wordless[kind], ("%s: %s"):format(public_names.shown(full), name)) end
  return self.words:inline(text, full)
end

-- The parameters, with each option of a table of options as a row of its own.
function Reference:parameters(full, entry, skip_first)
  local out = {}
  for i, param in ipairs(entry.params) do
    if param.name ~= "self" and not (skip_first and i == 1) then
      local read = luals_types.read(param.type)
      local has_own = (param.name == "options" or param.name == "opts") and
        not read.text:find "^cudalua[%w_%.]*ptions$"
      local options = has_own and self.api.options(full) or {}
      local text = read.rest
      if options[1] then -- the rows say what the braces and the text say
        local plain = text:gsub("%b{}", "", 1):gsub("^,%s*", "")
        text = plain:find "^or " and plain:match "^[^;%.]*" or ""
        if read.text:find "^any" then read.text = "table" end
      end
      row(out, escape(param.name), self.words:type(options[1] and (read.text:gsub("%b{}", "table")) or read.text) ..
        (param.optional and ' <span class="optional">optional</span>' or ""),
        options[1] and self.words:inline(self.words:as_for(full, param.name, text), full) or
        self:said("parameters", full, param.name, text))
      for _, option in ipairs(options) do
        if not self:is_parameter(entry, option.name) then
          row(out, escape(option.name), self.words:type((option.type:gsub("%?$", ""))),
            self:said("options", full, option.name, option.text), "option")
        end
      end
    end
  end
  return out
end

function Reference.is_parameter(_, entry, name)
  for _, param in ipairs(entry.params) do
    if param.name == name then return true end
  end
  return false
end

local function list(out, title, rows)
  if rows[1] then
    out[#out + 1] = ('<h4>%s</h4>\n<dl class="rows">%s</dl>'):format(title, table.concat(rows, "\n"))
  end
end

function Reference:results(entry, owner)
  local rows = {}
  for _, text in ipairs(entry.returns) do
    local read = luals_types.read(text)
    local name, rest = "", read.rest
    if read.name then name, rest = read.name, rest:sub(#read.name + 1):match "^%s*(.*)$" end
    rows[#rows + 1] = ('<div class="row"><dt><span class="type">%s</span>%s</dt><dd>%s</dd></div>'):format(
      self.words:type(read.text), name ~= "" and " <code>" .. escape(name) .. "</code>" or "",
      self.words:inline(self.words:as_for(owner, name, rest), owner))
  end
  return rows
end

function Reference:calls(entry, owner, name)
  local rows = {}
  for _, text in ipairs(entry.overloads) do
    local read = luals_types.read(text)
    local shown = name .. read.text:match "^fun(.*)$"
    rows[#rows + 1] = ('<div class="call"><code>%s</code></div><p>%s</p>'):format(self.words:type(shown),
      self.words:inline(read.rest, owner))
  end
  return rows
end

-- The function that a method is, too, or that another module has under the same name.
function Reference:twin(full, entry)
  local short = full:match "^cudalua%.gpuarray%.Array:([%w_]+)$" or
    full:match "^cudalua%.math%.([%w_]+)$" or full:match "^cudalua%.operations%.([%w_]+)$"
  local other = short and self.api.found["cudalua.gpuarray." .. short]
  if not other or other.entry.kind ~= "function" then return nil end
  if entry == other.entry or table.concat(entry.text, " ") == table.concat(other.entry.text, " ") then
    return "cudalua.gpuarray." .. short
  end
end

function Reference:models_of(full, entry)
  return self.models[(full:gsub(":", "."))] or self.models[(entry.name:gsub(":", "."))]
end

function Reference:semantics(full, entry)
  local models = self:models_of(full, entry)
  if not models then
    return entry.kind == "function" and '<p class="semantics">No model: this library\'s own.</p>' or ""
  end
  local parts = {}
  for i, model in ipairs(models) do
    local text = ('<code>%s</code>'):format(escape((model.name:gsub("^CUDA ", ""))))
    parts[i] = model.url and ('<a rel="external" href="%s">%s</a>'):format(escape(model.url), text) or text
    if i == #models or models[i + 1].kind ~= model.kind then
      parts[i] = parts[i] .. (model.kind == "other" and "" or (" <small>%s</small>"):format(model.kind))
    end
  end
  return ('<p class="semantics"><span>As</span> %s</p>'):format(table.concat(parts, ", "))
end

function Reference:note(full, url, kind, text)
  self.names[#self.names + 1] = { name = public_names.shown(full), url = url, kind = kind,
    text = first_sentence(text) }
end

local function open_entry(id, head)
  return ('<section class="entry" id="%s"><h3><code>%s</code><a class="anchor" href="#%s" '
    .. 'aria-label="Link to this entry">#</a></h3>'):format(id, escape(head), id)
end

function Reference:add_function(out, page, full, entry)
  local id = full:match "[%w_]+$"
  local twin = self:twin(full, entry)
  local owner = full
  page.sections[#page.sections + 1] = { id = id, text = id }
  self:note(full, page.url .. "#" .. id, full:find ":" and "method" or "function", table.concat(entry.text, " "))
  out[#out + 1] = open_entry(id, signature(full, entry, twin ~= nil and full:find ":" ~= nil))
  if twin then
    out[#out + 1] = ('<p>%s <span class="twin">%s <a class="name" href="%s"><code>%s</code></a>.</span></p>%s'
      .. '</section>')
      :format(self.words:inline(first_sentence(table.concat(entry.text, " ")), owner),
        full:find ":" and "The method of" or "The same as", self.words.url_of(twin), escape(public_names.shown(twin)),
        self:models_of(full, entry) and self:semantics(full, entry) or "")
    return
  end
  out[#out + 1] = paragraphs(self, entry, owner)
  for _, call in ipairs(self:calls(entry, owner, public_names.shown(full):gsub(":", "."))) do out[#out + 1] = call end
  list(out, "Parameters", self:parameters(full, entry, false))
  list(out, "Returns", self:results(entry, owner))
  local raises = {}
  for i, text in ipairs(entry.raises) do
    raises[i] = ('<div class="row plain"><dd>%s</dd></div>'):format(self.words:inline(text, owner))
  end
  list(out, "Raises", raises)
  out[#out + 1] = self:semantics(full, entry) .. "</section>"
  if not self:models_of(full, entry) and not self.own[(full:gsub(":", "."))] then
    self.lacking[#self.lacking + 1] = full
  end
end

-- The fields of a class, with anchors unless the class shares its page.
function Reference:fields(class, shares)
  local rows = {}
  local fields = {}
  for _, full in ipairs(self.api.members[class] or {}) do
    local entry = self.api.entries[full]
    if entry.kind == "field" and self.api:is_public(class, full) then fields[#fields + 1] = entry end
  end
  table.sort(fields, function(a, b)
    if (a.place or 0) ~= (b.place or 0) then return (a.place or 0) < (b.place or 0) end
    return a.name < b.name
  end)
  for _, entry in ipairs(fields) do
    local name = entry.name:match "[%w_]+$"
    local type, text, optional = entry.type or "any", table.concat(entry.text, " "), entry.optional
    if entry.place then
      local read = luals_types.read(entry.text[1])
      type, text = read.text, read.rest
      if type:find "%?$" then type, optional = type:sub(1, -2), true end
    end
    local shown = shares and escape(name) or ('<span id="%s">%s</span>'):format(name, escape(name))
    row(rows, shown, self.words:type(type) ..
      (optional and ' <span class="optional">optional</span>' or ""),
      self:said("options", class, name, text))
    self:note(entry.name, self.words.url_of(entry.name), "field", text)
  end
  return rows
end

local OPERATORS = { add = "a + b", sub = "a - b", mul = "a * b", div = "a / b", mod = "a %% b", pow = "a ^ b",
  unm = "-a", len = "#a" }

-- The operators of a class, `a + b` with the types of b and of the result.
function Reference:operators(entry)
  local rows = {}
  for _, text in ipairs(entry.operators or {}) do
    local name, operand, result = text:match "^(%l+)(%b())%s*:%s*(.*)$"
    if not name then name, result = text:match "^(%l+)%s*:%s*(.*)$" end
    row(rows, escape((OPERATORS[name]:gsub("%%%%", "%%"))), self.words:type(result),
      operand and "b: <span class=\"type\">" .. self.words:type(operand:sub(2, -2)) .. "</span>" or "")
  end
  return rows
end

local function chips(out, title, entries)
  if not entries[1] then return end
  out[#out + 1] = ('<nav class="chips" aria-label="%s"><h2>%s</h2><ul>'):format(title, title)
  for _, entry in ipairs(entries) do
    out[#out + 1] = ('<li><a href="%s"><code>%s</code></a></li>'):format(entry.url, escape(entry.text))
  end
  out[#out + 1] = "</ul></nav>"
end

-- All functions of a module or class, with the entries that other classes give it: gpuarray.sin.
function Reference:functions_of(class)
  local functions, seen = {}, {}
  local function add(full, entry)
    if seen[full] or entry.kind ~= "function" then return end
    seen[full] = true
    functions[#functions + 1] = { full = full, entry = entry, text = full:match "[%w_]+$" }
  end
  for full, name in pairs(self.api.found) do
    if public_api.owner_of(full) == class then add(full, name.entry) end
  end
  for _, full in ipairs(self.api.members[class] or {}) do
    if self.api:is_public(class, full) then add(full, self.api.entries[full]) end
  end
  table.sort(functions, function(a, b)
    if a.text:lower() ~= b.text:lower() then return a.text:lower() < b.text:lower() end
    return a.text < b.text
  end)
  return functions
end

-- A class without methods is a table of options or of results.
local function is_record(self, class) return not self:functions_of(class)[1] end

function Reference:add_record(out, page, class)
  local id = class:match "[%w_]+$"
  local entry = self.api.entries[class]
  out[#out + 1] = open_entry(id, public_names.shown(class))
  out[#out + 1] = paragraphs(self, entry, class)
  for _, call in ipairs(self:calls(entry, class, public_names.shown(class))) do out[#out + 1] = call end
  local parent = self.api.parents[class]
  if parent then out[#out + 1] = ("<p>Has the fields of %s, too.</p>"):format(self.words:type(parent)) end
  list(out, "Fields", self:fields(class, true))
  out[#out + 1] = "</section>"
  page.sections[#page.sections + 1] = { id = id, text = id }
  self:note(class, page.url .. "#" .. id, "table", table.concat(entry.text, " "))
end

function Reference:add_page(name, kind)
  local found = self.api.found[name]
  local entry = self.api.entries[name] or found.entry
  if #entry.text == 0 and found then entry = setmetatable({ text = found.entry.text }, { __index = entry }) end
  local shown = public_names.shown(name)
  local page = { url = self.words.url_of(name), title = shown, kind = kind, name = name, sections = {} }
  local out = { ('<h1><code>%s</code> <small>%s</small></h1>'):format(escape(shown), kind) }
  out[#out + 1] = paragraphs(self, entry, name)
  self:note(name, page.url, kind, table.concat(entry.text, " "))
  for _, call in ipairs(self:calls(entry, name, shown)) do out[#out + 1] = call end
  if entry.instance then
    out[#out + 1] = paragraphs(self, entry.instance, name)
    for _, call in ipairs(self:calls(entry.instance, name, "k")) do out[#out + 1] = call end
  end
  if self:models_of(name, { name = name }) then out[#out + 1] = self:semantics(name, entry) end
  local parent = self.api.parents[name]
  if self.api.classes[parent or ""] then
    out[#out + 1] = ("<p>Has what %s has, too.</p>"):format(self.words:type(parent))
  end
  local functions, classes, records = self:functions_of(name), {}, {}
  if kind == "module" then
    for class in pairs(self.api.classes) do
      if self.api:home_of(class) == name and class ~= name and not self.words.same[class] then
        local one = { url = self.words.url_of(class), text = public_names.shown(class):match "[%w_]+$", class = class }
        table.insert(is_record(self, class) and records or classes, one)
      end
    end
    local function by_name(a, b) return a.text < b.text end
    table.sort(classes, by_name)
    table.sort(records, by_name)
  end
  for _, one in ipairs(functions) do one.url = "#" .. one.text end
  local function local_chips(title, ones)
    local items = {}
    for i, one in ipairs(ones) do
      local own = one.url:sub(1, #page.url) == page.url
      items[i] = { url = own and one.url:sub(#page.url + 1) or one.url, text = one.text }
    end
    chips(out, title, items)
  end
  local_chips("Classes", classes)
  local_chips(kind == "module" and "Functions" or "Methods and functions", functions)
  local_chips("Tables of options and results", records)
  list(out, "Operators", self:operators(entry))
  list(out, "Fields", self:fields(name))
  for _, one in ipairs(functions) do self:add_function(out, page, one.full, one.entry) end
  if records[1] then out[#out + 1] = "<h2>Tables of options and results</h2>" end
  for _, one in ipairs(records) do self:add_record(out, page, one.class) end
  page.body = table.concat(out, "\n")
  self.pages[#self.pages + 1] = page
end

---The whole reference.
---@return site.Reference
function M.load()
  local api = public_api.load()
  local self = setmetatable({ api = api, pages = {}, names = {}, lacking = {},
    wordless = { parameters = {}, options = {} }, models = semantics.load(api.found),
    own = semantics.own() }, Reference)
  self.words = words.new(api, function(class) return is_record(self, class) end)
  for module in pairs(api.modules) do self:add_page(module, "module") end
  for class in pairs(api.classes) do
    if not api.modules[class] and not self.words.same[class] and not is_record(self, class) then
      self:add_page(class, "class")
    end
  end
  table.sort(self.pages, function(a, b) return a.title < b.title end)
  table.sort(self.names, function(a, b)
    if a.name:lower() ~= b.name:lower() then return a.name:lower() < b.name:lower() end
    return a.url < b.url
  end)
  table.sort(self.lacking)
  return self
end

return M
