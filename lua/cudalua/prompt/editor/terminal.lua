-- The terminal of standard input and output: its settings, its size, waiting for it.
--
-- While the editor waits for a key the terminal hands over each byte (no echo, no signals of keys). Output processing
-- stays on. The signals that matter then are blocked and read as data (signalfd), so that Lua answers them:
-- the settings are back before SIGTERM and SIGHUP end the process and before SIGTSTP stops it.

local ffi = require "ffi"

-- Own names for the C library's functions: a program may declare these with types of its own. Numbers and layouts are
-- Linux's on x86-64 and aarch64, the same in glibc and musl.
ffi.cdef [[
struct cudalua_termios { uint32_t iflag, oflag, cflag, lflag; uint8_t line, cc[32]; uint32_t speeds[8]; };
struct cudalua_pollfd { int fd; short events, revents; };
struct cudalua_sigset { unsigned long bits[16]; };
int cudalua_tcgetattr(int fd, struct cudalua_termios *to) __asm__("tcgetattr");
int cudalua_tcsetattr(int fd, int when, const struct cudalua_termios *from) __asm__("tcsetattr");
int cudalua_isatty(int fd) __asm__("isatty");
int cudalua_ioctl(int fd, unsigned long request, ...) __asm__("ioctl");
int cudalua_poll(struct cudalua_pollfd *fds, unsigned long n, int milliseconds) __asm__("poll");
long cudalua_read(int fd, void *to, size_t n) __asm__("read");
long cudalua_write(int fd, const void *from, size_t n) __asm__("write");
int cudalua_sigprocmask(int how, const struct cudalua_sigset *set, struct cudalua_sigset *before)
  __asm__("sigprocmask");
int cudalua_signalfd(int fd, const struct cudalua_sigset *set, int flags) __asm__("signalfd");
int cudalua_kill(int pid, int signal) __asm__("kill");
int cudalua_getpid(void) __asm__("getpid");
]]
local C = ffi.C

local getenv, stdout, tonumber, bit = os.getenv, io.stdout, tonumber, require "bit"
local flush = stdout.flush
local band, bnot, bor, lshift = bit.band, bit.bnot, bit.bor, bit.lshift
local new, copy, errno, text_of = ffi.new, ffi.copy, ffi.errno, ffi.string

local M = {}

local INPUT, OUTPUT = 0, 1
local TCSADRAIN = 1
local TIOCGWINSZ = 0x5413
local BRKINT, INPCK, ISTRIP, INLCR, IGNCR, ICRNL, IXON = 0x2, 0x10, 0x20, 0x40, 0x80, 0x100, 0x400
local ISIG, ICANON, ECHO, IEXTEN = 0x1, 0x2, 0x8, 0x8000
local VTIME, VMIN = 5, 6
local POLLIN, POLLERR, POLLHUP = 1, 8, 16
local EINTR, EAGAIN = 4, 11
local SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK = 0, 1, 2
local SFD_FLAGS = 0x80800 -- SFD_CLOEXEC and SFD_NONBLOCK

M.signals = { [1] = "SIGHUP", [2] = "SIGINT", [15] = "SIGTERM", [18] = "SIGCONT", [20] = "SIGTSTP", [28] = "SIGWINCH" }

local function set_of(numbers)
  local set = new "struct cudalua_sigset"
  for i = 1, #numbers do set.bits[0] = bor(set.bits[0], lshift(1ULL, numbers[i] - 1)) end
  return set
end

local watched = set_of { 1, 2, 15, 18, 20, 28 }

-- What the terminal and the process had before enter(); nil while they have it.
local before
local signal_fd
local read_buffer = new "uint8_t[4096]"
local signal_info = new "uint32_t[32]" -- struct signalfd_siginfo: its number comes first
local polled = new "struct cudalua_pollfd[2]"

---The size of the terminal; nil if it has none.
---@return integer? columns
---@return integer? rows
function M.size()
  local size = new "unsigned short[4]"
  if C.cudalua_ioctl(OUTPUT, TIOCGWINSZ, size) ~= 0 or size[0] == 0 or size[1] == 0 then return nil end
  return size[1], size[0]
end

