-- Which of the user's files a compilation reads: `#include` lines, followed through the search path, without a
-- preprocessor. What is found may be too much (a branch that #if leaves out, a header in a comment), never too little;
-- text of which that cannot be said is refused. CUDA's own headers are not read: the toolchain's stamp stands for them.

local core = require "cudalua.core"
local pairs_of = require "cudalua.base.pairs_of"

local M = {}

local byte, find, sub = string.byte, string.find, string.sub

local MAX_FILES = 5000
local MAX_BYTES = 2 ^ 28

-- A directive's name must stand this near to its "include"; real ones do.
local REACH = 4096

local function blank(c) return c == 32 or c == 9 or c == 11 or c == 12 end

-- The position before the blanks that end at `at`.
local function skip_back(text, at)
  while blank(byte(text, at)) do at = at - 1 end
  return at
end

local function ends_comment(text, at) return byte(text, at) == 47 and byte(text, at - 1) == 42 end -- */

-- Is the word that begins at `first` a directive's: first on its line after a # ? A comment that ends before the word
-- or before the # may hold anything: then it counts as one.
local function is_directive(text, first)
  local at = skip_back(text, first - 1)
  if ends_comment(text, at) then return true end
  local c = byte(text, at)
  if c == 58 and byte(text, at - 1) == 37 then
    at = at - 1 -- %: is another spelling of #
  elseif c ~= 35 then
    return false
  end
  at = skip_back(text, at - 1)
  c = byte(text, at)
  return c == nil or c == 10 or c == 13 or ends_comment(text, at)
    or (at == 3 and sub(text, 1, 3) == "\239\187\191") -- an editor's byte order mark
end

-- What follows a directive: blanks and comments, then a name. Returns name and true for "name", name and false for
-- <name>, nil for anything else.
local function operand(text, at)
  local rest = sub(text, at, at + REACH)
  local pos = 1
  while true do
    while blank(byte(rest, pos)) do pos = pos + 1 end
    if byte(rest, pos) ~= 47 or byte(rest, pos + 1) ~= 42 then break end
    local _, close = find(rest, "*/", pos + 2, true)
    if not close then return nil end
    pos = close + 1
  end
  local name, quoted = rest:match('^"([^"\r\n]*)"', pos), true
  if not name then name, quoted = rest:match("^<([^>\r\n]*)>", pos), false end
  if name and find(name, "\0", 1, true) then return nil end
  return name, quoted
end

-- Directives that read a file, by the word after the #; today's NVRTC has no #embed yet.
local words = { "include", "embed" }

local function scan_lines(text)
  local refs = {}
  for _, word in ipairs(words) do
    local at = 1
    while true do
      local first, last = find(text, word, at, true)
      if not first then break end
      at = last + 1
      local before, after = byte(text, first - 1), byte(text, at)
      if before == 95 and sub(text, first - 6, first - 1) == "__has_" then
        return nil, "it uses __has_" .. word
      end
      if sub(text, at, at + 4) == "_next" then
        at = at + 5
        after = byte(text, at)
      end
      -- Part of a longer word? Bytes from 128 are letters of other alphabets.
      if not (after and (after >= 48 and after <= 57 or after >= 65 and after <= 90 or after >= 97 and after <= 122
        or after == 95 or after >= 128)) and is_directive(text, first) then
        local name, quoted = operand(text, at)
        if not name then return nil, "an #" .. word .. " of it names no file (a macro?)" end
        refs[#refs + 1] = { name = name, quoted = quoted }
      end
    end
  end
  return refs
end

-- Joins lines that end in a backslash.
local function splice(text)
  local parts, from, at = {}, 1, 1
  while true do
    local slash = find(text, "\\", at, true)
    if not slash then break end
    local stop = slash + 1
    if byte(text, stop) == 13 then stop = stop + 1 end
    if byte(text, stop) == 10 then
      parts[#parts + 1] = sub(text, from, slash - 1)
      from = stop + 1
    end
    at = stop
  end
  parts[#parts + 1] = sub(text, from)
  return table.concat(parts)
end

---The files that a text names.
---@param text string  of 1 MB takes some 5 ms
---@return {name: string, quoted: boolean}[]? references  nil: that cannot be said
---@return string? why
function M.scan(text)
  if find(text, "??=", 1, true) or find(text, "??/", 1, true) then return nil, "it has trigraphs" end
  if find(text, "\\\n", 1, true) or find(text, "\\\r", 1, true) then text = splice(text) end
  for _, name in ipairs { "__DATE__", "__TIME__", "__TIMESTAMP__" } do
    if find(text, name, 1, true) then return nil, "it uses " .. name end
  end
  return scan_lines(text)
end

-- Options that make files part of the result in ways not followed here, or that write files.
local refused = {
  ["--device-debug"] = "-G", ["-G"] = "-G", ["--pch"] = "--pch", ["-pch"] = "--pch", ["--create-pch"] = "--create-pch",
  ["-create-pch"] = "--create-pch", ["--use-pch"] = "--use-pch", ["-use-pch"] = "--use-pch",
  ["--fdevice-time-trace"] = "--fdevice-time-trace", ["-fdevice-time-trace"] = "--fdevice-time-trace",
  ["--options-file"] = "--options-file", ["-optf"] = "--options-file",
}
local takes_folder = { ["-I"] = true, ["--include-path"] = true }
local takes_file = { ["-include"] = true, ["--pre-include"] = true }

-- The folders and files that options name; nil and why for options that rule the cache out.
local function read_options(options)
  local folders, files = {}, {}
  local i = 1
  while i <= #options do
    local option = options[i]
    local key, value = option:match "^([^=]*)=(.*)$"
    key = key or option
    if refused[key] then return nil, "option " .. refused[key] end
    if (key == "--time" or key == "-time") and value ~= "-" then return nil, "option --time writes a file" end
    if find(option, "options-file", 1, true) then return nil, "an options file" end
    local into = takes_folder[key] and folders or takes_file[key] and files
    if into and not value then
      i = i + 1
      value = options[i]
    elseif not into and sub(option, 1, 2) == "-I" then
      into, value = folders, sub(option, 3)
    end
    if into and value then into[#into + 1] = value end
    i = i + 1
  end
  return folders, nil, files
end

local function listed(list, value)
  for _, v in ipairs(list or {}) do
    if v == value then return true end
  end
end

local function join(dir, name)
  if sub(name, 1, 1) == "/" then return name end
  return dir == "" and name or dir .. "/" .. name
end

-- Everything below a folder, by name, size and time: for a folder of the user's that has the name of one of the
-- toolkit's, and so may stand in for files that the toolkit's headers include.
local function walk(path, out)
  local names = core.list_folder(path) or {}
  table.sort(names)
  for _, name in ipairs(names) do
    local full = path .. "/" .. name
    local kind, bytes, changed = core.stat(full)
    if #out > MAX_FILES then return nil end
    if kind == "directory" then
      if not walk(full, out) then return nil end
    else
      out[#out + 1] = ("%s %s %s"):format(full, tostring(bytes), tostring(changed))
    end
  end
  return out
end

-- What is at the top of the toolkit's folders: cuda_fp16.h, cub, crt ...
local top_names = {}
local function names_in(system_dirs)
  local all = {}
  for _, dir in ipairs(system_dirs or {}) do
    if not top_names[dir] then
      top_names[dir] = core.list_folder(dir) or {}
      table.sort(top_names[dir])
    end
    for _, name in ipairs(top_names[dir]) do all[#all + 1] = name end
  end
  return all
end

-- Where a name is looked for, and where the source stands. Which place wins is left to NVRTC: files at all of them
-- count. CUDA's own folders do not.
local function places_of(request, folders)
  local system, known, dirs = {}, {}, {}
  for _, dir in ipairs(request.system_dirs or {}) do system[core.realpath(dir) or dir] = true end
  local function add_dir(dir)
    local real = core.realpath(dir) or dir
    if not (known[real] or system[real]) then
      known[real] = true
      dirs[#dirs + 1] = dir
    end
  end
  local start = request.source_dir
  if start then
    add_dir(start)
  elseif not (listed(request.options, "--no-source-include") or listed(request.options, "-no-source-include")) then
    start = request.name:match "^(.*)/[^/]*$" or "" -- the working directory
  end
  for _, dir in ipairs(request.include_dirs or {}) do add_dir(dir) end
  for _, dir in ipairs(folders) do add_dir(dir) end
  return dirs, start
end

---A search for files.
---@class cudalua.compiler.Search
---@field dirs string[]       where names are looked for
---@field lines string[]      for the key
---@field queue table[]       files to be scanned: text, dir, path
---@field seen table<string, true>
---@field tried table<string, boolean>
---@field compared table<string, true>  folders whose files that are named as the toolkit's are in the key
---@field total integer       bytes
---@field unresolved? boolean a name was not found in the user's folders
---@field why? string         a file cannot be read

-- Reads a file: true; false: it is not there; "unreadable".
local function read(search, path)
  if search.tried[path] ~= nil then return search.tried[path] end
  search.tried[path] = false
  -- Folders through . or .. are made plain, or a file that includes itself so would never end.
  local real, parent, last = path, path:match "^(.*/)([^/]*)$"
  if find(path, "/.", 1, true) then real = join(core.realpath(parent) or parent, last) end
  if not search.seen[real] then
    local text = core.read_file(real, MAX_BYTES)
    if not text then return core.stat(real) == "file" and "unreadable" or false end
    search.seen[real] = true
    search.total = search.total + #text
    search.lines[#search.lines + 1] = core.sha256(text) .. " " .. real
    search.queue[#search.queue + 1] = { text = text, dir = real:match "^(.*)/[^/]*$" or "", path = real }
  end
  search.tried[path] = true
  return true
end

-- Reads what an #include in a file of the folder `dir` may mean.
local function resolve(search, ref, dir)
  local found
  local function try(path)
    local state = read(search, path)
    if state == "unreadable" then search.why = path .. " cannot be read" end
    found = found or state
  end
  if sub(ref.name, 1, 1) == "/" then
    try(ref.name)
  else
    if ref.quoted and dir then try(join(dir, ref.name)) end
    for _, folder in ipairs(search.dirs) do try(join(folder, ref.name)) end
  end
  search.unresolved = search.unresolved or not found
end

-- The toolkit's own headers include others, and look for them in the user's folders first. Returns why that cannot be
-- said, if it cannot.
local function compare(search, system_dirs)
  for _, dir in ipairs(search.dirs) do
    if not search.compared[dir] then
      search.compared[dir] = true
      for _, name in ipairs(names_in(system_dirs)) do
        local path = join(dir, name)
        local kind = core.stat(path)
        if kind == "file" then
          read(search, path)
        elseif kind == "directory" and not walk(path, search.lines) then
          return path .. " has too many files"
        end
      end
    end
  end
end

-- Scans the files of the queue, which grows on the way. Returns why that cannot be done, if it cannot.
local function scan_all(search, system_dirs)
  local queue, i = search.queue, 0
  while i < #queue do
    i = i + 1
    local file = queue[i]
    queue[i] = false
    local refs, reason = M.scan(file.text)
    if not refs then return file.path .. ": " .. reason end
    for _, ref in ipairs(refs) do
      resolve(search, ref, file.dir)
      if search.why then return search.why end
    end
    if #queue > MAX_FILES or search.total > MAX_BYTES then return "it includes too much" end
    if i == #queue and search.unresolved then
      search.unresolved = nil
      local why = compare(search, system_dirs)
      if why then return why end
    end
  end
end

---The user's files that a compilation may read, as lines for the cache's key.
---@param request table  source, headers, include_dirs, source_dir, system_dirs, options (compiler.lua)
---@return string[]? lines  one a file: its SHA-256 and path, or its size, time and path; nil: that cannot be said
---@return string? why
function M.collect(request)
  local folders, why, pre = read_options(request.options or {})
  if not folders then return nil, why end
  local dirs, start = places_of(request, folders)
  local search = { dirs = dirs, lines = {}, queue = {}, seen = {}, tried = {}, compared = {}, total = 0 }
  local queue = search.queue
  queue[1] = { text = request.source, dir = start, path = "the source" }
  local headers = {}
  for name in pairs_of(request.headers or {}) do headers[#headers + 1] = name end
  table.sort(headers) -- the order of the lines is part of the key
  for _, name in ipairs(headers) do
    queue[#queue + 1] = { text = request.headers[name], dir = start, path = name }
  end
  for _, name in ipairs(pre) do resolve(search, { name = name, quoted = true }, "") end
  why = search.why or scan_all(search, request.system_dirs)
  if why then return nil, why end
  return search.lines
end

return M
