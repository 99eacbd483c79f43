-- The prompt, plain: reads a line (more while the chunk is incomplete), evaluates it as an expression first,
-- prints what it gives. Errors are printed and lose nothing.

local M = {}

local function show(value)
  if type(value) == "string" then return ("%q"):format(value) end
  local ok, text = pcall(tostring, value)
  return ok and text or "(a value whose __tostring fails)"
end

-- A chunk that ends too early is one whose error is at its end.
local function incomplete(err) return err:find("<eof>", 1, true) ~= nil end

local function compile(text)
  local chunk = loadstring("return " .. text, "=stdin")
  if chunk then return chunk end
  return loadstring(text, "=stdin")
end

-- What the user's own chunk was doing: the frames of the prompt itself are of no interest.
local function traced(err)
  if type(err) ~= "string" then return err end
  return (debug.traceback(err, 2):gsub("\n\t%[C%]: in function 'xpcall'.*$", ""):gsub("\nstack traceback:$", ""))
end

local function results(ok, ...)
  if not ok then
    local err = ...
    io.write(type(err) == "string" and err or show(err), "\n")
    return
  end
  local n = select("#", ...)
  local texts = {}
  for i = 1, n do texts[i] = show((select(i, ...))) end
  if n > 0 then io.write(table.concat(texts, "\t"), "\n") end
end

---Runs the prompt until the end of standard input.
---@param banner string
function M.run(banner)
  io.write(banner, "\n", "`cuda` is the library; ^D ends.\n")
  while true do
    io.write "> "
    io.flush()
    local text = io.read "*l"
    if not text then break end
    local chunk, err = compile(text)
    while not chunk and incomplete(err) do
      io.write ">> "
      io.flush()
      local more = io.read "*l"
      if not more then break end
      text = text .. "\n" .. more
      chunk, err = compile(text)
    end
    if text:find "%S" then
      if chunk then results(xpcall(chunk, traced)) else io.write(err, "\n") end
    end
  end
  io.write "\n"
end

return M
