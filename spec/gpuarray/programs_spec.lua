-- The frozen programs of bench/programs/: their results against loops on the host, and how many kernels they launch.
-- docs/programs.md says what the numbers are to become.
local gpu = require "spec.support.gpu"
local main = dofile "bench/programs/main.lua"

-- Launches with the results in one gpuarray.eval(), and with one result after the other. These numbers may only fall.
local most = {
  softmax = { 1, 1 },
  layer_norm = { 1, 1 },
  rms_norm = { 1, 1 },
  black_scholes = { 1, 1 },
  mandelbrot = { 5, 5 },
  adam = { 1, 1 },
  k_means = { 7, 7 },
  attention = { 2, 2 },
  standardise = { 2, 2 },
  leapfrog = { 3, 3 },
  drawdown = { 3, 3 },
  life = { 1, 1 },
  mean_and_variance = { 1, 1 },
  chain = { 2, 2 },
  wave = { 10, 10 },
}

local names = {}
for _, list in ipairs { main.names, main.pieces } do
  for _, name in ipairs(list) do names[#names + 1] = name end
end

describe("Frozen programs", function()
  setup(gpu.context)

  it("are twelve, and all have a limit of launches", function()
    assert.equal(12, #main.names)
    for _, name in ipairs(names) do assert.is_table(most[name], name) end
  end)

  for _, name in ipairs(names) do
    it(name .. " computes what loops on the host compute", function()
      assert.is_true(main.check(main.load(name)) > 0)
    end)

    it(name .. " launches no more kernels than before", function()
      local p = main.load(name)
      for k, together in ipairs { true, false } do
        local launches = main.launches(p, together)
        assert.is_true(launches <= most[name][k], ("%d launches, not %d"):format(launches, most[name][k]))
      end
    end)
  end
end)
