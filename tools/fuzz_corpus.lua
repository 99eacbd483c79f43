-- A corpus is a folder of files for libFuzzer, and one text file in the repository: each input after a line
-- "=== LENGTH", as it is but for bytes that are no text, which are written \xHH, and backslashes, which are doubled.
--
--   luajit tools/fuzz_corpus.lua unpack FILE DIR
--   luajit tools/fuzz_corpus.lua pack DIR FILE [BYTES]     the smallest inputs first, no more than BYTES of them
local command, from, to, limit = arg[1], arg[2], arg[3], tonumber(arg[4] or 0)

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function escape(text)
  text = text:gsub("\\", "\\\\"):gsub("[^\t\n -~]", function(c) return ("\\x%02x"):format(c:byte()) end)
  return (("\n" .. text):gsub("\n=", "\n\\x3d"):sub(2))
end

local function unescape(text)
  return (text:gsub("\\(.)(%x?%x?)", function(kind, digits)
    if kind == "\\" then return "\\" .. digits end
    return string.char(tonumber(digits, 16))
  end))
end

local function unpack_file()
  local text, n, at = read(from), 0, 1
  while at <= #text do
    local size, start = text:match("^=== (%d+)\n()", at)
    assert(size, from .. " is no corpus")
    local stop = text:find("\n=== ", start - 1, true) or #text
    local input = unescape(text:sub(start, stop))
    size = tonumber(size)
    assert(#input == size or #input == size + 1, from .. ": an input has not the length that it should have")
    n = n + 1
    write(("%s/%04d"):format(to, n), input:sub(1, size))
    at = stop + 1
  end
end

local function pack_folder()
  local inputs, out, size = {}, {}, 0
  local pipe = assert(io.popen(("ls '%s'"):format(from)))
  for name in pipe:lines() do inputs[#inputs + 1] = read(from .. "/" .. name) end
  pipe:close()
  table.sort(inputs, function(a, b)
    if #a ~= #b then return #a < #b end
    return a < b
  end)
  for _, input in ipairs(inputs) do
    local entry = ("=== %d\n%s\n"):format(#input, escape(input))
    if limit > 0 and size + #entry > limit then break end
    size = size + #entry
    out[#out + 1] = entry
  end
  write(to, table.concat(out))
  print(("%s: %d of %d inputs, %d bytes"):format(to, #out, #inputs, size))
end

if command == "pack" then pack_folder() elseif command == "unpack" then unpack_file() else error("pack or unpack?") end
