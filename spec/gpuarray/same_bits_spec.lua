-- Results are a function of shapes, axes and types alone: one checksum for each case of spec/support/bit_cases.lua
-- (spec/data/golden/bits.lua), on the software device and on a GPU, for grids of one multiprocessor and of many,
-- however often it runs, and in whatever order blocks begin.
local gpu = require "spec.support.gpu"
local turn = require "spec.support.turn"
local batch = require "spec.support.batch"
local bits = require "spec.support.bit_cases"
local occupy = require "spec.support.occupy"
local own_kernels = require "spec.support.own_kernels"
local golden = require "spec.data.golden.bits"

local soft = gpu.soft and require "cudalua.softgpu"
local all = os.getenv "CUDALUA_ALL" ~= nil

local LIMITS = { 1, 2, 7, 66, 132 } -- multiprocessors

-- How the software device runs blocks that wait for others.
local WAYS = {
  { threads = 1, order = "reverse", gang = 1024 }, -- one block at a time, the last one first
  { threads = 1, order = "forward", gang = 32 },
  { threads = 2, order = "random:1", gang = 64 },
  { threads = 4, order = "reverse", gang = 32 },
  { threads = 3, order = "random:2", gang = 256 },
}
if gpu.sanitized then LIMITS, WAYS = { 66 }, { WAYS[4] } end

local function usual()
  bits.grids_for(nil)
  if soft then soft.schedule { threads = "auto", order = "forward", gang = 1024 } end
end

local function chosen(list)
  local some = {}
  for i = 1, #list do
    if all or not list[i].more then some[#some + 1] = list[i] end
  end
  return some
end

local function bytes_of(...)
  local list = {}
  for i = 1, select("#", ...) do list[i] = bits.bytes((select(i, ...))) end
  return table.concat(list)
end

-- What cases give: by case the bytes, and the checksum. Where time matters the kernels that they need, also for smaller
-- grids, are compiled together before.
local function results(cases)
  local together = soft or not all
  local first, sums, collecting = {}, {}, together
  local function run()
    if collecting then
      for _, limit in ipairs(LIMITS) do
        bits.grids_for(limit)
        for _, case in ipairs(cases) do
          if not case.alone then case.f() end
        end
      end
      bits.grids_for(nil)
    end
    for _, case in ipairs(cases) do
      if not collecting then
        local arrays = { case.f() }
        first[case], sums[case] = bytes_of(unpack(arrays)), bits.hash(unpack(arrays))
      elseif not case.alone then
        case.f()
      end
    end
    collecting = false
  end
  if together then batch.run(run) else run() end
  return first, sums
end

-- What differs from the first time: each case often, with grids for so many multiprocessors. The software device begins
-- blocks in other orders; with CUDALUA_ALL no more multiprocessors than these are free on a GPU in two of the runs,
-- which other processes would have to wait for.
local function differing(cases, first, times)
  local wrong, runs = {}, 0
  for i, limit in ipairs(LIMITS) do
    bits.grids_for(limit)
    if soft then soft.schedule(WAYS[i]) end
    for _, case in ipairs(cases) do
      local function run(n)
        for _ = 1, n do
          runs = runs + 1
          if bytes_of(case.f()) ~= first[case] then wrong[#wrong + 1] = ("%s, %d"):format(case.name, limit) end
        end
      end
      if soft or not all then
        run(times)
      else
        run(times - 2) -- which loads the kernels, too
        local ok, err = pcall(occupy.all_but, limit, function() run(2) end)
        if not ok then error(("%s, with %d multiprocessors: %s"):format(case.name, limit, err)) end
      end
    end
  end
  assert.equal(#LIMITS * times * #cases, runs)
  return wrong
end

describe("Results have the same bits", function()
  local cases, first, sums
  setup(function()
    gpu.context()
    own_kernels.choose() -- NVIDIA's libraries promise no bits
    cases = turn.share(chosen(bits.list()))
    first, sums = results(cases)
  end)
  teardown(function()
    usual()
    own_kernels.restore()
  end)
  after_each(usual)

  it("on every device: those that are written down", function()
    local wrong = {}
    for _, case in ipairs(cases) do
      if sums[case] ~= golden[case.name] then wrong[#wrong + 1] = ("%s: %s"):format(case.name, sums[case]) end
    end
    assert.same({}, wrong)
  end)

  it("for grids of 1 to 132 multiprocessors, in every order of blocks; with CUDALUA_ALL in 100 runs", function()
    assert.same({}, differing(cases, first, soft and 1 or all and 20 or 4))
    if not all then return end
    local large = bits.list(soft and 2 or 12)
    assert.same({}, differing(large, (results(large)), soft and 1 or 4))
  end)
end)
