-- The terminal of standard input and output: its settings, its size, waiting for it.
--
-- While the editor waits for a key the terminal hands over each byte (no echo, no signals of keys). Output processing
-- stays on. The signals that matter then are blocked and read as data (signalfd), so that Lua answers them:
-- the settings are back before SIGTERM and SIGHUP end the process and before SIGTSTP stops it.

local ffi = require "ffi"
local posix = require "cudalua.prompt.posix"
local bit = require "bit"

local C = posix.C
local getenv, gsub, sub, max, tonumber = os.getenv, string.gsub, string.sub, math.max, tonumber
local stdin, stdout = io.stdin, io.stdout
local flush = stdout.flush
local band, bnot, bor, lshift = bit.band, bit.bnot, bit.bor, bit.lshift
local new, copy, cast, errno, text_of = ffi.new, ffi.copy, ffi.cast, ffi.errno, ffi.string

local M = {}

local INPUT, OUTPUT, CTRL_D = 0, 1, "\4"
local EINTR, EAGAIN, POLLIN = posix.EINTR, posix.EAGAIN, posix.POLLIN
-- ICRNL stays: lines that are typed ahead are lines for the chunk that reads them.
local input_off = bor(posix.BRKINT, posix.INPCK, posix.ISTRIP, posix.INLCR, posix.IGNCR, posix.IXON)
local local_off = bor(posix.ISIG, posix.ICANON, posix.ECHO, posix.IEXTEN)

local function set_of(...)
  local set, numbers = new "struct cudalua_sigset", { ... }
  for i = 1, #numbers do set.bits[0] = bor(set.bits[0], lshift(1ULL, numbers[i] - 1)) end
  return set
end

local watched = set_of(posix.SIGHUP, posix.SIGINT, posix.SIGTERM, posix.SIGCONT, posix.SIGTSTP, posix.SIGWINCH)

-- What the terminal and the process had before enter(); nil while they have it.
local before
local signal_fd
-- Of what waits to be read, how many bytes were typed while the terminal was in its ordinary mode, at most. There the
-- key for the end of the input, Ctrl-D, leaves a NUL.
local typed_ahead = 0
local read_buffer = new "uint8_t[4096]"
local signal_info = new "uint32_t[32]" -- struct signalfd_siginfo: its number comes first
local polled = new "struct cudalua_pollfd[2]"

---The size of the terminal; nil if it has none.
---@return integer? columns
---@return integer? rows
function M.size()
  local size = new "unsigned short[4]"
  if C.cudalua_ioctl(OUTPUT, posix.TIOCGWINSZ, size) ~= 0 or size[0] == 0 or size[1] == 0 then return nil end
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
  local address, left = cast("const char *", text), #text
  while left > 0 do
    local n = tonumber(C.cudalua_write(OUTPUT, address, left))
    if n >= 0 then
      address, left = address + n, left - n
    elseif errno() == EAGAIN then -- somebody made the terminal non-blocking
      polled[0].fd, polled[0].events = OUTPUT, posix.POLLOUT
      C.cudalua_poll(polled, 1, 1000)
    elseif errno() ~= EINTR then
      return
    end
  end
end

---Takes the terminal: bytes come one by one, signals as data. false if the terminal refuses.
function M.enter()
  if before then return true end
  -- A chunk's io.read takes no more than it asks for: the rest of what is typed ahead is the editor's.
  if not signal_fd then stdin:setvbuf "no" end
  flush(stdout)
  local saved = { termios = new "struct cudalua_termios", mask = new "struct cudalua_sigset" }
  if C.cudalua_tcgetattr(INPUT, saved.termios) ~= 0 then return false end
  C.cudalua_sigprocmask(posix.SIG_BLOCK, watched, saved.mask)
  signal_fd = signal_fd or C.cudalua_signalfd(-1, watched, posix.SFD_NONBLOCK + posix.SFD_CLOEXEC)
  before = saved
  local raw = new "struct cudalua_termios"
  copy(raw, saved.termios, ffi.sizeof(raw))
  raw.iflag = band(raw.iflag, bnot(input_off))
  raw.lflag = band(raw.lflag, bnot(local_off))
  raw.cc[posix.VMIN], raw.cc[posix.VTIME] = 1, 0
  while C.cudalua_tcsetattr(INPUT, posix.TCSADRAIN, raw) ~= 0 do
    if errno() ~= EINTR then
      M.leave()
      return false
    end
  end
  local n = new "int[1]"
  typed_ahead = C.cudalua_ioctl(INPUT, posix.FIONREAD, n) == 0 and n[0] or 0
  return true
end

---Gives the terminal back as it was.
function M.leave()
  if not before then return end
  while C.cudalua_tcsetattr(INPUT, posix.TCSADRAIN, before.termios) ~= 0 and errno() == EINTR do end
  C.cudalua_sigprocmask(posix.SIG_SETMASK, before.mask, nil)
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
  if band(polled[0].revents, bor(posix.POLLERR, posix.POLLHUP)) ~= 0 then return "end" end
  return "timeout"
end

---Whether input waits to be read.
function M.has_input()
  polled[0].fd, polled[0].events, polled[0].revents = INPUT, POLLIN, 0
  return C.cudalua_poll(polled, 1, 0) == 1 and band(polled[0].revents, POLLIN) ~= 0
end

---Reads at most n bytes (4096); "" if there are none after all, nil at the end of the input.
function M.read(n)
  n = tonumber(C.cudalua_read(INPUT, read_buffer, n))
  if n > 0 then
    local bytes, ahead = text_of(read_buffer, n), typed_ahead
    typed_ahead = max(0, ahead - n)
    if ahead == 0 then return bytes end
    return gsub(sub(bytes, 1, ahead), "%z", CTRL_D) .. sub(bytes, ahead + 1)
  end
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
  C.cudalua_sigprocmask(posix.SIG_UNBLOCK, set_of(number), mask)
  C.cudalua_kill(group and 0 or C.cudalua_getpid(), number)
  C.cudalua_sigprocmask(posix.SIG_SETMASK, mask, nil)
  if entered then M.enter() end
end

return M
