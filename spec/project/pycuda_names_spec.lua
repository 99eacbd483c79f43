-- Every public name of PyCUDA's documentation (spec/data/pycuda_names.lua) is here, or raises with what to use instead.
local ffi = require "ffi"
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local gpuarray = cuda.gpuarray
local names = require "cudalua.base.names"
local remedies = require "cudalua.base.pycuda_names"

local list = dofile "spec/data/pycuda_names.lua"

-- What the expressions in the list are about.
local function objects()
  local random, mod = cuda.random, cuda.SourceModule "__global__ void k(int *a) { *a = 1; }"
  local _, compile_error = pcall(cuda.SourceModule, "no C")
  local data = cuda.tools.DeviceData()
  local few = { generators = 64 }
  return setmetatable({
    cuda = cuda, gpuarray = gpuarray, a = gpuarray.ones { 4, 4 }, dev = cuda.Device(0),
    ctx = cuda.Context.get_current(), stream = cuda.Stream(), event = cuda.Event(), mod = mod,
    fn = mod:get_function "k", mem = cuda.mem_alloc(64), registered = cuda.register_host_memory(cuda.aligned_zeros(16)),
    pinned = cuda.pagelocked_empty(4), managed = cuda.managed_zeros(4), linker = cuda.Linker(),
    copy2d = cuda.Memcpy2D(), copy3d = cuda.Memcpy3D(), copypeer = cuda.Memcpy3DPeer(),
    descriptor = cuda.ArrayDescriptor { width = 4 }, descriptor3d = cuda.ArrayDescriptor3D { width = 4 },
    array = cuda.Array(cuda.ArrayDescriptor { width = 4 }),
    compile_error = compile_error, data = data, occupancy = cuda.tools.OccupancyRecord(data, 64),
    arg = cuda.tools.VectorArg("float32", "x"), pool = cuda.DeviceMemoryPool(),
    pooled = cuda.DeviceMemoryPool():allocate(64), hostpool = cuda.PageLockedMemoryPool(),
    xorwow = random.XORWOWRandomNumberGenerator(nil, 0, few), mrg = random.MRG32k3aRandomNumberGenerator(nil, 0, few),
    sobol32 = random.Sobol32RandomNumberGenerator(), sobol64 = random.Sobol64RandomNumberGenerator(),
    scrambled32 = random.ScrambledSobol32RandomNumberGenerator(),
    scrambled64 = random.ScrambledSobol64RandomNumberGenerator(),
    file_of = function(name) return package.searchpath(name, package.path) end,
    tostring = tostring,
  }, { __index = function(_, name) return name == "gl" and require "cudalua.gl" or nil end })
end

local function evaluate(expression, environment)
  return setfenv(assert(loadstring("return " .. expression)), environment)()
end

local function is_callable(x)
  if type(x) == "function" then return true end
  local mt = debug.getmetatable(x)
  return type(mt) == "table" and mt.__call ~= nil
end

-- f("pycuda.driver.Stream.synchronize", expression, what it is, what it raises)
local function each(sections, f)
  local seen = {}
  local function row(section, name, expression, raises)
    local full = section.module .. "." .. name
    assert(not seen[full .. expression], full .. " is listed twice")
    seen[full .. expression] = true
    f(full, expression, section.is or "value", raises)
  end
  for _, section in ipairs(sections) do
    for name in (section.names or ""):gmatch "%S+" do row(section, name, section.at:format(name)) end
    for name, expression in pairs(section.others or {}) do row(section, name, expression) end
    for name, pair in pairs(section.raises or {}) do row(section, name, pair[1], pair[2]) end
  end
end

local function check_value(full, expression, is, value)
  local right = value ~= nil
  if is == "call" then right = is_callable(value) elseif is ~= "value" then right = type(value) == is end
  if not right then error(("%s: %s is %s"):format(full, expression, tostring(value)), 0) end
end

describe("Every name of PyCUDA", function()
  local environment
  before_each(function()
    gpu.context()
    environment = environment or objects()
  end)

  it("is here, or raises with what to use instead", function()
    local wrong, n, raising = {}, 0, 0
    each(list.rows, function(full, expression, is, raises)
      local ok, value = pcall(evaluate, expression, environment)
      n = n + 1
      if raises then
        raising = raising + 1
        if ok or not cuda.is_error(value, "LogicError") or not value.message:find(raises, 1, true) then
          wrong[#wrong + 1] = ("%s: %s should raise '%s': %s"):format(full, expression, raises, tostring(value))
        end
      else
        if ok then ok, value = pcall(check_value, full, expression, is, value) end
        if not ok then wrong[#wrong + 1] = full .. ": " .. tostring(value) end
      end
    end)
    assert.equal("", table.concat(wrong, "\n"))
    assert(n > 800 and raising > 50, ("%d names, %d of them raise"):format(n, raising))
  end)

  it("has a remedy only as long as nothing has it", function()
    local owners = { cuda = cuda, gpuarray = gpuarray, ["an array"] = gpuarray.Array, tools = cuda.tools,
      compiler = cuda.compiler, elementwise = cuda.elementwise, reduction = cuda.reduction, random = cuda.random,
      sparse = cuda.sparse,
      ["an argument"] = cuda.tools.Arg, ["an ElementwiseKernel"] = cuda.elementwise.ElementwiseKernel,
      ["a XORWOWRandomNumberGenerator"] = cuda.random.StateGenerator,
      ["a MRG32k3aRandomNumberGenerator"] = cuda.random.StateGenerator }
    local listed, n = {}, 0
    each(list.rows, function(full, _, _, raises)
      if raises then listed[full:match "[%w_]+$"] = true end
    end)
    for owner, texts in pairs(remedies) do
      assert(owners[owner], "no owner is called " .. owner)
      for name in pairs(texts) do
        n = n + 1
        assert.is_nil(names.get(owners[owner], name), owner .. " has " .. name)
        assert.is_true(listed[name], name .. " is not in spec/data/pycuda_names.lua")
      end
    end
    assert(n > 50, n)
  end)

  it("has a remedy that names what exists", function()
    local checked = 0
    local function exists(ok, text, name)
      assert(ok, ("%s does not exist: %s"):format(name, text))
      checked = checked + 1
    end
    for _, texts in pairs(remedies) do
      for _, text in pairs(texts) do
        for path in text:gmatch "cuda%.([%a_][%w_.]*)" do exists(cuda.has((path:gsub("%.$", ""))), text,
        "cuda." .. path) end
        for name in text:gmatch "%f[%w.]gpuarray%.([%a_][%w_]*)" do exists(names.get(gpuarray, name), text, name) end
        for name in text:gmatch "%f[%w]rng[.:]([%a_][%w_]*)" do exists(environment.xorwow[name], text, name) end
        for name in text:gmatch "%f[%w]a%.([%a_][%w_]*)" do exists(environment.a[name], text, name) end
        for path in text:gmatch "examples/[%w_]+%.lua" do exists(io.open(path), text, path) end
      end
    end
    assert(checked > 20, checked)
  end)

  it("is a name that a program may have under more than one module", function()
    local driver = require "cudalua.driver"
    assert.equal(cuda, driver)
    assert.equal(cuda.math, cuda.cumath)
    assert.equal(cuda.random, cuda.curandom)
    assert.equal(cuda.vec, gpuarray.vec)
    assert.equal(ffi.abi "64bit" and 64 or 32, cuda.characterize.platform_bits())
  end)
end)
