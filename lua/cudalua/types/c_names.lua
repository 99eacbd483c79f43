-- Element types and the names that C has for them: looked up both ways, registered, and declared as text.

local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local errors = require "cudalua.base.errors"
local pairs_of = require "cudalua.base.pairs_of"
local typename = require "cudalua.types.typename"

---@class cudalua.tools
local M = {}

local function refuse(where, text, ...) errors.raise("LogicError", where .. ": " .. text:format(...)) end

-- As CUDA C writes an element, and what declares the type: a header, or the library's own class.
local ctypes = {
  bool = { "bool" }, int8 = { "signed char" }, int16 = { "short" }, int32 = { "int" }, int64 = { "long long" },
  uint8 = { "unsigned char" }, uint16 = { "unsigned short" }, uint32 = { "unsigned int" },
  uint64 = { "unsigned long long" }, float16 = { "__half", "cuda_fp16.h" },
  bfloat16 = { "__nv_bfloat16", "cuda_bf16.h" }, float32 = { "float" }, float64 = { "double" },
  complex64 = { "cudalua::complex<float>", "class" }, complex128 = { "cudalua::complex<double>", "class" },
}

local registered = {} -- name in C -> dtype
local own_names = {} -- struct -> the first name that it was registered with

---The dtype that a name was registered for, or CUDA's vector of that name.
---@param name string
---@return cudalua.dtype.DType?
function M._of_name(name)
  return registered[name] or name:find "^[a-z]+[1-4]" and require("cudalua.vec")._of_name(name) or nil
end

local function find(where, dtype)
  local dt, why = dtypes._find(dtype)
  return dt or refuse(where, "%s", why)
end

-- ---- names ---------------------------------------------------------------------------------------------------------

local function list_of_names(where, c_names)
  local list = type(c_names) == "string" and { c_names } or c_names
  if type(list) ~= "table" or getmetatable(list) or core.next(list) == nil then
    refuse(where, "expected the name of a type in C, or a list of names, got %s", errors.text(c_names))
  end
  local n, names = 0, {}
  for _ in pairs_of(list) do n = n + 1 end
  for i = 1, n do
    if type(list[i]) ~= "string" or #list[i] > typename.MAX_TEXT then
      refuse(where, "name %d: expected a name, got %s", i, errors.text(list[i]))
    end
    names[i] = list[i]:match "^%s*(.-)%s*$"
  end
  return names
end

---Raises unless a struct can have the name.
---@param where string
---@param name any
---@return string name
function M._check_name(where, name)
  local why = typename.not_a_name(name)
  if why then refuse(where, "%s is not a valid type name: %s", errors.text(name), why) end
  return name
end

-- Two objects for what C takes for the same: a struct that was described again without a name.
local function alike(a, b)
  return a == b or a._layout ~= nil and a._layout == b._layout and not (a._c and b._c and a._c ~= b._c)
end

