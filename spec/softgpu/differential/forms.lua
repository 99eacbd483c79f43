-- Kernels for instructions as the PTX manual writes them: a line such as
--
--   {add,sub}{,.ftz}.{f32,f64} T:TT ~ bound
--
-- stands for every choice of the braces. After the form comes its signature, result and operands, one letter each;
-- T is the letter of the form's last type, V that of twice its width. Then, perhaps, a constant as last operand
-- (`|0x96`), and for what is not exact the name of a bound (bounds.lua).
local M = {}

-- letter -> C type, constraint, row of the inputs, type of the result's row
local letters = {
  w = { "u32", "r", "W", "w" }, x = { "u64", "l", "X", "x" }, h = { "u16", "h", "W", "w" },
  f = { "float", "f", "F", "f" }, d = { "double", "d", "D", "d" }, H = { "u16", "h", "H", "H" },
  B = { "u16", "h", "B", "B" }, J = { "u32", "r", "H", "J" }, K = { "u32", "r", "B", "K" }, p = { "u32", "r", "W",
    "w" },
  s = { "u32", "r", "S" }, m = { "float", "f", "M", "f" }, e = { "double", "d", "E", "d" },
}
local of_type = { f32 = "f", f64 = "d", f16 = "H", f16x2 = "J", bf16 = "B", bf16x2 = "K", pred = "p" }
local function letter_of(form)
  local letter
  for part in form:gmatch "%w+" do
    local width = part:match "^[usb](%d+)$"
    letter = of_type[part] or width and ({ ["8"] = "w", ["16"] = "h", ["32"] = "w", ["64"] = "x" })[width]
      or part:match "^[us]16x2$" and "w" or letter
  end
  return letter
end
local wider = { h = "w", w = "x" }

---Every line that one with braces stands for.
function M.expand(line, list)
  list = list or {}
  local before, choices, after = line:match "^(.-){(.-)}(.*)$"
  if not before then
    list[#list + 1] = line
    return list
  end
  for choice in (choices .. ","):gmatch "(.-)," do M.expand(before .. choice .. after, list) end
  return list
end

-- One form -> a row, and the C that computes it.
local function row(line)
  local form, signature, rest = line:match "^(%S+)%s+(%S+)%s*(.*)$"
  local constant, bound = rest:match "^|%s*(%S+)" , rest:match "~%s*(%S+)"
  local T = letter_of(form)
  signature = signature:gsub("T", T or ""):gsub("V", wider[T] or "")
  local result, operands = signature:match "^(.):(.*)$"
  assert(result and letters[result], line)
  local out = letters[result]
  local inputs, names, arguments, before = {}, {}, {}, {}
  for k = 1, #operands do
    local letter = operands:sub(k, k)
    local info = assert(letters[letter], line)
    local name = info[3] .. k - 1
    names[k] = name
    local value = ("%s(%s)"):format(info[3], name:sub(2))
    if letter == "p" then
      value = value .. " & 1"
      before[#before + 1] = (".reg .pred q%d; setp.ne.u32 q%d, %%%d, 0; "):format(k, k, k)
      arguments[k] = "q" .. k
    else
      arguments[k] = "%" .. k
    end
    if letter == "H" or letter == "B" or letter == "h" then value = "(u16)" .. value end
    inputs[k] = ('"%s"(%s)'):format(info[2], value)
  end
  if constant then arguments[#arguments + 1] = constant end
  local target, after = "%0", ""
  if result == "p" then
    before[#before + 1] = ".reg .pred q; "
    target, after = "q", " selp.u32 %0, 1, 0, q;"
  end
  local code = ('  { %s r; asm("{ %s%s %s, %s;%s }" : "=%s"(r) : %s); OUT(%%d, r); }'):format(out[1],
    table.concat(before), form, target, table.concat(arguments, ", "), after, out[2], table.concat(inputs, ", "))
  local label = constant and form .. " " .. constant or form
  return { label = label, type = out[4], bound = bound, operands = names }, code
end

---Adds kernels of at most `most` forms each (default 12) to the list.
---@param corpus table  of corpus.lua
---@param name string
---@param text string  lines
---@param options? table  fields for the kernels
function M.add(corpus, name, text, options)
  local lines = {}
  for line in text:gmatch "[^\n]+" do
    if line:find "%S" then M.expand(line:match "^%s*(.-)%s*$", lines) end
  end
  local most = options and options.most or 12
  local parts = math.ceil(#lines / most)
  for part = 1, parts do
    local rows, code = {}, {}
    for k = math.floor((part - 1) * #lines / parts) + 1, math.floor(part * #lines / parts) do
      local r, c = row(lines[k])
      code[#code + 1] = c:gsub("OUT%(%%d", ("OUT(%d"):format(#rows))
      rows[#rows + 1] = r
    end
    local kernel = { name = parts == 1 and name or name .. "_" .. part, rows = rows, code = table.concat(code, "\n") }
    for key, value in pairs(options or {}) do kernel[key] = value end
    corpus:add(kernel)
  end
end

return M
