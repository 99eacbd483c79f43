-- What a kernel's parameters are. NVRTC tells through the names it mangles: for a name expression
-- `&__cudalua_sig<decltype(&kernel)>` the lowered name spells the type of every parameter, typedefs
-- resolved. The same parser reads the mangled names of templates and of other people's cubins.
-- Mangling: Itanium C++ ABI, section 5.1.

local M = {}

-- letter -> {type of the parameter, how C writes it}
local builtin = {
  v = { "bytes", "void" }, b = { "bool", "bool" }, c = { "int8", "char" }, a = { "int8", "signed char" },
  h = { "uint8", "unsigned char" }, s = { "int16", "short" }, t = { "uint16", "unsigned short" },
  i = { "int32", "int" }, j = { "uint32", "unsigned int" }, l = { "int64", "long" },
  m = { "uint64", "unsigned long" }, x = { "int64", "long long" }, y = { "uint64", "unsigned long long" },
  w = { "int32", "wchar_t" }, f = { "float32", "float" }, d = { "float64", "double" },
  n = { "bytes", "__int128" }, o = { "bytes", "unsigned __int128" }, z = { "bytes", "..." },
}
local named = { __half = "float16", __nv_bfloat16 = "bfloat16" }

---Reads a mangled name.
---@class cudalua.signature.Parser
---@field text string      the name
---@field at integer       where the next character is
---@field subs table[]     types that were remembered
---@field template table[]?  arguments of the template
local Parser = {}
Parser.__index = Parser

local function fail() error("unknown mangling", 0) end

function Parser:peek() return self.text:sub(self.at, self.at) end
function Parser:take(n)
  local t = self.text:sub(self.at, self.at + (n or 1) - 1)
  self.at = self.at + #t
  return t
end
function Parser:accept(c)
  if self:peek() ~= c then return false end
  self.at = self.at + 1
  return true
