-- From an index to a selection (move.lua): NumPy's rules for indices that have arrays among them.
--
-- An array of integers is positions on one axis. One of booleans is a mask, of the shape of as many axes as it has, and
-- stands for the positions where it is true. The arrays are broadcast to one shape, their elements taken together. The
-- axes of that shape take the place of the indexed ones where these stand side by side, numbers among them, and else
-- come first.

local dtypes = require "cudalua.dtype"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local layout = require "cudalua.base.layout"
local mask = require "cudalua.gpuarray.index.mask"
local ndarray = require "cudalua.ndarray"
local object = require "cudalua.gpuarray.core.object"
local plan = require "cudalua.gpuarray.core.plan"
local transfer = require "cudalua.gpuarray.core.transfer"

local refuse, is_array = layout.refuse, object.is_array
local MAX_ARRAYS = 60 -- a kernel takes 64 pointers

local M = {}

---Is it an array, here or in host memory?
---@param x any
---@return boolean
function M.is_any_array(x) return is_array(x) or ndarray.is_array(x) end

---An array of positions, or a mask.
---@param what string
---@param name string  for messages: "index 1"
---@param x any        array
---@return cudalua.gpuarray.Array
function M.positions(what, name, x)
  if ndarray.is_array(x) then x = transfer.to_gpu(x) end
  local kind = x._dtype.kind
  if kind ~= "int" and kind ~= "uint" and kind ~= "bool" then
    refuse(what, ("%s is an array of %s; positions must be integers and masks bool"):format(name, x._dtype.name))
  end
  return x
end

local function axis_text(axis, shape) return ("axis %d of the shape %s"):format(axis, layout.text(shape)) end

---Joins the axes of a group that one position can count on, and leaves out those of one element.
---@param extents integer[]
---@param strides integer[]  elements
---@return integer[] extents
---@return integer[] strides
---@return integer extent  of all
function M.joined(extents, strides)
  local e, s, n, extent = {}, {}, 0, 1
  for k = 1, #extents do
    extent = extent * extents[k]
    if n > 0 and s[n] == strides[k] * extents[k] then
      e[n], s[n] = e[n] * extents[k], strides[k]
    elseif extents[k] ~= 1 then
      n = n + 1
      e[n], s[n] = extents[k], strides[k]
    end
  end
  return e, s, extent
end

---Is a shape that of a mask for axes of these extents? An axis of the mask that has no elements selects nothing,
---whatever the array has there.
---@param shape integer[]  the mask's
---@param own integer[]
---@return boolean
function M.covers(shape, own)
  if #shape ~= #own then return false end
  for k = 1, #own do
    if shape[k] ~= own[k] and shape[k] ~= 0 then return false end
  end
  return true
end

-- Has an array of positions the shape that a mask would have there?
local function is_mask_like(a, axis, shape)
  for k = 1, a._ndim do
    if a._shape[k] ~= shape[axis + k - 1] then return false end
  end
  return a._ndim > 0
end

