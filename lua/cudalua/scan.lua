-- Kernels that scan with an operation of the user's: PyCUDA's InclusiveScanKernel and ExclusiveScanKernel, and
-- PyOpenCL's GenericScanKernel, whose values are computed from arrays, and handed to a statement.
--   userkernel/scan_plain    from one array to another    scan_generic   with expressions and a statement
--   userkernel/scan_kernel   what all have in common      scan_code      the CUDA C around the user's
-- The kernels, and the order of operations, are in kernels/array/scan.cu.

local arguments = require "cudalua.userkernel.arguments"
local errors = require "cudalua.base.errors"
local generic = require "cudalua.userkernel.scan_generic"
local names = require "cudalua.base.names"
local plain = require "cudalua.userkernel.scan_plain"

---@class cudalua.scan
local M = {}

---A kernel that scans an array with an operation: `k(x)`, `k(x, y)`.
---@class cudalua.scan.InclusiveScanKernel
---@overload fun(...: any): cudalua.gpuarray.Array  returns the scan; takes the arguments as declared
---@field name string  the kernel's name in the compiled module
---@field keep_dir string?  the folder with the compiler's files of the last compiled variant; with `keep = true`
local Inclusive = names.class({}, "InclusiveScanKernel", { keep_dir = true })

---A kernel that scans an array with an operation: `k(x)`, `k(x, y)`.
---@class cudalua.scan.ExclusiveScanKernel
---@overload fun(...: any): cudalua.gpuarray.Array  returns the scan; takes the arguments as declared
---@field name string  the kernel's name in the compiled module
---@field keep_dir string?  the folder with the compiler's files of the last compiled variant; with `keep = true`
local Exclusive = names.class({}, "ExclusiveScanKernel", { keep_dir = true })

---A kernel that scans the values of an expression and runs a statement for each of them: `k(x, y, count)`.
---@class cudalua.scan.GenericScanKernel
---@overload fun(...: any)  the arguments as declared
---@field name string  the kernel's name in the compiled module
---@field keep_dir string?  the folder with the compiler's files of the last compiled variant; with `keep = true`
local Generic = names.class({}, "GenericScanKernel", { keep_dir = true })

-- A kernel as programs see it; methods: those of its class; kind: how it is called.
local function object_of(k, class, methods, kind)
  return arguments.object(k, class, "cudalua.scan." .. class, methods, kind.call)
end

local function kernel_of(self, class)
  local mt = debug.getmetatable(self)
  if type(mt) ~= "table" or mt.__metatable ~= "cudalua.scan." .. class then
    errors.raise("LogicError", ("%s:source: expected such a kernel, got %s"):format(class, errors.text(self)))
  end
  return mt._kernel
end

---@class cudalua.scan.Options
---@field name_prefix string?  the start of the kernel's name; default "scan"
---@field preamble string?    CUDA C before the kernel: functions, types, #include, #define
---@field options string[]?  options of the compiler
---@field keep boolean?  true: keep the compiler's files in a folder, keep_dir
---@field dtype any  this and the following fields: arguments that you did not pass by position
---@field scan_expr string?  the operation, as an argument of InclusiveScanKernel
---@field neutral any  the neutral value, as an argument of ExclusiveScanKernel

---A kernel that replaces each element with the combination of all elements up to it by an associative operation:
---`InclusiveScanKernel("int32", "a + b")`. `scan_expr` is CUDA C with `a` and `b`, where `a` comes first. It need not
---be commutative. All dtypes are supported, including structs, vectors and complex numbers.
---
---Call it as k(input, output, options); it returns the output. Without an output, the input is overwritten; "new"
---creates a new array. Arrays of any shape and layout are processed as their elements in C order. options: out: as
---output; n: the number of elements, from the first one on, default all; flags: an array with as many elements that is
---true where a new segment begins; elements before a segment are not counted in it; stream: default the current stream;
---allocator: for a new array.
---
---How elements are combined depends only on their number and the dtype: it is the same on every device.
---
---A third argument, PyCUDA's neutral, is accepted and ignored. You can name arguments in the table of options: {
---dtype = "int32", scan_expr = "a + b" }.
---@class cudalua.scan.InclusiveScanKernelClass
---@overload fun(dtype: any, scan_expr: string, options?: cudalua.scan.Options): cudalua.scan.InclusiveScanKernel
---@overload fun(dtype: any, scan_expr: string, neutral: any, options?: cudalua.scan.Options):
--- cudalua.scan.InclusiveScanKernel
M.InclusiveScanKernel = setmetatable({}, { __index = Inclusive, __call = function(_, ...)
  local class = "InclusiveScanKernel"
  return object_of(plain.new(class, false, ...), class, Inclusive, plain)
end })

