-- Copies of rectangles and boxes: Memcpy2D, Memcpy3D, Memcpy3DPeer.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local soft = gpu.soft and require "cudalua.softgpu"

local random = math.random

local function random_bytes(n)
  local t = {}
  for i = 1, n do t[i] = string.char(random(0, 255)) end
  return table.concat(t)
end

-- One side of a copy: memory of `slices` slices of `rows` rows of `pitch` bytes. Each kind has put(bytes), get() and
-- set(copy, "src" or "dst").
local kinds = {}

local function on_device(mem, set)
  return {
    put = function(bytes) cuda.memcpy_htod(mem, bytes) end,
    get = function(n)
      local out = ffi.new("uint8_t[?]", n)
      cuda.memcpy_dtoh(out, mem)
      return ffi.string(out, n)
    end,
    set = set,
  }
end

local function in_host(ary, method)
  return {
    put = function(bytes) ffi.copy(ary:data(), bytes, #bytes) end,
    get = function(n) return ffi.string(ary:data(), n) end,
    set = function(copy, side) copy[method:format(side)](copy, ary) end,
  }
end

function kinds.host(n) return in_host(cuda.ndarray.empty(n, "uint8"), "set_%s_host") end
function kinds.cdata(n)
  local block = ffi.new("uint8_t[?]", n)
  local e = in_host({ data = function() return block end }, "")
  e.set = function(copy, side) copy["set_" .. side .. "_host"](copy, block) end
  return e
end
function kinds.pinned(n) return in_host(cuda.pagelocked_empty(n, "uint8"), "set_%s_host") end
function kinds.managed(n) return in_host(cuda.managed_empty(n, "uint8"), "set_%s_host") end
function kinds.managed_device(n) return in_host(cuda.managed_empty(n, "uint8"), "set_%s_device") end
function kinds.unified_host(n) return in_host(cuda.ndarray.empty(n, "uint8"), "set_%s_unified") end
function kinds.unified_pinned(n) return in_host(cuda.pagelocked_empty(n, "uint8"), "set_%s_unified") end
function kinds.device(n)
  local mem = cuda.mem_alloc(n)
  return on_device(mem, function(copy, side) copy["set_" .. side .. "_device"](copy, mem) end)
end
function kinds.view(n)
  local mem = cuda.mem_alloc(n + 64) + 64
  return on_device(mem, function(copy, side) copy["set_" .. side .. "_device"](copy, mem) end)
end
function kinds.address(n)
  local mem = cuda.mem_alloc(n)
  local e = on_device(mem, function(copy, side) copy["set_" .. side .. "_device"](copy, mem:ptr()) end)
  e.mem = mem
  return e
end
function kinds.pooled(n)
  local mem = cuda.mem_alloc_async(n)
  return on_device(mem, function(copy, side) copy["set_" .. side .. "_device"](copy, mem) end)
end
function kinds.unified(n)
  local mem = cuda.mem_alloc(n)
  return on_device(mem, function(copy, side) copy["set_" .. side .. "_unified"](copy, mem) end)
end

-- Elements of four bytes.
function kinds.array(n, g)
  local array = cuda.Array(g.flat and cuda.ArrayDescriptor { width = g.pitch / 4, height = g.rows, format = "float" } or
    cuda.ArrayDescriptor3D { width = g.pitch / 4, height = g.rows, depth = g.slices, format = "float" })
  local function whole(side, buffer)
    local copy = cuda.Memcpy3D()
    copy["set_" .. (side == "src" and "dst" or "src") .. "_array"](copy, array)
    copy["set_" .. side .. "_host"](copy, buffer)
    copy[side .. "_pitch"], copy[side .. "_height"] = g.pitch, g.rows
    copy.width_in_bytes, copy.height, copy.depth = g.pitch, g.rows, g.slices
    copy()
  end
  return {
    put = function(bytes) whole("src", bytes) end,
    get = function()
      local out = ffi.new("uint8_t[?]", n)
      whole("dst", out)
      return ffi.string(out, n)
    end,
    set = function(copy, side) copy["set_" .. side .. "_array"](copy, array) end,
    array = array,
  }
end

local names = {}
for name in pairs(kinds) do names[#names + 1] = name end
table.sort(names)

local function multiple(lo, hi) return 4 * random(lo, hi) end

-- A side that a box of w x h x d fits in, anywhere.
local function around(w, h, d, flat)
  local g = { x = multiple(0, 4), y = random(0, 3), z = flat and 0 or random(0, 2), flat = flat }
  g.pitch = g.x + w + multiple(0, 4)
  g.rows, g.slices = g.y + h + random(0, 2), flat and 1 or g.z + d + random(0, 2)
  g.size = g.pitch * g.rows * g.slices
  return g
end

-- What the bytes `to` are after the copy, by a loop over the rows.
local function expected(from, to, src, dst, w, h, d)
  local bytes = ffi.new("uint8_t[?]", #to)
  ffi.copy(bytes, to, #to)
  for z = 0, d - 1 do
    for y = 0, h - 1 do
      local s = ((src.z + z) * src.rows + src.y + y) * src.pitch + src.x
      local t = ((dst.z + z) * dst.rows + dst.y + y) * dst.pitch + dst.x
      for x = 0, w - 1 do bytes[t + x] = from:byte(s + x + 1) end
    end
  end
  return ffi.string(bytes, #to)
end

local function set_box(copy, side, g, solid)
  copy[side .. "_x_in_bytes"], copy[side .. "_y"], copy[side .. "_pitch"] = g.x, g.y, g.pitch
  if solid then copy[side .. "_z"], copy[side .. "_height"] = g.z, g.rows end
end

-- Copies a random box from memory of one kind to memory of another and compares every byte.
local function check(class, from_kind, to_kind, run)
  local flat = class == "Memcpy2D"
  local w, h, d = multiple(1, 12), random(1, 6), flat and 1 or random(1, 4)
  local src, dst = around(w, h, d, flat), around(w, h, d, flat)
  local from, to = kinds[from_kind](src.size, src), kinds[to_kind](dst.size, dst)
  local a, b = random_bytes(src.size), random_bytes(dst.size)
  from.put(a)
  to.put(b)
  local copy = cuda[class]()
  from.set(copy, "src")
  to.set(copy, "dst")
  set_box(copy, "src", src, not flat)
  set_box(copy, "dst", dst, not flat)
  copy.width_in_bytes, copy.height = w, h
  if not flat then copy.depth = d end
  run(copy)
  local got = to.get(dst.size)
  if got ~= expected(a, b, src, dst, w, h, d) then
    error(("%s from %s to %s: other bytes than a loop gives"):format(class, from_kind, to_kind))
  end
  assert.equal(a, from.get(src.size))
end

describe("structured copies", function()
  before_each(gpu.context)

  local stream
  local ways = {
    { "without a stream", function(copy)
      copy()
      cuda.Context.synchronize()
    end },
    { "in a stream", function(copy)
      stream = stream or cuda.Stream "non_blocking"
      cuda.Context.synchronize()
      copy(stream)
      stream:synchronize()
    end },
  }

  for _, class in ipairs { "Memcpy2D", "Memcpy3D", "Memcpy3DPeer" } do
    for _, way in ipairs(ways) do
      it(("cuda.%s %s: every kind of memory to every other, as a loop does it"):format(class, way[1]), function()
        for _, from in ipairs(names) do
          for _, to in ipairs(names) do check(class, from, to, way[2]) end
        end
        assert.is_true(#names > 10)
      end)
    end
  end

  it("1D layered arrays: the height of the memory beside them counts", function()
    for _, class in ipairs { "Memcpy3D", "Memcpy3DPeer" } do
      for _, name in ipairs(names) do
        for _, way in ipairs(ways) do
          if name ~= "array" then
            local w, d = multiple(1, 8), random(1, 4)
            local g, layers = around(w, 1, d), { x = multiple(0, 3), y = 0, z = random(0, 2), rows = 1 }
            layers.pitch = layers.x + w + multiple(0, 3)
            local count = layers.z + d
            local array = cuda.Array(cuda.ArrayDescriptor3D { width = layers.pitch / 4, depth = count,
              flags = "layered" })
            local e, bytes = kinds[name](g.size, g), random_bytes(g.size)
            local all, before = layers.pitch * count, random_bytes(layers.pitch * count)
            local function whole(side, buffer)
              local copy = cuda.Memcpy3D()
              copy["set_" .. (side == "src" and "dst" or "src") .. "_array"](copy, array)
              copy["set_" .. side .. "_host"](copy, buffer)
              copy.width_in_bytes, copy.height, copy.depth = layers.pitch, 1, count
              copy()
            end
            local function run(from)
              local copy = cuda[class]()
              e.set(copy, from and "src" or "dst")
              copy[from and "set_dst_array" or "set_src_array"](copy, array)
              set_box(copy, from and "src" or "dst", g, true)
              set_box(copy, from and "dst" or "src", layers, true)
              copy.width_in_bytes, copy.height, copy.depth = w, 1, d
              way[2](copy)
            end
            whole("src", before)
            e.put(bytes)
            run(true)
            local want, out = expected(bytes, before, g, layers, w, 1, d), ffi.new("uint8_t[?]", all)
            whole("dst", out)
            assert.equal(want, ffi.string(out, all))
            local other = random_bytes(g.size)
            e.put(other)
            run(false)
            assert.equal(expected(want, other, layers, g, w, 1, d), e.get(g.size))
          end
        end
      end
    end
  end)

  it("cuda.Memcpy2D:set_src_host and cuda.Memcpy2D:set_dst_host take what memcpy_htod and memcpy_dtoh do", function()
    local out = ffi.new "uint8_t[6]"
    local text = ffi.cast("const char *", "abcdef")
    for _, src in ipairs { "abcdef", ffi.new("char[6]", "abcdef"), { ptr = text, nbytes = 6 },
      { buffer = function() return text, 6 end } } do
      local c = cuda.Memcpy2D()
      c:set_src_host(src)
      c:set_dst_host(out)
      c.src_pitch, c.dst_pitch, c.width_in_bytes, c.height = 3, 3, 3, 2
      ffi.fill(out, 6)
      c()
      assert.equal("abcdef", ffi.string(out, 6))
      assert.equal(src, c.src_host)
      assert.equal(out, c.dst_host)
    end
    local c = cuda.Memcpy2D()
    gpu.raises("LogicError", "cannot be written", c.set_dst_host, c, "text")
    gpu.raises("LogicError", "const memory", c.set_dst_host, c, { ptr = ffi.cast("const char *", "text"), nbytes = 4 })
    for _, method in ipairs { "set_src_host", "set_dst_host" } do
      gpu.refuses_nonsense(function(v) c[method](c, v) end, { cdata = true, string = true })
    end
  end)

  it("cuda.Memcpy2D:set_src_device, cuda.Memcpy2D:set_dst_device, cuda.Memcpy2D:set_src_array, " ..
    "cuda.Memcpy2D:set_dst_array, cuda.Memcpy2D:set_src_unified, cuda.Memcpy2D:set_dst_unified refuse nonsense",
    function()
      local array = cuda.Array(cuda.ArrayDescriptor { width = 4, height = 4 })
      for _, class in ipairs { "Memcpy2D", "Memcpy3D", "Memcpy3DPeer" } do
        local c = cuda[class]()
        for _, side in ipairs { "src", "dst" } do
          gpu.refuses_nonsense(function(v) c["set_" .. side .. "_device"](c, v) end, { number = true })
          gpu.refuses_nonsense(function(v) c["set_" .. side .. "_array"](c, v) end)
          gpu.refuses_nonsense(function(v) c["set_" .. side .. "_unified"](c, v) end,
            { number = true, cdata = true, string = side == "src" })
          gpu.raises("LogicError", "got Array", c["set_" .. side .. "_device"], c, array)
          gpu.raises("LogicError", "got DeviceAllocation", c["set_" .. side .. "_array"], c, cuda.mem_alloc(4))
          gpu.raises("LogicError", "the device cannot access", c["set_" .. side .. "_device"], c, cuda.ndarray.zeros(4))
          for _, what in ipairs { "host", "device", "array", "unified" } do
            local method = c["set_" .. side .. "_" .. what]
            gpu.refuses_nonsense(function(v) method(v, array) end)
            gpu.raises("LogicError", "with a colon", method, array)
          end
        end
      end
    end)

  it("cuda.Memcpy3DPeer:set_src_context, cuda.Memcpy3DPeer:set_dst_context: between two contexts", function()
    local here = cuda.Context.get_current()
    local other = cuda.Device(0):make_context()
    local theirs = cuda.to_device(("."):rep(64))
    local array = cuda.Array(cuda.ArrayDescriptor { width = 4, height = 4 })
    cuda.Context.synchronize()
    cuda.Context.pop()
    local mine = cuda.to_device "0123456789abcdef"
    local c = cuda.Memcpy3DPeer()
    c:set_src_device(mine)
    c:set_dst_device(theirs)
    c.src_pitch, c.src_height, c.dst_pitch, c.dst_height = 4, 2, 8, 4
    c.width_in_bytes, c.height, c.depth = 4, 2, 2
    gpu.raises("LogicError", "another context", c)
    c:set_dst_context(other)
    c()
    local want = "0123....4567...." .. ("."):rep(16) .. "89ab....cdef...." .. ("."):rep(16)
    local function read()
      return other:with(function()
        local out = ffi.new "char[64]"
        cuda.memcpy_dtoh(out, theirs)
        return ffi.string(out, 64)
      end)
    end
    assert.equal(want, read())
    cuda.memcpy_htod(mine, "FEDCBA9876543210")
    local s = cuda.Stream()
    c:set_src_context(here)
    c.depth = 1
    c(s)
    s:synchronize()
    assert.equal("FEDC....BA98....", read():sub(1, 16))
    c:set_src_context(other)
    gpu.raises("LogicError", "set_src_context", c)
    c:set_src_context(here)
    c:set_dst_array(array)
    c:set_dst_context(here)
    gpu.raises("LogicError", "set_dst_context", c)
    for _, method in ipairs { "set_src_context", "set_dst_context" } do
      gpu.refuses_nonsense(function(v) c[method](c, v) end)
      gpu.refuses_nonsense(function(v) c[method](v, here) end)
    end
    local plain = cuda.Memcpy2D() -- the other forms stay in the current context
    plain:set_src_device(mine)
    plain:set_dst_device(theirs)
    plain.src_pitch, plain.dst_pitch, plain.width_in_bytes, plain.height = 4, 4, 4, 2
    gpu.raises("LogicError", "belongs to another", plain)
    c:set_dst_device(theirs)
    c:set_dst_context(other)
    other:detach()
    gpu.raises("LogicError", "its Context is gone", c)
    c:set_dst_device(mine)
    gpu.raises("LogicError", "was detached at", c)
  end)

  it("memory of a pool is held until a copy into another context is done", function()
    local here = cuda.Context.get_current()
    local other = cuda.Device(0):make_context()
    local theirs, s = cuda.mem_alloc(16), cuda.Stream()
    cuda.Context.pop()
    local mine = cuda.mem_alloc_async(16)
    cuda.memcpy_htod(mine, "0123456789abcdef")
    cuda.Context.synchronize()
    other:with(function() cuda.memcpy_peer_async(theirs, mine, 16, { src_context = here, stream = s }) end)
    mine:free()
    other:with(function()
      s:synchronize()
      local out = ffi.new "char[16]"
      cuda.memcpy_dtoh(out, theirs)
      assert.equal("0123456789abcdef", ffi.string(out, 16))
    end)
    other:detach()
  end)

  it("fields are whole numbers, and there are no others", function()
    for _, class in ipairs { "Memcpy2D", "Memcpy3D", "Memcpy3DPeer" } do
      local c = cuda[class]()
      assert.equal("cudalua." .. class, tostring(c))
      for _, field in ipairs { "src_x_in_bytes", "src_y", "src_pitch", "dst_x_in_bytes", "dst_y", "dst_pitch",
        "width_in_bytes", "height" } do
        assert.equal(0, c[field])
        c[field] = 5
        assert.equal(5, c[field])
        c[field] = 7LL
        assert.equal(7, c[field])
        gpu.refuses_nonsense(function(v) c[field] = v end)
        assert.equal(7, c[field])
      end
      local solid = class ~= "Memcpy2D"
      for _, field in ipairs { "src_z", "src_lod", "src_height", "dst_z", "dst_lod", "dst_height", "depth" } do
        if solid then
          c[field] = 3
          assert.equal(3, c[field])
        else
          gpu.raises("LogicError", "has no field", function() c[field] = 3 end)
          gpu.raises("LogicError", "has no field", function() return c[field] end)
        end
      end
      gpu.raises("LogicError", "has no field 'widht'", function() c.widht = 1 end)
      gpu.raises("LogicError", "has no field 'set_src_hst'", function() c:set_src_hst(1) end)
      gpu.raises("LogicError", "use the set_ methods", function() c.src_device = 1 end)
      gpu.raises("LogicError", "use the set_ methods", function() c.dst_memory_type = 1 end)
      gpu.error_of("LogicError", function() return c[5] end)
      gpu.error_of("LogicError", function() c[5] = 1 end)
      gpu.raises("LogicError", "takes no arguments", cuda[class], {})
      assert.is_nil(c.src_device)
      c:set_src_device(4096)
      assert.same({ 4096, 2 }, { c.src_device, c.src_memory_type })
      c:set_src_host "abc"
      assert.same({ "abc", 1 }, { c.src_host, c.src_memory_type })
      assert.is_nil(c.src_device)
    end
  end)

  it("what is not set is said; an extent of 0 copies nothing", function()
    local c = cuda.Memcpy3D()
    local mem = cuda.to_device "0123"
    gpu.raises("LogicError", "not set: width_in_bytes", c)
    c.width_in_bytes = 4
    gpu.raises("LogicError", "not set: height", c)
    c.height = 1
    gpu.raises("LogicError", "not set: depth", c)
    c.depth = 1
    gpu.raises("LogicError", "the src of the copy is not set", c)
    c:set_src_host "abcd"
    gpu.raises("LogicError", "the dst of the copy is not set", c)
    c:set_dst_device(mem)
    for _, field in ipairs { "width_in_bytes", "height", "depth" } do
      local was = c[field]
      c[field] = 0
      c()
      c(cuda.Stream())
      c[field] = was
    end
    local out = ffi.new "char[4]"
    cuda.memcpy_dtoh(out, mem)
    assert.equal("0123", ffi.string(out, 4))
    c()
    cuda.memcpy_dtoh(out, mem)
    assert.equal("abcd", ffi.string(out, 4))
  end)

  -- One side of each kind, of 3 slices of 4 rows of 20 bytes; the other is large enough for anything.
  it("just past the end is an error before the driver is called, on every side", function()
    local g = { pitch = 20, rows = 4, slices = 3 }
    local big = cuda.mem_alloc(65536)
    for _, name in ipairs { "host", "cdata", "pinned", "managed", "managed_device", "device", "view", "pooled", "array",
      "unified", "unified_host", "unified_pinned" } do
      for _, class in ipairs { "Memcpy2D", "Memcpy3D", "Memcpy3DPeer" } do
        local flat = class == "Memcpy2D"
        local e = kinds[name](flat and 80 or 240, { pitch = 20, rows = 4, slices = flat and 1 or 3, flat = flat })
        for _, side in ipairs { "src", "dst" } do
          local other = side == "src" and "dst" or "src"
          local c = cuda[class]()
          e.set(c, side)
          c["set_" .. other .. "_device"](c, big)
          c[other .. "_pitch"] = 64
          c[side .. "_pitch"] = g.pitch
          if not flat then c.src_height, c.dst_height = 16, 16 end
          if not flat then c[side .. "_height"] = g.rows end
          local function try(x, y, z, w, h, d)
            c[side .. "_x_in_bytes"], c[side .. "_y"], c.width_in_bytes, c.height = x, y, w, h
            if not flat then c[side .. "_z"], c.depth = z, d end
            c()
            c(cuda.legacy_stream)
          end
          try(0, 0, 0, 20, 4, flat and 1 or 3) -- all of it
          try(16, 3, flat and 0 or 2, 4, 1, 1) -- the last four bytes
          local bad = { { 4, 0, 0, 20, 1, 1 }, { 20, 0, 0, 4, 1, 1 }, { 0, 1, 0, 20, 4, 1 }, { 16, 4, 0, 4, 1, 1 },
            { 0, 0, 0, 20, 5, 1 }, { 2 ^ 53, 0, 0, 4, 1, 1 }, { 0, 2 ^ 53, 0, 4, 1, 1 }, { 0, 0, 0, 4, 2 ^ 53, 1 } }
          if not flat then
            bad[#bad + 1] = { 0, 0, 1, 20, 4, 3 }
            bad[#bad + 1] = { 0, 0, 3, 4, 1, 1 }
            bad[#bad + 1] = { 0, 0, 0, 20, 4, 4 }
            bad[#bad + 1] = { 0, 0, 2 ^ 53, 4, 1, 1 }
            bad[#bad + 1] = { 0, 0, 0, 4, 4, 2 ^ 53 }
          end
          cuda.Context.synchronize()
          if soft then
            soft.log "on"
            soft.log "clear"
          end
          for _, args in ipairs(bad) do
            local ok, err = pcall(try, unpack(args))
            if ok or not cuda.is_error(err, "LogicError") or err.code then
              error(("%s %s %s {%s}: %s"):format(class, name, side, table.concat(args, ", "), tostring(err)))
            end
          end
          if soft then
            for _, call in ipairs(soft.calls()) do assert.not_matches("Memcpy", call.symbol) end
            soft.log "off"
          end
        end
      end
    end
    assert.equal(65536, #big)
  end)

  it("pitch and height must leave room for what is copied", function()
    local c = cuda.Memcpy3D()
    c:set_src_host(("x"):rep(4096))
    c:set_dst_device(cuda.mem_alloc(4096))
    c.width_in_bytes, c.height, c.depth = 16, 4, 2
    for _, field in ipairs { "src_pitch", "dst_pitch", "src_height", "dst_height" } do
      local least = field:find "pitch" and 16 or 4
      for _, value in ipairs { 1, least - 1 } do
        c[field] = value
        gpu.raises("LogicError", field, c)
        gpu.raises("LogicError", field, c, cuda.legacy_stream)
      end
      c[field] = 2 ^ 53
      gpu.raises("LogicError", field:sub(1, 3) .. ": the copy ends at byte", c)
      c[field] = least
    end
    c()
    assert.equal(16, c.width_in_bytes)
  end)

  it("a pitch or height of 0 stands for rows and slices without gaps", function()
    local text, mem = random_bytes(4096), cuda.mem_alloc(4096)
    for _, side in ipairs { "src", "dst" } do
      for _, way in ipairs(ways) do
        local g, packed = around(16, 3, 2), { x = 4, y = 1, z = 1, pitch = 20, rows = 4 }
        cuda.memcpy_htod(mem, text)
        local bytes = random_bytes(g.size)
        local block = ffi.new("uint8_t[?]", g.size)
        ffi.copy(block, bytes, g.size)
        local c = cuda.Memcpy3D()
        c["set_" .. side .. "_device"](c, mem)
        c["set_" .. (side == "src" and "dst" or "src") .. "_host"](c, block)
        set_box(c, side == "src" and "dst" or "src", g, true)
        c[side .. "_x_in_bytes"], c[side .. "_y"], c[side .. "_z"] = packed.x, packed.y, packed.z
        c.width_in_bytes, c.height, c.depth = 16, 3, 2
        way[2](c)
        if side == "src" then
          assert.equal(expected(text, bytes, packed, g, 16, 3, 2), ffi.string(block, g.size))
        else
          local out = ffi.new "uint8_t[4096]"
          cuda.memcpy_dtoh(out, mem)
          assert.equal(expected(bytes, text, g, packed, 16, 3, 2), ffi.string(out, 4096))
        end
      end
    end
    local c = cuda.Memcpy2D()
    c:set_src_host(text)
    c:set_dst_device(mem)
    c.width_in_bytes, c.height = 1024, 5
    gpu.raises("LogicError", "the copy ends at byte 5120, but the memory ends at 4096", c)
  end)

  it("go to the driver as they are named", function()
    if not soft then return pending "reads the call log" end
    local s, mem = cuda.Stream(), cuda.mem_alloc(64)
    local function symbol(class, how)
      local c = cuda[class]()
      c:set_src_host(("x"):rep(64))
      c:set_dst_device(mem)
      c.src_pitch, c.dst_pitch, c.width_in_bytes, c.height = 8, 8, 8, 2
      if class ~= "Memcpy2D" then c.src_height, c.dst_height, c.depth = 2, 2, 2 end
      soft.log "on"
      soft.log "clear"
      c(how)
      for _, call in ipairs(soft.calls()) do
        if call.symbol:find "Memcpy" then
          soft.log "off"
          return call.symbol
        end
      end
    end
    assert.equal("cuMemcpy2D_v2", symbol "Memcpy2D")
    assert.equal("cuMemcpy2D_v2", symbol("Memcpy2D", true))
    assert.equal("cuMemcpy2D_v2", symbol("Memcpy2D", { aligned = true }))
    assert.equal("cuMemcpy2DUnaligned_v2", symbol("Memcpy2D", false))
    assert.equal("cuMemcpy2DUnaligned_v2", symbol("Memcpy2D", { aligned = false }))
    assert.equal("cuMemcpy2DAsync_v2", symbol("Memcpy2D", s))
    assert.equal("cuMemcpy2DAsync_v2", symbol("Memcpy2D", { stream = s }))
    assert.equal("cuMemcpy3D_v2", symbol "Memcpy3D")
    assert.equal("cuMemcpy3DAsync_v2", symbol("Memcpy3D", s))
    assert.equal("cuMemcpy3DPeer", symbol "Memcpy3DPeer")
    assert.equal("cuMemcpy3DPeerAsync", symbol("Memcpy3DPeer", { stream = s }))
  end)

  it("the call refuses what it does not know", function()
    local c = cuda.Memcpy2D()
    gpu.refuses_nonsense(c, { ["nil"] = true, table = true, boolean = true })
    gpu.raises("LogicError", "unknown option", c, { steam = 1 })
    gpu.raises("LogicError", "takes no stream", c, { aligned = false, stream = cuda.Stream() })
    gpu.refuses_nonsense(function(v) c { aligned = v } end, { ["nil"] = true, boolean = true })
    gpu.refuses_nonsense(function(v) c { stream = v } end, { ["nil"] = true })
    gpu.raises("LogicError", "expected a Stream", cuda.Memcpy3D(), true)
    gpu.raises("LogicError", "unknown option", cuda.Memcpy3D(), { aligned = true })
    local closed = cuda.Stream()
    closed:close()
    gpu.raises("LogicError", "was closed at", c, closed)
  end)

  it("hold what they were given, and know when it was freed", function()
    local c = cuda.Memcpy2D()
    c.src_pitch, c.dst_pitch, c.width_in_bytes, c.height = 8, 8, 8, 2
    c:set_src_device(cuda.to_device "0123456789abcdef")
    local out = ffi.new "char[16]"
    c:set_dst_host(out)
    collectgarbage()
    collectgarbage()
    cuda.collect()
    c()
    assert.equal("0123456789abcdef", ffi.string(out, 16))
    local function device() return cuda.mem_alloc(16) end
    local function pinned() return cuda.pagelocked_zeros(16, "uint8") end
    local function aligned() return cuda.aligned_zeros(16, "uint8") end
    local function base() return cuda.managed_zeros(16, "uint8").base end
    local function array() return cuda.Array(cuda.ArrayDescriptor { width = 2, height = 2 }) end
    for _, case in ipairs { { "device", device }, { "host", pinned }, { "host", aligned }, { "unified", aligned },
      { "unified", pinned }, { "device", base }, { "unified", device }, { "array", array } } do
      for _, side in ipairs { "src", "dst" } do
        local copy, memory = cuda.Memcpy2D(), case[2]()
        copy.src_pitch, copy.dst_pitch, copy.width_in_bytes, copy.height = 8, 8, 8, 2
        copy:set_src_host(("x"):rep(16))
        copy:set_dst_host(out)
        copy["set_" .. side .. "_" .. case[1]](copy, memory)
        copy()
        local owner = cuda.ndarray.is_array(memory) and memory.base or memory
        owner:free()
        gpu.raises("LogicError", "was freed at", copy)
        gpu.raises("LogicError", "was freed at", copy, cuda.Stream())
      end
    end
  end)

  it("in a stream hold both ends until they are done", function()
    local out, ok = gpu.child([[
      local cuda, ffi = require "cudalua", require "ffi"
      cuda.init()
      local ctx = cuda.Device(0):make_context()
      local s, n = cuda.Stream "non_blocking", 4096
      local mem, released = cuda.mem_alloc(n * 8), 0
      local function start(i)
        local buf = ffi.gc(ffi.new("uint8_t[?]", n), function() released = released + 1 end)
        ffi.fill(buf, n, i + 1)
        local c = cuda.Memcpy2D()
        c.src_pitch, c.dst_pitch, c.width_in_bytes, c.height = 64, 64, 64, 64
        local array = cuda.Array(cuda.ArrayDescriptor { width = 16, height = 64 })
        local pinned = cuda.pagelocked_zeros(n, "uint8")
        pinned:fill(i + 1)
        c:set_dst_array(array)
        c:set_src_host(pinned)
        c(s)
        c:set_src_array(array)
        c:set_dst_device(mem + i * n)
        c(s)
        c:set_src_host(buf) -- the last, which no later copy asks about
        c(s)
      end
      for i = 0, 7 do start(i) end
      collectgarbage() collectgarbage()
      local deferred = cuda.driver_info().soft and not os.getenv "CUDALUA_SOFT_STREAMS"
      assert(not deferred or released < 8)
      s:synchronize()
      local out = ffi.new("uint8_t[?]", n * 8)
      cuda.memcpy_dtoh(out, mem)
      for i = 0, 7 do assert(out[i * n] == i + 1 and out[i * n + n - 1] == i + 1) end
      cuda.collect()
      if cuda.driver_info().soft then
        local stats = require("cudalua.softgpu").stats()
        assert(stats.live_arrays == 0 and stats.live_allocs == 1)
      end
      print(released)
      os.exit(0, true)
    ]], gpu.driver .. " CUDALUA_SOFT_LEAKS=on")
    assert.equal("8\n", out)
    assert.is_true(ok)
  end)

  it("page-locked sources are read when the copy runs, others when it is called", function()
    if not soft then return pending "a GPU may be faster than the program" end
    if os.getenv "CUDALUA_SOFT_STREAMS" then return end
    local s, mem = cuda.Stream "non_blocking", cuda.mem_alloc(16)
    for _, make in ipairs { cuda.pagelocked_zeros, cuda.ndarray.zeros } do
      local a = make(16, "uint8")
      a:fill(1)
      local c = cuda.Memcpy2D()
      c:set_src_host(a)
      c:set_dst_device(mem)
      c.src_pitch, c.dst_pitch, c.width_in_bytes, c.height = 4, 4, 4, 4
      c(s)
      a:fill(2)
      s:synchronize()
      assert.equal(make == cuda.pagelocked_zeros and 2 or 1, cuda.from_device(mem, 1, "uint8")[1])
    end
  end)

  it("can be captured, and are kept by the graph", function()
    local s, mem = cuda.Stream(), cuda.mem_alloc(64)
    local array = cuda.Array(cuda.ArrayDescriptor { width = 4, height = 4 })
    local exec = s:capture(function()
      local c = cuda.Memcpy2D()
      c:set_src_host(cuda.ndarray.full(64, 7, "uint8"))
      c:set_dst_array(array)
      c.src_pitch, c.dst_pitch, c.width_in_bytes, c.height = 16, 16, 16, 4
      gpu.raises("LogicError", "being captured", c)
      c(s)
      c:set_src_array(array)
      c:set_dst_device(mem)
      c(s)
    end):instantiate()
    collectgarbage()
    collectgarbage()
    exec:launch(s)
    s:synchronize()
    assert.same({ 7, 7 }, cuda.from_device(mem, 2, "uint8"):tolist())
    array:free()
    gpu.raises("LogicError", "an Array that the graph uses", exec.launch, exec, s)
  end)
end)
