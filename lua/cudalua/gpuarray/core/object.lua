-- What an array is made of. Everything that works on arrays reads these fields; only storage.lua, graph.lua and
-- evaluate.lua write them.
--
-- An array is one table of eight fields, nine if an operation has three operands. (A table of nine takes 448 bytes, and
-- one of eight 256: most of the host's time is the collector's.) It is pending, has a value, or has memory:
--   _shape                      always; it is shared between arrays and never written
--   _sig _a _b _c               pending: the operation with its types, and the operands; _c where there are three
--   _sig _a _b                  with a value: false, how it lies in memory (a leaf), and if it was an operand while it
--                               was pending: the leaf of the value that it had when it was evaluated. Pending arrays
--                               with this operand mean that value, whatever is stored in it since. Otherwise false, so
--                               that a buffer that was replaced is not kept
--   _sig _a _b _c               with memory, computed and not used since: false, the memory, and a record of its
--                               `dtype` and `context`; _c is there if its kernel left the value in a cell, and is the
--                               ticket (mailbox.lua). storage.leaf_of() makes the leaf
--   _born _low                  how many operations were written up to it, and up to the first pending one that it is
--                               made of: it has at most _born - _low + 1 operations. _low is infinite with a value, and
--                               minus infinity if it reads exported memory, so that it is computed at once (cut.lua)
--   _used                       pending: UNREAD until it is an operand of something; then 0 until a kernel computes it
--                               on the way to something else; then what computing it again has cost so far, as a part
--                               of what storing it costs (again.lua)
--                               With a value: UNREAD if it was computed along with another array and nothing has read
--                               it since (habits.lua)
--   _mark                       of the walk that last came by, and which of its values it is (marks.lua)
-- Other fields follow from these, and are slower to read: _dtype _ndim _size; _leaf, _first and _store (the leaf's
-- storage) of an array with a value, otherwise false; _c, false where there is none.
--
-- A leaf is immutable: a piece of one buffer, seen with a shape. Pending arrays hold leaves, and with them buffers,
-- not storages: a storage may get another buffer, and then they see the old one.
--   buf off dtype shape strides bytes from the buffer's start; strides in bytes; buf is false where size is 0
--   dense                       C order without gaps; aligned: it begins at a multiple of 16 bytes
--   store                       where the buffer was when the leaf was made
--   _leaf = true, _low _mark    as above; _sig and _b as of an array with a value: false, and the leaf itself
--   _counted                    the operation that counted it among the arrays that are read, or -1 (graph.lua)
--   places node                 where it has no memory: its elements are their own places, from 0; and the array of
--                               random numbers that is made of them (plan.lua)
--
-- A storage is what views share:
--   buf bytes context           context: core.context_id()
--   exported                    the address was given away, so that the contents may change at any time, and nothing
--                               waits to be computed from or for it
--   pinned                      it is known elsewhere (a graph has it): the storage keeps its buffer
--   skew released               of the buffer's address, modulo 16; released: the memory was given back
--   owner                       of memory that is not ours to give back
--   readers                     the pending arrays that hold leaves of its buffer, or false
--   origin                      the array whose value it was made for, where that was an operand while it was pending

local M = {}

-- Methods of arrays; `a.name` finds them.
---@class cudalua.gpuarray.Array
M.Array = {}

---What getmetatable says of an array.
M.TAG = "cudalua.gpuarray"

M.mt = { __metatable = M.TAG, __name = M.TAG }

---The value of _used in arrays that nothing has read.
M.UNREAD = -1

---@param shape integer[]
---@return integer
function M.size_of(shape)
  local n = #shape
  if n == 1 then return shape[1] end
  if n == 2 then return shape[1] * shape[2] end
  local size = 1
  for k = 1, n do size = size * shape[k] end
  return size
end

---@param x cudalua.gpuarray.Array
---@return cudalua.dtype.DType
function M.dtype_of(x)
  local sig, a, b = x._sig, x._a, x._b -- a finalizer may compute x on the way
  if sig then return sig.result end
  return type(a) == "table" and a.dtype or b.dtype
end

---The leaf that an operand of an expression is, or the value that it had when it was evaluated. Nil: it is pending, or
---no array.
---@param o table
---@return table?
function M.leaf_of(o)
  local sig, first = o._sig, o._b
  return not sig and first and first._leaf and first or nil
end

---@param o table  leaf, array, or a value in a table
---@return boolean
function M.is_leaf(o) return o._b == o end

