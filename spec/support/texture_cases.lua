-- Textures drawn at random, and the places where they are read: for spec/softgpu/images_spec.lua, which compares the
-- software device with spec/support/sampler_reference.lua, and for spec/data/textures/make.lua, which records what a
-- GPU reads. Case number i is the same on every machine: numbers come from a generator of its own, and all coordinates
-- are floats of 32 bits.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local textures = require "spec.support.textures"
local cuda = gpu.cuda

local M = {}

M.count = 320

---@class spec.TextureCase
---@field number integer
---@field geometry string   1d 2d 3d a1d a2d cube acube, or linear, pitch
---@field op string         plain level grad gather fetch
---@field format string     of cuda.array_format
---@field channels integer
---@field width integer
---@field height integer    0: the texture has no such extent
---@field depth integer     layers, too
---@field levels integer
---@field linear boolean    filters within levels
---@field mip_linear boolean
---@field address string[]
---@field normalized boolean
---@field read string       element or normalized; nil: the format leaves no choice
---@field srgb boolean
---@field seamless boolean
---@field border number[]
---@field bias number
---@field clamp number[]
---@field first_level integer  of the view
---@field last_level integer
---@field first_layer integer
---@field last_layer integer
---@field component integer    of a gather
---@field data string[]     the bytes of the levels, from 1 on
---@field samples table[]   {x =, y =, z =, layer =, lod =, dx =, dy =}

-- ---- drawing --------------------------------------------------------------------------------------------------------

local single = ffi.new "float[1]"

local function float(x)
  single[0] = x
  return tonumber(single[0])
end

