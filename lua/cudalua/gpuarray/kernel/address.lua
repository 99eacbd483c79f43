-- CUDA C for where elements of strided arrays are: from an element's number to its coordinates c1, c2 ..., and from
-- those to places. Extents (with multipliers and shifts that divide by them, see plan.lua) and strides are parameters
-- of the kernel; `wide` programs count in 64 bits and divide.

local add = require("cudalua.base.tables").add

local concat = table.concat

local M = {}

---C types of numbers of elements, and of places.
---@param wide boolean
---@return string index
---@return string integer
function M.types(wide)
  if wide then return "unsigned long long", "long long" end
  return "unsigned", "int"
end

---The axes that elements are numbered along, as a source names them.
---@class cudalua.gpuarray.Axes
---@field rank integer
---@field wide boolean    elements are numbered with 64 bits
---@field index string    C type of numbers of elements
---@field integer string  C type of places
---@field label string    ends the names of extents
---@field prefix string   begins all names; in sources with a user's text these begin with cl_
---@field names string[]  of the coordinates

---@param rank integer
---@param wide boolean
---@param own? {label?: string, prefix?: string, index?: string}
---@return cudalua.gpuarray.Axes
function M.axes(rank, wide, own)
  local index, integer = M.types(wide)
  local prefix, names = own and own.prefix or "", {}
  for axis = 1, rank do names[axis] = ("%sc%d"):format(prefix, axis) end
  return { rank = rank, wide = wide, index = own and own.index or index, integer = integer,
    label = own and own.label or "", prefix = prefix, names = names }
end

---Adds the parameters that coordinates() needs.
---@param params string[]
---@param axes cudalua.gpuarray.Axes
function M.extents(params, axes)
  for axis = 2, axes.rank do
    add(params, "const %s %se%d%s", axes.index, axes.prefix, axis, axes.label)
    for _, letter in ipairs(axes.wide and {} or { "m", "h" }) do
      add(params, "const unsigned %s%s%d%s", axes.prefix, letter, axis, axes.label)
    end
  end
end

---Adds the lines that make coordinates of a number: those that `used` has in it.
---@param lines string[]
---@param indent string
---@param number string  an expression
---@param axes cudalua.gpuarray.Axes
---@param used? string   default: all
function M.coordinates(lines, indent, number, axes, used)
  local rest, index, label, prefix = number, axes.index, axes.label, axes.prefix
  for axis = axes.rank, 2, -1 do
    local q, e = ("%sq%d"):format(prefix, axis), ("%se%d%s"):format(prefix, axis, label)
    if axes.wide then
      add(lines, "%sconst %s %s = %s / %s;", indent, index, q, rest, e)
    else
      local m, h = ("%sm%d%s"):format(prefix, axis, label), ("%sh%d%s"):format(prefix, axis, label)
      add(lines, "%sconst %s %s = (__umulhi(%s, %s) + %s) >> %s;", indent, index, q, rest, m, rest, h)
    end
    if not used or used:find(("c%d%%f[%%D]"):format(axis)) then
      add(lines, "%sconst %s %s = %s - %s * %s;", indent, index, axes.names[axis], rest, q, e)
    end
    rest = q
  end
  if not used or used:find "c1%f[%D]" then add(lines, "%sconst %s %sc1 = %s;", indent, index, prefix, rest) end
end

---What an operand goes on along an axis.
---@param axes cudalua.gpuarray.Axes
---@param axis integer
---@param label string    begins the names of its strides
---@param step? integer   1: the step along the axis, which is not a parameter then
---@param pack? integer   so many elements are one step; default 1
---@return string expression
function M.term(axes, axis, label, step, pack)
  local coordinate = ("(%s)%s"):format(axes.integer, axes.names[axis])
  if step ~= 1 then return ("%s * %s_%d"):format(coordinate, label, axis) end
  return pack and pack > 1 and ("%s * %d"):format(coordinate, pack) or coordinate
end

---Adds an operand's strides to the parameters.
---@param params string[]
---@param axes cudalua.gpuarray.Axes
---@param label string     begins their names
---@param inner? integer   0 or 1: the step along the last axis, which is not a parameter then
function M.strides(params, axes, label, inner)
  for axis = 1, inner and axes.rank - 1 or axes.rank do add(params, "const %s %s_%d", axes.integer, label, axis) end
end

---The sum of an operand's steps along all axes.
---@param axes cudalua.gpuarray.Axes
---@param label string
---@param inner? integer   as for strides()
---@param pack? integer    so many elements are one step along the last axis; default 1
---@return string expression
function M.sum(axes, label, inner, pack)
  local terms, rank = {}, axes.rank
  for axis = 1, inner == 0 and rank - 1 or rank do
    terms[axis] = M.term(axes, axis, label, axis == rank and inner or nil, pack)
  end
  return #terms > 0 and concat(terms, " + ") or "0"
end

---Both: adds the strides, and gives the sum.
---@param params string[]
---@param axes cudalua.gpuarray.Axes
---@param label string
---@param inner? integer
---@param pack? integer
---@return string expression
function M.place(params, axes, label, inner, pack)
  M.strides(params, axes, label, inner)
  return M.sum(axes, label, inner, pack)
end

---Blocks that have a tile each (kernel/tile.lua): adds the parameters, and the lines that make a0 and b0, where the
---tile begins along the last axis and along the other one, and the coordinates c1 ... on the other axes.
---@param params string[]
---@param lines string[]
---@param axes cudalua.gpuarray.Axes  of the elements
---@param t {axis: integer, across: integer, along: integer}
---@return cudalua.gpuarray.Axes of_tile  the same axes, on which the element's coordinates are a and b
function M.tile(params, lines, axes, t)
  local rank, index, prefix = axes.rank, axes.index, axes.prefix
  local blocks = M.axes(rank, false, { prefix = prefix })
  M.extents(params, blocks)
  add(params, "const %s %salong", index, prefix)
  add(params, "const %s %sacross", index, prefix)
  M.coordinates(lines, "  ", "blockIdx.x", blocks)
  add(lines, "  const %s %sa0 = %s * (%s)%d, %sb0 = %s * (%s)%d;", index, prefix, blocks.names[rank], index, t.across,
    prefix, blocks.names[rank - 1], index, t.along)
  local names, position = {}, 0
  for axis = 1, rank do
    if axis == rank or axis == t.axis then
      names[axis] = prefix .. (axis == rank and "a" or "b")
    else
      position = position + 1
      names[axis] = blocks.names[position]
    end
  end
  local of_tile = M.axes(rank, axes.wide, { prefix = prefix })
  of_tile.names = names
  return of_tile
end

return M
