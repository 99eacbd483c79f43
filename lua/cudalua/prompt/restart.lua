-- A new process in the place of this one: execv() of the same program with the same arguments. The chunks of the
-- session go along in memory that only this user can read.

local ffi = require "ffi"
local posix = require "cudalua.prompt.posix"
local bit = require "bit"

local C = posix.C
local concat, find, format, gmatch, match, sub = table.concat, string.find, string.format, string.gmatch, string.match,
  string.sub
local getenv, ipairs, open, tonumber = os.getenv, ipairs, io.open, tonumber
local cast, errno, new, text_of = ffi.cast, ffi.errno, ffi.new, ffi.string

ffi.cdef [[
int cudalua_memfd_create(const char *name, unsigned flags) __asm__("memfd_create");
int cudalua_execv(const char *path, const char *const *argv) __asm__("execv");
int cudalua_setenv(const char *name, const char *value, int over) __asm__("setenv");
int cudalua_unsetenv(const char *name) __asm__("unsetenv");
int cudalua_fcntl(int fd, int command, ...) __asm__("fcntl");
int cudalua_fflush(void *file) __asm__("fflush");
int cudalua_sigaction(int number, const void *to, void *is) __asm__("sigaction");
void *cudalua_signal(int number, void *handler) __asm__("signal");
char *cudalua_strerror(int number) __asm__("strerror");
]]

local M = {}

local NAME = "CUDALUA_RESTART" -- environment variable: the number of the file with the chunks
local F_GETFD, F_SETFD, FD_CLOEXEC = 1, 2, 1
local SIGNALS = 64

-- ---- which chunks ---------------------------------------------------------------------------------------------------

---A chunk of a session.
---@class cudalua.prompt.Entry
---@field text string
---@field state? "failed"|"not run"|"not run, failed before"  nil: it ended without an error
---@field first? integer  launches of kernels before it
---@field last? integer   and after it
---@field kernel? string   the last one that it launched, if it launched any

-- In this process or in the ones before.
local function has_failed(entry) return entry.state ~= nil and entry.state ~= "not run" end

