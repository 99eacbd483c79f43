-- A terminal's screen as a table: enough of a VT100 and of xterm to check what a person sees.
--
-- Cells hold a character and what combines with it. A wide character fills two cells; the second holds "". Lines that
-- leave at the top are kept in `scrollback`. A sequence that the screen does not know is an error: every terminal has
-- to understand what the prompt sends.
--
-- A row has `used` cells, written and not cleared. A row that a character wrapped out of has `wraps`. Terminals differ
-- in what ends this, so here all of it does: a newline, clearing a part of the row, another character in its last cell.

local Screen = {}
Screen.__index = Screen

local M = {}

local function blank(columns)
  local row = { used = 0, attributes = {} } -- of characters: what was set by CSI m
  for x = 1, columns do row[x] = " " end
  return row
end

---@param columns integer
---@param rows integer
function M.new(columns, rows)
  local s = setmetatable({
    columns = columns, rows = rows, x = 1, y = 1, wrap_pending = false, cells = {}, scrollback = {}, rest = "",
    bracketed_paste = false, bells = 0, bytes = 0, clears = 0,
  }, Screen)
  for y = 1, rows do s.cells[y] = blank(columns) end
  return s
end

-- Columns of a code point: a table of its own, smaller than the prompt's and independent of it.
local function width(c)
  if c >= 0x300 and c <= 0x36f or c >= 0x200b and c <= 0x200f or c >= 0xfe00 and c <= 0xfe0f or
      c >= 0x20d0 and c <= 0x20ff then return 0 end
  if c >= 0x1100 and c <= 0x115f or c >= 0x2e80 and c <= 0x303e or c >= 0x3041 and c <= 0xa4cf or
      c >= 0xac00 and c <= 0xd7a3 or c >= 0xf900 and c <= 0xfaff or c >= 0xfe30 and c <= 0xfe6f or
      c >= 0xff00 and c <= 0xff60 or c >= 0xffe0 and c <= 0xffe6 or c >= 0x1f300 and c <= 0x1f64f or
      c >= 0x1f900 and c <= 0x1f9ff or c >= 0x20000 and c <= 0x3fffd then return 2 end
  return 1
end

function Screen:scroll()
  table.insert(self.scrollback, table.concat(table.remove(self.cells, 1)):match "^(.-) *$")
  table.insert(self.cells, blank(self.columns))
end

function Screen:line_feed()
  self.cells[self.y].wraps = nil
  if self.y < self.rows then self.y = self.y + 1 else self:scroll() end
end

function Screen:put(char, code)
  local w = width(code)
  if w == 0 then -- belongs to the character before the cursor
    local x = self.wrap_pending and self.x or self.x - 1
    local row = self.cells[self.y]
    while x > 1 and row[x] == "" do x = x - 1 end
    if x >= 1 then row[x] = row[x] .. char end
    return
  end
  if self.wrap_pending or self.x + w - 1 > self.columns then
    local before = self.cells[self.y]
    self.x, self.wrap_pending = 1, false
    self:line_feed()
    before.wraps = true
  end
  local row = self.cells[self.y]
  -- Half of a wide character cannot stay.
  if row[self.x] == "" then row[self.x - 1] = " " end
  if row[self.x + w] == "" then row[self.x + w] = " " end
  row[self.x] = char
  row.attributes[self.x] = self.attribute
  if w == 2 then row[self.x + 1] = "" end
  self.x = self.x + w
  row.used = math.max(row.used, self.x - 1)
  if self.x > self.columns then self.x, self.wrap_pending, row.wraps = self.columns, true, nil end
end

local function clear(row, from, to)
  row.wraps, row.used = nil, math.min(row.used, from - 1)
  for x = from, to do row[x], row.attributes[x] = " ", nil end
end

function Screen:clear_below()
  self.clears = self.clears + 1
  clear(self.cells[self.y], self.x, self.columns)
  for y = self.y + 1, self.rows do clear(self.cells[y], 1, self.columns) end
end

local controls = {
  A = function(s, n) s.y = math.max(1, s.y - math.max(n, 1)) end,
  B = function(s, n) s.y = math.min(s.rows, s.y + math.max(n, 1)) end,
  C = function(s, n) s.x = math.min(s.columns, s.x + math.max(n, 1)) end,
  D = function(s, n) s.x = math.max(1, s.x - math.max(n, 1)) end,
  G = function(s, n) s.x = math.min(s.columns, math.max(n, 1)) end,
  H = function(s, n, m)
    s.y, s.x = math.min(s.rows, math.max(n, 1)), math.min(s.columns, math.max(m, 1))
  end,
  J = function(s, n)
    if n == 0 then return s:clear_below() end
    assert(n == 2 or n == 3, "CSI " .. n .. " J")
    s.clears = s.clears + 1
    if n == 2 then for y = 1, s.rows do s.cells[y] = blank(s.columns) end end
  end,
  K = function(s, n)
    assert(n == 0, "CSI " .. n .. " K")
    clear(s.cells[s.y], s.x, s.columns)
  end,
  m = function(s, _, _, parameters) s.attribute = parameters ~= "" and parameters or nil end,
}

function Screen:control(parameters, final)
  local private = parameters:match "^%?(%d+)$"
  if private then
    assert(final == "h" or final == "l", "CSI ?" .. private .. final)
    if private == "2004" then self.bracketed_paste = final == "h" end
    return
  end
  local action = controls[final]
  if not action then error(("the screen does not know CSI %s %s"):format(parameters, final)) end
  local n, m = parameters:match "^(%d*);?(%d*)"
  action(self, tonumber(n) or 0, tonumber(m) or 0, parameters)
  if final ~= "m" then self.wrap_pending = false end
