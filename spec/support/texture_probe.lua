-- Dense readings of a device's texture unit: which textures, and where they are read. spec/data/textures/make_probe.lua
-- records what a GPU gives, spec/softgpu/texture_probe_spec.lua compares the software device with it.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local textures = require "spec.support.textures"
local core = require "cudalua.core"
local cuda = gpu.cuda

local M = {}

M.golden = "spec/data/textures/probe.txt"

-- ---- reading --------------------------------------------------------------------------------------------------------

-- Ten inputs for each reading: x y z level, and the two gradients.
local source = [[
#define K(name, expr) extern "C" __global__ void name(float4 *out, cudaTextureObject_t t, const float *in, int n) { \
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; const float *c = in + 10 * i; out[i] = expr; }
K(r1, tex1D<float4>(t, c[0]))
K(r2, tex2D<float4>(t, c[0], c[1]))
K(r3, tex3D<float4>(t, c[0], c[1], c[2]))
K(l2, tex2DLayered<float4>(t, c[0], c[1], (int)c[2]))
K(cube, texCubemap<float4>(t, c[0], c[1], c[2]))
K(lod1, tex1DLod<float4>(t, c[0], c[3]))
K(lod2, tex2DLod<float4>(t, c[0], c[1], c[3]))
K(grad2, tex2DGrad<float4>(t, c[0], c[1], make_float2(c[4], c[5]), make_float2(c[7], c[8])))
K(gradc, texCubemapGrad<float4>(t, c[0], c[1], c[2], make_float4(c[4], c[5], c[6], 0), \
  make_float4(c[7], c[8], c[9], 0)))
K(g2, tex2Dgather<float4>(t, c[0], c[1], 0))
]]

local module

-- cuda.TextureObject clamps the axes that an array lacks. The readings show what a border there does.
local function texture_of(options)
  local make = core.texture
  core.texture = function(object, sampling)
    local first = sampling.address[1]
    if type(options.address) == "string" then sampling.address = { first, first, first } end
    return make(object, sampling)
  end
  local ok, texture = pcall(cuda.TextureObject, options)
  core.texture = make
  return ok and texture or error(texture, 0)
end

---@param section table  of M.sections()
---@param samples number[][]
---@return ffi.cdata* floats  four for each sample
function M.read(section, samples)
  module = module or cuda.SourceModule(source, { no_extern_c = true })
  local n = #samples
  local ins, outs = ffi.new("float[?]", 10 * n), ffi.new("float[?]", 4 * n)
  for i, s in ipairs(samples) do
    for k = 1, 10 do ins[10 * (i - 1) + k - 1] = s[k] or 0 end
  end
  module:get_function(section.kernel)(cuda.Out(outs), texture_of(section.options()), cuda.In(ins), n,
    { block = 64, grid = math.ceil(n / 64) })
  return outs
end

-- ---- textures -------------------------------------------------------------------------------------------------------

local function ramp(n)
  local list = {}
  for i = 1, n do list[i] = i - 1 end
  return list
end

local function float_array(list, w, h, d, flags)
  return textures.array({ width = w, height = h, depth = d or flags and 0, format = "float", num_channels = 1,
    flags = flags }, textures.floats_as_bytes(list))
end

