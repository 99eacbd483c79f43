-- Lines for a shell or for IPython that are typed at the prompt, and what to do instead.

-- Taken now, as in all of the prompt: what is typed may put anything in their place.
local find, format, gmatch, match = string.find, string.format, string.gmatch, string.match

local M = {}

local function set_of(text)
  local set = {}
  for word in gmatch(text, "%S+") do set[word] = true end
  return set
end

local programs = set_of [[ls ll pwd cat head tail less mkdir rm cp mv touch chmod which grep find sed awk tar wget curl
  python python3 ipython jupyter pip pip3 conda apt sudo git make cmake gcc nvcc nvidia vim vi nano emacs code man
  luarocks luac echo clear top htop ps kill df du uname]]
local changes_shell = set_of "cd export source unset alias"
local runs_lua = set_of "luajit lua cudalua"

local NO_SHELL = "this prompt runs Lua, not shell commands; "
local RUN_ONE = "os.execute %q runs one, and :quit leaves the prompt"

-- Is the rest of a line the arguments of a command? In Lua, this cannot follow a name that has no value.
local function is_shell(rest) return rest == "" or find(rest, "^%s+[^%s=,(.:{]") or find(rest, "^%s+%.%.?/?") end

---What to write instead of a line that is not Lua.
---@param text string
---@param has_value fun(name: string): boolean  is there a variable of this name?
---@return string?
function M.hint(text, has_value)
  if find(text, "\n", 1, true) then return nil end
  local magic, expression = match(text, "^%s*%%(%l+)%s*(.*)$")
  if magic == "time" or magic == "timeit" then
    return format(":time times a chunk: :time %s", expression ~= "" and expression or "f()")
  end
  local shouted = match(text, "^%s*!%s*([%w_./-].*)$")
  if shouted and not has_value(match(shouted, "^[%w_]*")) then return format(NO_SHELL .. RUN_ONE, shouted) end
  local script = match(text, "^%s*(%./%S+)") or match(text, "^%s*(/[%w_]+/%S+)")
  local word, rest = match(text, "^%s*([%a_][%w_]*)(.-)%s*$")
  if script or word == "nvidia" and find(rest, "^%-smi") then
    return format(NO_SHELL .. RUN_ONE, match(text, "^%s*(.-)%s*$"))
  end
  if not word or has_value(word) or not is_shell(rest) then return nil end
  if runs_lua[word] then
    local file = match(rest, "(%S+%.lua)")
    return format(NO_SHELL .. "dofile %q runs a program, and :quit leaves the prompt", file or "program.lua")
  elseif changes_shell[word] then
    return NO_SHELL .. ":quit leaves the prompt"
  elseif programs[word] then
    return format(NO_SHELL .. RUN_ONE, word .. rest)
  end
end

---Is a line a command of the shell, though Lua's grammar wants more behind it?
---@param text string
---@return boolean
function M.is_whole(text) return find(text, "^%s*cd%s+[-.~/][^\n]*$") ~= nil end

return M
