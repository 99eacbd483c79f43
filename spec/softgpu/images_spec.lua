-- Textures and surfaces on the software device: what they read, against the documented rule and against what a GPU
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

-- How far a result may be off. One texel alone is given bit by bit.
local function allowed(c)
  local filters = c.linear or c.mip_linear
  return filters and c.op ~= "gather" and 1e-6 * span(c) or 0
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
      wrong[#wrong + 1] = compare(c, cases.run(c), function(_, s) return reference.read(c, levels, s) end, allowed(c))
    end
    assert(#wrong == 0, ("%d of %d differ:\n%s"):format(#wrong, cases.count, table.concat(wrong, "\n", 1,
      math.min(#wrong, 20))))
    for _, shape in ipairs { "1d", "2d", "3d", "a1d", "a2d", "cube", "acube" } do
      for _, op in ipairs { "plain", "level", "grad" } do assert(seen[shape .. " " .. op], shape .. " " .. op) end
    end
    assert(seen["2d gather"] and seen["linear fetch"] and seen["pitch plain"])
  end)

  it("read what a GPU read, where that was recorded", function()
    local wrong = {}
    local about = cases.each_recorded(function(c, words)
      local function golden(i)
        local four = {}
        for k = 1, 4 do
          local bits = tonumber(words[4 * (i - 1) + k - 1])
          four[k] = c.floats and float_of(bits) or bits
        end
        return four
      end
      wrong[#wrong + 1] = compare(c, cases.run(c), golden, gpu.soft and allowed_of_gpu(c) or 0)
    end)
    if not about then return pending "spec/data/textures/make.lua was not run on a GPU yet" end
    assert(#wrong == 0, ("%d of %d differ from %s:\n%s"):format(#wrong, cases.count, about, table.concat(wrong, "\n", 1,
      math.min(#wrong, 20))))
  end)
end)
