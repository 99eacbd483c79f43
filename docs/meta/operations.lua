---@meta
-- Annotations of operations: their classes, and the methods in place. Those of the operations themselves follow from
-- their rows: generated/math.lua, generated/operations.lua.

---Options of operations. A stream may stand in the place of the table.
---@class cudalua.operation_options
---@field out? cudalua.gpuarray.Array  gets the result, in place of a new array
---@field stream? cudalua.Stream  the result is computed in it, at once
---@field allocator? fun(bytes: integer): any  gives the memory of the result, as for gpuarray.empty

---Operations on arrays, element by element: functions of gpuarray, `gpuarray.add(a, b)`, and methods of arrays,
---`a:add(b)`. Operands are broadcast, and their dtypes promoted; a plain number has the dtype of the arrays beside it.
---@class cudalua.operations : cudalua.math
local operations = {}

---@class cudalua.gpuarray.Array
local Array = {}

---a + b, written to a itself, and so to what it is a view of.
---@param b cudalua.gpuarray.Array|number
---@return cudalua.gpuarray.Array self
---@raise LogicError if a cannot hold the result's shape or dtype
function Array:iadd(b) end

---a - b, written to a itself, and so to what it is a view of.
---@param b cudalua.gpuarray.Array|number
---@return cudalua.gpuarray.Array self
---@raise LogicError if a cannot hold the result's shape or dtype
function Array:isub(b) end

---a * b, written to a itself, and so to what it is a view of.
---@param b cudalua.gpuarray.Array|number
---@return cudalua.gpuarray.Array self
---@raise LogicError if a cannot hold the result's shape or dtype
function Array:imul(b) end

---a / b, written to a itself, and so to what it is a view of.
---@param b cudalua.gpuarray.Array|number
---@return cudalua.gpuarray.Array self
---@raise LogicError if a cannot hold the result's shape or dtype
function Array:idiv(b) end

---a % b, written to a itself, and so to what it is a view of.
---@param b cudalua.gpuarray.Array|number
---@return cudalua.gpuarray.Array self
---@raise LogicError if a cannot hold the result's shape or dtype
function Array:imod(b) end

---a ^ b, written to a itself, and so to what it is a view of.
---@param b cudalua.gpuarray.Array|number
---@return cudalua.gpuarray.Array self
---@raise LogicError if a cannot hold the result's shape or dtype
function Array:ipow(b) end

---a:floordiv(b), written to a itself, and so to what it is a view of.
---@param b cudalua.gpuarray.Array|number
---@return cudalua.gpuarray.Array self
---@raise LogicError if a cannot hold the result's shape or dtype
function Array:ifloordiv(b) end
