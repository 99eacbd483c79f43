-- Fused equals eager, bit for bit: random expressions against the same operations one by one, and random programs
-- that write to arrays and views between the expressions that read them.
local gpu = require "spec.support.gpu"
local batch = require "spec.support.batch"
local cuda = gpu.cuda
local codegen = require "cudalua.gpuarray.kernel.codegen"
local ctype = require "cudalua.gpuarray.kernel.ctype"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"
local plan = require "cudalua.gpuarray.core.plan"
local prelude = require "cudalua.base.prelude"
local turn = require "spec.support.turn"
local it = turn.halves(it) -- luacheck: ignore 431

local sanitized = (os.getenv "LD_PRELOAD" or ""):find "san" ~= nil
local full = os.getenv "CUDALUA_GRAPHS" -- how many, for a long run
local GRAPHS = tonumber(full) or (sanitized and 500 or 5000)
local PROGRAMS = tonumber(full) or (sanitized and 300 or 3000)
local QUARTERS = 4 -- the parts, in a run with a turn

-- A random source of our own: the same numbers on all machines.
local state = tonumber(os.getenv "CUDALUA_SEED") or 1 -- of other expressions and programs, for a long run
local function random(n)
  state = (state * 1103515245 + 12345) % 2 ^ 31
  return math.floor(state / 2 ^ 16) % n + 1
