-- The chunks that were typed, kept in a file between runs.
--
-- The file has a chunk a line: a newline in it is \n, a backslash \\. An entry is one write() to the file opened for
-- appending, so prompts that run at the same time lose nothing of each other's. A start trims a file that has grown
-- long, by a new file in its place; a lock on the folder keeps appending away meanwhile. Whatever is wrong with the
-- file, the prompt has its history of this run.

local ffi = require "ffi"
local posix = require "cudalua.prompt.posix"

local C, write_all = posix.C, posix.write_all
local gsub, sub, match, gmatch = string.gsub, string.sub, string.match, string.gmatch
local concat, max, getenv, setmetatable, tonumber = table.concat, math.max, os.getenv, setmetatable, tonumber
local errno, new, text_of = ffi.errno, ffi.new, ffi.string

local History = {}
History.__index = History

local M = {}

local most_entries = 10000
local most_bytes = 16 * 2 ^ 20 -- of the file's end are read

local READ = posix.O_RDONLY + posix.O_NONBLOCK + posix.O_CLOEXEC -- nobody waits for a FIFO's other end
local APPEND = posix.O_RDWR + posix.O_CREAT + posix.O_APPEND + posix.O_NONBLOCK + posix.O_CLOEXEC
local CREATE = posix.O_WRONLY + posix.O_CREAT + posix.O_TRUNC + posix.O_CLOEXEC
local owner_only = new("int", 384) -- 0600: chunks may hold secrets

local escapes = { ["\\"] = "\\\\", ["\n"] = "\\n" }
local meanings = { ["\\\\"] = "\\", ["\\n"] = "\n" }

local function to_line(text) return gsub(text, "[\\\n]", escapes) .. "\n" end

local function from_line(line) return (gsub(line, "\\[\\n]", meanings)) end

---The file of the history: $CUDALUA_HISTORY, else cudalua/history in $XDG_STATE_HOME or ~/.local/state.
---@return string? path  nil: none is kept
function M.path()
  local own = getenv "CUDALUA_HISTORY"
  if own then return own ~= "" and own or nil end
  local state = getenv "XDG_STATE_HOME"
  if not state or sub(state, 1, 1) ~= "/" then
    local home = getenv "HOME"
    if not home or home == "" then return nil end
    state = home .. "/.local/state"
  end
  return state .. "/cudalua/history"
end

local function folder(path) return match(path, "^(.*)/[^/]*$") or "." end

local function make_folders(path)
  if path == "" or path == "." then return end
  if C.cudalua_mkdir(path, 448) ~= 0 and errno() == posix.ENOENT then -- 0700
    make_folders(folder(path))
    C.cudalua_mkdir(path, 448)
  end
end

-- The end of a file as text; nil if it cannot be read. A FIFO and a folder are no files.
local function read_end(path)
  local fd = C.cudalua_open(path, READ)
  if fd < 0 then return nil end
  local size = tonumber(C.cudalua_lseek(fd, 0, posix.SEEK_END))
  if size < 0 then
    C.cudalua_close(fd)
    return nil
  end
  C.cudalua_lseek(fd, max(0, size - most_bytes), posix.SEEK_SET)
  local parts, buffer, left = {}, new "char[65536]", most_bytes
  while left > 0 do
    local n = tonumber(C.cudalua_read(fd, buffer, 65536))
    if n <= 0 and not (n < 0 and errno() == posix.EINTR) then break end
    if n > 0 then
      parts[#parts + 1] = text_of(buffer, n)
      left = left - n
    end
  end
  C.cudalua_close(fd)
  local text = concat(parts)
  if size > most_bytes then text = gsub(text, "^[^\n]*\n", "") end -- begins within an entry
  return text
end

-- Calls f while no other prompt changes the file. Does not wait for a lock longer than a person would notice.
local function locked(path, f)
  local fd = C.cudalua_open(folder(path), READ)
  local has_lock = false
  for _ = 1, 20 do
    if fd < 0 then break end
    has_lock = C.cudalua_flock(fd, posix.LOCK_EX + posix.LOCK_NB) == 0
    if has_lock then break end
    C.cudalua_poll(nil, 0, 5)
  end
  f(has_lock)
  if has_lock then C.cudalua_flock(fd, posix.LOCK_UN) end
  if fd >= 0 then C.cudalua_close(fd) end
end

-- Puts the last entries of the file in its place.
local function trim(path)
  locked(path, function(has_lock)
    if not has_lock then return end -- another time
    local lines = {}
    for line in gmatch(read_end(path) or "", "[^\n]+") do lines[#lines + 1] = line end
    if #lines <= most_entries then return end
    local other = path .. "." .. C.cudalua_getpid()
    local fd = C.cudalua_open(other, CREATE, owner_only)
    if fd < 0 then return end
    local written = write_all(fd, concat(lines, "\n", #lines - most_entries + 1) .. "\n")
    C.cudalua_close(fd)
    if not written or C.cudalua_rename(other, path) ~= 0 then C.cudalua_unlink(other) end
  end)
end

---The history of a file; of this run alone if path is nil.
---@param path? string
function M.open(path)
  local self = setmetatable({ path = path, entries = {} }, History)
  if not path then return self end
  local text = read_end(path)
  if not text then return self end
  local entries = self.entries
  for line in gmatch(text, "[^\n]+") do entries[#entries + 1] = from_line(line) end
  if #entries > most_entries then
    local first = #entries - most_entries
    for i = 1, #entries do entries[i] = entries[first + i] end
    trim(path)
  end
  return self
end

-- Writes an entry behind the others. A last line that was cut off ends first.
local function append(path, text)
  local fd = C.cudalua_open(path, APPEND, owner_only)
  if fd < 0 then return false end
  local line, last = to_line(text), new "char[1]"
  if C.cudalua_lseek(fd, -1, posix.SEEK_END) >= 0 and C.cudalua_read(fd, last, 1) == 1 and last[0] ~= 10 then
    line = "\n" .. line
  end
  write_all(fd, line)
  C.cudalua_close(fd)
  return true
end

---The number of entries.
function History:count() return #self.entries end

---An entry; 1 is the oldest.
function History:get(i) return self.entries[i] end

---Adds a chunk, but not one that repeats the last.
---@param text string
function History:add(text)
  text = match(text, "^(.-)%s*$")
  if text == "" or text == self.entries[#self.entries] then return end
  self.entries[#self.entries + 1] = text
  local path = self.path
  if not path then return end
  locked(path, function()
    if not append(path, text) and errno() == posix.ENOENT then
      make_folders(folder(path))
      append(path, text)
    end
  end)
end

return M
