-- Each example checks its own answer; here they are run, as a user runs them.
local gpu = require "spec.support.gpu"

local function run(name, arguments)
  local command = ("%s luajit examples/%s %s 2>&1; echo status $?"):format(gpu.driver, name, arguments or "")
  local pipe = assert(io.popen(command))
  local out = pipe:read "*a"
  pipe:close()
  assert.truthy(out:find "status 0\n$", out)
  return out
end

describe("examples", function()
  it("01_multiply", function() assert.truthy(run("01_multiply.lua"):find "400 products .* all as expected") end)
  it("02_doublify", function() assert.truthy(run("02_doublify.lua"):find "all as expected") end)

  it("04_streams", function()
    assert.truthy(run("04_streams.lua", "0.75"):find "three streams: .* all as expected")
  end)
  it("05_devices", function()
    assert.truthy(run("05_devices.lua"):find "warp_size +32.* attributes, all as expected")
  end)
  it("06_two_contexts", function() assert.truthy(run("06_two_contexts.lua"):find "two contexts, all as expected") end)
  it("07_structs", function()
    assert.truthy(run("07_structs.lua"):find "Op op.*the value 32.*structs by value, .* all as expected")
  end)
  it("08_templates", function()
    assert.truthy(run("08_templates.lua"):find "10 instances .*generated kernels on .*, all as expected")
  end)
  it("09_matmul, tiles that do not fit and one that is larger than the matrices", function()
    assert.truthy(run("09_matmul.lua", "100"):find "17 variants of a 100 x 100 product .* all as expected; the best:")
    assert.truthy(run("09_matmul.lua", "1"):find "17 variants of a 1 x 1 product .* all as expected")
  end)
  it("10_cub", function()
    assert.truthy(run("10_cub.lua", "0.02"):find "%d+ of 20971 numbers selected by 41 blocks .* all as expected")
  end)

  it("03_image, on a picture of a megapixel", function()
    local input, output = os.tmpname(), os.tmpname()
    run("make_image.lua", input)
    local out = run("03_image.lua", input .. " " .. output)
    assert.truthy(out:find "1280 x 853 pixels .* all as in the Lua loop")
    local file = assert(io.open(output, "rb"))
    local edges = file:read "*a"
    file:close()
    assert.equal("P5\n1280 853\n255\n", edges:sub(1, 16))
    assert.equal(16 + 1280 * 853, #edges)
    os.remove(input)
    os.remove(output)
  end)
end)
