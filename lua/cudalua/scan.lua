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
---@overload fun(...: any): cudalua.gpuarray.Array  the scan; arguments as declared
---@field name string      of the kernel in the compiled module
---@field keep_dir string? the folder with the compiler's files of the form compiled last; with `keep = true`
local Inclusive = names.class({}, "InclusiveScanKernel", { keep_dir = true })

---A kernel that scans an array with an operation: `k(x)`, `k(x, y)`.
---@class cudalua.scan.ExclusiveScanKernel
---@overload fun(...: any): cudalua.gpuarray.Array  the scan; arguments as declared
---@field name string      of the kernel in the compiled module
---@field keep_dir string? the folder with the compiler's files of the form compiled last; with `keep = true`
local Exclusive = names.class({}, "ExclusiveScanKernel", { keep_dir = true })

---A kernel that scans what an expression gives, and does a statement for each value: `k(x, y, count)`.
---@class cudalua.scan.GenericScanKernel
---@overload fun(...: any)  arguments as declared
---@field name string      of the kernel in the compiled module
---@field keep_dir string? the folder with the compiler's files of the form compiled last; with `keep = true`
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
---@field name_prefix string? of the kernel; default "scan"
---@field preamble string?    CUDA C before the kernel: functions, types, #include, #define
---@field options string[]?   for the compiler
---@field keep boolean?       true: the compiler's files stay in a folder, keep_dir
---@field dtype any           this and what follows: arguments that are not given by their place
---@field scan_expr string?
---@field neutral any

---A kernel that replaces each element by all elements up to it, combined by an associative operation:
---`InclusiveScanKernel("int32", "a + b")`. `scan_expr` is CUDA C of `a` and `b`, where `a` comes first. It need not be
---commutative. The dtype may be any one, structs, vectors and complex numbers among them.
---
---Calling it: k(input, output, options), which returns the output. Without one, the input is overwritten; "new" makes a
---new array. Arrays of any shape and layout are taken as their elements in C order. options: out, as output; n, the
---number of elements, from the first one on, default all; flags, an array of as many elements that is true where a new
---segment begins, before which nothing is counted; stream, default the current one; allocator, for a new array.
---
---Which elements are combined with which is a matter of their number and the dtype alone: the same on every device.
---
---A third argument, PyCUDA's neutral, is taken and not needed. Arguments may have their names, in the table of options:
---{ dtype = "int32", scan_expr = "a + b" }.
---@class cudalua.scan.InclusiveScanKernelClass
---@overload fun(dtype: any, scan_expr: string, options?: cudalua.scan.Options): cudalua.scan.InclusiveScanKernel
---@overload fun(dtype: any, scan_expr: string, neutral: any, options?: cudalua.scan.Options):
--- cudalua.scan.InclusiveScanKernel
M.InclusiveScanKernel = setmetatable({}, { __index = Inclusive, __call = function(_, ...)
  local class = "InclusiveScanKernel"
  return object_of(plain.new(class, false, ...), class, Inclusive, plain)
end })

---The CUDA C of the kernel, in the form for a few elements.
---@return string
function Inclusive:source() return plain.source(kernel_of(self, "InclusiveScanKernel")) end

---A kernel that replaces each element by all elements before it, combined; the first one, and the first one of each
---segment, by `neutral`: CUDA C, or a number. As InclusiveScanKernel in everything else.
---@class cudalua.scan.ExclusiveScanKernelClass
---@overload fun(dtype: any, scan_expr: string, neutral: string|number|boolean, options?: cudalua.scan.Options):
--- cudalua.scan.ExclusiveScanKernel
M.ExclusiveScanKernel = setmetatable({}, { __index = Exclusive, __call = function(_, ...)
  local class = "ExclusiveScanKernel"
  return object_of(plain.new(class, true, ...), class, Exclusive, plain)
end })

---The CUDA C of the kernel, in the form for a few elements.
---@return string
function Exclusive:source() return plain.source(kernel_of(self, "ExclusiveScanKernel")) end

---A kernel that computes a value for each element from arrays, scans these values, and does a statement with each:
---PyOpenCL's GenericScanKernel. Here, the elements of x that are greater than 0 are written to y, one after the other:
---
---    k = GenericScanKernel("int32", "const float *x, float *y, int *count", "x[i] > 0", "a + b", 0,
---      "if (item > prev_item) y[prev_item] = x[i]; if (i + 1 == N) count[0] = item;")
---
---`dtype` is that of the values. `input_expr` and `output_statement` are CUDA C of the arguments, of i, the number of
---the element, from 0, and n or N, how many there are; the statement has `item`, the value of the elements up to this
---one, and `prev_item`, that of those before it, which is `neutral` if it is the first. Option
---is_segment_start_expr: true where a new segment begins, before which nothing is counted.
---
---Calling it: k(arguments in their order, options). Arrays are passed whole, without gaps, as elements in C order; the
---first one says how many elements there are, or option n, and those that are used at [i] alone have as many at least;
---option stream. Statements run in any order, and an input may
---be computed more than once: what one statement writes, the input of another one must not need.
---@class cudalua.scan.GenericScanKernelClass
---@overload fun(dtype: any, arguments: string|any[], input_expr: string, scan_expr: string,
--- neutral: string|number|boolean|nil, output_statement: string, options?: cudalua.scan.GenericOptions):
--- cudalua.scan.GenericScanKernel
M.GenericScanKernel = setmetatable({}, { __index = Generic, __call = function(_, ...)
  return object_of(generic.new(...), "GenericScanKernel", Generic, generic)
end })

---@class cudalua.scan.GenericOptions : cudalua.scan.Options
---@field is_segment_start_expr string?  CUDA C: does a segment begin at element i?
---@field arguments any                  this and what follows: arguments that are not given by their place
---@field input_expr string?
---@field output_statement string?

---The CUDA C of the kernel, in the form for a few elements.
---@return string
function Generic:source() return generic.source(kernel_of(self, "GenericScanKernel")) end

names.strict(M, { text = "scan", kind = "module" })

return M
