-- How a user's statement uses the arguments of its kernel, from its text: which arrays it takes at [i] and nowhere
-- else, which ones it may write, and whether the number i itself matters to it. What cannot be told is taken for the
-- worse: an array that is not known to be read alone may be written.

local source = require "cudalua.types.source"

local M = {}

---@class cudalua.elementwise.Usage
---@field at_i table<string, boolean>     arguments that stand only as name[i] in the statement
---@field writes table<string, boolean>   arguments that are plainly assigned to, or whose const could be cast away
---@field any_order boolean               i is used for nothing but [i]: elements may be taken in any order
---@field single boolean                  the statement may leave the loop over a thread's elements

-- What follows a place: does it say that something is assigned there?
local function is_assigned(code, at)
  while true do -- members and elements of the place
    local next = code:match("^%s*%.%s*[%a_][%w_]*()", at) or code:match("^%s*%b[]()", at)
    if not next then break end
    at = next
  end
  local rest = code:sub(at, at + 200):match "^%s*(.*)$"
  return rest:find "^[%+%-%*/%%&|%^]?=[^=]" or rest:find "^[%+%-%*/%%&|%^]?=$" or rest:find "^<<=" or
    rest:find "^>>=" or rest:find "^%+%+" or rest:find "^%-%-"
end

-- The names that the directives of a text mention: a macro may use an argument.
local function macro_names(names, text)
  for line in text:gsub("\\\r?\n", " "):gmatch "[^\n]+" do
    if line:find "^%s*#" then
      for name in line:gmatch "[%a_][%w_]*" do names[name] = true end
    end
  end
end

---@param names string[]      of the arguments that are arrays
---@param operation string
---@param around string       loop_prep and after_loop
---@param preamble string
---@return cudalua.elementwise.Usage
function M.of(names, operation, around, preamble)
  local code, outside = source.code(operation), source.code(around)
  local macros = {}
  macro_names(macros, operation .. "\n" .. around .. "\n" .. preamble)
  local arrays, at_i, other, writes = {}, {}, {}, {}
  for _, name in ipairs(names) do arrays[name] = true end
  local counted, used = 0, 0 -- i within [i] of an array, and all others with them
  for first, name, last in code:gmatch "()%f[%w_]([%a_][%w_]*)()" do
    local before = code:sub(math.max(first - 40, 1), first - 1):match "(%S?%S)%s*$" or ""
    local member = before:sub(-1) == "." or before == "->" or before == "::"
    if name == "i" and not member then used = used + 1 end
    if arrays[name] and not member then
      local after = code:match("^%s*%[%s*i%s*%]()", last)
      local taken = before:sub(-1) == "&" and before ~= "&&"
      if after then counted = counted + 1 end
      if after and not taken then at_i[name] = true else other[name] = true end
      after = after or code:match("^%s*%b[]()", last)
      if taken or before == "++" or before == "--" or after and is_assigned(code, after) or
        not after and before:sub(-1) == ")" then
        writes[name] = true
      end
    end
  end
  for name in outside:gmatch "%f[%w_][%a_][%w_]*" do
    if arrays[name] then other[name] = true end
  end
  -- Another i, of an inner loop: then [i] says nothing.
  if code:find "[%w_]%s+i%s*[=;,:)]" or code:find ",%s*i%s*=[^=]" then
    for _, name in ipairs(names) do other[name] = true end
  end
  local any_order = counted == used and not macros.i and not outside:find "%f[%w_]i%f[^%w_]"
  for _, name in ipairs(names) do
    if other[name] or macros[name] then at_i[name] = nil end
    any_order = any_order and at_i[name] == true
    if code:find("const_cast", 1, true) or outside:find("const_cast", 1, true) then writes[name] = true end
  end
  for name in (code .. " " .. outside):gmatch "%(%s*[%w_%s]+%*+%s*%)%s*%(*%s*([%a_][%w_]*)" do
    if arrays[name] then writes[name] = true end -- (float4 *)x, where const may be lost
  end
  local single = false
  for _, word in ipairs { "return", "break", "goto" } do
    single = single or code:find("%f[%w_]" .. word .. "%f[^%w_]") ~= nil or macros[word] == true
  end
  return { at_i = at_i, writes = writes, any_order = any_order, single = single }
end

return M
