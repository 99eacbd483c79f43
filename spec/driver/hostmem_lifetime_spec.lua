-- Host memory at the worst moment: dropped while copies are pending, at the end of the state, without its context, in a
-- fork, after a sticky error, with the driver failing.
local gpu = require "spec.support.gpu"

-- Each in a process of its own: what is left there is looked at, and busted's ffi.typeof keeps values alive.
local function fine(code, environment)
  local out, ok = gpu.child([[
    local cuda, ffi = require "cudalua", require "ffi"
    cuda.init()
    local core = require "cudalua.core"
    local soft = cuda.driver_info().soft and require "cudalua.softgpu"
    local function stats() return soft and soft.stats() or setmetatable({}, { __index = function() return 0 end }) end
  ]] .. code .. "\nprint 'fine'\nos.exit(0, true)", gpu.driver .. " CUDALUA_SOFT_LEAKS=on " .. (environment or ""))
  assert.equal("fine\n", out)
  assert.is_true(ok)
end

describe("lifetimes of host memory", function()
  it("dropped while copies are pending: kept until they are done, then given back", function()
    for _, make in ipairs { "cuda.pagelocked_zeros(n, 'uint8')", "cuda.managed_zeros(n, 'uint8')",
      "cuda.aligned_zeros(n, 'uint8')", "cuda.register_host_memory(cuda.aligned_zeros(n, 'uint8'))",
      "cuda.register_host_memory(ffi.new('uint8_t[?]', n))" } do
      fine(([[
        local ctx = cuda.Device(0):make_context()
        local s, n = cuda.Stream "non_blocking", 65536
        local mem = cuda.mem_alloc(n * 8)
        collectgarbage() collectgarbage()
        for i = 0, 7 do
          local a = %s
          a:fill(i + 1)
          cuda.memcpy_htod_async(mem + i * n, a, s)
        end
        collectgarbage() collectgarbage()
        local out = ffi.new("uint8_t[?]", n * 8)
        s:synchronize()
        cuda.memcpy_dtoh(out, mem)
        for i = 0, 7 do assert(out[i * n] == i + 1 and out[i * n + n - 1] == i + 1) end
        cuda.collect()
        assert(stats().live_allocs <= 1 and stats().live_registered == 0)
        local m = cuda.mem_stats()
        assert(m.pinned.bytes + m.managed.bytes + m.aligned.bytes + m.registered.bytes == 0)
        assert(core.failed_destroys() == 0 and stats().stale == 0)
      ]]):format(make))
    end
  end)

  it("each goes after the work of every context, which may use it", function()
    for _, make in ipairs { "cuda.pagelocked_zeros(64, 'uint8')", "cuda.managed_zeros(64, 'uint8')",
      "cuda.register_host_memory(cuda.aligned_zeros(64, 'uint8'))" } do
      for _, last in ipairs { "a.base:close()",
        "a = nil cuda.collect()" } do
        fine(([[
          local owner = cuda.Device(0):make_context()
          local a = %s
          local user = cuda.Device(0):make_context()
          local s = cuda.Stream "non_blocking"
          local spin = cuda.SourceModule("__global__ void spin(long long n) {"
            .. "long long t = clock64(); while (clock64() - t < n) {} }"):get_function "spin"
          spin(1, { block = 1, stream = s })
          s:synchronize()
          spin(soft and 1e6 or 2e8, { block = 1, stream = s })
          owner:push()
          %s
          owner:pop()
          assert(s:is_done())
        ]]):format(make, last))
      end
    end
  end)

  it("memory that is registered goes after its registration, also in a cycle with it", function()
    fine [[
      local ctx = cuda.Device(0):make_context()
      local order = {}
      local mt = { buffer = nil }
      local function make(i)
        local bytes = ffi.gc(ffi.new "uint8_t[8192]", function()
          order[#order + 1] = i
          assert(stats().live_registered == 0)
        end)
        local holder = { buffer = function() return ffi.cast("uint8_t *", bytes), 4096 end }
        holder.registered = cuda.register_host_memory(holder) -- refers to itself through the registration
      end
      for i = 1, 1 do make(i) end
      collectgarbage() collectgarbage()
      assert(#order == 0, "the registration waits until somebody may wait")
      cuda.collect()
      cuda.collect()
      assert(#order == 1, #order)
      assert(cuda.mem_stats().registered.bytes == 0)
    ]]
  end)

  it("a dropped registration is undone before the memory is registered again", function()
    fine [[
      local ctx = cuda.Device(0):make_context()
      local a = cuda.aligned_zeros(1024)
      for i = 1, 20 do
        local r = cuda.register_host_memory(a)
        r = nil
        collectgarbage() collectgarbage()
      end
      local view = cuda.register_host_memory(a).base:get_device_pointer()
      collectgarbage() collectgarbage()
      cuda.Context.synchronize()
      assert(view:ptr() > 0) -- a view keeps it registered
      assert(not pcall(cuda.register_host_memory, a))
      view = nil
      collectgarbage() collectgarbage()
      cuda.register_host_memory(a)
    ]]
  end)

  it("everything alive at the end of the state, made in both orders, with copies pending", function()
    for _, names in ipairs { "ctx, s, mem, p, m, a, r, v", "v, r, a, m, p, mem, s, ctx" } do
      fine(([[
        %s = nil
        local function make()
          ctx = cuda.Device(0):make_context()
          a = cuda.aligned_zeros(4096, "uint8")
          r = cuda.register_host_memory(a)
          m = cuda.managed_zeros(4096, "uint8")
          p = cuda.pagelocked_zeros(4096, "uint8")
          v = p.base:get_device_pointer() + 5
          s = cuda.Stream "non_blocking"
          mem = cuda.mem_alloc(4096)
          for _, x in ipairs { a, r, m, p, v } do
            if x ~= v then
              cuda.memcpy_htod_async(mem, x, s)
              cuda.memcpy_dtoh_async(x, mem, s)
            else
              cuda.memcpy_dtod_async(mem, x, 4000, s)
            end
          end
        end
        make()
      ]]):format(names))
    end
  end)

  it("the context goes first: arrays are dead, and nothing is given back twice", function()
    fine [[
      local ctx = cuda.Device(0):make_context()
      local a = cuda.aligned_zeros(1024, "int32")
      local list = { cuda.pagelocked_zeros(4), cuda.managed_zeros(4), cuda.register_host_memory(a) }
      local s = cuda.Stream "non_blocking"
      local mem = cuda.mem_alloc(4096)
      for _, x in ipairs(list) do cuda.memcpy_htod_async(mem, x, s) end
      ctx:detach()
      for _, x in ipairs(list) do
        local ok, err = pcall(function() return x[1] end)
        assert(not ok and err.message:find("Context was detached at", 1, true), tostring(err))
        for _, method in ipairs { "free", "unregister", "close", "ptr", "get_device_pointer" } do
          if cuda.has(core.kind(x.base) .. ":" .. method) then
            assert(cuda.is_error(select(2, pcall(x.base[method], x.base)), "LogicError"))
          end
        end
      end
      a:fill(1)
      local other = cuda.Device(0):make_context()
      local again = cuda.register_host_memory(a)
      list = nil
      cuda.collect()
      assert(again[1] == 1)
      assert(core.failed_destroys() == 0 and stats().stale == 0)
    ]]
  end)

  it("in a fork, using it is an error", function()
    fine [[
      ffi.cdef "int fork(void); int waitpid(int, int *, int); void _exit(int);"
      local ctx = cuda.Device(0):make_context()
      local aligned = cuda.aligned_zeros(4, "int32")
      local list = { cuda.pagelocked_zeros(4, "int32"), cuda.managed_zeros(4, "int32"),
        cuda.register_host_memory(aligned) }
      assert(list[1][1] == 0 and list[2][1] == 0 and list[3][1] == 0)
      local pid = ffi.C.fork()
      if pid == 0 then
        local good = pcall(function()
          for _, x in ipairs(list) do
            local ok, err = pcall(function() return x[1] end)
            assert(not ok and err.message:find "after fork")
            ok, err = pcall(x.base.close, x.base)
            assert(not ok and err.message:find "after fork")
          end
          aligned[1] = 5 -- a copy of its own
          assert(aligned[1] == 5)
          assert(cuda.aligned_zeros(4)[1] == 0)
          list, aligned = nil, nil
          collectgarbage() collectgarbage()
        end)
        ffi.C._exit(good and 7 or 1)
      end
      local status = ffi.new "int[1]"
      ffi.C.waitpid(pid, status, 0)
      assert(status[0] == 7 * 256, status[0])
      assert(aligned[1] == 0 and list[1][1] == 0)
    ]]
  end)

  it("after a sticky error everything is let go of in silence", function()
    fine([[
      local ctx = cuda.Device(0):make_context()
      local list = { cuda.pagelocked_zeros(4), cuda.managed_zeros(4), cuda.aligned_zeros(4) }
      list[4] = cuda.register_host_memory(cuda.aligned_zeros(4))
      local kept = cuda.pagelocked_zeros(4, "int32")
      local fn = cuda.SourceModule "__global__ void k(int *p) { *p = 1; }":get_function "k"
      pcall(fn, cuda.pointer(64), { block = 1 })
      assert(not pcall(cuda.Context.synchronize))
      assert(kept[1] == 0)
      assert(not pcall(cuda.pagelocked_empty, 4))
      assert(not pcall(cuda.register_host_memory, cuda.aligned_zeros(4)))
      list = nil
      cuda.collect()
      kept.base:free()
      assert(core.failed_destroys() == 0)
      if soft then soft.control "reset" end -- or what the device had is listed as a leak
    ]], "CUDALUA_SOFT_REPORT=off")
  end)

  it("what the driver refuses to take back is counted, never raised", function()
    if not gpu.soft then return pending "needs failures made to order" end
    fine [[
      local ctx = cuda.Device(0):make_context()
      local kept = {} -- memory that stays registered must not be given out again
      for symbol, make in pairs { cuMemFreeHost = function() return cuda.pagelocked_zeros(4) end,
        cuMemFree_v2 = function() return cuda.managed_zeros(4) end,
        cuMemHostUnregister = function()
          kept[#kept + 1] = cuda.aligned_zeros(4)
          return cuda.register_host_memory(kept[#kept])
        end } do
        local before = core.failed_destroys()
        soft.fail(symbol, 1, 999)
        make()
        cuda.collect()
        assert(core.failed_destroys() == before + 1, symbol)
        local a = make()
        soft.fail(symbol, 1, 999)
        local ok, err = pcall(a.base.close, a.base)
        assert(not ok and err.code == 999)
        assert(not pcall(function() return a[1] end))
      end
      soft.control "reset"
    ]]
  end)

  it("dropped in a loop it stays bounded", function()
    fine([[
      local ctx = cuda.Device(0):make_context()
      for i = 1, 3000 do cuda.pagelocked_empty(2 ^ 20, "uint8") end -- 3 GB through a device that lends 1
      for i = 1, 300 do
        cuda.aligned_empty(2 ^ 24, "uint8")
        assert(cuda.mem_stats().aligned.bytes <= 600 * 2 ^ 20)
      end
      for i = 1, 2000 do cuda.register_host_memory(cuda.aligned_empty(2 ^ 16, "uint8")) end
      cuda.collect()
      assert(cuda.mem_stats().registered.bytes == 0 and cuda.mem_stats().aligned.bytes == 0)
    ]], "CUDALUA_SOFT_MEMORY=1G CUDALUA_GC_BUDGET=256M")
  end)

  -- What every function of these families does, from nothing to nothing.
  local everything = [[
    local ctx = cuda.Device(0):make_context()
    local function work()
      local s = cuda.Stream "non_blocking"
      local mem, pitch = cuda.mem_alloc_pitch(64, 4, 4)
      cuda.mem_get_address_range(mem)
      cuda.mem_get_ipc_handle(mem)
      local aligned = cuda.aligned_zeros(16, "int32")
      for i, a in ipairs { cuda.pagelocked_zeros(16, "int32"), cuda.managed_zeros(16, "int32"),
        cuda.register_host_memory(aligned), aligned } do
        if i == 1 then a.base:get_flags() end
        if i == 2 then a.base:attach("single", s) end
        if i < 4 then
          a.base:as_buffer(4)
          cuda.memcpy_dtod(a, mem, 64)
          cuda.memset_d32_async(a, 0, 16, s)
        end
        cuda.memcpy_htod(mem, a)
        cuda.memcpy_dtoh(a, mem)
        cuda.memcpy_htod_async(mem, a, s)
        cuda.memcpy_dtoh_async(a, mem, s)
        local array = cuda.matrix_to_array(cuda.ndarray.ones { 2, 8 }, "C")
        array:get_descriptor()
        cuda.memcpy_atoh(a, cuda.np_to_array(cuda.ndarray.ones(16), "C"), 0)
        cuda.memcpy_htoa(array, 0, "abcdefgh")
        cuda.memcpy_dtoa(array, 0, mem, 8)
        cuda.memcpy_atod(mem, array, 0, 8)
        cuda.memcpy_atoa(array, 0, array, 16, 8)
        local copy = cuda.Memcpy3DPeer()
        copy:set_src_host(a)
        copy:set_dst_array(array)
        copy.src_pitch, copy.width_in_bytes, copy.height, copy.depth = 32, 32, 2, 1
        copy()
        copy(s)
        local flat = cuda.Memcpy2D()
        flat:set_src_array(array)
        flat:set_dst_device(mem)
        flat.dst_pitch, flat.width_in_bytes, flat.height = pitch, 32, 2
        flat(s)
        cuda.memcpy_peer(mem, mem + 32, 8)
        cuda.memcpy_peer_async(mem, mem + 32, 8)
        if i % 2 == 0 then a.base:close() end
        if i == 3 then s:synchronize() end
      end
      s:synchronize()
    end
    local function left()
      local t, names = stats(), {}
      for _, name in ipairs { "live_allocs", "live_arrays", "live_registered", "live_streams", "stale" } do
        names[#names + 1] = name .. "=" .. t[name]
      end
      return table.concat(names, " ")
    end
    work()
    cuda.collect()
    local clean = left()
    assert(clean == "live_allocs=0 live_arrays=0 live_registered=0 live_streams=0 stale=0", clean)
    local n, leaks = 0, 0
    repeat
      n = n + 1
      soft.control "log clear"
      soft.log "on"
      soft.control(("fail any %d %s"):format(n, n % 3 == 0 and "2" or "999"))
      local ok, err = pcall(work)
      if not ok then assert(cuda.is_error(err), tostring(err)) end
      local failed
      for _, call in ipairs(soft.calls()) do
        if call.result == 999 or call.result == 2 then failed = call.symbol end
      end
      soft.log "off"
      soft.fail_clear()
      err = nil
      cuda.Context.synchronize()
      cuda.collect()
      if failed and not failed:find "Free" and not failed:find "Destroy" and not failed:find "Unregister" and
        not failed:find "Ctx" then
        assert(left() == clean, failed .. ": " .. left())
      else
        clean = left() -- what a destroy that failed leaves stays
      end
    until not failed
    assert(n > 200, n)
    work()
    cuda.collect()
    assert(left() == clean)
    soft.control "reset"
  ]]

  it("every call of the driver failing once", function()
    if not gpu.soft then return pending "needs failures made to order" end
    fine(everything)
  end)
end)
