-- Nodes of expressions: finds the dtype and the shape of an operation's result. Nothing is computed here.
-- This is the hot path of programs that work on small arrays: no strings, no closures, one table for each operation.

local ffi = require "ffi"
local core = require "cudalua.core"
local debugging = require "cudalua.driver.debugging"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local hooks = require "cudalua.base.hooks"
local layout = require "cudalua.base.layout"
local new_table = require "table.new"
local object = require "cudalua.gpuarray.core.object"
local scalar = require("cudalua.gpuarray.core.scalar").operand
local storage = require "cudalua.gpuarray.core.storage"
local sub = require("cudalua.base.tables").sub

local type, getmetatable, setmetatable = type, getmetatable, setmetatable
local TAG, UNREAD, mt, remember, leaf_of = object.TAG, object.UNREAD, object.mt, storage.remember, storage.leaf_of

local M = {}

-- ---- types ------------------------------------------------------------------------------------------------------

---An operation with its types, which is the same object each time; a token of programs, too.
---@class cudalua.gpuarray.Signature
---@field op cudalua.gpuarray.Op
---@field result cudalua.dtype.DType
---@field x cudalua.dtype.DType   in which the first operand is taken,
---@field y? cudalua.dtype.DType  and the second,
---@field z? cudalua.dtype.DType  and the third
---@field number integer  another one for each signature, from 1

-- op -> dtype of a -> dtype of b -> signature.
local unary_signatures, binary_signatures, ternary_signatures = {}, {}, {}
local interned, count = {}, 0

local function intern(op, result, x, y, z)
  local key = op.id .. " " .. result.name .. " " .. x.name .. (y and " " .. y.name or "") .. (z and " " .. z.name or "")
  local s = interned[key]
  if not s then
    count = count + 1
    s = { op = op, result = result, x = x, y = y, z = z, number = count }
    interned[key] = s
  end
  return s
end

local function unary_signature(op, a)
  local s = intern(op, op.infer(a))
  sub(unary_signatures, op)[a] = s
  return s
end

local function binary_signature(op, a, b)
  local s = intern(op, op.infer(a, b))
  sub(sub(binary_signatures, op), a)[b] = s
  return s
end

---The signature of an operation on two types.
---@param op cudalua.gpuarray.Op
---@param a cudalua.dtype.DType
---@param b cudalua.dtype.DType
---@return cudalua.gpuarray.Signature
function M.binary_signature(op, a, b)
  local row = sub(binary_signatures, op)[a]
  return row and row[b] or binary_signature(op, a, b)
end

local function ternary_signature(op, a, b, c)
  local s = intern(op, op.infer(a, b, c))
  sub(sub(sub(ternary_signatures, op), a), b)[c] = s
  return s
end

local is_float = {}
for _, dt in ipairs(dtypes.list) do is_float[dt] = dt.kind == "float" end

-- They depend on the default float type.
table.insert(dtypes._on_default_float, function()
  unary_signatures, binary_signatures, ternary_signatures = {}, {}, {}
end)

-- ---- the order of writing ---------------------------------------------------------------------------------------

-- How many operations were written so far. An expression reaches back to the first operation that it is made of and
-- that has no value yet; so it has at most as many operations as were written since.
local born = 0

---An expression reaches back so far, before the order of writing is cut: see cut.lua.
M.REACH = 384
---A cut comes earlier for so many different arrays that are read, as pending operations keep their memory.
M.ARRAYS = 64
local EAGER = -1 -- each operation is computed at once
local reach = M.REACH

-- What was read before the first operation of an expression must not count. Otherwise equal iterations of a loop would
-- be cut at different places, and each place is another kernel. So an array counts if it was not counted since the
-- first operation of the expression that reads it. leaf._counted is the number of the operation that counted it.
-- `counted` has the last M.ARRAYS of these numbers, and the next one replaces the oldest. If the oldest is not older
-- than the expression, the expression may read too many arrays.
local MOST_ARRAYS, REST = M.ARRAYS, M.ARRAYS / 2 -- REST: operations that remain after such a cut
local counted, place, many = new_table(MOST_ARRAYS, 0), 0, false
local function count_anew()
  for k = 1, MOST_ARRAYS do counted[k] = 0 end
