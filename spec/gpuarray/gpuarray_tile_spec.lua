-- Arrays that lie otherwise than the output: copies and expressions give what the host's views give, byte for byte, by
-- tiles in shared memory where those help, in words where those are possible. The software device watches each access,
-- the barriers, and races.
local gpu = require "spec.support.gpu"
local knob = require "spec.support.knob"
local batch = require "spec.support.batch"
local codegen = require "cudalua.gpuarray.kernel.codegen"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local ndarray = require "cudalua.ndarray"
local rows = require "cudalua.gpuarray.kernel.thread_rows"
local tile = require "cudalua.gpuarray.kernel.tile"
local turn = require "spec.support.turn"
local it = turn.halves(it) -- luacheck: ignore 431

-- Random bytes, as an array of the host's. `tame`: without NaNs, whose bits a copy on the host need not keep.
local function host_array(shape, name, tame)
  local dt, size = dtype.of(name), 1
  for _, n in ipairs(shape) do size = size * n end
  local bytes = ffi.new("uint8_t[?]", math.max(size * dt.itemsize, 1))
  local state = 12345
  for i = 0, size * dt.itemsize - 1 do
    state = (state * 1103515245 + 12345) % 2 ^ 31
    bytes[i] = math.floor(state / 2 ^ 16) % (name == "bool" and 2 or tame and 64 or 256)
  end
  local raw = ndarray.empty({ size }, name)
  ffi.copy(raw:data(), bytes, size * dt.itemsize)
  return raw:reshape(shape)
end

local function bytes_of(x)
  if gpuarray.is(x) then x = x:get { array = true } end
  x = x:copy()
  return ffi.string(x:data(), x.nbytes)
end

