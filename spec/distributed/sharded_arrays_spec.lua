-- Distributed arrays with 1 to 4 ranks: spec/support/sharded_checks.lua compares with one device, bit for bit.
local sharded = require "spec.support.sharded"

describe("distributed arrays", function()
  sharded.define(it, "sharded_checks", {
    ["Array has its blocks, its shape and its group"] = "shard",
    ["shard, of the device and the host, of all ranks and of one"] = "shard",
    ["replicate"] = "replicate",
    ["Array:item of a replicated array"] = "replicate",
    ["Array as text"] = "text",
    ["zeros"] = "constructors",
    ["ones"] = "constructors",
    ["full"] = "constructors",
    ["arange, with the bits of one device"] = "constructors",
    ["linspace, with the bits of one device"] = "constructors",
    ["random, with the numbers of one device"] = "random",
    ["Array: operators and element-wise methods, with numbers and replicated arrays"] = "elementwise",
    ["Array:astype"] = "elementwise",
    ["Array:transpose"] = "elementwise",
    ["Array: what is refused, on one rank or on all, and loses nothing"] = "refusals",
    ["Array: indices that take the divided axis whole, and T"] = "indices",
    ["Array:reshape"] = "reshape",
    ["Array:copy"] = "copy",
    ["Array:gather"] = "replicate",
    ["Array:redistribute"] = "redistribute",
    ["Array:halo, also of blocks that are narrower or empty"] = "halo",
    ["halo as a function"] = "halo",
    ["Array:with_block of a stencil"] = "halo",
  })

  it("cuda.distributed.arange is the first function that a program calls", function()
    sharded.alone 'assert(tostring(cuda.distributed.arange(3).block) == "[0 1 2]")'
  end)

  it("cuda.distributed.Array:eval computes the block", function()
    sharded.alone [[
      local a = cuda.distributed.ones { 3 } + 1
      assert(a:eval() == a and tostring(a.block) == "[2. 2. 2.]")
    ]]
  end)
end)
