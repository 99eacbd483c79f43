-- Products of sparse matrices by cuSPARSE: what it is given, and what comes of its answers. The library is
-- spec/support/sparse_shim.c, which computes on the host and therefore needs the software device.
local arrays = require "spec.support.arrays"
local cases = require "spec.support.sparse_cases"
local core = require "cudalua.core"
local gpu = require "spec.support.gpu"
local host = require "spec.support.sparse_host"
local knob = require "spec.support.knob"
local product = require "cudalua.sparse.product"
local reentry = require "spec.support.reentry"
local runs = require "cudalua.gpuarray.core.run"
local shim = require "spec.support.sparse_shim"
local structures = require "cudalua.sparse.structure"
local cuda, gpuarray, sparse = gpu.cuda, gpu.cuda.gpuarray, gpu.cuda.sparse

local MOST = gpu.sanitized and 6 or os.getenv "CUDALUA_ALL" and 200 or 40
local EXTENTS = { 1, 2, 3, 5, 8, 17, 40, 90 }
local FLOATS = { "float16", "bfloat16", "float32", "float64", "complex64", "complex128" }
local WIDE = { "float32", "float64", "complex64", "complex128" }

local function lacks()
  gpu.context()
  return not gpu.soft and (pending "the stand-in computes on the host" or true)
end

local function with_vendor(f) return shim.with("vendor", f) end

-- The calls for f() under "vendor".
local function calls(f)
  return shim.log(function() with_vendor(f) end)
end

local function matrix(dtype, seed, rows, columns, n, format)
  local e = host.elements(seed or 1, rows or 6, columns or 5, n or 14)
  return sparse[format or "csr"] { data = e.data, rows = e.rows, columns = e.columns, shape = e.shape,
    dtype = dtype or "float32" }
end

-- Calls f() where positions have 64 bits.
local function with_wide_positions(f)
  local restore = knob(structures, "SHORT", 4)
  local ok, result = pcall(f)
  restore()
  if not ok then error(result, 0) end
  return result
end

local function ramp(n, dtype) return (gpuarray.arange(n, "float32") % 5 - 2):astype(dtype or "float32"):eval() end

-- A dense matrix of two columns: cuSPARSE is not asked for products with one.
local function pair(n, dtype) return ramp(2 * n, dtype):reshape(n, 2):eval() end

-- Calls f() as if the driver were a GPU's.
local function as_on_gpu(f)
  local before = core.driver_info
  core.driver_info = function()
    local info = before()
    info.soft = false
    return info
  end
  local ok, err = pcall(f)
  core.driver_info = before
  if not ok then error(err, 0) end
end