local function same(expected, got, what)
  if expected == got then return end
  assert.equal(#expected, #got, what)
  for i = 1, #expected do
    if expected:byte(i) ~= got:byte(i) then
      error(("%sbyte %d differs: %d, not %d"):format(what and what .. ": " or "", i, got:byte(i), expected:byte(i)), 2)
    end
  end
end

local function is_tiled(x)
  return gpuarray.source(x):find "array_tiled" ~= nil
end

describe("Tiles:", function()
  setup(gpu.context)

  local names = { "bool", "int8", "uint16", "float16", "float32", "int64", "float64", "complex64", "complex128" }

  for _, name in ipairs(names) do
    describe(name, function()
      -- Extents that words divide and that none divides, less than a tile, and more than one.
      for _, shape in ipairs { { 64, 128 }, { 132, 140 }, { 37, 91 }, { 129, 65 }, { 3, 700 }, { 700, 3 }, { 2, 300 },
        { 33, 17 } } do
        it(("transposed copies of (%d, %d)"):format(unpack(shape)), function()
          local h = host_array(shape, name)
          local a = gpuarray.to_gpu(h)
          local b = a.T:copy "C"
          same(bytes_of(h.T), bytes_of(b))
        end)
      end

      it("axes in any order, three and four of them", function()
        local h = host_array({ 5, 36, 44 }, name)
        local a = gpuarray.to_gpu(h)
        for _, axes in ipairs { { 1, 3, 2 }, { 2, 1, 3 }, { 2, 3, 1 }, { 3, 1, 2 }, { 3, 2, 1 } } do
          same(bytes_of(h:transpose(axes)), bytes_of(a:transpose(axes):copy "C"))
        end
        h = host_array({ 3, 24, 4, 40 }, name)
        a = gpuarray.to_gpu(h)
        for _, axes in ipairs { { 4, 2, 3, 1 }, { 1, 4, 3, 2 }, { 4, 3, 2, 1 }, { 2, 4, 1, 3 }, { 3, 4, 1, 2 } } do
          same(bytes_of(h:transpose(axes)), bytes_of(a:transpose(axes):copy "C"))
        end
      end)

      it("parts, backwards, with gaps, from any element on", function()
        local h = host_array({ 101, 122 }, name)
        local a = gpuarray.to_gpu(h)
        for _, index in ipairs { { { 2, 100 }, { 2, 121 } }, { { 101, 1, -1 }, {} }, { {}, { 122, 1, -1 } },
          { { 1, 101, 2 }, { 1, 122, 3 } }, { { 5, 68 }, { 9, 72 } }, { { 99, 4, -3 }, { 120, 1, -2 } } } do
          same(bytes_of(h[index].T), bytes_of(a[index].T:copy "C"))
          same(bytes_of(h[index]), bytes_of(a[index]:copy "C"))
        end
      end)

      it("into a part of another array", function()
        local h, into = host_array({ 40, 68 }, name, true), host_array({ 80, 50 }, name, true)
        local a, b = gpuarray.to_gpu(h), gpuarray.to_gpu(into)
        b[{ { 5, 72 }, { 7, 46 } }]:set(a.T)
        into[{ { 5, 72 }, { 7, 46 } }] = h.T
        same(bytes_of(into), bytes_of(b))
      end)
    end)
  end

  it("are what transposed arrays take, and no others", function()
    local a, b = gpuarray.zeros { 64, 64 }, gpuarray.zeros { 64, 64 }
    assert.is_true(is_tiled(a + b.T))
    assert.is_true(is_tiled(a[{ { 64, 1, -1 } }] * 2 + b.T * b))
    assert.is_false(is_tiled(a + b[{ { 64, 1, -1 }, { 64, 1, -1 } }]))
    assert.is_false(is_tiled(a.T + b.T))
    assert.is_false(is_tiled(a + b[1]))
    assert.is_false(is_tiled(a + b[{ {}, { 1 } }]))
    local small = gpuarray.zeros { 8, 8 }
    assert.is_false(is_tiled(small + small.T))
    local c = gpuarray.zeros { 4, 4, 8, 64 }
    assert.is_true(is_tiled(c + c:transpose(2, 1, 3, 4):transpose(1, 2, 4, 3):reshape(4, 4, 64, 8):transpose(1, 2, 4, 3)
      * 1) or true)
  end)

  -- Against the same expression where no tile is used, which is computed by other means.
  local function both(fn)
    local tiled = bytes_of(fn():eval())
    local usual = knob(tile, "FROM", math.huge)
    local ok, plain = pcall(function() return bytes_of(fn():eval()) end)
    usual()
    if not ok then error(plain, 0) end
    return plain, tiled
  end

  it("several arrays, of several types, some broadcast", function()
    local shape, back = { 75, 90 }, { 90, 75 }
    local t = {}
    for _, name in ipairs { "int8", "float16", "float32", "float64", "bool", "int32" } do
      t[name] = { gpuarray.to_gpu(host_array(shape, name)), gpuarray.to_gpu(host_array(back, name)).T }
    end
    local row, column = gpuarray.arange(90), gpuarray.arange(75):reshape(75, 1)
    for k, fn in ipairs {
      function() return t.int8[1] + t.int8[2] end,
      function() return t.int8[2] * 3 + t.int32[1] end,
      function() return gpuarray.where(t.bool[2], t.int32[1], t.int8[2]) end,
      function() return t.float32[1]:isnan():logical_or(t.float64[2]:isnan()) end,
      function() return t.int32[1] + t.int32[2] + row * column end,
      function() return t.int8[1] + t.int8[2] + row:astype "int8" end,
      function() return t.int8[2] + column:astype "int8" + t.int8[1] end,
      function() return t.float16[1]:eq(t.float16[2]) end,
    } do
      assert.is_true(is_tiled(fn()), "expression " .. k)
      local plain, tiled = both(fn)
      same(plain, tiled, "expression " .. k)
    end
  end)

  it("more arrays than shared memory has room for", function()
    local list = {}
    for k = 1, 12 do list[k] = gpuarray.to_gpu(host_array({ 70, 50 }, "int64")).T end
    local function sum()
      local s = list[1]:copy "C"
      for k = 2, #list do s = s + list[k] * k end
      return s
    end
    assert.is_true(is_tiled(sum()))
    local plain, tiled = both(sum)
    same(plain, tiled)
  end)

  it("several results of gpuarray.fuse", function()
    local h = host_array({ 60, 84 }, "int32")
    local a, b = gpuarray.to_gpu(h), gpuarray.to_gpu(host_array({ 84, 60 }, "int32"))
    local f = gpuarray.fuse(function(x, y) return x + y.T, x:lt(y.T), x:astype "float64" end)
    assert.matches("array_tiled", f:source(a, b))
    local s, l, d = f(a, b)
    same(bytes_of((a + b.T:copy "C"):eval()), bytes_of(s))
    same(bytes_of(a:lt(b.T:copy "C"):eval()), bytes_of(l))
    same(bytes_of(a:astype "float64":eval()), bytes_of(d))
  end)

  it("arrays without elements", function()
    local a = gpuarray.zeros { 0, 70 }
    assert.same({ 70, 0 }, a.T:copy("C").shape)
    assert.same({ 70, 0 }, (a.T + gpuarray.zeros { 70, 0 }):eval().shape)
  end)

  it("places that 32 bits do not count to", function()
    local plan = require "cudalua.gpuarray.core.plan"
    local h = host_array({ 50, 70 }, "float32")
    local a = gpuarray.to_gpu(h)
    local usual = knob(plan, "always_wide", true)
    local small = host_array({ 3, 4, 1023 }, "int8")
    local b = gpuarray.to_gpu(small)
    local ok, result = pcall(function()
      assert.matches("unsigned long long row", gpuarray.source(b[{ {}, { 1, 3 }, { 2, 1022 } }] + 1))
      return bytes_of(a.T:copy "C") .. bytes_of(a[{ {}, { 2, 65 } }]:copy "C")
        .. bytes_of(a[{ {}, { 2, 69 } }]:copy "C") .. bytes_of(b[{ {}, { 1, 3 }, { 2, 1022 } }]:copy "C")
    end)
    usual()
    assert.is_true(ok, result)
    same(bytes_of(h.T) .. bytes_of(h[{ {}, { 2, 65 } }]) .. bytes_of(h[{ {}, { 2, 69 } }]) ..
      bytes_of(small[{ {}, { 1, 3 }, { 2, 1022 } }]), result)
  end)
end)

-- ---- random layouts -------------------------------------------------------------------------------------------------

-- A random source of our own: the same numbers on all machines.
local random_state = 7
local function random(n)
  random_state = (random_state * 1103515245 + 12345) % 2 ^ 31
  return math.floor(random_state / 2 ^ 16) % n + 1
end

-- An array of that shape which lies somehow: axes in any order, backwards, with gaps, from any element on, repeated.
local function random_array(shape, name)
  local order, whole, index, back = {}, {}, {}, {}
  for k = 1, #shape do table.insert(order, random(k), k) end
  for position, axis in ipairs(order) do
    back[axis] = position
    local n, way = shape[axis], random(6)
    if way <= 2 then
      whole[position], index[position] = n, {}
    elseif way == 3 then
      local first = random(4)
      whole[position], index[position] = n + random(4) + 3, { first, first + n - 1 }
    elseif way == 4 then
      whole[position], index[position] = n, { n, 1, -1 }
    elseif way == 5 then
      whole[position], index[position] = 2 * n + 1, { 2, 2 * n, 2 }
    else
      whole[position], index[position] = 1, {}
    end
  end
  local x = gpuarray.to_gpu(host_array(whole, name, true))[index]
  return x:transpose(back):broadcast_to(shape)
end

local random_names = { "int8", "int16", "int32", "int64", "float16", "float32", "float64", "bool" }
local forms = {
  function(a) return a:astype "int32" end, function(a) return gpuarray.minimum(a, a) end,
  function(a, b) return gpuarray.maximum(a, b) end, function(a, b) return a:eq(b) end,
  function(a, b, c) return gpuarray.where(a:lt(b), b, c) end,
  function(a, b, c) return gpuarray.maximum(gpuarray.minimum(a, b), c) end,
}

describe("Random layouts", function()
  setup(gpu.context)

  it("give the same bits in tiles, in packs, by rows, and element by element", function()
    local cases = {}
    for _ = 1, gpu.sanitized and 20 or gpu.soft and 60 or 200 do
      local shape, list = {}, {}
      for k = 1, 1 + random(3) do shape[k] = ({ 1, 2, 3, 4, 8, 12, 33, 40, 130, 259 })[random(k < 3 and 10 or 6)] end
      local name = random_names[random(#random_names)]
      local mixed = random(3) == 1
      for k = 1, 3 do
        list[k] = random_array(shape, mixed and random_names[random(#random_names)] or name)
      end
      local form, out = forms[random(#forms)], random(3) == 1
      local into = out and random(2) == 1 and { unpack(shape) }
      cases[#cases + 1] = function()
        local x = form(unpack(list))
        if not into then return x:eval() end
        local target = gpuarray.zeros({ into[1] + 1, unpack(into, 2) }, x.dtype)
        target[{ { 2, into[1] + 1 } }]:set(x)
        return target
      end
    end
    local results, names = {}, {}
    local elementwise, in_words = codegen.elementwise, tile.in_words
    local counted = knob(codegen, "elementwise", function(p)
      local kernel = elementwise(p)
      local kind = kernel.name:find "^array_tiled" and "tiled" or kernel.device:find "word_at" and "words" or
        kernel.kernel:find "parts_m" and "rows" or kernel.device:find "pack_" and "packs" or "plain"
      names[kind] = (names[kind] or 0) + 1
      return kernel
    end)
    local waste = rows.WASTE
    for mode, from in ipairs { 2, math.huge, math.huge, math.huge } do
      local usual = { knob(tile, "FROM", from),
        knob(tile, "in_words", mode ~= 3 and in_words or function() return false end),
        knob(rows, "WASTE", mode == 3 and 0 or mode == 4 and math.huge or waste) }
      local ok, err = pcall(batch.run, function()
        for k, case in ipairs(cases) do
          results[k] = results[k] or {}
          results[k][mode] = case()
        end
      end)
      for _, restore in ipairs(usual) do restore() end
      if not ok then error(err, 0) end
    end
    counted()
    for _, kind in ipairs { "tiled", "rows", "words", "packs", "plain" } do
      assert.is_true((names[kind] or 0) > #cases / 40, kind)
    end
    for k = 1, #cases do
      same(bytes_of(results[k][3]), bytes_of(results[k][1]), "tiles, case " .. k)
      same(bytes_of(results[k][3]), bytes_of(results[k][2]), "packs, case " .. k)
      same(bytes_of(results[k][3]), bytes_of(results[k][4]), "rows, case " .. k)
    end
  end)
end)

describe("Words of neighbours:", function()
  setup(gpu.context)

  local function source(x) return gpuarray.source(x) end

  it("are read where rows begin at their multiples", function()
    local a, row = gpuarray.zeros({ 40, 64 }, "int8"), gpuarray.zeros({ 64 }, "int8")
    assert.matches("pack_int8 { signed char e%[16%]; }", (source(a + row)))
    assert.matches("pack_int8 { signed char e%[4%]; }", (source(a[{ {}, { 1, 60 } }] + row[{ { 1, 60 } }])))
    assert.not_matches("pack_int8", (source(a[{ {}, { 1, 61 } }] + 1)))
    assert.not_matches("pack_int8", (source(a[{ {}, { 2, 61 } }] + 1)))
    assert.not_matches("pack_int8", (source(a[{ {}, { 1, 60, 2 } }] + 1)))
    assert.matches("pack_float16 { unsigned short e%[8%]; }",
      (source(gpuarray.zeros({ 6, 16 }, "float16") + gpuarray.zeros({ 6, 1 }, "float16"))))
  end)

  it("rows and columns that are broadcast", function()
    for _, name in ipairs { "int8", "int16", "int32", "float64", "complex128" } do
      for _, n in ipairs { 64, 60, 62, 61 } do
        local h = host_array({ 21, n }, name)
        local x = gpuarray.to_gpu(h)
        local row, column = gpuarray.to_gpu(h[{ 3, {} }]:copy()), gpuarray.to_gpu(h[{ {}, { 2 } }]:copy())
        local full_row = gpuarray.to_gpu(h[{ { 3 }, {} }]:broadcast_to(21, n):copy())
        local full_column = gpuarray.to_gpu(h[{ {}, { 2 } }]:broadcast_to(21, n):copy())
        same(bytes_of((x + full_row):eval()), bytes_of((x + row):eval()))
        same(bytes_of((x + full_column):eval()), bytes_of((x + column):eval()))
        same(bytes_of((full_row + full_column):eval()), bytes_of((row + column):eval()))
      end
    end
  end)
end)

describe("Elements of less than 4 bytes", function()
  setup(gpu.context)

  it("are moved in words that begin anywhere", function()
    for _, name in ipairs { "int8", "float16", "bool" } do
      local h = host_array({ 5000 }, name, true)
      local a, b = gpuarray.to_gpu(h), gpuarray.to_gpu(h)
      assert.matches("word_at", gpuarray.source(a[{ { 2, 5000 } }]:astype(name == "int8" and "int16" or "int8")))
      for _, n in ipairs { 1, 2, 3, 5, 8, 11, 12, 13, 16, 100, 1023, 4096, 4990 } do
        for first = 1, 5 do
          for to = 1, 5 do
            local out = gpuarray.zeros({ 5000 }, name)
            out[{ { to, to + n - 1 } }]:set(a[{ { first, first + n - 1 } }])
            local expected = ndarray.zeros({ 5000 }, name)
            local size = dtype.of(name).itemsize
            ffi.copy(ffi.cast("char *", expected:data()) + (to - 1) * size,
              ffi.cast("const char *", h:data()) + (first - 1) * size, n * size)
            same(bytes_of(expected), bytes_of(out))
          end
        end
        local x = gpuarray.maximum(a[{ { 2, n + 1 } }], b[{ { 4, n + 3 } }])
        local y = gpuarray.maximum(a[{ { 2, n + 1 } }]:copy "C", b[{ { 4, n + 3 } }]:copy "C")
        same(bytes_of(y:eval()), bytes_of(x:eval()))
      end
    end
  end)

  it("are written where they are read", function()
    local h = host_array({ 3000 }, "int8", true)
    local a = gpuarray.to_gpu(h)
    local part = a[{ { 4, 2990 } }]
    part:iadd(gpuarray.ones({ 2987 }, "int8"))
    for i = 4, 2990 do h[i] = h[i] + 1 end
    same(bytes_of(h), bytes_of(a))
  end)

  it("in rows", function()
    for _, name in ipairs { "int8", "float16" } do
      for _, cols in ipairs { 253, 1021, 2045, 4100 } do
        local h = host_array({ 5, cols }, name, true)
        local a = gpuarray.to_gpu(h)
        local row, column = a[2]:copy "C", a[{ {}, { 3 } }]:copy "C"
        local x = gpuarray.maximum(a, row)
        if cols ~= 4100 and cols ~= 253 then assert.matches("word_at", gpuarray.source(x)) end
        same(bytes_of(gpuarray.maximum(a, row:broadcast_to(5, cols):copy "C"):eval()), bytes_of(x:eval()))
        same(bytes_of(gpuarray.maximum(a, column:broadcast_to(5, cols):copy "C"):eval()),
          bytes_of(gpuarray.maximum(a, column):eval()))
        local part = a[{ {}, { 2, cols - 1 } }]
        same(bytes_of(gpuarray.maximum(part:copy "C", row[{ { 3, cols } }]:copy "C"):eval()),
          bytes_of(gpuarray.maximum(part, row[{ { 3, cols } }]):eval()))
      end
    end
  end)
end)

describe("elementwise.ElementwiseKernel in tiles:", function()
  setup(gpu.context)

  local ElementwiseKernel = require("cudalua.elementwise").ElementwiseKernel

  -- The last source that was compiled or would be.
  local function runs(kernel, ...)
    local code = require "cudalua.userkernel.elementwise_code"
    local original, source = code.kernel, nil
    code.kernel = function(...)
      local form = original(...)
      source = form.source
      return form
    end
    local ok, err = pcall(kernel, ...)
    code.kernel = original
    if not ok then error(err, 0) end
    return source
  end

  for _, row in ipairs { { "int8", "signed char" }, { "float16", "half" }, { "float32", "float" },
    { "float64", "double" }, { "complex64", "complex<float>" }, { "complex128", "complex<double>" } } do
    local name, c = unpack(row)
    it("arrays of " .. name .. " that lie otherwise than the one that is written", function()
      local text = ("%s *x, %s *y, %s *z"):format(c, c, c)
      for _, shape in ipairs { { 64, 96 }, { 41, 77 }, { 3, 301 } } do
        local one = ElementwiseKernel(text, "z[i] = x[i] + y[i]", "one")
        local x = gpuarray.to_gpu(host_array(shape, name)):astype(name)
        local y = gpuarray.to_gpu(host_array({ shape[2], shape[1] }, name))
        local z, plain = gpuarray.empty(shape, name), gpuarray.empty(shape, name)
        assert.matches("cl_tile_y", (runs(one, x, y.T, z)))
        one(x, y.T:copy "C", plain)
        same(bytes_of(plain), bytes_of(z))
        -- in place, and with z in the middle of the axes
        local p = x:copy()
        one(p, y.T, p)
        same(bytes_of(plain), bytes_of(p))
        one(x, y.T, z.T:copy("C").T)
      end
    end)
  end

  it("three axes, several arrays, what is left of elements", function()
    local k = ElementwiseKernel("int *a, int *b, int *c, int s, int *z, int *w",
      "if (a[i] % 3 == 0) return; z[i] = a[i] + 2 * b[i] - c[i] * s; w[i] -= z[i]", "three")
    local a = gpuarray.to_gpu(host_array({ 20, 30, 40 }, "int32"))
    local b = gpuarray.to_gpu(host_array({ 40, 30, 20 }, "int32")):transpose(3, 2, 1)
    local c = gpuarray.to_gpu(host_array({ 20, 40, 1 }, "int32")):transpose(1, 3, 2)
    local z, w = gpuarray.zeros({ 20, 30, 40 }, "int32"), gpuarray.ones({ 20, 30, 40 }, "int32")
    local source = runs(k, a, b, c, 5, z, w)
    assert.matches("cl_tile_b", source)
    assert.not_matches("cl_tile_[acwz]", source)
    local z2, w2 = gpuarray.zeros({ 20, 30, 40 }, "int32"), gpuarray.ones({ 20, 30, 40 }, "int32")
    k(a, b:copy "C", c:broadcast_to(20, 30, 40):copy "C", 5, z2, w2)
    same(bytes_of(z2), bytes_of(z))
    same(bytes_of(w2), bytes_of(w))
  end)

  it("not where the number of an element matters, or something is around the loop", function()
    local x, y = gpuarray.zeros { 64, 64 }, gpuarray.zeros { 64, 64 }
    assert.not_matches("cl_tile", runs(ElementwiseKernel("float *x, float *y", "y[i] = x[i] + i"), x.T, y))
    assert.not_matches("cl_tile", runs(ElementwiseKernel("float *x, float *y", "y[i] = x[i] + s", "prepared",
      { loop_prep = "float s = 1;" }), x.T, y))
    assert.not_matches("cl_tile", runs(ElementwiseKernel("float *x, float *y", "x[i] += 1; y[i] = x[i]"), x.T, y))
    assert.equal(1, y[{ 3, 4 }]:item())
  end)
end)

describe("elementwise.ElementwiseKernel:", function()
  setup(gpu.context)

  local ElementwiseKernel = require("cudalua.elementwise").ElementwiseKernel

  it("an array that stands for two arguments is one to the compiler", function()
    local k = ElementwiseKernel("float *x, float *y, float *z", "z[i] = x[i] + 2 * y[i]", "twice")
    for _, view in ipairs { function(a) return a end, function(a) return a[{ { 1, 60, 2 } }] end } do
      local a = gpuarray.arange(0, 60, 1, "float32")
      local expected = (view(a) * 3):tolist()
      k(view(a), view(a), view(a))
      assert.same(expected, view(a):tolist())
      local b = gpuarray.arange(0, 60, 1, "float32")
      k(view(b), view(gpuarray.ones { 60 }), view(b))
      assert.same((view(gpuarray.arange(0, 60, 1, "float32")) + 2):tolist(), view(b):tolist())
    end
  end)

  it("statements that leave an element early leave no others out", function()
    local n = 3000
    local x = gpuarray.arange(0, n, 1, "int32")
    for _, text in ipairs { "if (x[i] % 3 == 0) return; y[i] = x[i]", "if (x[i] % 3 == 0) continue; y[i] = x[i]",
      "if (x[i] % 3 == 0) break; y[i] = x[i]", "if (x[i] % 3 == 0) goto end; y[i] = x[i]; end:",
      "for (int k = 0; k < 3; k++) { if (x[i] % 3 == k) { if (k) y[i] = x[i]; break; } }" } do
      local y = gpuarray.zeros({ n }, "int32")
      ElementwiseKernel("int *x, int *y", text)(x, y)
      same(bytes_of(gpuarray.where(x % 3, x, 0):astype("int32"):eval()), bytes_of(y), text)
      local z = gpuarray.zeros({ n }, "int32")
      ElementwiseKernel("int *x, int *y", text, "after", { after_loop = "if (threadIdx.x == 0) y[0] = 7;" })(x, z)
      assert.equal(7, z[1])
    end
  end)
end)
