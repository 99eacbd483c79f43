-- Two devices in one program, and in two. Each test is a process of its own, which on the software device has two
-- of them; where there is one GPU only they are skipped.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda

local enough = gpu.soft or (cuda.Device.count() > 1 and cuda.Device(0):can_access_peer(cuda.Device(1)))
local environment = gpu.driver .. (gpu.soft and " CUDALUA_SOFT_DEVICES=2" or "")

-- Contexts a on device 0, which is current, and b on device 1.
local prelude = [[
  local cuda, ffi = require "cudalua", require "ffi"
  cuda.init()
  local soft = cuda.driver_info().soft and require "cudalua.softgpu"
  local b = cuda.Device(1):make_context()
  local a = cuda.Device(0):make_context()
  math.randomseed(os.time())

  local source = [=[
    __global__ void add(int *out, const int *in, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) out[i] += in[i];
    }
    __global__ void late(int *out, int n, int turns) {
      int v = threadIdx.x;
      for (int i = 0; i < turns; i++) v = v * 3 + 1;
      for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = v == 123456789 ? v : i + 7;
    }
  ]=]

  local function numbers(n, f)
    local list = ffi.new("int[?]", n)
    for i = 0, n - 1 do list[i] = f(i) end
    return list
  end
  local function check(ctx, mem, n, f)
    local list = ffi.new("int[?]", n)
    ctx:with(cuda.memcpy_dtoh, list, mem)
    for i = 0, n - 1 do
      if list[i] ~= f(i) then error(("element %d is %d, expected %d"):format(i, list[i], f(i)), 2) end
    end
  end
  local function raises(class, text, f, ...)
    local ok, err = pcall(f, ...)
    if ok or not cuda.is_error(err, class) or not err.message:find(text, 1, true) then
      error(("expected a %s with '%s', got: %s"):format(class, text, tostring(err)), 2)
    end
    return err
  end
]]

