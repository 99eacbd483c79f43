-- Loads behind the pragma used_bytes_mask: what is not used need not be there. Expected bytes are those that the test
-- put into memory. On the software device bytes that are not used are what memory holds, too, and 0xa5 where there is
-- none; a GPU promises nothing.
local bit = require "bit"
local ffi = require "ffi"

local gpu = require "spec.support.gpu"
local cuda = gpu.cuda

local UNUSED = 0xa5

---A kernel that loads `bytes` bytes as `form` says, behind `before`, and stores its registers one after the other. `a`
---is where they are: in global memory, or in what `space` names, to where they are copied first. A store is of `word`
---bits, an element's register of as many.
local function ptx_of(case)
  local n, word = case.n or 1, case.word or 32
  local regs, stores = {}, {}
  for i = 1, n do
    regs[i] = "%v" .. i
    stores[i] = ("st.global.b%d [%%o+%d], %%v%d;"):format(word, (i - 1) * word / 8, i)
  end
  local list = n == 1 and regs[1] or "{" .. table.concat(regs, ", ") .. "}"
  local space, place, fill = case.space or "global", "[%a]", {}
  if space == "shared" or space == "local" then
    place = "[m]"
    for i = 0, case.there - 1 do
      fill[#fill + 1] = ("ld.global.u8 %%b, [%%a+%d]; st.%s.u8 [m+%d], %%b;"):format(i, space, i)
    end
  elseif space == "param" then
    place = "[bytes]"
  end
  return ([[
.version %s
.target %s
.address_size 64
.visible .entry k(.param .u64 o, .param .u64 a, .param .align 16 .b8 bytes[%d])
{
  .reg .b64 %%o, %%a; .reg .b16 %%b; .reg .b%d %%v<9>; .reg .pred %%p; .reg .b32 %%t;
  %s
  ld.param.u64 %%o, [o]; ld.param.u64 %%a, [a];
  mov.u32 %%t, %%tid.x;
  setp.eq.u32 %%p, %%t, 0;
  %s
  %s
  %s %s, %s;
  @%%p bra FIRST;
  ret;
FIRST:
  %s
  ret;
}
]]):format(case.version or "8.8", case.target or "sm_75", space == "param" and case.there or 16, word,
    place == "[m]" and (".%s .align 32 .b8 m[%d];"):format(space, case.there) or "", table.concat(fill, "\n  "),
    case.before, case.form, list, place, table.concat(stores, "\n  "))
end

local function highest(mask) -- bytes up to the last one of a mask
  local n = 0
  while mask > 0 do
    mask, n = math.floor(mask / 2), n + 1
  end
  return n
end

---Runs a case with memory that ends behind the last used byte; compares what was loaded.
local function loads(case)
  case.there = case.there or highest(case.mask)
  case.before = case.before or ('.pragma "used_bytes_mask %d";'):format(case.mask)
  local n, word = case.n or 1, case.word or 32
  local size = case.size or word / 8 -- bytes of an element in memory
  local source = ffi.new("uint8_t[?]", 32)
  for i = 0, 31 do source[i] = 0x41 + 5 * i end
  local memory, out = cuda.mem_alloc(case.there), cuda.mem_alloc(64)
  cuda.memcpy_htod(memory, source, { nbytes = case.there })
  local k = cuda.module_from_buffer(ptx_of(case)):get_function "k"
  local parameter = ffi.new("uint8_t[?]", case.space == "param" and case.there or 16)
  ffi.copy(parameter, source, math.min(ffi.sizeof(parameter), 32))
  k(out, memory, parameter, { block = case.block or 1 })
  local got = ffi.new "uint8_t[64]"
  cuda.memcpy_dtoh(got, out)
  for i = 0, n * size - 1 do
    local at = math.floor(i / size) * word / 8 + i % size
    local used = bit.band(bit.rshift(case.all or case.mask, i), 1) == 1
    local says = ("%s, mask 0x%x: byte %d is 0x%x"):format(case.form, case.mask, i, got[at])
    if used then assert.equal(source[i], got[at], says) end
    if not used and gpu.soft then assert.equal(i < case.there and source[i] or UNUSED, got[at], says) end
  end
  memory:free()
  out:free()
end

describe("the pragma used_bytes_mask", function()
  setup(gpu.context)

  it("lets loads of every space reach beyond their memory, where they use nothing", function()
    for _, space in ipairs { "global", "shared", "local", "param" } do
      for _, f in ipairs { { "v4.f32", 4, 32 }, { "v4.b32", 4, 32 }, { "v2.f64", 2, 64 }, { "v2.b32", 2, 32 },
        { "b32", 1, 32 }, { "b64", 1, 64 } } do
        local bytes = f[2] * f[3] / 8
        for _, mask in ipairs { 0xfff, 0xff, 0xf, 0x7, 0x3, 0x1, 0xf0f, 0xf00f, 0x7ff, 0x3fff, 0xf7f, 0x5a, 0x35 } do
          if highest(mask) <= bytes then
            loads { form = ("ld.%s.%s"):format(space, f[1]), n = f[2], word = f[3], mask = mask, space = space }
          end
        end
      end
    end
  end)

  it("is for loads of every kind", function()
    for _, form in ipairs { "ld.v4.b32", "ld.global.nc.v4.b32", "ld.volatile.global.v4.b32", "ld.global.ca.v4.b32",
      "ld.relaxed.gpu.global.v4.b32", "ld.acquire.gpu.global.v4.b32" } do
      for _, mask in ipairs { 0xfff, 0xf0f, 0x7ff } do loads { form = form, n = 4, mask = mask } end
    end
    loads { form = "ld.global.v4.u8", n = 4, word = 16, size = 1, mask = 0x7 }
    loads { form = "ld.global.v4.u16", n = 4, word = 32, size = 2, mask = 0x1f }
    loads { form = "ld.global.v2.s16", n = 2, word = 32, size = 2, mask = 0x7 }
    loads { form = "ld.global.u16", word = 16, mask = 1 }
    loads { form = "@%p ld.global.v4.b32", n = 4, mask = 0xfff, block = 40 }
    loads { form = "ld.global.v2.b32", n = 2, mask = 0xf0, there = 8 } -- as NVRTC writes it, though it uses all
  end)

  it("extends the sign of elements that have gaps", function()
    local out, memory = cuda.mem_alloc(8), cuda.mem_alloc(2)
    local k = cuda.module_from_buffer [[
.version 8.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 o, .param .u64 a)
{
  .reg .b64 %o, %a; .reg .b32 %v<3>;
  ld.param.u64 %o, [o]; ld.param.u64 %a, [a];
  .pragma "used_bytes_mask 2";
  ld.global.s16 %v1, [%a];
  .pragma "used_bytes_mask 2";
  ld.global.u16 %v2, [%a];
  shr.s32 %v1, %v1, 8; shr.u32 %v2, %v2, 8;
  st.global.v2.b32 [%o], {%v1, %v2};
  ret;
}]]:get_function "k"
    local bytes, got = ffi.new("uint8_t[2]", 0x12, 0x93), ffi.new "int32_t[2]"
    cuda.memcpy_htod(memory, bytes)
    k(out, memory, { block = 1 })
    cuda.memcpy_dtoh(got, out)
    assert.equal(0x93 - 0x100, got[0])
    assert.equal(0x93, got[1])
  end)

  it("has a bit for each byte of a load of 32 bytes", function()
    if not gpu.soft then pending "the GPU's architecture has no loads of 32 bytes" end
    loads { form = "ld.global.v8.b32", n = 8, mask = 0xfffffff, target = "sm_100" }
    loads { form = "ld.global.v4.b64", n = 4, word = 64, mask = 0x7ff00ff, target = "sm_100" }
  end)

  it("counts the last time it stands before a load, and there alone", function()
    local form = { form = "ld.global.v4.b32", n = 4 }
    local function case(before, mask, there)
      loads(setmetatable({ before = before, mask = mask, there = there }, { __index = form }))
    end
    case('.pragma "used_bytes_mask 15"; .pragma "used_bytes_mask 255";', 255)
    case('.pragma "used_bytes_mask 255"; .pragma "used_bytes_mask 15";', 15)
    case('.pragma "used_bytes_mask 15", "used_bytes_mask 255";', 255)
    case('.pragma "used_bytes_mask 255"; .pragma "nounroll";', 255)
    case('.pragma "used_bytes_mask 255"; HERE:', 255)
    case('.pragma "used_bytes_mask 0xff";', 255)
    case('.pragma "used_bytes_mask 0377";', 255)
    case('.pragma "used_bytes_mask:255";', 255)
    -- All bytes are loaded behind these.
    case('.pragma "used_bytes_mask 255"; mov.u32 %t, 1;', 0xffff, 16)
    case('.pragma "used_bytes_mask 0";', 0xffff, 16)
    case('.pragma "used_bytes_mask -1";', 0xffff, 16)
    case('.pragma "USED_BYTES_MASK 1";', 0xffff, 16)
  end)

  it("is refused with a mask that is not an integer", function()
    for _, mask in ipairs { "", " ", " all", " 4095 17", "4095", " 0b11", " 0xfffU", " 089", " 1.5" } do
      local ptx = ptx_of { form = "ld.global.v4.b32", n = 4, there = 16,
        before = ('.pragma "used_bytes_mask%s";'):format(mask) }
      local err = gpu.error_of(nil, cuda.module_from_buffer, ptx)
      assert.equal(218, err.code, mask)
      if gpu.soft then assert.truthy(tostring(err):find("used_bytes_mask", 1, true), tostring(err)) end
    end
  end)

  it("is what NVRTC writes: kernels that read what they use, and no more, are right", function()
    local name = "wide"
    local options = { name = "wide.cu" }
    local source = [[
extern "C" __global__ void wide(float *o, float *a)
{
  float4 u = *(float4 *)a;
  *o = u.x + u.w + a[4] + a[5] + a[6];
}]]
    local a = cuda.mem_alloc(7 * 4)
    cuda.memcpy_htod(a, ffi.new("float[7]", 1, 2, 3, 4, 5, 6, 7))
    local out = ffi.new "float[1]"
    cuda.SourceModule(source, options):get_function(name)(cuda.Out(out), a, { block = 1 })
    assert.equal(1 + 4 + 5 + 6 + 7, out[0])
    a:free()
  end)
end)

