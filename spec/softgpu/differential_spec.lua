-- The software device against a GPU: hundreds of kernels, compiled once and run by both. What the GPU computed is in
-- differential/golden.txt; these tests compile the corpus and run it on the driver at hand. differential/record.lua
-- makes that file anew on a GPU.
local gpu = require "spec.support.gpu"
local bounds = require "spec.softgpu.differential.bounds"
local compare = require "spec.softgpu.differential.compare"
local golden = require "spec.softgpu.differential.golden"
local runner = require "spec.softgpu.differential.runner"
local corpus = runner.corpus

describe("differential", function()
  local recorded = golden.read()
  local modules = corpus.modules()
  local compared, exact, within, differing = 0, 0, 0, 0

  -- The rows of one kernel against what the GPU computed; returns what is wrong with the first one.
  local function check(kernel, words, ptx)
    local entry = recorded.kernels[kernel.name]
    if not entry then return kernel.name .. ": not in golden.txt; record it again" end
    if entry.source ~= golden.source_hash(kernel) then
      return kernel.name .. ": golden.txt is of another source of this kernel; record it again"
    end
    if #entry.rows ~= #kernel.rows then return kernel.name .. ": golden.txt has another number of results" end
    for k, row in ipairs(kernel.rows) do
      local want, got = entry.rows[k], compare.start(kernel, row, words)
      if row.bound then
        local wanted = golden.row_words(kernel, row, want)
        local result = compare.row(kernel, row, wanted, got)
        if result.count > 0 then
          return compare.describe(kernel, row, result.first, wanted + row.words * result.first,
            got + row.words * result.first) .. ("; beyond %s (%s) in %d of %d lanes"):format(row.bound,
            bounds[row.bound].source, result.count, kernel.lanes)
        end
        within = within + 1
      else
        local here = golden.row_text(kernel, row, words)
        if row.differs then
          if here == want and gpu.soft then
            return ("%s, %s: is equal now; it is in corpus.differs"):format(kernel.name, row.label)
          end
          differing, want = differing + 1, here
        else
          exact = exact + 1
        end
        -- Another version of CUDA's library may compute other last bits.
        local library = kernel.group == "functions" and golden.ptx_hash(ptx, kernel) ~= entry.ptx
        if here ~= want and not library then
          local first, last = golden.first_chunk(kernel, want, here)
          return ("%s, in a lane from %d to %d"):format(compare.describe(kernel, row, first, nil,
            got + row.words * first),
            first, last)
        end
      end
    end
    compared = compared + 1
  end

  it("has the results of a GPU for 300 kernels and more", function()
    assert(recorded, "no golden data: run spec/data/differential/record.lua on a GPU")
    assert.equal(golden.inputs_hash(), recorded.inputs, "golden.txt is of other inputs; record it again")
    assert(recorded.device:find "NVIDIA", "golden.txt was recorded on " .. recorded.device)
    local count = 0
    for _, kernel in ipairs(corpus.kernels()) do count = count + (recorded.kernels[kernel.name] and 1 or 0) end
    assert.is_true(count >= 300, count .. " kernels")
    for name, why in pairs(corpus.pending) do
      assert.is_nil(recorded.kernels[name], name .. " is pending: " .. why)
    end
  end)

  for _, module in ipairs(modules) do
    it(("%s: %d kernels compute what they do on an H200"):format(module.name, #module.kernels), function()
      assert(recorded, "no golden data: run spec/data/differential/record.lua on a GPU")
      gpu.context()
      local ptx, wrong = runner.compile(module), {}
      runner.run(ptx, module.kernels, function(kernel, words, why)
        if why then
          wrong[#wrong + 1] = kernel.name .. ": " .. tostring(why)
          return
        end
        wrong[#wrong + 1] = check(kernel, words, ptx)
      end)
      assert(#wrong == 0, ("%d of %d kernels differ:\n  %s"):format(#wrong, #module.kernels, table.concat(wrong,
        "\n  ")))
    end)
  end

  it("compared 300 kernels and more, with exact and with approximate results", function()
    assert.is_true(compared >= 300, compared .. " kernels")
    assert.is_true(exact >= 1500, exact .. " exact results")
    assert.is_true(within >= 100, within .. " results within bounds")
    local known = 0
    for name, reasons in pairs(corpus.differs) do
      for label in pairs(reasons) do
        known = known + 1
        assert.is_truthy(corpus.by_name[name].rows, name .. " " .. label)
      end
    end
    assert.equal(known, differing, "a row of corpus.differs is not there, or was not reached")
  end)

  it("tells two results apart, and says where", function()
    local ffi = require "ffi"
    local kernel = corpus.kernels()[1]
    local row = kernel.rows[1]
    local a, b = ffi.new("uint32_t[?]", kernel.words), ffi.new("uint32_t[?]", kernel.words)
    assert.equal(golden.row_text(kernel, row, a), golden.row_text(kernel, row, b))
    b[300] = 1
    local one, other = golden.row_text(kernel, row, a), golden.row_text(kernel, row, b)
    assert.are_not.equal(one, other)
    assert.equal(256, (golden.first_chunk(kernel, one, other)))
    local result = compare.row(kernel, row, a, b)
    assert.same({ 1, 300 }, { result.count, result.first })
    assert.matches("lane 300 W0=%x+ W1=%x+: 00000000 on the GPU, 00000001 here",
      compare.describe(kernel, row, 300, a + 300, b + 300))
  end)

  it("knows the bounds of approximate results", function()
    local ffi = require "ffi"
    local function part(bound, type, want, got, argument)
      local pun = ffi.new(type == "d" and "union { double v[2]; uint32_t w[4]; }"
        or "union { float v[2]; uint32_t w[2]; }")
      pun.v[0], pun.v[1] = want, got
      return bounds.part_of(bound, type, pun.w, pun.w + (type == "d" and 2 or 1), argument)
    end
    assert.equal(0, part("ex2", "f", 1.5, 1.5))
    assert.is_true(part("ex2", "f", 1.5, 1.5 + 2 ^ -22) <= 1)
    assert.is_true(part("ex2", "f", 1.5, 1.5 + 2 ^ -21) > 1)
    assert.is_true(part("sin", "f", 0.5, 0.5 + 2 ^ -20, 1) > 1)
    assert.is_true(part("sin", "f", 0.5, 0.5 + 2 ^ -20, 100) <= 1)
    assert.is_true(part("ulp1", "d", 1, 1 + 2 ^ -52) <= 1)
    assert.is_true(part("ulp1", "d", 1, 1 + 2 ^ -50) > 1)
    assert.equal(0, part("ulp1", "d", 0 / 0, 0 / 0))
    assert.equal(math.huge, part("ulp1", "d", 0 / 0, 1))
    assert.is_true(part("ulp1", "f", 1 / 0, 2 ^ 128 - 2 ^ 104) <= 1)
    assert.is_true(part("ulp1", "f", -1 / 0, 1 / 0) > 1)
  end)
end)