end

---Takes what a program wrote; sequences may be split between calls.
function Screen:feed(bytes)
  self.bytes = self.bytes + #bytes
  local data, i = self.rest .. bytes, 1
  self.rest = ""
  while i <= #data do
    local b = data:byte(i)
    if b == 27 then
      local _, last, parameters, final = data:find("^\27%[([0-9;?]*)([@-~])", i)
      if last then
        self:control(parameters, final)
        i = last + 1
      elseif data:find("^\27%[?[0-9;?]*$", i) then
        self.rest = data:sub(i)
        return
      else
        error(("the screen does not know %q"):format(data:sub(i, i + 8)))
      end
    elseif b < 32 or b == 127 then
      if b == 13 then
        self.x, self.wrap_pending = 1, false
      elseif b == 10 then
        self.wrap_pending = false
        self:line_feed()
      elseif b == 8 then
        self.x, self.wrap_pending = math.max(1, self.x - 1), false
      elseif b == 9 then
        self.x = math.min(self.columns, self.x + 8 - (self.x - 1) % 8)
      elseif b == 7 then
        self.bells = self.bells + 1
      else
        error(("control character %d reached the screen"):format(b))
      end
      i = i + 1
    else
      local n = b < 0x80 and 1 or b < 0xc2 and 0 or b < 0xe0 and 2 or b < 0xf0 and 3 or b < 0xf5 and 4 or 0
      local char = data:sub(i, i + n - 1)
      if n == 0 then
        self:put("?", 63) -- a byte that is no UTF-8
        n = 1
      elseif #char < n and data:find("^[\128-\191]*$", i + 1) then
        self.rest = char
        return
      else
        local code = n == 1 and b or b % 2 ^ (7 - n)
        for k = 2, n do code = code * 64 + char:byte(k) % 64 end
        assert(code >= 0xa0 or code < 0x80, "a C1 control character reached the screen")
        self:put(char, code)
      end
      i = i + n
    end
  end
end

---A line of the screen without blanks at its end.
function Screen:line(y) return (table.concat(self.cells[y]):match "^(.-) *$") end

---The whole screen as text, without empty lines at its end.
function Screen:text()
  local lines, last = {}, 0
  for y = 1, self.rows do
    lines[y] = self:line(y)
    if lines[y] ~= "" then last = y end
  end
  return table.concat(lines, "\n", 1, last)
end

---The whole screen as text, with the blanks before the cursor: a prompt is "> ".
function Screen:text_to_cursor()
  local lines, last = {}, self.y
  for y = 1, self.rows do
    lines[y] = self:line(y)
    if y == self.y then
      lines[y] = lines[y] .. (" "):rep(self.x - 1 - #lines[y])
    elseif lines[y] ~= "" then
      last = math.max(last, y)
    end
  end
  return table.concat(lines, "\n", 1, last)
end

---The characters of the screen that have attributes, as "character attribute".
function Screen:marked()
  local list = {}
  for y = 1, self.rows do
    for x = 1, self.columns do
      local attribute = self.cells[y].attributes[x]
      if attribute then list[#list + 1] = self.cells[y][x] .. " " .. attribute end
    end
  end
  return list
end

---What has left at the top, and the screen.
function Screen:all_text()
  local above = table.concat(self.scrollback, "\n")
  return above == "" and self:text() or above .. "\n" .. self:text()
end

-- The rows that cells take on a screen of so many columns; each but the last wraps.
local function wrapped(cells, columns, rows)
  local row, x = blank(columns), 0
  rows[#rows + 1] = row
  for i = 1, #cells do
    local w = cells[i + 1] == "" and 2 or 1
    if cells[i] ~= "" then
      if x + w > columns then
        row.wraps = true
        row, x = blank(columns), 0
        rows[#rows + 1] = row
      end
      row[x + 1] = cells[i]
      if w == 2 then row[x + 2] = "" end
      x = x + w
      row.used = x
    end
  end
end

---Another number of columns, as terminals do that wrap lines anew; the cursor stays with its character.
function Screen:rewrap(columns)
  local cells = self.cells
  cells[self.y][self.x] = cells[self.y][self.x] .. "\1" -- the cursor goes with its cell
  local rows, line = {}, {}
  for y = 1, self.rows do
    for x = 1, math.max(cells[y].used, y == self.y and self.x or 0) do line[#line + 1] = cells[y][x] end
    if not cells[y].wraps then
      wrapped(line, columns, rows)
      line = {}
    end
  end
  for y = #rows + 1, self.rows do rows[y] = blank(columns) end
  while #rows > self.rows do
    assert(not table.concat(table.remove(rows)):find "%S", "the screen has no room for its lines")
  end
  for y, row in ipairs(rows) do
    for x, cell in ipairs(row) do
      if cell:find "\1$" then self.x, self.y, row[x] = x, y, cell:sub(1, -2) end
    end
  end
  self.cells, self.columns, self.wrap_pending = rows, columns, false
end

---Another size, as terminals do that do not wrap lines anew: lines are cut, and the top is scrolled away if the cursor
---would be below the screen.
function Screen:resize(columns, rows)
  while self.y > rows do
    self:scroll()
    self.y = self.y - 1
  end
  local cells = {}
  for y = 1, rows do
    cells[y] = blank(columns)
    cells[y].used = columns
    for x = 1, math.min(columns, self.columns) do cells[y][x] = self.cells[y] and self.cells[y][x] or " " end
  end
  self.cells, self.columns, self.rows = cells, columns, rows
  self.x, self.wrap_pending = math.min(self.x, columns), false
end

return M
