-- Completes the word before the cursor: names of globals and locals, fields, methods, names of files and of modules.
--
-- Tables are read as they are: rawget, and tables behind __index. No function of a program is called, so completion
-- ends, raises nothing and waits for no GPU, whatever the values are. What the library's own modules and arrays have
-- behind functions, base/names.lua knows. What calls take, complete_call.lua finds in the help index.

local call = require "cudalua.prompt.complete_call"
local keywords = require "cudalua.text.keywords"
local library = require "cudalua.base.names"
local posix = require "cudalua.prompt.posix"
local pairs_of = require "cudalua.base.pairs_of"
local ffi = require "ffi"

local sub, find, match, gmatch = string.sub, string.find, string.match, string.gmatch
local type, rawget, getmetatable, pcall = type, rawget, debug.getmetatable, pcall
local sort, package = table.sort, package

local M = {}

local longest_chain = 32  -- tables behind __index
local most_names = 2000   -- of one completion
local most_keys = 100000  -- looked at in one table

-- ---- values ---------------------------------------------------------------------------------------------------------

-- The table that a value's fields are in: itself, or the one that __index names.
local function fields_of(value)
  if type(value) == "table" then return value end
  if type(value) == "cdata" then return nil end -- its fields are not in tables
  local mt = getmetatable(value)
  local index = type(mt) == "table" and rawget(mt, "__index")
  return type(index) == "table" and index or nil
end

-- Calls f for a value's table and those behind its __index, until f returns something.
local function each_table(value, f)
  local t, seen = fields_of(value), {}
  for _ = 1, longest_chain do
    if not t or seen[t] then return nil end
    seen[t] = true
    local result = f(t)
    if result ~= nil then return result end
    local mt = getmetatable(t)
    local index = type(mt) == "table" and rawget(mt, "__index")
    t = type(index) == "table" and index or nil
  end
end

local function field(value, name)
  local found = each_table(value, function(t) return rawget(t, name) end)
  if found ~= nil then return found end
  local owner = library.owner_of(value)
  if owner and owner.find and owner.more then -- a module that loads its parts when they are asked for
    local ok, loaded = pcall(owner.find, value, name)
    return ok and loaded or nil
  end
end

local function is_name(text) return find(text, "^[%a_\128-\255][%w_\128-\255]*$") ~= nil and not keywords[text] end

