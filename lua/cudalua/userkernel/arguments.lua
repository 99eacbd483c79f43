-- What kernels made of a user's text have in common (elementwise.lua, reduction.lua, scan.lua): what programs see of
-- them, their options, and what becomes of the arguments of a call. A kernel is a table `k` with
--   name args       the name, and the arguments as tools.parse_arguments() gives them
--   usage.at_i      by name: arrays that are taken at [i] and nowhere else
--   const           by name: arrays that are only read; of kernels that write to arrays

local core = require "cudalua.core"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local evaluate = require("cudalua.gpuarray.core.evaluate").evaluate
local graph = require "cudalua.gpuarray.core.graph"
local host = require "cudalua.base.ffi"
local layout = require "cudalua.base.layout"
local object = require "cudalua.gpuarray.core.object"
local prepared = require("cudalua.gpuarray.core.scalar").operand
local storage = require "cudalua.gpuarray.core.storage"
local pairs_of = require "cudalua.base.pairs_of"
local tools = require "cudalua.types.kernel_arguments"
local typename = require "cudalua.types.typename"
local view = require "cudalua.gpuarray.core.view"
local write = require "cudalua.gpuarray.core.write"

local concat = table.concat

local M = {}

---An error that names the kernel.
function M.refuse(k, text, ...)
  errors.raise("LogicError", k.name .. ": " .. text:format(...), { kernel = k.name })
end
local refuse = M.refuse

-- ---- making one -----------------------------------------------------------------------------------------------------

---The options of a constructor; kinds: the Lua types of the valid ones.
function M.options(where, options, kinds)
  options = errors.options(where, options, kinds)
  for name, kind in pairs_of(kinds) do
    if options[name] ~= nil and type(options[name]) ~= kind then
      errors.raise("LogicError", ("%s: option %s must be a %s, got %s"):format(where, name, kind,
        errors.text(options[name])))
    end
  end
  return options
end

local function is_options(x) return type(x) == "table" and getmetatable(x) == nil end

