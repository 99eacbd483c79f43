-- Written by ./dev generate from the rows in gpuarray/kernel/ops/ and from core/functions.lua; change these.
---@meta

---@class cudalua.operations
local operations = {}

---a + b. Integers wrap around; for bool, a or b.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.add(a, b, options) end

---Bitwise and of integers and bool.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.bitwise_and(a, b, options) end

---Inverts all bits of integers and bool.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function operations.bitwise_not(a, options) end

---Bitwise or of integers and bool.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.bitwise_or(a, b, options) end

---Bitwise exclusive or of integers and bool.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.bitwise_xor(a, b, options) end

---Complex numbers with these real and imaginary parts, as torch.complex does: complex64, or complex128 for float64.
---@param a cudalua.gpuarray.Array|number  the real parts
---@param b cudalua.gpuarray.Array|number  the imaginary parts
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if one is complex, the shapes do not broadcast, or both are numbers
function operations.complex(a, b, options) end

---The complex conjugate: another name of conj, as in PyCUDA.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function operations.conjugate(a, options) end

---a / b, true division: the result for integers is the default float.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.div(a, b, options) end

---Tests whether a equals b, as bool. NaN does not equal anything.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.eq(a, b, options) end

---The greatest common divisor of integers, which is not negative.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.gcd(a, b, options) end

---a >= b, as bool. Integers of different types are compared by value. Complex numbers are not supported.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.ge(a, b, options) end

---a > b, as bool. Integers of different types are compared by value. Complex numbers are not supported.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.gt(a, b, options) end

---a if the criterion is greater than 0, else b; as in PyCUDA.
---@param criterion cudalua.gpuarray.Array|number  an array or a number; it is compared with 0
---@param a cudalua.gpuarray.Array|number  the value if the criterion is greater than 0
---@param b cudalua.gpuarray.Array|number  the value otherwise
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError for a complex criterion, if the shapes do not broadcast, or all are numbers
function operations.if_positive(criterion, a, b, options) end

---The least common multiple of integers, which is not negative.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.lcm(a, b, options) end

---a <= b, as bool. Integers of different types are compared by value. Complex numbers are not supported.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.le(a, b, options) end

---Shifts the bits of a left by b places; 0 if b is negative or at least the number of bits.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.left_shift(a, b, options) end

---Tests whether both are true, as bool. Every value but 0 is true, NaN too.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.logical_and(a, b, options) end

---Tests whether an element is false, as bool. Only 0 is false.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function operations.logical_not(a, options) end

---Tests whether at least one is true, as bool. Every value but 0 is true, NaN too.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.logical_or(a, b, options) end

---Tests whether exactly one is true, as bool. Every value but 0 is true, NaN too.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.logical_xor(a, b, options) end

---a < b, as bool. Integers of different types are compared by value. Complex numbers are not supported.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.lt(a, b, options) end

---a * b. Integers wrap around; for bool, a and b.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.mul(a, b, options) end

---a * selffac + other * otherfac; as in PyCUDA.
---@param a cudalua.gpuarray.Array  the first array
---@param selffac cudalua.gpuarray.Array|number  the factor of a
---@param other cudalua.gpuarray.Array  the second array
---@param otherfac cudalua.gpuarray.Array|number  the factor of other
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, or the shapes do not broadcast
function operations.mul_add(a, selffac, other, otherfac, options) end

---Tests whether a differs from b, as bool. NaN differs from everything.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.ne(a, b, options) end

----a. Integers wrap around; bool is not supported.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function operations.neg(a, options) end

---A copy of the elements, unchanged.
---@param a cudalua.gpuarray.Array  an array of any shape
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function operations.pos(a, options) end

---Shifts the bits of a right by b places. If b is negative or at least the number of bits, all bits are the sign.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.right_shift(a, b, options) end

---a - b. Integers wrap around; bool is not supported.
---@param a cudalua.gpuarray.Array|number  the first operand: an array, or a number if another operand is an array
---@param b cudalua.gpuarray.Array|number  the second operand; its shape broadcasts with the first one's
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.sub(a, b, options) end
