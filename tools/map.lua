-- Writes docs/map.md: every source file with the first sentence of its first comment, by layer (tools/layers.lua).
--   luajit tools/map.lua [check]   check: writes nothing, fails where the page is not what would be written
-- Run from the project's root.
package.path = "./?.lua;" .. package.path
local layers = require "tools.check_layers"

local M = {}

local PAGE = "docs/map.md"

local HEAD = [[
<!-- Written by tools/map.lua (./dev generate). Change the first lines of the files instead. -->

# Map of the source

Every file of the library, by room. A file uses its own room and rooms above it on this page;
[architecture.md](architecture.md) explains the whole, [adding.md](adding.md) which files you change for what.
]]

local function read(path)
  local file = io.open(path, "rb")
  local text = file and file:read "*a"
  if file then file:close() end
  return text
end

-- The comment that a file begins with, as one line; nil: there is none.
local function first_comment(text)
  text = text:gsub("^#![^\n]*\n", ""):gsub("^#pragma once\n", "")
  local block = text:match "^%s*/%*(.-)%*/"
  if block then return (block:gsub("\n%s*%*?%s*", " "):gsub("^%s+", "")) end
  local lines = {}
  for line in text:gmatch "([^\n]*)\n" do
    local words = line:match "^%-%-%-?%s?(.*)$" or line:match "^//%s?(.*)$" or line:match "^#%s(.*)$"
    if not words or words == "" then break end
    lines[#lines + 1] = words
  end
  return #lines > 0 and table.concat(lines, " ") or nil
end

---The first sentence of what a file says of itself.
---@param path string
---@return string?  nil: it says nothing
function M.sentence(path)
  local text = first_comment(read(path))
  if not text then return nil end
  local at = 1
  while true do
    local stop = text:find("[%.?!]%s", at) or math.huge
    stop = math.min(stop, text:find(":%s+%u", at) or math.huge)
    if stop == math.huge then return (text:gsub("[%s:]+$", "")) end
    local sentence = text:sub(1, stop)
    if #sentence > 12 then return (sentence:gsub(":$", ".")) end
    at = stop + 1
  end
end

local function files_of(root)
  local pipe = assert(io.popen(("find %s -name '*.lua' -o -name '*.c' -o -name '*.h' | LC_ALL=C sort"):format(root)))
  local list = {}
  for path in pipe:lines() do list[#list + 1] = path:sub(#root + 1) end
  pipe:close()
  return list
end

---The page.
---@param trees table  as tools/layers.lua
---@return string page
---@return string[] silent  files that begin without a comment
function M.page(trees)
  local out, silent = { HEAD }, {}
  for _, tree in ipairs(trees) do
    out[#out + 1] = ("## %s\n"):format(tree.root)
    if tree.about then out[#out + 1] = tree.about .. "\n" end
    local by_layer = {}
    for _, name in ipairs(files_of(tree.root)) do
      local _, layer = layers.layer_of(tree, name)
      layer = layer or "?"
      by_layer[layer] = by_layer[layer] or {}
      table.insert(by_layer[layer], name)
    end
    for _, layer in ipairs(tree.layers) do
      out[#out + 1] = ("### %s\n\n%s\n"):format(layer[1], layer.about)
      for _, name in ipairs(by_layer[layer[1]] or {}) do
        local sentence = M.sentence(tree.root .. name)
        if not sentence then silent[#silent + 1] = tree.root .. name end
        out[#out + 1] = ("- [`%s`](../%s): %s"):format(name, tree.root .. name, sentence or "")
      end
      out[#out + 1] = ""
    end
  end
  return (table.concat(out, "\n"):gsub("\n+$", "\n")), silent
end

if arg and arg[0] and arg[0]:match "map%.lua$" then
  local page, silent = M.page(dofile "tools/layers.lua")
  for _, path in ipairs(silent) do print(path .. ": begins without a comment that says what it is") end
  if arg[1] == "check" then
    if read(PAGE) ~= page then print(PAGE .. " is not up to date; ./dev generate writes it") end
    os.exit(read(PAGE) == page and #silent == 0)
  end
  local file = assert(io.open(PAGE, "w"))
  file:write(page)
  file:close()
end

return M