---Whether there is a terminal that the editor can draw on.
function M.is_usable()
  local term = getenv "TERM"
  return term ~= nil and term ~= "" and term ~= "dumb" and C.cudalua_isatty(INPUT) == 1 and
    C.cudalua_isatty(OUTPUT) == 1 and (M.size()) ~= nil
end

---Writes all of a text.
function M.write(text)
  local address, left = ffi.cast("const char *", text), #text
  while left > 0 do
    local n = tonumber(C.cudalua_write(OUTPUT, address, left))
    if n >= 0 then
      address, left = address + n, left - n
    elseif errno() == EAGAIN then -- somebody made the terminal non-blocking
      polled[0].fd, polled[0].events = OUTPUT, 4
      C.cudalua_poll(polled, 1, 1000)
    elseif errno() ~= EINTR then
      return
    end
  end
end

---Takes the terminal: bytes come one by one, signals as data. false if the terminal refuses.
function M.enter()
  if before then return true end
  flush(stdout)
  local saved = { termios = new "struct cudalua_termios", mask = new "struct cudalua_sigset" }
  if C.cudalua_tcgetattr(INPUT, saved.termios) ~= 0 then return false end
  C.cudalua_sigprocmask(SIG_BLOCK, watched, saved.mask)
  signal_fd = signal_fd or C.cudalua_signalfd(-1, watched, SFD_FLAGS)
  before = saved
  local raw = new "struct cudalua_termios"
  copy(raw, saved.termios, ffi.sizeof(raw))
  raw.iflag = band(raw.iflag, bnot(bor(BRKINT, INPCK, ISTRIP, INLCR, IGNCR, ICRNL, IXON)))
  raw.lflag = band(raw.lflag, bnot(bor(ISIG, ICANON, ECHO, IEXTEN)))
  raw.cc[VMIN], raw.cc[VTIME] = 1, 0
  while C.cudalua_tcsetattr(INPUT, TCSADRAIN, raw) ~= 0 do
    if errno() ~= EINTR then
      M.leave()
      return false
    end
  end
  return true
end

---Gives the terminal back as it was.
function M.leave()
  if not before then return end
  while C.cudalua_tcsetattr(INPUT, TCSADRAIN, before.termios) ~= 0 and errno() == EINTR do end
  C.cudalua_sigprocmask(SIG_SETMASK, before.mask, nil)
  before = nil
end

---Waits for input or a signal.
---@param milliseconds integer  at most; -1: as long as it takes
---@return "input"|"signal"|"timeout"|"end" what
---@return integer? number  of the signal
function M.wait(milliseconds)
  polled[0].fd, polled[0].events, polled[0].revents = INPUT, POLLIN, 0
  polled[1].fd, polled[1].events, polled[1].revents = signal_fd, POLLIN, 0
  local n = C.cudalua_poll(polled, 2, milliseconds)
  if n < 0 then
    if errno() == EINTR then return "timeout" end
    return "end"
  end
  if band(polled[1].revents, POLLIN) ~= 0 and C.cudalua_read(signal_fd, signal_info, 128) == 128 then
    return "signal", signal_info[0]
  end
  if band(polled[0].revents, POLLIN) ~= 0 then return "input" end
  if band(polled[0].revents, bor(POLLERR, POLLHUP)) ~= 0 then return "end" end
  return "timeout"
end

---Reads at most n bytes (4096); "" if there are none after all, nil at the end of the input.
function M.read(n)
  n = tonumber(C.cudalua_read(INPUT, read_buffer, n))
  if n > 0 then return text_of(read_buffer, n) end
  if n < 0 and (errno() == EINTR or errno() == EAGAIN) then return "" end
  return nil
end

---Sends a signal to this process with the terminal as it was before enter(); returns when the process goes on.
---@param number integer
---@param group? boolean  true: to the process group, as the terminal's keys do
function M.raise(number, group)
  local entered = before ~= nil
  M.leave()
  local mask = new "struct cudalua_sigset"
  C.cudalua_sigprocmask(SIG_UNBLOCK, set_of { number }, mask)
  C.cudalua_kill(group and 0 or C.cudalua_getpid(), number)
  C.cudalua_sigprocmask(SIG_SETMASK, mask, nil)
  if entered then M.enter() end
end

return M
