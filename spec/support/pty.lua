-- Programs on a pseudo-terminal, made by the FFI: what they write goes to a screen (spec/support/screen.lua), what a
-- person would type is written to them.
--
--   local p = pty.spawn({ "sh", "bin/cudalua" }, { columns = 80, rows = 24, env = { TERM = "xterm" } })
--   p:expect "> "          waits until this text is on the screen, at most 60 s
--   p:type "1 + 1\r"       sends keys
--   p:close()              ends the program, if it still runs, and returns how it ended
local ffi = require "ffi"
local screen = require "spec.support.screen"

ffi.cdef [[
int cudalua_pty_openpt(int flags) __asm__("posix_openpt");
int cudalua_pty_grantpt(int fd) __asm__("grantpt");
int cudalua_pty_unlockpt(int fd) __asm__("unlockpt");
int cudalua_pty_ptsname(int fd, char *name, size_t size) __asm__("ptsname_r");
int cudalua_pty_ioctl(int fd, unsigned long request, ...) __asm__("ioctl");
int cudalua_pty_open(const char *path, int flags, ...) __asm__("open");
int cudalua_pty_close(int fd) __asm__("close");
long cudalua_pty_read(int fd, void *to, size_t n) __asm__("read");
long cudalua_pty_write(int fd, const void *from, size_t n) __asm__("write");
struct cudalua_pty_pollfd { int fd; short events, revents; };
int cudalua_pty_poll(struct cudalua_pty_pollfd *fds, unsigned long n, int timeout) __asm__("poll");
int cudalua_pty_kill(int pid, int signal) __asm__("kill");
int cudalua_pty_waitpid(int pid, int *status, int options) __asm__("waitpid");
int cudalua_pty_tcgetattr(int fd, void *termios) __asm__("tcgetattr");
struct cudalua_pty_timespec { long seconds, nanoseconds; };
int cudalua_pty_clock(int clock, struct cudalua_pty_timespec *now) __asm__("clock_gettime");
typedef union { char bytes[1024]; long align; } cudalua_pty_opaque; /* larger than any C library's */
int cudalua_pty_attr_init(cudalua_pty_opaque *a) __asm__("posix_spawnattr_init");
int cudalua_pty_attr_flags(cudalua_pty_opaque *a, short flags) __asm__("posix_spawnattr_setflags");
int cudalua_pty_attr_mask(cudalua_pty_opaque *a, const void *set) __asm__("posix_spawnattr_setsigmask");
int cudalua_pty_attr_default(cudalua_pty_opaque *a, const void *set) __asm__("posix_spawnattr_setsigdefault");
int cudalua_pty_files_init(cudalua_pty_opaque *f) __asm__("posix_spawn_file_actions_init");
int cudalua_pty_files_open(cudalua_pty_opaque *f, int fd, const char *path, int flags, unsigned mode)
  __asm__("posix_spawn_file_actions_addopen");
int cudalua_pty_files_end(cudalua_pty_opaque *f) __asm__("posix_spawn_file_actions_destroy");
int cudalua_pty_files_dup(cudalua_pty_opaque *f, int fd, int to) __asm__("posix_spawn_file_actions_adddup2");
int cudalua_pty_spawnp(int *pid, const char *file, const cudalua_pty_opaque *f, const cudalua_pty_opaque *a,
                       const char *const *argv, const char *const *envp) __asm__("posix_spawnp");
extern const char **cudalua_pty_environ __asm__("environ");
]]
local C = ffi.C

local O_RDWR, O_NOCTTY, O_CLOEXEC = 2, 0x100, 0x80000
local TIOCSWINSZ = 0x5414
local POLLIN, WNOHANG, EINTR = 1, 1, 4
local SETSIGDEF, SETSIGMASK, SETSID = 4, 8, 0x80 -- of posix_spawn; the same in glibc and musl

local function check(n, what)
  if n < 0 then error(("%s: errno %d"):format(what, ffi.errno()), 3) end
  return n
end

-- A running clock in seconds.
local function now()
  local t = ffi.new "struct cudalua_pty_timespec"
  C.cudalua_pty_clock(1, t)
  return tonumber(t.seconds) + tonumber(t.nanoseconds) / 1e9
end

