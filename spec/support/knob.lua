-- knob(module, field, value) sets what a module keeps in a field for specs to change, such as how many blocks a grid
-- has at most, and gives the function that puts the old value back: finally(knob(plan, "LIMIT", 1)). Unknown fields are
-- errors: what nothing reads would leave a spec without effect.

-- The ends of programs that are kept depend on such fields, but not on functions.
local function forget(value)
  local ends = type(value) ~= "function" and package.loaded["cudalua.gpuarray.core.ends"]
  if ends then ends.forget() end
end

---@param module table
---@param field string
---@param value any      of the same type as the old one, or a number or false for either of them
---@return fun() restore
return function(module, field, value)
  local before = module[field]
  if before == nil then error(("knob: the module has no field %s"):format(tostring(field)), 2) end
  if value == nil then error(("knob: the value of %s is nil"):format(field), 2) end
  if type(value) ~= type(before) and before ~= false and value ~= false then
    error(("knob: %s is a %s, not a %s"):format(field, type(before), type(value)), 2)
  end
  module[field] = value
  forget(value)
  return function()
    module[field] = before
    forget(value)
  end
end
