-- NVRTC takes most of the time of specs of arrays. In a run that takes parts of sweeps, seven of eight kernels of
-- arrays are compiled with fewer optimizations, in little more than half of the time. The turn chooses the eighth one.
-- Bits are the same. "max" compiles faster still, but the software device runs such products and sorts ten times as
-- long.
local compiler = require "cudalua.compiler"
local turn = require "spec.support.turn"

local build = compiler.build
local M = { build = build } -- with all optimizations

if not turn.partial then return M end

function compiler.build(what, source, options)
  if what ~= "gpuarray" or (#source + turn.number) % 8 == 0 then return build(what, source, options) end
  local all = {}
  for key, value in pairs(options) do all[key] = value end
  all.options = { "--Ofast-compile=min", unpack(options.options) }
  return build(what, source, all)
end

return M
