-- Gets NVIDIA's wheels from Python's package index with pip, or says how to bring them over from another machine.

local wheels = require "cudalua.setup.wheels"

local M = {}

---Text as one word of a shell's line.
---@param text string
---@return string
function M.quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- pip on any system gets the files for this one.
local function command(choice, machine, folder)
  local words = { "python3 -m pip download --no-deps --only-binary=:all:", "--platform manylinux2014_" .. machine, "-d",
    folder }
  for _, spec in ipairs(choice.specs) do words[#words + 1] = M.quoted(spec) end
  return table.concat(words, " ")
end

local function runs(line)
  local status = os.execute(line)
  return status == 0 or status == true
end

---@return boolean
function M.has_pip() return runs "python3 -m pip --version >/dev/null 2>&1" end

---How to get the files without a network on this machine.
---@param choice cudalua.setup.Choice
---@param machine string  "x86_64"
---@return string
function M.by_hand(choice, machine)
  local lines = { "On a machine with a network and pip, of any system:",
    "  " .. command(choice, machine, "wheels"),
    "or with a browser from https://pypi.org/project/NAME/#files, one file of each:" }
  for _, name in ipairs(choice.names) do
    lines[#lines + 1] = ("  %-26s %s"):format(name, wheels.pattern(name, choice.version, machine))
  end
  lines[#lines + 1] = "Copy the folder here, then run:\n  cudalua setup wheels"
  return table.concat(lines, "\n")
end

---Downloads the wheels; pip tells on standard error how far it is.
---@param choice cudalua.setup.Choice
---@param machine string
---@param folder string  where they go
---@return boolean
function M.fetch(choice, machine, folder)
  return runs(command(choice, machine, M.quoted(folder)) .. " --disable-pip-version-check >&2 </dev/null")
end

return M
