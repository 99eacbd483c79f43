-- Textures and surfaces on the software device: what they read, against the rule bit by bit and against what a GPU
-- read, and what is reported of their wrong use.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local cases = require "spec.support.texture_cases"
local reference = require "spec.support.sampler_reference"

local single = ffi.new "float[1]"
local word = ffi.new "uint32_t[1]"

local function float_of(bits)
  word[0] = bits
  ffi.copy(single, word, 4)
  return tonumber(single[0])
end

local function float(x)
  single[0] = x
  return tonumber(single[0])
end

-- The greatest channel, to which errors of filtering are compared.
local function span(c)
  if c.format == "float" or c.format == "half" then return 16 end
  return 1
end

-- Against a GPU: points and integers are equal, and filtering is within 2^-8 of the greatest value for each axis.
local function allowed_of_gpu(c)
  local axes = (c.linear and c.op ~= "gather") and (c.axes.cube and 2 or #c.axes) or 0
  if c.mip_linear and c.levels > 1 then axes = axes + 1 end
  return axes * span(c) / 256
end

local function describe_case(c)
  return ("case %d (%s %s, %d x %s, %d x %d x %d, %d level%s, %s%s%s)"):format(c.number, c.op, c.geometry, c.channels,
    c.format, c.width, c.height, c.depth, c.levels, c.levels == 1 and "" or "s", c.linear and "linear" or "point",
    c.normalized and ", normalized" or "", c.seamless and ", seamless" or "")
end

-- The first sample where the two differ, in words; nil: none.
local function compare(c, out, expected, tolerance)
  for i, s in ipairs(c.samples) do
    local want = expected(i, s)
    for k = 1, 4 do
      local got, must = out[4 * (i - 1) + k - 1], want[k]
      if c.floats then
        got, must = float_of(got), float(must)
      elseif must < 0 then
        must = must + 2 ^ 32
      end
      if math.abs(got - must) > tolerance or got ~= got then
        return ("%s, sample %d at (%.9g, %.9g, %.9g), layer %d, level %g, channel %d: %.9g, expected %.9g"):format(
          describe_case(c), i, s[1] or 0, s[2] or 0, s[3] or 0, s.layer, s.lod, k, got, must)
      end
    end
  end
end

describe("textures of the software device", function()
  before_each(gpu.context)

  it("read what the programming guide says, of random descriptions at random places and around edges", function()
    if not gpu.soft then return pending "a GPU rounds in its own way: spec/data/textures has what it reads" end
    local wrong, seen = {}, {}
    for number = 1, cases.count do
      local c = cases.case(number)
      local levels = reference.levels(c, cases.level_extents)
      seen[c.geometry .. " " .. c.op] = true
      wrong[#wrong + 1] = compare(c, cases.run(c), function(_, s) return reference.read(c, levels, s) end, 0)
    end
    assert(#wrong == 0, ("%d of %d differ:\n%s"):format(#wrong, cases.count, table.concat(wrong, "\n", 1,
      math.min(#wrong, 20))))
    for _, shape in ipairs { "1d", "2d", "3d", "a1d", "a2d", "cube", "acube" } do
      for _, op in ipairs { "plain", "level", "grad" } do assert(seen[shape .. " " .. op], shape .. " " .. op) end
    end
    assert(seen["2d gather"] and seen["linear fetch"] and seen["pitch plain"])
  end)

  it("read the same in code for a debugger, whose functions are called", function()
    for number = 1, 44 do
      local c = cases.case(number)
      local want = cases.run(c)
      assert.is_nil(compare(c, cases.run(c, "-G"), function(i)
        local four = {}
        for k = 1, 4 do
          local bits = tonumber(want[4 * (i - 1) + k - 1])
          four[k] = c.floats and float_of(bits) or bits
        end
        return four
      end, 0))
    end
  end)

  -- Which level a gradient chooses is within the tables of texture_probe_spec; where that is another one, so is all else.
  local GRADIENTS, EXACT = 0.1, 0.99 -- samples of a case that may be others; readings that are the same to the bit

  local function count_bits(c, mine, words, sum)
    for i = 0, 4 * #c.samples - 1 do
      local a, b = mine[i], words[i]
      local same = a == b or c.floats and float_of(a) == float_of(b)
      sum.all, sum.same = sum.all + 1, sum.same + (same and 1 or 0)
    end
  end

  local function others(c, mine, golden, tolerance)
    local count = 0
    for i, s in ipairs(c.samples) do
      local one = setmetatable({ samples = { s } }, { __index = c })
      local four = {}
      for k = 0, 3 do four[k] = mine[4 * (i - 1) + k] end
      if compare(one, four, function() return golden(i) end, tolerance) then count = count + 1 end
    end
    return count / #c.samples
  end

  it("read what a GPU read, where that was recorded", function()
    local wrong, sum = {}, { all = 0, same = 0 }
    local about = cases.each_recorded(function(c, words)
      local function golden(i)
        local four = {}
        for k = 1, 4 do
          local bits = tonumber(words[4 * (i - 1) + k - 1])
          four[k] = c.floats and float_of(bits) or bits
        end
        return four
      end
      local mine, tolerance = cases.run(c), gpu.soft and allowed_of_gpu(c) or 0
      count_bits(c, mine, words, sum)
      if gpu.soft and c.op == "grad" and c.levels > 1 and others(c, mine, golden, tolerance) <= GRADIENTS then return end
      wrong[#wrong + 1] = compare(c, mine, golden, tolerance)
    end)
    if not about then return pending "spec/data/textures/make.lua was not run on a GPU yet" end
    assert(#wrong == 0, ("%d of %d differ from %s:\n%s"):format(#wrong, cases.count, about, table.concat(wrong, "\n", 1,
      math.min(#wrong, 20))))
    assert(sum.same >= EXACT * sum.all, ("%d of %d readings are the same"):format(sum.same, sum.all))
  end)
end)

-- ---- surfaces -------------------------------------------------------------------------------------------------------

local textures = require "spec.support.textures"
local cuda = gpu.cuda

-- sust.p has no function in CUDA C.
local formatted = [[
.version 7.0
.target sm_70
.address_size 64
.visible .entry put(.param .u64 s, .param .u64 values, .param .u32 count)
{
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %x<4>;
  ld.param.u64 %x0, [s];
  ld.param.u64 %x1, [values];
  ld.param.u32 %r0, [count];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 0;
  mul.wide.u32 %x2, %r1, 16;
  add.u64 %x1, %x1, %x2;
  ld.global.v4.b32 {%r3, %r4, %r5, %r6}, [%x1];
  setp.eq.u32 %p0, %r0, 1;
  setp.eq.u32 %p1, %r0, 2;
  setp.eq.u32 %p2, %r0, 4;
  @%p0 sust.p.2d.b32.trap [%x0, {%r1, %r2}], %r3;
  @%p1 sust.p.2d.v2.b32.trap [%x0, {%r1, %r2}], {%r3, %r4};
  @%p2 sust.p.2d.v4.b32.trap [%x0, {%r1, %r2}], {%r3, %r4, %r5, %r6};
  ret;
}
]]

-- What a channel of the format becomes, as its integer; values are integers, or floats.
local kept = {
  unsigned_int8 = function(v) return math.min(v % 2 ^ 32, 255) end,
  unsigned_int16 = function(v) return math.min(v % 2 ^ 32, 65535) end,
  unsigned_int32 = function(v) return v % 2 ^ 32 end,
  signed_int8 = function(v) return math.max(-128, math.min(v, 127)) end,
  signed_int16 = function(v) return math.max(-32768, math.min(v, 32767)) end,
  signed_int32 = function(v) return v end,
  unorm_int8 = function(v) return math.floor(math.max(0, math.min(v, 1)) * 255 + 0.5) end,
  unorm_int16 = function(v) return math.floor(math.max(0, math.min(v, 1)) * 65535 + 0.5) end,
  snorm_int8 = function(v) return math.floor(math.max(-1, math.min(v, 1)) * 127 + 0.5) end,
  snorm_int16 = function(v) return math.floor(math.max(-1, math.min(v, 1)) * 32767 + 0.5) end,
}
local c_types = { unsigned_int8 = "uint8_t", unsigned_int16 = "uint16_t", unsigned_int32 = "uint32_t",
  signed_int8 = "int8_t", signed_int16 = "int16_t", signed_int32 = "int32_t", unorm_int8 = "uint8_t",
  unorm_int16 = "uint16_t", snorm_int8 = "int8_t", snorm_int16 = "int16_t", float = "float" }

local integers = { 0, 1, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 100000, 2 ^ 31 - 1, -1, -128, -129, -40000 }
local reals = { 0, 1, 0.5, 0.25, 0.3, 0.999, 1.5, 1000, -0.4, -1, -2, 0.001, 0.1, 0.7, 0.123, -0.75 }

local function put(format, channels, values)
  local real = not format:find "signed_int"
  local array = cuda.Array(cuda.ArrayDescriptor3D { width = 16, height = 1, num_channels = channels,
    format = format:find "norm_int%d" and format .. "x" .. channels or format, flags = "surface_ldst" })
  local words = ffi.new(real and "float[64]" or "int32_t[64]")
  for i = 0, 15 do
    for k = 0, 3 do words[4 * i + k] = values[(i + 3 * k) % 16 + 1] end
  end
  local store = cuda.module_from_buffer(formatted):get_function "put"
  store(cuda.SurfaceObject { array = array }, cuda.In(words), cuda.uint32(channels), { block = 16 })
  return array, words
end

describe("surfaces of the software device", function()
  before_each(gpu.context)

  it("store formatted texels: limited integers, rounded normalised ones, halves and floats", function()
    if not gpu.soft then return pending "PTX leaves the rounding open" end
    for _, format in ipairs { "unsigned_int8", "unsigned_int16", "unsigned_int32", "signed_int8", "signed_int16",
      "signed_int32", "unorm_int8", "unorm_int16", "snorm_int8", "snorm_int16", "float" } do
      local values = format:find "signed_int" and integers or reals
      for _, channels in ipairs { 1, 2, 4 } do
        local array, words = put(format, channels, values)
        local type = c_types[format]
        local bytes = textures.contents(array, ffi.sizeof(type) * channels)
        local got = ffi.cast("const " .. type .. " *", bytes)
        for i = 0, 15 do
          for k = 0, channels - 1 do
            local v = tonumber(words[4 * i + k])
            assert.equal(format == "float" and v or kept[format](v), tonumber(got[i * channels + k]),
              ("%s of %d channels, %g"):format(format, channels, v))
          end
        end
      end
    end
    local array, words = put("half", 1, reals)
    local bytes = textures.contents(array, 2)
    for i = 0, 15 do
      local bits = bytes:byte(2 * i + 1) + 256 * bytes:byte(2 * i + 2)
      local sign = bits >= 0x8000 and -1 or 1
      local exponent, digits = math.floor(bits / 1024) % 32, bits % 1024
      local half = sign * (exponent == 0 and digits / 2 ^ 24 or (1 + digits / 1024) * 2 ^ (exponent - 15))
      local v = tonumber(words[4 * i])
      local unit = 2 ^ (math.max(v == 0 and -14 or select(2, math.frexp(v)) - 1, -14) - 10)
      assert(math.abs(half - v) <= unit / 2, ("%g became %g"):format(v, half))
    end
  end)

  it("are stored to and read by blocks on several threads", function()
    if gpu.soft then require("cudalua.softgpu").schedule { threads = 4, order = "random:3" } end
    local source = textures.array({ width = 64, height = 256 }, textures.floats_as_bytes((function()
      local list = {}
      for i = 1, 64 * 256 do list[i] = i end
      return list
    end)()))
    local array = cuda.Array(cuda.ArrayDescriptor3D { width = 64, height = 256, format = "float", num_channels = 1,
      flags = "surface_ldst" })
    cuda.kernel [[
      __global__ void twice(cudaSurfaceObject_t s, cudaTextureObject_t t)
      {
        int x = threadIdx.x, y = blockIdx.x;
        surf2Dwrite(2 * tex2D<float>(t, x + 0.5f, y + 0.5f), s, 4 * x, y);
        float v = surf2Dread<float>(s, 4 * x, y);
        surf2Dwrite(v + 1, s, 4 * x, y);
      }
    ]](cuda.SurfaceObject { array = array }, cuda.TextureObject { array = source }, { block = 64, grid = 256 })
    local bytes = textures.contents(array, 4)
    if gpu.soft then require("cudalua.softgpu").schedule { threads = "auto", order = "forward" } end
    local got = ffi.cast("const float *", bytes)
    for i = 0, 64 * 256 - 1 do assert.equal(2 * (i + 1) + 1, tonumber(got[i])) end
  end)
end)