-- Park and Miller's generator: exact in doubles.
local function generator(seed)
  local state = seed * 7919 + 12345
  local function next_number()
    state = state * 16807 % 2147483647
    return state / 2147483647
  end
  for _ = 1, 10 do next_number() end
  local g = {}
  function g.below(n) return math.floor(next_number() * n) end
  function g.pick(list) return list[g.below(#list) + 1] end
  function g.between(low, high) return float(low + next_number() * (high - low)) end
  function g.chance(n) return g.below(n) == 0 end
  return g
end

local ints = { "unsigned_int8", "signed_int8", "unsigned_int16", "signed_int16", "unsigned_int32", "signed_int32" }
local norms = { "unorm_int8", "snorm_int8", "unorm_int16", "snorm_int16" }

-- Bytes of a channel, and how to draw one.
local function channel_bytes(format)
  if format == "float" then return 4 end
  if format == "half" then return 2 end
  if format == "unorm_int_101010_2" then return 1 end
  return tonumber(format:match "int(%d+)") / 8
end

local function draw_bytes(g, format, count)
  if format == "float" then
    local raw = ffi.new("float[?]", count)
    for i = 0, count - 1 do raw[i] = g.between(-8, 8) end
    return ffi.string(raw, 4 * count)
  elseif format == "half" then
    local raw = ffi.new("uint16_t[?]", count)
    for i = 0, count - 1 do raw[i] = g.below(2) * 0x8000 + g.below(19 * 1024) end -- below 16, subnormal ones too
    return ffi.string(raw, 2 * count)
  end
  local n = channel_bytes(format) * count
  local raw = ffi.new("uint8_t[?]", n)
  for i = 0, n - 1 do raw[i] = g.chance(6) and g.pick { 0, 127, 128, 255 } or g.below(256) end
  return ffi.string(raw, n)
end

local function draw_format(g, c)
  local kind = g.below(10)
  c.channels = g.pick { 1, 2, 4 }
  if kind < 3 then
    c.format = "float"
  elseif kind == 3 then
    c.format = "half"
  elseif kind < 8 then
    c.format = g.pick(ints)
    local small = not c.format:find "32"
    c.read = small and not g.chance(3) and "normalized" or "element"
    c.srgb = c.format == "unsigned_int8" and c.read == "normalized" and g.chance(2)
  elseif kind == 8 or c.geometry == "pitch" or c.geometry == "linear" then
    c.format = c.geometry == "pitch" and "float" or c.geometry == "linear" and "half" or g.pick(norms)
  else
    c.format, c.channels = "unorm_int_101010_2", 4
  end
  c.floats = c.read ~= "element"
end

local extents = { 1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31 }

local function draw_extents(g, c)
  local geometry = c.geometry
  c.width = g.pick(extents)
  c.height = (geometry == "1d" or geometry == "a1d" or geometry == "linear") and 0 or g.pick(extents)
  c.depth = geometry == "3d" and g.pick { 1, 2, 3, 5, 8 } or
    (geometry == "a1d" or geometry == "a2d") and 1 + g.below(4) or 0
  if geometry == "cube" or geometry == "acube" then
    c.height = c.width
    c.depth = geometry == "cube" and 6 or 6 * (1 + g.below(2))
  end
end

-- Extents of a level: layers and faces do not get fewer.
function M.level_extents(c, level)
  local function half(n) return n == 0 and 0 or math.max(1, math.floor(n / 2 ^ level)) end
  return half(c.width), half(c.height), c.geometry == "3d" and half(c.depth) or c.depth
end

local modes = { "wrap", "clamp", "mirror", "border" }

local function draw_sampler(g, c)
  c.normalized = c.levels > 1 or not g.chance(3)
  c.linear = c.floats and not g.chance(3)
  c.mip_linear = c.floats and g.chance(2)
  c.address = {}
  for i = 1, 3 do c.address[i] = c.normalized and g.pick(modes) or g.pick { "clamp", "border" } end
  c.seamless = (c.geometry == "cube" or c.geometry == "acube") and g.chance(2)
  c.border = {}
  for i = 1, 4 do c.border[i] = c.floats and g.between(-1, 1) or g.below(100) end
  c.bias = c.levels > 1 and g.chance(3) and g.between(-1, 1) or 0
  c.clamp = { 0, c.levels - 1 }
  if c.levels > 1 and g.chance(3) then c.clamp = { g.between(0, 1), g.between(1, c.levels) } end
end

-- Around an edge between texels or between their centres, in steps finer than the weights.
local function sweep(g, c, samples, extent)
  local at = (g.below(2 * extent + 3) - 1) / 2
  for k = -10, 10 do
    local s = {}
    for axis, n in ipairs(c.axes) do
      local scale = c.normalized and n or 1
      s[axis] = float((axis == 1 and at + k / 512 or g.between(0, n)) / scale)
    end
    samples[#samples + 1] = s
  end
end

local function draw_direction(g)
  local d = { g.between(-1, 1), g.between(-1, 1), g.between(-1, 1) }
  if d[1] == 0 and d[2] == 0 and d[3] == 0 then d[1] = 1 end
  return d
end

-- Directions to the edges of the cube's faces and around them.
local function edge_directions(g, samples)
  for k = -8, 8 do
    local d = { 1, g.between(-1, 1), 0 }
    local sign = g.chance(2) and 1 or -1
    d[1] = sign
    d[3] = float(sign * (1 + k / 256 + 1 / 4096))
    local turn = g.below(3)
    samples[#samples + 1] = { d[turn % 3 + 1], d[(turn + 1) % 3 + 1], d[(turn + 2) % 3 + 1] }
  end
end

local function draw_places(g, c)
  local samples = {}
  if c.axes.cube then
    for i = 1, 60 do samples[i] = draw_direction(g) end
    edge_directions(g, samples)
  else
    for i = 1, 60 do
      local s = {}
      for axis, n in ipairs(c.axes) do
        local scale = c.normalized and 1 or n
        s[axis] = g.chance(3) and g.between(-2.5 * scale, 3.5 * scale) or g.between(0, scale)
      end
      samples[i] = s
    end
    sweep(g, c, samples, c.axes[1])
    sweep(g, c, samples, c.axes[1])
  end
  for _, s in ipairs(samples) do
    s.layer = g.chance(5) and g.below(12) or g.below(math.max(1, c.layers))
    s.lod = g.chance(4) and g.below(c.levels) or g.between(-1, c.levels)
    s.dx, s.dy = {}, {}
    local size = 2 ^ g.between(-2, c.levels)
    for axis = 1, 3 do
      local n = c.normalized and (c.axes[axis] or 1) or 1
      s.dx[axis] = float(g.between(-1, 1) * size / n)
      s.dy[axis] = float(g.between(-1, 1) * size / n)
    end
  end
  return samples
end

local function axes_of(c)
  if c.geometry == "1d" or c.geometry == "a1d" then return { c.width } end
  if c.geometry == "3d" then return { c.width, c.height, c.depth } end
  if c.geometry == "cube" or c.geometry == "acube" then return { cube = true } end
  return { c.width, c.height }
end

local geometries = { "1d", "2d", "2d", "2d", "3d", "a1d", "a2d", "cube", "acube", "linear", "pitch" }

---@param number integer  1 to M.count
---@return spec.TextureCase
function M.case(number)
  local g = generator(number)
  local c = { number = number, geometry = geometries[(number - 1) % #geometries + 1], op = "plain", levels = 1 }
  draw_format(g, c)
  draw_extents(g, c)
  local memory = c.geometry == "linear" or c.geometry == "pitch"
  if not memory and g.chance(2) then
    c.levels = 1 + g.below(1 + math.floor(math.log(math.max(c.width, c.height,
      c.geometry == "3d" and c.depth or 0)) / math.log(2) + 1e-9))
    c.op = g.pick { "level", "level", "grad", "plain" }
  elseif c.geometry == "2d" and g.chance(3) then
    c.op, c.component = "gather", g.below(4)
  end
  c.layers = c.geometry == "acube" and c.depth / 6 or (c.geometry == "a1d" or c.geometry == "a2d") and c.depth or 0
  draw_sampler(g, c)
  c.data = {}
  for level = 0, c.levels - 1 do
    local w, h, d = M.level_extents(c, level)
    c.data[level + 1] = draw_bytes(g, c.format, w * math.max(h, 1) * math.max(d, 1) * c.channels)
  end
  c.first_level, c.last_level, c.first_layer, c.last_layer = 0, c.levels - 1, 0, math.max(c.layers, 1) - 1
  c.view = not memory and g.chance(4) and not c.format:find "norm" -- no view reads those as they are
  if c.view then
    c.first_level = g.below(c.levels)
    c.last_level = c.first_level + g.below(c.levels - c.first_level)
    c.first_layer = g.below(c.last_layer + 1)
    c.last_layer = c.first_layer + g.below(c.last_layer - c.first_layer + 1)
    c.clamp = { math.min(c.clamp[1], c.last_level - c.first_level), math.min(c.clamp[2], c.last_level - c.first_level) }
  end
  c.axes = axes_of(c)
  if c.geometry == "linear" then
    c.op, c.samples = "fetch", {}
    c.linear, c.mip_linear, c.normalized = false, false, false
    for i = 1, 60 do c.samples[i] = { g.below(2 * c.width) - math.floor(c.width / 2), layer = 0, lod = 0 } end
  else
    c.samples = draw_places(g, c)
  end
  return c
end

-- A number for all that a case is, which tells whether recorded results are those of another generator.
function M.checksum(c)
  local sum = 0
  local function add(x) sum = (sum * 31 + x) % 4294967291 end
  for _, data in ipairs(c.data) do
    for i = 1, #data do add(data:byte(i)) end
  end
  for _, s in ipairs(c.samples) do
    for axis = 1, 3 do
      single[0] = s[axis] or 0
      add(tonumber(ffi.cast("uint32_t *", single)[0]))
    end
    add(s.layer)
  end
  return sum
end

-- ---- what a GPU read ------------------------------------------------------------------------------------------------

M.golden = "spec/data/textures/gpu.bin"

---Writes what the current device reads of all cases: a line of text, then for each case its checksum, the number of
---samples, and four words for each.
---@param about string  one line
function M.record(about)
  local file = assert(io.open(M.golden, "wb"))
  file:write(about, "\n")
  for number = 1, M.count do
    local c = M.case(number)
    local head = ffi.new("uint32_t[2]", M.checksum(c), #c.samples)
    file:write(ffi.string(head, 8), ffi.string(M.run(c), 16 * #c.samples))
  end
  file:close()
end

---Calls f(case, words) for each recorded case; nil: there are none.
---@return string? about
function M.each_recorded(f)
  local file = io.open(M.golden, "rb")
  if not file then return nil end
  local text = file:read "*a"
  file:close()
  local at = assert(text:find("\n", 1, true))
  local about = text:sub(1, at - 1)
  for number = 1, M.count do
    local c = M.case(number)
    local head = ffi.cast("const uint32_t *", ffi.cast("const char *", text) + at)
    assert(tonumber(head[0]) == M.checksum(c) and tonumber(head[1]) == #c.samples,
      ("%s is of other cases than number %d: record it anew"):format(M.golden, number))
    f(c, head + 2)
    at = at + 8 + 16 * #c.samples
  end
  return about
end

-- ---- the device -----------------------------------------------------------------------------------------------------

local reads = {
  plain = { ["1d"] = "tex1D<T>(t, x)", ["2d"] = "tex2D<T>(t, x, y)", ["3d"] = "tex3D<T>(t, x, y, z)",
    a1d = "tex1DLayered<T>(t, x, l)", a2d = "tex2DLayered<T>(t, x, y, l)", cube = "texCubemap<T>(t, x, y, z)",
    acube = "texCubemapLayered<T>(t, x, y, z, l)" },
  level = { ["1d"] = "tex1DLod<T>(t, x, lod)", ["2d"] = "tex2DLod<T>(t, x, y, lod)",
    ["3d"] = "tex3DLod<T>(t, x, y, z, lod)", a1d = "tex1DLayeredLod<T>(t, x, l, lod)",
    a2d = "tex2DLayeredLod<T>(t, x, y, l, lod)", cube = "texCubemapLod<T>(t, x, y, z, lod)",
    acube = "texCubemapLayeredLod<T>(t, x, y, z, l, lod)" },
  grad = { ["1d"] = "tex1DGrad<T>(t, x, c[4], c[7])",
    ["2d"] = "tex2DGrad<T>(t, x, y, make_float2(c[4], c[5]), make_float2(c[7], c[8]))",
    ["3d"] = "tex3DGrad<T>(t, x, y, z, dx, dy)", a1d = "tex1DLayeredGrad<T>(t, x, l, c[4], c[7])",
    a2d = "tex2DLayeredGrad<T>(t, x, y, l, make_float2(c[4], c[5]), make_float2(c[7], c[8]))",
    cube = "texCubemapGrad<T>(t, x, y, z, dx, dy)", acube = "texCubemapLayeredGrad<T>(t, x, y, z, l, dx, dy)" },
  gather = { ["2d"] = "part == 0 ? tex2Dgather<T>(t, x, y, 0) : part == 1 ? tex2Dgather<T>(t, x, y, 1) : " ..
    "part == 2 ? tex2Dgather<T>(t, x, y, 2) : tex2Dgather<T>(t, x, y, 3)" },
  fetch = { linear = "tex1Dfetch<T>(t, (int)x)" },
}

local kernel = [[
extern "C" __global__ void NAME(unsigned *out, cudaTextureObject_t t, const float *in, const int *layers, int part,
  int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float *c = in + 10 * i;
  T v = READ;
  out[4 * i] = BITS(v.x); out[4 * i + 1] = BITS(v.y); out[4 * i + 2] = BITS(v.z); out[4 * i + 3] = BITS(v.w);
}
]]

-- What the names in `reads` stand for.
local names = { x = "c[0]", y = "c[1]", z = "c[2]", lod = "c[3]", l = "layers[i]",
  dx = "make_float4(c[4], c[5], c[6], 0)", dy = "make_float4(c[7], c[8], c[9], 0)" }

local modules = {} -- by the compiler's option

local function function_of(op, geometry, type, option)
  local key = option or ""
  if not modules[key] then
    local text = { "__device__ unsigned BITS(float v) { return __float_as_uint(v); }\n",
      "__device__ unsigned BITS(int v) { return v; }\n__device__ unsigned BITS(unsigned v) { return v; }\n" }
    for o, list in pairs(reads) do
      for shape, read in pairs(list) do
        for _, t in ipairs { "float4", "int4", "uint4" } do
          text[#text + 1] = kernel:gsub("NAME", ("%s_%s_%s"):format(o, shape, t)):gsub("READ", function()
            return (read:gsub("%f[%w]%l+%f[%W]", names))
          end):gsub("%f[%w]T%f[%W]", t)
        end
      end
    end
    modules[key] = cuda.SourceModule(table.concat(text), { no_extern_c = true, options = { option } })
  end
  return modules[key]:get_function(("%s_%s_%s"):format(op, geometry == "pitch" and "2d" or geometry, type))
end

-- The format as cuda.array_format names it.
local function format_name(c)
  return c.format:find "norm_int%d" and c.format ~= "unorm_int_101010_2" and c.format .. "x" .. c.channels or c.format
end

local function flags_of(c)
  local list = {}
  if c.layers > 0 then list[#list + 1] = "layered" end
  if c.axes.cube then list[#list + 1] = "cubemap" end
  if c.op == "gather" then list[#list + 1] = "texture_gather" end
  return list
end

local function resource_of(c, options)
  if c.geometry == "linear" then
    options.linear, options.format, options.num_channels = cuda.to_device(c.data[1]), format_name(c), c.channels
    return
  elseif c.geometry == "pitch" then
    local row = #c.data[1] / c.height
    local memory, pitch = cuda.mem_alloc_pitch(row, c.height, 4)
    for y = 0, c.height - 1 do cuda.memcpy_htod(memory + y * pitch, c.data[1]:sub(y * row + 1, (y + 1) * row)) end
    options.pitch2d, options.format, options.num_channels = memory, format_name(c), c.channels
    options.width, options.height, options.pitch = c.width, c.height, pitch
    return
  end
  local descriptor = cuda.ArrayDescriptor3D { width = c.width, height = c.height, depth = c.depth,
    format = format_name(c), num_channels = c.channels, flags = flags_of(c) }
  if c.levels == 1 then
    options.array = textures.fill(cuda.Array(descriptor), c.data[1])
    return
  end
  options.mipmap = cuda.MipmappedArray(descriptor, c.levels)
  for level = 0, c.levels - 1 do textures.fill(options.mipmap:level(level), c.data[level + 1]) end
end

function M.texture(c)
  local options = {}
  resource_of(c, options)
  options.read, options.srgb = c.read, c.srgb or nil
  if c.geometry ~= "linear" then
    options.filter, options.address = c.linear and "linear" or "point", c.address
    for _, mode in ipairs(c.address) do
      if mode == "border" then options.border = { unpack(c.border, 1, c.channels) } end
    end
    options.normalized = c.normalized
    if c.seamless then options.seamless = true end
  end
  if c.levels > 1 then
    options.mip_filter, options.mip_bias = c.mip_linear and "linear" or "point", c.bias
    options.mip_clamp = c.clamp
  end
  if c.view then
    options.view = { first_level = c.first_level, last_level = c.last_level, first_layer = c.first_layer,
      last_layer = c.last_layer }
  end
  return cuda.TextureObject(options)
end

---What the device reads: 4 numbers for each sample, one after another, as the bits that registers have.
---@param c spec.TextureCase
---@param option? string  of the compiler
---@return ffi.cdata*  uint32_t[]
function M.run(c, option)
  local n = #c.samples
  local places, layers = ffi.new("float[?]", 10 * n), ffi.new("int[?]", n)
  for i, s in ipairs(c.samples) do
    local at = 10 * (i - 1)
    for axis = 0, 2 do
      places[at + axis] = s[axis + 1] or 0
      if s.dx then places[at + 4 + axis], places[at + 7 + axis] = s.dx[axis + 1], s.dy[axis + 1] end
    end
    places[at + 3] = s.lod
    layers[i - 1] = s.layer
  end
  local type = c.floats and "float4" or c.format:find "^unsigned" and "uint4" or "int4"
  local out = ffi.new("uint32_t[?]", 4 * n)
  local read = function_of(c.op, c.geometry, type, option)
  read(cuda.Out(out), M.texture(c), cuda.In(places), cuda.In(layers), c.component or 0, n,
    { block = 64, grid = math.ceil(n / 64) })
  return out
end

return M