-- What each item of an index is, and the index of ranges and numbers that is left without its arrays. An item of it:
-- { kind = "number"|"slice"|"new"|"array", array =, axis = the first one, axes = how many }.
local function classify(what, shape, n, items)
  local list, basic, axis, arrays = {}, {}, 0, 0
  for k = 1, n do
    local x = items[k]
    local item = { kind = "slice", axis = axis + 1, axes = 1, number = k }
    if x == layout.newaxis then
      item.kind, item.axes = "new", 0
      basic[#basic + 1] = x
    elseif M.is_any_array(x) then
      local a = M.positions(what, "index " .. k, x)
      item.kind, item.array, arrays = "array", a, arrays + 1
      if a._dtype == dtypes.bool then
        item.axes = a._ndim
        local own = { unpack(shape, axis + 1, math.min(axis + a._ndim, #shape)) }
        if not M.covers(a._shape, own) then
          refuse(what, ("index %d is a mask of the shape %s, but the axes there have " ..
            "%s"):format(k, layout.text(a._shape),
            layout.text(own)))
        end
      end
      for _ = 1, item.axes do basic[#basic + 1] = {} end
    else
      if type(x) ~= "table" then item.kind = "number" end
      basic[#basic + 1] = x
    end
    axis = axis + item.axes
    list[k] = item
  end
  return list, basic, arrays
end

---A part of an array by an index with arrays: its geometry, which no finalizer changes.
---@param what string
---@param x cudalua.gpuarray.Array
---@param n integer
---@param items any[]
---@return table? part  nil if there are no arrays; selection() makes a selection of it
function M.part(what, x, n, items)
  local list, basic, arrays = classify(what, x._shape, n, items)
  if arrays == 0 then return nil end
  if arrays > MAX_ARRAYS then refuse(what, ("%d index arrays; an index has at most %d"):format(arrays, MAX_ARRAYS)) end
  local leaf = evaluate.evaluate(x)
  local offset, shape, strides = layout.slice(what, x._shape, leaf.strides, #basic, basic)
  -- Whose axes those of the slice are: an item's, or (false) the result's own.
  local owners, first, last, before = {}, nil, nil, 0
  for k, item in ipairs(list) do
    if item.kind == "array" then
      for _ = 1, item.axes do owners[#owners + 1] = item end
    elseif item.kind ~= "number" then
      owners[#owners + 1] = false
      if not first then before = before + 1 end
    end
    if item.kind == "array" or item.kind == "number" then first, last = first or k, k end
  end
  while #owners < #shape do owners[#owners + 1] = false end
  local together = true
  for k = first, last do together = together and (list[k].kind == "array" or list[k].kind == "number") end
  return { what = what, array = x, leaf = leaf, off = leaf.off + offset, shape = shape, strides = strides,
    owners = owners, items = list, arrays = arrays, together = together, before = together and before or 0 }
end

-- The shape to which arrays of positions broadcast.
local function broadcast(what, groups)
  local out = {}
  for _, group in ipairs(groups) do
    local shape = group.leaf.shape
    local n = math.max(#out, #shape)
    local both = {}
    for k = 1, n do
      local a, b = out[k - n + #out] or 1, shape[k - n + #shape] or 1
      if a ~= b and a ~= 1 and b ~= 1 then
        local shapes = {}
        for i, g in ipairs(groups) do shapes[i] = layout.text(g.leaf.shape) end
        refuse(what, "index arrays of the shapes " .. table.concat(shapes, ", ") .. " cannot be broadcast together")
      end
      both[k] = a == 1 and b or a
    end
    out = both
  end
  return out
end

---The selection, of what the arrays are now. Where a mask is among them, it waits for the mask.
---@param part table
---@return table selection
function M.selection(part)
  local leaf = evaluate.evaluate(part.array)
  local what, itemsize, groups, by_item = part.what, leaf.dtype.itemsize, {}, {}
  for _, item in ipairs(part.items) do
    if item.kind == "array" then
      local a, is_mask = item.array, item.array._dtype == dtypes.bool
      local group = { extents = {}, strides = {}, sure = is_mask, name = "index " .. item.number,
        where = axis_text(item.axis, part.array._shape),
        mask_like = is_mask_like(a, item.axis, part.array._shape) }
      if is_mask then a = mask.positions(a, what) end
      group.leaf = evaluate.evaluate(a)
      groups[#groups + 1], by_item[item] = group, group
    end
  end
  for k, owner in ipairs(part.owners) do
    local group = owner and by_item[owner]
    if group then
      table.insert(group.extents, part.shape[k])
      table.insert(group.strides, part.strides[k] / itemsize)
    end
  end
  for _, group in ipairs(groups) do
    group.extents, group.strides, group.extent = M.joined(group.extents, group.strides)
  end

  local joint = broadcast(what, groups)
  local shape, steps = {}, {}
  local function put(extent, step) shape[#shape + 1], steps[#steps + 1] = extent, step end
  local function put_joint()
    for k = 1, #joint do put(joint[k], 0) end
  end
  if part.before == 0 then put_joint() end
  local own = 0
  for k, owner in ipairs(part.owners) do
    if not owner then
      own = own + 1
      put(part.shape[k], part.strides[k] / itemsize)
      if own == part.before then put_joint() end
    end
  end
  if #shape > layout.MAX_AXES then refuse(what, ("an array has at most %d axes"):format(layout.MAX_AXES)) end
  for k = 1, #shape do
    if shape[k] == 1 then steps[k] = 0 end
  end
  for _, group in ipairs(groups) do
    group.lead = part.before + #joint - #group.leaf.shape
    group.steps = plan.along(group.leaf, shape, group.lead)
  end
  local size = layout.size(what, shape, itemsize)
  return { what = what, base = leaf, off = part.off, shape = shape, size = size, steps = steps, groups = groups,
    unique = part.arrays == 1 and groups[1].sure }
end

---A selection on one axis: along the others, the array's own (`along` false), or those of the positions, which have as
---many axes as the array and broadcast to it on all but this one.
---@param what string
---@param x cudalua.gpuarray.Array
---@param axis integer
---@param positions cudalua.gpuarray.Array
---@param name string
---@return table selection
function M.along(what, x, axis, positions, name)
  local leaf, own = evaluate.evaluate(x), evaluate.evaluate(positions)
  local itemsize = leaf.dtype.itemsize
  if positions._ndim ~= x._ndim then
    refuse(what, ("%s has %d axes, the array %d"):format(name, positions._ndim, x._ndim))
  end
  local shape, steps = {}, {}
  for k = 1, x._ndim do
    local a, b = x._shape[k], own.shape[k]
    if k == axis then
      shape[k], steps[k] = b, 0
    else
      if a ~= b and a ~= 1 and b ~= 1 then
        refuse(what, ("the shapes %s of the array and %s of %s must match except along axis %d"):format(
          layout.text(x._shape), layout.text(own.shape), name, axis))
      end
      shape[k] = a == 1 and b or a
      steps[k] = a == 1 and 0 or leaf.strides[k] / itemsize
    end
  end
  local extents, strides, extent = M.joined({ x._shape[axis] }, { leaf.strides[axis] / itemsize })
  local group = { leaf = own, steps = plan.along(own, shape, 0), lead = 0, extents = extents, strides = strides,
    extent = extent, name = name, where = axis_text(axis, x._shape) }
  return { what = what, base = leaf, off = leaf.off, shape = shape, size = layout.size(what, shape, itemsize),
    steps = steps, groups = { group } }
end

---A selection by positions in the whole array, counted in C order.
---@param what string
---@param x cudalua.gpuarray.Array
---@param positions cudalua.gpuarray.Array
---@param name string
---@return table selection
function M.flat(what, x, positions, name)
  local leaf, own = evaluate.evaluate(x), evaluate.evaluate(positions)
  local itemsize, strides = leaf.dtype.itemsize, {}
  for k = 1, x._ndim do strides[k] = leaf.strides[k] / itemsize end
  local extents, steps, extent = M.joined(x._shape, strides)
  local zero = {}
  for k = 1, #own.shape do zero[k] = 0 end
  local group = { leaf = own, steps = plan.along(own, own.shape), lead = 0, extents = extents, strides = steps,
    extent = extent, name = name,
    where = x._ndim == 1 and axis_text(1, x._shape) or "the array of the shape " .. layout.text(x._shape) }
  return { what = what, base = leaf, off = leaf.off, shape = own.shape, size = layout.size(what, own.shape, itemsize),
    steps = zero, groups = { group } }
end

---Positions on an axis, by which it is replaced.
---@param what string
---@param x cudalua.gpuarray.Array
---@param axis integer
---@param positions cudalua.gpuarray.Array
---@param name string
---@return table selection
function M.axis(what, x, axis, positions, name)
  local items = {}
  for k = 1, axis - 1 do items[k] = {} end
  items[axis] = positions
  local sel = M.selection(M.part(what, x, axis, items))
  sel.groups[1].name = name
  return sel
end

---What move.check() looks at: positions on an axis of an array that several ranks have.
---@param what string
---@param positions cudalua.gpuarray.Array  of this rank
---@param about {shape: integer[], axis: integer, name: string, all: integer[], before: integer[]}  shape: the array's.
---  name: for messages. all: the shape of the positions of all ranks. before: by axis, how many of these precede those
---  of this rank
---@return table selection
function M.of_ranks(what, positions, about)
  local all = { _ndim = #about.all, _shape = about.all }
  return { what = what, groups = { { leaf = evaluate.evaluate(positions), extents = {}, strides = {},
    extent = about.shape[about.axis], name = about.name, where = axis_text(about.axis, about.shape), lead = 0,
    mask_like = is_mask_like(all, about.axis, about.shape), all = about.all, before = about.before } } }
end

return M
