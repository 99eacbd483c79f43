-- What the specs of textures share: arrays of every geometry filled from the host, kernels that fetch each texel, and
-- the documented rule of filtering in Lua, to compare with.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda

local M = {}

-- ---- formats --------------------------------------------------------------------------------------------------------

-- Name of cuda.array_format: the C type of a channel, what kernels read it as, and its extremes as integers.
M.formats = {
  unsigned_int8 = { c = "uint8_t", read = "uint", high = 255 },
  signed_int8 = { c = "int8_t", read = "int", low = -128, high = 127 },
  unsigned_int16 = { c = "uint16_t", read = "uint", high = 65535 },
  signed_int16 = { c = "int16_t", read = "int", low = -32768, high = 32767 },
  unsigned_int32 = { c = "uint32_t", read = "uint", high = 2 ^ 32 - 1 },
  signed_int32 = { c = "int32_t", read = "int", low = -2 ^ 31, high = 2 ^ 31 - 1 },
  half = { c = "uint16_t", read = "float" },
  float = { c = "float", read = "float" },
}
M.format_names = { "unsigned_int8", "signed_int8", "unsigned_int16", "signed_int16", "unsigned_int32", "signed_int32",
  "half", "float" }

-- A 16-bit float of small integers and halves, which are exact.
local function half_of(x)
  if x == 0 then return 0 end
  local sign = x < 0 and 0x8000 or 0
  local m, e = math.frexp(math.abs(x))
  return sign + (e + 14) * 1024 + (m * 2 - 1) * 1024
end

---Random texels: the channels' values, texel by texel, as kernels should read them, and the bytes of memory.
function M.random(format, channels, count)
  local f = M.formats[format]
  local raw, values = ffi.new(f.c .. "[?]", count * channels), {}
  for i = 0, count * channels - 1 do
    local value
    if format == "float" then
      value = math.random(-2 ^ 20, 2 ^ 20) / 64
      raw[i] = value
    elseif format == "half" then
      value = math.random(-1000, 1000) / 2
      raw[i] = half_of(value)
    else
      value = math.random(f.low or 0, math.min(f.high, 2 ^ 31 - 1))
      if math.random(8) == 1 then value = math.random(2) == 1 and f.high or f.low or 0 end
      raw[i] = value
    end
    values[i + 1] = value
  end
  return values, ffi.string(raw, ffi.sizeof(raw))
end

---An array of a descriptor's fields with these bytes, x first.
function M.array(fields, bytes)
  local array = cuda.Array(fields.depth and cuda.ArrayDescriptor3D(fields) or cuda.ArrayDescriptor(fields))
  return M.fill(array, bytes)
end

function M.fill(array, bytes)
  local d = array:get_descriptor_3d()
  local copy, h, z = cuda.Memcpy3D(), math.max(d.height, 1), math.max(d.depth, 1)
  copy:set_src_host(bytes)
  copy:set_dst_array(array)
  copy.src_pitch, copy.src_height = #bytes / h / z, h
  copy.width_in_bytes, copy.height, copy.depth = #bytes / h / z, h, z
  copy()
  -- A copy from ordinary memory returns when its bytes are staged. Streams that do not wait for the default stream
  -- could use the array before they arrive: one H200 in sixteen processes showed it.
  cuda.Context.synchronize()
  return array
end

