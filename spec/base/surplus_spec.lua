-- Arguments that a function has no parameters for: errors, which name the option that was meant. Those of device arrays
-- are in gpuarray_calls_spec.
local gpu = require "spec.support.gpu"
local ndarray = require "cudalua.ndarray"
local surplus = require "cudalua.base.surplus"
local cuda = gpu.cuda
local random = cuda.random

describe("Surplus arguments", function()
  setup(gpu.context)

  -- Each function that takes a fixed number of arguments is given more, the rest being nil.
  local function refused_by_all(prefix, functions)
    local count = 0
    for name, f in pairs(functions) do
      local info = type(f) == "function" and debug.getinfo(surplus.behind(f), "u")
      if info and not info.isvararg then
        for behind = 1, 3 do
          local given = { [info.nparams + behind] = "surplus" }
          local ok, err = pcall(f, unpack(given, 1, info.nparams + behind))
          local text = ok and "it took them" or tostring(err.message)
          assert(text:find(prefix .. name .. ": unexpected argument 'surplus'", 1, true), name .. ": " .. text)
        end
        count = count + 1
      end
    end
    return count
  end

  it("are refused by all functions of ndarray and the methods of its arrays", function()
    assert.is_true(refused_by_all("ndarray.", ndarray) >= 20)
    assert.is_true(refused_by_all("ndarray:", ndarray.Array) >= 15)
    assert.equal(3, refused_by_all("Npz:", ndarray.Npz))
  end)

  it("are refused by all functions of random and the methods of its generators", function()
    assert.is_true(refused_by_all("random.", random) >= 10)
    assert.is_true(refused_by_all("Generator:", require("cudalua.random.generator").Generator) >= 20)
    assert.is_true(refused_by_all("RandomNumberGenerator:", require("cudalua.random.states").Methods) >= 10)
    assert.is_true(refused_by_all("SobolGenerator:", require("cudalua.random.sobol").Methods) >= 10)
  end)

  it("name the option, or what the function takes", function()
    local a, rng = ndarray.ones { 2, 3 }, random.Generator(7)
    local function is(text, f, ...) gpu.raises("LogicError", text, f, ...) end
    is("ndarray.zeros: unexpected argument true; pass options as fields of one table: managed, order, pinned",
      ndarray.zeros, 3, "int8", nil, true)
    is("ndarray.zeros: unexpected argument 'F'; pass it as an option: {order = \"F\"}", ndarray.zeros, 3, "int8",
      nil, "F")
    is("ndarray:allclose: unexpected argument true; pass it as an option: {equal_nan = true}", a.allclose, a, a,
      nil, true)
    is("ndarray:astype: unexpected argument false; it takes dtype, order", a.astype, a, "int8", "C", false)
    is("ndarray:copy: unexpected argument 2; it takes order", a.copy, a, "F", 2)
    is("random.rand: unexpected argument 1; it takes shape, dtype, stream", random.rand, 3, "float32", nil, 1)
    is("Generator:uniform: unexpected argument 'F'; it takes shape, low, high, dtype", rng.uniform, rng, 3, 0, 1,
      "float32", "F")
    is("Generator:uniform: unexpected argument", random.uniform, 3, 0, 1, "float32", 5)
    is("Generator:choice: unexpected argument false; pass it as an option: {replace = false}", rng.choice, rng, 10,
      3, nil, false)
    is("Generator:gen_uniform: unexpected argument 1; it takes shape, dtype, stream", rng.gen_uniform, rng, 3, nil,
      nil, 1)
    is("random.Generator: unexpected argument 2; it takes seed", random.Generator, 1, 2)
    is("random.XORWOWRandomNumberGenerator: unexpected argument 9; pass options as fields of one table: generators",
      random.XORWOWRandomNumberGenerator, nil, nil, nil, 9)
    is("random.generate_direction_vectors: unexpected argument 1; it takes count, set, seed",
      random.generate_direction_vectors, 1, nil, nil, 1)
  end)

  it("change nothing: no number is drawn, and no file is written", function()
    local rng, path = random.Generator(7), os.tmpname()
    local before = rng:get_state()
    gpu.error_of("LogicError", rng.choice, rng, 10, 3, nil, true)
    gpu.error_of("LogicError", rng.normal, rng, 10, 0, 1, "float32", 1)
    assert.equal(before, rng:get_state())
    os.remove(path)
    gpu.error_of("LogicError", ndarray.save, path, { 1 }, nil, 2)
    assert.is_nil(io.open(path))
    assert.same({ 1, 1 }, ndarray.ones(2, nil, nil, nil):tolist()) -- nil is nothing
  end)
end)
