-- Options of functions as the annotations describe them: which names the table of options takes, and which strings.
local M = {}

-- Parameters of arrays' functions that a table may name, too, from the second one on (base/surplus.lua).
local NAMED = { axis = "axis", axes = "axis", bins = "bins", dtype = "dtype", k = "k", num = "num", step = "step" }

---The parts of a text between commas that stand in no bracket.
---@param text string
---@return string[]
function M.parts(text)
  local list, depth, from = {}, 0, 1
  for at, c in text:gmatch "()([,%(%){}%[%]])" do
    if c == "," then
      if depth == 0 then
        list[#list + 1] = text:sub(from, at - 1)
        from = at + 1
      end
    else
      depth = depth + (c:find "[%({%[]" and 1 or -1)
    end
  end
  list[#list + 1] = text:sub(from)
  return list
end

-- The strings that a type allows: "C"|"F" of `"C"|"F"`; nil if there are none.
local function strings_of(type)
  local list = {}
  for text in (type or ""):gmatch '"[^"%s]*"' do list[#list + 1] = text end
  return #list > 0 and table.concat(list, "|") or nil
end

-- Adds the names of `{axis: integer, out}`. With `assigned`, only if each has a value: `{order = "F"}`.
local function add_braced(found, braces, assigned)
  local names = {}
  for _, part in ipairs(M.parts(braces:sub(2, -2))) do
    local name, mark, type = part:match "^%s*([%a_][%w_]*)%??%s*([:=]?)%s*(.-)%s*$"
    if not name or mark == "" and type ~= "" or mark == "=" and type == "" or assigned and mark ~= "=" then return end
    names[#names + 1] = { name, strings_of(type) }
  end
  for _, one in ipairs(names) do found[one[1]] = found[one[1]] or one[2] or true end
end

local function add_class(found, fields)
  for _, field in ipairs(fields) do found[field.name] = found[field.name] or strings_of(field.type) or true end
end

local function is_options(name) return name == "options" or name == "opts" end

-- Those of one type with its text. `of(name)` has the options of another function.
local function add_type(found, text, whole, classes, of)
  for class in text:gmatch "cudalua%.[%w_%.]*ptions" do add_class(found, classes[class] or {}) end
  for braces in text:gmatch "%b{}" do add_braced(found, braces, not whole and not text:find "^{") end
  local other = whole and not text:find("{", 1, true) and text:match "%sas for ([%w_%.]+)"
  if other then
    for name, strings in pairs(of(other:gsub("%.$", ""))) do
      if not text:find("without " .. name, 1, true) then found[name] = found[name] or strings end
    end
  end
end

---The options of functions and of classes that can be called, by full name.
---@param entries table<string, annotations.Entry>
---@param fields table<string, {name: string, type: string}[]>  of classes, in their order
---@return fun(name: string): table<string, string|true>  option -> the strings that it may be, as "a"|"b"
function M.reader(entries, fields)
  local known = {}
  local function of(full)
    if known[full] then return known[full] end
    local entry, found = entries[full], {}
    known[full] = found
    if not entry then return found end
    local function other(name)
      local owner = full:match "^(.*[%.:])[%w_]+$"
      local short = name:match "[%w_]+$"
      return of(entries[owner .. short] and owner .. short or "cudalua." .. name)
    end
    local of_arrays = full:find "^cudalua%.gpuarray[%.:]"
    local is_method = full:find ":" ~= nil
    local short = full:match "^cudalua%.random%.Generator:([%w_]+)$" or full:match "^cudalua%.random%.([%w_]+)$"
    local of_generators = short and entries["cudalua.random.Generator:" .. short] ~= nil -- which take all by name
    for i, param in ipairs(entry.params) do
      add_type(found, param.type, is_options(param.name), fields, other)
      local named = of_arrays and (i > 1 or is_method) and NAMED[param.name] or
        of_generators and not is_options(param.name) and param.name
      if named then found[named] = found[named] or strings_of(param.type) or true end
    end
    for _, call in ipairs(entry.overloads) do
      for _, part in ipairs(M.parts((call:match "%b()" or "()"):sub(2, -2))) do
        local name, type = part:match "^%s*([%a_][%w_]*)%??:%s*(.*)$"
        if name then add_type(found, type, is_options(name), fields, other) end
      end
    end
    return found
  end
  return of
end

return M