end
local function pick(list) return list[random(#list)] end

local names = { "bool", "int8", "uint8", "int32", "float16", "float32" }
local N = 32

local corners = {
  bool = { true, false },
  int8 = { 0, 1, -1, 127, -128, 5, -7, 100 },
  uint8 = { 0, 1, 255, 128, 7, 200 },
  int32 = { 0, 1, -1, 2 ^ 31 - 1, -2 ^ 31, 65537, -1000 },
  float16 = { 0, -0.0, 1, -1, 65504, 6e-8, 1 / 0, -1 / 0, 0 / 0, 0.1, 2049, -3.5 },
  float32 = { 0, -0.0, 1, -1, 3e38, 1e-45, 1 / 0, -1 / 0, 0 / 0, 0.1, 16777217, -2.5 },
}

local function values_of(name, n)
  local out = {}
  for i = 1, n do out[i] = pick(corners[name]) end
  return out
end

local function bits(a)
  local host = a:get { array = true }
  if host.order == nil then host = host:copy() end
  return ffi.string(host:data(), host.nbytes)
end

-- Elements of a type, as bytes: the same but for NaNs, whose sign and payload no operation promises.
local function equal(name, a, b)
  if a == b then return true end
  local dt = require("cudalua.dtype").of(name)
  local p, q = ffi.cast("const uint8_t *", a), ffi.cast("const uint8_t *", b)
  for i = 0, #a - 1, dt.itemsize do
    if a:sub(i + 1, i + dt.itemsize) ~= b:sub(i + 1, i + dt.itemsize) then
      local x, y = dt._load(p, i), dt._load(q, i)
      if x == x or y == y then return false end
    end
  end
  return #a == #b
end

-- ---- expressions --------------------------------------------------------------------------------------------------

local unary = { "neg", "abs", "sqrt", "square", "floor", "isnan", "sign" }
local two = { "add", "sub", "mul", "div", "minimum", "maximum", "lt", "ge", "eq", "floordiv", "mod", "copysign" }

-- A random expression over `pool`, of at most `size` operations, as functions that build it: so that it can be built
-- again, fused or eagerly.
local function expression(pool, size)
  if size <= 0 then
    local k = random(#pool)
    return function(p) return p[k] end
  end
  local r = random(10)
  if r <= 2 then
    local f, x = pick(unary), expression(pool, size - 1)
    return function(p) return gpuarray[f](x(p)) end
  elseif r <= 3 then
    local name, x = pick(names), expression(pool, size - 1)
    return function(p) return x(p):astype(name) end
  elseif r <= 4 then
    local f, x, c = pick(two), expression(pool, size - 1), pick { 0, 1, 2, 3, -1, 0.5, 1.5 }
    return function(p) return gpuarray[f](x(p), c) end
  elseif r <= 5 then
    local c, x, y = expression(pool, random(size) - 1), expression(pool, random(size) - 1), expression(pool, size - 2)
    return function(p) return gpuarray.where(c(p), x(p), y(p)) end
  elseif r <= 7 then -- one operand twice
    local f, x = pick(two), expression(pool, size - 1)
    return function(p)
      local v = x(p)
      return gpuarray[f](v, v)
    end
  end
  local f, x, y = pick(two), expression(pool, random(size) - 1), expression(pool, random(size) - 1)
  return function(p) return gpuarray[f](x(p), y(p)) end
end

-- Some are not defined: bool - bool, an int8 that takes -1000.
local function expressions(pool, count, size)
  local list = {}
  while #list < count do
    local e = expression(pool, random(size))
    local ok, err = pcall(e, pool)
    if ok then
      list[#list + 1] = e
    else
      assert(cuda.is_error(err, "LogicError"), tostring(err))
    end
  end
  return list
end

-- One kernel that computes many expressions, one a block. Compiled as kernels of arrays are, or quickly.
local function compute_all(list, pool, quickly)
  local source, bodies, scalars, index = {}, {}, {}, {}
  for k, a in ipairs(pool) do index[a:eval()._leaf] = k end
  local pieces, types = {}, {}
  for g, e in ipairs(list) do
    local x = e(pool)
    if not x._sig then
      bodies[g] = ""
    else
      local w = plan.begin(x._shape, true)
      w.root = x
      plan.walk(w, x, x._dtype)
      local p = codegen.program(plan.tokens(w.state))
      for piece in pairs(p.pieces) do pieces[piece] = true end
      local args = {}
      for i = 1, w.nleaves do
        local leaf = w.leaves[i]
        args[#args + 1] = ("((const %s *)(in + %d))[i]"):format(ctype.memory(leaf.dtype), (index[leaf] - 1) * N * 8)
      end
      for i = 1, w.nscalars do
        local v = w.scalars[i]
        assert(type(v) == "number")
        scalars[#scalars + 1] = v
        args[#args + 1] = ("(%s)s[%d]"):format(ctype.register(p.scalars[i]), #scalars - 1)
      end
      plan.finish(w, false)
      types[g] = x._dtype
      source[#source + 1] = ("namespace g%d {\n%s}\n"):format(g, p.compute)
      bodies[g] = ("case %d: ((%s *)(out + %d))[i] = g%d::compute(%s); break;\n"):format(g - 1, ctype.memory(p.dtype),
        (g - 1) * N * 8, g, table.concat(args, ", "))
    end
  end
  source[#source + 1] = ("extern \"C\" __global__ void all(char *out, const char *in, const double *s) {\n" ..
    "const int i = threadIdx.x;\nswitch (blockIdx.x) {\n%s}\n}\n"):format(table.concat(bodies))
  local module = cuda.SourceModule(prelude.text(pieces) .. table.concat(source), { no_extern_c = true,
    options = { "--fmad=false", quickly and "--Ofast-compile=max" or nil } })
  local input = ffi.new("uint8_t[?]", #pool * N * 8)
  for k, a in ipairs(pool) do
    local text = bits(a)
    ffi.copy(input + (k - 1) * N * 8, text, #text)
  end
  local numbers = ffi.new("double[?]", math.max(#scalars, 1), scalars)
  local out = ffi.new("uint8_t[?]", #list * N * 8)
  module:get_function "all"(cuda.InOut(out), cuda.In(input), cuda.In(numbers),
    { block = { N, 1, 1 }, grid = { #list, 1 } })
  return function(g)
    return types[g] and ffi.string(out + (g - 1) * N * 8, N * types[g].itemsize)
  end
end

describe("Random expressions", function()
  setup(gpu.context)
  teardown(function() gpuarray.eager(false) end)

  it("give the same bits fused and operation by operation", function()
    state = 20261121
    local pool = {}
    for _, name in ipairs(names) do
      for _ = 1, 2 do pool[#pool + 1] = gpuarray.to_gpu(values_of(name, N), name) end
    end
    local list = expressions(pool, GRAPHS, 7)
    if not sanitized then list = turn.share(list, QUARTERS) end
    local eager = {}
    batch.run(function()
      gpuarray.eager(true)
      for g, e in ipairs(list) do eager[g] = e(pool):eval() end
      gpuarray.eager(false)
    end)
    local compared = 0
    for first = 1, #list, 500 do
      local some = { unpack(list, first, math.min(first + 499, #list)) }
      local fused = compute_all(some, pool, first > 1)
      for g = 1, #some do
        local text = fused(g)
        if text then
          compared = compared + 1
          if not equal(eager[first + g - 1].dtype, text, bits(eager[first + g - 1])) then
            gpuarray.eager(false)
            local x = some[g](pool)
            error(("expression %d (%s): fused\n%s\neager\n%s\n%s"):format(first + g - 1, x.dtype.name, x,
              eager[first + g - 1], gpuarray.source and gpuarray.source(some[g](pool)) or ""))
          end
        end
      end
    end
    assert.is_true(compared > 0.9 * #list)
  end)
end)

-- ---- programs -----------------------------------------------------------------------------------------------------

local kinds = { "float32", "int8" }

-- Indices of a view of a 2-D array {rows, columns}, that has the shape {3, 4}.
local windows = {
  function() return { { 1, 3 }, { 1, 4 } } end,
  function() return { { 2, 4 }, { 2, 5 } } end,
  function() return { { 3, 1, -1 }, { 1, 4 } } end,
  function() return { { 1, 3 }, { 6, 3, -1 } } end,
  function() return { { 2, 4 }, { 1, 6, 2 }, cut = true } end,
}

local function window(a, k)
  local index = windows[k]()
  if index.cut then return a[{ { 1, 3 }, { 3, 6 } }] end
  return a[index]
end

-- The expressions of programs are few, so that the kernels are: what is random is who reads and writes what, when.
local shapes_of_expression = {
  function(x, y) return x + y end,
  function(x, y) return x * 2 - y end,
  function(x) return x + x * x end,
  function(x, y) return gpuarray.maximum(x, y) - 1 end,
  function(x) return -x end,
  function(x) return x end,
}

-- One step of a program: what it does to the variables, as a closure over random choices.
local function random_step(count)
  local r, i, j, k = random(9), random(count), random(count), random(count)
  local f, v, w, c = pick(shapes_of_expression), random(#windows), random(#windows), random(100)
  if r <= 2 then -- a new value, pending
    return function(s) s[i] = f(s[j], s[k]) end
  elseif r == 3 then -- a new value from views, put back into shape
    return function(s)
      local x = gpuarray.empty({ 4, 6 }, s[j].dtype):fill(1)
      x[{ { 1, 3 }, { 1, 4 } }] = f(window(s[j], v), window(s[j], w))
      s[i] = x
    end
  elseif r == 4 then -- the whole
    return function(s) s[i]:set(f(s[j]:astype(s[i].dtype), s[i])) end
  elseif r == 5 then -- a part, perhaps of what it is computed from
    return function(s)
      window(s[i], v):set(f(window(s[i], w), window(s[j], w):astype(s[i].dtype)))
    end
  elseif r == 6 then
    return function(s) s[i]:fill(c) end
  elseif r == 7 then
    return function(s) window(s[i], v):fill(c) end
  elseif r == 8 then -- two names for one array
    return function(s) s[i] = s[j] end
  end
  return function(s) s[i]:iadd(s[j]:astype(s[i].dtype)) end
end

local function program()
  local count, steps, seeds = 3 + random(2), {}, {}
  for i = 1, 4 + random(8) do steps[i] = random_step(count) end
  for i = 1, count do seeds[i] = { pick(kinds), random(50) } end
  return function()
    local s = {}
    for i = 1, count do
      local host = ndarray.empty({ 4, 6 }, seeds[i][1])
      for r = 1, 4 do
        for c = 1, 6 do host:set(r, c, (seeds[i][2] + 7 * r + c) % 40 - 10) end
      end
      s[i] = gpuarray.to_gpu(host)
    end
    for i = 1, #steps do steps[i](s) end
    return s
  end
end

-- Runs programs operation by operation and fused, which have to leave the same bits, as bytes_of() gives those of an
-- array; and gives the number of kernels.
local function compare(list, bytes_of)
  local results, kernels = {}, 0
  for _, mode in ipairs { true, false } do
    kernels = kernels + batch.run(function()
      gpuarray.eager(mode)
      results[mode] = {}
      for i = 1, #list do
        local s = list[i]()
        local text = {}
        for k = 1, #s do text[k] = s[k].dtype.name .. bytes_of(s[k]) end
        results[mode][i] = table.concat(text)
      end
      gpuarray.eager(false)
    end)
  end
  for i = 1, #list do
    if results[true][i] ~= results[false][i] then error(("program %d differs"):format(i)) end
  end
  return kernels
end

describe("Random programs", function()
  setup(gpu.context)
  teardown(function() gpuarray.eager(false) end)

  it("that write between the expressions end with the same bits as operation by operation", function()
    state = 4711
    local list = {}
    for i = 1, PROGRAMS do list[i] = program() end
    if not sanitized then list = turn.share(list, QUARTERS) end
    local kernels = compare(list, bits)
    assert.is_true(#list * (turn.partial and QUARTERS or 1) >= PROGRAMS and kernels > 20)
  end)
end)

-- ---- programs that reduce, scan, sort and draw random numbers -------------------------------------------------------

local reducing = { "sum", "max", "mean", "argmin", "count_nonzero", "min" }
local scanning = { "cumsum", "cummax" }
-- What stays small: NaN has no promised bits.
local bounded = { shapes_of_expression[1], shapes_of_expression[2], shapes_of_expression[4], shapes_of_expression[6] }

-- One step: an expression of variables goes into a reduction, a scan or a sort, or takes random numbers along, and what
-- comes out goes on as an expression.
local function reducing_step(count)
  local r, i, j, k = random(9), random(count), random(count), random(count)
  local f, axis, name, w = pick(bounded), random(2), pick(reducing), random(#windows)
  if r <= 3 then
    return function(s)
      s[i] = s[j] + f(s[j], s[k])[name](f(s[j], s[k]), { axis = axis, keepdims = true }):astype(s[j].dtype)
    end
  elseif r == 4 then -- of a view, of all its elements
    return function(s) s[i] = s[j] - f(window(s[j], w), window(s[k], w)):sum():astype(s[j].dtype) end
  elseif r == 5 then
    local scan = pick(scanning)
    return function(s) s[i] = f(s[j], s[k])[scan](f(s[j], s[k]), axis):astype(s[i].dtype) end
  elseif r == 6 then
    return function(s) s[i] = f(s[j], s[k]):sort(axis) end
  elseif r == 7 then
    return function(s) s[i] = f(s[j], (s.numbers:uniform { 4, 6 } * 8):astype(s[j].dtype)) end
  elseif r == 8 then
    return function(s) s[i] = s[j] + (s.numbers:uniform { 4, 6 } + s[k]):max { axis = axis, keepdims = true } end
  end
  return function(s) window(s[i], w):set(f(window(s[j], w), window(s[k], w)):astype(s[i].dtype)) end
end

local function reducing_program()
  local count, steps, seeds, seed = 3, {}, {}, random(1000)
  for n = 1, 3 + random(4) do
    local step, i = reducing_step(count), random(count)
    -- Some results are computed at once: the kernels of all programs would be too many.
    steps[n] = random(3) == 1 and step or function(s)
      step(s)
      s[i]:eval()
    end
  end
  for i = 1, count do seeds[i] = { pick(kinds), random(50) } end
  return function()
    local s = { numbers = cuda.random.Generator(seed) }
    for i = 1, count do
      local host = ndarray.empty({ 4, 6 }, seeds[i][1])
      for r = 1, 4 do
        for c = 1, 6 do host:set(r, c, (seeds[i][2] + 7 * r + c) % 40 - 10) end
      end
      s[i] = gpuarray.to_gpu(host)
    end
    for n = 1, #steps do steps[n](s) end
    return s
  end
end

-- What an array has, in C order: sums, sorted and random ones may lie in memory in another one.
local function elements(a)
  local host = a:get({ array = true }):copy "C"
  return ffi.string(host:data(), host.nbytes)
end

describe("Random programs of reductions, scans, sorts and random numbers", function()
  setup(gpu.context)
  teardown(function() gpuarray.eager(false) end)

  it("end with the same bits as operation by operation", function()
    state = (tonumber(os.getenv "CUDALUA_SEED") or 0) + 31337
    local list = {}
    for i = 1, tonumber(full) or (sanitized and 20 or 80) do list[i] = reducing_program() end
    if not sanitized then list = turn.share(list, QUARTERS) end
    for _, kind in ipairs(kinds) do -- kernels that stand in sources of their own
      for axis = 1, 2 do gpuarray.zeros({ 4, 6 }, kind):sort(axis) end
    end
    local kernels = compare(list, elements)
    assert.is_true(kernels > 20)
  end)
end)
