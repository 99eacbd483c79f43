-- CUDA C for where elements of strided arrays are: from an element's number to its coordinates c1, c2 ..., and from
-- those to places. Extents (with multipliers and shifts that divide by them, see plan.lua) and strides are parameters
-- of the kernel; `wide` programs count in 64 bits and divide.

local add = require("cudalua.base.tables").add

local concat = table.concat

local M = {}

---Adds the parameters that coordinates() needs.
---@param params string[]
---@param label string  ends their names
---@param rank integer
---@param index string  C type of numbers of elements
---@param wide boolean
function M.extents(params, label, rank, index, wide)
  for axis = 2, rank do
    add(params, "const %s e%d%s", index, axis, label)
    if not wide then add(params, "const unsigned m%d%s, const unsigned h%d%s", axis, label, axis, label) end
  end
end

---Adds the lines that make coordinates of a number: those that `used` has in it.
---@param lines string[]
---@param indent string
---@param number string  an expression
---@param label string   as for extents
---@param rank integer
---@param index string
---@param wide boolean
---@param used? string   default: all
function M.coordinates(lines, indent, number, label, rank, index, wide, used)
  local rest = number
  for axis = rank, 2, -1 do
    local q = ("q%d"):format(axis)
    if wide then
      add(lines, "%sconst %s %s = %s / e%d%s;", indent, index, q, rest, axis, label)
    else
      add(lines, "%sconst %s %s = (__umulhi(%s, m%d%s) + %s) >> h%d%s;", indent, index, q, rest, axis, label, rest,
        axis, label)
    end
    if not used or used:find(("c%d%%f[%%D]"):format(axis)) then
      add(lines, "%sconst %s c%d = %s - %s * e%d%s;", indent, index, axis, rest, q, axis, label)
    end
    rest = q
  end
  if not used or used:find "c1%f[%D]" then add(lines, "%sconst %s c1 = %s;", indent, index, rest) end
end

---The sum of an operand's steps along all axes.
---@param params string[]  gets its strides
---@param label string     begins their names
---@param rank integer
---@param inner? integer   0 or 1: the step along the last axis, which is not a parameter then
---@param integer string   C type of places
---@param pack? integer    so many elements are one step along the last axis; default 1
---@return string expression
function M.place(params, label, rank, inner, integer, pack)
  local terms = {}
  for axis = 1, rank do
    if axis == rank and inner == 1 then
      add(terms, pack and pack > 1 and "(%s)c%d * %d" or "(%s)c%d", integer, axis, pack)
    elseif not (axis == rank and inner == 0) then
      add(params, "const %s %s_%d", integer, label, axis)
      add(terms, "(%s)c%d * %s_%d", integer, axis, label, axis)
    end
  end
  return #terms > 0 and concat(terms, " + ") or "0"
end

return M
