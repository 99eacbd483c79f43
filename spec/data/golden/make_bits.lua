-- What reductions, scans, sorting, counting and random numbers give: writes spec/data/golden/bits.lua.
--
--     CUDALUA_DRIVER=soft ./dev run spec/data/golden/make_bits.lua
--
-- To be run again when a case of spec/support/bit_cases.lua changes, or when the order of a sum, a scan's levels or the
-- way from words to random numbers is changed on purpose. spec/gpuarray/same_bits_spec.lua compares on every driver.
package.path = "./?.lua;" .. package.path
require "cudalua.autoinit"
local bits = require "spec.support.bit_cases"

local lines = { "-- Checksums of what the cases of spec/support/bit_cases.lua give. Written by make_bits.lua.", "return {" }
local only = arg[1] -- to look at some cases: nothing is written
for _, case in ipairs(bits.list()) do
  if not only or case.name:find(only) then
    local begin = os.clock()
    local hash = bits.hash(case.f())
    local first = os.clock()
    bits.hash(case.f())
    print(("%s %5.0f ms, again %4.0f ms  %s"):format(hash, (first - begin) * 1e3, (os.clock() - first) * 1e3, case.name))
    lines[#lines + 1] = ("  [%q] = %q,"):format(case.name, hash)
  end
end
if only then return end
lines[#lines + 1] = "}"
local file = assert(io.open("spec/data/golden/bits.lua", "w"))
file:write(table.concat(lines, "\n"), "\n")
file:close()