end
function Parser:remember(t)
  self.subs[#self.subs + 1] = t
  return t
end

function Parser:number()
  local digits = self.text:match("^%d+", self.at) or fail()
  self.at = self.at + #digits
  return tonumber(digits)
end

-- S_ is the first remembered type, S0_ the second; T_ and T0_ are template arguments alike.
function Parser:index()
  local digits = self.text:match("^([0-9A-Z]*)_", self.at) or fail()
  self.at = self.at + #digits + 1
  return digits == "" and 1 or tonumber(digits, 36) + 2
end

function Parser:source_name()
  local n = self:number()
  local name = self:take(n)
  if #name ~= n then fail() end
  return { type = named[name] or "bytes", text = name }
end

function Parser:template_args(on)
  local args, texts = {}, {}
  while not self:accept("E") do
    local arg
    if self:accept("L") then -- literal: type, value, E
      local t = self:type()
      local value = self.text:match("^n?%d*", self.at)
      self.at = self.at + #value
      if not self:accept("E") then fail() end
      arg = { type = t.type, text = (value:gsub("^n", "-")) }
    elseif self:accept("X") then -- an expression: a template argument by itself is understood
      if not self:accept("T") then fail() end
      arg = self.template and self.template[self:index()] or fail()
      if not self:accept("E") then fail() end
    elseif self:accept("J") then -- pack
      local pack = self:template_args({ text = "" })
      arg = { type = "bytes", text = pack.text:sub(2, -2), pack = pack.args }
    else
      arg = self:type()
    end
    if arg then args[#args + 1], texts[#texts + 1] = arg, arg.text end
  end
  return { type = named[on.text] or "bytes", text = on.text .. "<" .. table.concat(texts, ",") .. ">", args = args }
end

-- One component at a time; every prefix can be referred to later, the whole name by the caller.
function Parser:nested_name()
  while self:peek():find("[rVK]") do self:take() end
  local name, fresh -- fresh: not yet among the types that can be referred to
  while not self:accept("E") do
    local c = self:peek()
    if name and fresh then self:remember(name) end
    fresh = true
    if c == "S" then
      name, fresh = self:substitution(), false
    elseif c == "I" then
      self:take()
      name = self:template_args(name or fail())
    elseif c:find("%d") then
      local part = self:source_name()
      name = { type = part.type, text = name and name.text .. "::" .. part.text or part.text }
    else
      fail()
    end
  end
  return name or fail()
end

function Parser:substitution()
  self:take() -- S
  local c = self:peek()
  if c == "t" then
    self:take()
    local part = self:source_name()
    return self:remember { type = "bytes", text = "std::" .. part.text }
  end
  if c:find("[absiod]") then fail() end -- std::string and the like cannot be kernel parameters
  return self.subs[self:index()] or fail()
end

-- What reads a type, by the character that it begins with.
local readers = {}

function Parser:type()
  local c = self:peek()
  if builtin[c] then
    self:take()
    return { type = builtin[c][1], text = builtin[c][2] }
  end
  local read = readers[c]
  return read and read(self) or fail()
end

-- A space, unless the text ends with a mark already.
local function gap(text) return text:find "[%*&]$" and "" or " " end

local function pointer_to(mark)
  return function(self)
    self:take()
    local to = self:type()
    local t = { type = "pointer", to = to, before = to.before, after = to.after }
    if to.after then -- of a function or an array: void (*)(int)
      t.before = (to.type == "pointer" and to.before or to.before .. "(") .. mark
      t.after = (to.type == "pointer" and "" or ")") .. to.after
      t.text = t.before .. t.after
    else
      t.text = to.text .. gap(to.text) .. mark
    end
    return self:remember(t)
  end
end

readers.P, readers.R, readers.O = pointer_to "*", pointer_to "&", pointer_to "&&"

local qualifiers = { r = "__restrict__", V = "volatile", K = "const" }

local function qualified(self)
  local words = {}
  while qualifiers[self:peek()] do words[#words + 1] = qualifiers[self:take()] end
  local t = self:type()
  local word, pointer = table.concat(words, " "), t.type == "pointer"
  local q = { type = t.type, text = pointer and t.text .. " " .. word or word .. " " .. t.text, to = t.to,
    params = t.params }
  if t.after then
    q.before, q.after = pointer and t.before .. " " .. word or word .. " " .. t.before, t.after
    q.text = q.before .. q.after
  end
  return self:remember(q)
end

readers.r, readers.V, readers.K = qualified, qualified, qualified

-- A type that is written around a name, as those of functions and arrays are.
local function around(self, before, after, params)
  return self:remember { type = "bytes", text = before .. after, params = params, before = before, after = after }
end

function readers.F(self) -- a function
  self:take()
  self:accept("Y") -- extern "C"
  local ret, params = self:type(), {}
  while not self:accept("E") do params[#params + 1] = self:type() end
  local texts = {}
  for i, p in ipairs(params) do texts[i] = p.text end
  return around(self, ret.text .. gap(ret.text), "(" .. (texts[1] == "void" and "" or table.concat(texts, ", ")) .. ")",
    params)
end

function readers.A(self) -- an array
  self:take()
  local n
  if self:accept("T") then -- as many elements as a template argument says
    n = self.template and self.template[self:index()] or fail()
    n = n.text
  else
    n = self.text:match("^%d*", self.at)
    self.at = self.at + #n
  end
  if not self:accept("_") then fail() end
  local of = self:type()
  return around(self, of.before or of.text .. gap(of.text), "[" .. n .. "]" .. (of.after or ""))
end

function readers.M(self) -- a pointer to a member
  self:take()
  local class, member = self:type(), self:type()
  return self:remember { type = "bytes", text = member.text .. " " .. class.text .. "::*" }
end

function readers.T(self) -- a parameter of the template
  self:take()
  local t = self.template and self.template[self:index()] or fail()
  return self:remember(t)
end

function readers.S(self) -- a type of before
  local t = self:substitution()
  if self:accept("I") then return self:remember(self:template_args(t)) end
  return t
end

function readers.N(self) -- a name in a namespace or a class
  self:take()
  return self:remember(self:nested_name())
end

local with_two_letters = {
  Dn = function() return { type = "pointer", text = "nullptr_t" } end,
  Di = function() return { type = "uint32", text = "char32_t" } end,
  Ds = function() return { type = "uint16", text = "char16_t" } end,
  Du = function() return { type = "uint8", text = "char8_t" } end,
  Dp = function(self) return self:type() end, -- a pack: what it stands for takes its place
}

function with_two_letters.DF(self) -- _Float16, __bf16
  local kind = self.text:match("^16[_b]", self.at) or fail()
  self:take(3)
  return kind == "16_" and { type = "float16", text = "_Float16" } or { type = "bfloat16", text = "__bf16" }
end

function readers.D(self)
  local read = with_two_letters[self:take(2)]
  return read and read(self) or fail()
end

local function with_a_name(self)
  local t = self:remember(self:source_name())
  if self:accept("I") then return self:remember(self:template_args(t)) end
  return t
end

for digit = 0, 9 do readers[tostring(digit)] = with_a_name end -- of the name's length

local function parser(text, at) return setmetatable({ text = text, at = at, subs = {} }, Parser) end

---Parameters of the kernel behind the lowered name of M.expression(kernel).
---@param lowered string
---@return cudalua.Param[]?  nil: not understood
function M.of_expression(lowered)
  local at = lowered:match("^_Z13__cudalua_sigI()")
  if not at then return nil end
  local p = parser(lowered, at)
  p:remember { type = "bytes", text = "__cudalua_sig" } -- the template's name is the first that can be referred to
  local ok, t = pcall(p.type, p)
  local params = ok and t.to and t.to.params
  if not params then return nil end
  if #params == 1 and params[1].text == "void" then params = {} end
  return params
end

---Parameters of a function from its mangled name.
---@param symbol string
---@return cudalua.Param[]?  nil: not mangled, or not understood
---@return string? name      "ns::kernel<float,3>"
function M.of_symbol(symbol)
  if symbol:sub(1, 2) ~= "_Z" then return nil end
  local p = parser(symbol, 3)
  local name
  local ok, params = pcall(function()
    if p:accept("N") then
      name = p:nested_name()
    else
      name = p:source_name()
      if p:peek() == "I" then
        p:remember(name)
        p:take()
        name = p:template_args(name)
      end
    end
    if name.args then
      p.template = name.args
      p:type() -- templates also spell their return type
    end
    local list = {}
    while p.at <= #symbol do
      local t = p:type()
      for _, each in ipairs(t.pack or { t }) do list[#list + 1] = each end
    end
    if #list == 1 and list[1].text == "void" then list = {} end
    return list
  end)
  if ok then return params, name.text end
end

---A kernel's name as C++ writes it.
---@param symbol string
---@return string?  nil: not mangled, or not understood
function M.name_of_symbol(symbol) return (select(2, M.of_symbol(symbol))) end

---A type as a user writes it, and a list of them.
---@param where string  for the message: "prepare: type 2"
---@param x any
---@return cudalua.Param
function M.of_type(where, x) return require("cudalua.types.typename").of_type(where, x) end

---@param where string
---@param list any
---@return cudalua.Param[]
function M.of_args(where, list) return require("cudalua.types.typename").of_args(where, list) end

---A copy of the types with the parameters' names in their texts.
---@param params cudalua.Param[]
---@param names string[]  "?" if unknown
---@return cudalua.Param[]
function M.named(params, names)
  local list = {}
  for i, p in ipairs(params) do
    local text, name = p.text, #names == #params and names[i] ~= "?" and names[i]
    if name and p.text:find "unsigned long long$" and name:find "%s" then
      text = name:gsub("%s+", " ")
    elseif name and p.after then
      text = p.before .. name .. p.after
    elseif name then
      text = text .. (text:find "[%*&]$" and "" or " ") .. name
    end
    list[i] = { type = p.type, text = text }
  end
  return list
end

---Lets PTX say what names do not: an enum is an integer.
---@param params cudalua.Param[]
---@param ptx string
---@param kernel string  its name in the source, or its symbol
function M.refine(params, ptx, kernel)
  local seen
  for i, p in ipairs(params) do
    if p.type == "bytes" then
      seen = seen or require("cudalua.types.ptx").params_of(ptx, kernel) or {}
      local kind = #seen == #params and seen[i].type or ""
      if kind:find "^integer" then p.type = kind end
    end
  end
end

return M
