-- Arrays at shifted places: views of one array, rolls, borders and parts that are written (core/shifted.lua). The
-- results are those of the other kernels.
local gpu = require "spec.support.gpu"
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray
local batch = require "spec.support.batch"
local bits = require "spec.support.bits"
local in_steps = require "spec.support.in_steps"
local knob = require "spec.support.knob"
local plan = require "cudalua.gpuarray.core.plan"
local run = require "cudalua.gpuarray.core.run"
local shifted = require "cudalua.gpuarray.core.shifted"
local turn = require "spec.support.turn"

-- Calls f, evaluates its results together, and returns their bits, and the names of the kernels.
local function evaluated(enabled, f)
  local names, kernel = {}, run.kernel
  local enable, at_once = knob(shifted, "enabled", enabled), in_steps()
  local restore = knob(run, "kernel", function(launch)
    names[#names + 1] = launch.kernel and launch.kernel.name or "?"
    return kernel(launch)
  end)
  local results
  local ok, failure = pcall(function()
    results = { f() }
    gpuarray.eval(unpack(results))
  end)
  restore()
  enable()
  at_once()
  assert(ok, failure)
  return bits.all(results), table.concat(names, " ")
end

-- What is wrong with f; nil: it has the same bits, and a kernel of shifted arrays computes it.
local function problem(f)
  local want = evaluated(false, f)
  local got, names = evaluated(true, f)
  if got ~= want then return "other bits: " .. names end
  if not names:find "array_shifted" then return "not taken: " .. names end
end

-- The sum of views of x, `rows` and `columns` apart.
local function box(x, rows, columns)
  local sum
  for i = 0, rows do
    for j = 0, columns do
      local v = x[{ { 1 + i, i - rows - 1 }, { 1 + j, j - columns - 1 } }]
      sum = sum and sum * 2 + v or v
    end
  end
  return sum
end

local programs = {
  box = function(x) return box(x, 2, 2) end,
  tall = function(x) return box(x[{ {}, { 2, -2 } }], 5, 0) end,
  cross = function(x)
    local all = { 2, -2 }
    return x[{ { 1, -3 }, all }] + x[{ { 3, -1 }, all }] * 2 + x[{ all, { 1, -3 } }] - x[{ all, { 3, -1 } }] +
      x[{ all, all }]
  end,
  rolls = function(x) return x:roll(1, 1) + x:roll(-1, 1) + x:roll(2, 2) - x:roll(-3, 2) + x end,
  corners = function(x) return x:roll({ 1, -1 }, { 1, 2 }) + x:roll({ -2, 3 }, { 1, 2 }) * 2 + x:roll(1, 1) end,
  columns = function(x) return x:roll(-1, 2) * 3 - x end,
  border = function(x)
    local y = x:pad(1, "edge")
    return y[{ { 1, -3 }, { 2, -2 } }] + y[{ { 3, -1 }, { 2, -2 } }] - y[{ { 2, -2 }, { 1, -3 } }] * 2
  end,
  frame = function(x) return x:pad(1, "constant", { constant_values = 3 }) + 1 end,
  results = function(x)
    local up, down = x:roll(1, 1), x:roll(-1, 1)
    return up + down + x, up - down
  end,
  row = function(x) return x:roll(1, 1) + x:roll(-1, 1) + x[{ 1 }] end,
  column = function(x) return x:roll(1, 1) + x:roll(-1, 1) + x[{ {}, { 2, 2 } }] end,
}
local names = {}
for name in pairs(programs) do names[#names + 1] = name end
table.sort(names)

describe("Arrays at shifted places", function()
  local generator, least, inside, waste
  setup(gpu.context)
  before_each(function()
    gpuarray.eval()
    generator = cuda.random.Generator(5)
    least, inside, waste = knob(shifted, "LEAST", 1), knob(shifted, "INSIDE", 0.1), knob(shifted, "WASTE", 100)
  end)
  after_each(function()
    least()
    inside()
    waste()
  end)

  local function random(shape, dtype)
    local x = generator:normal(shape)
    if dtype and not dtype:find "float" and not dtype:find "complex" then x = (x * 20):abs() end
    return (dtype and x:astype(dtype) or x):eval()
  end

  local dtypes = { "float32", "float16", "float64", "int32", "uint8", "int16", "complex64" }
  local shapes = { { 40, 70 }, { 29, 300 }, { 33, 33 }, { 64, 128 } }

  for number, dtype in ipairs(dtypes) do
    it("have the bits of other kernels: " .. dtype, function()
      local wrong
      batch.run(function()
        wrong = {}
        for k, shape in ipairs(turn.share(gpu.sanitized and { shapes[3] } or dtype == "float32" and shapes or
          { shapes[number % #shapes + 1] })) do
          local x = random(shape, dtype)
          for i = k % 2 + 1, #names, dtype == "float32" and 1 or 2 do
            local name = names[i]
            local problem_of = problem(function() return programs[name](x) end)
            -- Short elements are only read so where views share rows.
            if problem_of and not (problem_of:find "not taken" and x.dtype.itemsize < 4) then
              wrong[#wrong + 1] = ("%s of %s: %s"):format(name, table.concat(shape, "x"), problem_of)
            end
          end
        end
      end)
      assert.same({}, wrong)
    end)
  end

  it("of any number of axes, and views that begin anywhere", function()
    local line, three, four = random { 5000 }, random { 5, 24, 50 }, random { 2, 3, 20, 40 }
    local wide, long, tall = random { 60, 90 }, random { 2, 3, 4096 }, random { 4, 5000 }
    local cases = {
      { "a line", function() return line:roll(1) - 2 * line + line:roll(-1) end },
      { "a line and its ends", function() return line:pad(3, "edge") * 2 end },
      { "a line in a frame", function() return line:pad(3, "constant", { constant_values = 7 }) * 2 end },
      { "a number in a part of a line", function()
        local y = line:copy():eval()
        y[{ { 3, -4 } }] = gpuarray.scalar(5, "float32") * 2
        return y:roll(1) + y
      end },
      { "long rows of three axes", function() return long:roll({ 1, 1, 1 }, { 1, 2, 3 }) - long end },
      { "columns in a part", function()
        local y = tall:copy():eval()
        y[{ {}, { 2, -2 } }] = y[{ {}, { 9, 9 } }] * 2
        return y
      end },
      { "parts of a line", function()
        local y = line:copy():eval()
        y[{ { 2, -2 } }] = line[{ { 1, -3 } }] + line[{ { 3, -1 } }] - y[{ { 2, -2 } }]
        return y
      end },
      { "a part of three axes", function()
        local y = three:copy():eval()
        y[{ {}, { 2, -2 }, { 2, -2 } }] = three[{ {}, { 1, -3 }, { 2, -2 } }] + three[{ {}, { 3, -1 }, { 2, -2 } }]
        return y
      end },
      { "three axes, the last two", function() return three:roll(1, 2) + three:roll(-1, 2) + three:roll(1, 3) end },
      { "three axes, all", function()
        return three:roll({ 1, 1, 0 }, { 1, 2, 3 }) + three:roll({ 1, -1, 1 }, { 1, 2, 3 }) + three:roll(1, 3)
      end },
      { "three axes, views", function()
        local part = three[{ { 2, 4 }, {}, { 2, 49 } }]
        return part[{ {}, { 1, -3 } }] + part[{ {}, { 2, -2 } }] + part[{ {}, { 3, -1 } }]
      end },
      { "four axes", function() return four:roll(1, 3) + four:roll(-1, 3) + four end },
      { "every other row", function()
        return wide[{ { 1, 50, 2 } }] + wide[{ { 3, 52, 2 } }] + wide[{ { 5, 54, 2 } }]
      end },
      { "parts of a part", function() return box(wide[{ { 4, 50 }, { 7, 80 } }], 2, 3) end },
      { "two arrays", function() return box(wide, 2, 1) + box(wide * 3 + 1, 2, 1) end },
      { "read as two dtypes", function()
        local part = { { 2, -2 }, { 2, -2 } }
        return wide:view "int32"[part]:astype "float32" * box(wide, 2, 2) + wide:view "int32"[part]
      end },
      { "as another dtype", function() return box(wide, 2, 2):astype "float64" end },
      { "rows beyond the end", function() return box(wide[{ { 1, 20 } }], 3, 1) end },
      { "far shifts", function() return wide:roll(25, 1) + wide:roll(26, 1) + wide:roll(-20, 1) end },
    }
    local wrong
    batch.run(function()
      wrong = {}
      for _, case in ipairs(gpu.sanitized and { cases[1], cases[3], cases[9], cases[12] } or cases) do
        local text = problem(case[2])
        wrong[#wrong + 1] = text and case[1] .. ": " .. text or nil
      end
    end)
    assert.same({}, wrong)
  end)

  it("by chance: views, rolls and shapes", function()
    local state = 3 + (gpu.sanitized and 1 or turn.number) -- few say nothing of how many are taken
    local function chance(n)
      state = (state * 1103515245 + 12345) % 2 ^ 31
      return math.floor(state / 2 ^ 16) % n + 1
    end
    local makers = {}
    for _ = 1, gpu.sanitized and 3 or 30 do
      local rows, columns = 20 + chance(40), 20 + chance(120)
      local x = random({ rows, columns }, ({ "float32", "float32", "uint8", "float64" })[chance(4)])
      local terms, rolled, mixed = {}, chance(2) == 1, chance(3) == 1
      for k = 1, 2 + chance(6) do terms[k] = { chance(7) - 4, chance(7) - 4, chance(3) } end
      makers[#makers + 1] = function()
        local sum
        for _, t in ipairs(terms) do
          local v
          if rolled then
            v = x:roll({ t[1], t[2] }, { 1, 2 })
          else
            v = x[{ { 4 + t[1], t[1] - 4 }, { 4 + t[2], t[2] - 4 } }]
          end
          if mixed then v = v * t[3] end
          sum = sum and sum + v or v
        end
        return sum
      end
    end
    local wrong, taken
    batch.run(function()
      wrong, taken = {}, 0
      for k, f in ipairs(makers) do
        local found = problem(f)
        if not found then
          taken = taken + 1
        elseif found:find "bits" then
          wrong[#wrong + 1] = k .. ": " .. found
        end
      end
    end)
    assert.same({}, wrong)
    assert.is_true(taken > #makers / 5, taken .. " taken")
  end)

  -- ---- the choice ---------------------------------------------------------------------------------------------------

  local function kernel_of(f) return (select(2, evaluated(true, f))) end

  it("are read by other kernels where that is not expected to pay", function()
    local x = random { 40, 70 }
    local function is_other(f)
      local name = kernel_of(f)
      assert.is_nil(name:find "shifted", name)
    end
    is_other(function() return x[{ {}, { 1, -2 } }] + x[{ {}, { 2, -1 } }] end) -- they share no rows
    is_other(function() return x[{ { 1, -2 } }] * x[{ { 2, -1 } }] * x.T[{ { 1, 39 } }]:sum() end)
    is_other(function() return box(x.T:copy().T, 2, 0) end) -- columns lie in memory as rows do
    is_other(function() return x:pad(3, "reflect") + 1 end)
    is_other(function() return x:tile(2, 2) + 1 end)
    local line, bytes = random { 5000 }, random({ 40, 70 }, "uint8")
    is_other(function() return line:roll(1):pad(3, "edge") + 1 end)
    is_other(function() return bytes:roll(-1, 2) - bytes end)
    is_other(function() return box(x[{ {}, { 1, 70, 2 } }], 2, 2) end)
    finally(knob(plan, "always_wide", true))
    is_other(function() return box(x, 2, 2) end)
  end)

  it("need rows that blocks of threads fit into", function()
    local x, long = random { 64, 70 }, random { 64, 128 }
    knob(shifted, "WASTE", 1.2)
    assert.is_nil(kernel_of(function() return x:roll(1, 1) + x:roll(-1, 1) + x * 5 end):find "shifted")
    assert.is_truthy(kernel_of(function() return long:roll(1, 1) + long:roll(-1, 1) + long * 6 end):find "shifted")
    assert.is_nil(kernel_of(function() return long:roll(1, 2) + long * 7 end):find "shifted")
  end)

  it("need enough elements, most of which are inside", function()
    local x = random { 40, 70 }
    knob(shifted, "INSIDE", 0.9)
    assert.is_truthy(kernel_of(function() return x:roll(1, 1) + x:roll(-1, 1) + x * 2 end):find "shifted")
    assert.is_nil(kernel_of(function() return x:roll(9, 2) + x:roll(-9, 2) + x * 3 end):find "shifted")
    knob(shifted, "LEAST", 2801)
    assert.is_nil(kernel_of(function() return x:roll(1, 1) + x:roll(-1, 1) + x * 4 end):find "shifted")
  end)

  it("are one kernel for all far shifts, extents and offsets", function()
    local launched = {}
    local load = run.load
    finally(knob(run, "load", function(k, ...)
      launched[#launched + 1] = k.name
      return load(k, ...)
    end))
    for k = 1, 4 do
      local x = random { 60 + k, 90 + k }
      local part = x[{ { k, -1 }, { k, -1 } }]
      local all = { 2, -2 }
      assert.is_nil(problem(function() return part:roll(8 + k, 2) + part:roll(1, 1) + part:roll(-1, 1) * 11 end))
      assert.is_nil(problem(function() return part[{ { 1, -3 }, all }] + part[{ { 3, -1 }, all }] * 12 end))
    end
    local count = {}
    for _, name in ipairs(launched) do
      if name:find "shifted" then count[name] = (count[name] or 0) + 1 end
    end
    for name, n in pairs(count) do assert.equal(1, n, name) end
  end)

  it("are read so without being asked", function()
    knob(shifted, "LEAST", 2 ^ 18)
    knob(shifted, "INSIDE", 0.9)
    knob(shifted, "WASTE", 1.2)
    local x = random { 514, 514 }
    local name
    local restore = knob(run, "kernel", (function(kernel)
      return function(launch)
        name = launch.kernel.name
        return kernel(launch)
      end
    end)(run.kernel))
    box(x, 2, 2):eval()
    restore()
    assert.matches("^array_shifted", name)
  end)

  it("keep what is written while it is read", function()
    local x = random { 64, 64 }
    local function f()
      local y = x:copy():eval()
      y:set(y:roll(1, 1) + y:roll(-1, 1) + y:roll(1, 2))
      y[{ { 2, -2 }, { 2, -2 } }] = box(y, 2, 2)
      return y
    end
    assert.is_nil(problem(f))
  end)
end)
