-- A terminal as an open file of this process: what is written to it can be read, and it has a size. pty.lua runs
-- programs on one.
local ffi = require "ffi"

ffi.cdef [[
  int cudalua_terminal_open(int flags) __asm__("posix_openpt");
  int cudalua_terminal_grant(int fd) __asm__("grantpt");
  int cudalua_terminal_unlock(int fd) __asm__("unlockpt");
  char *cudalua_terminal_name(int fd) __asm__("ptsname");
  int cudalua_terminal_ioctl(int fd, unsigned long request, ...) __asm__("ioctl");
  long cudalua_terminal_read(int fd, void *p, size_t n) __asm__("read");
  int cudalua_terminal_close(int fd) __asm__("close");
  int cudalua_terminal_setenv(const char *name, const char *value, int overwrite) __asm__("setenv");
  int cudalua_terminal_unsetenv(const char *name) __asm__("unsetenv");
]]

local M = {}

local O_RDWR, O_NOCTTY, TIOCSWINSZ = 2, 256, 0x5414

local files = getmetatable(io.stdout).__index

-- Calls f, whose writes to the file go in small pieces, each of which has arrived before the next one: a terminal has
-- little room, and nobody else reads it.
local function in_pieces(file, arrived, f)
  local write, sent = files.write, 0
  function files.write(self, ...)
    if self ~= file then return write(self, ...) end
    for _, part in ipairs { ... } do
      local text = tostring(part)
      for i = 1, #text, 256 do
        local piece = text:sub(i, i + 255)
        sent = sent + #piece + select(2, piece:gsub("\n", "")) -- each with a "\r"
        write(self, piece)
        self:flush()
        arrived(sent)
      end
    end
    return self
  end
  local ok, err = pcall(f, file)
  file:write "\1"
  files.write = write
  if not ok then error(err, 0) end
end

---What f(file) writes to a terminal of that size.
---@param columns integer
---@param rows integer
---@param f fun(file: file*)
---@return string  with "\n" at the ends of lines
function M.written(columns, rows, f)
  local master = ffi.C.cudalua_terminal_open(O_RDWR + O_NOCTTY)
  assert(master >= 0, "no pseudo-terminal")
  assert(ffi.C.cudalua_terminal_grant(master) == 0 and ffi.C.cudalua_terminal_unlock(master) == 0)
  local file = assert(io.open(ffi.string(ffi.C.cudalua_terminal_name(master)), "w"))
  assert(ffi.C.cudalua_terminal_ioctl(master, TIOCSWINSZ, ffi.new("uint16_t[4]", { rows, columns, 0, 0 })) == 0)
  local buffer, text = ffi.new "char[4096]", ""
  local function arrived(bytes)
    while #text < bytes do
      local n = tonumber(ffi.C.cudalua_terminal_read(master, buffer, 4096))
      assert(n > 0, "the terminal gives nothing back")
      text = text .. ffi.string(buffer, n)
    end
  end
  local ok, err = pcall(in_pieces, file, arrived, f)
  file:close()
  ffi.C.cudalua_terminal_close(master)
  if not ok then error(err, 0) end
  return (text:gsub("\r\n", "\n"):gsub("\1$", ""))
end

---Calls f with these environment variables; false: not set. They are what they were afterwards.
---@param variables table<string, string|false>
---@param f function
---@return any
function M.with_environment(variables, f)
  local before = {}
  local function set(name, value)
    if value then ffi.C.cudalua_terminal_setenv(name, value, 1) else ffi.C.cudalua_terminal_unsetenv(name) end
  end
  for name, value in pairs(variables) do
    before[name] = os.getenv(name) or false
    set(name, value)
  end
  local ok, result = pcall(f)
  for name, value in pairs(before) do set(name, value) end
  if not ok then error(result, 0) end
  return result
end

return M
