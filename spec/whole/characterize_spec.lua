-- What PyCUDA's characterize tells.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local ffi = require "ffi"
local characterize = cuda.characterize

describe("characterize", function()
  before_each(gpu.context)

  it("characterize.platform_bits, characterize.has_stack and characterize.has_double_support", function()
    assert.equal(8 * ffi.sizeof "void *", characterize.platform_bits())
    assert.is_true(characterize.has_stack())
    assert.is_true(characterize.has_double_support())
    cuda.Context.pop()
    assert.equal(201, gpu.error_of("LogicError", characterize.has_stack).code)
    assert.equal(201, gpu.error_of("LogicError", characterize.has_double_support).code)
    assert.equal(201, gpu.error_of("LogicError", characterize.sizeof, "int").code)
    gpu.context()
  end)

  it("characterize.sizeof is what a kernel says", function()
    for name, size in pairs { char = 1, short = 2, int = 4, long = ffi.sizeof "long", ["long long"] = 8, float = 4,
      double = 8, ["void *"] = 8, size_t = 8, float3 = 12, float4 = 16, ["int[5]"] = 20, ["unsigned char"] = 1 } do
      assert.equal(size, characterize.sizeof(name), name)
    end
    ffi.cdef "struct cudalua_characterize { char a; double b; short c[3]; };"
    local preamble = "struct node { char a; double b; short c[3]; };\ntemplate <typename T> struct two { T x, y; };"
    assert.equal(ffi.sizeof "struct cudalua_characterize", characterize.sizeof("node", preamble))
    assert.equal(ffi.sizeof "struct cudalua_characterize", characterize.sizeof("struct node", preamble))
    assert.equal(16, characterize.sizeof("two<double>", preamble))
    assert.equal(2, characterize.sizeof("__half", "#include <cuda_fp16.h>"))
  end)

  it("characterize.sizeof remembers what it measured in a context", function()
    characterize.sizeof "float2"
    assert.equal(0, gpu.kernels(function() assert.equal(8, characterize.sizeof "float2") end))
    assert.equal(1, gpu.kernels(function() characterize.sizeof("float2", "// another one") end))
  end)

  it("characterize.sizeof refuses what is no type", function()
    local err = gpu.raises("CompileError", "is undefined", characterize.sizeof, "nonsuch")
    assert.truthy(err.source:find("nonsuch", 1, true))
    gpu.raises("LogicError", "sizeof: type_name must be a string", characterize.sizeof)
    gpu.refuses_nonsense(characterize.sizeof)
    gpu.refuses_nonsense(function(x) characterize.sizeof("int", x) end, { ["nil"] = true, string = true })
    cuda.Stream():capture(function()
      gpu.raises("LogicError", "being captured", characterize.sizeof, "short4")
    end)
    assert.equal(8, characterize.sizeof "short4")
  end)
end)
