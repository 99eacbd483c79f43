-- Against files that NumPy wrote (spec/data/golden, by make_numpy.py in there): the text of arrays, promotion,
-- conversions.
local ndarray = require "cudalua.ndarray"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"

local function bytes_of(hex)
  return (hex:gsub("%x%x", function(digits) return string.char(tonumber(digits, 16)) end))
end

-- The elements in hex, or the numbers from 0 on, again and again up to the period.
local function array_of(name, shape, data)
  if type(data) == "string" then return ndarray.from_buffer(bytes_of(data), shape, name) end
  local n = -1
  return ndarray.from_function(shape, function()
    n = n + 1
    if name == "bool" then return n % data ~= 0 end
    return n % data
  end, name)
end

describe("text of arrays", function()
  it("is NumPy's, for every kind of element, shape and size", function()
    local seen, long = {}, 0
    for _, case in ipairs(dofile "spec/data/golden/text.lua") do
      local name, shape, data, text = unpack(case)
      local a = array_of(name, shape, data)
      assert.equal(text, tostring(a))
      local label = ("%s of %d axes"):format(name, #shape)
      seen[name], seen[label] = (seen[name] or 0) + 1, true
      if text:find("...", 1, true) then long = long + 1 end
      if #shape > 1 and a.size > 0 then -- the same elements, lying otherwise
        assert.equal(text, tostring(a:copy "F"))
        local holed = ndarray.zeros({ 2, unpack(shape) }, name):copy "F"[2]
        assert.equal(text, tostring(holed:assign(a)))
      end
    end
    for _, t in ipairs(dtype.list) do
      if t.name ~= "bfloat16" then assert.is_true(seen[t.name] > 12, t.name) end
    end
    assert.is_true(seen["float32 of 5 axes"] and seen["int32 of 4 axes"] and seen["bool of 0 axes"] and long > 30)
  end)

  it("of bfloat16 has the fewest digits that tell it from its neighbours", function()
    assert.equal("[1.    0.334 3.14 ]", tostring(ndarray.array({ 1, 1 / 3, 3.14159 }, "bfloat16")))
    assert.equal("[ 0.1 -2. ]", tostring(ndarray.array({ 0.1, -2 }, "bfloat16")))
    assert.equal("[1.28e+02 1.00e+00]", tostring(ndarray.array({ 128, 1 }, "bfloat16")))
    for bits = 0, 0x7f7f, 97 do
      local x = dtype.unpack_bfloat16(bits)
      local text = tostring(ndarray.array(x, "bfloat16"))
      assert.equal(bits, dtype.pack_bfloat16(tonumber(text)), text)
    end
  end)
end)

describe("dtype.promote", function()
  local rank = { bool = 0, int = 1, uint = 1, float = 2, complex = 3 }

  it("is NumPy's within a kind; across kinds the higher kind's type decides", function()
    local same, other = 0, 0
    for _, case in ipairs(dofile "spec/data/golden/promotion.lua") do
      local a, b, numpy = dtype(case[1]), dtype(case[2]), dtype(case[3])
      local result = dtype.promote(a, b)
      local label = a.name .. " and " .. b.name
      if rank[a.kind] == rank[b.kind] and numpy.kind ~= "float" or a.kind == b.kind then
        assert.equal(numpy, result, label)
        same = same + 1
      elseif rank[a.kind] == rank[b.kind] then
        assert.equal(dtype.float32, result, label) -- a signed type with uint64; float64 in NumPy
      elseif rank[a.kind] + rank[b.kind] == 5 then
        assert.equal(numpy, result, label) -- a float with a complex type: no precision is lost
      else
        assert.equal(rank[a.kind] > rank[b.kind] and a or b, result, label)
        if result ~= numpy then other = other + 1 end
      end
    end
    assert.equal(1 + 64 - 8 + 9 + 4, same)
    assert.is_true(other > 0) -- such as int32 and float32: float64 in NumPy
  end)
end)

describe("conversion of float64", function()
  it("to float16, bfloat16, float32 and complex64 rounds as NumPy", function()
    local cases = dofile "spec/data/golden/conversion.lua"
    local doubles, bits = {}, {}
    for i, case in ipairs(cases) do
      doubles[i] = bytes_of(case[1])
      bits[i] = { case[2], case[3], case[4] }
    end
    local a = ndarray.from_buffer(table.concat(doubles), #cases, "float64")
    local half, brain = a:astype "float16", a:astype "bfloat16"
    local single, complex = a:astype "float32", a:astype "complex64"
    local half_bits, brain_bits, single_bits, complex_bits = half:data(), brain:data(),
      ffi.cast("uint32_t *", single:data()), ffi.cast("uint32_t *", complex:data())
    for i = 1, #cases do
      local label = ("%.17g"):format(a[i])
      if a[i] ~= a[i] then
        for _, x in ipairs { half[i], brain[i], single[i], tonumber(complex[i].re) } do assert.is_true(x ~= x) end
      else
        assert.equal(bits[i][1], half_bits[i - 1], label)
        assert.equal(bits[i][2], brain_bits[i - 1], label)
        assert.equal(bits[i][3], single_bits[i - 1], label)
        assert.equal(bits[i][3], complex_bits[2 * i - 2], label)
      end
    end
    -- and back, exactly
    for _, b in ipairs { half, brain, single, complex } do
      local again = b:astype "float64":astype(b.dtype)
      assert.is_true(again:allclose(b, { rtol = 0, atol = 0, equal_nan = true }))
    end
    assert.is_true(#cases > 400)
  end)
end)
