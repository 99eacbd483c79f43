-- Finds reference entries by words: in names, in first sentences, in the rest, in the names that NumPy, PyTorch, CuPy
-- and CUDA's runtime use.

local find, gsub, lower, match, sub = string.find, string.gsub, string.lower, string.match, string.sub
local ipairs, sort, max, min = ipairs, table.sort, math.max, math.min

local entries = require "cudalua.help.entries"
local other_names = require "cudalua.base.other_names"
local pairs_of = require "cudalua.base.pairs_of"
local words = require "cudalua.help.words"

local M = {}

-- ---- other names ----------------------------------------------------------------------------------------------------

-- The entry that a text of other_names.lua names first: `a:sort(1)`, "gpuarray.sub(a, b)", "stream:is_done()".
local function target(text)
  local method = match(text, "^%l+:([%w_]+)")
  local name = method and "Array:" .. method or match(text, "(%l+%.[%w_.]+)") or
    match(text, "a:([%w_]+)") or match(text, "^a%.([%w_]+)")
  local list = name and entries.named(name)
  if list and not list[1] and method then list = entries.named(method) end
  return list and list[1]
end

local renamed, names_of -- other name -> { text, entry }; entry's name -> other names

local function read_other_names()
  renamed, names_of = {}, {}
  local function add(name, text)
    local entry = target(text)
    renamed[name] = renamed[name] or { text = text, entry = entry }
    if entry and find(text, "^[%a_][%w_]*[.:][%w_]") then -- not a part of an expression
      names_of[entry.name] = names_of[entry.name] or {}
      table.insert(names_of[entry.name], name)
    end
  end
  for _, group in ipairs { "arrays", "random", "cuda", "sparse" } do
    for name, text in pairs_of(other_names[group]) do add(name, text) end
  end
  for _, list in pairs_of(names_of) do sort(list) end
end

---What another library's name is here: what to write, and the entry of that.
---@param name string
---@return {text: string, entry: cudalua.help.Entry?}?
function M.renamed(name)
  if not renamed then read_other_names() end
  return renamed[name]
end

---The names that other libraries have for an entry.
---@param entry cudalua.help.Entry
---@return string[]
function M.other_names(entry)
  if not renamed then read_other_names() end
  return names_of[entry.name] or entry.twin and names_of[entry.twin] or {}
end

-- ---- words ----------------------------------------------------------------------------------------------------------

-- What names call these things.
local in_names = { memory = "mem", copy = "memcpy", allocate = "alloc", allocation = "alloc", random = "rand",
  picture = "image", delete = "free", properties = "attribute" }

-- What texts call these things.
local in_texts = { row = "axis", rows = "axis", column = "axis", columns = "axis" }

