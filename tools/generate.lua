-- Writes what follows from the definitions of the array library (tools/definitions.lua): annotations for editors and
-- the reference, in docs/meta/generated/; the names that docs/contract.lua, the specs and the library take from there;
-- the index of help(); the gallery of examples, and the picture of grid and block; and the list of messages, for
-- readers.
--   luajit tools/generate.lua           writes the files that have changed
--   luajit tools/generate.lua --check   names those that are stale, and fails if there are some
-- Run from the project's root, as ./dev generate does.
package.path = "./?.lua;" .. package.path
local definitions = require "tools.definitions"
local gallery = require "tools.gallery"
local grid_picture = require "tools.grid_picture"
local help_index = require "tools.help_index"
local messages = require "tools.messages"

local operations, files = definitions.operations(), definitions.files()
local reductions, scans = definitions.reductions(), definitions.scans()

local WIDTH = 120

local function page(from, ...)
  return { ("-- Written by ./dev generate from %s; change these."):format(from), ... }
end

-- The call with an axis and then options, where the options' place may also have the axis.
local function after_axis(e, mark)
  local names = {}
  for i = 1, #e.params - 1 do names[i] = e.params[i].name .. ": any" end
  if mark == ":" then table.insert(names, 1, (table.remove(names, e.object or 1):gsub("^%w+: any", "self: any"))) end
  local results = {}
  for _, line in ipairs(e.rest) do results[#results + 1] = line:match "^%-%-%-@return (%S+)" end
  return ("---@overload fun(%s, axis: any, options: table): %s"):format(table.concat(names, ", "),
    table.concat(results, ", "))
end

-- A function's annotation and declaration. As a method, one of its parameters is the object.
local function declare(out, owner, mark, e)
  out[#out + 1] = ""
  for _, line in ipairs(e.text) do out[#out + 1] = line end
  local names = {}
  for i, param in ipairs(e.params) do
    if mark == "." or i ~= (e.object or 1) then
      names[#names + 1] = param.name
      for _, line in ipairs(param.lines) do out[#out + 1] = line end
    end
  end
  for _, line in ipairs(e.rest) do out[#out + 1] = line end
  local last = e.params[#e.params]
  local text = last and table.concat(last.lines, " "):gsub("%s*%-%-%-%s*", " ") or ""
  local takes_axis = text:find "options%? any  .*or the axis,? " or text:find "options%? any  as for [^c]"
  if takes_axis or text:find "The axis can also come before" then
    table.insert(out, after_axis(e, mark)) -- a:sum(1, {keepdims = true})
  end
  out[#out + 1] = ("function %s%s%s(%s) end"):format(owner, mark, e.name, table.concat(names, ", "))
end

-- Words between two texts, on as many lines as they take, the others with an indentation of their own.
local function fold(out, indent, before, words, after, indent_others)
  local line = indent .. before
  for i, word in ipairs(words) do
    local text = word .. (i == #words and after or "")
    if #line + 1 + #text > WIDTH then
      out[#out + 1], line = line, (indent_others or indent .. "  ") .. text
    else
      line = line .. (i > 1 and " " or "") .. text
    end
  end
  out[#out + 1] = #words > 0 and line or line .. after
end

local function names_of(list, wanted)
  local names = {}
  for _, e in ipairs(list) do
    if not wanted or wanted(e) then names[#names + 1] = e.name end
  end
  return names
end

local function math_annotations()
  local out = page("the rows in gpuarray/kernel/ops/ and from core/functions.lua", "---@meta cudalua.math", "",
    "---Mathematical functions of arrays, element by element. Integers and bool are taken as the default float, where",
    "---a function has floats only; float16 and bfloat16 are computed as float32. These are there for complex",
    "---numbers, too:")
  fold(out, "---", "", names_of(operations, function(e) return e.math and e.complex end), ".", "---")
  out[#out + 1], out[#out + 2] = "---@class cudalua.math", "local math = {}"
  for _, e in ipairs(operations) do
    if e.math then declare(out, "math", ".", e) end
  end
  return out
end

local function operation_annotations()
  local out = page("the rows in gpuarray/kernel/ops/ and from core/functions.lua", "---@meta", "",
    "---@class cudalua.operations", "local operations = {}")
  for _, e in ipairs(operations) do
    if not e.math then declare(out, "operations", ".", e) end
  end
  return out
end

local function twin_annotations()
  local out = page("rows, calls of define() and methods in lua/cudalua/gpuarray/", "---@meta", "",
    "---@class cudalua.gpuarray", "local gpuarray = {}", "", "---@class cudalua.gpuarray.Array", "local Array = {}")
  for _, e in ipairs(definitions.from_methods()) do declare(out, "gpuarray", ".", e) end
  for _, file in ipairs(files) do
    for _, e in ipairs(file.defined) do
      declare(out, "gpuarray", ".", e)
      declare(out, "Array", ":", e)
    end
  end
  return out
end

local function contract_names()
  local out = page("the definitions in lua/cudalua/gpuarray/",
    "-- Names for the contract and the specs. `defined` has the functions that are methods, too, by file, and their",
    "-- parameters.", "return {")
  fold(out, "  ", "operations = [[", names_of(operations), "]],")
  fold(out, "  ", "math = [[", names_of(operations, function(e) return e.math end), "]],")
  fold(out, "  ", "reductions = [[", names_of(reductions), "]],")
  fold(out, "  ", "scans = [[", names_of(scans), "]],")
  out[#out + 1] = "  defined = {"
  for _, file in ipairs(files) do
    if file.defined[1] then
      out[#out + 1] = ('    ["%s"] = {'):format(file.name)
      for _, e in ipairs(file.defined) do
        local params = {}
        for i, param in ipairs(e.params) do params[i] = param.name end
        out[#out + 1] = ('      %s = "%s",'):format(e.name, table.concat(params, " "))
      end
      out[#out + 1] = "    },"
    end
  end
  out[#out + 1] = "  },"
  out[#out + 1] = "}"
  return out
end

local function lazy_names()
  local out = { "-- Written by ./dev generate: which functions and methods are in the files that lazy.lua reads later.",
    "return {" }
  for _, file in ipairs(files) do
    fold(out, "  ", ('{ "%s", [['):format(file.name), file.functions, "]],")
    fold(out, "    ", "[[", file.methods, "]] },")
  end
  out[#out + 1] = "}"
  return out
end

-- The index of help() is made of what those before it and the annotations say.
local pages = {
  { "docs/meta/generated/math.lua", math_annotations },
  { "docs/meta/generated/operations.lua", operation_annotations },
  { "docs/meta/generated/gpuarray.lua", twin_annotations },
  { "docs/names.lua", contract_names },
  { "lua/cudalua/gpuarray/lazy_names.lua", lazy_names },
  { "lua/cudalua/help/index.lua", help_index.lines },
  { "docs/gallery.md", gallery.lines },
  { "docs/pictures/grid.svg", grid_picture.lines },
  { "spec/data/messages.txt", messages.lines },
}

local function read(path)
  local file = io.open(path)
  local text = file and file:read "*a"
  if file then file:close() end
  return text
end

local check, stale = arg[1] == "--check", 0
for _, one in ipairs(pages) do
  local path, text = one[1], table.concat(one[2](), "\n") .. "\n"
  if read(path) ~= text then
    stale = stale + 1
    print(check and path .. " is stale: run ./dev generate" or path)
    if not check then
      local file = assert(io.open(path, "w"))
      file:write(text)
      file:close()
    end
  end
end
os.exit(not check or stale == 0)
