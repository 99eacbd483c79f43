-- The words of the reference: which names and types are links, and what "as for ..." stands for.
local html = require "tools.site.html"
local luals_types = require "tools.luals_types"
local public_api = require "tools.public_api"
local public_names = require "tools.public_names"

local M = {}

local escape = html.escape

-- The classes of errors, which all are described in one place.
local ERRORS = { LogicError = true, MemoryError = true, LaunchError = true, RuntimeError = true, CompileError = true,
  LinAlgError = true }

---@class site.Words
---@field api public_api.Api
---@field url_of fun(full: string): string?  the address of a name
---@field same table<string, string>  a class that is the value of a name, cudalua.SourceModuleClass -> that name
---@field unresolved table<string, boolean>  "where: as for what"
---@field resolved integer  how many were
local Words = {}
Words.__index = Words

---@param api public_api.Api
---@param is_record fun(class: string): boolean  does it stand on the page of its module?
---@return site.Words
function M.new(api, is_record)
  local self = setmetatable({ api = api, same = {}, unresolved = {}, resolved = 0 }, Words)
  for full, entry in pairs(api.entries) do
    if entry.class and api.classes[entry.class] and entry.class:find "Class$" then self.same[entry.class] = full end
  end
  local function page_of(class) return "reference/" .. public_names.shown(class) .. ".html" end
  local function class_url(class)
    if api.modules[class] or not is_record(class) then return page_of(class) end
    return page_of(api:home_of(class)) .. "#" .. class:match "[%w_]+$"
  end
  function self.url_of(full)
    full = self.same[full] or full
    if api.modules[full] or api.classes[full] then return class_url(full) end
    local owner, member = full:match "^(.*)[%.:]([%w_]+)$"
    if not owner or not (api.modules[owner] or api.classes[owner]) then return nil end
    local entry = rawget(api.entries, full)
    if not api.found[full] and not (entry and entry.kind ~= "class" and api:is_public(owner, full)) then return nil end
    owner = self.same[owner] or owner
    if not api.modules[owner] and is_record(owner) then return class_url(owner) end
    return page_of(owner) .. "#" .. member
  end
  return self
end

-- The full name of what a text calls so: from a place on, `time_since` in the text of cudalua.Event:time_till.
function Words:find(text, place)
  text = text:gsub("%(%)$", ""):gsub("[%.:]$", "")
  local candidates = { "cudalua." .. text, (text:gsub("^cuda%f[%.:%z]", "cudalua")) }
  local owner = place
  while owner do
    candidates[#candidates + 1] = owner .. "." .. text
    candidates[#candidates + 1] = owner .. ":" .. text
    owner = public_api.owner_of(owner)
  end
  for _, name in ipairs(candidates) do
    for _, full in ipairs { name, (name:gsub("%.([%w_]+)$", ":%1")), (name:gsub(":([%w_]+)$", ".%1")) } do
      local entry = self.api.found[full] or rawget(self.api.entries, full)
      if entry and self.url_of(full) then return full end
    end
  end
end

---A name in code of the manual, `gpuarray.sum(a, 1)`, as an address; nil for anything else.
---@param code string
---@return string?
function Words:url_of_code(code)
  local name, rest = code:match "^([%a_][%w_%.:]*)(.*)$"
  if not name or rest ~= "" and not rest:find "^%(.*%)$" and not rest:find "^%s?[{\"]" or
    not name:find "[%.:]" then
    return nil
  end
  local full = self:find(name, nil)
  return full and self.url_of(full)
end

local function link(url, text) return ('<a class="name" href="%s">%s</a>'):format(url, text) end

---Text with `code` and the names in it as links.
---@param text string
---@param place string  the full name of what it is said of
---@return string html
function Words:inline(text, place)
  local out, at = {}, 1
  local function plain(piece)
    piece = escape(piece)
    out[#out + 1] = piece:gsub("[%a_][%w_]*[%.:][%w_%.:]*[%w_]%(?%)?", function(word)
      local full = not word:find "^%d" and self:find(word, place)
      if not full or public_api.owner_of(full) == nil then return end
      return link(self.url_of(full), "<code>" .. word .. "</code>")
    end):gsub("%f[%w_%.:>]([%a_][%w_]*)%(%)", function(word)
      local full = self:find(word, place)
      return full and link(self.url_of(full), "<code>" .. word .. "()</code>") or "<code>" .. word .. "()</code>"
    end):gsub("%f[%w]%u%l+Error%f[%W]", function(word)
      return ERRORS[word] and link(self.url_of "cudalua.Error", word)
    end)
  end
  local model, behind = text:match "^As ([%a_][%w_]+)()%f[%s,:%.]" -- "As matmul, for vectors"
  local other = model and self:find(model, public_api.owner_of(place))
  if other and self.api.entries[other] and self.api.entries[other].kind == "function" then
    out[1], at = "As " .. link(self.url_of(other), "<code>" .. model .. "</code>"), behind
  end
  for from, code, to in text:gmatch "()`([^`]+)`()" do
    plain(text:sub(at, from - 1))
    local full = code:find "^[%a_][%w_%.:]*%(?%)?$" and code:find "[%.:%(]" and self:find(code, place)
    local shown = "<code>" .. escape(code) .. "</code>"
    out[#out + 1] = full and link(self.url_of(full), shown) or shown
    at = to
  end
  plain(text:sub(at))
  return table.concat(out)
end

---A type with its classes as links.
---@param type string
---@return string html
function Words:type(type)
  return (escape(type):gsub("cudalua[%w_%.]*", function(name)
    local url = self.api.classes[name] and self.url_of(name)
    local shown = public_names.shown(name)
    return url and link(url, shown) or shown
  end))
end

-- What is said of a parameter, option or field of that name.
function Words:said_of(full, name, depth)
  local entry = self.api.entries[full]
  if not entry then return nil end
  for _, param in ipairs(entry.params) do
    if param.name == name then return self:as_for(full, name, luals_types.read(param.type).rest, depth) end
  end
  for _, option in ipairs(self.api.options(full)) do
    if option.name == name and option.text ~= "" then return self:as_for(full, name, option.text, depth) end
  end
  local only = entry.params[1] -- dtype.of(x), for a parameter that is called dtype
  if #entry.params == 1 and depth > 0 then
    return self:as_for(full, only.name, luals_types.read(only.type).rest, depth)
  end
end

---"as for sort" with what is said there, if that is of a parameter, option or field of the same name.
---@param place string  the full name of the function
---@param name string   the parameter's
---@param text string
---@return string
function Words:as_for(place, name, text, depth)
  depth = depth or 0
  if depth > 4 then return text end
  return (text:gsub("%f[%w]as for ([%w_%.:]+)(%(?%)?)", function(other, call)
    local word = other:gsub("[%.:]$", "")
    local full = self:find(word, place)
    local said = full and self:said_of(full, name, depth + 1)
    if not said then -- another parameter of the function itself: "as for x"
      said = self:said_of(place, word, depth + 1)
      if said == text then said = nil end
    end
    if not said and not full then self.unresolved[("%s: as for %s"):format(place, word)] = true end
    if not said or said == "" then
      if full then return ("as for `%s`"):format(public_names.shown(full)) .. other:sub(#word + 1) end
      return nil
    end
    self.resolved = self.resolved + 1
    local where = full and (" (as for `%s`)"):format(public_names.shown(full)) or ""
    return said .. where .. (call == "" and other:sub(#word + 1) or "")
  end))
end

return M
