-- The benchmarks that are not simple enough to be right by themselves: here they only have to run through.
local gpu = require "spec.support.gpu"

-- What a small run prints, which ends with `closing`, a pattern, and how many rows it has.
local function run(arguments, closing)
  local pipe = assert(io.popen(("%s luajit bench/%s 2>&1; echo status $?"):format(gpu.driver, arguments)))
  local out = pipe:read "*a"
  pipe:close()
  assert.truthy(out:find(closing .. "; %d+ rows, 0 of 0 goals met\nstatus 0\n$"), out)
  return out, tonumber(out:match "(%d+) rows, 0 of 0")
end

describe("benchmarks", function()
  if gpu.sanitized then return end -- which NVRTC and the C compiler are slow under

  it("arrays: gpuarray beside kernels by hand, whose values it compares, and the driver API in C", function()
    local out, rows = run("arrays.lua smoke", "is one kernel")
    local found = 0
    for line in out:gmatch "[^\n]+" do
      if line:sub(1, 2) == "| " and not line:find "^| [-w]%S* |" then found = found + 1 end
    end
    assert.equal(rows, found)
    assert.truthy(rows >= 20)
  end)

  it("linalg: products of matrices, which it compares with those of wider types", function()
    local pipe = assert(io.popen(("%s luajit bench/linalg.lua smoke 2>&1; echo status $?"):format(gpu.driver)))
    local out = pipe:read "*a"
    pipe:close()
    assert.truthy(out:find "linalg: 24 rows\nstatus 0\n$", out)
    assert.is_nil(out:find("DIFFERENT", 1, true))
  end)

  it("primitives: reductions, scans, random numbers, sorting and counting, whose results it compares", function()
    local all = os.getenv "CUDALUA_ALL" == "1"
    local _, rows = run("primitives.lua smoke" .. (all and "" or " brief"), "primitives: %d+ s")
    assert.equal(all and 34 or 16, rows)
  end)

  it("fft: transforms, whose results it compares", function()
    local _, rows = run("fft.lua smoke", "fft: %d+ s")
    assert.equal(11, rows)
  end)

  it("image: filters of pictures, whose results it compares", function()
    local _, rows = run("image.lua smoke", "image: %d+ s")
    assert.equal(23, rows)
  end)

  it("vendor: what NVIDIA's libraries compute on a GPU, whose results it compares", function()
    local _, rows = run("vendor.lua smoke", "vendor: %d+ s")
    assert.equal(11, rows)
  end)

  it("sparse: products of sparse matrices, some rows of which it computes on the host", function()
    local _, rows = run("sparse.lua smoke", "sparse: %d+ s")
    assert.equal(16, rows)
  end)
end)