end
count_anew()

---@return integer  the number of the operation that was written last
function M.written() return born end

---Sets whether each operation is computed at once.
---@param on boolean
function M.set_eager(on) reach = on and EAGER or M.REACH end

---@return boolean
function M.is_eager() return reach == EAGER end

---Lets expressions grow without limits until the function that is returned is called: for fuse.lua.
---@return function restore
function M.lift_limits()
  local before = reach
  reach = math.huge
  return function() reach = before end
end

---Is a function looked at for fuse.lua?
---@return boolean
function M.limits_lifted() return reach == math.huge end

---Did a function that is looked at reduce or scan what it computes of its arguments? One kernel cannot do that.
M.reduces_traced = false

local due = math.huge

---Reductions that wait (waiting.lua) start when an operation after this one is written.
---@param number integer  of the operation
function M.set_due(number) due = number end

---Starts the reductions that wait, unless they may wait for more than this operation: see waiting.lua.
---@param x cudalua.gpuarray.Array
---@return boolean waits
function M.pass_waiting(x) return false end -- luacheck: ignore x

---How many arrays the pending operations since the first one of x read; cut.lua puts its function here.
---@param x cudalua.gpuarray.Array
---@return integer
function M.count_arrays(x) return 0 end -- luacheck: ignore x

-- Does an expression read so many arrays that it has to be cut? The count above includes arrays that only evaluated
-- operations read, so those of pending operations are counted here.
local function reads_many(x)
  many = false
  if not x._sig or x._born - x._low <= REST then return false end
  count_anew()
  return M.count_arrays(x) > MOST_ARRAYS
end

-- An expression that reaches too far back, or one after which what waits has to start. What reads memory that others
-- may change is computed at once.
local function limit(x)
  local waits = x._born > due and M.pass_waiting(x)
  local few = not (many and reads_many(x))
  if waits and few and x._low >= 0 and x._born - x._low <= reach then return end
  if reach == EAGER or x._low < 0 then
    M.evaluate(x)
  elseif reach < math.huge then
    M.cut(x, few and reach or REST)
  end
end

-- ---- operands -----------------------------------------------------------------------------------------------------

local function is_value(x)
  local t = type(x)
  return t == "number" or t == "boolean" or t == "cdata" and element.scalar(x) ~= nil
end

local operators = { add = true, sub = true, mul = true, div = true, mod = true, pow = true } -- a + nil

local function refuse_operand(op, x)
  if type(x) == "table" and getmetatable(x) == "cudalua.ndarray" then
    errors.raise("LogicError", ("%s: one operand is a host array; %scopy it to the device with " ..
      "gpuarray.to_gpu()"):format(op.name, x.size == 1 and "read its number with :item(), or " or ""))
  end
  local value, text, instead = is_value(x), element.describe(x), ""
  if value then
    if op.arity > 1 then text = "numbers only" end
    instead = "; create a 0-d array from a number with gpuarray.scalar()"
    if op.arity == 3 then instead = instead .. object.colon(op.name, x):gsub("^;", ", or") end
  elseif core.kind(x) == "Scalar" then -- cuda.float32(2)
    instead = "; for a number with a type use gpuarray.scalar(value, dtype)"
  end
  if type(x) == "table" and not getmetatable(x) and op.arity > 1 then
    instead = "; convert a list with gpuarray.to_gpu(list)"
  end
  -- With a dot before its name, a method lacks its last argument, or all of them.
  if x == nil and operators[op.name] then
    instead = ("; check the operand's name, or call the method with a colon: a:%s()"):format(op.name)
  elseif x == nil and op.arity == 3 then
    instead = ("; %s takes 3 operands: write gpuarray.%s(a, b, c), or call the method with a colon, as in " ..
      "a:%s(b, c)"):format(op.name, op.name, op.name)
  elseif x == nil or op.arity == 1 then
    instead = instead .. object.colon(op.name, x)
  end
  errors.raise("LogicError", ("%s: expected an array%s, got %s%s"):format(op.name,
    op.arity > 1 and not value and " or a number" or "", text, instead))
end

