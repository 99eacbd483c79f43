-- The software device's texture unit against dense readings of a GPU's: weights, places, formats, levels, cube maps.
local gpu = require "spec.support.gpu"
local probe = require "spec.support.texture_probe"

-- How far a reading may be off where no exact rule was found. Everywhere else none is.
local tolerances = {
  -- 8 bits with a sign become 16, but it is not known where that is rounded: one of 32767 steps.
  ["int8, linear"] = 1.01 / 32767,
  -- The digits of a gradient's length, and of its logarithm, that count are not all known: steps of a level's weight.
  ["gradients, pairs, linear"] = 2 / 256,
  ["gradients, along x, linear"] = 1 / 256,
  ["gradients, diagonal, linear"] = 1 / 256,
  ["gradients, turned, linear"] = 1 / 256,
  ["cube, gradients"] = 2 / 256,
}

local function is_off(got, must, tolerance)
  if must ~= must then return got == got end
  if must == got then return false end -- infinities, too
  return got ~= got or math.abs(got - must) > tolerance
end

-- The first readings of a section that are off, in words, and how many there are.
local function compare(section, recorded, tolerance)
  local out, wrong, count = probe.read(section, recorded.samples), {}, 0
  for i, results in ipairs(recorded.results) do
    for k = 1, 4 do
      local got, must = out[4 * (i - 1) + k - 1], results[k] or 0
      if is_off(got, must, tolerance) then
        count = count + 1
        if #wrong < 3 then
          wrong[#wrong + 1] = ("%s at (%s), channel %d: %.9g, the GPU has %.9g"):format(section.name,
            table.concat(recorded.samples[i], ", "), k, got, must)
        end
      end
    end
  end
  return wrong, count
end

describe("the texture unit of the software device", function()
  before_each(gpu.context)

  it("reads what a GPU read, section by section", function()
    if not gpu.soft then return pending "another GPU may round in another way" end
    local about, golden = probe.recorded()
    local wrong, readings, sections = {}, 0, 0
    for _, section in ipairs(probe.sections()) do
      local recorded = assert(golden[section.name], section.name .. " was not recorded")
      local list, count = compare(section, recorded, tolerances[section.name] or 0)
      if count > 0 then
        wrong[#wrong + 1] = ("%d of %d differ: %s"):format(count, #recorded.samples, table.concat(list, "\n  "))
      end
      readings, sections = readings + #recorded.samples, sections + 1
    end
    assert(#wrong == 0, ("%d sections differ from %s:\n%s"):format(#wrong, about, table.concat(wrong, "\n")))
    assert(readings > 10000 and sections > 120, ("only %d readings of %d sections"):format(readings, sections))
  end)

  it("is read at the same places by the program that records a GPU", function()
    local places = 0
    for _, section in ipairs(probe.sections()) do
      for _, sample in ipairs(section.samples) do
        assert(#sample >= 1 and #sample <= 10, section.name)
        for _, x in ipairs(sample) do assert.equal("number", type(x)) end
      end
      places = places + #section.samples
    end
    assert(places > 100000)
  end)
end)
