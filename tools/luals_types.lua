-- Types of LuaLS annotations: reads one from the start of a text, `integer|fun(a: string): boolean  what it is`.
local M = {}

---A type that was read.
---@class luals_types.Type
---@field text string  the type itself
---@field rest string  what stands behind it, without the spaces between
---@field name? string  of a result, `integer count  how many`: what it is called, which begins `rest`
---@field names string[]  the types that it is made of, in order: "integer", "cudalua.Stream"

local Reader = {}
Reader.__index = Reader

function Reader:skip() self.at = self.source:match("^%s*()", self.at) end

-- Takes a mark if it comes next.
function Reader:take(mark)
  self:skip()
  if self.source:sub(self.at, self.at + #mark - 1) ~= mark then return false end
  self.at = self.at + #mark
  return true
end

function Reader:fail(what)
  error(("%s at '%s' in the type '%s'"):format(what, self.source:sub(self.at, self.at + 20), self.source), 0)
end

function Reader:need(mark)
  if not self:take(mark) then self:fail(("expected '%s'"):format(mark)) end
end

-- Takes what a pattern finds, which begins at once.
function Reader:match(pattern)
  local found, after = self.source:match("^(" .. pattern .. ")()", self.at)
  if found then self.at = after end
  return found
end

-- fun(a: integer, b?, ...: any): string, integer
function Reader:fun()
  self:need "("
  while not self:take ")" do
    self:skip()
    if not (self:match "%.%.%." or self:match "[%a_][%w_]*") then self:fail "expected a parameter" end
    self:take "?"
    if self:take ":" then self:type() end
    if not self:take "," then
      self:need ")"
      break
    end
  end
  local from = self.at
  if not self:take ":" then
    self.at = from
    return
  end
  self:skip()
  self:match "[%a_][%w_]*%??:" -- the first result may have a name
  repeat
    self:type()
    from = self.at
  until not self:take "," or not self:starts()
  self.at = from
end

-- Does a type come next? Of the results of a fun() in a list, the next parameter does not: `name: type`.
function Reader:starts()
  local rest = self.source:sub(self.at):match "^%s*(.*)$"
  return rest:find "^[%a_{%(\"]" and not rest:find "^[%a_][%w_]*%??:"
end

-- { a: integer, b?: string, [string]: any }, or the types of a list with places.
function Reader:braces()
  while not self:take "}" do
    self:skip()
    if self:take "[" then
      self:type()
      self:need "]"
      self:need ":"
      self:type()
    elseif self.source:find("^[%a_][%w_]*%s*%??%s*:", self.at) then
      self:match "[%a_][%w_]*"
      self:take "?"
      self:need ":"
      self:type()
    else
      self:type()
    end
    if not (self:take "," or self:take ";") then
      self:need "}"
      break
    end
  end
end

function Reader:unit()
  if self:take "(" then
    self:type()
    self:need ")"
  elseif self:take "{" then
    self:braces()
  else
    self:skip()
    if not (self:match '"[^"]*"' or self:match "'[^']*'" or self:match "%-?%d+") then
      local name = self:match "[%a_][%w_%.]*%*?" or self:match "%.%.%." or self:fail "expected a type"
      if name == "fun" and self.source:find("^%(", self.at) then return self:fun() end
      table.insert(self.names, name)
      if self:match "<" then
        repeat self:type() until not self:take ","
        self:need ">"
      end
    end
  end
end

function Reader:type()
  repeat
    self:unit()
    while self:match "%[%]" or self:match "%?" do end
    local from = self.at
    local more = self:take "|"
    if not more then self.at = from end
  until not more
end

---Reads the type that a text begins with.
---@param source string
---@return luals_types.Type
function M.read(source)
  local reader = setmetatable({ source = source, at = source:match "^%s*()", names = {} }, Reader)
  local from = reader.at
  reader:type()
  if not reader.source:find("^[%s,]", reader.at) and reader.at <= #source then reader:fail "unexpected text" end
  local behind = source:sub(reader.at)
  return { text = source:sub(from, reader.at - 1), rest = behind:match "^%s*(.-)%s*$", names = reader.names,
    name = behind:match "^ ([%a_][%w_]*)%s%s" or behind:match "^ ([%a_][%w_]*)%s*$" }
end

return M
