local ffi = require "ffi"
local functions = require "cudalua.text.function"
local value = require "cudalua.text.value"

local text = value.text

describe("values as text:", function()
  it("numbers, booleans, nil", function()
    for expected, x in pairs { ["1"] = 1, ["0.1"] = 0.1, ["-0"] = -0.0, inf = 1 / 0, ["-inf"] = -1 / 0,
      ["3.1415926535898"] = math.pi, ["9.007199254741e+15"] = 2 ^ 53, ["true"] = true, ["false"] = false } do
      assert.equal(expected, text(x))
    end
    assert.equal("nil", text(nil))
    assert.equal("nan", (text(0 / 0):gsub("^%-", "")))
  end)

  it("strings are quoted as Lua reads them, and UTF-8 stays", function()
    assert.equal([["a\n\t\"\\\0001\1x\127é€😀"]], text 'a\n\t"\\\0001\1x\127é€😀')
    local bad = "\255\192\175\237\160\128\244\144\128\128\195"
    assert.equal([["\255\192\175\237\160\128\244\144\128\128\195"]], text(bad))
    for _, s in ipairs { "\0\0019\r\n\200", "plain", "", "\\n", ("\1271"):rep(9) } do
      assert.equal(s, loadstring("return " .. text(s))())
    end
  end)

  it("a long string is cut between characters, and says how long it is", function()
    local long = text(("é"):rep(10000))
    assert.truthy(long:find '^"[^"]*"%.%.%. %(20000 bytes%)$')
    assert.equal(2 + 8192 + #"... (20000 bytes)", #long)
    assert.equal('{\n  "' .. ("x"):rep(200) .. '"... (300 bytes)\n}', text { ("x"):rep(300) })
  end)

  it("a table: its list, then its fields in order", function()
    assert.equal("{}", text {})
    assert.equal('{ 1, "two", false, a = 1, b = 2 }', text { 1, "two", false, b = 2, a = 1 })
    assert.equal('{ [-1] = "m", [1.5] = 1, ["a b"] = 2, ["end"] = 3, [true] = 4 }',
      text { [1.5] = 1, ["a b"] = 2, ["end"] = 3, [true] = 4, [-1] = "m" })
    assert.equal('{ 1, [3] = 3 }', text { 1, nil, 3 })
    assert.equal("{ { 1, 2 }, { 3, 4 }, n = { x = {} } }", text { { 1, 2 }, { 3, 4 }, n = { x = {} } })
  end)

  it("what does not fit on a line is laid out: lists side by side, fields one by one", function()
    local list = {}
    for i = 1, 30 do list[i] = i end
    list.name = "thirty"
    assert.equal([[
{
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
  22, 23, 24, 25, 26, 27, 28, 29, 30,
  name = "thirty"
}]], text(list))
    assert.equal([[
{
  inner = {
    first = "]] .. ("x"):rep(40) .. [[",
    second = "]] .. ("y"):rep(40) .. [["
  },
  z = 1
}]], text { inner = { first = ("x"):rep(40), second = ("y"):rep(40) }, z = 1 })
  end)

  it("three levels, 100 items, 8 KiB; the last line says what is left out", function()
    assert.equal("{ { { {...} } }, {}, a = { b = { c = {} } } }\n-- left out: the contents of 1 table",
      text { { { { 1 } } }, {}, a = { b = { c = {} } } })
    local list = {}
    for i = 1, 1000 do list[i] = 0 end
    assert.truthy(text(list):find "0,%s+%.%.%.\n}\n%-%- left out: 900 items$")
    assert.equal(100, select(2, text(list):gsub("%f[%d]0,", "")))
    list[101] = nil -- 100 in the list, and the rest are fields
    assert.truthy(text(list):find("-- left out: 899 items", 1, true))
    local wide = {}
    for i = 1, 100 do wide[i] = ("x"):rep(190) end
    assert.is_true(#text(wide) < 8192 + 400)
    assert.truthy(text(wide):find "%-%- left out: %d+ items$")
    local nested = { wide, wide }
    assert.is_true(#text(nested) < 8192 + 600)
  end)

  it("cycles are marked, and a table that occurs twice is shown twice", function()
    local t = { name = "t" }
    t.self, t.inner = t, { up = t }
    t.inner.own = t.inner
    assert.equal("{ inner = { own = <cycle: the table of level 2>, up = <cycle: the table of level 1> }, " ..
      "name = \"t\", self = <cycle: the table of level 1> }", (text(t):gsub("\n *", " ")))
    local twice = { 1 }
    assert.equal("{ { 1 }, { 1 } }", text { twice, twice })
  end)

  it("__tostring is honoured and guarded, and no other metamethod is called", function()
    assert.equal("mine", text(setmetatable({}, { __tostring = function() return "mine" end })))
    assert.equal("{ mine }", text { setmetatable({}, { __tostring = function() return "mine" end }) })
    assert.truthy(text(setmetatable({}, { __tostring = function() error "no" end })):find "^<table whose __tostring " ..
      "fails: .*no>$")
    assert.equal("<table whose __tostring fails>", text(setmetatable({}, { __tostring = function() return {} end })))
    local function refuse() error "a metamethod was called" end
    local hostile = setmetatable({ 1, a = 2 }, { __index = refuse, __newindex = refuse, __len = refuse,
      __pairs = refuse, __ipairs = refuse, __eq = refuse, __lt = refuse, __concat = refuse, __metatable = "hidden",
      __name = "Point" })
    assert.equal("Point { 1, a = 2 }", text(hostile))
  end)

  it("functions with their parameters and place", function()
    local here = debug.getinfo(1, "S").short_src
    local line = debug.getinfo(1, "l").currentline + 1
    local function f(a, b, ...) return a, b, ... end
    assert.equal(("function(a, b, ...) %s:%d"):format(here, line), text(f))
    assert.equal("function()", functions.text(function() end):match "^[^ ]+")
    assert.equal("function print", text(print))
    assert.equal("function string.rep", text(string.rep))
    assert.equal("function string.len", text(string.len))
    assert.truthy(text(require("cudalua.core").near):find "^function: ")
  end)

  it("cdata: numbers and arrays of numbers by value, others as tostring() has them", function()
    for expected, x in pairs {
      ["5LL"] = 5LL, ["5ULL"] = 5ULL, ["1+2i"] = ffi.new("complex", 1, 2), ["int(5)"] = ffi.new("int", 5),
      ["unsigned char(200)"] = ffi.new("uint8_t", 200), ["bool(true)"] = ffi.new("bool", true),
      ["int[3] { 1, 2, 3 }"] = ffi.new("int[3]", { 1, 2, 3 }),
      ["double[2] { 0.5, 0 }"] = ffi.new("double[?]", 2, { 0.5, 0 }),
      ["ctype<int>"] = ffi.typeof "int", ["ctype<int [3]>"] = ffi.typeof "int[3]",
    } do
      assert.equal(expected, text(x))
    end
    assert.equal("int64_t[2] { -1LL, 7LL }", text(ffi.new("int64_t[2]", { -1, 7 })):gsub("^long", "int64_t"))
    assert.truthy(text(ffi.cast("int *", 0)):find "NULL")
  end)

  it("cdata: structs and unions by their fields", function()
    ffi.cdef [[
      struct cudalua_value_spec {
        int bits: 3, n;
        struct { float x, y; };
        union { int32_t word; float real; };
        const char *s; int list[3]; bool ok; int64_t wide;
        struct cudalua_value_spec_inner { double d; } inner;
      };
    ]]
    local ctype = ffi.typeof "struct cudalua_value_spec"
    local x = ctype { bits = 2, n = 70000, x = 0.5, list = { 1, 2, 3 }, ok = true, wide = -1, inner = { 4 } }
    x.real = 1
    assert.equal("struct cudalua_value_spec { bits = 2, n = 70000, x = 0.5, y = 0, word = 1065353216, real = 1, " ..
      "s = cdata<const char *>: NULL, list = int[3] { 1, 2, 3 }, ok = true, wide = -1LL, " ..
      "inner = struct cudalua_value_spec_inner { d = 4 } }", text(x))
    assert.equal("struct cudalua_value_spec_inner { d = 4 }", text(x.inner))
    assert.equal("ctype<struct cudalua_value_spec>", text(ctype))
    assert.equal("{ struct { a = 7 } }", text { ffi.new("struct { int a; }", 7) })
    assert.equal("union { a = 7 }", text(ffi.new("union { int a; }", 7)))
    assert.matches("^cdata<struct cudalua_value_spec %*>: 0x", text(ffi.cast("struct cudalua_value_spec *", x)))
    local strange = ffi.metatype("struct { int c; }", { __index = function() error "called" end })
    assert.equal("struct { c = 1 }", text(strange(1)))
    local own = ffi.metatype("struct { int b; }", { __tostring = function(v) return "own " .. v.b end })
    assert.equal("own 1", text(own(1)))
    local many = {}
    for i = 1, 150 do many[i] = "int f" .. i .. ";" end
    assert.matches("f100 = 0, %.%.%. }$", text(ffi.new("struct {" .. table.concat(many) .. "}")))
    local vec = require "cudalua.vec"
    assert.equal("{x = 1.0, y = 2.0}", text(vec.make_float2(1, 2)))
  end)

  it("arrays and errors as the library prints them", function()
    local gpu = require "spec.support.gpu"
    gpu.context()
    assert.equal("[0 1 2]", text(gpu.cuda.gpuarray.arange(3)))
    assert.equal("{\n  [[0. 0.]\n   [0. 0.]]\n}", text { gpu.cuda.gpuarray.zeros { 2, 2 } })
    local _, err = pcall(gpu.cuda.mem_alloc, -1)
    assert.equal(tostring(err), text(err))
  end)
end)
