-- Elements at positions of distributed arrays with 1 to 4 ranks: spec/support/sharded_take.lua compares with one
-- device, bit for bit.
local sharded = require "spec.support.sharded"

describe("take of distributed arrays", function()
  sharded.define(it, "sharded_take", {
    ["Array:take of positions that all ranks pass"] = "given",
    ["Array:take of positions that are distributed"] = "distributed",
    ["Array:take of positions out of range, and of all dtypes"] = "modes",
    ["Array:take: what is refused, on one rank or on all, and loses nothing"] = "refused",
    ["Array:take moves each wanted element once"] = "moves",
  })
end)