-- What stands for an array in an operation: its leaf, or itself while it is pending.
local function operand(x)
  if x._used < 0 then x._used = 0 end -- before the check, as a finalizer may compute x behind it
  return x._sig and x or leaf_of(x)
end

-- The next operation reads an array and reaches back to `low`: see M.ARRAYS. Callers check leaf._counted.
local function count_leaf(leaf, low)
  local number = born + 1
  place = place < MOST_ARRAYS and place + 1 or 1
  if counted[place] >= low then many = true end
  leaf._counted, counted[place] = number, number
end

-- The same for any operand. Leaves refer to themselves.
local function count_operand(x, low)
  if type(x) == "table" and x._b == x and x._counted < low then count_leaf(x, low) end
end

-- The dtype of what operand() returns; `dtype` is a field of leaves, and a property of what a finalizer has computed.
local function dtype_of(x)
  local sig = x._sig
  return sig and sig.result or x.dtype
end

-- ---- shapes -------------------------------------------------------------------------------------------------------

local function same(a, b)
  local n = #a
  if n ~= #b then return false end
  for k = 1, n do
    if a[k] ~= b[k] then return false end
  end
  return true
end

-- Of the operands of where() that were looked at, broadcast() gets the shape alone.
local function describe(x)
  local is_shaped = type(x) == "table" and not getmetatable(x) and x._shape and x._dtype
  if is_shaped or object.is_array(x) then return x._dtype.name .. layout.text(x._shape) end
  return element.describe(x)
end

local function refuse_value(op, why, ...)
  local list = { ... }
  for k = 1, #list do list[k] = describe(list[k]) end
  errors.raise("LogicError", ("%s: %s: %s"):format(op.name, table.concat(list, " and "), why))
end

-- What an integer is beside an array of integers whose type does not hold it: a type that does, and the number in
-- it. Nil for anything else.
local function beyond(dt, value)
  local x = element.scalar(value)
  if dt.kind ~= "int" and dt.kind ~= "uint" and dt.kind ~= "bool" or element.is_complex(x) then return nil end
  if type(x) == "cdata" then return ffi.istype("uint64_t", x) and dtypes.uint64 or dtypes.int64, x end
  if type(x) ~= "number" then return nil end
  if x >= -2 ^ 31 and x < 2 ^ 31 then return dtypes.int32, x end
  if x >= -2 ^ 63 and x < 2 ^ 63 then return dtypes.int64, ffi.cast("int64_t", x) end
  if x >= 2 ^ 63 and x < 2 ^ 64 then return dtypes.uint64, ffi.cast("uint64_t", x) end
  return dtypes.float64, x < 0 and -math.huge or math.huge -- beyond every integer, however these are rounded
end

-- The dtype that a value has beside an array of type dt, and the value. The others are the operands, for an error.
local function weak(op, dt, value, ...)
  if is_float[dt] and type(value) == "number" then return dt, value end
  local result, why = dtypes._beside(dt, value)
  if result then return result, value end
  if op.beyond == "compare" then
    local own_type, x = beyond(dt, value)
    if own_type then return own_type, x end
  end
  return refuse_value(op, why, ...)
end

-- Operands with a type of their own in every case: may a value stand for operand k?
local function own(op, k, value, ...)
  local dt = op.weak[k]
  local _, why = dt._check(element.scalar(value))
  return dt.kind ~= "bool" and why and refuse_value(op, why, ...) or dt
end

-- What to write if two shapes do not broadcast: axes are compared from the last one.
local function aligned(sa, sb)
  local short, long = sa, sb
  if #sa > #sb then short, long = sb, sa end
  local fits = #short < #long
  for k = 1, #short do fits = fits and (short[k] == long[k] or short[k] == 1 or long[k] == 1) end
  if not fits then
    return "axes are compared from the last one: their extents must be equal or 1; see reshape, T and newaxis"
  end
  local shape = { unpack(short) }
  for k = #short + 1, #long do shape[k] = 1 end
  return ("axes are compared from the last one: reshape the %s one to {%s}, or reduce with {keepdims = true}"):format(
    short == sa and "first" or "second", table.concat(shape, ", "))
end