-- A set of names that begin with a prefix.
local function collector(prefix)
  local names, list = {}, {}
  return function(name)
    if #list < most_names and not names[name] and sub(name, 1, #prefix) == prefix then
      names[name] = true
      list[#list + 1] = name
    end
  end, list
end

-- Adds the names of a value's fields; with `methods` those that can be called.
local function add_fields(add, value, methods)
  each_table(value, function(t)
    local looked_at = 0
    for name, of in pairs_of(t) do
      looked_at = looked_at + 1
      if looked_at > most_keys then break end
      if type(name) == "string" and is_name(name) and (not methods or type(of) == "function" or
          type(of) == "table" and type(getmetatable(of)) == "table" and rawget(getmetatable(of), "__call")) then
        add(name)
      end
    end
  end)
end

-- Adds names that a module or an array of the library has beyond its tables.
local function add_library_names(add, value, methods)
  local owner = library.owner_of(value)
  if not owner then return end
  for i = 1, methods and 1 or #owner.tables do add_fields(add, owner.tables[i], methods) end -- properties are second
  if methods or not owner.more then return end
  local names = owner.more()
  for i = 1, #names do add(names[i]) end
end

-- ---- strings --------------------------------------------------------------------------------------------------------

-- What the cursor is in: "code", "comment" or "string", and where the string's text begins and its quote is.
local function place(text, position)
  local i = 1
  while i <= position do
    local start = find(text, "[\"'%[%-]", i)
    if not start or start > position then return "code" end
    local c = sub(text, start, start)
    local level = match(text, c == "-" and "^%-%-%[(=*)%[" or "^%[(=*)%[", start)
    if level then
      local _, last = find(text, "]" .. level .. "]", start, true)
      if not last or last > position then return c == "-" and "comment" or "long string" end
      i = last + 1
    elseif c == "-" and sub(text, start + 1, start + 1) == "-" then
      local last = find(text, "\n", start, true)
      if not last or last > position then return "comment" end
      i = last + 1
    elseif c == "-" or c == "[" then
      i = start + 1
    else
      local k = start + 1
      while true do
        local stop = find(text, c == "'" and "['\\\n]" or "[\"\\\n]", k)
        if not stop or stop > position then return "string", start + 1, c end
        if sub(text, stop, stop) ~= "\\" then
          i = stop + 1
          break
        end
        k = stop + 2
      end
    end
  end
  return "code"
end

-- Adds the entries of a folder whose names begin with what is typed.
local function add_files(add, typed)
  local folder, name = match(typed, "^(.*/)([^/]*)$")
  if not folder then folder, name = "", typed end
  local handle = posix.C.cudalua_opendir(folder == "" and "." or folder)
  if handle == nil then return end
  for _ = 1, most_keys do
    local entry = posix.C.cudalua_readdir(handle)
    if entry == nil then break end
    local file = ffi.string(entry.name)
    if sub(file, 1, #name) == name and (sub(file, 1, 1) ~= "." or sub(name, 1, 1) == ".") and file ~= "." and
        file ~= ".." then
      add(folder .. file .. (entry.type == posix.DT_DIR and "/" or ""))
    end
  end
  posix.C.cudalua_closedir(handle)
end

local files_after = { dofile = true, loadfile = true, ["io.open"] = true, ["io.lines"] = true, ["io.input"] = true,
  ["io.output"] = true }

local function in_string(text, start, position, resolve)
  local typed = sub(text, start, position)
  local add, list = collector(typed)
  local before = sub(text, 1, start - 2)
  local name = match(before, "([%a_][%w_.]*)%s*%(?%s*$") or ""
  if name == "require" then
    for _, loaded in pairs_of { package.loaded, package.preload } do
      for module in pairs_of(loaded) do
        if type(module) == "string" then add(module) end
      end
    end
  elseif files_after[name] then
    add_files(add, typed)
  elseif name == "help" then
    for _, topic in ipairs(call.topics(typed)) do add(topic) end
  else
    for _, word in ipairs(call.strings(before, resolve)) do add(word) end
  end
  return list, start
end

-- ---- names ----------------------------------------------------------------------------------------------------------

-- A dotted name is looked up in the locals, then in the globals.
local function resolve(options, path)
  local first, rest = match(path, "^([^.]+)%.?(.*)$")
  local locals = options.locals and options.locals() or {}
  local value = rawget(locals, first)
  if value == nil then value = field(options.env, first) end
  for name in gmatch(rest, "[^.]+") do
    if value == nil then return nil end
    value = field(value, name)
  end
  return value
end

---A function that completes.
---@param options {env: table, locals?: (fun(): table<string, any>)}
---  env: the globals. locals(): names and values of the session's locals.
---@return fun(text: string, position: integer): string[], integer
function M.new(options)
  local function value_of(path) return resolve(options, path) end
  return function(text, position)
    local where, start = place(text, position)
    local topic = match(sub(text, 1, position), "^:help ()[%w_.:]*$")
    if topic then
      local add, list = collector(sub(text, topic, position))
      for _, name in ipairs(call.topics(sub(text, topic, position))) do add(name) end
      sort(list)
      return list, topic
    end
    if where == "string" then
      local list
      list, start = in_string(text, start, position, value_of)
      sort(list)
      return list, start
    end
    local before = sub(text, 1, position)
    if where ~= "code" then return {}, position + 1 end
    local word = match(before, "[%a_\128-\255][%w_\128-\255]*$") or ""
    start = position - #word + 1
    before = sub(before, 1, start - 1)
    local add, list = collector(word)
    local path, separator = match(before, "([%a_\128-\255][%w_.\128-\255]*)%s*([.:])$")
    if path and not find(sub(before, 1, #before - #match(before, "[%w_.\128-\255]*%s*[.:]$")), "[%)%]:\"']$") then
      local value = resolve(options, path)
      if value ~= nil then
        add_fields(add, value, separator == ":")
        add_library_names(add, value, separator == ":")
      end
    elseif find(before, "[%)}%]\"'][.:]$") then
      local class = call.class(sub(before, 1, -2), value_of)
      for _, name in ipairs(class and call.members(class, sub(before, -1)) or {}) do add(name) end
    elseif not find(before, "[^.]%.$") and not find(before, "[:%d]$") then
      for _, name in ipairs(call.options(before, value_of)) do add(name) end
      if #list > 0 then
        sort(list)
        return list, start
      end
      if word ~= "" then
        for keyword in pairs_of(keywords) do add(keyword) end
      end
      for name in pairs_of(options.locals and options.locals() or {}) do
        if type(name) == "string" then add(name) end
      end
      add_fields(add, options.env)
    end
    sort(list)
    return list, start
  end
end

return M
