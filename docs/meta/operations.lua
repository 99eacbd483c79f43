---@meta
-- Annotations of the operations that are not in cudalua.math (math.lua, here): lua/cudalua/gpuarray/functions.lua takes
-- them from the operations' rows.

---Operations on arrays, element by element: functions of gpuarray, `gpuarray.add(a, b)`, and methods of arrays,
---`a:add(b)`. Operands are broadcast, and their dtypes promoted; a plain number has the dtype of the arrays beside it.
---@class cudalua.operations : cudalua.math
local operations = {}

---a + b; integers wrap; of bool: or.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.add(a, b, options) end

---a - b; integers wrap; not for bool.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.sub(a, b, options) end

---a * b; integers wrap; of bool: and.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.mul(a, b, options) end

---a / b, the true quotient: of integers the default float.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.div(a, b, options) end

----a; integers wrap; not for bool.
---@param a cudalua.gpuarray.Array
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for a's dtype
function operations.neg(a, options) end

---The elements as they are, as a new array.
---@param a cudalua.gpuarray.Array
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for a's dtype
function operations.pos(a, options) end

---The complex numbers with these real and imaginary parts, as torch.complex: complex64, of float64 complex128.
---@param a cudalua.gpuarray.Array|number  real parts
---@param b cudalua.gpuarray.Array|number  imaginary parts
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError if one is complex, the shapes do not fit together, or both are numbers
function operations.complex(a, b, options) end

---a < b, as bool. Integers of different types are compared by their values. Not for complex numbers.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.lt(a, b, options) end

---a <= b, as bool. Integers of different types are compared by their values. Not for complex numbers.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.le(a, b, options) end

---a > b, as bool. Integers of different types are compared by their values. Not for complex numbers.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.gt(a, b, options) end

---a >= b, as bool. Integers of different types are compared by their values. Not for complex numbers.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.ge(a, b, options) end

---Is a equal to b? As bool; NaN equals nothing.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.eq(a, b, options) end

---Is a different from b? As bool; NaN is different from everything.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.ne(a, b, options) end

---Are both true? As bool; what is not 0 is true, also NaN.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.logical_and(a, b, options) end

---Is one of the two true? As bool; what is not 0 is true, also NaN.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.logical_or(a, b, options) end

---Is just one of the two true? As bool; what is not 0 is true, also NaN.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.logical_xor(a, b, options) end

---Is it false? As bool; 0 is false.
---@param a cudalua.gpuarray.Array
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for a's dtype
function operations.logical_not(a, options) end

---The bits that are set in both; of integers and bool.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.bitwise_and(a, b, options) end

---The bits that are set in one or both; of integers and bool.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.bitwise_or(a, b, options) end

---The bits that are set in just one of the two; of integers and bool.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.bitwise_xor(a, b, options) end

---The bits that are not set; of integers and bool.
---@param a cudalua.gpuarray.Array
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for a's dtype
function operations.bitwise_not(a, options) end

---The bits of a, b places higher; 0 where b is not less than the number of bits, or negative.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.left_shift(a, b, options) end

---The bits of a, b places lower; the sign where b is not less than the number of bits, or negative.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.right_shift(a, b, options) end

---The greatest common divisor, which is not negative; of integers.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.gcd(a, b, options) end

---The least common multiple, which is not negative; of integers.
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, the shapes do not fit together, or both are numbers
function operations.lcm(a, b, options) end

---a where the criterion is greater than 0, else b; as in PyCUDA.
---@param criterion cudalua.gpuarray.Array|number
---@param a cudalua.gpuarray.Array|number
---@param b cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError for a complex criterion, where the shapes do not fit together, or all are numbers
function operations.if_positive(criterion, a, b, options) end

---a * selffac + other * otherfac; as in PyCUDA.
---@param a cudalua.gpuarray.Array
---@param selffac cudalua.gpuarray.Array|number
---@param other cudalua.gpuarray.Array
---@param otherfac cudalua.gpuarray.Array|number
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for these dtypes, or the shapes do not fit together
function operations.mul_add(a, selffac, other, otherfac, options) end

---The complex conjugate: conj under its other name, as in PyCUDA.
---@param a cudalua.gpuarray.Array
---@param options? cudalua.operation_options  out, stream, allocator
---@return cudalua.gpuarray.Array
---@raise LogicError where it is not defined for a's dtype
function operations.conjugate(a, options) end

---@class cudalua.gpuarray.Array
local Array = {}

---a + b, written to a itself, and so to what it is a view of.
---@param b cudalua.gpuarray.Array|number
---@return cudalua.gpuarray.Array self
---@raise LogicError where the result's shape or dtype does not go into a
function Array:iadd(b) end

---a - b, written to a itself, and so to what it is a view of.
---@param b cudalua.gpuarray.Array|number
---@return cudalua.gpuarray.Array self
---@raise LogicError where the result's shape or dtype does not go into a
function Array:isub(b) end

---a * b, written to a itself, and so to what it is a view of.
---@param b cudalua.gpuarray.Array|number
---@return cudalua.gpuarray.Array self
---@raise LogicError where the result's shape or dtype does not go into a
function Array:imul(b) end

---a / b, written to a itself, and so to what it is a view of.
---@param b cudalua.gpuarray.Array|number
---@return cudalua.gpuarray.Array self
---@raise LogicError where the result's shape or dtype does not go into a
function Array:idiv(b) end

---a % b, written to a itself, and so to what it is a view of.
---@param b cudalua.gpuarray.Array|number
---@return cudalua.gpuarray.Array self
---@raise LogicError where the result's shape or dtype does not go into a
function Array:imod(b) end

---a ^ b, written to a itself, and so to what it is a view of.
---@param b cudalua.gpuarray.Array|number
---@return cudalua.gpuarray.Array self
---@raise LogicError where the result's shape or dtype does not go into a
function Array:ipow(b) end

---a:floordiv(b), written to a itself, and so to what it is a view of.
---@param b cudalua.gpuarray.Array|number
---@return cudalua.gpuarray.Array self
---@raise LogicError where the result's shape or dtype does not go into a
function Array:ifloordiv(b) end
