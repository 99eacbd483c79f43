---@meta
-- Methods of arrays as functions of the module: each takes an array, or host data, which is copied to the device.

---@class cudalua.gpuarray
local gpuarray = {}

---As the method: a:reshape(...).
---@param a any  array
---@param ... any  extents, as for the method
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.reshape(a, ...) end

---As the method: a:ravel(order).
---@param a any  array
---@param order? "C"|"F"|"A"|"K"
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.ravel(a, order) end

---As the method: a:squeeze(axes).
---@param a any  array
---@param axes? integer|integer[]
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.squeeze(a, axes) end

---As the method: a:expand_dims(axes).
---@param a any  array
---@param axes integer|integer[]
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.expand_dims(a, axes) end

---As the method: a:transpose(...).
---@param a any  array
---@param ... any  axes
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.transpose(a, ...) end

---As the method: a:swapaxes(axis1, axis2).
---@param a any  array
---@param axis1 integer
---@param axis2 integer
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.swapaxes(a, axis1, axis2) end

---As the method: a:moveaxis(source, destination).
---@param a any  array
---@param source integer|integer[]
---@param destination integer|integer[]
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.moveaxis(a, source, destination) end

---As the method: a:flip(axes).
---@param a any  array
---@param axes? integer|integer[]
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.flip(a, axes) end

---As the method: a:fliplr().
---@param a any  array
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.fliplr(a) end

---As the method: a:flipud().
---@param a any  array
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.flipud(a) end

---As the method: a:reverse(options).
---@param a any  array
---@param options? {stream: cudalua.Stream, allocator: function}|cudalua.Stream
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.reverse(a, options) end

---As the method: a:rot90(k, axes).
---@param a any  array
---@param k? integer
---@param axes? integer[]
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.rot90(a, k, axes) end

---As the method: a:broadcast_to(...).
---@param a any  array
---@param ... any  extents
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.broadcast_to(a, ...) end

---As the method: a:diagonal(k, axis1, axis2).
---@param a any  array
---@param k? integer
---@param axis1? integer
---@param axis2? integer
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.diagonal(a, k, axis1, axis2) end

---As the method: a:copy(options).
---@param a any  array
---@param options? any  {order: "C"|"F"|"A"|"K", stream: cudalua.Stream, allocator: function}, or one of the first two
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.copy(a, options) end

---As the method: a:split(parts, axis).
---@param a any  array
---@param parts integer|integer[]
---@param axis? integer
---@return cudalua.gpuarray.Array[]
---@raise LogicError as the method
function gpuarray.split(a, parts, axis) end

---As the method: a:unstack(axis).
---@param a any  array
---@param axis? integer
---@return cudalua.gpuarray.Array[]
---@raise LogicError as the method
function gpuarray.unstack(a, axis) end

---As the method: a:array_split(parts, axis).
---@param a any  array
---@param parts integer|integer[]
---@param axis? integer
---@return cudalua.gpuarray.Array[]
---@raise LogicError as the method
function gpuarray.array_split(a, parts, axis) end

---As the method: a:tile(...).
---@param a any  array
---@param ... any  how often along each axis; last {stream = cudalua.Stream, allocator = function}
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.tile(a, ...) end

---As the method: a:repeat_(times, axis, options).
---@param a any  array
---@param times integer|integer[]
---@param axis? integer
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.repeat_(a, times, axis, options) end

---As the method: a:roll(shift, axes, options).
---@param a any  array
---@param shift integer|integer[]
---@param axes? integer|integer[]
---@param options? {stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.roll(a, shift, axes, options) end

---As the method: a:pad(width, mode, options).
---@param a any  array
---@param width any
---@param mode? string
---@param options? {constant_values: any, stream: cudalua.Stream, allocator: function}
---@return cudalua.gpuarray.Array
---@raise LogicError as the method
function gpuarray.pad(a, width, mode, options) end
