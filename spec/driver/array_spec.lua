-- CUDA arrays: descriptors, arrays of every shape, copies by bytes, host arrays made into them.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local core = require "cudalua.core"
local ndarray = cuda.ndarray
local textures = require "spec.support.textures"
local soft = gpu.soft and require "cudalua.softgpu"

local function random_bytes(n)
  local t = {}
  for i = 1, n do t[i] = string.char(math.random(0, 255)) end
  return table.concat(t)
end

-- All bytes of an array, x first.
local function contents(array)
  local d = array:get_descriptor_3d()
  local sizes = { [0x01] = 1, [0x08] = 1, [0x02] = 2, [0x09] = 2, [0x10] = 2, [0x03] = 4, [0x0a] = 4, [0x20] = 4 }
  local row = d.width * d.num_channels * sizes[d.format]
  local rows, slices = math.max(d.height, 1), math.max(d.depth, 1)
  local out = ffi.new("uint8_t[?]", row * rows * slices)
  local copy = cuda.Memcpy3D()
  copy:set_src_array(array)
  copy:set_dst_host(out)
  copy.dst_pitch, copy.dst_height = row, rows
  copy.width_in_bytes, copy.height, copy.depth = row, rows, slices
  copy()
  return ffi.string(out, row * rows * slices)
end

