-- Roots of unity, against mpmath's: the nearest double and the nearest float.
local ffi = require "ffi"
local reference = require "spec.support.fft_reference"
local twiddles = require "cudalua.fft.twiddles"

describe("roots of unity", function()
  it("are the nearest doubles, and their low parts lie below half of a last bit", function()
    local rows = reference.golden:get("roots"):tolist()
    assert.is_true(#rows > 100)
    for _, row in ipairs(rows) do
      local n, k, x, y = unpack(row)
      local ch, cl, sh, sl = twiddles.root(k, n)
      assert.equal(x, ch, ("cosine of %.0f / %.0f"):format(k, n))
      assert.equal(y, sh, ("sine of %.0f / %.0f"):format(k, n))
      assert.is_true(math.abs(cl) <= 2 ^ -53 * math.abs(ch) and math.abs(sl) <= 2 ^ -53 * math.abs(sh))
      assert.is_true(1 / ch > 0 or ch < 0) -- no -0
    end
  end)

  it("lie on the circle with more than a hundred bits", function()
    -- x^2 + y^2 - 1 with the low parts: the doubles alone leave 2^-53.
    for k = 0, 96 do
      local ch, cl, sh, sl = twiddles.root(k, 97)
      local function square(h, l) -- exactly but for l^2
        local t = (2 ^ 27 + 1) * h
        local a = t - (t - h)
        local b = h - a
        local p = h * h
        return p, ((a * a - p) + 2 * a * b) + b * b + 2 * h * l
      end
      local p, e = square(ch, cl)
      local q, f = square(sh, sl)
      if p < q then p, q = q, p end
      local r = (p - 1) + q -- exact: both are near or below 1
      assert.is_true(math.abs(r + (e + f)) < 2 ^ -100, "k = " .. k)
    end
  end)

  it("are rounded to floats once", function()
    local list, bytes = twiddles.list(1021, false)
    assert.equal(8 * 1021, bytes)
    local float = ffi.new "float[1]"
    for k = 0, 1020 do
      local ch, _, sh = twiddles.root(k, 1021)
      float[0] = ch
      assert.equal(float[0], list[2 * k])
      float[0] = sh
      assert.equal(float[0], list[2 * k + 1])
    end
    -- Halfway between two floats but for the low part, which decides.
    local half = 1 + 2 ^ -24
    assert.equal(1, twiddles.to_float(half, -2 ^ -80))
    assert.equal(1 + 2 ^ -23, twiddles.to_float(half, 2 ^ -80))
    assert.equal(-1 - 2 ^ -23, twiddles.to_float(-half, -2 ^ -80))
    assert.equal(-1, twiddles.to_float(-half, 2 ^ -80))
    assert.equal(1, twiddles.to_float(half, 0)) -- a tie goes to the even one
  end)

  it("come as two tables whose products are all of them", function()
    for _, n in ipairs { 1, 2, 3, 17, 1000, 4097 } do
      local list, bytes, shift = twiddles.tables(n)
      local step = 2 ^ shift
      assert.equal(bytes, ffi.sizeof(list))
      for k = 0, n - 1, math.max(1, math.floor(n / 50)) do
        local low, high = 4 * (k % step), 4 * (step + math.floor(k / step))
        local ax, ay, bx, by = list[low], list[low + 1], list[high], list[high + 1]
        local x, _, y = twiddles.root(k, n)
        assert.is_true(math.abs(ax * bx - ay * by - x) < 2 ^ -51 and math.abs(ax * by + ay * bx - y) < 2 ^ -51)
      end
    end
  end)
end)