-- The shape of both together, one of the two where that is possible.
local function broadcast(op, a, b)
  local sa, sb = a._shape, b._shape
  if sa == sb or same(sa, sb) then return sa end
  local na, nb = #sa, #sb
  local n = na > nb and na or nb
  local out, is_a, is_b = {}, na == n, nb == n
  for k = 1, n do
    local ea, eb = sa[k - n + na] or 1, sb[k - n + nb] or 1
    local e = ea == 1 and eb or ea
    if eb ~= e and eb ~= 1 then
      errors.raise("LogicError", ("%s: the shapes of %s and %s cannot be broadcast together; " ..
        "%s"):format(op.name, describe(a),
        describe(b), aligned(sa, sb)))
    end
    is_a, is_b = is_a and e == ea, is_b and e == eb
    out[k] = e
  end
  return is_a and sa or is_b and sb or out
end

-- ---- contexts -----------------------------------------------------------------------------------------------------

-- The context of an operand; false: it has no memory, and can be of any. `known`: of those that were looked at.
local function context_of(x, known)
  if type(x) ~= "table" then return false end
  local leaf = object.leaf_of(x)
  if leaf then return not leaf.places and leaf.store.context end
  if not x._sig then return false end
  if known[x] == nil then
    known[x] = context_of(x._a, known) or context_of(x._b, known) or context_of(x._c, known)
  end
  return known[x]
end

-- Refuses operands of two contexts.
local function check_contexts(op, x, y, z)
  local known = {}
  local a, b, c = context_of(x, known), context_of(y, known), context_of(z, known)
  local found = a or b or c
  if (a or found) == found and (b or found) == found and (c or found) == found then return end
  errors.raise("LogicError", ("%s: the operands belong to different contexts; copy one to the other context: local " ..
    "h = a:get(), then gpuarray.to_gpu(h) with the other context current"):format(op.name))
end

local traced, here = false, core.here

---Sets whether the line that wrote each operation is kept for errors (evaluate.lua). Looking for errors is what the
---software device is for; elsewhere set_debugging() says so.
function M.trace_lines()
  traced = core.driver_info().soft or debugging.is_debugging()
  storage.trace_lines(traced)
end
hooks.trace_lines = M.trace_lines

---@return boolean
function M.is_traced() return traced end

local function finish(sig, shape, a, b, c, low)
  local number = born + 1 -- a finalizer that runs at the allocation below writes operations, too
  born = number
  if low > number then low = number end
  local x
  if c then
    x = setmetatable({ _shape = shape, _sig = sig, _a = a, _b = b, _c = c, _born = number, _low = low, _used = UNREAD,
      _mark = 0 }, mt)
  else
    x = setmetatable({ _shape = shape, _sig = sig, _a = a, _b = b, _born = number, _low = low, _used = UNREAD,
      _mark = 0 }, mt)
  end
  if not sig.part then remember(x) end
  if traced then storage.set_line(x, here() or false) end
  if x._born - x._low > reach or many or x._born > due then limit(x) end
  return x
end

---A pending array's expression as another array, which no list has.
---@param x cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array
function M.same_expression(x)
  return setmetatable({ _shape = x._shape, _sig = x._sig, _a = x._a, _b = x._b, _c = x._c or nil, _born = x._born,
    _low = x._low, _used = 0, _mark = 0 }, mt)
end

-- ---- operations ---------------------------------------------------------------------------------------------------

---An operation of one operand.
---@param op table  a row of ops.lua
---@param a cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array
function M.unary(op, a)
  if getmetatable(a) ~= TAG then refuse_operand(op, a) end
  local x = operand(a)
  local row, dt = unary_signatures[op], dtype_of(x)
  local sig, low = row and row[dt] or unary_signature(op, dt), x._low
  if x ~= a and x._counted < low then count_leaf(x, low) end
  return finish(sig, a._shape, x, false, false, low)
end

