-- Products and running sums with 1 to 4 ranks: spec/support/sharded_products.lua compares with one device.
local sharded = require "spec.support.sharded"

describe("lines of distributed arrays", function()
  sharded.define(it, "sharded_products", {
    ["Array:matmul of matrices along any axes, with the bits of one device; sums over ranks are close"] = "matmul",
    ["Array:matmul of a matrix and a vector"] = "matmul_of_a_vector",
    ["Array:matmul of transposed and pending arrays, and in a group"] = "matmul_of_other_arrays",
    ["Array:matmul on all grids of ranks"] = "matmul_on_grids",
    ["Array:matmul moves no more than the grid needs"] = "matmul_moves_what_it_needs",
    ["Array:matmul refuses what does not fit on all ranks"] = "matmul_refuses",
    ["Array:cumsum with the bits of one device, or the same for any number of ranks"] = "cumsum",
  })
end)
