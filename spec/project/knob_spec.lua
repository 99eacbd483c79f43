-- The setter of what specs change in modules.
local bits = require "spec.support.bit_cases"
local count_run = require "cudalua.gpuarray.order.count_run"
local knob = require "spec.support.knob"
local reduce_run = require "cudalua.gpuarray.reduce.run"
local scan_run = require "cudalua.gpuarray.reduce.scan_run"

describe("A knob", function()
  it("sets a field that is there, and puts it back", function()
    local module = { WIDTH = 3, device = false }
    local width, device = knob(module, "WIDTH", 5), knob(module, "device", 7)
    assert.same({ WIDTH = 5, device = 7 }, module)
    width()
    device()
    assert.same({ WIDTH = 3, device = false }, module)
  end)

  it("refuses a field that is not there, and a value of another type", function()
    assert.has_error(function() knob({}, "WIDEST", 5) end, "knob: the module has no field WIDEST")
    assert.has_error(function() knob({ WIDTH = 3 }, "WIDTH", "5") end, "knob: WIDTH is a number, not a string")
    assert.has_error(function() knob({ WIDTH = 3 }, "WIDTH") end, "knob: the value of WIDTH is nil")
  end)

  it("varies the grids and the widths of scans for the same bits", function()
    local function now()
      return { reduce_run.blocks, scan_run.ENOUGH, scan_run.LOG_WIDTH, count_run.multiprocessors }
    end
    local usual = now()
    bits.grids_for(7)
    assert.same({ 112, 14, 2, 7 }, now())
    bits.grids_for(66)
    assert.same({ 1056, 132, 5, 66 }, now())
    bits.grids_for(nil)
    assert.same(usual, now())
  end)
end)
