-- Inverse functions, expm1 and log1p of complex numbers: both parts against mpmath's values, in units of the last
-- place, beside branch points and cuts and at both ends of the range; special values; symmetries to the bit.
-- data/golden/complex_functions.py made data/golden/complex_functions.lua; mpmath itself is not needed.
local gpu = require "spec.support.gpu"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"

local golden = dofile "spec/data/golden/complex_functions.lua"
local names = { "asin", "acos", "asinh", "acosh", "atan", "atanh", "expm1", "log1p" }
local abs, frexp, max = math.abs, math.frexp, math.max
local types = {
  complex64 = { part = "float32", c = "float", digits = 24, least = 2 ^ -149, top = 0x1.fffffep127 },
  complex128 = { part = "float64", c = "double", digits = 53, least = 2 ^ -1074, top = 0x1.fffffffffffffp1023 },
}

-- Numbers from the hexadecimal text of their bytes.
local function decode(t, text)
  local bytes = text:gsub("%x%x", function(h) return string.char(tonumber(h, 16)) end)
  local list, p = {}, ffi.cast("const " .. t.c .. " *", bytes)
  for i = 1, #bytes / ffi.sizeof(t.c) do list[i] = p[i - 1] end
  return list
end

-- Complex numbers from a list of their parts.
local function array(t, name, parts)
  return gpuarray.to_gpu(ffi.new(t.c .. "[?]", #parts, parts)):view(name)
end

local function parts_of(t, z) return z:view(t.part):tolist() end

-- How many units in the last place of `want`.
local function distance(t, want, got)
  if want ~= want or got ~= got then return want ~= want and got ~= got and 0 or math.huge end
  if want == got then return want == 0 and 1 / want ~= 1 / got and math.huge or 0 end
  if abs(want) == math.huge then return abs(got) >= t.top and want * got > 0 and 1 or math.huge end
  local _, e = frexp(want)
  return abs(want - got) / max(2 ^ (e - t.digits), t.least)
end

-- Parts that are a difference of numbers of the size of the other part: units in the last place of that one.
local cancel = { expm1 = true }

describe("Complex functions:", function()
  setup(gpu.context)

  for name, t in pairs(types) do
    local data = golden[name]
    local points = decode(t, data.points)

    for _, f in ipairs(names) do
      it(("%s of %s is within 5 units in the last place of each part"):format(f, name), function()
        local want = decode(t, data[f])
        local got = parts_of(t, array(t, name, points)[f](array(t, name, points)))
        assert.equal(#points, #got)
        local wrong = {}
        for i = 1, #points, 2 do
          for k = 0, 1 do
            local d = distance(t, want[i + k], got[i + k])
            if cancel[f] and d > 5 then
              local _, e = frexp(max(abs(want[i]), abs(want[i + 1])))
              d = abs(want[i + k] - got[i + k]) / 2 ^ (e - t.digits)
            end
            if d > 5 then
              wrong[#wrong + 1] = ("%s(%.17g, %.17g): part %d is %.17g, not %.17g"):format(f, points[i], points[i + 1],
                k + 1, got[i + k], want[i + k])
            end
          end
        end
        assert.same({}, wrong)
      end)

      it(("%s of %s has the standard's special values"):format(f, name), function()
        local rows, either = decode(t, data.special[f][1]), data.special[f][2]
        local given = {}
        for i = 1, #rows, 4 do given[#given + 1], given[#given + 2] = rows[i], rows[i + 1] end
        local z = array(t, name, given)
        local got, wrong = parts_of(t, z[f](z)), {}
        for i = 1, #got do
          local at = 4 * math.floor((i - 1) / 2) + 3 + (i - 1) % 2
          local want, x = rows[at], got[i]
          if either[at] then x = abs(x) end
          if distance(t, want, x) > 2 then
            wrong[#wrong + 1] = ("%s(%g, %g): part %d is %.17g, not %.17g"):format(f, rows[at - (at - 1) % 4],
              rows[at - (at - 1) % 4 + 1], (i - 1) % 2 + 1, got[i], want)
          end
        end
        assert.same({}, wrong)
      end)

      it(("%s of %s keeps conj f(z) = f(conj z), and -f(z) = f(-z) where it is odd"):format(f, name), function()
        local z = array(t, name, points)
        local function texts(x)
          local list = parts_of(t, x)
          for i = 1, #list do list[i] = list[i] == 0 and 1 / list[i] < 0 and "-0" or ("%.17g"):format(list[i]) end
          return list
        end
        assert.same(texts(z[f](z):conj()), texts(z:conj()[f](z:conj())))
        if f:find "^as" or f:find "^at" then assert.same(texts(-z[f](z)), texts((-z)[f](-z))) end
      end)
    end
  end

  it("are there for all types, shapes and layouts", function()
    for _, f in ipairs(names) do
      assert.equal("float16", gpuarray[f](gpuarray.zeros(2, "float16")).dtype.name)
      assert.equal("float32", gpuarray[f](gpuarray.zeros(2, "int8")).dtype.name)
      assert.equal("complex64", gpuarray[f](gpuarray.zeros(0, "complex64")).dtype.name)
      assert.same({ 2, 3 }, gpuarray[f](gpuarray.zeros({ 3, 2 }, "complex128").T).shape)
    end
  end)
end)
