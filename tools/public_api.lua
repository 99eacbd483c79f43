-- The public interface as the annotations describe it: modules, classes and what is in them, with the types that they
-- are made of. The addon for editors and the reference are written from it.
local annotations = require "tools.annotations"
local contract = require "tools.check_contract"
local help_options = require "tools.help_options"
local public_names = require "tools.public_names"

local M = {}

---@param full string  "cudalua.Stream:use"
---@return string? owner  "cudalua.Stream"
function M.owner_of(full) return full:match "^(.*)[%.:][%w_]+$" end

---@class public_api.Api
---@field entries table<string, annotations.Entry>
---@field parents table<string, string>
---@field found table<string, public_names.Name>
---@field options fun(name: string): help_options.Option[]
---@field promised table<string, table>    the rows of the contract, by name in the annotations
---@field modules table<string, boolean>
---@field classes table<string, boolean>   all that the public names are made of
---@field members table<string, string[]>  the full names of what is in a class, sorted
local Api = {}
Api.__index = Api
M.Api = Api

---A class's member that programs may use: of modules what is promised, of other classes everything.
function Api:is_public(class, full)
  local entry = self.entries[full]
  if self.modules[full] then return false end
  if entry.kind == "class" or self.modules[class] then return self.promised[full] ~= nil or entry.place ~= nil end
  return true
end

-- All classes that the public names are made of, with those that they inherit and those that their types name.
local function gather(self)
  local list = {}
  local function add(name)
    if self.classes[name] or not (self.entries[name] and self.entries[name].kind == "class") and
      not self.modules[name] then return end
    self.classes[name] = true
    list[#list + 1] = name
  end
  local function add_types(text)
    for name in text:gmatch "cudalua[%w_%.]*" do add((name:gsub("%.$", ""))) end
  end
  for module in pairs(self.modules) do add(module) end
  for full, name in pairs(self.found) do
    if name.entry.kind == "class" then add(full) end
    if name.entry.class then add(name.entry.class) end
  end
  for _, class in ipairs(list) do -- which grows
    add(self.parents[class] or "")
    local entry = self.entries[class]
    for _, text in ipairs(entry and entry.overloads or {}) do add_types(text) end
    for _, full in ipairs(self.members[class] or {}) do
      if self:is_public(class, full) then
        local member = self.entries[full]
        for _, text in ipairs(member.returns) do add_types(text) end
        for _, param in ipairs(member.params) do add_types(param.type) end
        if member.kind == "field" then add_types(member.type or member.text[1] or "") end
        if member.class then add(member.class) end
      end
    end
  end
end

---Reads the annotations.
---@return public_api.Api
function M.load()
  local entries, parents = annotations.load()
  local rows = contract.rows(dofile "docs/contract.lua")
  local api = setmetatable({ entries = entries, parents = parents, found = public_names.find(entries, rows),
    options = help_options.records(entries, public_names.fields_by_class(entries)), promised = {}, modules = {},
    classes = {}, members = {} }, Api)
  for _, row in ipairs(rows) do
    if not row.later then
      api.promised[contract.annotated_name(row)] = row
      api.modules[row.module] = true
    end
  end
  for full in pairs(entries) do
    local owner = M.owner_of(full)
    if owner and not full:find "[%.:]_[%w_]*$" then
      api.members[owner] = api.members[owner] or {}
      table.insert(api.members[owner], full)
    end
  end
  for _, list in pairs(api.members) do table.sort(list) end
  gather(api)
  return api
end

---The module whose page or file a class stands in: the one with the longest name that the class's begins with.
function Api:home_of(class)
  local name = class
  while name and not self.modules[name] do name = M.owner_of(name) end
  return name or "cudalua"
end

return M
