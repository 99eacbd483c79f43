-- Tables of text: against NumPy's savetxt and loadtxt (spec/data/golden/make_files.py), round trips,
-- and files that lie.
local gpu = require "spec.support.gpu"
local ffi = require "ffi"
local cuda = gpu.cuda
local ndarray, gpuarray, files, dtype = cuda.ndarray, cuda.gpuarray, cuda.io, cuda.dtype

local path
before_each(function() path = os.tmpname() end)
after_each(function() os.remove(path) end)

local function text_of(name)
  local file = assert(io.open(name, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local function put(text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  return path
end

-- The tables of make_files.py.
local function number(i) return ((i * 37 + 11) % 101 - 50) / 7 end
local function square(type_of)
  return ndarray.from_function({ 4, 5 }, function(i, j) return number(5 * (i - 1) + j - 1) end, type_of or "float64")
end

describe("cuda.io.loadtxt, if a word is not a number,", function()
  local function message(text, options)
    local _, err = pcall(files.loadtxt, put(text), options)
    return err.message:match "line %d+: .*"
  end

  it("suggests the delimiter, then the rows to skip", function()
    local text = "day,high\n1,20.5\n2,21.0\n"
    assert.equal("line 1: column 1: 'day,high' is not a number; pass delimiter = ',' if that separates the columns",
      message(text))
    assert.equal("line 1: column 1: 'day' is not a number; pass skip_rows = 1 if the line is a header",
      message(text, { delimiter = "," }))
    local a = files.loadtxt(put(text), { delimiter = ",", skip_rows = 1 })
    assert.same({ { 1, 20.5 }, { 2, 21 } }, a:tolist())
    assert.equal("line 3: column 2: 'high' is not a number; pass skip_rows = 3 if the line is a header",
      message("# a\n\n1 high\n"))
  end)

  it("suggests nothing where rows of numbers came before", function()
    assert.equal("line 2: column 2: 'x' is not a number", message("1 2\n3 x\n"))
    assert.equal("line 1: column 1: '1;2' is not a number; pass delimiter = ';' if that separates the columns",
      message "1;2\n")
    assert.equal("line 2: column 1: '-' is not an integer", message("1\n-\n", { dtype = "int32" }))
  end)
end)

describe("cuda.io.savetxt", function()
  local function complexes()
    local s = square()
    return ndarray.from_function({ 2, 2 }, function(i, j)
      return ffi.new("complex", s:get(i, j), s:get(i + 2, j + 2))
    end, "complex128")
  end
  local written = {
    default = function() return square() end,
    float32 = function() return square "float32" end,
    special = function()
      local a = ndarray.array({ 0, 0, 0 / 0, 1 / 0, -1 / 0, 1e-310, 1.7976931348623157e308, 0.1, -1 / 3 }, "float64")
      a[2] = -1 / math.huge -- a constant -0.0 would be 0
      return a
    end,
    integers = function()
      local least = -9223372036854775807LL - 1
      return ndarray.array({ { 9223372036854775807LL, least }, { 9007199254740993LL, 0 } }, "int64"),
        { fmt = "%d", delimiter = "," }
    end,
    bools = function()
      local s = square()
      return ndarray.from_function({ 4, 5 }, function(i, j) return s:get(i, j) > 0 end, "bool"), { fmt = "%d" }
    end,
    columns = function()
      return square(), { fmt = { "%d", "%.3f", "%10.2e", "%-8g|", "%+.1f" }, delimiter = "; " }
    end,
    row = function() return square():slice({}, { 1, 2 }), { fmt = "x=%.2f y=%6.1f|", newline = "\r\n" } end,
    header = function()
      return square(), { fmt = "%.4g", header = "one\ntwo", footer = "end", comments = "% " }
    end,
    complex = function() return complexes() end,
    complex_columns = function() return complexes(), { fmt = { "%.2f %.2f", "%.3f%+.3fj" }, delimiter = "\t" } end,
    strided = function() return square().T:slice { 1, 5, 2 }, { fmt = "%.17g" } end,
  }

  it("io.savetxt writes the bytes that NumPy writes", function()
    local count = 0
    for name, make in pairs(written) do
      local a, options = make()
      files.savetxt(path, a, options)
      assert.equal(text_of("spec/data/golden/tables/" .. name .. ".txt"), text_of(path), name)
      count = count + 1
    end
    assert.equal(11, count)
  end)

  it("io.savetxt by default leads back to the same float64", function()
    local words = ffi.new "union { uint32_t bits[2]; double x; }"
    local state = 99
    local function random()
      state = (state * 16807) % 2147483647
      return state
    end
    local a = ndarray.from_function({ 500, 8 }, function()
      repeat
        words.bits[0], words.bits[1] = random() * 2 + random() % 2, random() * 2 + random() % 2
      until words.x - words.x == 0
      return words.x
    end, "float64")
    files.savetxt(path, a)
    local b = files.loadtxt(path)
    assert.equal(ffi.string(a:buffer()), ffi.string(b:buffer()))
    files.savetxt(path, a, { fmt = "%s" })
    assert.equal(ffi.string(a:buffer()), ffi.string(files.loadtxt(path):buffer()))
  end)

  it("io.savetxt takes arrays of the device, 64-bit integers, and lists", function()
    gpu.context()
    files.savetxt(path, gpuarray.arange(6):reshape { 2, 3 }.T, { fmt = "%g" })
    assert.equal("0 3\n1 4\n2 5\n", text_of(path))
    files.savetxt(path, ndarray.array({ 18446744073709551615ULL }, "uint64"), { fmt = "%s" })
    assert.equal("18446744073709551615\n", text_of(path))
    files.savetxt(path, { { 1, 2 }, { 3, 4.5 } }, { fmt = "%.1f%%" })
    assert.equal("1.0% 2.0%\n3.0% 4.5%\n", text_of(path))
    files.savetxt(path, ndarray.zeros({ 0, 3 }, "float64"), { header = "nothing" })
    assert.equal("# nothing\n", text_of(path))
  end)

  it("io.savetxt says what is wrong", function()
    local a = ndarray.zeros({ 2, 3 }, "float64")
    local function wrong(text, ...) gpu.raises("LogicError", text, files.savetxt, path, ...) end
    wrong("must have one or two axes, its shape is ()", ndarray.zeros({}, "float64"))
    wrong("its shape is (1, 1, 1)", ndarray.zeros({ 1, 1, 1 }, "float64"))
    wrong("expected an array, got 3", 3)
    wrong("fmt has 2 formats, a row has 3 columns", a, { fmt = { "%d", "%d" } })
    wrong("fmt '%d %d' has 2 formats, a row has 3 values", a, { fmt = "%d %d" })
    wrong("fmt 'x' has 0 formats, a row has 3 values", a, { fmt = "x" })
    wrong("fmt[2], 'x', has 0 formats for one value", a, { fmt = { "%d", "x", "%d" } })
    wrong("%q is not a format of numbers", a, { fmt = "%q" })
    wrong("%.123 is not a format of numbers", a, { fmt = "%.123." })
    wrong("ends within a format", a, { fmt = "%d%" })
    wrong("fmt must be a format or a list of formats, got 7", a, { fmt = 7 })
    wrong("delimiter must be a string, got 1", a, { delimiter = 1 })
    wrong("unknown option 'format'", a, { format = "%d" })
    gpu.raises("RuntimeError", "/no/such", files.savetxt, "/no/such/file", a)
    gpu.refuses_nonsense(function(x) files.savetxt(x, a) end, { string = true })
  end)
end)

describe("cuda.io.loadtxt", function()
  it("io.loadtxt reads what NumPy reads", function()
    local count = 0
    for _, case in ipairs(dofile "spec/data/golden/tables.lua") do
      local text, options, type_of, shape, hex = unpack(case)
      options.dtype = options.dtype or type_of
      local a = files.loadtxt(put(text), options)
      assert.equal(type_of, a.dtype.name)
      assert.same(shape, { unpack(a.shape) }, text)
      local bytes = a.size > 0 and ffi.string(a:buffer()) or ""
      local got = bytes:gsub(".", function(c) return ("%02x"):format(c:byte()) end)
      -- The sign of NaN is nobody's.
      assert.equal((hex:gsub("f8ff", "f87f")), (got:gsub("f8ff", "f87f")), text)
      count = count + 1
    end
    assert.equal(30, count)
  end)

  it("io.loadtxt has float64 as default, and takes dtypes by name and value", function()
    assert.equal("float64", files.loadtxt(put "1 2").dtype.name)
    assert.equal(dtype.int16, files.loadtxt(put "1 2", { dtype = dtype.int16 }).dtype)
    assert.same({ true, false }, files.loadtxt(put "True false", { dtype = "bool" }):tolist())
    assert.same({ 1, 2 }, files.loadtxt(put "\239\187\1911,2\n", { delimiter = "," }):tolist())
    assert.same({ 1, 2 }, files.loadtxt(put "1, ,2", { delimiter = ", ," }):tolist())
    local words = {}
    for i = 1, 5000 do words[i] = i end
    assert.same(words, files.loadtxt(put(table.concat(words, "\n"))):tolist())
  end)

  it("io.loadtxt names file, line, column and value", function()
    local function wrong(text, content, options)
      local err = gpu.raises("LogicError", text, files.loadtxt, put(content), options)
      assert.truthy(err.message:find("io.loadtxt: " .. path .. ", line ", 1, true), err.message)
    end
    wrong("line 3: column 2: 'x5' is not a number", "1 2\n# y\n3 x5\n")
    wrong("line 1: column 1: '0x10' is not a number", "0x10")
    wrong("line 1: column 1: '1_000' is not a number", "1_000")
    wrong("line 1: column 1: '1e' is not a number", "1e")
    wrong("line 1: column 2: '' is not a number", "1,,2", { delimiter = "," })
    wrong("line 2: 3 columns, line 1 has 2", "1 2\n3 4 5")
    wrong("line 1: use_cols selects column 3, but the line has 2 columns", "1 2", { use_cols = 3 })
    wrong("line 1: use_cols selects column 0", "1 2", { use_cols = 0 })
    wrong("line 1: column 1: '1.5' is not an integer", "1.5", { dtype = "int32" })
    wrong("line 1: column 1: '300' is not an integer of uint8: 300 is out of the range of uint8", "300",
      { dtype = "uint8" })
    wrong("'9223372036854775808' is not an integer of int64", "9223372036854775808", { dtype = "int64" })
    wrong("'18446744073709551616' is not an integer of uint64", "18446744073709551616", { dtype = "uint64" })
    wrong("'1+j2' is not a complex number", "1+j2", { dtype = "complex64" })
    wrong("'maybe' is not true or false", "maybe", { dtype = "bool" })
  end)

  it("io.loadtxt says what is wrong with its arguments", function()
    gpu.refuses_nonsense(files.loadtxt)
    put "1 2"
    local function wrong(text, options) gpu.raises("LogicError", text, files.loadtxt, path, options) end
    wrong("delimiter must be a string", { delimiter = "" })
    wrong("comments must be a string, a list of strings or false, got 3", { comments = 3 })
    wrong("skip_rows must be a non-negative integer, got -1", { skip_rows = -1 })
    wrong("ndmin must be an integer from 0 to 2, got 3", { ndmin = 3 })
    wrong("use_cols must be an integer or a list of integers", { use_cols = "a" })
    wrong("a dtype of numbers is needed", { dtype = cuda.vec.float4 })
    wrong("unknown option 'skiprows'", { skiprows = 1 })
    gpu.raises("LogicError", "is not a regular file", files.loadtxt, "/dev/zero")
  end)

  it("io.loadtxt takes or refuses any text", function()
    local state = 3
    local function random(n)
      state = (state * 16807) % 2147483647
      return state % n
    end
    local pieces = { "1", "-2.5", "1e5", " ", "\t", "\n", "\n", "#", ",", "nan", "inf", "j", "(", ")", "+", "e", ".",
      "\0", "\255", "9999999999999999999999", "1e999", "\r" }
    local taken, refused = 0, 0
    for _ = 1, 2000 do
      local list = {}
      for i = 1, random(12) do list[i] = pieces[1 + random(#pieces)] end
      local options = { dtype = ({ "float64", "int64", "uint8", "complex128", "bool" })[1 + random(5)],
        delimiter = ({ ",", [3] = "\t" })[1 + random(4)], ndmin = random(3) }
      local ok, result = pcall(files.loadtxt, put(table.concat(list)), options)
      if ok then taken = taken + 1 else refused = refused + 1 end
      assert(ok or cuda.is_error(result, "LogicError"), tostring(result))
    end
    assert.is_true(taken > 200 and refused > 200, taken .. " " .. refused)
  end)
end)
