-- Checks docs/contract.lua against the library, the annotations and the report of a spec run.
--   luajit tools/check_contract.lua [REPORT]   prints what is wrong; without a report, all but the proofs
-- Run from the project's root with the library on the search path, as ./dev test does.
local M = {}

-- Every promised name: { name = "cuda.Device.count", module = "cudalua", spec = "device_spec", later = bool }.
function M.rows(contract)
  local rows, seen, problems = {}, {}, {}
  local function add(group, spec, names, later)
    if type(names) ~= "string" then
      problems[#problems + 1] = ("%s: the names of %s are not a string"):format(tostring(group.module), spec)
      return
    end
    for name in names:gmatch "%S+" do
      name = group.prefix .. "." .. name
      if seen[name] then problems[#problems + 1] = name .. ": listed twice" end
      seen[name] = true
      rows[#rows + 1] = { name = name, module = group.module, prefix = group.prefix, spec = spec, later = later }
    end
  end
  for _, group in ipairs(contract) do
    for spec, names in pairs(group) do
      if spec == "later" then
        for later_spec, later_names in pairs(names) do add(group, later_spec, later_names, true) end
      elseif spec ~= "module" and spec ~= "prefix" and spec ~= "internal" then
        add(group, spec, names, false)
      end
    end
  end
  table.sort(rows, function(a, b) return a.name < b.name end)
  return rows, problems
end

-- A method is looked up in its class, the table or object that stands before the colon.
local function resolves(row)
  local ok, value = pcall(require, row.module)
  if not ok then return false, ("module %s does not load: %s"):format(row.module, value) end
  for key in row.name:sub(#row.prefix + 2):gmatch "[^%.:]+" do
    local owner = value
    ok, value = pcall(function() return owner[key] end)
    if not ok or value == nil then return false, "not registered in module " .. row.module end
  end
  return true
end

--- What a row is called in the annotations: by its module, where documents use the prefix.
---@param row table
---@return string
function M.annotated_name(row) return row.module .. row.name:sub(#row.prefix + 1) end

local function described(row, entries)
  local entry = entries[M.annotated_name(row)]
  if not entry then return false, ("not annotated (as %s, in lua/ or docs/meta/)"):format(M.annotated_name(row)) end
  local known = {}
  for _, param in ipairs(entry.params) do known[param.name] = true end
  for _, argument in ipairs(entry.arguments) do
    if not known[argument] and argument ~= "self" then
      return false, ("%s:%d: no @param for %s"):format(entry.file, entry.line, argument)
    end
  end
  return true
end

-- Functions that programs can call and that are promised nowhere: of the module, and of the classes in it that have
-- promised methods. Names that begin with an underscore are the library's own, and so are those in `internal`.
local function unlisted(contract, rows, problems)
  local listed, owners = {}, {}
  for _, row in ipairs(rows) do
    listed[row.name] = true
    local class = row.name:match "^(.*):"
    if class and not row.later then owners[class] = row.module end
  end
  local function look(name, mark, t, internal)
    for key, value in pairs(t) do
      local full = tostring(name) .. mark .. tostring(key)
      if type(key) == "string" and type(value) == "function" and not key:find "^_" and not internal[key] and
        not listed[full] and not listed[(full:gsub(":", "."))] then
        problems[#problems + 1] = full .. ": a public function that has no row"
      end
    end
  end
  for _, group in ipairs(contract) do
    local ok, module = pcall(require, group.module)
    local internal = {}
    for name in (group.internal or ""):gmatch "%S+" do internal[name] = true end
    if ok and type(module) == "table" then
      look(group.prefix, ".", module, internal)
      for class, of in pairs(owners) do
        local found, owner = pcall(function()
          local value = module
          for key in class:sub(#group.prefix + 2):gmatch "[^%.]+" do value = value[key] end
          return value
        end)
        if of == group.module and found and type(owner) == "table" then look(class, ":", owner, internal) end
      end
    end
  end
end

--- What is wrong, one line each; empty when the contract holds.
---@param report table?  the table that spec/support/handler.lua left
---@return string[]
---@return integer  how many names were checked
function M.check(report)
  local contract = dofile "docs/contract.lua"
  local rows, problems = M.rows(contract)
  unlisted(contract, rows, problems)
  local entries = require("tools.annotations").load()
  local checked = 0
  for _, row in ipairs(rows) do
    if not row.later then
      checked = checked + 1
      local ok, why = resolves(row)
      if not ok then problems[#problems + 1] = row.name .. ": " .. why end
      ok, why = described(row, entries)
      if not ok then problems[#problems + 1] = row.name .. ": " .. why end
      if report and not report.proven[row.spec .. " " .. row.name] then
        problems[#problems + 1] = ("%s: not proven: no passing test with an assertion names it in %s.lua")
          :format(row.name, row.spec)
      end
    end
  end
  return problems, checked
end

if arg and arg[0] and arg[0]:match "check_contract%.lua$" then
  package.path = "./?.lua;" .. package.path
  local problems, checked = M.check(arg[1] and dofile(arg[1]))
  for _, problem in ipairs(problems) do print(problem) end
  print(("%d names checked, %d problems"):format(checked, #problems))
  os.exit(#problems == 0)
end

return M