local function strings(list)
  local array = ffi.new("const char *[?]", #list + 1)
  for i, text in ipairs(list) do array[i - 1] = text end
  return array
end

-- The environment of this process with some variables changed; false takes one away.
local function environment(changes)
  local list, i = {}, 0
  while C.cudalua_pty_environ[i] ~= nil do
    local entry = ffi.string(C.cudalua_pty_environ[i])
    if changes[entry:match "^[^=]*"] == nil then list[#list + 1] = entry end
    i = i + 1
  end
  for name, value in pairs(changes) do
    if value then list[#list + 1] = name .. "=" .. value end
  end
  return list
end

local Pty = {}
Pty.__index = Pty

local M = { now = now }

---Starts a program as the leader of a session of its own, with the pseudo-terminal as its terminal.
---@param argv string[]
---@param options? {columns?: integer, rows?: integer, env?: table<string, string|false>}
function M.spawn(argv, options)
  options = options or {}
  local columns, rows = options.columns or 80, options.rows or 24
  local fd = check(C.cudalua_pty_openpt(O_RDWR + O_NOCTTY + O_CLOEXEC), "posix_openpt")
  check(C.cudalua_pty_grantpt(fd), "grantpt")
  check(C.cudalua_pty_unlockpt(fd), "unlockpt")
  local name = ffi.new "char[128]"
  assert(C.cudalua_pty_ptsname(fd, name, 128) == 0, "ptsname_r")
  local p = setmetatable({ fd = fd, path = ffi.string(name), screen = screen.new(columns, rows), output = "" }, Pty)
  p:resize(columns, rows)

  local attr, files = ffi.new "cudalua_pty_opaque", ffi.new "cudalua_pty_opaque"
  local none, all = ffi.new "uint64_t[16]", ffi.new "uint64_t[16]"
  ffi.fill(all, 128, 0xff)
  C.cudalua_pty_attr_init(attr)
  C.cudalua_pty_attr_flags(attr, SETSIGDEF + SETSIGMASK + SETSID)
  C.cudalua_pty_attr_mask(attr, none)
  C.cudalua_pty_attr_default(attr, all)
  C.cudalua_pty_files_init(files)
  C.cudalua_pty_files_open(files, 0, p.path, O_RDWR, 0)
  C.cudalua_pty_files_dup(files, 0, 1)
  C.cudalua_pty_files_dup(files, 0, 2)
  local env = environment(options.env or {})
  local pid = ffi.new "int[1]"
  local e = C.cudalua_pty_spawnp(pid, argv[1], files, attr, strings(argv), strings(env))
  C.cudalua_pty_files_end(files)
  if e ~= 0 then error(("%s does not start: errno %d"):format(argv[1], e)) end
  p.pid = pid[0]
  return p
end

---Another size of the terminal; the program gets SIGWINCH.
function Pty:resize(columns, rows)
  if columns ~= self.screen.columns or rows ~= self.screen.rows then self.screen:resize(columns, rows) end
  local size = ffi.new("unsigned short[4]", rows, columns, 0, 0)
  check(C.cudalua_pty_ioctl(self.fd, TIOCSWINSZ, size), "TIOCSWINSZ")
end

---Reads what the program wrote, for at most so many milliseconds; the screen shows it. nil: the program closed the
---terminal.
function Pty:read(milliseconds)
  if not self.fd then return nil end
  local p = ffi.new "struct cudalua_pty_pollfd"
  p.fd, p.events = self.fd, POLLIN
  local n = C.cudalua_pty_poll(p, 1, milliseconds or 0)
  if n <= 0 then return "" end
  local buffer = ffi.new "char[65536]"
  n = tonumber(C.cudalua_pty_read(self.fd, buffer, 65536))
  if n <= 0 then -- EIO: nobody has the terminal open any more
    if n < 0 and ffi.errno() == EINTR then return "" end
    return nil
  end
  local bytes = ffi.string(buffer, n)
  self.output = self.output .. bytes
  self.screen:feed(bytes)
  return bytes
end

---Reads until the condition holds; fails with the screen's text after so many seconds (60).
---@param condition string|fun(p: table): any  a text on the screen, or a function
function Pty:expect(condition, seconds)
  local wanted = condition
  if type(wanted) == "string" then
    condition = function(p) return p.screen:text_to_cursor():find(wanted, 1, true) end
  end
  local deadline = now() + (seconds or 60)
  while true do
    local result = condition(self)
    if result then return result end
    local left = deadline - now()
    local ended = left > 0 and self:read(math.min(left * 1000 + 1, 100)) == nil
    if left <= 0 or ended then
      result = condition(self)
      if result then return result end
      error(("%s: %s; the screen is:\n%s"):format(ended and "the program ended" or "waited in vain",
        type(wanted) == "string" and wanted or "a condition", self.screen:text()), 2)
    end
  end
end

---Reads until nothing has come for so many milliseconds (50).
function Pty:settle(milliseconds)
  while true do
    local bytes = self:read(milliseconds or 50)
    if bytes == nil or bytes == "" then return end
  end
end

---Sends keys. What the program writes meanwhile is read, so that neither side waits for the other for ever.
function Pty:type(bytes)
  local i = 1
  while i <= #bytes do
    local part = bytes:sub(i, i + 511)
    local n = tonumber(C.cudalua_pty_write(self.fd, part, #part))
    if n > 0 then i = i + n end
    if self:read(0) == nil then return end
  end
end

---Sends a signal to the program.
function Pty:kill(signal) C.cudalua_pty_kill(self.pid, signal) end

---The state of the terminal, as bits: { lflag =, iflag =, oflag = }.
function Pty:modes()
  local t = ffi.new "uint32_t[32]"
  check(C.cudalua_pty_tcgetattr(self.fd, t), "tcgetattr")
  return { iflag = t[0], oflag = t[1], lflag = t[3] }
end

---Whether the terminal hands over keys one by one (ICANON is off).
function Pty:is_raw() return bit.band(self:modes().lflag, 2) == 0 end

---Waits until the program ends, at most so many seconds (60). "exit", status or "signal", number; nil if it still runs.
function Pty:wait(seconds)
  if self.how then return self.how, self.code end
  local status, deadline = ffi.new "int[1]", now() + (seconds or 60)
  repeat
    local pid = C.cudalua_pty_waitpid(self.pid, status, WNOHANG)
    if pid == self.pid then
      local low = bit.band(status[0], 0x7f)
      self.how, self.code = low == 0 and "exit" or "signal", low == 0 and bit.rshift(status[0], 8) or low
      while (self:read(0) or "") ~= "" do end -- what it wrote last
      return self.how, self.code
    end
    self:read(5)
  until now() > deadline
end

---Takes the terminal away, as closing a window does. How the program ended.
function Pty:hang_up()
  C.cudalua_pty_close(self.fd)
  self.fd = nil
  return self:wait()
end

---Ends the program if it still runs, and gives back its terminal.
function Pty:close()
  local how, code = self:wait(0)
  if not how then
    self:kill(9)
    how, code = self:wait()
  end
  if self.fd then C.cudalua_pty_close(self.fd) end
  self.fd = nil
  return how, code
end

return M
