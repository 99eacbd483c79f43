-- Products and running sums with 1 to 4 ranks: spec/support/sharded_products.lua compares with one device.
local sharded = require "spec.support.sharded"

describe("lines of distributed arrays", function()
  sharded.define(it, "sharded_products", {
    ["Array:matmul of rows, columns and sums, with the bits of one device or close to them"] = "matmul",
    ["Array:cumsum with the bits of one device, or the same for any number of ranks"] = "cumsum",
  })
end)
