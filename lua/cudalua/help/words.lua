-- The words of a question: their stems, other words for them, and which of them say little.

local find, gmatch, gsub, lower, match = string.find, string.gmatch, string.gsub, string.lower, string.match

local M = {}

local libraries = { np = true, numpy = true, cp = true, cupy = true, cupyx = true, scipy = true, torch = true,
  nn = true, functional = true, F = true, tf = true, pycuda = true, drv = true, gpuarray = true, cuda = true,
  cudalua = true }

---A name without the module of another library: "cumsum" of "np.cumsum".
---@param name string
---@return string
function M.without_library(name)
  local library, rest = match(name, "^(%a+)%.(.+)$")
  return library and libraries[library] and M.without_library(rest) or name
end

---A word without the endings of plurals and of verbs: "matric", "copy" and "run" of "matrices", "copied" and "running".
---@param word string
---@return string
function M.stem(word)
  word = gsub(gsub(word, "ie[sd]$", "y"), "([^s])s$", "%1")
  word = gsub(gsub(gsub(word, "(%l%l%l)ing$", "%1"), "(%l%l%l)ed$", "%1"), "(%l%l)e$", "%1")
  return (gsub(gsub(word, "([^l])%1$", "%1"), "(%l%l)is$", "%1iz"))
end

local function set_of(text)
  local set = {}
  for word in gmatch(text, "%S+") do set[word] = true end
  return set
end

-- What only asks.
local empty = set_of [[
  a about am an and any are at be been but by can could did do does doesn doing don each every for from get
  gets give gives got had has have help how i if in inside into is isn it its let like lua make many me means
  my need no of on or our over please should so some that the their them then there these they this to two use
  used using want was we what when which why will with within would you your
]]

-- What many texts have: it says little of what is looked for.
local weak = set_of "array element matrix valu number"

-- Words that mean the same here. The first one stands for the others.
local same = {}
for line in gmatch([[
max maximum maximal largest biggest greatest highest peak
min minimum minimal smallest lowest least
index indices indexes position location
matrix matrices
multiply multiplication multiplied
convert conversion cast change turn
integer int int8 int16 int32 int64 uint8 uint16 uint32 uint64
float float16 float32 float64 double half
host cpu ram
gpu device card cuda nvidia
array tensor
unique duplicate distinct
print printf
wrong incorrect bug garbage crash corrupt corruption
free release delete deallocate clean
wait synchronize sync finish complete
greater larger bigger more above
less smaller fewer below
loop iterate
several multiple multi two many another second other
own custom user
write create make define new build
copy transfer bring
select pick choose switch
error exception failure fail
managed unified
diff difference
normalize standardize zscore
fast faster speed slow optimize performance
join append concatenate stack combine merge
read import
precision dtype type
]], "[^\n]+") do
  local first = match(line, "%S+")
  for word in gmatch(line, "%S+") do same[M.stem(word)] = M.stem(first) end
end

---A word of a question.
---@class cudalua.help.Word
---@field text string
---@field stem string
---@field same string  the stem of the word that stands for it in topics
---@field empty boolean
---@field weak boolean
---@field error? integer  it names an error

---The words of a question.
---@param question string
---@return cudalua.help.Word[]
function M.of(question)
  local list = {}
  for word in gmatch(gsub(gsub(M.without_library(question), "'%l+", ""), "^[Hh]ow to ", ""), "[%w_@]+") do
    local text = lower(word)
    local stem = M.stem(text)
    list[#list + 1] = { text = text, stem = stem, same = same[stem] or stem,
      empty = empty[text] or find(text, "^%d+$") ~= nil, weak = weak[stem] or weak[same[stem]] or false,
      error = find(word, "^CUDA_ERROR") or find(word, "^%u%a*Error$") }
  end
  return list
end

return M
