-- The environment variables that the sources read, for the check of docs/environment.md. Reads are found by how they
-- are written: getenv "NAME", a function env "NAME", a row variable = "NAME", a loop over names, the table of the
-- software device's switches, and ${NAME:-...} in shell.
local M = {}

local NAME = "([A-Z][A-Z0-9_]*)"

-- What looks like one of the variables and is none.
local OTHERS = {
  CUDALUA_COMPLEX = "a name in generated C",
  CUDALUA_INDEX = "the site's index, in JavaScript",
  CUDALUA_SPEC_VARIABLE = "of a spec about child processes",
}

local in_code = {
  'getenv%(?%s*"' .. NAME .. '"', '%f[%w_]env%(?%s*"' .. NAME .. '"', '%f[%w_]variable%s*=?%s*"' .. NAME .. '"',
  '"(CUDALUA_[A-Z0-9_]*[A-Z0-9])"',
}
local in_python = { 'environ%.get%(%s*"' .. NAME .. '"', 'environ%[%s*"' .. NAME .. '"' }
local in_shell = { "%$%{" .. NAME .. ":?[%-%+][^}]*%}" }

-- Does a script set the variable itself? X=more:${X:-} reads it as well.
local function sets(text, name)
  if text:find(name .. "=[^\n]*%${" .. name .. "%f[^%w_]") then return false end
  return ("\n" .. text):find("\n%s*" .. name .. "=") ~= nil or text:find("local [^\n]*%f[%w_]" .. name .. "[= ]") ~= nil
end

local function each(text, pattern, visit)
  for name in text:gmatch(pattern) do visit(name) end
end

---@param path string  which tells the language
---@param text string
---@param visit fun(name: string)
function M.reads(path, text, visit)
  local function note(name) if not OTHERS[name] then visit(name) end end
  if path:find "%.py$" then
    for _, pattern in ipairs(in_python) do each(text, pattern, note) end
  elseif path:find "%.lua$" or path:find "%.[ch]$" then
    for _, pattern in ipairs(in_code) do each(text, pattern, note) end
    for list in text:gmatch "ipairs {([^}]*)} do[^\n]*\n[^\n]*getenv%(name%)" do
      each(list, '"' .. NAME .. '"', note)
    end
    if text:find('"CUDALUA_SOFT_%s"', 1, true) then
      each(text, '{"([A-Z]+)", s[%w_]+, ', function(name) note("CUDALUA_SOFT_" .. name) end)
    end
  else
    for _, pattern in ipairs(in_shell) do
      each(text, pattern, function(name) if not sets(text, name) then note(name) end end)
    end
  end
end

---The words of a text that begin with CUDALUA_, messages and comments included.
---@param text string
---@param visit fun(name: string)
function M.words(text, visit)
  for name in text:gmatch "%f[%w_](CUDALUA_[A-Z0-9_]*[A-Z0-9])%f[^%w_]" do
    if not OTHERS[name] and not name:find "_H$" then visit(name) end
  end
end

return M
