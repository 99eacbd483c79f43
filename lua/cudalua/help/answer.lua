-- What help() answers: an entry, or what may have been meant.

local concat, find, format, gmatch, gsub, ipairs, match, upper = table.concat, string.find, string.format,
  string.gmatch, string.gsub, ipairs, string.match, string.upper
local min, rawequal, sort, type = math.min, rawequal, table.sort, type

local core = require "cudalua.core"
local entries = require "cudalua.help.entries"
local other_names = require "cudalua.base.other_names"
local page = require "cudalua.help.page"
local pairs_of = require "cudalua.base.pairs_of"
local search = require "cudalua.help.search"
local topics = require "cudalua.help.topics"
local values = require "cudalua.help.values"
local words = require "cudalua.help.words"

local M = {}

local MOST = 15    -- entries of a list
local BESIDE = 5   -- that are named below an entry
local NEAR = 3     -- names that are suggested
local CLOSE = 25   -- points of the search that say more than that the text has the word

local START = [[
cuda is the library, loaded when you first name it. The first array makes the default context:

    > a = cuda.gpuarray.arange(6, "float32"):reshape(2, 3)
    > a * 2
    > a:sum { axis = 1 }
    > k = cuda.kernel "__global__ void k(float *x) { x[threadIdx.x] += 1; }"
    > k(a, { block = 6 })

    help(a)                   what an object can do
    help(cuda.gpuarray.sort)  one function
    help "sort"               a name, an option, or words: "copy to the host"
    help "np.cumsum"          names of NumPy, PyTorch, CuPy and CUDA's runtime
    help(cuda.random)         all names of a module
    :help                     commands of the prompt

Tab completes names, options and element types. The manual begins with docs/start.md.]]

-- ---- by name --------------------------------------------------------------------------------------------------------

