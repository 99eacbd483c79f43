-- Sorted distributed arrays with 1 to 4 ranks: spec/support/sharded_sorts.lua compares with one device, bit for bit.
local sharded = require "spec.support.sharded"

describe("sorted distributed arrays", function()
  sharded.define(it, "sharded_sorts", {
    ["Array:sort of vectors in any order, also of NaN, zeros of both signs and equal elements"] = "vectors",
    ["Array:argsort of vectors, where equal elements keep their order"] = "vectors",
    ["Array:sort of all kinds of dtypes"] = "dtypes",
    ["Array:argsort of all kinds of dtypes"] = "dtypes",
    ["Array:sort along lines, and what is refused"] = "lines",
    ["Array:argsort along lines, and what is refused"] = "lines",
    ["Array:sort moves an element once at most, after few rounds of samples"] = "moves",
  })
end)