describe("arrays", function()
  before_each(gpu.context)

  it("cuda.ArrayDescriptor and cuda.ArrayDescriptor3D have fields with defaults, which can be set", function()
    local d = cuda.ArrayDescriptor()
    assert.same({ 0, 0, 0x20, 1 }, { d.width, d.height, d.format, d.num_channels })
    d.width, d.height, d.format, d.num_channels = 4, 3LL, "unsigned_int8", 2
    assert.same({ 4, 3, 1, 2 }, { d.width, d.height, d.format, d.num_channels })
    assert.equal("cudalua.ArrayDescriptor(4 x 3)", tostring(d))
    local e = cuda.ArrayDescriptor3D { width = 4, depth = 6, format = cuda.array_format.HALF,
      flags = { "layered", "surface_ldst" } }
    assert.same({ 4, 0, 6, 0x10, 1, 3 }, { e.width, e.height, e.depth, e.format, e.num_channels, e.flags })
    assert.equal("cudalua.ArrayDescriptor3D(4 x 0 x 6)", tostring(e))
    e.flags = cuda.array3d_flags.CUBEMAP
    assert.equal(4, e.flags)
    for _, class in ipairs { "ArrayDescriptor", "ArrayDescriptor3D" } do
      local x = cuda[class]()
      for _, field in ipairs { "width", "height", "num_channels", class == "ArrayDescriptor3D" and "depth" or nil } do
        gpu.refuses_nonsense(function(v) x[field] = v end)
        gpu.refuses_nonsense(function(v) cuda[class] { [field] = v } end, { ["nil"] = true })
        assert.equal(field == "num_channels" and 1 or 0, x[field])
      end
      gpu.refuses_nonsense(function(v) x.format = v end)
      gpu.raises("LogicError", "has no field 'widht'", function() x.widht = 1 end)
      gpu.raises("LogicError", "has no field 'widht'", function() return x.widht end)
      gpu.raises("LogicError", "has no field 'widht'", cuda[class], { widht = 1 })
      gpu.error_of("LogicError", function() return x[1] end)
      gpu.refuses_nonsense(cuda[class], { ["nil"] = true, table = true })
    end
    gpu.raises("LogicError", "has no field 'depth'", cuda.ArrayDescriptor, { depth = 1 })
    gpu.refuses_nonsense(function(v) e.flags = v end, { ["nil"] = true, table = true })
    gpu.raises("LogicError", "flags", function() e.flags = "layerd" end)
  end)

  local shapes = {
    { "1D", { width = 7 } },
    { "2D", { width = 7, height = 5 } },
    { "1D, by the larger descriptor", { width = 7, depth = 0 } },
    { "2D, by the larger descriptor", { width = 7, height = 5, depth = 0 } },
    { "3D", { width = 7, height = 5, depth = 3 } },
    { "1D layered", { width = 7, depth = 3, flags = "layered" } },
    { "2D layered", { width = 7, height = 5, depth = 3, flags = "layered" } },
    { "cubemap", { width = 6, height = 6, depth = 6, flags = "cubemap" } },
    { "layered cubemap", { width = 6, height = 6, depth = 12, flags = { "cubemap", "layered" } } },
    { "for surfaces", { width = 7, height = 5, depth = 0, flags = "surface_ldst" } },
  }

  it("cuda.Array of every shape, cuda.Array:get_descriptor, cuda.Array:get_descriptor_3d, bytes in and out", function()
    for _, shape in ipairs(shapes) do
      for _, format in ipairs { "unsigned_int8", "signed_int16", "half", "unsigned_int32", "float" } do
        for _, channels in ipairs { 1, 2, 4 } do
          local fields = { format = format, num_channels = channels }
          for key, value in pairs(shape[2]) do fields[key] = value end
          local descriptor = fields.depth and cuda.ArrayDescriptor3D(fields) or cuda.ArrayDescriptor(fields)
          local array = cuda.Array(descriptor)
          local d, e = array:get_descriptor(), array:get_descriptor_3d()
          for _, key in ipairs { "width", "height", "format", "num_channels" } do
            assert.same({ descriptor[key], descriptor[key] }, { d[key], e[key] })
          end
          if fields.depth then assert.same({ descriptor.depth, descriptor.flags }, { e.depth, e.flags }) end
          local bytes = random_bytes(#contents(array))
          local copy, row = cuda.Memcpy3D(), #bytes / math.max(d.height, 1) / math.max(e.depth, 1)
          copy:set_src_host(bytes)
          copy:set_dst_array(array)
          copy.src_pitch, copy.src_height = row, math.max(d.height, 1)
          copy.width_in_bytes, copy.height, copy.depth = row, math.max(d.height, 1), math.max(e.depth, 1)
          copy()
          assert.equal(bytes, contents(array))
          array:free()
        end
      end
    end
  end)

  it("cuda.Array:get gives the texels as a host array, x last, channels behind it", function()
    local dtypes = { unsigned_int8 = "uint8", signed_int16 = "int16", half = "float16", unsigned_int32 = "uint32",
      float = "float32" }
    for _, shape in ipairs(shapes) do
      for format, dtype in pairs(dtypes) do
        for _, channels in ipairs { 1, 2, 4 } do
          local fields, extents = { format = format, num_channels = channels }, {}
          for key, value in pairs(shape[2]) do fields[key] = value end
          for _, n in ipairs { fields.depth or 0, fields.height or 0, fields.width, channels > 1 and channels or 0 } do
            if n > 0 then extents[#extents + 1] = n end
          end
          local array = cuda.Array(fields.depth and cuda.ArrayDescriptor3D(fields) or cuda.ArrayDescriptor(fields))
          local wrote = textures.fill(array, random_bytes(#contents(array))):get()
          assert.equal(dtype, wrote.dtype.name)
          assert.same(extents, wrote.shape)
          assert.equal(contents(array), ffi.string(wrote:data(), wrote.nbytes))
          array:free()
          gpu.raises("LogicError", "was freed", array.get, array)
        end
      end
    end
    local norm = cuda.Array(cuda.ArrayDescriptor { width = 4, format = "unorm_int8x1" })
    gpu.raises("LogicError", "Array:get: no dtype matches texels of", norm.get, norm)
  end)

  it("go to the driver by the call that their descriptor stands for", function()
    if not soft then return pending "reads the call log" end
    for _, shape in ipairs(shapes) do
      local d = shape[2].depth and cuda.ArrayDescriptor3D(shape[2]) or cuda.ArrayDescriptor(shape[2])
      soft.log "on"
      soft.log "clear"
      cuda.Array(d)
      local symbols = {}
      for _, call in ipairs(soft.calls()) do symbols[call.symbol] = true end
      soft.log "off"
      assert.is_true(symbols[shape[2].depth and "cuArray3DCreate_v2" or "cuArrayCreate_v2"])
    end
  end)

  it("cuda.Array refuses what there is not", function()
    local function try(text, fields) gpu.raises("LogicError", text, cuda.Array, cuda.ArrayDescriptor3D(fields)) end
    try("width is 0", { height = 4 })
    try("num_channels must be 1, 2 or 4, got 3", { width = 4, num_channels = 3 })
    try("num_channels must be 1, 2 or 4, got 0", { width = 4, num_channels = 0 })
    try("num_channels", { width = 4, num_channels = 2 ^ 32 + 1 })
    try("square faces, got a width of 4 and a height of 5", { width = 4, height = 5, depth = 6, flags = "cubemap" })
    try("depth must be 6, got 5", { width = 4, height = 4, depth = 5, flags = "cubemap" })
    try("must be a multiple of 6, got 8", { width = 4, height = 4, depth = 8, flags = { "cubemap", "layered" } })
    try("a layered array has depth layers", { width = 4, height = 4, depth = 0, flags = "layered" })
    try("a depth of 3 needs a height", { width = 4, depth = 3 })
    try("needs a height and no depth", { width = 4, flags = "texture_gather" })
    try("needs a height and no depth", { width = 4, height = 4, depth = 2, flags = "texture_gather" })
    try("", { width = 2 ^ 53, height = 2 ^ 53, depth = 2 ^ 53 })
    gpu.refuses_nonsense(cuda.Array)
    gpu.error_of("LogicError", cuda.Array, { width = 4 })
    cuda.Stream():capture(function()
      gpu.raises("LogicError", "being captured", cuda.Array, cuda.ArrayDescriptor { width = 4 })
    end)
    if not soft then return end
    jit.flush() -- machine code holds what it was made for, and goes where memory is short
    cuda.collect()
    local live = soft.stats().live_arrays
    soft.fail("cuArrayCreate_v2", 1, 2)
    cuda.Array(cuda.ArrayDescriptor { width = 4 }):free()
    for _, symbol in ipairs { "cuArrayCreate_v2", "cuArray3DCreate_v2" } do
      local d = cuda[symbol:find "3D" and "ArrayDescriptor3D" or "ArrayDescriptor"] { width = 16, height = 2 }
      soft.fail(symbol, 1, 2)
      soft.fail(symbol, 2, 2)
      local err = gpu.error_of("MemoryError", cuda.Array, d)
      assert.equal(128, err.requested)
    end
    cuda.collect()
    assert.equal(live, soft.stats().live_arrays)
  end)

  it("cuda.Array:free, cuda.Array:close, cuda.Array:handle: freed is freed", function()
    for _, method in ipairs { "free", "close" } do
      local bytes = cuda.mem_stats().arrays.bytes
      local array, mem = cuda.Array(cuda.ArrayDescriptor { width = 4 }), cuda.mem_alloc(16)
      assert.equal(bytes + 16, cuda.mem_stats().arrays.bytes)
      assert.is_true(array:handle() > 0)
      local descriptor = array:get_descriptor()
      assert.is_nil(array[method](array))
      assert.equal(bytes, cuda.mem_stats().arrays.bytes)
      if soft then
        soft.log "on"
        soft.log "clear"
      end
      for _, f in pairs(core.classes.Array) do gpu.raises("LogicError", "was freed at", f, array) end
      for _, f in ipairs { function() cuda.memcpy_dtoa(array, 0, mem, 4) end, function()
        cuda.memcpy_atod(mem, array, 0, 4)
      end, function() cuda.memcpy_htoa(array, 0, "abcd") end, function()
        cuda.memcpy_atoh(ffi.new "char[4]", array, 0)
      end, function() cuda.memcpy_atoa(array, 0, array, 0, 4) end } do
        gpu.raises("LogicError", "was freed at", f)
      end
      if soft then
        for _, call in ipairs(soft.calls()) do assert.not_matches("Array", call.symbol) end
        soft.log "off"
      end
      assert.equal("cudalua.Array (freed)", tostring(array))
      assert.equal(4, descriptor.width)
    end
    for _, f in pairs(core.classes.Array) do gpu.refuses_nonsense(f) end
  end)

  it("cuda.memcpy_htoa, cuda.memcpy_atoh, cuda.memcpy_dtoa, cuda.memcpy_atod, cuda.memcpy_atoa copy bytes of a row",
    function()
      local a = cuda.Array(cuda.ArrayDescriptor { width = 16, format = "unsigned_int8" })
      local b = cuda.Array(cuda.ArrayDescriptor { width = 4, height = 3, format = "float" })
      local mem = cuda.to_device "ABCDEFGH"
      cuda.memcpy_htoa(a, 0, "0123456789abcdef")
      cuda.memcpy_htoa(a, 4, "wxyz")
      assert.equal("0123wxyz89abcdef", contents(a))
      local out = ffi.new "char[8]"
      cuda.memcpy_atoh(out, a, 3)
      assert.equal("3wxyz89a", ffi.string(out, 8))
      cuda.memcpy_dtoa(a, 1, mem + 2, 3)
      assert.equal("0CDEwxyz89abcdef", contents(a))
      cuda.memcpy_atod(mem, a, 8, 4)
      cuda.memcpy_dtoh(out, mem)
      assert.equal("89abEFGH", ffi.string(out, 8))
      local c = cuda.Array(cuda.ArrayDescriptor { width = 16, format = "unsigned_int8" })
      cuda.memcpy_htoa(c, 0, (" "):rep(16))
      cuda.memcpy_atoa(c, 2, a, 10, 5)
      assert.equal("  abcde" .. (" "):rep(9), contents(c))
      cuda.memcpy_htoa(b, 4, "abcdefghijkl")
      cuda.memcpy_atoh(out, b, 8)
      assert.equal("efghijkl", ffi.string(out, 8))
      local managed, pinned = cuda.managed_zeros(8, "uint8"), cuda.pagelocked_zeros(8, "uint8")
      cuda.memcpy_atoh(managed, b, 8)
      cuda.memcpy_atoh(pinned, b, 8)
      assert.same({ 101, 101 }, { managed[1], pinned[1] })
      cuda.memcpy_htoa(b, 0, managed)
      managed:fill(0)
      cuda.memcpy_atoh(out, b, 0)
      assert.equal("efghijkl", ffi.string(out, 8))
      for _, f in ipairs { function() cuda.memcpy_htoa(a, 0, "") end, function() cuda.memcpy_dtoa(a, 16, mem, 0) end,
        function() cuda.memcpy_atod(mem, a, 0, 0) end, function() cuda.memcpy_atoa(c, 0, a, 0, 0) end } do
        f()
      end
    end)

  it("cuda.memcpy_htoa and its like refuse what does not fit before the driver is called", function()
    local a = cuda.Array(cuda.ArrayDescriptor { width = 4, height = 2, format = "float" })
    local mem, out = cuda.mem_alloc(64), ffi.new "char[17]"
    if soft then
      soft.log "on"
      soft.log "clear"
    end
    gpu.raises("LogicError", "17 bytes from offset 0 on do not fit in the 16", cuda.memcpy_htoa, a, 0, out)
    gpu.raises("LogicError", "do not fit in the 16", cuda.memcpy_htoa, a, 13, "abcd")
    gpu.raises("LogicError", "do not fit in the 16", cuda.memcpy_htoa, a, 17, "")
    gpu.raises("LogicError", "do not fit in the 16", cuda.memcpy_atoh, out, a, 0)
    gpu.raises("LogicError", "do not fit in the 16", cuda.memcpy_dtoa, a, 12, mem, 8)
    gpu.raises("LogicError", "do not fit in the 16", cuda.memcpy_atod, mem, a, 2 ^ 53, 4)
    gpu.raises("LogicError", "do not fit in 64", cuda.memcpy_atod, mem, a, 0, 65)
    gpu.raises("LogicError", "do not fit in 4", cuda.memcpy_dtoa, a, 0, mem + 60, 8)
    gpu.raises("LogicError", "do not fit in the 16", cuda.memcpy_atoa, a, 0, a, 4, 16)
    gpu.raises("LogicError", "do not fit in the 16", cuda.memcpy_atoa, a, 4, a, 0, 16)
    if soft then
      for _, call in ipairs(soft.calls()) do assert.not_matches("Memcpy", call.symbol) end
      soft.log "off"
    end
    gpu.raises("LogicError", "expected an Array", cuda.memcpy_htoa, mem, 0, "abcd")
    gpu.raises("LogicError", "string cannot be written", cuda.memcpy_atoh, "abcd", a, 0)
    for _, f in ipairs { function(v) cuda.memcpy_htoa(v, 0, "abcd") end, function(v) cuda.memcpy_htoa(a, v, "abcd") end,
      function(v) cuda.memcpy_atoh(out, v, 0) end, function(v) cuda.memcpy_atoh(out, a, v) end,
      function(v) cuda.memcpy_dtoa(a, v, mem, 4) end, function(v) cuda.memcpy_dtoa(a, 0, v, 4) end,
      function(v) cuda.memcpy_dtoa(a, 0, mem, v) end, function(v) cuda.memcpy_atod(v, a, 0, 4) end,
      function(v) cuda.memcpy_atod(mem, v, 0, 4) end, function(v) cuda.memcpy_atod(mem, a, v, 4) end,
      function(v) cuda.memcpy_atod(mem, a, 0, v) end, function(v) cuda.memcpy_atoa(v, 0, a, 0, 4) end,
      function(v) cuda.memcpy_atoa(a, v, a, 0, 4) end, function(v) cuda.memcpy_atoa(a, 0, v, 0, 4) end,
      function(v) cuda.memcpy_atoa(a, 0, a, v, 4) end, function(v) cuda.memcpy_atoa(a, 0, a, 0, v) end } do
      gpu.refuses_nonsense(f)
    end
    gpu.refuses_nonsense(function(v) cuda.memcpy_htoa(a, 0, v) end, { cdata = true, string = true })
    gpu.refuses_nonsense(function(v) cuda.memcpy_atoh(v, a, 0) end, { cdata = true })
    local other = cuda.Device(0):make_context()
    gpu.raises("LogicError", "another context", cuda.memcpy_htoa, a, 0, "abcd")
    gpu.raises("LogicError", "another context", cuda.memcpy_atod, cuda.mem_alloc(4), a, 0, 4)
    other:detach()
  end)

  it("dropped, at the end of the state, and without their context", function()
    local out, ok = gpu.child([[
      local cuda = require "cudalua"
      cuda.init()
      local core = require "cudalua.core"
      local soft = cuda.driver_info().soft and require "cudalua.softgpu"
      local function live() return soft and soft.stats().live_arrays or 0 end
      local ctx = cuda.Device(0):make_context()
      local function make() return cuda.Array(cuda.ArrayDescriptor { width = 1024, height = 1024 }) end
      for i = 1, 2000 do make() end -- 8 GiB through a device of 1
      cuda.collect()
      assert(live() == 0 and cuda.mem_stats().arrays.bytes == 0)
      local a = make()
      ctx:detach()
      local good, err = pcall(a.free, a)
      assert(not good and err.message:find "its Context is gone")
      a = nil
      ctx = cuda.Device(0):make_context()
      b = make()
      cuda.collect()
      assert(core.failed_destroys() == 0 and (not soft or soft.stats().stale == 0))
      print "fine"
      os.exit(0, true)
    ]], gpu.driver .. " CUDALUA_SOFT_LEAKS=on CUDALUA_SOFT_MEMORY=1G")
    assert.equal("fine\n", out)
    assert.is_true(ok)
  end)
end)

describe("host arrays as arrays", function()
  before_each(gpu.context)

  local function random_array(shape, dtype)
    local a = ndarray.zeros(shape, dtype)
    ffi.copy(a:data(), random_bytes(a.nbytes), a.nbytes)
    return a
  end

  -- The bytes of elements of host array `a`, by a function of x, y, z (0-based).
  local function bytes_of(a, width, height, depth, at)
    local copy, size = a:copy "C", a.dtype.itemsize
    local base, strides, out = ffi.cast("const uint8_t *", copy:data()), copy.strides, {}
    for z = 0, depth - 1 do
      for y = 0, height - 1 do
        for x = 0, width - 1 do
          local offset = 0
          for axis, i in ipairs { at(x, y, z) } do offset = offset + i * strides[axis] end
          out[#out + 1] = ffi.string(base + offset, size)
        end
      end
    end
    return table.concat(out)
  end

  local formats = { uint8 = { 1, 1 }, int8 = { 8, 1 }, uint16 = { 2, 1 }, int16 = { 9, 1 }, uint32 = { 3, 1 },
    int32 = { 10, 1 }, float16 = { 0x10, 1 }, float32 = { 0x20, 1 }, complex64 = { 0x20, 2 } }
  local hacked = { float64 = { 10, 2 }, complex128 = { 10, 4 } }

  it("cuda.dtype_to_array_format", function()
    for name, format in pairs(formats) do
      if format[2] == 1 then assert.equal(format[1], cuda.dtype_to_array_format(name)) end
    end
    assert.equal(cuda.array_format.FLOAT, cuda.dtype_to_array_format(cuda.dtype.float32))
    for _, name in ipairs { "bool", "int64", "uint64", "float64", "complex64", "bfloat16" } do
      gpu.raises("LogicError", "CUDA arrays do not support the dtype " .. name, cuda.dtype_to_array_format, name)
    end
    gpu.refuses_nonsense(cuda.dtype_to_array_format, { cdata = true })
  end)

  it("cuda.matrix_to_array: C is m[y][x], F is m[x][y]", function()
    for name, format in pairs(formats) do
      for _, layout in ipairs { "C", "F" } do
        local m = random_array({ 3, 5 }, name):copy(layout)
        local c, f = cuda.matrix_to_array(m, "C"), cuda.matrix_to_array(m, "F")
        local dc, df = c:get_descriptor(), f:get_descriptor_3d()
        assert.same({ 5, 3, format[1], format[2] }, { dc.width, dc.height, dc.format, dc.num_channels })
        assert.same({ 3, 5, 0, format[1], format[2] }, { df.width, df.height, df.depth, df.format, df.num_channels })
        assert.equal(bytes_of(m, 5, 3, 1, function(x, y) return y, x end), contents(c))
        assert.equal(bytes_of(m, 3, 5, 1, function(x, y) return x, y end), contents(f))
      end
    end
    local big = random_array({ 6, 10 }, "int32")
    local part = big:slice({ 2, 6, 2 }, { 10, 2, -2 })
    assert.equal(bytes_of(part, 5, 3, 1, function(x, y) return y, x end), contents(cuda.matrix_to_array(part, "C")))
  end)

  it("cuda.matrix_to_array with allow_double_hack: doubles as words", function()
    for name, format in pairs(hacked) do
      local m = random_array({ 3, 5 }, name)
      gpu.raises("LogicError", "allow_double_hack", cuda.matrix_to_array, m, "C")
      gpu.raises("LogicError", "allow_double_hack", cuda.matrix_to_array, m, "C", { allow_double_hack = false })
      local array = cuda.matrix_to_array(m, "F", { allow_double_hack = true })
      local d = array:get_descriptor()
      assert.same({ 3, 5, format[1], format[2] }, { d.width, d.height, d.format, d.num_channels })
      assert.equal(bytes_of(m, 3, 5, 1, function(x, y) return x, y end), contents(array))
    end
  end)

  it("cuda.make_multichannel_2d_array: C is {height, width, channels}, F is {channels, width, height}", function()
    for _, channels in ipairs { 1, 2, 4 } do
      for _, name in ipairs { "uint8", "int16", "float32" } do
        local c, f = random_array({ 3, 5, channels }, name), random_array({ channels, 5, 3 }, name)
        local a, b = cuda.make_multichannel_2d_array(c, "C"), cuda.make_multichannel_2d_array(f, "F")
        for _, array in ipairs { a, b } do
          local d = array:get_descriptor_3d()
          assert.same({ 5, 3, 0, channels }, { d.width, d.height, d.depth, d.num_channels })
        end
        assert.equal(bytes_of(c, channels, 5, 3, function(k, x, y) return y, x, k end), contents(a))
        assert.equal(bytes_of(f, channels, 5, 3, function(k, x, y) return k, x, y end), contents(b))
      end
    end
    gpu.raises("LogicError", "num_channels must be 1, 2 or 4, got 3", cuda.make_multichannel_2d_array,
      ndarray.zeros({ 2, 2, 3 }), "C")
    gpu.raises("LogicError", "3 axes, got 2", cuda.make_multichannel_2d_array, ndarray.zeros { 2, 2 }, "C")
  end)

  it("cuda.np_to_array: one to three axes, both orders, for surfaces too", function()
    local shapes = { { 7 }, { 3, 5 }, { 2, 3, 5 } }
    for rank, shape in ipairs(shapes) do
      for _, name in ipairs { "uint8", "float32", "complex64", "float64", "complex128" } do
        local m = random_array(shape, name)
        local format = formats[name] or hacked[name]
        local c, f = cuda.np_to_array(m, "C"), cuda.np_to_array(m, "F", { allow_surface_bind = true })
        local dc, df = c:get_descriptor_3d(), f:get_descriptor_3d()
        local w, h, d = shape[rank], shape[rank - 1] or 0, shape[rank - 2] or 0
        assert.same({ w, h, d, format[1], format[2], 0 },
          { dc.width, dc.height, dc.depth, dc.format, dc.num_channels, dc.flags })
        assert.same({ shape[1], shape[2] or 0, shape[3] or 0, cuda.array3d_flags.SURFACE_LDST },
          { df.width, df.height, df.depth, df.flags })
        local function reversed(x, y, z)
          if rank == 1 then return x elseif rank == 2 then return y, x end
          return z, y, x
        end
        local function straight(x, y, z)
          if rank == 1 then return x elseif rank == 2 then return x, y end
          return x, y, z
        end
        assert.equal(bytes_of(m, w, math.max(h, 1), math.max(d, 1), reversed), contents(c))
        assert.equal(bytes_of(m, shape[1], shape[2] or 1, shape[3] or 1, straight), contents(f))
      end
    end
    gpu.raises("LogicError", "1 to 3 axes, got 4", cuda.np_to_array, ndarray.zeros { 2, 2, 2, 2 }, "C")
    gpu.raises("LogicError", "1 to 3 axes, got 0", cuda.np_to_array, ndarray.zeros {}, "C")
    gpu.raises("LogicError", "allow_double_hack", cuda.np_to_array, ndarray.zeros(3, "float64"), "C",
      { allow_double_hack = false })
  end)

  it("cuda.matrix_to_array and its like refuse nonsense", function()
    local m = ndarray.zeros { 3, 5 }
    for _, f in ipairs { cuda.matrix_to_array, cuda.np_to_array, cuda.make_multichannel_2d_array } do
      local a = f == cuda.make_multichannel_2d_array and ndarray.zeros { 3, 5, 2 } or m
      gpu.refuses_nonsense(function(v) f(v, "C") end)
      gpu.refuses_nonsense(function(v) f(a, v) end)
      gpu.raises("LogicError", "order", f, a, "c")
      gpu.raises("LogicError", "CUDA arrays do not support the dtype", f, a:astype "int64", "C")
    end
    gpu.refuses_nonsense(function(v) cuda.matrix_to_array(m, "C", v) end, { ["nil"] = true, table = true })
    gpu.refuses_nonsense(function(v) cuda.np_to_array(m, "C", v) end, { ["nil"] = true, table = true })
    gpu.raises("LogicError", "unknown option", cuda.matrix_to_array, m, "C", { allow_surface_bind = true })
    gpu.raises("LogicError", "unknown option", cuda.np_to_array, m, "C", { allow_surface = true })
    gpu.raises("LogicError", "2 axes, got 1", cuda.matrix_to_array, ndarray.zeros(3), "C")
    gpu.raises("LogicError", "width is 0", cuda.matrix_to_array, ndarray.zeros { 3, 0 }, "C")
    local pinned = cuda.pagelocked_zeros({ 2, 2 }, "float32")
    pinned.base:free()
    gpu.raises("LogicError", "was freed at", cuda.matrix_to_array, pinned, "C")
  end)
end)