---Returns the dtype that has this name in C. With a dtype, it registers the names for it, for arguments ("particle
---*p"), for dtype.of() and for signatures.
---@param c_names string|string[]  one or more names in C
---@param dtype? any  as for dtype.of: a struct, or a type that gets more names
---@return cudalua.dtype.DType     the dtype already registered for the names, if any
---@raise LogicError if a name already belongs to another type, or no dtype has that name
function M.get_or_register_dtype(c_names, dtype)
  local where = "tools.get_or_register_dtype"
  local names = list_of_names(where, c_names)
  local dt = dtype ~= nil and find(where, dtype) or nil
  local known
  for _, name in ipairs(names) do
    local old = typename.dtype_of(name)
    if old then
      if dt and not alike(old, dt) then refuse(where, "'%s' is %s already, and not %s", name, old.name, dt.name) end
      if known and known ~= old then refuse(where, "'%s' is %s, '%s' is %s", name, old.name, names[1], known.name) end
      known = old
    elseif not dt then
      refuse(where, "no dtype is known for %s; pass one as the second argument to register it", errors.text(name))
    else
      M._check_name(where, name)
    end
  end
  dt = known or dt
  for _, name in ipairs(names) do
    if not typename.dtype_of(name) then registered[name] = dt end
  end
  if dt.kind == "struct" and not own_names[dt] then own_names[dt] = names[1] end
  return dt
end

---Registers names in C for a dtype: get_or_register_dtype() with its arguments in the opposite order.
---@param dtype any                as for dtype.of
---@param c_names string|string[]  one or more names in C
---@return cudalua.dtype.DType
---@raise LogicError if a name already belongs to another type
function M.register_dtype(dtype, c_names)
  return M.get_or_register_dtype(c_names, find("tools.register_dtype", dtype))
end

---Returns the type of an element in CUDA C: "float"; "__half" and "__nv_bfloat16" of CUDA's headers;
---"cudalua::complex<float>", a class with the operators and functions of C++'s std::complex; for a struct, the name
---that it was registered or created with. c_declarations() returns the declarations that a source needs for it.
---@param dtype any  as for dtype.of
---@return string
---@raise LogicError for a struct without a name
function M.dtype_to_ctype(dtype)
  local where = "tools.dtype_to_ctype"
  local dt = find(where, dtype)
  if dt.kind ~= "struct" then return ctypes[dt.name][1] end
  return dt._builtin and dt.name or own_names[dt] or dt._c or
    refuse(where, "%s has no name in C; set one with dtype.struct(fields, { name = ... }), or register it", dt.name)
end

-- ---- declarations --------------------------------------------------------------------------------------------------

local function has_name(dt) return dt._builtin or own_names[dt] or dt._c end

local body_of

-- "float x[3];"
local function member(f, indent)
  local dims = ""
  for _, n in ipairs(f.extents or {}) do dims = ("%s[%d]"):format(dims, n) end
  local text
  if f.pointer then
    text = f.pointer
  elseif f.dtype.kind == "struct" and not has_name(f.dtype) then
    text = "struct " .. body_of(f.dtype, "", indent) .. " "
  else
    text = M.dtype_to_ctype(f.dtype) .. " "
  end
  return text .. f.name .. dims .. ";"
end

function body_of(dt, name, indent)
  local inner = indent .. "  "
  local lines = { (dt._attribute and dt._attribute .. " " or "") .. (name ~= "" and name .. " " or "") .. "{" }
  for _, f in ipairs(dt._fields) do lines[#lines + 1] = inner .. member(f, inner) end
  lines[#lines + 1] = indent .. "}"
  return table.concat(lines, "\n")
end

local function declaration(dt, name) return "struct " .. body_of(dt, name, "") .. ";\n" end

---Returns the C declaration of a struct under a name: PyOpenCL's match_dtype_to_c_struct. Nested structs appear with
---their names, if they have one; c_declarations() declares those, too.
---@param name string   its name in C
---@param dtype any     a struct of dtype.struct()
---@return cudalua.dtype.DType dtype  the struct with that name: the same object, if it was created with it
---@return string declaration  the declaration in C
---@raise LogicError if dtype is not a struct, or the name is not valid in C
function M.match_dtype_to_c_struct(name, dtype)
  local where = "tools.match_dtype_to_c_struct"
  M._check_name(where, name)
  local dt = find(where, dtype)
  if dt.kind ~= "struct" then refuse(where, "%s is not a struct", dt.name) end
  dt = require("cudalua.types.structs").renamed(where, dt, name)
  return dt, declaration(dt, name)
end

-- Is the struct declared in the user's own text?
local function declared(name, text)
  return text:find("%f[%w_]" .. name .. "%s*{") or text:find("}%s*" .. name .. "%s*;") or
    text:find("%f[%w_]using%s+" .. name .. "%s*=")
end

---The class cudalua::complex, for any place in a source, and once however often it stands there.
---@return string
function M._complex_class()
  return "#ifndef CUDALUA_COMPLEX\n#define CUDALUA_COMPLEX\nextern \"C++\" {\n" ..
    require("cudalua.base.prelude").text { complex_class = true } .. "}\n#endif\n"
end

---Returns the declarations that a source needs to use element types: #include lines, the class of complex numbers, and
---the declarations of structs, nested ones first. Each declaration checks that the compiler's layout of the struct is
---that of the dtype.
---@param types any[]     dtypes, as for dtype.of, or arguments of parse_arguments()
---@param source? string  structs that this source declares are omitted
---@return string
---@raise LogicError for structs without a name, and for two with the same name
function M.c_declarations(types, source)
  local where = "tools.c_declarations"
  if type(types) ~= "table" or getmetatable(types) then
    refuse(where, "expected a list of dtypes, got %s", errors.text(types))
  end
  if source == nil then source = "" end
  if type(source) ~= "string" then refuse(where, "source: expected a string, got %s", errors.text(source)) end
  local headers, class, structs, seen, named = {}, false, {}, {}, {}
  local function visit(dt)
    if seen[dt] then return end
    seen[dt] = true
    if dt.kind ~= "struct" then
      local header = ctypes[dt.name][2]
      if header == "class" then
        class = true
      elseif header and not headers[header] then
        headers[header] = true
        headers[#headers + 1] = header
      end
    elseif not dt._builtin then
      for _, f in ipairs(dt._fields) do visit(f.dtype) end
      if not has_name(dt) then return end -- it is written out where it is used
      local name = M.dtype_to_ctype(dt)
      if named[name] then refuse(where, "two different structs have the name %s", name) end
      named[name] = true
      if not declared(name, source) then
        structs[#structs + 1] = declaration(dt, name) .. ("static_assert(sizeof(%s) == %d && alignof(%s) == %d, " ..
          "\"%s: another layout than the dtype's\");\n"):format(name, dt.itemsize, name, dt.alignment, name)
      end
    end
  end
  for i = 1, #types do
    local x = types[i]
    local dt = getmetatable(x) == "cudalua.tools.Arg" and x.dtype or find(("%s: %d"):format(where, i), x)
    if dt.kind == "struct" then M.dtype_to_ctype(dt) end -- raises where it has no name
    visit(dt)
  end
  table.sort(headers)
  for i, header in ipairs(headers) do headers[i] = "#include <" .. header .. ">\n" end
  return table.concat(headers) .. (class and M._complex_class() or "") .. table.concat(structs)
end

return M