function M.floats_as_bytes(list) return ffi.string(ffi.new("float[?]", #list, list), 4 * #list) end

---The bytes of an array.
function M.contents(array, texel)
  local d = array:get_descriptor_3d()
  local row, h, z = d.width * texel, math.max(d.height, 1), math.max(d.depth, 1)
  local out = ffi.new("uint8_t[?]", row * h * z)
  local copy = cuda.Memcpy3D()
  copy:set_src_array(array)
  copy:set_dst_host(out)
  copy.dst_pitch, copy.dst_height = row, h
  copy.width_in_bytes, copy.height, copy.depth = row, h, z
  copy()
  return ffi.string(out, row * h * z)
end

-- ---- geometries -----------------------------------------------------------------------------------------------------

-- name, descriptor (width 7, height 5 or 6, ...), and the fetch of texel (x, y, z) with type T.
M.geometries = {
  { "1D", { width = 7 }, "tex1D<T>(t, x + 0.5f)" },
  { "2D", { width = 7, height = 5 }, "tex2D<T>(t, x + 0.5f, y + 0.5f)" },
  { "3D", { width = 7, height = 5, depth = 3 }, "tex3D<T>(t, x + 0.5f, y + 0.5f, z + 0.5f)" },
  { "1D layered", { width = 7, depth = 3, flags = "layered" }, "tex1DLayered<T>(t, x + 0.5f, z)" },
  { "2D layered", { width = 7, height = 5, depth = 3, flags = "layered" },
    "tex2DLayered<T>(t, x + 0.5f, y + 0.5f, z)" },
  { "cube map", { width = 6, height = 6, depth = 6, flags = "cubemap" }, "texCubemap<T>(t, d.x, d.y, d.z)" },
  { "layered cube map", { width = 6, height = 6, depth = 12, flags = { "cubemap", "layered" } },
    "texCubemapLayered<T>(t, d.x, d.y, d.z, z / 6)" },
}

-- The direction in which the middle of a face's texel lies, as the faces of cube maps are numbered.
local direction = [[
__device__ float3 direction(int face, int x, int y, int n)
{
  float u = (2 * x + 1 - n) / (float)n, v = (2 * y + 1 - n) / (float)n;
  switch (face) {
  case 0: return make_float3(1, -v, -u);
  case 1: return make_float3(-1, -v, u);
  case 2: return make_float3(u, 1, v);
  case 3: return make_float3(u, -1, -v);
  case 4: return make_float3(u, -v, 1);
  default: return make_float3(-u, -v, -1);
  }
}
]]

local fetch_kernel = [[
__global__ void NAME(T *out, cudaTextureObject_t t, int w, int h, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = i % w, y = i / w % h, z = i / w / h;
  float3 d = direction(z % 6, x, y, w);
  out[i] = FETCH;
}
]]

local fetchers -- by geometry and type

local function kernel_name(geometry, type) return (geometry:gsub("%W", "_")):lower() .. "_" .. type end

---A kernel that fetches each texel as a vector of four: "uint", "int" or "float".
function M.fetcher(geometry, type)
  if not fetchers then
    local text = { direction }
    local list = { { "linear", nil, "tex1Dfetch<T>(t, x)" }, unpack(M.geometries) }
    for _, g in ipairs(list) do
      for _, t in ipairs { "uint", "int", "float" } do
        local name = g[1]:find "^%d" and "t" .. kernel_name(g[1], t) or kernel_name(g[1], t)
        text[#text + 1] = fetch_kernel:gsub("NAME", name):gsub("FETCH", g[3]):gsub("%f[%w]T%f[%W]", t .. "4")
      end
    end
    fetchers = cuda.SourceModule(table.concat(text))
  end
  local name = kernel_name(geometry, type)
  return fetchers:get_function(geometry:find "^%d" and "t" .. name or name)
end

---The first `channels` channels of all texels, one after another.
function M.fetch_all(geometry, type, texture, channels, w, h, n)
  local out = ffi.new(({ uint = "uint32_t", int = "int32_t", float = "float" })[type] .. "[?]", 4 * n)
  M.fetcher(geometry, type)(cuda.Out(out), texture, w, math.max(h, 1), n, { block = 64, grid = math.ceil(n / 64) })
  local values = {}
  for i = 0, n - 1 do
    for k = 0, channels - 1 do values[#values + 1] = out[4 * i + k] end
  end
  return values
end

-- ---- the rule of filtering ------------------------------------------------------------------------------------------

local function wrap(i, n, mode)
  if mode == "wrap" then return i % n end
  if mode == "mirror" then
    local k = i % (2 * n)
    return k < n and k or 2 * n - 1 - k
  end
  if mode == "border" and (i < 0 or i >= n) then return nil end
  return math.max(0, math.min(n - 1, i))
end

---A texel of a 2D texture of one channel as the programming guide has it. data: rows of numbers, from 1 on.
---options: filter, address, normalized, border
function M.sample_2d(data, w, h, x, y, options)
  local mode, border = options.address or "clamp", options.border or 0
  if options.normalized then x, y = x * w, y * h end
  local function at(i, j)
    i, j = wrap(i, w, mode), wrap(j, h, mode)
    return i and j and data[j * w + i + 1] or border
  end
  if options.filter ~= "linear" then return at(math.floor(x), math.floor(y)) end
  local xb, yb = x - 0.5, y - 0.5
  local i, j = math.floor(xb), math.floor(yb)
  local a, b = xb - i, yb - j
  return (1 - b) * ((1 - a) * at(i, j) + a * at(i + 1, j)) + b * ((1 - a) * at(i, j + 1) + a * at(i + 1, j + 1))
end

return M
