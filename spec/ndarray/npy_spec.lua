-- .npy and .npz files: against those that NumPy wrote (spec/data/golden), and against files that lie.
local gpu = require "spec.support.gpu"
local ndarray = require "cudalua.ndarray"
local dtype = require "cudalua.dtype"
local ffi = require "ffi"
local cuda = gpu.cuda

local function bytes_of(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read "*a"
  file:close()
  return bytes
end

local function golden(name) return "spec/data/golden/" .. name end

-- What make_numpy.py put into the files.
local function sample(t, shape)
  local n = -1
  t = dtype(t)
  return ndarray.from_function(shape, function()
    n = n + 1
    local x = (n * 37 + 11) % 101
    if t.kind == "bool" then return x % 2 == 0 end
    if t.kind ~= "uint" then x = x - 50 end
    if t.kind == "complex" then return t.ctype(x, 0.5 * x) end
    return x
  end, t)
end

local function assert_array(want, a)
  assert.equal(want.dtype, a.dtype)
  assert.same(want.shape, a.shape)
  assert.equal(ffi.string(want:copy():buffer()), ffi.string(a:copy():buffer()))
end

local path
before_each(function() path = os.tmpname() end)
after_each(function() os.remove(path) end)

local function put(bytes)
  local file = assert(io.open(path, "wb"))
  file:write(bytes)
  file:close()
  return path
end

-- An .npy file with that text as its header.
local function npy(header, data, version)
  local n = #header
  local length = string.char(n % 256, math.floor(n / 256) % 256)
  if version and version > 1 then
    length = length .. string.char(math.floor(n / 2 ^ 16) % 256, math.floor(n / 2 ^ 24))
  end
  return "\147NUMPY" .. string.char(version or 1, 0) .. length .. header .. (data or "")
end

local function dict(descr, order, shape)
  return ("{'descr': %s, 'fortran_order': %s, 'shape': %s, }"):format(descr, order, shape)
end

-- ---- .npy --------------------------------------------------------------------------------------------------------

describe("ndarray.load", function()
  it("reads what NumPy wrote: every dtype, both orders, both byte orders, every version", function()
    local swapped = 0
    for _, t in ipairs(dtype.list) do
      local want = sample(t, { 3, 5 })
      local a, f = ndarray.load(golden("npy/" .. t.name .. ".npy")), ndarray.load(golden("npy/" .. t.name .. "_f.npy"))
      assert_array(want, a)
      assert_array(want, f)
      assert.equal("C", a.order)
      assert.equal("F", f.order)
      local big = io.open(golden("npy/" .. t.name .. "_big.npy"), "rb")
      if big then
        big:close()
        swapped = swapped + 1
        assert_array(want, ndarray.load(golden("npy/" .. t.name .. "_big.npy")))
      end
    end
    assert.equal(11, swapped)
    for i, shape in ipairs { {}, { 0 }, { 7 }, { 2, 0, 3 }, { 2, 3, 4 }, { 1, 1, 1, 1, 2 } } do
      assert_array(sample("int16", shape), ndarray.load(golden("npy/shape" .. i - 1 .. ".npy")))
    end
    for version = 1, 3 do
      assert_array(sample("float32", { 4, 2 }), ndarray.load(golden("npy/version" .. version .. ".npy")))
    end
  end)

  it("refuses elements of which there is no dtype, and says what they are", function()
    for name, text in pairs { struct = "structured type", unicode = "'<U3': text", bytes = "'|S4': bytes",
      date = "'<M8[ns]': dates", long = "'<f16'; no dtype corresponds to it", void3 = "'|V3': raw bytes",
      object = "pickled Python objects" } do
      local err = gpu.raises("LogicError", text, ndarray.load, golden("npy/other_" .. name .. ".npy"))
      assert.truthy(err.message:find("ndarray.load: ", 1, true))
    end
  end)

  it("raises a RuntimeError where there is no file, a LogicError for what is none", function()
    gpu.raises("RuntimeError", "No such file", ndarray.load, "/there/is/none.npy")
    gpu.raises("LogicError", "is not a regular file", ndarray.load, "/tmp")
    gpu.raises("LogicError", "is not a regular file", ndarray.load, "/dev/null")
    gpu.raises("LogicError", "is neither a .npy nor a .npz file", ndarray.load, put "")
    gpu.raises("LogicError", "is neither a .npy nor a .npz file", ndarray.load, put "hello, world")
    gpu.raises("LogicError", "expected a path", ndarray.load, 5)
    gpu.raises("LogicError", "expected a path", ndarray.load, nil)
    gpu.raises("LogicError", "zero byte", ndarray.load, "a\0b")
    gpu.raises("LogicError", "unknown option", ndarray.load, golden "npy/int8.npy", { order = "C" })
  end)

  it("reads into page-locked and managed memory", function()
    gpu.context()
    for _, name in ipairs { "npy/complex64_f.npy", "npy/float64_big.npy" } do
      for _, kind in ipairs { "pinned", "managed" } do
        local a = ndarray.load(golden(name), { [kind] = true })
        assert_array(ndarray.load(golden(name)), a)
        assert.truthy(tostring(a.base):find(kind == "pinned" and "HostAllocation" or "ManagedAllocation"))
      end
    end
    local z = ndarray.load(golden "npz/deflated.npz")
    assert.truthy(tostring(z:get("f", { pinned = true }).base):find "HostAllocation")
    assert_array(z.f, z:get("f", { pinned = true }))
  end)

  it("reads straight into the array's memory, and leaves no file open", function()
    local a = ndarray.from_function(2 ^ 21, function(i) return i end, "int32") -- 8 MiB
    ndarray.save(path, a)
    ndarray.load(path)
    collectgarbage()
    collectgarbage "stop"
    local before = collectgarbage "count"
    local b = ndarray.load(path)
    local used = collectgarbage "count" - before
    collectgarbage "restart"
    assert_array(a, b)
    assert.is_true(used < 1.1 * 2 ^ 13, used .. " KiB")
    local text, ok = gpu.child(([[
      local ndarray = require "cudalua.ndarray"
      collectgarbage "stop"
      for _ = 1, 300 do
        ndarray.load "%s"
        ndarray.save("%s", ndarray.zeros(3))
        pcall(ndarray.load, "spec/data/golden/npy/other_object.npy")
      end
    ]]):format(golden "npy/int8.npy", path), "ulimit -n 64;")
    assert.is_true(ok, text)
  end)

  it("makes other true bytes 1", function()
    local a = ndarray.loads(npy(dict("'|b1'", "False", "(4,)"), "\0\1\2\255"))
    assert.same({ false, true, true, true }, a:tolist())
    assert.equal("\0\1\1\1", ffi.string(a:buffer()))
  end)
end)

describe("ndarray.loads", function()
  it("reads the same from a string", function()
    for _, t in ipairs(dtype.list) do
      assert_array(sample(t, { 3, 5 }), ndarray.loads(bytes_of(golden("npy/" .. t.name .. "_f.npy"))))
    end
    assert_array(sample("float32", { 50, 40 }), ndarray.loads(bytes_of(golden "npz/deflated.npz")).big)
    gpu.raises("LogicError", "expected a string", ndarray.loads, {})
    gpu.raises("LogicError", "is neither", ndarray.loads, "")
    gpu.raises("LogicError", "is neither", ndarray.loads, "\147NU")
  end)

  it("takes headers as others write them", function()
    local data = "\1\0\2\0"
    for _, header in ipairs {
      "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n",
      "{'shape': (2,), 'descr': '<i2', 'fortran_order': False}",
      '{"descr":"<i2","fortran_order":True,"shape":(2,)}',
      "  {\n'descr' :'i2' , 'fortran_order':False,'shape' : ( 2 , ) } \n",
      "{'descr': '=i2', 'fortran_order': False, 'shape': (2L,)}",
      "{'descr': '<i2', 'fortran_order': False, 'shape': (1, 2)}",
      "{'descr': '|V2', 'fortran_order': False, 'shape': (2,)}",
      "{'descr': '<i2', 'fortran_order': False, 'shape': (2,)}\0\0",
    } do
      for version = 1, 3 do
        local a = ndarray.loads(npy(header, data, version))
        assert.equal(2, a.size)
        assert.equal(header:find "V2" and "bfloat16" or "int16", a.dtype.name)
        if a.dtype.name == "int16" then assert.equal(3, a:reshape(2)[1] + a:reshape(2)[2]) end
      end
    end
    assert_array(ndarray.array({ 1, 2 }, "int16"), ndarray.loads(npy(dict("'<i2'", "False", "(2,)"), data .. "more")))
    assert_array(ndarray.array({ 256, 512 }, "int16"), ndarray.loads(npy(dict("'>i2'", "False", "(2,)"), data)))
  end)

  it("refuses headers that lie or are no literal, and executes nothing", function()
    local function refused(text, header, version)
      gpu.raises("LogicError", text, ndarray.loads, npy(header, ("\0"):rep(64), version))
    end
    for _, shape in ipairs { "2", "[2]", "(2)", "(,)", "(2,,)", "(2 3)", "(2.5,)", "('2',)", "(True,)", "(None,)",
      "((2,),)", "(0x2,)", "(1e3,)", "(2,", "2,)", "(2;)", "__import__('os')", "(2, 3", "(2_0,)", "" } do
      refused("shape is not a tuple of numbers", dict("'<i2'", "False", shape))
    end
    refused("the header's shape has the extent -1", dict("'<i2'", "False", "(-1,)"))
    refused("has the extent -9223372036854775808", dict("'<i2'", "False", "(2, -9223372036854775808)"))
    for _, shape in ipairs { "(9223372036854775807,)", "(4294967296, 4294967296)", "(9007199254740993,)",
      "(99999999999999999999999999999999,)", "(4611686018427387904, 4)" } do
      refused("too many elements", dict("'<i2'", "False", shape))
    end
    refused("too many elements", dict("'<f8'", "False", "(9007199254740992,)"))
    refused("is truncated: float64 elements of shape (100000000000,) need 800000000000 bytes, but only 64 are left",
      dict("'<f8'", "False", "(100000000000,)"))
    refused("too many elements", dict("'<f8'", "False", "(4503599627370496, 0)")) -- strides of such an array overflow
    refused("more than 64 axes", dict("'<i2'", "False", "(" .. ("1,"):rep(65) .. ")"))
    for _, value in ipairs { "0", "1", "None", "true", "'True'", "__import__('os').system('true')" } do
      refused("neither True nor False", dict("'<i2'", value, "(2,)"))
    end
    for _, descr in ipairs { "['<i2']", "[('a', '<i2')]", "('<i2', (2,))" } do
      refused("structured type", dict(descr, "False", "(2,)"))
    end
    for _, descr in ipairs { "'<i3'", "'<f1'", "'<c4'", "'<b1000'", "'i'", "'<'", "'>'", "'<i2i2'", "'%s%n'",
      "'\0'" } do
      refused("no dtype corresponds", dict(descr, "False", "(2,)"))
    end
    for _, descr in ipairs { "None", "2", "'<i2\"", "''", "'a\\x41'", "os.exit()" } do
      refused("the header has no type", dict(descr, "False", "(2,)"))
    end
    for _, header in ipairs { "", " ", "os.exit()", "return {}", "[1]", "{", "{'descr'", "{'descr' '<i2'}", "{,}",
      "{descr: '<i2'}", "{'descr': '<i2' 'fortran_order': False, 'shape': (2,)}",
      "{'descr': '<i2',, 'fortran_order': False, 'shape': (2,)}", dict("'<i2", "False", "(2,)"),
      "{'descr': '<i2', 'fortran_order': False, 'shape': (2,)", "(lambda: 1)()", "{'descr': '<i2'" } do
      refused("the header is not a dict", header)
    end
    refused("unknown field 'more'", "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), 'more': 1}")
    refused("has descr twice", "{'descr': '<i2', 'descr': '<i2', 'fortran_order': False, 'shape': (2,)}")
    refused("the header has no descr", "{'fortran_order': False, 'shape': (2,)}")
    refused("the header has no shape", "{'descr': '<i2', 'fortran_order': False}")
    refused("the header has no ", "{}")
    refused("after its dict", dict("'<i2'", "False", "(2,)") .. " os.exit()")
    refused("more than any array needs", (" "):rep(2 ^ 16 + 1), 2)
    gpu.raises("LogicError", "the header has 4294967295 bytes", ndarray.loads, "\147NUMPY\2\0\255\255\255\255")
    gpu.raises("LogicError", "truncated", ndarray.loads, "\147NUMPY\1\0\255\255{")
    gpu.raises("LogicError", "version 4.0", ndarray.loads, npy("{}", "", 4))
    gpu.raises("LogicError", "version 0.0", ndarray.loads, npy("{}", "", 0))
    gpu.raises("LogicError", "version 1.1", ndarray.loads, "\147NUMPY\1\1\2\0{}")
  end)

  it("refuses every beginning of a file", function()
    for _, name in ipairs { "npy/int16_f.npy", "npy/version2.npy", "npz/deflated.npz", "npz/zip64.npz",
      "npz/fixed.npz" } do
      local bytes = bytes_of(golden(name))
      for n = 0, #bytes - 1 do
        gpu.error_of("LogicError", ndarray.loads, bytes:sub(1, n))
        if n % 50 == 0 or n > #bytes - 5 then gpu.error_of("LogicError", ndarray.load, put(bytes:sub(1, n))) end
      end
      assert.truthy(ndarray.loads(bytes))
    end
  end)
end)

describe("damaged files", function()
  -- Reads everything that is there.
  local function read_all(bytes)
    local a = ndarray.loads(bytes)
    if ndarray.is_array(a) then return { a } end
    local all = {}
    for _, name in ipairs(a:names()) do
      local ok, member = pcall(a.get, a, name)
      all[name] = member
      if not ok then
        assert(cuda.is_error(member, "LogicError") or cuda.is_error(member, "MemoryError"), tostring(member))
      end
    end
    return all
  end

  it("ndarray.loads gives an array or an error of the library, never anything else", function()
    local read, refused = 0, 0
    for _, name in ipairs { "npy/int16_f.npy", "npy/complex64_big.npy", "npy/version3.npy", "npz/deflated.npz",
      "npz/mixed.npz", "npz/zip64.npz", "npz/fixed.npz", "npz/none.npz", "npz/stored.npz" } do
      local bytes = bytes_of(golden(name))
      for _ = 1, 400 do
        local damaged = bytes
        for _ = 1, math.random(1, 3) do
          local at = math.random(#damaged)
          if math.random() < 0.3 then at = math.max(#damaged - math.random(0, 200), 1) end
          local kind = math.random(4)
          if kind == 1 then
            damaged = damaged:sub(1, at - 1) .. string.char(math.random(0, 255)) .. damaged:sub(at + 1)
          elseif kind == 2 then
            damaged = damaged:sub(1, at - 1) .. ("\255"):rep(math.random(8)) .. damaged:sub(at + 8)
          elseif kind == 3 then
            damaged = damaged:sub(1, at - 1) .. damaged:sub(at + math.random(20))
          else
            damaged = damaged:sub(1, at) .. damaged:sub(at - math.random(0, 5))
          end
          if damaged == "" then damaged = "x" end
        end
        local ok, err = pcall(read_all, damaged)
        if ok then
          read = read + 1
        else
          assert(cuda.is_error(err, "LogicError") or cuda.is_error(err, "MemoryError"), tostring(err))
          refused = refused + 1
        end
      end
    end
    assert.is_true(read > 100 and refused > 500, read .. " " .. refused)
  end)

  it("ndarray.Npz:get raises a LogicError for a member whose bytes are others, and reads the rest", function()
    for _, name in ipairs { "npz/stored.npz", "npz/deflated.npz" } do
      local bytes = bytes_of(golden(name))
      local at = bytes:find("big.npy", 1, true) + (name:find "stored" and 200 or 90)
      for k = 0, 60 do
        local place = at + k
        local damaged = bytes:sub(1, place - 1) .. string.char((bytes:byte(place) + 1) % 256) .. bytes:sub(place + 1)
        local z = ndarray.loads(damaged)
        gpu.error_of("LogicError", z.get, z, "big")
        assert_array(ndarray.array(2.5, "float64"), z.scalar)
      end
    end
  end)
end)

-- ---- writing ------------------------------------------------------------------------------------------------------

describe("ndarray.dumps and ndarray.save", function()
  it("write what NumPy writes, byte for byte", function()
    for _, t in ipairs(dtype.list) do
      local a = sample(t, { 3, 5 })
      assert.equal(bytes_of(golden("npy/" .. t.name .. ".npy")), ndarray.dumps(a))
      assert.equal(bytes_of(golden("npy/" .. t.name .. "_f.npy")), ndarray.dumps(a:copy "F"))
      ndarray.save(path, a:copy "F")
      assert.equal(bytes_of(golden("npy/" .. t.name .. "_f.npy")), bytes_of(path))
    end
    for i, shape in ipairs { {}, { 0 }, { 7 }, { 2, 0, 3 }, { 2, 3, 4 }, { 1, 1, 1, 1, 2 } } do
      assert.equal(bytes_of(golden("npy/shape" .. i - 1 .. ".npy")), ndarray.dumps(sample("int16", shape)))
    end
    for version = 1, 3 do
      local name = golden("npy/version" .. version .. ".npy")
      assert.equal(bytes_of(name), ndarray.dumps(sample("float32", { 4, 2 }), { version = version }))
      ndarray.save(path, sample("float32", { 4, 2 }), { version = version })
      assert.equal(bytes_of(name), bytes_of(path))
    end
  end)

  it("take views, tables and values", function()
    local a = sample("int32", { 6, 5 })
    for _, view in ipairs { a:slice({ 6, 1, -2 }, { 2, 4 }), a[3], a:slice({}, 2), a.T, a:slice { 2, 4 },
      a:broadcast_to(2, 6, 5), a:slice { 2, 1 } } do
      local b = ndarray.loads(ndarray.dumps(view))
      assert_array(view, b)
      assert.equal(view.order or "C", b.order)
    end
    assert_array(ndarray.array { { 1, 2 }, { 3, 4 } }, ndarray.loads(ndarray.dumps { { 1, 2 }, { 3, 4 } }))
    assert_array(ndarray.array(5), ndarray.loads(ndarray.dumps(5)))
    assert_array(ndarray.array(true), ndarray.loads(ndarray.dumps(true)))
    local many = {}
    for k = 1, 64 do many[k] = k % 32 == 0 and 2 or 1 end
    assert_array(sample("int8", many), ndarray.loads(ndarray.dumps(sample("int8", many))))
  end)

  it("raise where the file cannot be written, and for what is no array", function()
    gpu.raises("RuntimeError", "No such file or directory; create the folder /there/is/no/folder first", ndarray.save,
      "/there/is/no/folder/a.npy", 5)
    gpu.raises("RuntimeError", "", ndarray.save, "/tmp", 5)
    gpu.raises("RuntimeError", "", ndarray.save, "/dev/full", 5)
    gpu.raises("RuntimeError", "/dev/full cannot be written", ndarray.save, "/dev/full", ndarray.zeros(1e6))
    gpu.raises("RuntimeError", "", ndarray.savez, "/dev/full", { a = ndarray.zeros(1e6) })
    gpu.raises("LogicError", "expected a path", ndarray.save, nil, 5)
    gpu.raises("LogicError", "expected a number, got nil", ndarray.save, path, nil)
    gpu.raises("LogicError", "version must be 1, 2 or 3, got 4", ndarray.save, path, 5, { version = 4 })
    gpu.raises("LogicError", "unknown option", ndarray.dumps, 5, { fortran = true })
    local structs = ndarray.zeros(2, require("cudalua.vec").float4)
    gpu.raises("LogicError", "arrays of structs (float4)", ndarray.dumps, structs)
    gpu.raises("LogicError", "arrays of structs (float4)", ndarray.dumpsz, { a = structs })
    put "before"
    gpu.error_of("LogicError", ndarray.save, path, { 1, { 2 } })
    gpu.error_of("LogicError", ndarray.savez, path, { a = { 1, { 2 } } })
    assert.equal("before", bytes_of(path))
    gpu.context()
    local a = ndarray.zeros(3, nil, { pinned = true })
    a.base:free()
    gpu.error_of("LogicError", ndarray.dumps, a)
    gpu.error_of("LogicError", ndarray.dumpsz, { a = a })
  end)
end)

-- ---- .npz ---------------------------------------------------------------------------------------------------------

describe("ndarray.Npz", function()
  it("ndarray.Npz:names ndarray.Npz:get read what NumPy stored and deflated", function()
    local wanted = { big = sample("float32", { 50, 40 }), empty = sample("int8", { 0, 2 }),
      f = sample("complex128", { 3, 2 }), scalar = ndarray.array(2.5, "float64") }
    for _, name in ipairs { "stored", "deflated" } do
      local z = ndarray.load(golden("npz/" .. name .. ".npz"))
      assert.same({ "big", "empty", "f", "scalar" }, z:names())
      for key, want in pairs(wanted) do
        assert_array(want, z:get(key))
        assert_array(want, z[key])
        assert.is_true(z[key] ~= z[key])
      end
      assert.equal("F", z.f.order)
      assert.equal(0, tonumber(ffi.cast("uintptr_t", z.big:data())) % 16)
      assert.is_nil(z.other)
      gpu.raises("LogicError", "unknown array 'other'; the arrays of", z.get, z, "other")
      gpu.raises("LogicError", "big, empty, f, scalar", z.get, z, 5)
      assert.equal("cudalua.ndarray.Npz: big, empty, f, scalar", tostring(z))
    end
  end)

  it("reads every kind of deflated block", function()
    local count = { 0, 0, 0 }
    for _, level in ipairs { 0, 1, 9 } do
      local z = ndarray.load(golden("npz/level" .. level .. ".npz"))
      local ramp, noise, words = z.ramp, z.noise, z.words
      assert.is_true(ramp:equal(ndarray.arange(level == 0 and 20000 or 40000)))
      assert.same({ 3000 }, noise.shape) -- the checksums tell that they are right
      assert.truthy(ffi.string(words:buffer()):find "^%a+ %a+ %a+ ")
      for i, a in ipairs { ramp, noise, words } do count[i] = count[i] + a.size end
    end
    assert.same({ 100000, 9000 }, { count[1], count[2] })
    local fixed = ndarray.load(golden "npz/fixed.npz").a
    assert.is_true(fixed:equal(ndarray.from_function(300, function(i) return (i - 1) % 20 end)))
  end)

  it("goes on where deflated data is damaged in every way", function()
    local inflate = require "cudalua.ndarray.inflate"
    local function unpack_all(bytes, room)
      local to = ffi.new("uint8_t[?]", room + 1)
      to[room] = 77
      local p = ffi.cast("const uint8_t *", bytes)
      local ok, n = pcall(inflate, "x", p, #bytes, to, room)
      assert.equal(77, to[room])
      if not ok then assert(cuda.is_error(n, "LogicError"), tostring(n)) end
      return ok and ffi.string(to, n) or n.message
    end
    assert.equal("", unpack_all("\3\0", 0)) -- fixed codes, nothing but the end
    assert.equal("hello", unpack_all("\203\72\205\201\201\7\0", 5))
    assert.equal("hello", unpack_all("\1\5\0\250\255hello", 5))
    assert.truthy(unpack_all("\203\72\205\201\201\7\0", 4):find "longer than it should be")
    assert.truthy(unpack_all("\1\5\0\250\255hello", 4):find "longer than it should be")
    assert.truthy(unpack_all("", 5):find "truncated")
    assert.truthy(unpack_all("\1\5\0\250\255hel", 5):find "truncated")
    assert.truthy(unpack_all("\203\72\205\201\201", 5):find "truncated")
    assert.truthy(unpack_all("\1\5\0\5\0hello", 5):find "has no length")
    assert.truthy(unpack_all("\7", 5):find "unknown type")
    assert.truthy(unpack_all("\3\2", 500):find "before its beginning")
    for _ = 1, 3000 do -- dynamic codes of chance, as a rule wrong ones
      local bytes = { string.char(math.random(0, 31) * 8 + 5) }
      for i = 2, math.random(200) do bytes[i] = string.char(math.random(0, 255)) end
      unpack_all(table.concat(bytes), math.random(0, 300))
    end
  end)

  it("reads zip64, archives behind other bytes, empty ones, and members that are not arrays by their names", function()
    local z = ndarray.load(golden "npz/zip64.npz")
    assert_array(sample("float64", { 5 }), z.a)
    assert.same({}, ndarray.load(golden "npz/none.npz"):names())
    z = ndarray.load(golden "npz/mixed.npz")
    assert.same({ "a", "readme.txt", "dir/b" }, z:names())
    assert_array(sample("int32", { 3 }), z["dir/b"])
    gpu.raises("LogicError", "not a .npy file", z.get, z, "readme.txt")
    local bytes = bytes_of(golden "npz/deflated.npz")
    assert_array(sample("float32", { 50, 40 }), ndarray.loads("PK\3\4 something before it" .. bytes).big)
    local copy = bytes:gsub("big%.npy", "get.npy")
    z = ndarray.loads(copy)
    assert.is_function(z.get) -- methods come first
    assert_array(sample("float32", { 50, 40 }), z:get "get")
  end)

  it("refuses other compressions, encrypted members, and sizes that cannot be", function()
    local z = ndarray.load(golden "npz/bzip2.npz")
    gpu.raises("LogicError", "Npz:get('a'): the member is compressed by method 12", z.get, z, "a")
    local bytes = bytes_of(golden "npz/fixed.npz")
    local central = bytes:find("PK\1\2", 1, true)
    local function changed(at, with)
      return bytes:sub(1, central + at - 1) .. with .. bytes:sub(central + at + #with)
    end
    local function refused(text, at, with)
      z = ndarray.loads(changed(at, with))
      gpu.raises("LogicError", text, z.get, z, "a")
    end
    assert.truthy(ndarray.loads(changed(0, "PK")).a)
    refused("is encrypted", 8, "\1\0")
    refused("checksum", 16, "\1\2\3\4")
    refused("cannot have that many bytes", 24, "\255\255\255\127")
    refused("is too short", 24, "\0\16\0\0")
    refused("is truncated: int16 elements of shape (300,) need 600 bytes", 24, "\200\1\0\0")
    refused("the member is missing", 20, "\255\255\255\127")
    refused("the member is missing", 42, "\255\255\0\0")
    refused("the member is missing", 42, "\1\0\0\0")
    gpu.raises("LogicError", "list of members ends too early", ndarray.loads, changed(0, "XX"))
    gpu.raises("LogicError", "list of members ends too early", ndarray.loads, changed(28, "\255\255"))
    gpu.raises("LogicError", "several parts", ndarray.loads, (bytes:gsub("PK\5\6%z%z", "PK\5\6\1\0")))
  end)

  it("ndarray.Npz:close closes the file; arrays stay", function()
    local z = ndarray.load(golden "npz/stored.npz")
    local a = z.big
    z:close()
    z:close()
    gpu.raises("LogicError", "the file was closed", z.get, z, "big")
    gpu.raises("LogicError", "the file was closed", z.names, z)
    gpu.raises("LogicError", "the file was closed", function() return z.big end)
    assert.equal("cudalua.ndarray.Npz (closed)", tostring(z))
    assert_array(sample("float32", { 50, 40 }), a)
    gpu.raises("LogicError", "cannot set 'x'", function() z.x = 5 end)
    gpu.raises("LogicError", "expected a .npz file", ndarray.Npz.get, {}, "a")
    gpu.raises("LogicError", "expected a .npz file", ndarray.Npz.close)
    gpu.raises("LogicError", "expected a .npz file", ndarray.Npz.names, "x")
    local text, ok = gpu.child(([[
      local ndarray = require "cudalua.ndarray"
      for i = 1, 300 do
        local z = ndarray.load "%s"
        if i %% 2 == 0 then z:close() else z = nil collectgarbage() end
      end
    ]]):format(golden "npz/stored.npz"), "ulimit -n 64;")
    assert.is_true(ok, text)
  end)
end)

describe("ndarray.dumpsz and ndarray.savez", function()
  it("write what NumPy's savez writes, byte for byte", function()
    local all = { big = sample("float32", { 50, 40 }), empty = sample("int8", { 0, 2 }),
      f = sample("complex128", { 3, 2 }):copy "F", scalar = ndarray.array(2.5, "float64") }
    assert.equal(bytes_of(golden "npz/stored.npz"), ndarray.dumpsz(all))
    ndarray.savez(path, all)
    assert.equal(bytes_of(golden "npz/stored.npz"), bytes_of(path))
    local z = ndarray.load(path)
    for name, a in pairs(all) do assert_array(a, z[name]) end
    assert.equal(bytes_of(golden "npz/none.npz"), ndarray.dumpsz {})
  end)

  it("take views and tables, and any names", function()
    local a = sample("int16", { 4, 6 })
    local all = { ["with space"] = a:slice({}, { 5, 1, -2 }), ["\195\164/b"] = { 1, 2 }, get = 5,
      [("n"):rep(1000)] = true }
    for version = 1, 3 do
      local z = ndarray.loads(ndarray.dumpsz(all, { version = version }))
      assert.equal(4, #z:names())
      for name, want in pairs(all) do
        assert_array(ndarray.is_array(want) and want or ndarray.array(want), z:get(name))
      end
    end
    gpu.raises("LogicError", "an array's name must be a string, got 1", ndarray.dumpsz, { a })
    gpu.raises("LogicError", "an array's name must be a", ndarray.dumpsz, { [""] = a })
    gpu.raises("LogicError", "an array's name must be a", ndarray.dumpsz, { ["a\0b"] = a })
    gpu.raises("LogicError", "expected a table of arrays by", ndarray.dumpsz, a)
    gpu.raises("LogicError", "expected a table of arrays by", ndarray.savez, path, 5)
    gpu.raises("LogicError", "ndarray.dumpsz: 'a': ", ndarray.dumpsz, { a = "x" })
    gpu.raises("LogicError", "is too long", ndarray.dumpsz, { [("n"):rep(70000)] = 1 })
  end)
end)