-- Fields that follow from others; arrays do not have them.
M.derived = {
  _dtype = M.dtype_of,
  _ndim = function(x) return #x._shape end,
  _size = function(x) return M.size_of(x._shape) end,
  _leaf = function(x)
    local sig, a = x._sig, x._a
    return not sig and type(a) == "table" and a
  end,
  _first = function(x) return M.leaf_of(x) or false end,
  _store = function(x)
    local sig, a = x._sig, x._a
    return not sig and type(a) == "table" and a.store
  end,
  _c = function() return false end,
}

local placeholders = {} -- dtype -> signature

---Stands as _sig in arrays that are only written down with, never computed: the arguments of a function while
---fuse.lua looks at what it does. `_real` of such an array is the leaf that it stands for, _part(...) a view.
---@param dtype cudalua.dtype.DType
---@return table sig  with `placeholder`
function M.placeholder(dtype)
  local sig = placeholders[dtype]
  if sig then return sig end
  sig = setmetatable({ placeholder = true, result = dtype }, { __index = function()
    require("cudalua.base.errors").raise("LogicError", "gpuarray.fuse: the function needs the value of an argument " ..
      "(an element, its text, a part of a computed array); arguments have no values while the function " ..
      "is traced; use element-wise operations, and where(condition, a, b) to choose between two values")
  end })
  placeholders[dtype] = sig
  return sig
end

---Is an expression made of such arguments?
---@param x any
---@param known table<any, boolean>  of those that were looked at
---@return boolean
function M.is_traced(x, known)
  local sig = type(x) == "table" and x._sig
  if not sig then return false end
  if sig.placeholder then return true end
  if known[x] == nil then
    known[x] = M.is_traced(x._a, known) or M.is_traced(x._b, known) or M.is_traced(x._c, known)
  end
  return known[x]
end

---@param x any
---@return boolean
function M.is_array(x) return type(x) == "table" and getmetatable(x) == M.TAG end

---For an error about an argument that is not an array: what to write if it is a list, or if a method was called with a
---dot.
---@param what string  the function that was called, for messages: "gpuarray:sum"
---@param x any        the argument
---@param other? boolean  it is not the first one
---@return string      "; call the method with a colon: a:sum()", or empty
function M.colon(what, x, other)
  local name, plain = what:match "[%w_]+$", type(x) == "table" and not getmetatable(x)
  local is_list = plain and rawget(x, 1) ~= nil
  local dotted = not other and (x == nil or type(x) == "number" or plain) and rawget(M.Array, name)
  return (is_list and "; copy a list to the device with gpuarray.to_gpu()" or "") ..
    (dotted and ("%s call the method with a colon: a:%s()"):format(is_list and ", or" or
      type(x) == "number" and what:find("gpuarray.", 1, true) == 1 and
      ("; pass the array first: %s(a), or"):format(what) or ";", name) or "")
end

---For an error about an argument that is a list of arrays, or an array of several ranks: what to write.
---@param what string  the function that was called, which takes any number of arrays: "gpuarray.eval"
---@param x any        the argument
---@return string      "; pass the arrays as separate arguments: gpuarray.eval(a, b)", or empty
function M.separately(what, x)
  if type(x) == "table" and getmetatable(x) == "cudalua.distributed.Array" then return "; pass its block, a.block" end
  local is_list = type(x) == "table" and not getmetatable(x) and M.is_array(rawget(x, 1))
  return is_list and ("; pass the arrays as separate arguments: %s(a, b)"):format(what) or ""
end

---An argument that has to be an array of the device.
---@param what string   the function that was called, for messages
---@param x any
---@param name? string  what the function calls the argument; default: it is the only array
---@return cudalua.gpuarray.Array x
---@raise LogicError if it is something else
function M.check_array(what, x, name)
  if M.is_array(x) then return x end
  local refuse = require("cudalua.base.layout").refuse
  if type(x) == "table" and getmetatable(x) == "cudalua.ndarray" then
    refuse(what, (name or "the array") .. (name and " is an array" or " is") ..
      " in host memory; copy it to the device with gpuarray.to_gpu()")
  end
  if type(x) == "table" and getmetatable(x) == "cudalua.sparse.Matrix" then
    refuse(what, (name or "the array") .. " is a sparse matrix; convert it to an array with m:todense()" ..
      (what:find "matmul$" and ", or write x:matmul(m) as m.T:matmul(x.T).T" or ""))
  end
  local first = not name or name == "a" or name == "numbers" -- choose's
  local method = what:match ":([%w_]+)$"
  local hint = not first and x == nil and method and ("; call the method with a colon: a:%s(%s)"):format(method, name)
    or M.colon(what, x, not first)
  return refuse(what, (name and name .. " must be" or "expected") .. " a gpuarray, got " ..
    require("cudalua.base.element").describe(x) .. hint)
end

return M
