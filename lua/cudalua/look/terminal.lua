-- Where text with colours goes: a file or a function, how many colours it shows, and how large it is.

local ffi = require "ffi"
local element = require "cudalua.base.element"
local layout = require "cudalua.base.layout"

local refuse = layout.refuse

ffi.cdef [[
  int cudalua_look_isatty(int fd) __asm__("isatty");
  int cudalua_look_fileno(void *file) __asm__("fileno");
  int cudalua_look_ioctl(int fd, unsigned long request, ...) __asm__("ioctl");
]]

local M = {}

local TIOCGWINSZ = 0x5413
local WIDTH, HEIGHT = 80, 24 -- of what is no terminal
local LEAST, MOST = 8, 10000 -- characters

-- Columns and rows of a terminal, or nil.
local function size_of(file)
  local size = ffi.new "uint16_t[4]" -- rows, columns, pixels
  local failed = ffi.C.cudalua_look_ioctl(ffi.C.cudalua_look_fileno(file), TIOCGWINSZ, size) ~= 0
  if not failed and size[1] > 0 then return size[1], size[0] end
end

local function is_terminal(file) return ffi.C.cudalua_look_isatty(ffi.C.cudalua_look_fileno(file)) == 1 end

---The characters of a line of a file that is a terminal; nil if it is none.
---@param file file*
---@return integer?
function M.columns(file) return is_terminal(file) and size_of(file) or nil end

-- Bits of a colour that the terminal says it shows (https://no-color.org, COLORTERM, TERM).
local function colour_of_environment()
  local truth, term = os.getenv "COLORTERM" or "", os.getenv "TERM" or ""
  if (os.getenv "NO_COLOR" or "") ~= "" or term == "dumb" then return 0 end
  if truth == "truecolor" or truth == "24bit" or term:find "%-direct" then return 24 end
  return term:find "256color" and 8 or 0
end

---The options of pictures that are about the terminal.
M.OPTIONS = { to = true, colour = true, width = true, height = true }

---Where a picture goes.
---@class cudalua.look.Terminal
---@field write fun(text: string)
---@field colour 0|8|24      bits of a colour; 0: no escape codes at all
---@field width integer      characters
---@field height integer     lines
---@field sized boolean      the size was requested

local function extent(what, options, name, default, least)
  local x = options[name]
  if x == nil then return default end
  local n = layout.whole(x)
  if not n or n < least or n > MOST then
    refuse(what, ("%s must be an integer from %d to %d, got %s"):format(name, least, MOST, element.describe(x)))
  end
  return n
end

---@param what string
---@param o table  options
---@param least? integer  lines
---@return cudalua.look.Terminal
---@raise LogicError for a bad option
function M.open(what, o, least)
  local to = o.to == nil and io.stdout or o.to
  local is_file = io.type(to) == "file"
  if not is_file and type(to) ~= "function" then
    refuse(what, "to must be an open file or a function, got " .. (io.type(to) or element.describe(to)))
  end
  local tty = is_file and is_terminal(to)
  local columns, rows
  if tty then columns, rows = size_of(to) end
  local colour = o.colour
  if colour == nil then colour = tty and colour_of_environment() or 0 end
  if colour ~= 0 and colour ~= 8 and colour ~= 24 then
    refuse(what, "colour must be 24, 8 or 0 bits, got " .. element.describe(colour))
  end
  return {
    write = is_file and function(text) to:write(text) end or to, colour = colour,
    width = extent(what, o, "width", math.max(columns or WIDTH, LEAST), LEAST),
    -- The prompt's line stays.
    height = extent(what, o, "height", math.max((rows or HEIGHT) - 2, LEAST), least or LEAST),
    sized = o.width ~= nil or o.height ~= nil,
  }
end

---The escape code of a colour.
---@param colour 8|24
---@param background boolean
---@param r integer  0 to 255
---@param g integer
---@param b integer
---@return string
function M.code(colour, background, r, g, b)
  local first = background and 48 or 38
  if colour == 24 then return ("\27[%d;2;%d;%d;%dm"):format(first, r, g, b) end
  return ("\27[%d;5;%dm"):format(first, M.nearest(r, g, b))
end

M.RESET = "\27[0m"

local STEPS = { [0] = 0, 95, 135, 175, 215, 255 } -- of the cube of 256 colours

local function step(x) return x < 48 and 0 or x < 115 and 1 or math.floor((x - 35) / 40) end

---The nearest of the 256 colours of a terminal: of its cube of 6 x 6 x 6, or of its 24 grays.
---@param r integer
---@param g integer
---@param b integer
---@return integer
function M.nearest(r, g, b)
  local i, j, k = step(r), step(g), step(b)
  local gray = math.max(0, math.min(23, math.floor(((r + g + b) / 3 - 3) / 10)))
  local level = 8 + 10 * gray
  local function distance(x, y, z) return (r - x) ^ 2 + (g - y) ^ 2 + (b - z) ^ 2 end
  if distance(level, level, level) < distance(STEPS[i], STEPS[j], STEPS[k]) then return 232 + gray end
  return 16 + 36 * i + 6 * j + k
end

return M
