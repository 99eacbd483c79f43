-- Safetensors files: a file written by hand, round trips, and files that lie.
local gpu = require "spec.support.gpu"
local ffi = require "ffi"
local cuda = gpu.cuda
local ndarray, gpuarray, files = cuda.ndarray, cuda.gpuarray, cuda.io
local json = require "cudalua.files.json"

local path
before_each(function() path = os.tmpname() end)
after_each(function() os.remove(path) end)

local function put(text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  return path
end

local function text_of(name)
  local file = assert(io.open(name, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

-- The 8 bytes of a length.
local function length(n)
  local bytes = {}
  for i = 1, 8 do
    bytes[i] = string.char(n % 256)
    n = math.floor(n / 256)
  end
  return table.concat(bytes)
end

local function file_of(header, data) return length(#header) .. header .. (data or "") end

-- Two tensors and a text, each byte by hand: int16 {{1, -2, 3}} behind float32 1.5.
local GOLDEN = "\136\0\0\0\0\0\0\0"
  .. '{"__metadata__":{"by":"hand"},"w":{"dtype":"F32","shape":[],"data_offsets":[0,4]},'
  .. '"x":{"dtype":"I16","shape":[1,3],"data_offsets":[4,10]}}' .. ""
GOLDEN = GOLDEN:gsub("^\136", function() return string.char(#GOLDEN - 8) end) .. "\0\0\192\63\1\0\254\255\3\0"

local function entry(dtype, shape, first, stop)
  return ('{"dtype":"%s","shape":[%s],"data_offsets":[%s,%s]}'):format(dtype, shape, first, stop)
end

describe("io.load_safetensors", function()
  it("reads a file that was written by hand", function()
    for _, device in ipairs { true, false } do
      local t, metadata = files.load_safetensors(put(GOLDEN), { device = device })
      assert.same({ by = "hand" }, metadata)
      assert.equal(device, gpuarray.is_array(t.w))
      assert.equal("float32", t.w.dtype.name)
      assert.equal(0, t.w.ndim)
      assert.equal(1.5, t.w:item())
      assert.equal("int16", t.x.dtype.name)
      assert.same({ { 1, -2, 3 } }, t.x:tolist())
    end
  end)

  it("reads some of the tensors, in a stream and with an allocator", function()
    local asked = 0
    local function allocator(bytes)
      asked = asked + bytes
      return cuda.mem_alloc(bytes)
    end
    local stream = cuda.Stream()
    local t = files.load_safetensors(put(GOLDEN), { names = { "x" }, stream = stream, allocator = allocator })
    assert.is_nil(t.w)
    assert.equal(6, asked)
    assert.same({ { 1, -2, 3 } }, t.x:tolist())
    assert.same({}, (files.load_safetensors(path, { names = {} })))
  end)

  it("gives host arrays over a private mapping, which outlive the file's name and its table", function()
    local x = files.load_safetensors(put(GOLDEN), { device = false }).x
    os.remove(path)
    collectgarbage()
    collectgarbage()
    x[1] = { 7, 8, 9 }
    assert.same({ { 7, 8, 9 } }, x:tolist())
    put(GOLDEN)
    local y = files.load_safetensors(path, { device = false }).x
    y[1] = { 7, 8, 9 }
    assert.equal(GOLDEN, text_of(path))
  end)

  it("reads elements at odd addresses, and bytes of bool that are not 0 or 1", function()
    local header = '{"b":' .. entry("BOOL", "3", 0, 3) .. ',"d":' .. entry("F64", "1", 3, 11) .. "}"
    local data = "\0\1\7" .. ffi.string(ffi.new("double[1]", 0.125), 8)
    for _, device in ipairs { true, false } do
      local t = files.load_safetensors(put(file_of(header, data)), { device = device })
      assert.same({ false, true, true }, t.b:tolist())
      assert.same({ 0.125 }, t.d:tolist())
    end
  end)

  it("takes white space, escapes and keys in any order, as JSON has them", function()
    local t, metadata = files.load_safetensors(put(file_of('{ "\\u00e4\\ud83d\\ude00\\n" :\t{"data_offsets"'
      .. ' : [ 0 , 1 ],\r\n"shape":[1],"dtype":"U\\u0038"}, "__metadata__":{"a":"\\"\\\\\\/"}}   ', "\5")))
    assert.same({ 5 }, t["ä😀\n"]:tolist())
    assert.same({ a = '"\\/' }, metadata)
    assert.same({}, (files.load_safetensors(put(file_of "{}"))))
  end)

  local function wrong(text, bytes)
    put(bytes)
    for _, device in ipairs { true, false } do
      gpu.raises("LogicError", text, files.load_safetensors, path, { device = device })
    end
  end

  it("refuses truncated files and lengths that lie", function()
    local before = gpu.soft and cuda.softgpu.stats().live_bytes
    for n = 0, #GOLDEN - 1 do
      put(GOLDEN:sub(1, n))
      assert.is_false((pcall(files.load_safetensors, path)), n)
    end
    wrong("the file is truncated: it has 0 bytes", "")
    wrong("the file is truncated: it has 7 bytes", ("\0"):rep(7))
    wrong("the header does not begin with '{'", ("\0"):rep(8))
    wrong("the file is truncated: the header has 3 bytes, the file 10", length(3) .. "{}")
    wrong('the file is text, not safetensors: it begins with "hello, t"', "hello, this is a text file\nof two lines\n")
    wrong("the file is text, not safetensors: it begins with \"{\\n \\\"a\\\": \"", '{\n "a": 1, "b": 2}')
    wrong("the file is not safetensors, but .npy; read it with cuda.gpuarray.load(path)",
      "\147NUMPY\1\0" .. ("x"):rep(99))
    wrong("the file is not safetensors, but a ZIP archive", "PK\3\4" .. ("x"):rep(99))
    wrong("a header of 18446744073709551616 bytes is too large", ("\255"):rep(8) .. "{}")
    wrong("bytes 0 to 0 of the data belong to no tensor", file_of("{}", "x"))
    if before then assert.equal(before, cuda.softgpu.stats().live_bytes) end
  end)

  it("refuses tensors that overlap, leave holes, reach too far, or have another size", function()
    local function two(a, b, n) return file_of('{"a":' .. a .. ',"b":' .. b .. "}", ("x"):rep(n)) end
    wrong("the tensors 'a' and 'b' overlap", two(entry("U8", "4", 0, 4), entry("U8", "4", 2, 6), 6))
    wrong("the tensors 'b' and 'a' overlap", two(entry("U8", "4", 0, 4), entry("U8", "2", 0, 2), 4))
    wrong("bytes 4 to 4 of the data belong to no tensor", two(entry("U8", "4", 0, 4), entry("U8", "1", 5, 6), 6))
    wrong("bytes 4 to 5 of the data belong to no tensor", file_of('{"a":' .. entry("U8", "4", 0, 4) .. "}", "123456"))
    local function one(e, n) return file_of('{"a":' .. e .. "}", ("x"):rep(n)) end
    wrong("data_offsets are 0 and 9, the file has 4 bytes of data", one(entry("U8", "9", 0, 9), 4))
    wrong("data_offsets are 4 and 0", one(entry("U8", "4", 4, 0), 4))
    wrong("float32 of the shape (2,) has 8 bytes, data_offsets 0 and 4 give it 4", one(entry("F32", "2", 0, 4), 4))
    wrong("has too many elements", one(entry("U8", "9007199254740992,9007199254740992", 0, 4), 4))
    wrong("has too many elements", one(entry("U8", "0,9007199254740992,9007199254740992", 0, 0), 0))
    wrong("shape[1] must be a non-negative integer", one(entry("U8", "-4", 0, 4), 4))
    wrong("shape[1] must be a non-negative integer", one(entry("U8", "1.5", 0, 4), 4))
    wrong("shape[1] must be a non-negative integer", one(entry("U8", "18446744073709551616", 0, 4), 4))
    wrong("shape has 65 numbers, at most 64", one(entry("U8", "1" .. (",1"):rep(64), 0, 1), 1))
    wrong("data_offsets has 3 numbers, at most 2", one(entry("U8", "1", "0,0", 1), 1))
    wrong("data_offsets must have two numbers", one('{"dtype":"U8","shape":[1],"data_offsets":[0]}', 1))
  end)

  it("refuses entries that are not what they have to be", function()
    local function one(e) return file_of('{"a":' .. e .. "}", "x") end
    for _, code in ipairs { "F8_E4M3", "F8_E5M2", "f32", "" } do
      wrong("tensor 'a': the dtype '" .. code .. "' is not supported", one(entry(code, "1", 0, 1)))
    end
    wrong("its entry is not an object", one "[]")
    wrong("its entry is not an object", one "null")
    wrong("unknown field 'colour'", one '{"dtype":"U8","shape":[1],"data_offsets":[0,1],"colour":1}')
    wrong("dtype is not a string", one '{"shape":[1],"data_offsets":[0,1]}')
    wrong("shape is not a list", one '{"dtype":"U8","shape":{},"data_offsets":[0,1]}')
    wrong("data_offsets is not a list", one '{"dtype":"U8","shape":[1]}')
    wrong("shape[1] must be", one '{"dtype":"U8","shape":["1"],"data_offsets":[0,1]}')
    wrong("__metadata__ is not an object", file_of '{"__metadata__":[]}')
    wrong("__metadata__: 'a' is not a string", file_of '{"__metadata__":{"a":1}}')
  end)

  it("refuses what is not JSON, and more levels than 32", function()
    wrong("the header does not begin with '{'", file_of " {}")
    wrong("the header does not begin with '{'", file_of "[]")
    wrong("the key appears twice at byte", file_of('{"a":' .. entry("U8", "0", 0, 0) .. ',"\\u0061":1}'))
    wrong("more than 32 levels at byte", file_of('{"a":' .. ("["):rep(1e6)))
    wrong("more than 32 levels at byte", file_of(('{"a":'):rep(1e5)))
    for text, why in pairs {
      ["{"] = "the text ends too early", ['{"a"'] = "the text ends too early", ['{"a":1'] = "the text ends too early",
      ['{"a'] = "the string does not end at byte 2", ['{"a":1,}'] = "a key at byte 8",
      ["{a:1}"] = "a key at byte 2", ['{"a" 1}'] = "':' at byte 6",
      ['{"a":01}'] = "a number begins with 0", ['{"a":+1}'] = "expected a value", ['{"a":.5}'] = "expected a value at",
      ['{"a":1.}'] = "expected ',' or '}' at byte 7", ['{"a":1e999}'] = "the number is too large",
      ['{"a":NaN}'] = "expected a value", ['{"a":True}'] = "expected a value " ..
        "at", ["{} x"] = "more text after the value",
      ["{}\0\0"] = "JSON: more text after", ['{"a\nb":1}'] = "a control character", ['{"\\x":1}'] = "an unknown escape",
      ['{"\\u12":1}'] = "four hexadecimal digits", ['{"\\ud800":1}'] = "half of a surrogate pair",
      ['{"\\udc00":1}'] = "half of a surrogate pair", ['{"\\ud800\\u0041":1}'] = "half of a surrogate pair",
      ['{"\255":1}'] = "the string is not UTF-8", ['{"\192\128":1}'] = "not UTF-8",
      ['{"\237\160\128":1}'] = "not UTF-8",
      ['{"\195":1}'] = "not UTF-8", ['{"\244\144\128\128":1}'] = "not UTF-8", ['{"a":[1 2]}'] = "',' or ']'",
      ["{'a':1}"] = "expected a key", ['{"a":tru}'] = "expected a value",
    } do
      wrong("the header is not valid JSON: ", file_of(text))
      wrong(why, file_of(text))
    end
  end)

  it("survives a file with any byte changed", function()
    math.randomseed(7)
    for _ = 1, 400 do
      local at = math.random(#GOLDEN - 10)
      put(GOLDEN:sub(1, at - 1) .. string.char(math.random(0, 255)) .. GOLDEN:sub(at + 1))
      local ok, err = pcall(files.load_safetensors, path, { device = false })
      assert.is_true(ok or cuda.is_error(err, "LogicError"), tostring(err))
    end
  end)

  it("refuses files that are not there, and bad arguments", function()
    gpu.raises("RuntimeError", "No such file", files.load_safetensors, path .. ".missing")
    gpu.raises("LogicError", "is not a regular file", files.load_safetensors, "/tmp")
    put(GOLDEN)
    gpu.raises("LogicError", "no tensor has the name 'y'", files.load_safetensors, path, { names = { "x", "y" } })
    gpu.raises("LogicError", "names must be a list", files.load_safetensors, path, { names = 3 })
    gpu.raises("LogicError", "names[1] must be a string", files.load_safetensors, path, { names = { 3 } })
    gpu.raises("LogicError", "device must be true or false", files.load_safetensors, path, { device = 1 })
    gpu.raises("LogicError", "stream and allocator are for", files.load_safetensors, path,
      { device = false, stream = cuda.Stream() })
    gpu.refuses_nonsense(function(x) return files.load_safetensors(x) end)
  end)
end)

describe("io.save_safetensors", function()
  it("writes the bytes of the format, aligned, in one order", function()
    local tensors = { b = ndarray.array({ 1, 2, 3 }, "uint8"), a = ndarray.array({ 1, 2 }, "uint8"),
      z = ndarray.array({ 0.5 }, "float64") }
    files.save_safetensors(path, tensors, { metadata = { y = "2", x = '1 "\n' } })
    local header = '{"__metadata__":{"x":"1 \\"\\n","y":"2"},"z":' .. entry("F64", "1", 0, 8) .. ',"a":'
      .. entry("U8", "2", 8, 10) .. ',"b":' .. entry("U8", "3", 10, 13) .. "}"
    header = header .. (" "):rep(-#header % 8)
    assert.equal(file_of(header, "\0\0\0\0\0\0\224\63\1\2\1\2\3"), text_of(path))
  end)

  it("writes what load_safetensors reads: every dtype, empty and 0-d arrays", function()
    local tensors = {}
    for _, name in ipairs { "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
      "bfloat16", "float32", "float64", "complex64" } do
      local a = ndarray.from_function({ 3, 2 }, function(i, j)
        if name == "bool" then return i == j end
        return i * 10 + j
      end, name)
      tensors[name], tensors[name .. " 0-d"] = a, a:slice(2, 1)
      if type(tensors[name .. " 0-d"]) ~= "table" then tensors[name .. " 0-d"] = ndarray.full({}, a[2][1], name) end
      tensors[name .. " empty"] = ndarray.zeros({ 2, 0, 3 }, name)
    end
    local count = 0
    for _, device in ipairs { true, false } do
      local given = {}
      for name, a in pairs(tensors) do given[name] = device and gpuarray.to_gpu(a) or a end
      files.save_safetensors(path, given)
      local back, metadata = files.load_safetensors(path, { device = device })
      assert.same({}, metadata)
      for name, a in pairs(tensors) do
        local b = device and back[name]:get { array = true } or back[name]
        assert.equal(a.dtype, b.dtype, name)
        assert.is_true(a.shape == b.shape, name)
        assert.is_true(ndarray.equal(a, b), name)
        count = count + 1
      end
    end
    assert.equal(84, count)
  end)

  it("writes pending, transposed and sliced arrays in C order", function()
    local a = ndarray.from_function({ 2, 3 }, function(i, j) return 10 * i + j end, "float32")
    local d = gpuarray.to_gpu(a)
    files.save_safetensors(path, { t = a.T, d = d.T, p = d + 1, s = d:slice({ 1, 2 }, { 1, 3, 2 }) })
    local t = files.load_safetensors(path)
    assert.same(a.T:tolist(), t.t:tolist())
    assert.same(a.T:tolist(), t.d:tolist())
    assert.same({ { 12, 13, 14 }, { 22, 23, 24 } }, t.p:tolist())
    assert.same(d:slice({ 1, 2 }, { 1, 3, 2 }):tolist(), t.s:tolist())
  end)

  it("leaves the old file, and no other, if it fails", function()
    put "old"
    local gone = gpuarray.to_gpu { 1, 2 }
    gone:release()
    gpu.raises("LogicError", "released", files.save_safetensors, path, { a = gpuarray.to_gpu { 3 }, b = gone })
    assert.equal("old", text_of(path))
    local folder = path .. ".d"
    os.execute("mkdir -p " .. folder .. "/name")
    gpu.raises("RuntimeError", "cannot be written", files.save_safetensors, folder .. "/name", { a = ndarray.zeros(2) })
    gpu.raises("RuntimeError", "No such file or directory; create the folder ", files.save_safetensors,
      folder .. "/none/x", { a = ndarray.zeros(2) })
    local pipe = io.popen("ls " .. folder .. "; ls -d " .. path .. ".*; rm -r " .. folder)
    assert.equal("name\n" .. folder .. "\n", pipe:read "*a")
    pipe:close()
  end)

  it("refuses what is not a table of arrays, and names and texts that are not UTF-8", function()
    local function save(...) return files.save_safetensors(path, ...) end
    local a = ndarray.zeros(2)
    gpu.raises("LogicError", "the tensor 'a' must be an array, got", save, { a = 3 })
    gpu.raises("LogicError", "the name of a tensor must be a string, got 1", save, { a })
    gpu.raises("LogicError", "the name of a tensor is not UTF-8", save, { ["\255"] = a })
    gpu.raises("LogicError", "expected a table {name = array}", save, a)
    gpu.raises("LogicError", "__metadata__ is not a tensor's name", save, { __metadata__ = a })
    gpu.raises("LogicError", "elements of complex128, which the format does not have", save,
      { a = ndarray.zeros(2, "complex128") })
    gpu.raises("LogicError", "metadata.x must be a string, got 1", save, {}, { metadata = { x = 1 } })
    gpu.raises("LogicError", "metadata must be a table of strings", save, {}, { metadata = 3 })
    gpu.raises("LogicError", "a key of metadata must be a string", save, {}, { metadata = { "x" } })
    gpu.refuses_nonsense(function(x) return files.save_safetensors(x, {}) end, { string = true })
    gpu.refuses_nonsense(function(x) return save { x } end, { ["nil"] = true })
  end)
end)

describe("JSON", function()
  it("comes back from what was written", function()
    local text = '{"a":[1,-2.5,1e+300,true,false,null,"\\u0001\\"\\\\"],"":{},"b":[],"ä":{"c":0.1}}'
    local function again(s) return json.encode(json.decode(s, error)) end
    local once = again(text)
    assert.equal(once, again(once))
    assert.equal('{"a":[1,-2.5,1.0000000000000001e+300,true,false,null,"\\u0001\\"\\\\"],"":{},"b":[],"ä":{"c":'
      .. "0.10000000000000001}}", once)
    assert.equal(json.null, json.decode("[null]", error)[1])
  end)
end)
