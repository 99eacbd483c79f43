-- Colours code: Lua, CUDA C inside and outside of it, C, Python and shell.
local html = require "tools.site.html"

local M = {}

local function set(words)
  local out = {}
  for word in words:gmatch "%S+" do out[word] = true end
  return out
end

local LUA = set [[and break do else elseif end for function goto if in local not or repeat return then until while
  true false nil]]
local C = set [[auto bool break case char class const constexpr continue default do double else enum extern float for if
  inline int long namespace new nullptr operator private public return short signed sizeof static struct switch template
  this typedef typename union unsigned using void volatile while true false int8_t uint8_t int16_t uint16_t int32_t
  uint32_t int64_t uint64_t size_t __global__ __device__ __host__ __shared__ __constant__ __restrict__ __managed__
  __launch_bounds__]]
local C_KNOWN = set [[threadIdx blockIdx blockDim gridDim warpSize __syncthreads float2 float3 float4 uchar4 int2 int4
  double2]]
local PYTHON = set [[and as assert break class continue def del elif else except finally for from global if import in is
  lambda None not or pass raise return True False try while with yield]]

local function span(class, text) return ('<span class="%s">%s</span>'):format(class, html.escape(text)) end

-- What a language is made of: patterns at a place, the first that fits is taken.
local NUMBER = { "0[xX]%x+[uUlLfF]*", "%d+%.?%d*[eE][%+%-]?%d+[fF]?", "%d*%.%d+[fFlL]?", "%d+%.?[uUlLfF]*" }

local function word_class(words, known)
  return function(word)
    if words[word] then return "k" end
    if known and known[word] then return "b" end
  end
end

local function run(source, rules, class_of_word)
  local out, at = {}, 1
  while at <= #source do
    local taken
    for _, rule in ipairs(rules) do
      local text = source:match("^" .. rule[1], at)
      if text and text ~= "" then
        taken = text
        out[#out + 1] = rule[3] and rule[3](text) or span(rule[2], text)
        break
      end
    end
    if not taken then
      taken = source:match("^[%a_][%w_]*", at)
      if taken then
        local class = class_of_word(taken)
        if not class and source:find("^%s*%(", at + #taken) then class = "f" end
        out[#out + 1] = class and span(class, taken) or html.escape(taken)
      else
        taken = source:match("^[%s%p]", at) or source:sub(at, at)
        out[#out + 1] = html.escape(taken)
      end
    end
    at = at + #taken
  end
  return table.concat(out)
end

local function with_numbers(rules)
  for _, number in ipairs(NUMBER) do rules[#rules + 1] = { number, "n" } end
  return rules
end

local STRING, CHARACTER = [["[^"\n]*"]], "'[^'\n]*'"

local C_RULES = with_numbers { { "//[^\n]*", "c" }, { "/%*.-%*/", "c" }, { "#%s*%l+[^\n]*", "m" }, { STRING, "s" },
  { CHARACTER, "s" } }

---@param source string
---@return string html
function M.c(source) return run(source, C_RULES, word_class(C, C_KNOWN)) end

-- A long string of Lua that is CUDA C is coloured as such.
local function long_string(text)
  local open, body, close = text:match "^(%[=*%[)(.*)(%]=*%])$"
  if not body:find "__global__" and not body:find "__device__" and not body:find "#include" then
    return span("s", text)
  end
  return span("s", open) .. M.c(body) .. span("s", close)
end

-- Words with an escaped quote in them are rare enough: a string ends at the next quote that no backslash precedes.
local function quoted(mark) return mark .. "[^" .. mark .. "\n\\]*" .. mark end

local LUA_RULES = with_numbers { { "%-%-%[%[.-%]%]", "c" }, { "%-%-[^\n]*", "c" }, { "%[%[.-%]%]", "s", long_string },
  { "%[=%[.-%]=%]", "s", long_string }, { quoted '"', "s" }, { quoted "'", "s" }, { STRING, "s" }, { CHARACTER, "s" } }

---@param source string
---@return string html
function M.lua(source) return run(source, LUA_RULES, word_class(LUA)) end

local PYTHON_RULES = with_numbers { { '""".-"""', "s" }, { "#[^\n]*", "c" }, { STRING, "s" }, { CHARACTER, "s" } }
local SHELL_RULES = { { "#[^\n]*", "c" }, { STRING, "s" }, { CHARACTER, "s" } }

local LANGUAGES = {
  lua = M.lua, c = M.c, cuda = M.c, cpp = M.c, ["c++"] = M.c, h = M.c, cu = M.c,
  python = function(source) return run(source, PYTHON_RULES, word_class(PYTHON)) end,
  sh = function(source) return run(source, SHELL_RULES, function() end) end,
}
LANGUAGES.py, LANGUAGES.bash, LANGUAGES.shell = LANGUAGES.python, LANGUAGES.sh, LANGUAGES.sh

---Code as HTML, in colours if the language is known.
---@param source string
---@param language? string
---@return string html
function M.code(source, language)
  local colour = language and LANGUAGES[language]
  return colour and colour(source) or html.escape(source)
end

return M