local function integer_array(format, type, list)
  return textures.array({ width = #list, format = format, num_channels = 1 },
    ffi.string(ffi.new(type .. "[?]", #list, list), #list * ffi.sizeof(type)))
end

-- A mipmap whose texels are value(level, number).
local function mipmap(fields, levels, texels, value)
  local m = cuda.MipmappedArray(cuda.ArrayDescriptor3D { width = 16, height = fields.height or 0,
    depth = fields.depth or 0, format = "float", num_channels = 1, flags = fields.flags }, levels)
  for level = 0, levels - 1 do
    local list = {}
    for i = 1, texels(level) do list[i] = value and value(level, i) or level end
    textures.fill(m:level(level), textures.floats_as_bytes(list))
  end
  return m
end

-- ---- places ---------------------------------------------------------------------------------------------------------

local single = ffi.new "float[1]"
local word = ffi.new "int32_t[1]"

local function float(x)
  single[0] = x
  return tonumber(single[0])
end

-- The float that is k floats beyond x, away from 0 for positive k; from 0 on to both sides.
local function beyond(x, k)
  single[0] = x
  ffi.copy(word, single, 4)
  if x == 0 and k < 0 then
    word[0] = -2 ^ 31 - k
  else
    word[0] = word[0] + k
  end
  ffi.copy(single, word, 4)
  return tonumber(single[0])
end

local function steps(from, step, count, place)
  local list = {}
  for k = 0, count do
    local x = from + k * step
    list[k + 1] = place and place(x) or { x }
  end
  return list
end

-- Park and Miller's generator: the same numbers on every machine.
local state = 4711
local function random()
  state = state * 16807 % 2147483647
  return state / 2147483647
end

local function random_between(low, high) return float(low + random() * (high - low)) end

local function random_places(count, low, high)
  local list = {}
  for i = 1, count do
    list[i] = { random_between(low, high), random_between(low, high), random_between(low, high) }
  end
  return list
end

-- ---- sections -------------------------------------------------------------------------------------------------------

local list

-- options: a function, for textures are made in the context of the reading.
local function section(name, kernel, samples, options)
  list[#list + 1] = { name = name, kernel = kernel, samples = samples, options = options }
end

local function weights()
  local function a4() return float_array(ramp(4), 4) end
  section("weights of 4 texels", "r1", steps(1, 1 / 4096, 4096), function()
    return { array = a4(), filter = "linear" }
  end)
  section("weights far from 0", "r1", steps(1000, 1 / 4096, 2100), function()
    return { array = float_array(ramp(1024), 1024), filter = "linear" }
  end)
  section("weights at the first texel", "r1", steps(-0.25, 1 / 1024, 1024), function()
    return { array = a4(), filter = "linear" }
  end)
  section("weights of a border", "r1", steps(-1.25, 1 / 2048, 2048), function()
    return { array = a4(), filter = "linear", address = "border", border = -8 }
  end)
end

local modes = { "wrap", "mirror", "clamp", "border" }

local function normalized_axes()
  for _, n in ipairs { 4, 5, 7, 13, 31, 100 } do
    for _, mode in ipairs(modes) do
      local function options(filter)
        return function()
          return { array = float_array(ramp(n), n), filter = filter, normalized = true, address = mode, border = -3 }
        end
      end
      local edges, around = {}, {}
      for e = -n, 2 * n do
        for k = -3, 3 do edges[#edges + 1] = { beyond(float(e / n), k) } end
        for k = -6, 6 do around[#around + 1] = { float(e / n + k * 2 ^ -10 / n) } end
      end
      local of = ("%d, %s"):format(n, mode)
      section("linear of " .. of, "r1", steps(-1.1, 3.3 / 701, 700), options "linear")
      section("edges of " .. of, "r1", edges, options "point")
      section("around edges of " .. of, "r1", around, options "point")
    end
  end
  local places = {}
  for e = -1, 8 do
    for k = -4, 4 do
      places[#places + 1] = { beyond(e, k) }
      places[#places + 1] = { e + k / 1024 }
    end
  end
  section("edges in texels", "r1", places, function()
    return { array = float_array(ramp(7), 7), address = "border", border = -3 }
  end)
end

local function sums()
  local function of(array) return function() return { array = array(), filter = "linear" } end end
  section("sum of 4, one alone", "r2", random_places(500, 0, 2), of(function()
    return float_array({ 0, 0, 0, 1 }, 2, 2)
  end))
  section("sum of 4", "r2", random_places(500, 0, 2), of(function() return float_array({ 3, 1e6, -7, 1 }, 2, 2) end))
  section("sum of 8, one alone", "r3", random_places(500, 0, 2), of(function()
    return float_array({ 0, 0, 0, 0, 0, 0, 0, 1 }, 2, 2, 2)
  end))
  section("sum of 8", "r3", random_places(500, 0, 2), of(function()
    return float_array({ 1.1, 2.3, -0.7, 5, 0.3, 11, -9, 1 }, 2, 2, 2)
  end))
  section("sum of 2", "r1", random_places(500, 0, 4), of(function()
    return float_array({ 1.1, 2.3, -0.7, 1e8 }, 4)
  end))
end

local function formats()
  local places = steps(0.5, 1 / 512, 1536)
  local all = steps(0.5, 1, 255)
  local function normalized(name, format, type, values, samples, more)
    section(name, "r1", samples, function()
      local options = { array = integer_array(format, type, values), read = "normalized" }
      for key, value in pairs(more or { filter = "linear" }) do options[key] = value end
      return options
    end)
  end
  local bytes = { 0, 255, 3, 130 }
  normalized("uint8, linear", "unsigned_int8", "uint8_t", bytes, places)
  normalized("uint8", "unsigned_int8", "uint8_t", ramp(256), all, {})
  normalized("sRGB", "unsigned_int8", "uint8_t", ramp(256), all, { srgb = true })
  normalized("sRGB, linear", "unsigned_int8", "uint8_t", bytes, places, { srgb = true, filter = "linear" })
  normalized("int8", "signed_int8", "uint8_t", ramp(256), all, {})
  normalized("int8, linear", "signed_int8", "int8_t", { -128, 127, 5, -77 }, places)
  normalized("uint16, linear", "unsigned_int16", "uint16_t", { 0, 65535, 3, 33000 }, places)
  normalized("int16, linear", "signed_int16", "int16_t", { -32768, 32767, 3, -12345 }, places)
  local function halves(values)
    return function() return { array = integer_array("half", "uint16_t", values), filter = "linear" } end
  end
  section("half, linear", "r1", places, halves { 0x3c00, 0x7bff, 0x0001, 0xc123 })
  section("subnormal half, linear", "r1", steps(0.5, 1 / 128, 384), halves { 0x0001, 0x03ff, 0x0400, 0x8001 })
  section("infinity, NaN, subnormal", "r1", steps(0.5, 1 / 16, 112), function()
    return { array = float_array({ 1, math.huge, 2, 0 / 0, 3, 1e-40, 3e38, 3.4e38 }, 8), filter = "linear" }
  end)
end

local function gathers()
  for _, filter in ipairs { "point", "linear" } do
    local function of(mode, normalized)
      return function()
        return { array = float_array(ramp(64), 8, 8, nil, "texture_gather"), filter = filter, address = mode,
          normalized = normalized, border = -5 }
      end
    end
    local function slanted(x) return { x, 0.3 + x / 3 } end
    section("gather in texels, " .. filter, "g2", steps(2.25, 1 / 2048, 3072, function(x) return { x, 3.75 } end),
      of "clamp")
    section("gather, wrap, " .. filter, "g2", steps(-0.2, 1 / 500, 700, slanted), of("wrap", true))
    section("gather, border, " .. filter, "g2", steps(-0.2, 1 / 500, 700, slanted), of("border", true))
    section("gather, mirror, " .. filter, "g2", steps(-1.2, 1 / 200, 700, slanted), of("mirror", true))
  end
end

local function square(level) return (16 / 2 ^ level) ^ 2 end
local function row(level) return 16 / 2 ^ level end

-- Gradients of a 2D texture, all at one place.
local function gradients()
  local function at(dx, dy, ex, ey)
    return { 0.4, 0.6, 0, 0, float(dx), float(dy), 0, float(ex or 0), float(ey or 0) }
  end
  local some = {}
  for i = 1, 600 do
    local size = 2 ^ (random() * 7 - 6)
    local function r() return (random() - 0.5) * size end
    some[i] = at(r(), r(), r(), r())
  end
  return { pairs = some,
    ["along x"] = steps(0, 1, 1500, function(k) return at(2 ^ (k / 200 - 5), 0) end),
    diagonal = steps(0, 1, 500, function(k) return at(2 ^ (k / 70 - 5), 2 ^ (k / 70 - 5)) end),
    turned = steps(0, math.pi / 300, 300, function(a)
      return at(math.cos(a) / 4, math.sin(a) / 4, -math.sin(a) / 9, math.cos(a) / 9)
    end) }
end

local function levels()
  local places = gradients()
  for _, filter in ipairs { "point", "linear" } do
    local function of(more)
      return function()
        local options = { mipmap = mipmap({ height = 16 }, 5, square), normalized = true, mip_filter = filter }
        for key, value in pairs(more or {}) do options[key] = value end
        return options
      end
    end
    local function lods(step, count)
      return steps(-0.5, step, count, function(x) return { 0.4, 0.6, 0, x } end)
    end
    section("level, " .. filter, "lod2", lods(1 / 1024, 5632), of())
    for _, bias in ipairs { 0.3, -0.7, 1 / 512, 3 / 1024, 1.99, 20, -20 } do
      section(("level, %s, bias %.4f"):format(filter, bias), "lod2", lods(1 / 128, 704), of { mip_bias = bias })
    end
    for _, c in ipairs { { 0.3, 2.7 }, { 1 / 3, 3.001 }, { 1.498, 1.502 }, { 2.5, 2.5 }, { 0, 2.5 } } do
      section(("level, %s, clamp %.3f %.3f"):format(filter, c[1], c[2]), "lod2", lods(1 / 128, 704),
        of { mip_clamp = c })
    end
    for _, name in ipairs { "pairs", "along x", "diagonal", "turned" } do
      section(("gradients, %s, %s"):format(name, filter), "grad2", places[name], of())
    end
  end
  for _, filter in ipairs { "linear", "point" } do
    section("texels and levels, " .. filter, "lod1", steps(0, 1 / 300, 300, function(x) return { x, 0, 0, x * 2 } end),
      function()
        return { mipmap = mipmap({}, 3, row, function(l, i) return l * 100 + i end), normalized = true,
          mip_filter = "linear", filter = filter }
      end)
  end
  section("no level", "lod2", { { 0.4, 0.6, 0, 0 / 0 }, { 0.4, 0.6, 0, math.huge }, { 0.4, 0.6, 0, -math.huge } },
    function() return { mipmap = mipmap({ height = 16 }, 5, square), normalized = true, mip_filter = "linear" } end)
end

local function strange_coordinates()
  local places = {}
  for _, x in ipairs { 0 / 0, math.huge, -math.huge, 1e10, -1e10, 1e20, -1e20, 3e38, 1e-40, -1e-40, 2 ^ 24 + 1, 2 ^ 31,
    -2 ^ 31, 2 ^ 16 + 0.3, 2 ^ 20 + 0.25, 65535.5, -65536.25, 32767.5, -0 } do places[#places + 1] = { x } end
  for _, normalized in ipairs { true, false } do
    for _, mode in ipairs(modes) do
      for _, filter in ipairs { "point", "linear" } do
        if normalized or mode == "clamp" or mode == "border" then
          section(("strange, %s, %s, %s"):format(normalized and "normalized" or "texels", mode, filter), "r1", places,
            function()
              return { array = float_array(ramp(7), 7), filter = filter, normalized = normalized, address = mode,
                border = -3 }
            end)
        end
      end
    end
  end
end

local function layers()
  local places = {}
  for _, layer in ipairs { -5, -1, 0, 1, 2, 3, 4, 100, 65535, 65536, 1e6, 2 ^ 30 } do
    places[#places + 1] = { 1.5, 1.5, layer }
  end
  section("layers", "l2", places, function() return { array = float_array(ramp(36), 4, 3, 3, "layered") } end)
end

local function directions()
  local s = {}
  local function put(x, y, z) s[#s + 1] = { x, y, z } end
  for x = -1, 1 do
    for y = -1, 1 do
      for z = -1, 1 do
        put(x, y, z)
        put(x * 0.3, y * 0.3, z * 0.3)
      end
    end
  end
  for k = -3, 3 do
    for _, side in ipairs { 1, -1 } do
      put(side, beyond(1, k), 0.1)
      put(side, 0.1, beyond(1, k))
      put(0.1, side, beyond(-1, k))
      put(beyond(1, k), side, 1)
      put(side, beyond(0.5, k), beyond(-0.25, k))
    end
  end
  for _, v in ipairs { 0 / 0, math.huge, -math.huge, 1e30, 1e-30, 3e38, 1e-40 } do
    put(v, 0.1, 0.2)
    put(0.1, v, 0.2)
    put(0.1, v, v)
    put(v, v, v)
  end
  for _, place in ipairs(random_places(400, -1, 1)) do put(unpack(place)) end
  for _ = 1, 300 do put(1, random_between(0.76, 1), random_between(0.76, 1)) end
  for i = 0, 256 do put(1, i / 128 - 1, 0.25) end
  return s
end

local function cubes()
  local texels, places = {}, directions()
  for face = 0, 5 do
    for i = 0, 15 do texels[#texels + 1] = face * 100 + i end
  end
  for _, seamless in ipairs { false, true } do
    for _, filter in ipairs { "point", "linear" } do
      for _, mode in ipairs { "clamp", "wrap" } do
        section(("cube, %s, %s%s"):format(filter, mode, seamless and ", seamless" or ""), "cube", places, function()
          return { array = float_array(texels, 4, 4, 6, "cubemap"), filter = filter, normalized = true, address = mode,
            seamless = seamless or nil }
        end)
      end
    end
  end
  local s = {}
  for i = 1, 400 do
    local size = 2 ^ (random() * 7 - 6)
    local function r() return float((random() - 0.5) * size) end
    s[i] = { random_between(-1, 1), random_between(-1, 1), random_between(-1, 1), 0, r(), r(), r(), r(), r(), r() }
  end
  section("cube, gradients", "gradc", s, function()
    return { mipmap = mipmap({ height = 16, depth = 6, flags = "cubemap" }, 5, function(l) return 6 * square(l) end),
      normalized = true, mip_filter = "linear" }
  end)
end

---What is read: {name =, kernel =, samples =, options =}, in the golden file's order.
---@return table[]
function M.sections()
  if not list then
    list = {}
    weights()
    normalized_axes()
    sums()
    formats()
    gathers()
    levels()
    strange_coordinates()
    layers()
    cubes()
  end
  return list
end

-- ---- the golden file ------------------------------------------------------------------------------------------------

-- Every 7th sample of a section, more of small ones.
local function thinned(samples)
  local some = {}
  for i = 1, #samples, math.max(1, math.min(7, math.floor(#samples / 20))) do some[#some + 1] = samples[i] end
  return some
end

local function numbers_as_text(first, last, get)
  local words = {}
  for k = first, last do words[#words + 1] = ("%.9g"):format(get(k)) end
  return table.concat(words, " ")
end

---Writes what the current device reads: a line of text, then for each section its name after "# " and a line for each
---reading, inputs -> results. Results that end in zeros are written without them.
---@param path string
---@param about string  one line
function M.record(path, about)
  local file = assert(io.open(path, "w"))
  file:write(about, "\n")
  for _, s in ipairs(M.sections()) do
    local samples = thinned(s.samples)
    local out = M.read(s, samples)
    file:write("# ", s.name, "\n")
    for i, sample in ipairs(samples) do
      local last = 3
      while last > 0 and out[4 * (i - 1) + last] == 0 do last = last - 1 end
      file:write(numbers_as_text(1, #sample, function(k) return sample[k] end), " -> ",
        numbers_as_text(0, last, function(k) return out[4 * (i - 1) + k] end), "\n")
    end
  end
  file:close()
end

local function numbers(text)
  local list_of = {}
  for part in text:gmatch "%S+" do list_of[#list_of + 1] = part:find "nan" and 0 / 0 or float(tonumber(part)) end
  return list_of
end

---What was recorded.
---@return string about
---@return table<string, {samples: number[][], results: number[][]}> by_section
function M.recorded()
  local file = assert(io.open(M.golden))
  local about, by_section, now = file:read "*l", {}, nil
  for line in file:lines() do
    local name = line:match "^# (.*)"
    if name then
      now = { samples = {}, results = {} }
      by_section[name] = now
    else
      local inputs, outputs = line:match "^(.-) %-> (.*)$"
      now.samples[#now.samples + 1], now.results[#now.results + 1] = numbers(inputs), numbers(outputs)
    end
  end
  file:close()
  return about, by_section
end

return M
