-- Linear copies and fills. Rectangles: memcpy_box_spec; CUDA arrays: array_spec.
local gpu = require "spec.support.gpu"
local cuda, ffi = gpu.cuda, require "ffi"

local function bytes_of(mem, n)
  local out = ffi.new("uint8_t[?]", n)
  cuda.memcpy_dtoh(out, mem, { nbytes = n })
  return out
end

local function random_bytes(n)
  local t = {}
  for i = 1, n do t[i] = string.char(math.random(0, 255)) end
  return table.concat(t)
end

describe("copies", function()
  before_each(gpu.context)

  it("cuda.to_device and cuda.from_device: round trip of every dtype, both orders", function()
    for _, dtype in ipairs { "int8", "uint16", "int32", "float32", "float64", "complex64", "bool" } do
      local ary = cuda.ndarray.zeros({ 3, 5 }, dtype)
      local text = random_bytes(ary.nbytes)
      if dtype == "bool" then text = text:gsub(".", function(c) return string.char(c:byte() % 2) end) end
      ffi.copy(ary:data(), text, ary.nbytes)
      local mem = cuda.to_device(ary)
      assert.equal(ary.nbytes, #mem)
      local back = cuda.from_device(mem, { 3, 5 }, dtype)
      assert.equal(text, ffi.string(back:data(), back.nbytes))
      local f = cuda.from_device(mem, { 5, 3 }, dtype, "F")
      assert.equal(text, ffi.string(f:data(), f.nbytes))
      assert.is_true(f.flags.f_contiguous)
    end
    gpu.raises("LogicError", "do not fit in", cuda.from_device, cuda.mem_alloc(16), { 5 }, "int32")
    gpu.refuses_nonsense(cuda.from_device)
    gpu.refuses_nonsense(function(v) cuda.from_device(cuda.mem_alloc(16), v, "int32") end, { table = true })
  end)

  it("cuda.from_device_like takes shape, dtype and order from another array", function()
    local like = cuda.ndarray.zeros({ 2, 3 }, "float64", { order = "F" })
    local mem = cuda.to_device(cuda.ndarray.array { 1, 2, 3, 4, 5, 6 }:astype "float64")
    local back = cuda.from_device_like(mem, like)
    assert.same({ { 1, 3, 5 }, { 2, 4, 6 } }, back:tolist())
    gpu.refuses_nonsense(function(v) cuda.from_device_like(mem, v) end)
  end)

  it("cuda.memcpy_htod_async, cuda.memcpy_dtoh_async and cuda.memcpy_dtod_async are ordered in their stream", function()
    local s, n = cuda.Stream "non_blocking", 4096
    local text, out = random_bytes(n), ffi.new("uint8_t[?]", n)
    local a, b = cuda.mem_alloc(n), cuda.mem_alloc(n)
    cuda.memcpy_htod_async(a, text, s)
    cuda.memcpy_dtod_async(b, a, n, s)
    cuda.memcpy_dtoh_async(out, b, s)
    s:synchronize()
    assert.equal(text, ffi.string(out, n))
    cuda.memcpy_htod_async(a, text:reverse(), s, { nbytes = 100 })
    cuda.memcpy_dtoh_async(out, a, s, { nbytes = 200 })
    s:synchronize()
    assert.equal(text:reverse():sub(1, 100) .. text:sub(101, 200), ffi.string(out, 200))
  end)

  it("asynchronous copies hold their host buffers until they are done", function()
    -- In a process of its own: busted's ffi.typeof keeps every value that it was ever asked about.
    local out, ok = gpu.child([[
      local cuda, ffi = require "cudalua", require "ffi"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      local s, n = cuda.Stream "non_blocking", 65536
      local mem, released = cuda.mem_alloc(n * 8), 0
      local function start(i)
        local buf = ffi.gc(ffi.new("uint8_t[?]", n), function() released = released + 1 end)
        ffi.fill(buf, n, i + 1)
        cuda.memcpy_htod_async(mem + i * n, buf, s)
      end
      for i = 0, 7 do start(i) end
      collectgarbage() collectgarbage()
      local deferred = cuda.driver_info().soft and not os.getenv "CUDALUA_SOFT_STREAMS"
      assert(not deferred or released < 8) -- nobody asked about the last one
      local out = ffi.new("uint8_t[?]", n * 8)
      cuda.memcpy_dtoh_async(out, mem, s)
      s:synchronize()
      for i = 0, 7 do assert(out[i * n] == i + 1 and out[i * n + n - 1] == i + 1) end
      collectgarbage() collectgarbage()
      print(released)
      os.exit(0, true)
    ]], gpu.driver .. " CUDALUA_SOFT_LEAKS=on")
    assert.equal("8\n", out)
    assert.is_true(ok)
  end)

  it("page-locked sources are read when the copy runs on the software device", function()
    if not gpu.soft then return pending "a GPU may be faster than the program" end
    if os.getenv "CUDALUA_SOFT_STREAMS" then return end
    local s = cuda.Stream "non_blocking"
    local pinned = cuda.pagelocked_empty(4, "int32")
    pinned:fill(1)
    local mem = cuda.mem_alloc(16)
    cuda.memcpy_htod_async(mem, pinned, s)
    pinned:fill(2)
    s:synchronize()
    assert.same({ 2, 2, 2, 2 }, cuda.from_device(mem, 4, "int32"):tolist())
  end)

  it("refuse what does not fit, and what is not memory", function()
    local mem, s = cuda.mem_alloc(16), cuda.Stream()
    local big = ffi.new "uint8_t[17]"
    gpu.raises("LogicError", "17 bytes do not fit in 16", cuda.memcpy_htod_async, mem, big, s)
    gpu.raises("LogicError", "17 bytes do not fit in 16", cuda.memcpy_dtoh_async, big, mem, s)
    gpu.raises("LogicError", "17 bytes do not fit in 16", cuda.memcpy_dtod_async, mem, mem, 17, s)
    gpu.raises("LogicError", "cannot be written to", cuda.memcpy_dtoh_async, "text", mem, s)
    gpu.raises("LogicError", "expected a Stream", cuda.memcpy_htod_async, mem, "abc", 5)
    local out = ffi.new "char[3]"
    for _, f in ipairs { function(opts) cuda.memcpy_htod(mem, "abc", opts) end,
      function(opts) cuda.memcpy_dtoh(out, mem, opts) end,
      function(opts) cuda.memcpy_htod_async(mem, "abc", s, opts) end,
      function(opts) cuda.memcpy_dtoh_async(out, mem, s, opts) end } do
      gpu.raises("LogicError", "nbytes must be an integer", f, { nbytes = 1.5 })
      gpu.raises("LogicError", "nbytes is 4, but the host buffer has only 3", f, { nbytes = 4 })
      gpu.raises("LogicError", "unknown option", f, { bytes = 4 })
      gpu.refuses_nonsense(f, { ["nil"] = true, table = true })
      f { nbytes = 0 }
      f { nbytes = 2LL }
    end
    gpu.refuses_nonsense(function(v) cuda.memcpy_htod_async(v, "abcd", s) end)
    gpu.refuses_nonsense(function(v) cuda.memcpy_dtoh_async(v, mem, s) end, { cdata = true })
    gpu.refuses_nonsense(function(v) cuda.memcpy_dtod_async(mem, mem, v, s) end)
    gpu.refuses_nonsense(function(v) cuda.memcpy_htod_async(mem, "abcd", v) end, { ["nil"] = true })
    local closed = cuda.Stream()
    closed:close()
    gpu.raises("LogicError", "was closed at", cuda.memcpy_htod_async, mem, "abc", closed)
  end)

  it("objects with get_pointer stand for device memory", function()
    local mem = cuda.to_device(random_bytes(8))
    local holder = { get_pointer = function() return mem end }
    local by_number = { get_pointer = function() return mem:ptr() + 4 end }
    cuda.memcpy_htod(holder, "abcdefgh")
    cuda.memcpy_htod(by_number, "WXYZ")
    assert.equal("abcdWXYZ", ffi.string(bytes_of(mem, 8), 8))
    gpu.raises("LogicError", "expected device memory", cuda.memcpy_htod,
      { get_pointer = function() return {} end }, "x")
  end)

  it("cuda.memcpy_peer and cuda.memcpy_peer_async copy between contexts", function()
    local here = cuda.Context.get_current()
    local a = cuda.to_device "0123456789abcdef"
    local other = cuda.Device(0):make_context()
    local b = cuda.mem_alloc(16)
    cuda.Context.pop()
    cuda.memcpy_peer(b, a, 16, { dest_context = other, src_context = here })
    local function read() return other:with(function() return ffi.string(bytes_of(b, 16), 16) end) end
    assert.equal("0123456789abcdef", read())
    cuda.memcpy_htod(a, "fedcba9876543210")
    cuda.memcpy_peer(b, a, 8, { dest_context = other })
    assert.equal("fedcba9889abcdef", read())
    local s = cuda.Stream()
    cuda.memcpy_peer_async(b, a, 16, { dest_context = other, stream = s })
    s:synchronize()
    assert.equal("fedcba9876543210", read())
    gpu.raises("LogicError", "belongs to another context", cuda.memcpy_peer, b, a, 16)
    gpu.raises("LogicError", "unknown option", cuda.memcpy_peer, b, a, 16, { context = other })
    gpu.raises("LogicError", "do not fit", cuda.memcpy_peer, b, a, 17, { dest_context = other })
    gpu.raises("LogicError", "expected a Context", cuda.memcpy_peer, b, a, 16, { dest_context = 5 })
    other:detach()
    gpu.raises("LogicError", "its Context is gone", cuda.memcpy_peer, b, a, 16, { dest_context = other })
    gpu.raises("LogicError", "was detached at", cuda.memcpy_peer, a, a, 16, { dest_context = other })
    for _, f in ipairs { cuda.memcpy_peer, cuda.memcpy_peer_async } do
      gpu.refuses_nonsense(function(v) f(v, a, 16) end)
      gpu.refuses_nonsense(function(v) f(a, v, 16) end)
      gpu.refuses_nonsense(function(v) f(a, a, v) end)
      gpu.refuses_nonsense(function(v) f(a, a, 8, v) end, { ["nil"] = true, table = true })
      gpu.refuses_nonsense(function(v) f(a, a, 8, { stream = v }) end, { ["nil"] = true })
      f(a, a + 8, 0)
    end
  end)

  it("cuda.memcpy_peer and cuda.memcpy_peer_async between two devices", function()
    if not gpu.soft and cuda.Device.count() < 2 then return end
    local out, ok = gpu.child([[
      local cuda, ffi = require "cudalua", require "ffi"
      cuda.init()
      local here = cuda.Device(0):make_context()
      local a = cuda.to_device "0123456789abcdef"
      local other = cuda.Device(1):make_context()
      local b, s = cuda.mem_alloc(16), cuda.Stream()
      cuda.Context.pop()
      local function read()
        return other:with(function()
          local text = ffi.new "char[16]"
          cuda.memcpy_dtoh(text, b)
          return ffi.string(text, 16)
        end)
      end
      cuda.memcpy_peer(b, a, 16, { dest_context = other })
      print(read())
      cuda.memcpy_htod(a, "fedcba9876543210")
      cuda.Context.synchronize()
      other:with(function()
        cuda.memcpy_peer_async(b, a, 16, { src_context = here, stream = s })
        s:synchronize()
      end)
      print(read())
      print((select(2, pcall(cuda.memcpy_dtod, b, a, 16)).message:match "belongs to another context"))
    ]], gpu.driver .. " CUDALUA_SOFT_DEVICES=2")
    assert.equal("0123456789abcdef\nfedcba9876543210\nbelongs to another context\n", out)
    assert.is_true(ok)
  end)

  it("memory of another context is refused, whatever is done with it", function()
    local mem, host = cuda.mem_alloc(16), ffi.new "char[16]"
    local other = cuda.Device(0):make_context()
    local mine = cuda.mem_alloc(16)
    for _, f in ipairs { function() cuda.memcpy_htod(mem, host) end, function() cuda.memcpy_dtoh(host, mem) end,
      function() cuda.memcpy_dtod(mem, mine, 4) end, function() cuda.memcpy_dtod(mine, mem + 4, 4) end,
      function() cuda.memcpy_htod_async(mem, host) end, function() cuda.memcpy_dtoh_async(host, mem) end,
      function() cuda.memcpy_dtod_async(mine, mem, 4) end, function() cuda.memset_d8(mem, 0, 4) end,
      function() cuda.memset_d32_async(mem, 0, 4) end, function() cuda.memset_d2d16(mem, 8, 0, 4, 2) end } do
      gpu.raises("LogicError", "belongs to another context", f)
    end
    cuda.memcpy_dtod(mine, cuda.pointer(mem:ptr()), 4) -- a bare address is the user's business
    cuda.Context.pop()
    gpu.raises("LogicError", "belongs to another context", cuda.memset_d8, mine, 0, 4)
    other:detach()
  end)

  it("work in the current stream, and what a capture would not survive is refused", function()
    local s, mem = cuda.Stream(), cuda.mem_alloc(16)
    local exec = s:capture(function()
      gpu.raises("LogicError", "being captured", cuda.memcpy_htod, mem, "abcd")
      gpu.raises("LogicError", "being captured", cuda.memcpy_dtoh, ffi.new "char[4]", mem)
      gpu.raises("LogicError", "being captured", cuda.memcpy_dtod, mem, mem + 8, 4)
      gpu.raises("LogicError", "being captured", cuda.memcpy_peer, mem, mem + 8, 4)
      gpu.raises("LogicError", "being captured", cuda.memset_d8, mem, 0, 4)
      cuda.memset_d8_async(mem, ("x"):byte(), 16)
      cuda.memcpy_htod_async(mem, "abcd" .. ("e"):rep(4))
      cuda.memcpy_dtod_async(mem + 8, mem, 4)
    end):instantiate()
    cuda.memset_d8(mem, 0, 16)
    cuda.Context.synchronize()
    collectgarbage()
    exec:launch(s)
    s:synchronize()
    assert.equal("abcdeeeeabcdxxxx", ffi.string(bytes_of(mem, 16), 16))
    mem:free()
    gpu.raises("LogicError", "that the graph uses was freed", exec.launch, exec, s)
  end)
end)

describe("fills", function()
  before_each(gpu.context)
  local sizes = { [8] = 1, [16] = 2, [32] = 4 }

  local function element(data, size)
    local t = {}
    for i = 1, size do t[i] = string.char(math.floor(data / 256 ^ (i - 1)) % 256) end
    return table.concat(t)
  end

  for bits, size in pairs(sizes) do
    for _, async in ipairs { "", "_async" } do
      local name = "memset_d" .. bits .. async
      it("cuda." .. name .. " fills count elements and no more", function()
        local s = async ~= "" and cuda.Stream "non_blocking" or nil
        for _ = 1, 5 do
          local n = math.random(1, 300)
          local text = random_bytes((n + 4) * size)
          local mem = cuda.to_device(text)
          local data = math.random(0, 2 ^ bits - 1)
          cuda.Context.synchronize()
          cuda[name](mem + 2 * size, data, n, s)
          if s then s:synchronize() end
          assert.equal(text:sub(1, 2 * size) .. element(data, size):rep(n) .. text:sub((n + 2) * size + 1),
            ffi.string(bytes_of(mem, #text), #text))
        end
        local mem = cuda.mem_alloc(64)
        cuda[name](mem, 0, 0, s)
        cuda[name](mem, 2 ^ bits - 1, 64 / size, s)
        gpu.raises("LogicError", "do not fit in 64 bytes", cuda[name], mem, 0, 64 / size + 1, s)
        gpu.raises("LogicError", "from 0 to", cuda[name], mem, 2 ^ bits, 1, s)
        gpu.raises("LogicError", "from 0 to", cuda[name], mem, -1, 1, s)
        gpu.error_of("LogicError", cuda[name], mem, 0, 2 ^ 53, s)
        if size > 1 then gpu.raises("LogicError", "is not a multiple of", cuda[name], mem + 1, 0, 1, s) end
        gpu.refuses_nonsense(function(v) cuda[name](v, 0, 1, s) end)
        gpu.refuses_nonsense(function(v) cuda[name](mem, v, 1, s) end)
        gpu.refuses_nonsense(function(v) cuda[name](mem, 0, v, s) end)
        if s then gpu.refuses_nonsense(function(v) cuda[name](mem, 0, 1, v) end, { ["nil"] = true }) end
      end)

      local name_2d = "memset_d2d" .. bits .. async
      it("cuda." .. name_2d .. " fills a rectangle and no more", function()
        local s = async ~= "" and cuda.Stream "non_blocking" or nil
        for _ = 1, 5 do
          local width, height = math.random(1, 20), math.random(1, 8)
          local pitch = (width + math.random(0, 5)) * size
          local text = random_bytes(pitch * height)
          local mem = cuda.to_device(text)
          local data = math.random(0, 2 ^ bits - 1)
          cuda.Context.synchronize()
          cuda[name_2d](mem, pitch, data, width, height, s)
          if s then s:synchronize() end
          local expected = {}
          for row = 0, height - 1 do
            expected[row + 1] = element(data, size):rep(width) ..
              text:sub(row * pitch + width * size + 1, (row + 1) * pitch)
          end
          assert.equal(table.concat(expected), ffi.string(bytes_of(mem, #text), #text))
        end
        local mem = cuda.mem_alloc(64)
        gpu.raises("LogicError", "do not fit", cuda[name_2d], mem, 32, 0, 32 / size, 3, s)
        gpu.raises("LogicError", "from row to row", cuda[name_2d], mem, 16, 0, 32 / size, 2, s)
        gpu.error_of("LogicError", cuda[name_2d], mem, 2 ^ 52, 0, 4, 2 ^ 52, s)
        if size > 1 then gpu.raises("LogicError", "pitch", cuda[name_2d], mem, 33, 0, 4, 2, s) end
        for at = 1, 5 do
          gpu.refuses_nonsense(function(v)
            local args = { mem, 16, 0, 4, 2 }
            args[at] = v
            cuda[name_2d](args[1], args[2], args[3], args[4], args[5], s)
          end)
        end
      end)
    end
  end

  it("go to the driver as they are named", function()
    if not gpu.soft then return pending "reads the call log" end
    local soft, s = require "cudalua.softgpu", cuda.Stream()
    local mem = cuda.mem_alloc(64)
    soft.log "on"
    soft.log "clear"
    cuda.memset_d32(mem, 7, 4)
    cuda.memset_d16_async(mem, 7, 4, s)
    cuda.memset_d2d8(mem, 8, 7, 4, 2)
    cuda.memset_d2d32_async(mem, 16, 7, 4, 2, s)
    local names = {}
    for _, call in ipairs(soft.calls()) do
      if call.symbol:find "Memset" then names[#names + 1] = call.symbol end
    end
    soft.log "off"
    assert.same({ "cuMemsetD32_v2", "cuMemsetD16Async", "cuMemsetD2D8_v2", "cuMemsetD2D32Async" }, names)
  end)
end)
