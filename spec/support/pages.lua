-- The programs in the documents. All ```lua blocks of a page are one program, run from top to bottom in a process of
-- its own: what one block makes local is there in the next. After the word lua:
--   lua error   the block ends with an error, whose text is its output
--   lua alone   a program of its own, not part of the page's
-- What a block prints has to be shown: in comments (print(x) --> 6), or in the ```text block that comes next, where
-- "..." stands for anything within a line, and a line of "..." for any lines.
local M = {}

---@param path string
---@return {kind: string, line: integer, code: string[], shown: string?}[] blocks
function M.blocks(path)
  local blocks, block, inside, number = {}, nil, nil, 0
  for line in io.lines(path) do
    number = number + 1
    local fence = line:match "^```(.*)"
    if fence and inside then
      inside = nil
    elseif fence then
      local kind = fence:match "^lua%s*(%a*)$"
      if kind then
        assert(kind == "" or kind == "error" or kind == "alone", ("%s:%d: there is no %q"):format(path, number, fence))
        block = { kind = kind, line = number, code = {} }
        blocks[#blocks + 1] = block
        inside = "code"
      elseif fence == "text" and block and not block.shown then
        block.shown, inside = "", "text"
      else
        inside = "other"
      end
    elseif inside == "code" then
      block.code[#block.code + 1] = line
    elseif inside == "text" then
      block.shown = block.shown .. line .. "\n"
    end
  end
  assert(not inside, path .. ": the last block is open")
  for _, b in ipairs(blocks) do
    local comments = {}
    for _, line in ipairs(b.code) do comments[#comments + 1] = line:match "%-%-> (.*)$" end
    if #comments > 0 then
      assert(not b.shown, ("%s:%d: its output is shown twice"):format(path, b.line))
      b.shown = table.concat(comments, "\n") .. "\n"
    end
  end
  return blocks
end

local PRELUDE = ([[
io.stdout:setvbuf "no"
local function block(n) io.write("\1block ", n, "\n") end
local function fails(n, f)
  block(n)
  local ok, err = pcall(f)
  assert(not ok, "the block was to end with an error")
  print(err)
end
]]):gsub("\n", " ")

---The program of some blocks. An error in it names the page and its line.
---@param path string
---@param blocks table[]  of the page
---@return string
function M.program(path, blocks)
  local lines = { PRELUDE }
  for i, b in ipairs(blocks) do
    while #lines < b.line - 1 do lines[#lines + 1] = "" end
    lines[b.line] = (b.line == 1 and PRELUDE or "") ..
      (b.kind == "error" and "fails(%d, function()" or "block(%d)"):format(i)
    for _, line in ipairs(b.code) do lines[#lines + 1] = line end
    lines[#lines + 1] = b.kind == "error" and "end)" or ""
  end
  lines[#lines + 1] = ("block(%d)"):format(#blocks + 1)
  return ("assert(loadstring(%q, %q))()"):format(table.concat(lines, "\n"), "@" .. path)
end

---What each block printed, and whether the program came to its end.
---@param output string  of the program
---@param n integer      number of blocks
---@return string[] printed
---@return boolean finished
function M.outputs(output, n)
  local printed, current = {}, 0
  for i = 0, n + 1 do printed[i] = "" end
  local at = 1
  while true do
    local first, last, index = output:find("\1block (%d+)\n", at)
    printed[current] = printed[current] .. output:sub(at, first and first - 1)
    if not first then return printed, current == n + 1 end
    current, at = tonumber(index), last + 1
  end
end

local function matches_line(line, shown)
  local pattern = shown:gsub("[%^%$%(%)%%%.%[%]%*%+%-%?]", "%%%0"):gsub("%%%.%%%.%%%.", ".*")
  return line:find("^" .. pattern .. "$") ~= nil
end

local function list(text)
  local lines = {}
  for line in text:gmatch "([^\n]*)\n?" do lines[#lines + 1] = line end
  while lines[#lines] == "" do lines[#lines] = nil end
  return lines
end

local function matches(got, i, shown, k)
  if k > #shown then return i > #got end
  if shown[k] ~= "..." then
    return i <= #got and matches_line(got[i], shown[k]) and matches(got, i + 1, shown, k + 1)
  end
  for from = i, #got + 1 do
    if matches(got, from, shown, k + 1) then return true end
  end
  return false
end

---Is this what the page shows?
---@param output string
---@param shown string?  nil: nothing
---@return boolean
function M.agree(output, shown) return matches(list(output), 1, list(shown or ""), 1) end

return M
