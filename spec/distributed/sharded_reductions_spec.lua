-- Reductions of distributed arrays with 1 to 4 ranks: spec/support/sharded_reductions.lua compares with one device,
-- bit for bit.
local sharded = require "spec.support.sharded"

describe("reductions of distributed arrays", function()
  sharded.define(it, "sharded_reductions", {
    ["Array:sum along all axes, of lengths that are no powers of two, and of fewer positions than ranks"] = "sums",
    ["Array:sum of many outputs, by subtrees in powers of two"] = "small_steps",
    ["Array:sum of arrays that are divided along an axis behind others"] = "columns",
    ["Array:sum in the order of one device, where a sum of sums has other bits"] = "order",
    ["Array:sum of all kinds of dtypes"] = "dtypes",
    ["Array:prod"] = "dtypes",
    ["Array:mean"] = "dtypes",
    ["Array:min with NaN and zeros of both signs"] = "extremes",
    ["Array:max with NaN and zeros of both signs"] = "extremes",
    ["Array:any"] = "extremes",
    ["Array:all"] = "dtypes",
    ["Array:count_nonzero"] = "extremes",
    ["Array:argmin of equal elements, and with NaN"] = "extremes",
    ["Array:argmax of equal elements, and with NaN"] = "extremes",
    ["Array:var with the bits of one device, or the same for any number of ranks"] = "spreads",
    ["Array:std with the bits of one device, or the same for any number of ranks"] = "spreads",
    ["Array:norm"] = "spreads",
    ["Array:dot"] = "dot",
    ["Array: reductions in expressions, and of them"] = "expressions",
    ["Array: reductions that are refused, on one rank or on all"] = "refused",
  })
end)