local function on_software()
  if not gpu.soft then pending "a GPU does not look" end
end

---Runs a kernel of one load, or what else it is, in a process of its own; returns its report.
local function report_of(ptx, launch, checks)
  local text = gpu.child(([[
    local cuda, soft = require "cudalua", require "cudalua.softgpu"
    require "cudalua.autoinit"
    local k = cuda.module_from_buffer([==[%s]==]):get_function "k"
    local function run()
      %s
      cuda.Context.synchronize()
    end
    local ok, err = pcall(run)
    print(ok and "fine" or err.code .. " " .. soft.report())]]):format(ptx, launch),
    ("CUDALUA_DRIVER=soft CUDALUA_SOFT_REPORT=off CUDALUA_SOFT_CHECK=%s"):format(checks or "off"))
  return text
end

describe("checks of loads behind the pragma used_bytes_mask", function()
  local function wide(mask, offset)
    return ptx_of { form = "ld.global.v4.b32", n = 4, there = 16,
      before = ('add.u64 %%a, %%a, %d; .pragma "used_bytes_mask %d";'):format(offset or 0, mask) }
  end
  local launch = 'k(cuda.mem_alloc(64), cuda.mem_alloc(%d), require "ffi".new "uint8_t[16]", { block = 1 })'

  it("name the used bytes that are not there", function()
    on_software()
    assert.equal("fine\n", report_of(wide(0xfff), launch:format(12)))
    assert.truthy(report_of(wide(0xfff), launch:format(8)):find("^700 .*illegal load of 4 bytes at global address "
      .. "0x%x+8; right after the end of allocation"))
    assert.truthy(report_of(wide(0xffff), launch:format(12)):find("^700 .*illegal load of 16 bytes"))
    assert.truthy(report_of(wide(0xf0f), launch:format(8)):find("^700 .*illegal load of 4 bytes"))
    assert.truthy(report_of(wide(0x7f), launch:format(6)):find("^700 .*illegal load of 1 bytes at global address "
      .. "0x%x+6;"))
  end)

  it("ask for the alignment of all of the load", function()
    on_software()
    for _, offset in ipairs { 4, 8 } do
      assert.truthy(report_of(wide(0xf, offset), launch:format(64)):find("^716 .*misaligned load of 16 bytes at " ..
        "global address 0x%x+%d, which is not a multiple of 16"))
    end
  end)

  it("say nothing of used bytes that were written beside some that were not", function()
    on_software()
    local fill = 'local a = cuda.mem_alloc(16); cuda.memset_d32(a, 7, %d); '
      .. 'k(cuda.mem_alloc(64), a, require "ffi".new "uint8_t[16]", { block = 1 })'
    -- It stores all four registers, of which the last one has what nobody wrote.
    local function adds(mask)
      return (wide(mask):gsub("@%%p bra FIRST;", "add.u32 %%v1, %%v1, %%v3; add.u32 %%v4, %%v4, 1;\n  %0"))
    end
    assert.equal("fine\n", report_of(adds(0xfff), fill:format(3), "uninitialised"))
    assert.truthy(report_of(adds(0xfff), fill:format(2), "uninitialised"):find("^719 .*load of 4 bytes at global "
      .. "address 0x%x+8, which were never written"))
    assert.truthy(report_of(adds(0xffff), fill:format(3), "uninitialised"):find "^719 .*which were never written")
  end)

  it("find no race in bytes that are not used, and each one in those that are", function()
    on_software()
    local function race(space, mask)
      local memory = space == "shared" and ".shared .align 16 .b8 m[16];" or ""
      return ([[
.version 8.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 o, .param .u64 a)
{
  .reg .b64 %%o, %%a; .reg .b32 %%v<9>; .reg .pred %%p; .reg .b32 %%t; %s
  ld.param.u64 %%o, [o]; ld.param.u64 %%a, [a];
  mov.u32 %%t, %%tid.x;
  setp.eq.u32 %%p, %%t, 0;
  @%%p bra FIRST;
  st.%s.u32 [%s+12], 5;
  ret;
FIRST:
  .pragma "used_bytes_mask %d";
  ld.%s.v4.b32 {%%v1, %%v2, %%v3, %%v4}, [%s];
  st.global.u32 [%%o], %%v1;
  ret;
}]]):format(memory, space, space == "shared" and "m" or "%a", mask, space, space == "shared" and "m" or "%a")
    end
    local start = "local a = cuda.mem_alloc(16); k(cuda.mem_alloc(64), a, { block = %d })"
    for _, space in ipairs { "shared", "global" } do
      for _, last in ipairs { 2, 33 } do
        assert.equal("fine\n", report_of(race(space, 0xfff), start:format(last), "races"), space)
        assert.truthy(report_of(race(space, 0xf00f), start:format(last), "races"):find("^719 .*race: .*of 4 bytes at "
          .. space .. " address 0x%x*c and"), space)
      end
    end
  end)
end)