---The chunks that a text names: "", "all" (those without an error), "1-4,7".
---@param text string
---@param entries cudalua.prompt.Entry[]
---@return integer[]?
---@return string? why  not
function M.choose(text, entries)
  local chosen, want = {}, {}
  if text == "all" then
    for i, entry in ipairs(entries) do want[i] = not has_failed(entry) end
  else
    for part in gmatch(text, "[^%s,]+") do
      local from, to = match(part, "^(%d+)%-(%d+)$")
      from = tonumber(from or match(part, "^%d+$"))
      to = tonumber(to) or from
      if not from or from < 1 or to > #entries or from > to then
        return nil, #entries == 0 and "the session has no chunks; :restart alone starts over" or
          format("'%s' names no chunks; write numbers from 1 to %d, such as 1-4,7, or all; :restart ? lists them", part,
            #entries)
      end
      for i = from, to do want[i] = true end
    end
  end
  for i in ipairs(entries) do
    if want[i] then chosen[#chosen + 1] = i end
  end
  return chosen
end

local WIDTH = 70

---The chunks with their numbers, a line each.
---@param entries cudalua.prompt.Entry[]
---@return string
function M.listed(entries)
  if #entries == 0 then return "the session has no chunks yet" end
  local lines = {}
  for i, entry in ipairs(entries) do
    local line = match(entry.text, "%s*([^\n]*)")
    if #line > WIDTH or find(entry.text, "\n%s*%S") then line = sub(line, 1, WIDTH) .. " ..." end
    lines[i] = format("%3d  %s%s", i, line, entry.state and "  -- " .. entry.state or "")
  end
  return concat(lines, "\n")
end

-- ---- handing over ---------------------------------------------------------------------------------------------------

local function packed(entries, chosen)
  local run, out = {}, {}
  for _, i in ipairs(chosen) do run[i] = true end
  for i, entry in ipairs(entries) do
    out[i] = format("%d %d %d\n%s\n", run[i] and 1 or 0, has_failed(entry) and 1 or 0, #entry.text, entry.text)
  end
  return concat(out)
end

---In the new process: the chunks of the session before, and which of them are to run. Called before anything else
---runs, so that no child inherits them.
---@return cudalua.prompt.Entry[]? entries  nil: the process was not restarted
---@return integer[]? chosen
function M.taken()
  local fd = tonumber(getenv(NAME) or "")
  C.cudalua_unsetenv(NAME)
  if not fd or fd <= 2 then return nil end
  local parts, buffer = {}, new "char[65536]"
  repeat
    local n = tonumber(C.cudalua_read(fd, buffer, 65536))
    if n > 0 then parts[#parts + 1] = text_of(buffer, n) end
  until n == 0 or n < 0 and errno() ~= posix.EINTR
  C.cudalua_close(fd)
  local text, at, entries, chosen = concat(parts), 1, {}, {}
  while true do
    local run, failed, size, from = match(text, "^([01]) ([01]) (%d+)\n()", at)
    if not run then return entries, chosen end
    at = from + size + 1
    entries[#entries + 1] = { text = sub(text, from, at - 2),
      state = failed == "1" and "not run, failed before" or "not run" }
    if run == "1" then chosen[#chosen + 1] = #entries end
  end
end

-- Files that stay open would keep the GPU's memory, which goes when the driver's are closed.
local function close_others(kept)
  local folder = C.cudalua_opendir "/proc/self/fd"
  if folder == nil then return end
  while true do
    local entry = C.cudalua_readdir(folder)
    if entry == nil then break end
    local fd = tonumber(text_of(entry.name))
    if fd and fd > 2 and fd ~= kept then
      local flags = C.cudalua_fcntl(fd, F_GETFD)
      if flags >= 0 then C.cudalua_fcntl(fd, F_SETFD, cast("int", bit.bor(flags, FD_CLOEXEC))) end
    end
  end
  C.cudalua_closedir(folder)
end

-- The signals that are ignored have their default from here on; the numbers. execv() resets those with a handler.
local function heed_signals()
  local ignored, action = {}, new "uintptr_t[32]" -- struct sigaction begins with the handler, in glibc and musl
  for number = 1, SIGNALS do
    if C.cudalua_sigaction(number, nil, action) == 0 and action[0] == 1 then
      ignored[#ignored + 1] = number
      C.cudalua_signal(number, nil)
    end
  end
  return ignored
end

local function arguments()
  local file = open("/proc/self/cmdline", "rb")
  local text = file and file:read "*a" or ""
  if file then file:close() end
  local list = {}
  for argument in gmatch(text, "([^%z]*)%z") do list[#list + 1] = argument end
  return list
end

---Starts the program again. Returns only if that fails. Lua's state is not closed: that would wait for kernels. Files
---of the program are written out.
---@param entries cudalua.prompt.Entry[]
---@param chosen integer[]
---@return string why
function M.exec(entries, chosen)
  local argv = arguments()
  if #argv == 0 then return "/proc/self/cmdline cannot be read" end
  local fd = C.cudalua_memfd_create("cudalua-restart", 0)
  if fd < 0 or not posix.write_all(fd, packed(entries, chosen)) or C.cudalua_lseek(fd, 0, posix.SEEK_SET) ~= 0 then
    return "no memory for the chunks: " .. text_of(C.cudalua_strerror(errno()))
  end
  local list = new("const char *[?]", #argv + 1)
  for i, argument in ipairs(argv) do list[i - 1] = argument end
  local none, mask = new "struct cudalua_sigset", new "struct cudalua_sigset"
  C.cudalua_setenv(NAME, format("%d", fd), 1)
  C.cudalua_fflush(nil)
  close_others(fd)
  local ignored = heed_signals()
  C.cudalua_sigprocmask(posix.SIG_SETMASK, none, mask)
  C.cudalua_execv("/proc/self/exe", list)
  local why = text_of(C.cudalua_strerror(errno()))
  C.cudalua_sigprocmask(posix.SIG_SETMASK, mask, nil)
  for _, number in ipairs(ignored) do C.cudalua_signal(number, cast("void *", 1)) end
  C.cudalua_unsetenv(NAME)
  C.cudalua_close(fd)
  return why
end

return M
