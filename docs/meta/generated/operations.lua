-- Written by ./dev generate from the rows in gpuarray/kernel/ops/ and from core/functions.lua; change these.
---@meta

---@class cudalua.operations
local operations = {}

---a + b; integers wrap; of bool: or.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.add(a, b, options) end

---The bits that are set in both; of integers and bool.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.bitwise_and(a, b, options) end

---The bits that are not set; of integers and bool.
---@param a cudalua.gpuarray.Array
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function operations.bitwise_not(a, options) end

---The bits that are set in one or both; of integers and bool.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.bitwise_or(a, b, options) end

---The bits that are set in just one of the two; of integers and bool.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.bitwise_xor(a, b, options) end

---The complex numbers with these real and imaginary parts, as torch.complex: complex64, of float64 complex128.
---@param a cudalua.gpuarray.Array|number  real parts
---@param b cudalua.gpuarray.Array|number  imaginary parts
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if one is complex, the shapes do not broadcast, or both are numbers
function operations.complex(a, b, options) end

---The complex conjugate: conj under its other name, as in PyCUDA.
---@param a cudalua.gpuarray.Array
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function operations.conjugate(a, options) end

---a / b, the true quotient: of integers the default float.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.div(a, b, options) end

---Is a equal to b? As bool; NaN equals nothing.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.eq(a, b, options) end

---The greatest common divisor, which is not negative; of integers.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.gcd(a, b, options) end

---a >= b, as bool. Integers of different types are compared by their values. Not for complex numbers.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.ge(a, b, options) end

---a > b, as bool. Integers of different types are compared by their values. Not for complex numbers.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.gt(a, b, options) end

---a if the criterion is greater than 0, else b; as in PyCUDA.
---@param criterion cudalua.gpuarray.Array|number
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError for a complex criterion, if the shapes do not broadcast, or all are numbers
function operations.if_positive(criterion, a, b, options) end

---The least common multiple, which is not negative; of integers.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.lcm(a, b, options) end

---a <= b, as bool. Integers of different types are compared by their values. Not for complex numbers.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.le(a, b, options) end

---The bits of a, b places higher; 0 if b is not less than the number of bits, or is negative.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.left_shift(a, b, options) end

---Are both true? As bool; what is not 0 is true, also NaN.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.logical_and(a, b, options) end

---Is it false? As bool; 0 is false.
---@param a cudalua.gpuarray.Array
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function operations.logical_not(a, options) end

---Is one of the two true? As bool; what is not 0 is true, also NaN.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.logical_or(a, b, options) end

---Is just one of the two true? As bool; what is not 0 is true, also NaN.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.logical_xor(a, b, options) end

---a < b, as bool. Integers of different types are compared by their values. Not for complex numbers.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.lt(a, b, options) end

---a * b; integers wrap; of bool: and.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.mul(a, b, options) end

---a * selffac + other * otherfac; as in PyCUDA.
---@param a cudalua.gpuarray.Array
---@param selffac cudalua.gpuarray.Array|number
---@param other cudalua.gpuarray.Array
---@param otherfac cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, or the shapes do not broadcast
function operations.mul_add(a, selffac, other, otherfac, options) end

---Is a different from b? As bool; NaN is different from everything.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.ne(a, b, options) end

---The negative, -a; integers wrap; not for bool.
---@param a cudalua.gpuarray.Array
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function operations.neg(a, options) end

---The elements as they are, as a new array.
---@param a cudalua.gpuarray.Array
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if a's dtype is not supported
function operations.pos(a, options) end

---The bits of a, b places lower; the sign if b is not less than the number of bits, or is negative.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.right_shift(a, b, options) end

---a - b; integers wrap; not for bool.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if these dtypes are not supported, the shapes do not broadcast, or both are numbers
function operations.sub(a, b, options) end