describe("two devices", function()
  local function on_two(name, body)
    it(name, function()
      if not enough then return pending "needs two GPUs that reach each other" end
      local out, ok = gpu.child(prelude .. body .. '\nprint "fine"', environment)
      assert.equal("fine\n", out)
      assert.is_true(ok)
    end)
  end

  on_two("are told apart", [[
    local one, two = cuda.Device(0), cuda.Device(1)
    assert(cuda.Device.count() >= 2 and one ~= two and two:ordinal() == 1)
    assert(one:uuid() ~= two:uuid() and one:pci_bus_id() ~= two:pci_bus_id())
    assert(cuda.Device(two:pci_bus_id()) == two)
    assert(a:get_device() == one and b:get_device() == two and cuda.Context.get_device() == one)
    assert(one:can_access_peer(two) and two:can_access_peer(one))
    assert(one:p2p_attribute(two, "access_supported") == 1)
    for id in pairs { performance_rank = 1, native_atomic_supported = 1, cuda_array_access_supported = 1 } do
      assert(one:p2p_attribute(two, id) >= 0)
    end
    assert(101 == raises("LogicError", "", one.p2p_attribute, one, one, "access_supported").code)
  ]])

  on_two("kernels use memory of the other between cuda.Context:enable_peer_access and disable_peer_access", [[
    local n = 1000
    local here = cuda.to_device(numbers(n, function(i) return i end))
    local there = b:with(cuda.to_device, numbers(n, function(i) return 3 * i end))
    local add = cuda.SourceModule(source):get_function "add"
    local launch = { block = 256, grid = 4 }
    raises("LogicError", "enable_peer_access()", add, here, there, n, launch)
    a:enable_peer_access(b)
    assert(704 == raises("LogicError", "", a.enable_peer_access, a, b).code)
    add(here, there, n, launch) -- reads
    check(a, here, n, function(i) return 4 * i end)
    add(there, here, n, launch) -- and writes
    cuda.Context.synchronize()
    check(b, there, n, function(i) return 7 * i end)
    add(there + 400, here, n - 100, launch)
    cuda.Context.synchronize()
    check(b, there, n, function(i) return i < 100 and 7 * i or 7 * i + 4 * (i - 100) end)
    -- the other way has to be asked for by itself
    b:with(function()
      local other = cuda.SourceModule(source):get_function "add"
      raises("LogicError", "enable_peer_access()", other, there, here, n, launch)
      b:enable_peer_access(a)
      other(here, here, n, launch)
      cuda.Context.synchronize()
      b:disable_peer_access(a)
      raises("LogicError", "enable_peer_access()", other, there, here, n, launch)
    end)
    check(a, here, n, function(i) return 8 * i end)
    -- memory whose release is a matter of its own streams stays there
    local pooled = b:with(cuda.mem_alloc_async, 4 * n)
    raises("LogicError", "memory of mem_alloc()", add, here, pooled, n, launch)
    a:disable_peer_access(b)
    assert(705 == raises("LogicError", "", a.disable_peer_access, a, b).code)
    raises("LogicError", "enable_peer_access()", add, here, there, n, launch)
  ]])

  on_two("a kernel that reaches over without access loses its device", [[
    local there = b:with(cuda.mem_alloc, 400)
    local here = cuda.mem_alloc(400)
    cuda.SourceModule(source):get_function "add"(here, cuda.pointer(there:ptr()), 100, { block = 100 })
    local err = raises("LaunchError", "", cuda.Context.synchronize)
    assert(err.code == 700 and err.sticky and a:is_poisoned())
  ]])

  on_two("cuda.memcpy_peer and cuda.memcpy_peer_async copy from one to the other, with and without access", [[
    for round = 1, 3 do
      local n = math.random(1, 300000)
      local seed = math.random(1000)
      local function value(i) return i * seed end
      local here, back = cuda.to_device(numbers(n, value)), cuda.mem_alloc(4 * n)
      local there = b:with(cuda.mem_alloc, 4 * n)
      cuda.memcpy_peer(there, here, 4 * n, { dest_context = b, src_context = a })
      b:synchronize()
      check(b, there, n, value)
      local s = cuda.Stream "non_blocking"
      cuda.memcpy_peer_async(back, there, 4 * n, { src_context = b, stream = s })
      s:synchronize()
      check(a, back, n, value)
      -- in a stream of the other device, and a part
      local k = math.random(0, n - 1)
      b:with(function()
        local t = cuda.Stream "non_blocking"
        cuda.memset_d32_async(there, 5, n, t)
        cuda.memcpy_peer_async(there + 4 * k, here + 4 * k, 4 * (n - k), { src_context = a, stream = t })
        t:synchronize()
      end)
      check(b, there, n, function(i) return i < k and 5 or value(i) end)
      raises("LogicError", "belongs to another context", cuda.memcpy_peer, there, here, 4 * n)
      raises("LogicError", "do not fit", cuda.memcpy_peer, there, here, 4 * n + 1, { dest_context = b })
      raises("LogicError", "memcpy_peer", cuda.memcpy_dtod, here, there, 4 * n)
      if round == 1 then a:enable_peer_access(b) end
      if round == 2 then b:enable_peer_access(a) end
    end
  ]])

  on_two("cuda.Memcpy3DPeer copies a box from one to the other", [[
    local w, h, d = 20, 6, 4
    local here = cuda.to_device(numbers(w * h * d, function(i) return i end))
    local there = b:with(cuda.to_device, numbers(w * h * d, function() return -1 end))
    local c = cuda.Memcpy3DPeer()
    c:set_src_device(here)
    c:set_dst_device(there)
    c:set_src_context(a)
    c:set_dst_context(b)
    c.src_pitch, c.src_height, c.dst_pitch, c.dst_height = 4 * w, h, 4 * w, h
    c.src_x_in_bytes, c.src_y, c.src_z, c.dst_x_in_bytes, c.dst_y, c.dst_z = 8, 1, 1, 4, 2, 0
    c.width_in_bytes, c.height, c.depth = 4 * 5, 3, 2
    c()
    b:synchronize()
    local function expected(i)
      local x, y, z = i % w, math.floor(i / w) % h, math.floor(i / (w * h))
      if x < 1 or x > 5 or y < 2 or y > 4 or z > 1 then return -1 end
      return (x + 1) + w * ((y - 1) + h * (z + 1))
    end
    check(b, there, w * h * d, expected)
    b:with(function() cuda.memset_d32(there, -1 % 2 ^ 32, w * h * d) b:synchronize() end)
    local s = cuda.Stream()
    c(s)
    s:synchronize()
    check(b, there, w * h * d, expected)
  ]])

  on_two("a stream waits for an event of the other", [[
    local n = 4096
    local back = cuda.mem_alloc(4 * n)
    local there, t, e
    b:with(function()
      there, t, e = cuda.mem_alloc(4 * n), cuda.Stream "non_blocking", cuda.Event()
      cuda.memset_d32(there, 0, n)
      b:synchronize()
      local late = cuda.SourceModule(source):get_function "late"
      late(there, n, soft and 1000 or 20000000, { block = 256, stream = t })
      e:record(t)
    end)
    local s = cuda.Stream "non_blocking"
    s:wait_for_event(e)
    cuda.memcpy_peer_async(back, there, 4 * n, { src_context = b, stream = s })
    s:synchronize()
    assert(e:query())
    check(a, back, n, function(i) return i + 7 end)
    raises("LogicError", "another context", cuda.SourceModule(source):get_function "late", back, n, 1,
      { block = 1, stream = t })
    raises("LogicError", "another context", cuda.memset_d32_async, back, 0, n, t)
    raises("LogicError", "another context", e.record, e, s)
  ]])

  on_two("what is dropped goes back to its device, whichever is current", [[
    local big = 2 ^ 26
    local function free_there() return b:with(function() return (cuda.mem_get_info()) end) end
    b:with(function() cuda.mem_alloc(64) cuda.Stream() cuda.Event() cuda.SourceModule(source) end)
    cuda.collect()
    local before, live = free_there(), soft and soft.stats().live_allocs
    b:with(function()
      local mem, pooled = cuda.mem_alloc(big), cuda.DeviceMemoryPool():allocate(1024)
      local s, e, mod = cuda.Stream(), cuda.Event(), cuda.SourceModule(source)
      e:record(s)
      cuda.memset_d8_async(mem, 1, big, s)
      mod:get_function "late"(mem, 256, 1, { block = 32, stream = s })
    end)
    local held = before - free_there()
    assert(held >= big, held)
    for _ = 1, 2 do cuda.collect() end
    held = before - free_there()
    assert(held < big / 2, held)
    if soft then
      assert(soft.stats().live_allocs == live and soft.stats().live_streams == 0 and soft.stats().live_events == 0)
      assert(soft.stats().stale == 0)
    end
    assert(require "cudalua.core".failed_destroys() == 0)
    b:with(function() big = cuda.mem_alloc(64) end)
    b:detach()
    raises("LogicError", "its Context is gone", big.ptr, big)
    assert(cuda.Context.get_current() == a)
    cuda.Context.synchronize()
  ]])

  on_two("cuda.MemoryPool:set_access opens a pool to kernels of the other", [[
    local n = 500
    local pool = cuda.MemoryPool { device = cuda.Device(1) }
    local there = b:with(function()
      local s = cuda.Stream()
      local mem = pool:alloc(4 * n, s)
      cuda.memcpy_htod_async(mem, numbers(n, function(i) return 2 * i end), s)
      s:synchronize()
      return mem
    end)
    pool:set_access(cuda.Device(0))
    local here = cuda.to_device(numbers(n, function(i) return i end))
    cuda.SourceModule(source):get_function "add"(here, cuda.pointer(there:ptr()), n, { block = 256, grid = 2 })
    check(a, here, n, function(i) return 3 * i end)
    pool:set_access(0, "none")
    pool:set_access(0)
  ]])

  on_two("cuda.IPCMemoryHandle on one device opens memory of a process on the other", [[
    local n = 3000
    local there = b:with(function()
      local mem = cuda.to_device(numbers(n, function(i) return 5 * i end))
      cuda.Context.synchronize()
      return mem
    end)
    local handle = b:with(cuda.mem_get_ipc_handle, there)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write("handle = '", handle:gsub(".", function(c) return ("\\%03d"):format(c:byte()) end), "'\n", [=[
      local cuda, ffi = require "cudalua", require "ffi"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      local theirs, out = cuda.IPCMemoryHandle(handle), ffi.new "int[3000]"
      cuda.memcpy_dtoh(out, theirs, { nbytes = 12000 })
      for i = 0, 2999 do assert(out[i] == 5 * i) end
      local mine = cuda.mem_alloc(12000)
      cuda.memset_d32(mine, 11, 3000)
      cuda.memcpy_dtod(theirs, mine, 12000)
      ctx:synchronize()
      theirs:close()
      os.exit(0, true)
    ]=])
    file:close()
    local status = os.execute(("%s %s"):format(arg[-1], path))
    os.remove(path)
    assert(status == 0 or status == true)
    check(b, there, n, function() return 11 end)
  ]])

  on_two("cuda.Context:enable_peer_access refuses what is no peer, and ends with either context", [[
    assert(217 == raises("LogicError", "", a.enable_peer_access, a, a).code)
    local sibling = cuda.Device(0):make_context()
    cuda.Context.pop()
    assert(217 == raises("LogicError", "", a.enable_peer_access, a, sibling).code)
    raises("LogicError", "flags", a.enable_peer_access, a, b, 1)
    for _, x in ipairs { 1, "b", {}, cuda.Device(1) } do raises("LogicError", "", a.enable_peer_access, a, x) end
    local n = 100
    local add = cuda.SourceModule(source):get_function "add"
    local here = cuda.to_device(numbers(n, function(i) return i end))
    local there = b:with(cuda.to_device, numbers(n, function(i) return 2 * i end))
    a:enable_peer_access(b)
    b:detach()
    raises("LogicError", "argument 2", add, here, there, n, { block = 128 })
    raises("LogicError", "", a.enable_peer_access, a, b)
    raises("LogicError", "", a.disable_peer_access, a, b)
    b = cuda.Device(1):make_context()
    cuda.Context.pop()
    assert(cuda.Context.get_current() == a)
    there = b:with(cuda.to_device, numbers(n, function(i) return 2 * i end))
    raises("LogicError", "enable_peer_access()", add, here, there, n, { block = 128 }) -- the new one by itself
    a:enable_peer_access(b)
    add(here, there, n, { block = 128 })
    check(a, here, n, function(i) return 3 * i end)
    local s = cuda.Stream()
    s:begin_capture()
    raises("LogicError", "being captured", a.disable_peer_access, a, b) -- which waits
    add(here, there, n, { block = 128 })
    local graph = s:end_capture():instantiate()
    graph:launch(s)
    s:synchronize()
    check(a, here, n, function(i) return 5 * i end)
  ]])

  on_two("cuda.Memcpy3DPeer and cuda.memcpy_peer refuse what does not fit, and copy nothing then", [[
    local n = 64
    local here = cuda.to_device(numbers(n, function(i) return i end))
    local there = b:with(cuda.to_device, numbers(n, function() return -1 end))
    local function copy(fields)
      local c = cuda.Memcpy3DPeer()
      c:set_src_device(here)
      c:set_dst_device(there)
      c:set_src_context(a)
      c:set_dst_context(b)
      c.width_in_bytes, c.height, c.depth = 16, 2, 2
      c.src_pitch, c.src_height, c.dst_pitch, c.dst_height = 16, 2, 16, 2
      for name, value in pairs(fields) do
        if type(value) == "function" then value(c) else c[name] = value end
      end
      return c
    end
    copy {} ()
    b:synchronize()
    check(b, there, n, function(i) return i < 16 and i or -1 end)
    b:with(function() cuda.memset_d32(there, 2 ^ 32 - 1, n) b:synchronize() end)
    for _, fields in ipairs { { src_z = 30 }, { dst_z = 30 }, { src_x_in_bytes = 16 }, { dst_x_in_bytes = 16 },
      { depth = 64 }, { width_in_bytes = 17 }, { swap = function(c) c:set_src_context(b) end },
      { swap = function(c) c:set_dst_context(a) end }, { src = function(c) c:set_src_device(there) end } } do
      local c = copy(fields)
      local ok, err = pcall(c)
      assert(not ok and cuda.is_error(err, "LogicError"), tostring(err))
      ok, err = pcall(c, cuda.Stream())
      assert(not ok and cuda.is_error(err, "LogicError"), tostring(err))
    end
    for _, bytes in ipairs { -1, 1.5, 4 * n + 1, "4" } do
      raises("LogicError", "", cuda.memcpy_peer, there, here, bytes, { dest_context = b, src_context = a })
      raises("LogicError", "", cuda.memcpy_peer_async, there, here, bytes, { dest_context = b, src_context = a })
    end
    raises("LogicError", "", cuda.memcpy_peer, there, here, 4, { dest_context = b, src_context = b })
    raises("LogicError", "unknown option", cuda.memcpy_peer, there, here, 4, { dst_context = b })
    b:synchronize()
    check(b, there, n, function() return -1 end)
    here:free()
    raises("LogicError", "was freed", function() copy {} () end)
  ]])

  on_two("arrays of one go to the other, in the order of streams", [[
    local w, h = 16, 8
    local function descriptor() return cuda.ArrayDescriptor { width = w, height = h, format = "signed_int32" } end
    local ours, theirs = cuda.Array(descriptor()), b:with(cuda.Array, descriptor())
    local function box(from, to)
      local c = cuda.Memcpy3DPeer()
      c:set_src_context(from.context)
      c:set_dst_context(to.context)
      if from.array then c:set_src_array(from.array) else c:set_src_device(from.mem) end
      if to.array then c:set_dst_array(to.array) else c:set_dst_device(to.mem) end
      c.src_pitch, c.src_height, c.dst_pitch, c.dst_height = 4 * w, h, 4 * w, h
      c.width_in_bytes, c.height, c.depth = 4 * w, h, 1
      return c
    end
    local first = cuda.mem_alloc(4 * w * h)
    local last = cuda.mem_alloc(4 * w * h)
    local s = cuda.Stream "non_blocking"
    local late = cuda.SourceModule(source):get_function "late"
    late(first, w * h, soft and 1000 or 20000000, { block = 128, stream = s })
    box({ context = a, mem = first }, { context = a, array = ours })(s)
    box({ context = a, array = ours }, { context = b, array = theirs })(s)
    box({ context = b, array = theirs }, { context = a, mem = last })(s)
    s:synchronize()
    check(a, last, w * h, function(i) return i + 7 end)
  ]])

  on_two("cuda.Event.from_ipc_handle on one device orders work behind that of a process on the other", [[
    local beside = require "spec.support.partner"
    local n = 3000
    local there, t, put
    b:with(function()
      there, t = cuda.mem_alloc(4 * n), cuda.Stream "non_blocking"
      put = cuda.Event { "interprocess", "disable_timing" }
      cuda.memset_d32(there, 0, n)
      b:synchronize()
    end)
    local p = beside.start(beside.prelude .. [=[
      local n = 3000
      local there = cuda.Device(1):make_context() -- where the event is
      local ctx = cuda.Device(0):make_context()
      local theirs, handle = cuda.IPCMemoryHandle(from_hex(io.read())), from_hex(io.read())
      local put = there:with(cuda.Event.from_ipc_handle, handle)
      local took = cuda.Event { "interprocess", "disable_timing" }
      local s, out = cuda.Stream "non_blocking", cuda.pagelocked_zeros(n, "int32")
      say(hex(took:ipc_handle()))
      for round = 1, 3 do
        assert(io.read() == "put")
        s:wait_for_event(put)
        cuda.memcpy_dtoh_async(out, theirs, s, { nbytes = 4 * n })
        cuda.memset_d32_async(theirs, 5 * round, n, s)
        took:record(s)
        say "took"
        s:synchronize()
        for i = 0, n - 1 do assert(out:data()[i] == i + 7, i) end
      end
      theirs:close()
      say "fine"
      io.read()
      os.exit(0, true)
    ]=])
    p.write(beside.hex(b:with(cuda.mem_get_ipc_handle, there)))
    p.write(beside.hex(put:ipc_handle()))
    local took = cuda.Event.from_ipc_handle(beside.from_hex(p.read()))
    local late = b:with(function() return cuda.SourceModule(source):get_function "late" end)
    for round = 1, 3 do
      b:with(function()
        if round > 1 then t:wait_for_event(took) end
        late(there, n, soft and 1000 or 20000000, { block = 256, stream = t })
        put:record(t)
      end)
      p.write "put"
      local answer = p.read()
      assert(answer == "took", answer)
    end
    assert(p.read() == "fine")
    b:with(function()
      t:wait_for_event(took)
      t:synchronize()
    end)
    check(b, there, n, function() return 15 end)
    p.write "done"
    assert(p.stop() == "")
  ]])

  on_two("a process that ends leaves a process on the other device alive", [[
    local beside = require "spec.support.partner"
    local p = beside.start(beside.prelude .. [=[
      local ctx = cuda.Device(1):make_context()
      local mem = cuda.to_device(ffi.new("int[100]", 9))
      ctx:synchronize()
      say(hex(cuda.mem_get_ipc_handle(mem)))
      io.read()
    ]=])
    local theirs, out = cuda.IPCMemoryHandle(beside.from_hex(p.read())), ffi.new "int[100]"
    cuda.memcpy_dtoh(out, theirs, { nbytes = 400 })
    assert(out[0] == 9 and out[99] == 9)
    p.write "end"
    assert(p.stop() == "")
    local ok, err = pcall(cuda.memcpy_dtoh, out, theirs, { nbytes = 400 }) -- what a GPU says is its own affair
    assert(ok or not soft and cuda.is_error(err), tostring(err))
    theirs:close()
  ]])
end)
