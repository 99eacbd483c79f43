-- Kinds of programs that PyCUDA's users have, ported with docs/from-pycuda.md alone (spec/data/ported): each runs as a
-- program of its own, and its numbers are those that are computed here in plain Lua, or in another way.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"

-- A program's output: values by the name before the first tab, separated by tabs.
local function run(name, argument, environment)
  local pipe = assert(io.popen(("%s %s luajit spec/data/ported/%s.lua %s 2>&1; echo status $?"):format(gpu.driver,
    environment or "", name, argument or "")))
  local out = pipe:read "*a"
  pipe:close()
  assert.truthy(out:find "status 0\n$", out)
  local values = {}
  for key, text in out:gmatch "([^\n\t]+)\t([^\n]*)" do
    local list = {}
    for value in text:gmatch "[^\t]+" do list[#list + 1] = tonumber(value) or value end
    values[key] = #list == 1 and list[1] or list
  end
  return values
end

local function near(expected, got, tolerance)
  assert(type(got) == "number" and math.abs(got - expected) <= tolerance, ("%s instead of %s"):format(tostring(got),
    expected))
end

local function single(x) return tonumber(ffi.new("float", x)) end

describe("A PyCUDA program, ported:", function()
  it("hello_gpu multiplies", function()
    local out = run "hello_gpu"
    assert.equal(0, out["largest difference"])
    assert.equal(400, out["elements that are not 0"])
  end)

  it("fill_with_nans takes memory until none is left", function()
    local out = run("fill_with_nans", "16")
    assert.equal(16, out["MiB taken"])
    assert.equal("true", out.NaN)
    if not gpu.soft then return end -- a GPU's memory belongs to other programs, too
    out = run("fill_with_nans", "", "CUDALUA_SOFT_MEMORY=8M")
    assert.is_true(out["MiB taken"] > 7 and out["MiB taken"] <= 8, out["MiB taken"])
    assert.is_true(out.refused > 0)
    assert.equal("true", out.NaN)
  end)

  it("streams has each stream's numbers, and events in order", function()
    local out = run "streams"
    for i = 1, 4 do
      local x = 100 * i
      for _ = 1, 10 do x = single(0.5 * x + 1) end
      near(x, out["last of stream " .. i], 1e-6)
    end
    assert.equal("true", out["each ends after it begins"])
    assert.equal("true", out["all are done"])
  end)

  it("struct follows pointers in structs", function()
    local out = run "struct"
    assert.same({ "[1. 2. 3.]", "[0. 4.]" }, out.before)
    assert.same({ "[2. 4. 6.]", "[0. 8.]" }, out["both doubled"])
    assert.same({ "[2. 4. 6.]", "[ 0. 16.]" }, out["the second again"])
    assert.same({ "[ 4.  8. 12.]", "[ 0. 32.]" }, out["both again"])
  end)

  it("matmul_template computes a product with each tile", function()
    local out, n, corner = run "matmul_template", 32, 0
    for k = 0, n - 1 do corner = corner + ((n - 1) * n + k) / n * ((k * n + n - 1) % 7) end
    for _, size in ipairs { 4, 8, 16 } do near(corner, out["corner of size " .. size], 1e-3) end
    assert.is_true(out["largest difference"] <= 1e-3)
    assert.equal("true", out["a size won"])
  end)

  it("complex squares complex numbers", function()
    local out = run "complex"
    assert.equal("complex64", out.type)
    local sum = 0
    for k = 0, 3 do
      local re, im = (k + 1) ^ 2 - k ^ 2, 2 * (k + 1) * k -- of the square
      sum = sum + re - 2 * im
    end
    assert.equal(sum, out["sum of real parts"])
    near(0, out["largest difference"], 1e-5)
    assert.same({ 5, 5 }, out.modulus)
  end)

  it("transpose makes one kernel for each dtype", function()
    local out = run "transpose"
    assert.equal("true", out["all equal"])
    assert.equal(2, out.kernels)
    assert.equal(5, out.small)
  end)

  it("speed has the same sines in three ways", function()
    local out, x = run "speed", single(0.1)
    for _ = 1, 5 do x = single(math.sin(x)) end
    near(x, out.first, 1e-7)
    for _, difference in ipairs(out.differences) do near(0, difference, 1e-6) end
    for _, name in ipairs { "SourceModule", "ElementwiseKernel", "gpuarray" } do
      assert.equal("true", out["time of " .. name .. " is positive"])
    end
  end)

  it("mandelbrot counts as a loop does", function()
    local out, inside, early = run "mandelbrot", 0, { 0, 0, 0 }
    for row = 0, 39 do
      for column = 0, 47 do
        local cr, ci = -2.13 + column * 2.9 / 47, 1.3 - row * 2.6 / 39
        local re, im, escaped = 0, 0, nil
        for it = 0, 29 do
          re, im = re * re - im * im + cr, 2 * re * im + ci
          if re * re + im * im > 4 then escaped = it; break end
        end
        if not escaped or escaped == 0 then inside = inside + 1 end
        if escaped and escaped >= 1 and escaped <= 3 then early[escaped] = early[escaped] + 1 end
      end
    end
    assert.equal(1920, out.points)
    near(inside, out.inside, 3) -- points at the border depend on rounding
    near(0, out.differ, 3)
    local counts = {}
    for count in out["histogram of early escapes"]:gmatch "%d+" do counts[#counts + 1] = tonumber(count) end
    assert.equal(3, #counts)
    for i = 1, 3 do near(early[i], counts[i], 3) end
  end)

  it("sparse_cg solves the equations", function()
    local out, n = run "sparse_cg", 12
    local x = {} -- Gauss and Seidel's iteration
    for i = 0, n + 1 do
      x[i] = {}
      for j = 0, n + 1 do x[i][j] = 0 end
    end
    for _ = 1, 600 do
      for i = 1, n do
        for j = 1, n do x[i][j] = (1 + x[i - 1][j] + x[i + 1][j] + x[i][j - 1] + x[i][j + 1]) / 4 end
      end
    end
    assert.equal("true", out.converged)
    assert.equal(5 * n * n - 4 * n, out.elements)
    near(x[6][6], out.middle, 1e-3)
    assert.is_true(out.residual < 1e-5)
  end)

  it("rotate turns a picture", function()
    local out = run "rotate"
    assert.equal("true", out["not rotated"])
    near(out["a half turn"][2], out["a half turn"][1], 0.5)
    near(out["a half turn"][2], 100 * 23 + 22, 0)
    near(100 * 3 + (25 - 2), out["a quarter turn"], 0.5) -- row 3, column 23
  end)

  it("minmax_scan finds the extremes and adds up", function()
    local out, lo, hi, sum = run "minmax_scan", math.huge, -math.huge, 0
    for i = 0, 999 do
      local x = (i * 7919) % 1009 - 500
      lo, hi, sum = math.min(lo, x), math.max(hi, x), sum + x
    end
    assert.same({ lo, hi }, out["least and greatest"])
    assert.same({ lo, hi }, out["the same by arrays"])
    assert.same({ 0, 1, "float32" }, out.scaled)
    assert.same({ sum, sum }, out["last sum"])
    assert.equal("[0 3 4 8 9]", out.places)
  end)

  it("monte_carlo estimates pi", function()
    local out = run "monte_carlo"
    near(math.pi, out.pi, 0.04) -- five standard deviations
    near(math.pi, out["even pi"], 0.006)
    near(0, out["mean and deviation"][1], 0.025)
    near(1, out["mean and deviation"][2], 0.02)
    near(4, out["mean of counts"], 0.05)
  end)
end)
