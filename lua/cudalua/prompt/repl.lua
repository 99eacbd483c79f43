-- The prompt, plain: reads a line (more while the chunk is incomplete), evaluates it as an expression first,
-- prints what it gives. Errors are printed and lose nothing.

-- Taken now: what is typed may put anything in their place.
local type, pcall, xpcall, tostring, select, loadstring = type, pcall, xpcall, tostring, select, loadstring
local stdin, stdout, concat, find, format, gsub = io.stdin, io.stdout, table.concat, string.find, string.format,
  string.gsub
local traceback = debug.traceback
local read, write, flush = stdin.read, stdout.write, stdout.flush

local M = {}

local function show(value)
  if type(value) == "string" then return format("%q", value) end
  local ok, text = pcall(tostring, value)
  return ok and type(text) == "string" and text or "(a value whose __tostring fails)"
end

-- A chunk that ends too early is one whose error is at its end.
local function incomplete(err) return find(err, "near '<eof>'", 1, true) ~= nil end

local function compile(text)
  local chunk = loadstring("return " .. text, "=stdin")
  if chunk then return chunk end
  return loadstring(text, "=stdin")
end

-- What the user's own chunk was doing: the frames of the prompt itself are of no interest.
local function traced(err)
  if type(err) ~= "string" then return err end
  return (gsub(gsub(traceback(err, 2), "\n\t%[C%]: in function 'xpcall'.*$", ""), "\nstack traceback:$", ""))
end

local function results(ok, ...)
  if not ok then
    local err = ...
    write(stdout, type(err) == "string" and err or show(err), "\n")
    return
  end
  local n = select("#", ...)
  local texts = {}
  for i = 1, n do texts[i] = show((select(i, ...))) end
  if n > 0 then write(stdout, concat(texts, "\t"), "\n") end
end

---Runs the prompt until the end of standard input.
---@param banner string
function M.run(banner)
  write(stdout, banner, "\n", "`cuda` is the library; ^D ends.\n")
  while true do
    write(stdout, "> ")
    flush(stdout)
    local text = read(stdin, "*l")
    if not text then break end
    local chunk, err = compile(text)
    while not chunk and incomplete(err) do
      write(stdout, ">> ")
      flush(stdout)
      local more = read(stdin, "*l")
      if not more then break end
      text = text .. "\n" .. more
      chunk, err = compile(text)
    end
    if find(text, "%S") then
      if chunk then results(xpcall(chunk, traced)) else write(stdout, err, "\n") end
    end
  end
  write(stdout, "\n")
end

return M