-- Names of some entries but for others.
local function beside(list, except)
  local names, seen = {}, {}
  for _, entry in ipairs(except) do seen[entry.name] = true end
  for _, entry in ipairs(list) do
    if not seen[entry.name] and #names < BESIDE then
      seen[entry.name] = true
      names[#names + 1] = entry.name
    end
  end
  return names
end

-- The first of some entries, with the names of the others and of what is near.
local function first_of(list, name, width)
  local all = {}
  for _, entry in ipairs(list) do all[#all + 1] = entry end
  for _, entry in ipairs(search.search(name, CLOSE)) do all[#all + 1] = entry end
  return page.entry(list[1], width, beside(all, { list[1] }))
end

local function of_option(name, width)
  local list, about = search.with_option(name)
  if #list == 0 then return nil end
  local names = {}
  for i = 1, min(#list, 2 * MOST) do names[i] = list[i].name end
  if #list > #names then names[#names + 1] = format("and %d more", #list - #names) end
  local near = beside(search.search(name, CLOSE), list)
  return page.wrapped(format("%s is an option%s", name, about and ": " .. about or ""), width) .. "\n\n" ..
    page.rows({ { "of", concat(names, ", ") }, #near > 0 and { "see also", concat(near, ", ") } or nil }, width)
end

local function of_other_library(name, width)
  local known = search.renamed(name)
  if known then
    local text = page.wrapped(format("%s is written %s here.", name, known.text), width)
    return known.entry and text .. "\n\n" .. page.entry(known.entry, width) or text
  end
  local absent = other_names.absent[name]
  return absent and page.wrapped(gsub(absent, "^%l", upper) .. ".", width)
end

local function found(list, width)
  local text = page.list(list, MOST, width)
  local more = #list > MOST and format("\n%d more match; add a word.", #list - MOST) or ""
  return text .. more .. format('\nType help "%s" for the first one.', gsub(list[1].name, "^cuda%.", ""))
end

-- Words that nothing has are no misspelt name.
local function no_words(name, width)
  return page.wrapped(format('Nothing matches "%s"; try other words, or help(cuda) for the names of the module. ' ..
    'docs/gallery.md lists example programs.', name), width)
end

local function nearest(name, width)
  if find(name, "%s") then return no_words(name, width) end
  local names, seen = {}, {}
  local function add(text)
    if not seen[text] then
      seen[text] = true
      names[#names + 1] = text
    end
  end
  for _, entry in ipairs(entries.list) do add(match(entry.name, "[%w_]+$")) end
  for _, group in pairs_of { other_names.arrays, other_names.random, other_names.cuda, other_names.sparse,
    other_names.absent } do
    for other in pairs_of(group) do add(other) end
  end
  for option in pairs_of(search.options()) do add(option) end
  sort(names)
  local near, list = core.near(match(name, "[%w_]*$"), names), {}
  for i = 1, min(#near, NEAR) do list[i] = format('help "%s"', near[i]) end
  if #list == 0 then list[1] = "try another word, or help(cuda) for the names of the module" end
  return page.wrapped(format('Nothing is named "%s"; %s', name, concat(list, ", ")), width)
end

local aliases = { curandom = "random" } -- modules that have two names

-- A list that begins with some entries.
local function with_first(names, list)
  local all, seen = {}, {}
  for name in gmatch(names, "%S+") do all[#all + 1] = entries.by_name["cuda." .. name] end
  for _, entry in ipairs(all) do seen[entry.twin or entry.name] = true end
  for _, entry in ipairs(list) do
    if not seen[entry.twin or entry.name] then all[#all + 1] = entry end
  end
  return all
end

local function of_words(name, topic, width)
  local short = words.without_library(name)
  if aliases[short] then name, short = aliases[short], aliases[short] end
  local exact = entries.named(name)
  if #exact == 0 then exact = entries.named(short) end
  if #exact > 0 then return first_of(exact, short, width) end
  local joined = gsub(short, "[ -]", "_") -- "count nonzero"
  local text = of_other_library(short, width) or not topic and of_other_library(joined, width)
  if text then return text end
  exact = entries.named(joined)
  if #exact == 0 then exact = entries.named((gsub(short, "^%l", upper))) end -- "stream"
  if #exact > 0 then return first_of(exact, short, width) end
  local first = topic and topic[3]
  local option = not first and find(short, "^[%a_][%w_]*$") and of_option(short, width)
  if option then return option end
  local list = with_first(first or "", search.search(name))
  if #list > 0 then return found(list, width) end
  return not topic and nearest(name, width) or nil
end

---The answer for a name or words.
---@param name string
---@param width integer  columns
---@return string
function M.of_name(name, width)
  name = match(gsub(name, "%(.*%)%s*$", ""), "^%s*(.-)%s*$")
  if find(name, "^[%w_.]+%s*[<>=~!]=?%s*[%w_.-]+$") then name = "compare" end -- "a > b"
  local topic = topics.find(words.without_library(name))
  local text = of_words(name, topic, width)
  if not topic or not topic[2] then return text end
  return page.wrapped(topic[2], width) .. (text and "\n\n" .. text or "")
end

-- ---- by value -------------------------------------------------------------------------------------------------------

local function of_function(f, width)
  local text = require("cudalua.text.function").text(f)
  if find(text, "^function [%a_]") then
    return page.wrapped(text .. " is Lua's own: https://www.lua.org/manual/5.1 and https://luajit.org/extensions.html",
      width)
  end
  return page.wrapped(text .. " is not a function of the library. :source shows its lines.", width)
end

---The answer for a value.
---@param value any
---@param width integer
---@return string
function M.of_value(value, width)
  if type(value) == "string" then return M.of_name(value, width) end
  local entry = values.find(value)
  if entry then return page.entry(entry, width) end
  if type(value) == "function" then return of_function(value, width) end
  if rawequal(value, nil) then
    return page.wrapped('The value is nil: no variable has this name. help "words" looks for a name of the library.',
      width)
  end
  return page.wrapped(format('There is no help for a %s. help(x) is for functions, modules and objects of the ' ..
    'library, help "words" looks for them.', type(value)), width)
end

---How to start.
---@param width integer
---@return string
function M.start(width) return page.wrapped(START, width) end

return M
