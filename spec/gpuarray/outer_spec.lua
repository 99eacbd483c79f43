-- Reductions of products go through tiles (reduce/outer.lua). The bits are those of the other kernels.
local gpu = require "spec.support.gpu"
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray
local batch = require "spec.support.batch"
local bits = require "spec.support.bits"
local knob = require "spec.support.knob"
local outer = require "cudalua.gpuarray.reduce.outer"
local plan = require "cudalua.gpuarray.core.plan"
local run = require "cudalua.gpuarray.core.run"
local turn = require "spec.support.turn"
local it = turn.halves(it) -- luacheck: ignore 431

local new = gpuarray.newaxis
local TILES = { { rows = 4, columns = 4 }, { rows = 4, columns = 2 }, { rows = 2, columns = 2 } }

-- Calls f, and says which kernel was planned last.
local function planned(f)
  local name
  local kernel = run.kernel
  local restore = knob(run, "kernel", function(launch)
    name = launch.kernel.name
    return kernel(launch)
  end)
  local ok, result = pcall(f)
  restore()
  if not ok then error(result, 0) end
  return result, name or "known"
end

-- The same with this tile; false: without tiles.
local function with(tile, f)
  local restore, enable = knob(outer, "tile", tile), knob(outer, "enabled", tile ~= false)
  local ok, result, name = pcall(planned, f)
  restore()
  enable()
  if not ok then error(result, 0) end
  return result, name
end

-- Does f have the same bits with these tiles, in one kernel of its own?
local function compare(f, tile)
  local want = with(false, function() return bits.of(f()) end)
  local launches
  local got, name = with(tile, function()
    local x
    launches = gpu.kernels(function() x = f():eval() end)
    return bits.of(x)
  end)
  return got == want, launches == 1 and (name == "known" or name:find "^array_outer_" ~= nil), name
end

