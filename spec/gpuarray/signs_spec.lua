-- What a kernel computes once: equal numbers of an expression are one parameter, and of f(x) and f(-x), or x / y and
-- -x / y, only one is computed. The bits are those of each operation alone.
local codegen = require "cudalua.gpuarray.kernel.codegen"
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local knob = require "spec.support.knob"
local ops = require "cudalua.gpuarray.kernel.ops"
local gpuarray = gpu.cuda.gpuarray

local function count(text, what) return select(2, text:gsub(what, "")) end

-- Elements as bytes, from the highest one; NaN has no promised bits.
local function elements(x)
  local host, list = x:get({ array = true }):copy(), {}
  local all, size, values = ffi.string(host:data(), host.nbytes), x.dtype.itemsize, host:reshape(host.size):tolist()
  for i, v in ipairs(values) do
    list[i] = v ~= v and "nan" or all:sub((i - 1) * size + 1, i * size):reverse():gsub(".", function(c)
      return ("%02x"):format(c:byte())
    end)
  end
  return list
end

-- compute() of the kernel that f's results need together.
local function source(f)
  local text, program = nil, codegen.program
  local restore = knob(codegen, "program", function(...)
    local p = program(...)
    text = p.compute
    return p
  end)
  local ok, err = pcall(function() gpuarray.eval(f()) end)
  restore()
  if not ok then error(err, 0) end
  return text
end

-- Bit by bit what each operation alone gives.
local function same_as_alone(what, f)
  gpuarray.eager(true)
  local ok, alone = pcall(function() return { f() } end)
  gpuarray.eager(false)
  if not ok then error(alone, 0) end
  local together = { f() }
  gpuarray.eval(unpack(together))
  for k, x in ipairs(together) do
    local wanted = elements(alone[k])
    for i, got in ipairs(elements(x)) do
      if got ~= wanted[i] then
        error(("%s: result %d, element %d: %s, alone %s"):format(what, k, i, got, wanted[i]))
      end
    end
  end
end

-- Zeros, infinities, NaN of both signs, denormals, numbers around the functions' domains, and others by chance.
local function samples(name)
  local list = { 0, -0, 1, -1, 0.5, -0.5, 0 / 0, -(0 / 0), 1 / 0, -1 / 0, 1e-7, -1e-7, 6e-8, 1e-40, -1e-40, 1e-310, 3e4,
    -3e4, 1e30, -1e30, 0.25, 2, math.pi }
  math.randomseed(7)
  for _ = 1, 400 do list[#list + 1] = (math.random() - 0.5) * 2 ^ math.random(-12, 8) end
  return gpuarray.to_gpu(list, name)
end

describe("Numbers of an expression", function()
  setup(gpu.context)
  teardown(function() gpuarray.eager(false) end)

  it("are one parameter if they are equal, and of the same type", function()
    local x, y = gpuarray.arange(5, "float32"), gpuarray.ones(5, "int32")
    local text = source(function() return (x * 0.3 + 1.25) * 0.3 - 1.25 end)
    assert.equal(2, count(text, "const float s%d"), text)
    text = source(function() return x * 3, y:astype "float32" * 3 + (y * 3):astype "float32" end)
    assert.equal(1, count(text, "const float s%d"), text)
    assert.equal(1, count(text, "const int s%d"), text)
    text = source(function() return x * 0 + x * 0 end) -- which could be 0 and -0
    assert.equal(2, count(text, "const float s%d"), text)
  end)

  it("have their own values, also where they become equal by chance, and as zeros of both signs", function()
    local x = gpuarray.arange(1, 6, "float32")
    for i = 0, 3 do
      for j = 0, 3 do
        for _ = 1, 2 do
          assert.same({ i + j + i }, ((x * 0 + i) + (x * 0 + j) + (x * 0 + i))[{ { 1, 1 } }]:tolist())
        end
      end
    end
    same_as_alone("zeros", function() return x * 0, x * -0, x * 0 + x * -0, x * -0 - x * 0 end)
    same_as_alone("NaN", function() return x * (0 / 0) + x * (0 / 0) end)
    assert.same({ 1 / 0, -1 / 0 }, { 1 / (x * 0)[1], 1 / (x * -0)[1] })
  end)

  it("are counted in one argument each, so a long expression is not cut for its numbers", function()
    local x = gpuarray.ones(4, "float64")
    local text = source(function()
      local y = x
      for _ = 1, 60 do y = y * 0.5 + 0.5 end
      return y
    end)
    assert.equal(1, count(text, "const double s%d"), text)
  end)
end)

describe("Operations on a value and its negative", function()
  setup(gpu.context)
  teardown(function() gpuarray.eager(false) end)

  it("are computed once", function()
    local x, y = gpuarray.ones(5), gpuarray.arange(5, "float32")
    for _, f in ipairs { function(v) return gpuarray.erf(v) end, function(v) return v / y end,
      function(v) return y / (v * 2) end, function(v) return gpuarray.erf(v / 3) end } do
      local once = source(function() return f(x) end)
      local text = source(function() return f(x) + 1, f(-x) + 2 end)
      assert.equal(count(once, "erf"), count(text, "erf"), text)
      assert.equal(count(once, " / "), count(text, " / "), text)
      text = source(function() return f(-x) + 1, f(x) + 2, f(-x) end)
      assert.equal(count(once, "erf"), count(text, "erf"), text)
      assert.equal(count(once, " / "), count(text, " / "), text)
    end
    local text = source(function() return (-x) / (-y), x / y end)
    assert.equal(1, count(text, " / "), text)
    text = source(function() return gpuarray.cos(x), gpuarray.cos(-x) end) -- which has no such rule
    assert.equal(2, count(text, "cosf"), text)
  end)

  it("compile without warnings, also if the negative itself is needed or not", function()
    local x = gpuarray.ones(5)
    local text = source(function() return gpuarray.sin(x), gpuarray.sin(-x) end)
    assert.equal(0, count(text, "= %-a1"), text)
    text = source(function()
      local less = -x
      return gpuarray.sin(x), gpuarray.sin(less), less
    end)
    assert.equal(1, count(text, "= %-a1"), text)
  end)

  for _, name in ipairs { "float32", "float64", "float16", "bfloat16" } do
    it("have the bits of each alone in " .. name, function()
      local x = samples(name)
      local y = x:flip():copy()
      local functions = 0
      for _, op in ipairs(ops.list) do
        if op.sign == "odd" then
          functions = functions + 1
          same_as_alone(op.name, function()
            local f = gpuarray[op.name]
            return f(x), f(-x), f(-(-x)), f(x * -1)
          end)
        end
      end
      assert.is_true(functions >= 12)
      same_as_alone("mul", function() return x * y, (-x) * y, x * (-y), (-x) * (-y), (-x) * 3, x * 3 end)
      same_as_alone("div", function() return x / y, (-x) / y, x / (-y), (-x) / (-y), 3 / (-x), 3 / x end)
      same_as_alone("chain", function()
        local f = gpuarray.erf
        return f((-x) / 3) + f(x / 3), gpuarray.where(y:gt(0), f((-x) / 3), -x), -f((-x) * y)
      end)
    end)
  end

  it("have no rule for complex numbers and integers", function()
    local z = gpuarray.to_gpu({ 1, 2, 3 }, "complex64")
    same_as_alone("complex", function() return z:sin(), (-z):sin(), z / (-z), z * (-z), -z end)
    local n = gpuarray.to_gpu({ -2 ^ 31, 5, 0 }, "int32")
    same_as_alone("integers", function() return n * (-n), (-n) * (-n), n / (-n), n / n end)
  end)
end)
