-- linalg.linear: a product with a bias and an activation.
local cases = require "spec.support.vendor_cases"
local gpu = require "spec.support.gpu"
local shim = require "spec.support.shim"
local cuda, gpuarray, linalg = gpu.cuda, gpu.cuda.gpuarray, gpu.cuda.linalg

local function ramp(...)
  local shape, n = { ... }, 1
  for _, extent in ipairs(shape) do n = n * extent end
  return ((gpuarray.arange(n, "float64") * 7 % 11 - 5) / 4):reshape(shape):eval()
end

local function gelu(v) return 0.5 * v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v ^ 3))) end
local activations = { none = function(v) return v end, relu = function(v) return math.max(v, 0) end, gelu = gelu }

describe("linalg.linear", function()
  local before
  before_each(function()
    gpu.context()
    before = linalg.backend()
  end)
  after_each(function() linalg.backend(before) end)

  it("is activation(x w' + bias), in Lua's arithmetic", function()
    linalg.backend "own" -- cuBLASLt approximates gelu's tanh
    local x, w, bias = ramp(3, 4), ramp(5, 4), ramp(5)
    for name, f in pairs(activations) do
      local y = linalg.linear(x, w, { bias = bias, activation = name ~= "none" and name or nil })
      assert.same({ 3, 5 }, y.shape)
      local got, hx, hw, hb = y:tolist(), x:tolist(), w:tolist(), bias:tolist()
      for i = 1, 3 do
        for j = 1, 5 do
          local sum = hb[j]
          for k = 1, 4 do sum = sum + hx[i][k] * hw[j][k] end
          assert.is_true(math.abs(got[i][j] - f(sum)) < 1e-12, name)
        end
      end
    end
  end)

  it("takes vectors and batches, pending and strided operands, and no elements", function()
    local x, w = ramp(2, 3, 4), ramp(5, 4)
    local want = x:matmul(w.T)
    assert.same(want:tolist(), linalg.linear(x, w):tolist())
    assert.same(want:tolist(), linalg.linear(x * 2, w * 0.5):tolist())
    assert.same(want[1][1]:tolist(), linalg.linear(x[1][1], w):tolist())
    assert.same(x[{ {}, {}, { 1, 4, 2 } }]:matmul(w[{ {}, { 1, 4, 2 } }].T):tolist(),
      linalg.linear(x[{ {}, {}, { 1, 4, 2 } }], w[{ {}, { 1, 4, 2 } }]):tolist())
    assert.same({ 0, 5 }, linalg.linear(gpuarray.zeros { 0, 4 }, w).shape)
    assert.same({ { 1, 2 }, { 1, 2 } }, linalg.linear(gpuarray.zeros { 2, 0 }, gpuarray.zeros { 2, 0 },
      { bias = gpuarray.to_gpu({ 1, 2 }, "float32") }):tolist())
  end)

  it("rounds 16-bit results once, and has the type of operands and bias together", function()
    local x, w = gpuarray.to_gpu({ { 1, 2 ^ -6 } }, "float16"), gpuarray.to_gpu({ { 1, 2 ^ -5 } }, "float16")
    local bias = gpuarray.to_gpu({ 2 ^ -14 }, "float16")
    -- 1 + 2^-11 is between two numbers; with the bias it is above the middle.
    assert.equal(1 + 2 ^ -10, linalg.linear(x, w, { bias = bias }):item())
    assert.equal("float16", tostring(linalg.linear(x, w, { bias = bias }).dtype))
    assert.equal("float32", tostring(linalg.linear(x, w, { bias = bias:astype "float32" }).dtype))
    local ints = linalg.linear(ramp(2, 3):astype "int8", ramp(2, 3):astype "int8", { activation = "relu" })
    assert.equal("int32", tostring(ints.dtype))
    assert.is_true(ints:min():item() >= 0)
  end)

  it("writes to out, in a stream and to memory of an allocator", function()
    local x, w, s = ramp(3, 4), ramp(5, 4), cuda.Stream()
    local want, out, allocated = linalg.linear(x, w):tolist(), gpuarray.zeros({ 3, 5 }, "float64"), 0
    assert.equal(out, linalg.linear(x, w, { out = out, stream = s }))
    s:synchronize()
    assert.same(want, out:tolist())
    local y = linalg.linear(x, w, { allocator = function(bytes)
      allocated = allocated + bytes
      return cuda.mem_alloc(bytes)
    end })
    assert.same(want, y:tolist())
    assert.equal(120, allocated)
  end)

  it("refuses what does not fit", function()
    local x, w = ramp(3, 4), ramp(5, 4)
    gpu.raises("LogicError", "linalg.linear: the last axis of x, of shape (3, 4), must have the 3 elements of a row of "
      .. "w", linalg.linear, x, ramp(5, 3))
    gpu.raises("LogicError", "linalg.linear: w must be a matrix", linalg.linear, x, ramp(4))
    gpu.raises("LogicError", "linalg.linear: x has no axes", linalg.linear, gpuarray.zeros {}, w)
    gpu.raises("LogicError", "linalg.linear: bias must have one element for each row of w, the shape (5,), got",
      linalg.linear, x, w, { bias = ramp(4) })
    gpu.raises("LogicError", 'linalg.linear: activation must be "relu" or "gelu", got \'tanh\'', linalg.linear, x, w,
      { activation = "tanh" })
    gpu.raises("LogicError", "linalg.linear: gelu needs a float type", linalg.linear, x:astype "int32",
      w:astype "int32", { activation = "gelu" })
    gpu.raises("LogicError", "linalg.linear: relu of complex numbers", linalg.linear, x:astype "complex64", w,
      { activation = "relu" })
    gpu.raises("LogicError", "unknown option", linalg.linear, x, w, { gelu = true })
    gpu.raises("LogicError", "linalg.linear", linalg.linear, 3, w)
    gpu.raises("LogicError", "linalg.linear", linalg.linear, x, w, { bias = 1 })
    gpu.raises("LogicError", "the result has the shape", linalg.linear, x, w, { out = gpuarray.zeros { 5, 3 } })
  end)

  it("is one call of cuBLASLt with an epilogue, if that computes", function()
    if not gpu.soft then return pending "the shim computes on the host" end
    local x, w, bias = ramp(2, 3, 8):astype "float32", ramp(4, 8):astype "float32", ramp(4):astype "float32"
    local function epilogues(options)
      local kernels
      local lines = shim.log(function()
        shim.with("vendor", function()
          linalg.linear(x, w, options)
          kernels = gpu.kernels(function() linalg.linear(x, w, options) end)
        end)
      end)
      return #lines, kernels, tonumber(lines[1]:match "epilogue (%d+)")
    end
    x:eval()
    w:eval()
    bias:eval()
    for _, case in ipairs { { nil, nil, 1 }, { nil, "relu", 2 }, { bias, nil, 4 }, { bias, "relu", 6 },
      { nil, "gelu", 32 }, { bias, "gelu", 36 } } do
      local calls, _, code = epilogues { bias = case[1], activation = case[2] }
      assert.equal(2, calls)
      assert.equal(case[3], code)
    end
    for k, dtype in ipairs { "float32", "float16", "float64" } do
      shim.with("auto", cases.sweep, 500 + k, dtype, gpu.sanitized and 3 or 8, { 1, 2, 3, 5, 8, 16 }, "vendor", nil,
        nil, cases.linear)
    end
  end)
end)