---An operation of two operands; one may be a number.
---@param op table
---@param a any
---@param b any
---@return cudalua.gpuarray.Array
function M.binary(op, a, b)
  if getmetatable(a) == TAG then
    local x = operand(a)
    local da = dtype_of(x)
    local row = binary_signatures[op]
    row = row and row[da]
    if getmetatable(b) == TAG then
      local y = operand(b)
      local db = dtype_of(y)
      local sig = row and row[db] or binary_signature(op, da, db)
      if storage.several then check_contexts(op, x, y) end
      local shape = a._shape
      if shape ~= b._shape then shape = broadcast(op, a, b) end
      local low = x._low < y._low and x._low or y._low
      if x ~= a and x._counted < low then count_leaf(x, low) end
      if y ~= b and y._counted < low then count_leaf(y, low) end
      return finish(sig, shape, x, y, false, low)
    end
    if not is_value(b) then refuse_operand(op, b) end
    local db
    if op.weak[2] then db = own(op, 2, b, a, b) else db, b = weak(op, da, b, a, b) end
    local sig, low = row and row[db] or binary_signature(op, da, db), x._low
    if x ~= a and x._counted < low then count_leaf(x, low) end
    return finish(sig, a._shape, x, scalar(b, sig.y), false, low)
  end
  if getmetatable(b) ~= TAG then
    if is_value(a) then refuse_operand(op, b) end
    refuse_operand(op, a)
  end
  if not is_value(a) then refuse_operand(op, a) end
  local y = operand(b)
  local db = dtype_of(y)
  local da
  if op.weak[1] then da = own(op, 1, a, a, b) else da, a = weak(op, db, a, a, b) end
  local row = binary_signatures[op]
  row = row and row[da]
  local sig, low = row and row[db] or binary_signature(op, da, db), y._low
  if y ~= b and y._counted < low then count_leaf(y, low) end
  return finish(sig, b._shape, scalar(a, sig.x), y, false, low)
end

---The dtype of a value that stands by itself.
---@param op table
---@param v any
---@return cudalua.dtype.DType
local function own_dtype(op, v)
  if type(v) == "boolean" then return dtypes.bool end
  return weak(op, dtypes.bool, v, v)
end

local function common(op, a, b)
  if a.kind == "struct" or b.kind == "struct" then
    errors.raise("LogicError", ("%s: not defined for %s and %s"):format(op.name, a.name, b.name))
  end
  return dtypes.promote(a, b)
end

-- The smallest and the largest number of an integer type.
local function limits(dt)
  local bits = 8 * dt.itemsize
  if dt.kind == "uint" then return 0, bits == 64 and 0xffffffffffffffffULL or 2 ^ bits - 1 end
  if bits == 64 then return -0x7fffffffffffffffLL - 1, 0x7fffffffffffffffLL end
  return -2 ^ (bits - 1), 2 ^ (bits - 1) - 1
end

-- Where an integer lies that an integer type does not hold: -1 below, 1 above; nil of any other value.
local function side_of(dt, value)
  if not is_value(value) then return nil end
  local x = element.scalar(value)
  if type(x) == "number" and x ~= math.floor(x) then return nil end
  local _, why = dt._check(x)
  local wide, number = beyond(dt, x)
  if not (why and wide) then return nil end
  return wide ~= dtypes.uint64 and number < 0 and -1 or 1
end

-- The bounds of clip(). One that no element reaches becomes the last number of the type.
local function bounds(op, a, b, c)
  local dt
  for k = 1, 3 do
    local x = select(k, a, b, c)
    if getmetatable(x) == TAG then dt = dt and common(op, dt, x._dtype) or x._dtype end
  end
  if dt.kind ~= "int" and dt.kind ~= "uint" then return b, c end
  local below, above = side_of(dt, b), side_of(dt, c)
  if below == 1 or above == -1 then return b, c end -- an error
  local low, high = limits(dt)
  return below and low or b, above and high or c
end

-- The dtypes of three operands. A plain value has that of the arrays beside it, or of the other values where there are
-- none; operands with a type of their own in every case (op.weak: a condition) do not count.
local function operand_dtypes(op, given)
  local dt, list = nil, {}
  for k = 1, 3 do
    local v = given[k]
    if getmetatable(v) == TAG then
      list[k] = v._dtype
      if not op.weak[k] then dt = dt and common(op, dt, v._dtype) or v._dtype end
    end
  end
  local arrays = dt
  for k = 1, 3 do
    if not list[k] and not op.weak[k] then
      local x = arrays and weak(op, arrays, given[k], given[1], given[2], given[3]) or own_dtype(op, given[k])
      dt = dt and dtypes.promote(dt, x) or x
    end
  end
  for k = 1, 3 do
    list[k] = list[k] or op.weak[k] or arrays and weak(op, arrays, given[k], given[1], given[2], given[3]) or dt
  end
  return list[1], list[2], list[3]