local function words_of(query)
  local list = {}
  for _, word in ipairs(words.of(query)) do
    if not word.empty and find(word.text, "%w") then list[#list + 1] = word end
  end
  return list
end

---What is looked through of an entry.
---@class cudalua.help.Heap
---@field entry cudalua.help.Entry
---@field short string   the last part of its name
---@field parts string   its words: " mem alloc "
---@field owner string
---@field counterpart boolean  of a function of other arrays
---@field names string   of other libraries
---@field first string   the first sentence
---@field all string

-- Functions and methods of distributed arrays that other arrays have, too: only who asks for the former means them.
local function is_counterpart(entry)
  local short, found = entries.counterpart(entry, entries.by_name)
  return found or short ~= nil and entries.by_name["cuda." .. short] ~= nil
end

local heaps
-- Points of a name that is the query to the letter: `profile` is the function, `Profile` its result.
local SAME_CASE = 25

local function all_heaps()
  if heaps then return heaps end
  heaps = {}
  local index = require "cudalua.help.index"
  for _, entry in ipairs(entries.list) do
    if not entry.twin then
      local owner, short = match(entry.name, "^(.-)[.:]?([%w_]+)$")
      local parts = gsub(gsub(short, "(%l)(%u)", "%1 %2"), "_", " ")
      heaps[#heaps + 1] = { entry = entry, short = lower(short), parts = lower(" " .. parts .. " "),
        owner = lower(owner), counterpart = is_counterpart(entry),
        names = lower(" " .. table.concat(M.other_names(entry), " ") .. " "),
        first = lower(" " .. entries.sentence(entry)), all = lower(sub(index, entry.from, entry.to)) }
    end
  end
  return heaps
end

-- Does a text have a word of this stem: "copy", "copies", "copied", "copying"?
local function has_stem(text, stem)
  local root = gsub(stem, "y$", "")
  if not find(text, root, 1, true) then return false end
  local pattern = "%f[%w]" .. root .. (root == stem and "" or "[yi]")
  return find(text, pattern .. "e?[sd]?%f[%W]") ~= nil or find(text, pattern .. "ing%f[%W]") ~= nil
end

-- A name that is one of several words alone is not what is looked for.
local function points_of_name(heap, word, alone)
  if heap.short == word then return alone and 100 or heap.entry.kind == "function" and 75 or 60 end
  if find(heap.names, " " .. word .. " ", 1, true) then return alone and 90 or 45 end
  if sub(heap.short, 1, #word) == word then return 50 end
  if find(heap.parts, " " .. word .. " ", 1, true) then return 45 end
  if find(heap.parts, " " .. word, 1, true) then return 40 end
  if #word < 3 then return 0 end
  local short = heap.entry.kind == "function" and #heap.short > (#word > 6 and 2 or 3) and heap.short
  if short and sub(word, 1, #short) == short then return 30 end -- "interpolate" of interp, "absolute" of abs
  return find(heap.short, word, 1, true) and 30 or find(heap.names, word, 1, true) and 25 or 0
end

local AS_OTHER = 50 -- points of a name that has another form of the word, or what stands for it

local function points(heap, word, alone)
  local text = word.text
  local n = points_of_name(heap, text, alone)
  local function also(other) n = max(n, min(AS_OTHER, points_of_name(heap, other, false))) end
  if word.same ~= word.stem then also(word.same) end
  if #word.stem > 3 then also(word.stem) end
  if in_names[text] then also(in_names[text]) end
  if #text > 1 and has_stem(heap.first, word.stem) then n = n + 20 end
  if n > 0 then return n end
  if find(heap.owner, text, 1, true) then return 15 end
  if has_stem(heap.all, word.stem) or word.same ~= word.stem and has_stem(heap.all, word.same) then return 8 end
  return in_texts[text] and has_stem(heap.all, in_texts[text]) and 8 or 0
end

-- Of entries with the same words functions of arrays come first, and what makes kernels; then other functions and
-- objects; then what few programs use.
local function handicap(entry)
  local name = entry.name
  local n = entries.rank(entry) * 2
  if entry.kind == "field" or find(name, "ptions$") or find(name, "^cuda%.[%w_]*Pool") or
    find(name, "^cuda%.softgpu") or find(name, "^cuda%.tools") then
    return n + 25
  end
  if find(name, "^cuda%.gpuarray%.%l") or find(name, "%.gpuarray%.Array:") then return n end
  if name == "cuda.kernel" or name == "cuda.SourceModule" then return 0 end
  return n + (entry.kind == "module" and 0 or entry.kind == "class" and 5 or find(name, ":", 1, true) and 10 or 3)
end

---Entries that a query may mean, the likeliest first. All its words count; if no entry has all, those with most, and
---those whose name is one of them.
---@param query string
---@param least? integer  points of an entry; default 1: the word is in its text
---@return cudalua.help.Entry[]
function M.search(query, least)
  local asked, found, most = words_of(query), {}, 0
  local distributed = find(lower(query), "distributed", 1, true)
  for place, heap in ipairs(all_heaps()) do
    local sum, hits, named = 0, 0, false
    for _, word in ipairs((distributed or not heap.counterpart) and asked or {}) do
      local n = points(heap, word, #asked == 1)
      local weak = #asked > 1 and word.weak
      if weak then n = min(n, 10) end
      named = named or #asked > 1 and word.text == heap.short
      sum, hits = sum + n, hits + (n > 0 and not weak and 1 or 0)
    end
    if match(heap.entry.name, "[%w_]+$") == query then sum = sum + SAME_CASE end
    if sum >= (least or 1) then
      most = max(most, hits)
      found[#found + 1] = { entry = heap.entry, points = sum - handicap(heap.entry), hits = hits, named = named,
        place = place }
    end
  end
  sort(found, function(a, b)
    if a.points ~= b.points then return a.points > b.points end
    if #a.entry.name ~= #b.entry.name then return #a.entry.name < #b.entry.name end
    return a.place < b.place
  end)
  local list = {}
  for _, one in ipairs(found) do
    if one.hits == most or one.named and one.hits == most - 1 then list[#list + 1] = one.entry end
  end
  return list
end

-- ---- options --------------------------------------------------------------------------------------------------------

-- What a parameter's text says of one of its options: "pinned: in page-locked memory; managed: ...".
local function said_of(text, name)
  for _, param in ipairs(text.param) do
    local about = match(param.text .. ".", "%f[%w_]" .. name .. ": (.-)[;.]%f[^%w;.]")
    if about then return about end
  end
end

---What has an option of this name, in the index's order, and what it is.
---@param name string
---@return cudalua.help.Entry[]
---@return string? about
function M.with_option(name)
  local list, about, said = {}, nil, nil
  local index = require "cudalua.help.index"
  for _, entry in ipairs(entries.list) do
    if not entry.twin and find(sub(index, entry.from, entry.to), "@%l+ [^\n]*%f[%w_]" .. name .. "%f[^%w_]") then
      local text = entries.text(entry)
      if text.options[name] then
        list[#list + 1] = entry
        said = said or said_of(text, name)
      end
      for _, one in ipairs(find(entry.name, "ptions$") and text.field or {}) do
        if one.name == name then about = about or one.text end
      end
    end
  end
  return list, about or said
end

---The names of all options.
---@return table<string, true>
function M.options()
  local names, index = {}, require "cudalua.help.index"
  for _, entry in ipairs(entries.list) do
    if not entry.twin and find(sub(index, entry.from, entry.to), "@options", 1, true) then
      for name in pairs_of(entries.text(entry).options) do names[name] = true end
    end
  end
  return names
end

return M