describe("cuSPARSE's products", function()
  after_each(function() shim.name(nil) end)

  it("with dense matrices are those of own kernels", function()
    if lacks() then return end
    shim.with("vendor", cases.sweep, 400, cases.dense, FLOATS, MOST, EXTENTS, "vendor")
  end)

  it("of sparse matrices are those of own kernels, in order", function()
    if lacks() then return end
    shim.with("vendor", cases.sweep, 500, cases.sparse, WIDE, MOST, EXTENTS, "vendor")
  end)

  it("take positions of 64 bits with dense operands, and say that two such matrices cannot be multiplied", function()
    if lacks() then return end
    local m = with_wide_positions(function() return matrix "float64" end)
    assert.equal(cuda.dtype.int64, m._structure.place)
    local x = pair(5, "float64")
    local own = m:matmul(x):tolist()
    local lines = calls(function()
      assert.same(own, m:matmul(x):tolist())
      gpu.raises("LogicError", "sparse.Matrix:matmul: linalg.backend is \"vendor\", and cuSPARSE does not have "
        .. "products of two sparse matrices with positions of 64 bits", m.matmul, m, m.T)
    end)
    assert.equal(1, #lines)
    assert.is_truthy(lines[1]:find("SpMM type 1 compute 1 index 3 6x5", 1, true), lines[1])
  end)

  it("have positions of the type that their size asks for", function()
    if lacks() then return end
    local a, b = matrix("float32", 1, 6, 5, 14), matrix("float32", 2, 5, 7, 14)
    local own = a:matmul(b)
    assert.equal(cuda.dtype.int32, own._structure.place)
    local c = with_vendor(function() return with_wide_positions(function() return a:matmul(b) end) end)
    assert.equal(cuda.dtype.int64, c._structure.place)
    assert.same(own:todense():tolist(), c:todense():tolist())
  end)

  it("get the rows without a copy, and values of another order or type gathered or converted", function()
    if lacks() then return end
    local m, kernels = matrix(), nil
    for columns = 2, 3 do
      local x = gpuarray.ones({ 5, columns }):eval()
      local lines = calls(function() kernels = gpu.kernels(function() m:matmul(x) end) end)
      assert.equal(0, kernels)
      assert.same({ ("SpMM type 0 compute 0 index 2 6x5 elements %d columns %d algorithm 12 work 1006"):format(m.nnz,
        columns) }, lines)
    end
    local t = m.T
    t:matmul(pair(6)) -- the transposed structure is kept from here on
    local lines = calls(function() kernels = gpu.kernels(function() t:matmul(pair(6)) end) end)
    assert.is_true(kernels >= 1 and kernels <= 3, tostring(kernels))
    assert.is_truthy(lines[1]:find("5x6", 1, true))
    local half, wide = matrix "float16", pair(5, "float64")
    lines = calls(function() half:matmul(wide) end)
    assert.is_truthy(lines[1]:find("SpMM type 1 compute 1", 1, true))
    for name, number in pairs { float16 = 2, bfloat16 = 14 } do
      lines = calls(function() matrix(name):matmul(pair(5, name)) end)
      assert.same({ ("SpMM type %d compute 0 index 2 6x5 elements %d columns 2 algorithm 12 work 1006"):format(number,
        half.nnz) }, lines)
    end
  end)

  it("see values that were written to m.data", function()
    if lacks() then return end
    local m, x = matrix(), pair(5)
    with_vendor(function()
      local before = m:matmul(x):tolist()
      m.data:set(m.data * 3)
      for i, v in ipairs(m:matmul(x):tolist()) do assert.same({ 3 * before[i][1], 3 * before[i][2] }, v) end
      local square = m:matmul(m.T):todense():tolist()
      m.data:set(m.data * 2)
      assert.equal(4 * square[1][1], m:matmul(m.T):todense():tolist()[1][1])
    end)
  end)

  it("are own kernels' where cuSPARSE has none, and an error under vendor", function()
    if lacks() then return end
    local m, whole, half = matrix(), matrix "int32", matrix "float16"
    local function refused(what, f)
      gpu.raises("LogicError", 'sparse.Matrix:matmul: linalg.backend is "vendor", and cuSPARSE does not have ' .. what,
        with_vendor, f)
    end
    refused("sparse products that are int64", function() whole:matmul(gpuarray.ones({ 5, 2 }, "int32")) end)
    refused("reliable products with a single column", function() m:matmul(ramp(5)) end)
    refused("reliable products with a single column", function() m:matmul(gpuarray.ones { 5, 1 }) end)
    refused("reliable products with a single column", function() sparse.cg(sparse.eye(5), ramp(5)) end)
    refused("products of two sparse matrices of float16", function() half:matmul(half.T) end)
    refused("sparse products that are int64", function() whole:matmul(whole.T) end)
    refused("a float32 product of a sparse matrix of 6 x 5 with " .. m.nnz .. " elements by 2 columns: it answers "
      .. "CUSPARSE_STATUS_NOT_SUPPORTED (10)", function()
        shim.fail(10)
        m:matmul(pair(5))
      end)
    refused("a float32 product of a sparse matrix of 6 x 5 with " .. m.nnz .. " elements by one of 5 x 6 with " .. m.nnz
      .. " elements: it answers CUSPARSE_STATUS_INSUFFICIENT_RESOURCES (11)", function()
        shim.fail(11)
        m:matmul(m.T)
      end)
    local wide = ramp(15):reshape(5, 3):eval()
    local own, square = m:matmul(wide):tolist(), m:matmul(m.T):todense():tolist()
    m:matmul(pair(5)):eval() -- own kernels are compiled before it looks like a GPU
    m:matmul(ramp(5)):eval()
    whole:matmul(gpuarray.ones({ 5, 2 }, "int32"))
    half:matmul(half.T)
    assert.same({}, shim.log(function()
      shim.with("auto", as_on_gpu, function()
        whole:matmul(gpuarray.ones({ 5, 2 }, "int32"))
        half:matmul(half.T)
        m:matmul(ramp(5))
        m:matmul(pair(5)) -- own kernels are faster than its algorithm of equal bits
        assert.same(own, m:matmul(wide):tolist())
        shim.fail(11)
        assert.same(square, m:matmul(m.T):todense():tolist())
      end)
    end))
    assert.equal(1, #shim.log(function()
      shim.with("auto", as_on_gpu, function()
        assert.same(square, m:matmul(m.T):todense():tolist())
      end)
    end))
  end)

  it("that would take more than half of the free memory are own kernels' under auto", function()
    if lacks() then return end
    local m = matrix()
    local square = m:matmul(m.T):todense():tolist()
    local before = core.mem_get_info
    local lines = shim.log(function()
      shim.with("auto", as_on_gpu, function()
        local restore = knob(product, "most", 2 ^ 20)
        core.mem_get_info = function() return 1999 end
        local ok, result = pcall(m.matmul, m, m.T)
        core.mem_get_info = before
        restore()
        assert(ok, result)
        assert.same(square, result:todense():tolist())
      end)
    end)
    assert.same({}, lines)
  end)

  it("are not asked for where there is nothing to multiply, for sums, and for packed matrices", function()
    if lacks() then return end
    assert.same({}, calls(function()
      local empty = matrix("float32", 1, 4, 3, 0)
      assert.same({ 0, 0, 0, 0 }, empty:matmul(ramp(3)):tolist())
      assert.equal(0, empty:matmul(empty.T).nnz)
      assert.equal(0, matrix():matmul(gpuarray.zeros { 5, 0 }).size)
      matrix("int32"):sum(1)
      matrix():to("packed"):matmul(ramp(5))
    end))
    -- Two matrices whose product has no elements.
    local a = sparse.csr { data = { 1 }, rows = { 1 }, columns = { 1 }, shape = { 3, 3 } }
    local b = sparse.csr { data = { 1 }, rows = { 2 }, columns = { 1 }, shape = { 3, 3 } }
    local lines = calls(function()
      local c = a:matmul(b)
      assert.equal(0, c.nnz)
      assert.same({ 1, 1, 1, 1 }, c.indptr:tolist())
    end)
    assert.equal(1, #lines)
  end)

  it("of two sparse matrices keep their work areas until the result is copied, and free them then", function()
    if lacks() then return end
    local m, before, counts, areas = matrix(), runs.library, {}, nil
    finally(function() runs.library = before end)
    runs.library = function(c)
      local list = {}
      for _, leaf in ipairs(c.leaves) do list[#list + 1] = not leaf.store and leaf.buf or nil end
      counts[#counts + 1], areas = #list, c.scratch
      return before(c)
    end
    with_vendor(function() m:matmul(m.T) end)
    assert.same({ 0, 1, 1, 2, 2 }, counts)
    assert.equal(2, #areas)
    for _, area in ipairs(areas) do gpu.raises("LogicError", "freed", function() return area + 4 end) end
  end)

  it("that fail raise what the library says, with the shapes, and the next one works", function()
    if lacks() then return end
    local m = matrix()
    with_vendor(function()
      shim.fail(6)
      local err = gpu.raises("RuntimeError", "sparse.Matrix:matmul: cusparseSpMM failed: "
        .. "CUSPARSE_STATUS_EXECUTION_FAILED (6), for a float32 product of a sparse matrix of 6 x 5 with " .. m.nnz
        .. " elements by 2 columns", m.matmul, m, pair(5))
      assert.is_truthy(err.hint:find('linalg.backend "own"', 1, true))
      shim.fail(2)
      gpu.raises("MemoryError", "cusparseSpMM failed: CUSPARSE_STATUS_ALLOC_FAILED (2)", m.matmul, m,
        gpuarray.ones { 5, 2 })
      shim.fail(6)
      gpu.raises("RuntimeError", "cusparseSpGEMM_workEstimation failed", m.matmul, m, m.T)
      assert.equal(12, m:matmul(pair(5)).size)
      assert.equal(36, m:matmul(m.T):todense().size)
    end)
  end)

  it("destroy their descriptors, also where they fail", function()
    if lacks() then return end
    local m = matrix()
    collectgarbage()
    collectgarbage()
    local before = shim.count()
    with_vendor(function()
      m:matmul(pair(5))
      m:matmul(gpuarray.ones { 5, 2 })
      m:matmul(m.T)
      assert.equal(before, shim.count())
      for _, status in ipairs { 6, 10 } do
        shim.fail(status)
        assert.is_false((pcall(m.matmul, m, pair(5))))
        shim.fail(status)
        assert.is_false((pcall(m.matmul, m, m.T)))
      end
    end)
    collectgarbage()
    collectgarbage()
    assert.equal(before, shim.count())
  end)

  it("go into a graph, which computes them anew at each launch; those of two sparse matrices do not", function()
    if lacks() then return end
    local s, m, x, out = cuda.Stream(), matrix(), pair(5), gpuarray.zeros({ 6, 2 }):eval()
    local exec = with_vendor(function()
      m:matmul(x)
      return s:capture(function()
        m:matmul(x, { out = out })
        gpu.raises("LogicError", "sparse.Matrix:matmul: inside a capture, two sparse matrices cannot be multiplied, as "
          .. "the size of the result is read", m.matmul, m, m.T)
      end):instantiate()
    end)
    collectgarbage()
    for k = 1, 2 do
      x:set(pair(5) * k + 1)
      m.data:set(m.data * 2)
      cuda.Context.synchronize()
      exec:launch(s)
      s:synchronize()
      assert.same(m:matmul(x):tolist(), out:tolist())
    end
  end)

  it("are written to out at once, where nothing is in the way", function()
    if lacks() then return end
    local m, x = matrix(), pair(5)
    with_vendor(function()
      for _, operand in ipairs { x, ramp(20):reshape(5, 4):eval() } do
        local function f(o) return m:matmul(operand, o) end
        local want = f {}
        local out = gpuarray.zeros(want.shape):eval()
        local address = out.ptr
        assert.equal(gpu.kernels(function() f {} end), gpu.kernels(function() assert.equal(out, f { out = out }) end))
        assert.equal(address, out.ptr)
        assert.is_true(gpuarray.array_equal(want, out))
        out:fill(7)
        local later = out + 1
        f { out = out }
        assert.is_true(later:eq(8):all():item())
        assert.is_true(gpuarray.array_equal(want, out))
        local wide = gpuarray.zeros(want.size + 1)
        f { out = wide[{ { 2, -1 } }]:reshape(want.shape) }
        assert.is_true(gpuarray.array_equal(want, wide[{ { 2, -1 } }]:reshape(want.shape)))
        gpu.raises("LogicError", "out", f, { out = gpuarray.zeros(7) })
      end
      local square = matrix("float32", 1, 5, 5)
      local want, same = square:matmul(x), x:copy()
      square:matmul(same, { out = same })
      assert.is_true(gpuarray.array_equal(want, same))
    end)
  end)

  it("need a handle before a capture", function()
    if lacks() then return end
    local other = cuda.Device(0):make_context()
    local ok, err = pcall(function()
      local m, x, s = matrix(), pair(5), cuda.Stream()
      with_vendor(function()
        s:capture(function()
          gpu.raises("LogicError", "cuSPARSE has no handle in this context yet, and a stream is being captured: call "
            .. "it once before the capture", m.matmul, m, x)
        end)
        assert.equal(12, m:matmul(x).size)
      end)
      m, x = nil, nil -- luacheck: ignore 311
    end)
    other:detach()
    assert(ok, err)
  end)
end)

describe("a finalizer inside of cuSPARSE's products", function()
  after_each(function() shim.name(nil) end)

  -- Calls f() with a finalizer at each place that writes to the matrix and the operand; results have to be of one time.
  local function swept(f, bytes, m, x)
    local values, flips, wants = { { m.data:copy():eval(), x:copy():eval() } }, 0, {}
    values[2] = { (values[1][1] * 2):eval(), (values[1][2] + 1):eval() }
    local function write()
      flips = flips + 1
      m.data:set(values[flips % 2 + 1][1])
      x:set(values[flips % 2 + 1][2])
      f() -- with descriptors and work areas of its own
    end
    with_vendor(function()
      for _ = 1, 2 do
        write()
        wants[bytes(f())] = true
      end
      local wrong, places = reentry.sweep(f, write, gpu.sanitized and 6 or 150, function(y)
        assert.is_true(wants[bytes(y)] or false, "values of two times")
        return ""
      end)
      assert.is_nil(wrong)
      assert.is_true(places > (gpu.sanitized and 2 or 20))
    end)
  end

  it("that writes leaves a product with a dense matrix of the values before or after it", function()
    if lacks() then return end
    local m, x = matrix "float64", pair(5, "float64")
    swept(function() return m:matmul(x) end, arrays.bytes, m, x)
  end)

  it("that writes leaves a product in out of one time", function()
    if lacks() then return end
    local m, x = matrix "float64", pair(5, "float64")
    swept(function() return m:matmul(x, { out = gpuarray.zeros({ 6, 2 }, "float64"):eval() }) end, arrays.bytes, m, x)
  end)

  it("that writes leaves a product with a copied matrix, by values that were gathered, of one time", function()
    if lacks() then return end
    local m, x = matrix("float64", 1, 5, 6), pair(5, "float64")
    swept(function() return m.T:matmul(x) end, arrays.bytes, m, x)
  end)

  it("that writes leaves a product of two sparse matrices of one time", function()
    if lacks() then return end
    local m, x = matrix("float64", 1, 5, 5), pair(5, "float64")
    swept(function() return m:matmul(m) end, function(y)
      return arrays.bytes(y.data) .. arrays.bytes(y.indices) .. arrays.bytes(y.indptr)
    end, m, x)
  end)
end)