end

---An operation of three operands; two may be numbers.
---@param op table
---@param a any
---@param b any
---@param c any
---@return cudalua.gpuarray.Array
function M.ternary(op, a, b, c)
  local given = { a, b, c }
  local shape, like, operands, low = nil, nil, {}, math.huge
  for k = 1, 3 do
    local v = given[k]
    if getmetatable(v) == TAG then
      if not like then
        shape, like = v._shape, v
      elseif shape ~= v._shape then
        shape = broadcast(op, { _shape = shape, _dtype = like._dtype }, v)
      end
      operands[k] = operand(v)
      low = math.min(low, operands[k]._low)
    elseif not is_value(v) then
      refuse_operand(op, v)
    end
  end
  if not like then refuse_operand(op, a) end
  if op.beyond == "clip" then
    b, c = bounds(op, a, b, c)
    given[2], given[3] = b, c
  end
  local da, db, dc = operand_dtypes(op, given)
  local row = ternary_signatures[op]
  row = row and row[da]
  row = row and row[db]
  local sig = row and row[dc] or ternary_signature(op, da, db, dc)
  if storage.several then check_contexts(op, operands[1], operands[2], operands[3]) end
  if operands[1] == nil then operands[1] = scalar(a, sig.x) end
  if operands[2] == nil then operands[2] = scalar(b, sig.y) end
  if operands[3] == nil then operands[3] = scalar(c, sig.z) end
  for k = 1, 3 do count_operand(operands[k], low) end
  return finish(sig, shape, operands[1], operands[2], operands[3], low)
end

local conversions = {} -- dtype -> signature
local astype = { id = 0, name = "astype", code = function() return "$1", true end, pieces = function() return {} end }

---The signature of the conversion to a type.
---@param dt cudalua.dtype.DType
---@return table
function M.conversion(dt)
  local sig = conversions[dt]
  if not sig then
    sig = intern(astype, dt, dt)
    conversions[dt] = sig
  end
  return sig
end

---The same elements as another type.
---@param a cudalua.gpuarray.Array
---@param dt cudalua.dtype.DType
---@param what? string  function, for an error
---@return cudalua.gpuarray.Array
function M.convert(a, dt, what)
  if dt.kind == "struct" or a._dtype.kind == "struct" then
    errors.raise("LogicError", ("%s: %s cannot be converted to %s"):format(what or "astype", a._dtype.name, dt.name))
  end
  local sig = M.conversion(dt)
  local x = operand(a)
  local low = x._low
  if x ~= a and x._counted < low then count_leaf(x, low) end
  return finish(sig, a._shape, x, false, false, low)
end

---An array as one of a type: itself if it has that type.
---@param a cudalua.gpuarray.Array
---@param dt cudalua.dtype.DType
---@param what? string  function, for an error
---@return cudalua.gpuarray.Array
function M.as_type(a, dt, what) return a._dtype == dt and a or M.convert(a, dt, what) end

---An array as what is written to an array of a type: converted, unless that loses its kind.
---@param a cudalua.gpuarray.Array
---@param dt cudalua.dtype.DType
---@param what string  function, for an error
---@return cudalua.gpuarray.Array
function M.stored(a, dt, what)
  if a._dtype == dt then return a end
  local why = dtypes._unstorable(a._dtype, dt)
  if why then layout.refuse(what, why) end
  return M.convert(a, dt, what)
end

M.broadcast, M.size_of, M.is_value, M.describe, M.operand = broadcast, object.size_of, is_value, describe, operand

---Writes an operation down: for map.lua, and for reductions.
---@param sig cudalua.gpuarray.Signature
---@param shape integer[]  of the result
---@param a any            operands
---@param b any
---@param c any
---@param low number       the least _low of the operands
---@return cudalua.gpuarray.Array
function M.finish(sig, shape, a, b, c, low)
  count_operand(a, low)
  count_operand(b, low)
  count_operand(c, low)
  return finish(sig, shape, a, b, c, low)
end

return M
