-- Plans of transforms: how many are kept, graphs, contexts, gpuarray.fast_math.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local fft = require "cudalua.fft"
local gpuarray = require "cudalua.gpuarray"
local own_kernels = require "spec.support.own_kernels"
local plan = require "cudalua.fft.plan"
local reference = require "spec.support.fft_reference"

setup(own_kernels.choose) -- whose plans these are
teardown(own_kernels.restore)

local input, check = reference.input, reference.check

describe("plans of transforms", function()
  setup(function() gpu.context() end)
  before_each(function() fft.clear_plans() end)
  after_each(function() fft.plan_limit(16) end)

  it("are as many as fft.plan_limit allows, without the one that was not used for longest", function()
    assert.equal(16, fft.plan_limit())
    assert.equal(3, fft.plan_limit(3))
    for _, n in ipairs { 2, 3, 4, 5 } do fft.fft(input(n, n)) end
    assert.equal(3, plan.count())
    local made = plan.complex("fft.fft", 3, true, true)
    fft.fft(input(6, 6)) -- 4 goes
    assert.equal(made, plan.complex("fft.fft", 3, true, true))
    fft.plan_limit(1)
    assert.equal(1, plan.count())
    assert.equal(made, plan.complex("fft.fft", 3, true, true))
    fft.plan_limit(0)
    check("fft_12", fft.fft(input(12, 12)), 12)
    assert.equal(0, plan.count())
    for _, x in ipairs { -1, 1.5, "4", {} } do
      gpu.raises("LogicError", "fft.plan_limit: n must be a non-negative integer, got", fft.plan_limit, x)
    end
  end)

  it("go with fft.clear_plans, and their memory with them", function()
    fft.fft(input(1021, 1021))
    assert.equal(1, plan.count())
    fft.clear_plans()
    assert.equal(0, plan.count())
    check("fft_13", fft.fft(input(13, 13)), 13)
  end)

  it("exist before a graph is captured", function()
    local a, out = input(13, 13), gpuarray.zeros(13, "complex128")
    a:eval()
    out:eval()
    local stream = cuda.Stream()
    local err = gpu.error_of("LogicError", function()
      stream:capture(function() fft.fft(a, { out = out }) end)
    end)
    assert.truthy(err.message:find("inside a capture, the tables of a transform must exist", 1, true), err.message)
    fft.fft(a)
    local graph = stream:capture(function() fft.fft(a, { out = out }) end):instantiate()
    a[{}] = input(13, 13) * 2
    cuda.Context.synchronize()
    graph:launch(stream)
    stream:synchronize()
    check("fft_13", out / 2, 13)
  end)

  it("serve arrays of other contexts", function()
    local context = cuda.Device(0):make_context()
    local a = input(12, 12)
    cuda.Context.pop()
    check("fft_12", fft.fft(input(12, 12)), 12)
    local b = fft.fft(a)
    context:with(function() check("fft_12", b, 12) end)
    context:detach()
  end)

  it("give the same bits with gpuarray.fast_math", function()
    local x = input(1021, 3, "complex64")
    x[{ { 500, 1021 } }] = 2e-42 -- subnormal: fast_math would make 0 of it
    local y = gpuarray.full(4, 2e-42, "float32"):astype "complex64"
    local before = { fft.fft(x):get { array = true }, fft.fft(y):get { array = true } }
    assert.is_true(before[2][1].re > 7e-42)
    finally(function() gpuarray.fast_math(false) end)
    gpuarray.fast_math(true)
    local after = { fft.fft(x):get { array = true }, fft.fft(y):get { array = true } }
    for i = 1, 2 do assert.is_true(cuda.ndarray.equal(before[i], after[i])) end
  end)
end)
