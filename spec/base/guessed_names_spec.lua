-- What users of PyTorch, Torch7, NumPy, CuPy and PyCUDA write first: it is here, or the error says what to write.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local gpuarray = cuda.gpuarray
local libraries = dofile "spec/data/guessed_names.lua"

describe("Names that users guess", function()
  local owners
  setup(gpu.context)
  before_each(function() owners = { g = gpuarray, n = cuda.ndarray, c = cuda, a = gpuarray.ones { 2, 3 },
    s = cuda.sparse, m = cuda.sparse.eye(2), l = cuda.linalg, r = cuda.random.Generator(1), d = cuda.distributed,
    w = cuda.distributed.init(), x = cuda.distributed.ones { 2, 3 } } end)

  local function read(at, name) return function() return owners[at][name] end end

  for library, sections in pairs(libraries) do
    it("from " .. library .. " are here or lead to what to write", function()
      local wrong, n = {}, 0
      for _, section in ipairs(sections) do
        for name in section.here:gmatch "%S+" do
          n = n + 1
          local ok, value = pcall(read(section.at, name))
          if not ok or value == nil then wrong[#wrong + 1] = ("%s.%s: %s"):format(section.at, name, tostring(value)) end
        end
        for name, part in pairs(section.leads) do
          n = n + 1
          local ok, err = pcall(read(section.at, name))
          if ok then
            wrong[#wrong + 1] = ("%s.%s exists"):format(section.at, name)
          elseif not err.message:find(part, 1, true) then
            wrong[#wrong + 1] = ("%s.%s: '%s' is not in: %s"):format(section.at, name, part, err.message)
          end
        end
      end
      assert.equal("", table.concat(wrong, "\n"))
      assert(n >= 60, n)
    end)
  end

  it("with a trailing underscore, as PyTorch's methods in place, name the function", function()
    for name, text in pairs { exp_ = "a:set(a:exp())", floor_ = "a:set(a:floor())", cumsum_ = "a:set(a:cumsum())" } do
      gpu.raises("LogicError", "use " .. text, read("a", name))
    end
    gpu.raises("LogicError", "an array has no field 'frobnicate_'", read("a", "frobnicate_"))
    gpu.raises("LogicError", "an array has no field 'shape_'", read("a", "shape_")) -- a field, not a method
  end)

  it("for sparse matrices name methods and fields that these have", function()
    local other_names, n = require "cudalua.base.other_names", 0
    local m = cuda.sparse.eye(2)
    for key, text in pairs(other_names.objects["a sparse matrix"]) do
      for name in text:gmatch "%f[%w]m[:.]([%a_]+)" do
        n = n + 1
        assert(pcall(function() return m:to "coo"[name] or m[name] end) or m[name], key .. ": " .. name)
      end
    end
    assert(n > 15, n)
    assert.same({ { 1, 0 }, { 0, 1 } }, m:todense():get():tolist())
    assert.same({ 1, 2 }, m:to("coo").rows:tolist())
  end)

  -- What the errors recommend computes what the other library computes.
  it("lead to expressions that are right", function()
    local a = gpuarray.to_gpu { { 1, 2, 3 }, { 4, 5, 7 } }
    local b = gpuarray.to_gpu { { 1, 0, 2 }, { 0, 2, 1 } }
    local softmax = (a - a:logsumexp { axis = -1, keepdims = true }):exp()
    assert.is_true(softmax:sum(2):allclose(gpuarray.ones(2)))
    local second = math.exp(2) / (math.exp(1) + math.exp(2) + math.exp(3))
    assert.is_true(math.abs(softmax[{ 1, 2 }]:item() - second) < 1e-6)
    local distances = (a:expand_dims(2) - b):norm(-1)
    assert.same({ 2, 2 }, distances.shape)
    assert.is_true(math.abs(distances[{ 1, 2 }]:item() - math.sqrt(1 + 0 + 4)) < 1e-6)
    assert.same({ { 0, 1, 0 }, { 1, 0, 0 } }, gpuarray.eye(3)[gpuarray.to_gpu({ 2, 1 }, "int32")]:tolist())
    local cosine = a:vecdot(b) / (a:norm(-1) * b:norm(-1))
    assert.is_true(math.abs(cosine[1] - 7 / math.sqrt(14 * 5)) < 1e-6)
    assert.same({ { 1, 3 }, { 4, 7 } }, a[{ gpuarray.to_gpu({ 1, 2 }, "int32"):reshape(-1, 1),
      gpuarray.to_gpu({ 1, 3 }, "int32") }]:tolist())
    assert.same({ { 1, 2, 4 }, { 1, 3, 9 } }, (gpuarray.to_gpu { 2, 3 }:reshape(-1, 1) ^ gpuarray.arange(3)):tolist())
    assert.is_true(a.T:copy("C").T.flags.f_contiguous)
    local square = gpuarray.zeros { 2, 2 }
    square:diagonal():fill(5)
    assert.same({ { 5, 0 }, { 0, 5 } }, square:tolist())
    local n = 5
    local hanning = 0.5 - 0.5 * (gpuarray.arange(n) * (2 * math.pi / (n - 1))):cos()
    assert.is_true(hanning:allclose(gpuarray.to_gpu { 0, 0.5, 1, 0.5, 0 }, { atol = 1e-6 }))
    assert.same({ 0, 5, 0, 4 }, gpuarray.bincount(gpuarray.to_gpu({ 2, 4, 2 }, "int32"), { weights = { 2, 4, 3 } })
      :tolist())
    local places = a:copy()
    places:set(places:exp())
    assert.is_true(places:allclose(a:exp()))
    local x = cuda.distributed.shard(a, 1)
    assert.equal("cudalua.distributed.Array", getmetatable(x))
    assert.same({ { 1, 1, 1 }, { 1, 1, 1 } }, x:with_block(gpuarray.ones_like(x.block)):gather():tolist())
    assert.same({ { 4, 4, 4 }, { 4, 4, 4 } }, x:with_block(gpuarray.full_like(x.block, 4)):gather():tolist())
    local e = (x - x:max { axis = 2, keepdims = true }):exp()
    assert.is_true((e / e:sum { axis = 2, keepdims = true }):gather():allclose(softmax))
    x.block:fill(7)
    assert.same({ { 7, 7, 7 }, { 7, 7, 7 } }, x:gather():tolist())
    x.block:set(b)
    assert.same(b:tolist(), x:gather():tolist())
  end)
end)