---Returns the CUDA C source of the kernel, in the variant for few elements.
---@return string
function Inclusive:source() return plain.source(kernel_of(self, "InclusiveScanKernel")) end

---A kernel that replaces each element with the combination of all elements before it. The first element, and the first
---one of each segment, becomes `neutral`: CUDA C, or a number. As InclusiveScanKernel otherwise.
---@class cudalua.scan.ExclusiveScanKernelClass
---@overload fun(dtype: any, scan_expr: string, neutral: string|number|boolean, options?: cudalua.scan.Options):
--- cudalua.scan.ExclusiveScanKernel
M.ExclusiveScanKernel = setmetatable({}, { __index = Exclusive, __call = function(_, ...)
  local class = "ExclusiveScanKernel"
  return object_of(plain.new(class, true, ...), class, Exclusive, plain)
end })

---Returns the CUDA C source of the kernel, in the variant for few elements.
---@return string
function Exclusive:source() return plain.source(kernel_of(self, "ExclusiveScanKernel")) end

---A kernel that computes a value for each element from arrays, scans these values, and runs a statement for each:
---PyOpenCL's GenericScanKernel. In this example, the elements of x that are greater than 0 are written to y, one after
---the other:
---
---    k = GenericScanKernel("int32", "const float *x, float *y, int *count", "x[i] > 0", "a + b", 0,
---      "if (item > prev_item) y[prev_item] = x[i]; if (i + 1 == N) count[0] = item;")
---
---`dtype` is the dtype of the values. `input_expr` and `output_statement` are CUDA C with the arguments, the number i
---of the element, from 0, and the number of elements, n or N. The statement also has `item`, the value of the elements
---up to this one, and `prev_item`, the value of those before it, which is `neutral` for the first one. Option
---is_segment_start_expr is true where a new segment begins; elements before a segment are not counted in it.
---
---Call it as k(arguments in their order, options). Arrays are passed whole and must be contiguous; their elements are
---in C order. The first array, or option n, determines the number of elements; arrays that are only used at [i] must
---have at least as many. The other option is stream. Statements run in any order, and an input may be computed more
---than once. So a statement must not write what the input of another one needs.
---@class cudalua.scan.GenericScanKernelClass
---@overload fun(dtype: any, arguments: string|any[], input_expr: string, scan_expr: string,
--- neutral: string|number|boolean|nil, output_statement: string, options?: cudalua.scan.GenericOptions):
--- cudalua.scan.GenericScanKernel
M.GenericScanKernel = setmetatable({}, { __index = Generic, __call = function(_, ...)
  return object_of(generic.new(...), "GenericScanKernel", Generic, generic)
end })

---@class cudalua.scan.GenericOptions : cudalua.scan.Options
---@field is_segment_start_expr string?  a CUDA C expression that is true if a segment begins at element i
---@field arguments any  this and the following fields: arguments that you did not pass by position
---@field input_expr string?  the expression for the values, as an argument of GenericScanKernel
---@field output_statement string?  the statement, as an argument of GenericScanKernel

---Returns the CUDA C source of the kernel, in the variant for few elements.
---@return string
function Generic:source() return generic.source(kernel_of(self, "GenericScanKernel")) end

names.strict(M, { text = "scan", kind = "module" })

return M
