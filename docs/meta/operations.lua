---@meta
-- Annotations of operations: their classes, and the methods in place. Those of the operations themselves follow from
-- their rows: generated/math.lua, generated/operations.lua.

---Options of operations. You can pass a stream instead of the table.
---@class cudalua.operation_options
---@field out? cudalua.gpuarray.Array  an array that receives the result, instead of a new one
---@field stream? cudalua.Stream  the stream to compute the result in, at once
---@field allocator? fun(bytes: integer): any  allocates the memory of the result, as for gpuarray.empty

---Element-wise operations on arrays: functions of gpuarray, `gpuarray.add(a, b)`, and methods of arrays, `a:add(b)`.
---Operands are broadcast, and their dtypes promoted; a plain number takes the dtype of the arrays.
---@class cudalua.operations : cudalua.math
local operations = {}

---@class cudalua.gpuarray.Array
local Array = {}

---Writes a + b to a itself, and so to the array that a is a view of.
---@param b cudalua.gpuarray.Array|number  the second operand; it broadcasts to a's shape
---@return cudalua.gpuarray.Array self
---@raise LogicError if a cannot hold the result's shape or dtype
function Array:iadd(b) end

---Writes a - b to a itself, and so to the array that a is a view of.
---@param b cudalua.gpuarray.Array|number  the second operand; it broadcasts to a's shape
---@return cudalua.gpuarray.Array self
---@raise LogicError if a cannot hold the result's shape or dtype
function Array:isub(b) end

---Writes a * b to a itself, and so to the array that a is a view of.
---@param b cudalua.gpuarray.Array|number  the second operand; it broadcasts to a's shape
---@return cudalua.gpuarray.Array self
---@raise LogicError if a cannot hold the result's shape or dtype
function Array:imul(b) end

---Writes a / b to a itself, and so to the array that a is a view of.
---@param b cudalua.gpuarray.Array|number  the second operand; it broadcasts to a's shape
---@return cudalua.gpuarray.Array self
---@raise LogicError if a cannot hold the result's shape or dtype
function Array:idiv(b) end

---Writes a % b to a itself, and so to the array that a is a view of.
---@param b cudalua.gpuarray.Array|number  the second operand; it broadcasts to a's shape
---@return cudalua.gpuarray.Array self
---@raise LogicError if a cannot hold the result's shape or dtype
function Array:imod(b) end

---Writes a ^ b to a itself, and so to the array that a is a view of.
---@param b cudalua.gpuarray.Array|number  the second operand; it broadcasts to a's shape
---@return cudalua.gpuarray.Array self
---@raise LogicError if a cannot hold the result's shape or dtype
function Array:ipow(b) end

---Writes a:floordiv(b) to a itself, and so to the array that a is a view of.
---@param b cudalua.gpuarray.Array|number  the second operand; it broadcasts to a's shape
---@return cudalua.gpuarray.Array self
---@raise LogicError if a cannot hold the result's shape or dtype
function Array:ifloordiv(b) end