-- What is computed of elements x of a row and y of a column, and how it is reduced.
local programs = {
  squares = function(x, y, axis) return ((x - y) ^ 2):sum(axis) end,
  l1 = function(x, y, axis) return gpuarray.abs(x - y):mean(axis) end,
  largest = function(x, y, axis) return (x - y):max(axis) end,
  place = function(x, y, axis) return (x * y):argmin(axis) end,
  least = function(x, y, axis) return (x + y):nanmin(axis) end,
  equal = function(x, y, axis) return x:eq(y):all(axis) end,
  unequal = function(x, y, axis) return x:ne(y):any(axis) end,
  count = function(x, y, axis) return x:gt(y):count_nonzero(axis) end,
  product = function(x, y, axis) return (x + y):prod(axis) end,
  masked = function(x, y, axis) return gpuarray.where(x:gt(y), x, y * 2):sum(axis) end,
}
local names = {}
for name in pairs(programs) do names[#names + 1] = name end
table.sort(names)

describe("Products that are reduced", function()
  local generator
  setup(gpu.context)
  before_each(function()
    gpuarray.eval()
    generator = cuda.random.Generator(11)
  end)

  local function random(shape, dtype)
    local x = generator:normal(shape)
    if dtype and not dtype:find "float" and not dtype:find "complex" then x = (x * 3):abs() end
    return (dtype and x:astype(dtype) or x):eval()
  end

  local lengths = { 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 48, 49, 63, 64, 65, 100, 127, 128, 129, 200, 255, 256 }
  local dtypes = { "float32", "float16", "bfloat16", "float64", "int32", "uint8", "int64", "bool", "complex64",
    "complex128" }

  for number, dtype in ipairs(dtypes) do
    it("have the bits of other kernels: " .. dtype, function()
      local wrong, tried
      batch.run(function()
        wrong, tried = {}, 0
        local some = dtype == "float32" and lengths or { lengths[number], 20 + 7 * number }
        for k, n in ipairs(turn.share(gpu.sanitized and { 5 } or some)) do
          local a, b = random({ 35, n }, dtype), random({ 41, n }, dtype)
          for i = k % 3 + 1, #names, dtype == "float32" and 3 or 2 do
            local name = names[i]
            local function f() return programs[name](a[{ {}, new }], b[{ new }], 3) end
            local ok, failure = pcall(function() f():eval() end)
            if ok then
              local tile = TILES[(k + i) % #TILES + 1]
              local same, taken, kernel = compare(f, tile)
              tried = tried + 1
              if not same or not taken then
                wrong[#wrong + 1] = ("%s of %d, %dx%d, %s: %s"):format(name, n, tile.rows, tile.columns, kernel,
                  same and "not taken" or "other bits")
              end
            else
              gpu.raises("LogicError", "", error, failure, 0)
            end
          end
        end
      end)
      -- Complex numbers have no order, and those of 16 bytes may need too many registers.
      if dtype:find "complex" then
        for i = #wrong, 1, -1 do
          if wrong[i]:find "not taken" then table.remove(wrong, i) end
        end
      end
      assert.same({}, wrong)
      assert.is_true(tried > 0)
    end)
  end

  it("of views, other orders of axes, and several axes", function()
    local a, b, c = random { 40, 24 }, random { 24, 37 }, random { 6, 40, 5, 4 }
    local d, weights, one = random { 6, 33, 5, 4 }, random { 24 }, gpuarray.scalar(2, "float32")
    local wide = random { 50, 64 }
    local cases = {
      { "across", function() return ((a[{ {}, new }] - b.T[{ new }]) ^ 2):sum(3) end },
      { "matrix product", function() return (a[{ {}, {}, new }] * b[{ new }]):sum(2) end },
      { "least sums", function() return (a[{ {}, {}, new }] + b[{ new }]):min(2) end },
      { "transposed twice", function() return ((a.T[{ {}, new }] - b[{ {}, {}, new }]) ^ 2):sum(1) end },
      { "batches, two axes", function() return ((c[{ {}, {}, new }] - d[{ {}, new }]) ^ 2):sum { 4, 5 } end },
      { "batches last", function()
        return (c:transpose(2, 3, 4, 1)[{ {}, new }] * d:transpose(2, 3, 4, 1)[{ new }]):sum { 3, 4 }
      end },
      { "weights", function() return ((a[{ {}, new }] - b.T[{ new }]) ^ 2 * weights):sum(3) end },
      { "a number in memory", function() return (a[{ {}, new }] * one - b.T[{ new }]):max(3) end },
      { "numbers", function() return (a[{ {}, new }] * 2 - b.T[{ new }] * 3):sum(3) end },
      { "views that begin anywhere", function()
        return ((wide[{ { 3, 40 }, new, { 2, 30 } }] - wide[{ new, { 1, 49 }, { 7, 35 } }]) ^ 2):sum(3)
      end },
      { "backwards", function()
        return ((wide[{ { 50, 1, -1 }, new, { 64, 1, -3 } }] - wide[{ new, { 2, 50, 2 }, { 1, 64, 3 } }])):sum(3)
      end },
      { "constant along the sum", function()
        return ((a[{ {}, new, { 1, 1 } }] - b.T[{ new }]) ^ 2):sum(3)
      end },
      { "three operands", function()
        return (a[{ {}, new }] * b.T[{ new }] + a[{ {}, new }]:sin() - wide[{ new, { 1, 37 }, { 1, 24 } }]):sum(3)
      end },
      { "few columns", function() return ((wide[{ {}, new }] - wide[{ new, { 1, 16 } }]) ^ 2):sum(3) end },
      { "few rows", function() return ((wide[{ { 1, 16 }, new }] - wide[{ new }]) ^ 2):sum(3) end },
      { "keepdims", function() return ((wide[{ {}, new }] - wide[{ new }]) ^ 2):sum(3, { keepdims = true }) end },
      { "as float64", function() return (wide[{ {}, new }] - wide[{ new }]):sum(3, { dtype = "float64" }) end },
    }
    local wrong
    batch.run(function()
      wrong = {}
      for k, case in ipairs(gpu.sanitized and { cases[4], cases[5], cases[10] } or cases) do
        local same, taken, name = compare(case[2], TILES[k % #TILES + 1])
        if not same or not taken then wrong[#wrong + 1] = ("%s: %s %s"):format(case[1], tostring(same), name) end
      end
    end)
    assert.same({}, wrong)
  end)

  it("with NaN, infinity and zeros of both signs", function()
    local n = 37
    local values = { 0 / 0, 1 / 0, -1 / 0, 0, -0.0, 1, -1, 3e38, 1e-40 }
    local host = {}
    for i = 1, 33 do
      host[i] = {}
      for k = 1, n do host[i][k] = values[(i * 7 + k * k) % #values + 1] end
    end
    local a = gpuarray.to_gpu(cuda.ndarray.array(host, "float32"))
    for k, name in ipairs(names) do
      local same, taken, kernel = compare(function()
        return programs[name](a[{ {}, new }], a[{ new }], 3)
      end, TILES[k % #TILES + 1])
      assert.is_true(same and taken, name .. ": " .. kernel)
    end
  end)

  it("of arrays whose places need 64 bits", function()
    finally(knob(plan, "always_wide", true))
    local a, b = random { 6, 20, 9 }, random { 6, 33, 9 }
    for k, name in ipairs { "squares", "place", "count" } do
      local same, taken, kernel = compare(function()
        return programs[name](a[{ {}, {}, new }], b[{ {}, new }], 4)
      end, TILES[k])
      assert.is_true(same and taken, name .. ": " .. kernel)
    end
  end)

  it("by chance: expressions, shapes, axes and views", function()
    local state = 5 + turn.number
    local function chance(n)
      state = (state * 1103515245 + 12345) % 2 ^ 31
      return math.floor(state / 2 ^ 16) % n + 1
    end
    local makers = {}
    for _ = 1, gpu.sanitized and 3 or 15 do
      local n, rows, columns, batches = 1 + chance(60), 15 + chance(40), 15 + chance(40), chance(3)
      local name, tile = names[chance(#names)], TILES[chance(#TILES)]
      local dtype = ({ "float32", "float32", "float16", "int32", "float64" })[chance(5)]
      local place, order = chance(3), chance(2) -- of the reduced axis; rows before columns, or behind
      local a, b = random({ batches, rows, n + 3 }, dtype), random({ batches, columns, n + 3 }, dtype)
      local from, turned = chance(3), chance(2) == 1
      makers[#makers + 1] = { tile, function()
        local x, y = a[{ {}, {}, { from, from + n - 1 } }], b[{ {}, {}, { from + n - 1, from, -1 } }]
        if order == 2 then x, y = y, x end
        if turned then x, y = x:transpose(2, 1, 3), y:transpose(2, 1, 3) end
        local at = turned and 1 or 2 -- of the tile's axes, beside the batches
        x, y = x:expand_dims(at + 1), y:expand_dims(at)
        if place == 2 then x, y = x:swapaxes(4, at), y:swapaxes(4, at) end
        return programs[name](x, y, place == 2 and at or 4)
      end, ("%s %s %d %d %d %d %s"):format(name, dtype, batches, rows, columns, n, tostring(turned)) }
    end
    local wrong
    batch.run(function()
      wrong = {}
      for _, maker in ipairs(makers) do
        local same, taken, kernel = compare(maker[2], maker[1])
        if not same or not taken then wrong[#wrong + 1] = maker[3] .. ": " .. tostring(same) .. " " .. kernel end
      end
    end)
    assert.same({}, wrong)
  end)

  -- ---- the choice ---------------------------------------------------------------------------------------------------

  local function kernel_of(f) return (select(2, planned(function() return f():eval() end))) end

  it("are computed so where many outputs share elements", function()
    local a, few = random { 512, 3 }, random { 4, 3 }
    assert.matches("^array_outer_sum", kernel_of(function() return ((a[{ {}, new }] - a[{ new }]) ^ 2):sum(3) end))
    local points = random { 2 ^ 14, 4 }
    local centres = random { 16, 4 }
    assert.matches("^array_outer_sum", kernel_of(function()
      return ((points[{ {}, new }] - centres[{ new }]) ^ 2):sum(3)
    end))
    assert.matches("^array_mean", kernel_of(function() return ((a[{ {}, new }] - few[{ new }]) ^ 2):mean(3) end))
  end)

  it("are computed by other kernels where tiles do not fit", function()
    finally(knob(outer, "tile", TILES[3]))
    local a, b = random { 40, 300 }, random { 33, 300 }
    local full = random { 40, 33, 20 }
    local function part(x, n) return x[{ {}, { 1, n } }] end
    local cases = {
      { "257 elements", function() return (part(a, 257)[{ {}, new }] - part(b, 257)[{ new }]):sum(3) end },
      { "one element", function() return (part(a, 1)[{ {}, new }] - part(b, 1)[{ new }]):sum(3) end },
      { "15 columns", function()
        return (part(a, 9)[{ {}, new }] - part(b, 9)[{ new, { 1, 15 } }]):sum(3)
      end },
      { "an array of all axes", function() return (part(a, 20)[{ {}, new }] - full):sum(3) end },
      { "random numbers", function()
        return (part(a, 20)[{ {}, new }] + part(b, 20)[{ new }] + generator:uniform { 40, 33, 20 }):sum(3)
      end },
      { "a long expression", function()
        local x = part(a, 20)[{ {}, new }] - part(b, 20)[{ new }]
        for _ = 1, 9 do x = (x * 1.5):sin() end
        return x:sum(3)
      end },
    }
    for _, case in ipairs(cases) do
      local name = kernel_of(case[2])
      assert.is_nil(name:find "outer", case[1] .. ": " .. name)
    end
  end)

  it("are chosen anew when the choice changes", function()
    local a = random { 64, 5 }
    local function f() return ((a[{ {}, new }] - a[{ new }]) ^ 2):mean(3) end
    local function name_with(tile)
      return (select(2, with(tile, function() return f():eval() end)))
    end
    assert.matches("^array_mean", name_with(false))
    assert.matches("^array_outer_mean", name_with(TILES[1]))
    assert.is_nil(kernel_of(f):find "outer")
  end)

  it("that are stored, joined or captured have the same bits", function()
    finally(knob(outer, "tile", TILES[1]))
    local a = random { 64, 12 }
    local function both()
      local x = (a[{ {}, new }] - a[{ new }]) ^ 2
      return x:sum(3), x:max(3)
    end
    local restore = knob(outer, "enabled", false)
    local want = { both() }
    gpuarray.eval(unpack(want))
    restore()
    local got = { both() }
    gpuarray.eval(unpack(got))
    for k = 1, 2 do assert.equal(bits.of(want[k]), bits.of(got[k])) end
  end)
end)