---The arguments of a constructor, which has names for them. From any of them on they may be given by name instead, in
---the table of options, as PyCUDA's programs do.
---@param where string
---@param names string[]                of the arguments, in their order
---@param kinds table<string, string>   the Lua types of the other options
---@param ... any                       as they were given
---@return any[] values  by their numbers
---@return table options
function M.named(where, names, kinds, ...)
  local values, all, options = { ... }, {}, nil
  local first = values[1]
  if select("#", ...) == 1 and is_options(first) and #first > 1 then -- Lua's call with braces
    errors.raise("LogicError", ("%s: got one list of %d values; write parentheses around arguments: %s(%s, ...)")
      :format(where, #first, where, names[1]))
  end
  for i = 1, math.min(#names + 1, select("#", ...)) do
    local x = values[i]
    -- A list is an argument: of several dtypes, say.
    if is_options(x) and #x == 0 and (i >= #names or core.next(x) ~= nil) then
      options, values[i] = x, nil
      for j = i + 1, select("#", ...) do
        if values[j] ~= nil then
          errors.raise("LogicError", ("%s: argument %d comes after the table of options"):format(where, j))
        end
      end
      break
    end
  end
  for i = #names + 1, select("#", ...) do
    if values[i] ~= nil then
      errors.raise("LogicError", ("%s: it takes %d arguments and a table of options, got %s as argument %d"):format(
        where, #names, errors.text(values[i]), i))
    end
  end
  for name in pairs_of(kinds) do all[name] = true end
  for _, name in ipairs(names) do all[name] = true end
  local own = {}
  for name, x in pairs_of(errors.options(where, options, all)) do own[name] = x end
  for i, name in ipairs(names) do
    if own[name] ~= nil and values[i] ~= nil then
      errors.raise("LogicError", ("%s: %s is passed twice"):format(where, name))
    end
    if values[i] == nil then values[i] = own[name] end
    own[name] = nil
  end
  return values, M.options(where, own, kinds)
end

---The arguments of a kernel from a list of declarations.
function M.declared(where, declarations)
  return errors.within(where .. ": arguments", tools.parse_arguments, declarations)
end

---A neutral value as CUDA C; a number may stand for it, which an integer dtype has to hold.
function M.neutral(where, what, x, dt)
  if type(x) == "boolean" then return tostring(x) end
  local n = x
  if type(x) == "cdata" then n = element.scalar(x) end
  if type(n) ~= "number" and not (type(n) == "cdata" and not element.is_complex(n)) then
    M.check_text(where, what, x)
    if not x:find "%S" then errors.raise("LogicError", ("%s: %s is empty"):format(where, what)) end
    return x
  end
  if dt.kind == "int" or dt.kind == "uint" then
    local v, why = dt._check(n)
    if v == nil then errors.raise("LogicError", ("%s: %s: %s"):format(where, what, why)) end
    if dt.kind == "uint" then return (type(v) == "cdata" and tostring(v):match "%d+" or ("%.0f"):format(v)) .. "ull" end
    local text = type(v) == "cdata" and tostring(v):match "%-?%d+" or ("%.0f"):format(v)
    return text == "-9223372036854775808" and "(-9223372036854775807ll - 1)" or text .. "ll"
  end
  n = tonumber(n)
  if n ~= n then return "__longlong_as_double(0x7ff8000000000000ll)" end
  if math.abs(n) == math.huge then
    return ("__longlong_as_double(0x%sff0000000000000ll)"):format(n > 0 and "7" or "f")
  end
  return n == 0 and 1 / n < 0 and "-0.0" or ("%.17g"):format(n)
end

function M.check_text(where, what, x)
  if type(x) ~= "string" then
    errors.raise("LogicError", ("%s: %s must be a string of CUDA C, got %s"):format(where, what, errors.text(x)))
  end
  if x:find("\0", 1, true) then errors.raise("LogicError", ("%s: %s contains a zero byte"):format(where, what)) end
  return x
end

---A name for the kernel.
function M.check_name(where, name)
  local why = typename.not_an_identifier(name)
  if why then
    errors.raise("LogicError", ("%s: %s is not a valid kernel name: %s"):format(where, errors.text(name), why))
  end
  return name
end

function M.list(k)
  local list = {}
  for i, arg in ipairs(k.args) do list[i] = arg:declarator() end
  return concat(list, ", ")
end

---The names of the arguments that are arrays; reserved: by name, what has it; text: what the user's text is called.
function M.names(k, reserved, text)
  local names = {}
  for i, arg in ipairs(k.args) do
    if reserved[arg.name] or arg.name:find "^cl_" then
      refuse(k, "argument %d (%s): the name is reserved: %s", i, arg:declarator(),
        reserved[arg.name] or "names that begin with cl_ belong to the kernel around the " .. text)
    end
    if arg.is_vector then names[#names + 1] = arg.name end
  end
  if #names == 0 then refuse(k, "none of the arguments (%s) is an array, such as float *x", M.list(k)) end
  return names
end

---The kernel as programs see it: class, as in "ElementwiseKernel"; tag: what getmetatable says of it; methods: those
---of its class; call(k, ...).
function M.object(k, class, tag, methods, call)
  return setmetatable({}, {
    __index = function(_, key)
      if key == "name" or key == "keep_dir" then return k[key] end
      return methods[key]
    end,
    __newindex = function(_, key) refuse(k, "cannot set %s: it is read-only", errors.text(key)) end,
    __call = function(_, ...) return call(k, ...) end,
    __tostring = function() return ("cudalua.%s: %s(%s)"):format(class, k.name, M.list(k)) end,
    __metatable = tag,
    _kernel = k,
  })
end

-- ---- arguments of a call --------------------------------------------------------------------------------------------

function M.wrong(k, i, why, ...)
  refuse(k, "argument %d (%s): %s", i, k.args[i]:declarator(), select("#", ...) > 0 and why:format(...) or why)
end
local wrong = M.wrong

---Takes the options from behind the arguments; known: the valid ones.
function M.split(k, known, ...)
  local n, wanted = select("#", ...), #k.args
  local values, options = { ... }, {}
  if n == wanted + 1 and (values[n] == nil or is_options(values[n])) then
    options = errors.options(k.name, values[n], known)
    n = n - 1
  end
  if n ~= wanted then
    refuse(k, "it takes %d argument%s (%s), got %d", wanted, wanted == 1 and "" or "s", M.list(k), n)
  end
  return values, options
end

local function is_memory(x)
  local kind = type(x) == "userdata" and core.kind(x)
  return kind == "DeviceAllocation" or kind == "DevicePointer" or kind == "PooledDeviceAllocation" or
    kind == "ManagedAllocation"
end

-- Nothing is converted to a struct.
local function remedy(dt) return dt.kind == "struct" and "" or ("; convert it with astype %q"):format(dt.name) end

function M.check_array(k, i, x)
  local dt = k.args[i].dtype
  if object.is_array(x) then
    if x._dtype ~= dt then
      local a, b = x._dtype, dt
      local pair = a.kind == "complex" and b.kind == "struct" and b._builtin and b.itemsize == a.itemsize and
        #b._fields == 2
      if not pair then wrong(k, i, "the array is %s%s", graph.describe(x), remedy(b)) end
    end
  elseif not is_memory(x) then
    wrong(k, i, "expected an array on the device, got %s%s", element.describe(x), type(x) == "table" and
      getmetatable(x) == "cudalua.ndarray" and "; copy it there with gpuarray.to_gpu()" or "")
  end
end

---Memory that is not an array, and is taken at [i], is to have so many elements, as far as its size is known.
function M.check_memory(k, i, memory, n)
  local arg = k.args[i]
  if core.kind(memory) ~= "DevicePointer" and #memory < n * arg.dtype.itemsize then
    wrong(k, i, "the memory has %.0f bytes, too few for %.0f elements of %s", #memory, n, arg.dtype.name)
  end
end

-- A value as array_run takes it.
function M.value_of(k, i, x)
  local dt = k.args[i].dtype
  if object.is_array(x) then
    if x._ndim > 0 then wrong(k, i, "expected a number, got the array %s", graph.describe(x)) end
    x = x:item()
  end
  if dt.kind == "struct" then
    local bytes = type(x) == "string" and x or type(x) == "cdata" and host.value_bytes(x)
    if not bytes or #bytes ~= dt.itemsize then
      wrong(k, i, "expected a value of %s (%d bytes), got %s", dt.name, dt.itemsize, errors.text(x))
    end
    return bytes
  end
  -- cudaTextureObject_t and cudaSurfaceObject_t are unsigned long long; C looks at the object.
  local kind = type(x) == "userdata" and core.kind(x)
  if dt.name == "uint64" and (kind == "TextureObject" or kind == "SurfaceObject") then return x end
  local v, why
  if type(x) == "number" or type(x) == "boolean" or type(x) == "cdata" then v, why = dt._check(element.scalar(x)) end
  if v == nil then wrong(k, i, why or ("expected a number, got " .. element.describe(x))) end
  local p = prepared(v, dt)
  if type(p) == "table" then p = p._scalar end
  return p
end

---Arrays are checked, and numbers become what array_run takes.
function M.convert(k, values)
  for i, arg in ipairs(k.args) do
    if arg.is_vector then M.check_array(k, i, values[i]) else values[i] = M.value_of(k, i, values[i]) end
  end
end

---The storage of an array among the arguments, with memory if one has some; all are of one context.
function M.context_of(k, values)
  local store, at
  for i, arg in ipairs(k.args) do
    local x = values[i]
    if arg.is_vector and object.is_array(x) then
      evaluate(x)
      local own = storage.leaf_of(x).store
      if store and own.context ~= store.context then
        wrong(k, i, "the array belongs to another context than argument %d does", at)
      end
      if not store or not store.buf then store, at = own, i end
    end
  end
  return store
end

---Runs f(k, ...) in the context of a storage, and in a stream.
function M.inside(k, store, stream, f, ...)
  if stream ~= nil then
    if core.kind(stream) ~= "Stream" then refuse(k, "option stream must be a Stream, got %s", errors.text(stream)) end
    return stream:use(f, k, ...)
  end
  if store and store.buf and store.context ~= core.context_id() then
    return core.memory_context(store.buf):with(f, k, ...)
  end
  return f(k, ...)
end

-- ---- which elements -------------------------------------------------------------------------------------------------

---The number of elements, which arrays and option n tell.
function M.number_of_elements(k, values, shape, options)
  local n
  if shape then
    n = graph.size_of(shape)
  else
    for i, arg in ipairs(k.args) do -- none is taken at [i] alone: the first one tells, as in PyCUDA
      if arg.is_vector and object.is_array(values[i]) and not n then n = values[i]._size end
    end
  end
  if options.n ~= nil then
    local given = layout.whole(options.n)
    if not given or given < 0 then
      refuse(k, "option n must be a number of elements, got %s", errors.text(options.n))
    end
    if shape and given > n then refuse(k, "option n is %.0f, but the arrays have %.0f elements", given, n) end
    return given
  end
  if not n then refuse(k, "no argument sets the number of elements; add option n, {n = ...}") end
  return n
end

---The first element of option range or slice, counted from 0, the step and the count; nil: all.
function M.range_of(k, options, n)
  local name = options.range ~= nil and "range" or options.slice ~= nil and "slice" or nil
  if not name then return nil end
  if options.range ~= nil and options.slice ~= nil then refuse(k, "options range and slice mean the same; pass only " ..
    "one") end
  local r = options[name]
  if type(r) ~= "table" or getmetatable(r) ~= nil then
    refuse(k, "option %s must be {first, last} or {first, last, step}, got %s", name, errors.text(r))
  end
  local first, count, step = layout.range(("%s: option %s"):format(k.name, name), 1, r, n)
  return first - 1, step, count
end

-- ---- where elements lie ---------------------------------------------------------------------------------------------

-- Bytes of a buffer that a leaf touches.
local function bounds(leaf)
  local low, high = layout.extent(leaf.shape, leaf.strides, leaf.dtype.itemsize)
  return leaf.off + low, leaf.off + high
end

function M.overlap(a, b)
  if not a.buf or a.buf ~= b.buf then return false end
  local al, ah = bounds(a)
  local bl, bh = bounds(b)
  return al < bh and bl < ah
end

-- Structs are copied as the bytes that they are.
local function bytes_of(x)
  local itemsize, leaf = x._dtype.itemsize, storage.leaf_of(x)
  local shape, strides = { unpack(leaf.shape) }, { unpack(leaf.strides) }
  shape[#shape + 1], strides[#strides + 1] = itemsize, 1
  return view.of(x, 0, shape, strides, dtypes.uint8)
end

-- A copy without gaps.
function M.copied(x)
  local dt, shape = x._dtype, x._shape
  if dt.kind ~= "struct" then return view.copy(x, "C") end
  return view.of(view.copy(bytes_of(x), "C"), 0, shape, layout.dense_strides(shape, dt.itemsize, "C"), dt)
end

function M.put_back(to, from)
  if to._dtype.kind == "struct" then to, from = bytes_of(to), bytes_of(from) end
  write.write(to, from)
end

-- Elements at [i]: the shape that they have together, and whether those that are written have it.
function M.common_shape(k, values)
  local shape
  for i, arg in ipairs(k.args) do
    if k.usage.at_i[arg.name] and object.is_array(values[i]) then
      local own = values[i]._shape
      if shape and own ~= shape then
        if not layout.same(own, shape) then
          local ok, joined = pcall(layout.broadcast, k.name, shape, own)
          if not ok then
            wrong(k, i, "the array %s cannot be broadcast with the shape %s of the preceding arguments",
              graph.describe(values[i]), layout.text(shape))
          end
          shape = joined
        end
      else
        shape = own
      end
    end
  end
  return shape
end

function M.check_written(k, values, shape)
  for i, arg in ipairs(k.args) do
    local x = values[i]
    if arg.is_vector and not k.const[arg.name] and object.is_array(x) then
      if shape and k.usage.at_i[arg.name] and not layout.same(x._shape, shape) then
        wrong(k, i, "the kernel writes to it, but the array %s is smaller than the common shape %s",
          graph.describe(x), layout.text(shape))
      end
      local leaf = evaluate(x)
      if x._size > 1 and layout.repeats(leaf.shape, leaf.strides, leaf.dtype.itemsize) then
        wrong(k, i, "the kernel writes to it, but elements of the array %s overlap", graph.describe(x))
      end
    end
  end
end

-- Memory that is not an array, as elements without gaps.
local function bare(memory, arg, shape)
  return { buf = memory, off = 0, dtype = arg.dtype, shape = shape, bare = true,
    strides = layout.dense_strides(shape, arg.dtype.itemsize, "C") }
end

-- The arrays as they lie in memory; copies where the kernel needs them. `back`: copies that are written and belong
-- elsewhere.
function M.leaves_of(k, values, shape)
  local leaves, back = {}, {}
  local arrays = {}
  for i, arg in ipairs(k.args) do
    local x = values[i]
    if arg.is_vector and object.is_array(x) then
      evaluate(x)
      if not k.const[arg.name] then write.settle(x._store) end
      arrays[i] = x
    elseif arg.is_vector then
      leaves[i] = bare(x, arg, shape)
    end
  end
  for i, x in pairs_of(arrays) do
    local name, leaf = k.args[i].name, storage.leaf_of(x)
    local from
    if not k.usage.at_i[name] and x._size > 0 then
      if not leaf.dense then from = M.copied(x) end
      if from and not k.const[name] then back[#back + 1] = { from = from, to = x } end
    end
    if k.const[name] and not from then
      for j, y in pairs_of(arrays) do
        local other = storage.leaf_of(y)
        if i ~= j and not k.const[k.args[j].name] and not from and M.overlap(leaf, other) and
          not (k.usage.at_i[name] and k.usage.at_i[k.args[j].name] and leaf.off == other.off and
            leaf.dtype == other.dtype and layout.same(leaf.shape, other.shape) and
            layout.same(leaf.strides, other.strides)) then
          from = M.copied(x)
        end
      end
    end
    leaves[i] = from and storage.leaf_of(from) or leaf
  end
  return leaves, back
end

return M
