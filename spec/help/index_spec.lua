-- The index of reference entries: what is in it, and what its reader makes of it.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local check_contract = require "tools.check_contract"
local entries = require "cudalua.help.entries"
local option_names = require "cudalua.base.option_names"
local surplus = require "cudalua.base.surplus"
local values = require "cudalua.help.values"

local function text_of(name) return entries.text(assert(entries.by_name[name], name)) end

local function names_of(set)
  local list = {}
  for name in pairs(set) do list[#list + 1] = name end
  table.sort(list)
  return table.concat(list, " ")
end

local function output_of(code)
  local pipe = assert(io.popen(("luajit -e %q"):format(code)))
  local text = pipe:read "*a"
  pipe:close()
  return (text:gsub("%s+$", ""))
end

describe("The index of help()", function()
  setup(gpu.context)

  it("has every name of the contract, with its text", function()
    local missing = {}
    for _, row in ipairs(check_contract.rows(dofile "docs/contract.lua")) do
      local full = check_contract.annotated_name(row)
      local entry = entries.by_name[full:gsub("^cudalua", "cuda")] or entries.by_name[full]
      local text = entry and entries.text(entry)
      local says = text and #text.lines + #text.type + #text["return"] > 0
      if not row.later and not says then missing[#missing + 1] = row.name end
    end
    assert.same({}, missing)
    assert.is_true(#entries.list > 1300)
  end)

  it("has parameters with types, what is returned and raised, options with their strings, and the page", function()
    local entry = entries.by_name["cuda.gpuarray.take"]
    assert.equal("a, indices, options", entry.arguments)
    assert.equal("docs/arrays.md", entry.page)
    local text = entries.text(entry)
    assert.same({ name = "a", optional = false, type = "cuda.gpuarray.Array", text = "the array, of any shape" },
      text.param[1])
    assert.equal("options", text.param[3].name)
    assert.is_true(text.param[3].optional)
    assert.matches("^{axis: integer, mode: ", text.param[3].type)
    assert.matches("^axis: default the whole array", text.param[3].text)
    assert.matches("^cuda%.gpuarray%.Array", text["return"][1])
    assert.matches("^LogicError", text.raise[1])
    assert.same({ "raise", "wrap", "clip" }, text.options.mode)
    assert.equal("allocator axis mode out stream", names_of(text.options))
  end)

  it("has methods that are functions, too, by the function's text", function()
    local method = entries.by_name["cuda.gpuarray.Array:compress"]
    assert.equal("cuda.gpuarray.compress", method.twin)
    local own, of = entries.text(method), text_of "cuda.gpuarray.compress"
    assert.same(of.lines, own.lines)
    assert.same({ "condition", "a", "options" }, { of.param[1].name, of.param[2].name, of.param[3].name })
    assert.same({ "condition", "options" }, { own.param[1].name, own.param[2].name })
    assert.equal(entries.sentence(entries.by_name[method.twin]), entries.sentence(method))
  end)

  it("has classes with their fields, and how objects are called", function()
    local options = text_of "cuda.LaunchOptions"
    assert.same({ "block", "grid", "shared", "stream" }, { options.field[1].name, options.field[2].name,
      options.field[3].name, options.field[4].name })
    assert.is_false(options.field[1].optional)
    assert.is_true(options.field[2].optional)
    assert.equal("integer|integer[]", options.field[1].type)
    assert.equal("block carveout cluster cooperative grid pdl priority shared stream time_kernel",
      names_of(text_of("cuda.Function").options))
    assert.equal("flags priority", names_of(text_of("cuda.Stream").options))
    assert.matches("^fun%(device: integer|string%): cuda%.Device", text_of("cuda.Device").call[1])
    assert.equal("class", entries.by_name["cuda.gpuarray.Array"].kind)
    assert.equal("module", entries.by_name["cuda.random"].kind)
    assert.same({ "cuda.dtype.DType" }, text_of("cuda.dtype.float32").type)
    assert.equal("single precision, C's float", entries.sentence(entries.by_name["cuda.dtype.float32"]))
  end)

  it("has the options that functions of arrays take", function()
    local wrong, checked = {}, 0
    for _, entry in ipairs(entries.list) do
      local short = entry.name:match "^cuda%.gpuarray%.(%l[%w_]*)$"
      local f = short and entry.kind == "function" and surplus.behind(cuda.gpuarray[short])
      local parameters = f and surplus.parameters_of(f)
      if parameters and parameters.names[parameters.count] == "options" then
        local given = {}
        for i = 1, parameters.count - 1 do given[i] = cuda.gpuarray.ones(3) end
        local known = option_names.of(f, parameters.count, unpack(given, 1, parameters.count - 1))
        local said = entries.text(entry).options
        for name in pairs(known) do
          if not said[name] then wrong[#wrong + 1] = short .. " takes " .. name end
        end
        for name in pairs(next(known) and said or {}) do -- parameters can be named among the options, too
          if not known[name] and not surplus.NAMED[name] then wrong[#wrong + 1] = short .. " has no " .. name end
        end
        checked = checked + (next(known) and 1 or 0)
      end
    end
    assert.same({}, wrong)
    assert.is_true(checked > 120)
  end)

  it("finds names by their ends, functions of arrays first", function()
    local function named(name)
      local list = {}
      for i, entry in ipairs(entries.named(name)) do list[i] = entry.name end
      return list
    end
    assert.same({ "cuda.gpuarray.sort" }, named "sort") -- the method has the same text
    assert.same({ "cuda.gpuarray.Array:sort" }, named "Array:sort")
    assert.same({ "cuda.gpuarray.save", "cuda.debug.save", "cuda.ndarray.save" }, named "save")
    assert.same({ "cuda.gpuarray.save" }, named "gpuarray.save")
    assert.same({ "cuda.Stream:use" }, named "cudalua.Stream:use")
    assert.same({ "cudalua.repl.run" }, named "repl.run")
    assert.same({}, named "frobnicate")
  end)

  it("is loaded by nothing else", function()
    local loaded = "print(package.loaded['cudalua.help.index'] ~= nil)"
    assert.equal("false", output_of("require 'cudalua' " .. loaded))
    local no_prompt = "require('cudalua.repl').run { input = function() end, output = function() end } "
    assert.equal("false", output_of(no_prompt .. loaded))
    assert.equal("true", output_of("require 'cudalua.help.answer' " .. loaded))
  end)
end)

describe("The entry of a value", function()
  setup(gpu.context)

  local function entry(x) return (values.find(x) or {}).name end

  it("is that of the function, the class or the module", function()
    assert.equal("cuda.gpuarray.sum", entry(cuda.gpuarray.sum))
    assert.equal("cuda.gpuarray.Array:sum", entry(cuda.gpuarray.Array.sum))
    assert.equal("cuda.mem_alloc", entry(cuda.mem_alloc))
    assert.equal("cuda.Stream", entry(cuda.Stream))
    assert.equal("cuda.Stream:use", entry(cuda.Stream.use))
    assert.equal("cuda.gpuarray", entry(cuda.gpuarray))
    assert.equal("cuda", entry(cuda))
  end)

  it("is an object's class", function()
    local a = cuda.gpuarray.zeros(3)
    assert.equal("cuda.gpuarray.Array", entry(a))
    assert.equal("cuda.gpuarray.Array", entry(a + 1))
    assert.equal("cuda.ndarray.Array", entry(cuda.ndarray.zeros(3)))
    assert.equal("cuda.Stream", entry(cuda.Stream()))
    assert.equal("cuda.Device", entry(cuda.Device(0)))
    assert.equal("cuda.Function", entry(cuda.kernel "__global__ void k(int *x) { *x = 1; }"))
    assert.equal("cuda.random.Generator", entry(cuda.random.default()))
    assert.equal("cuda.elementwise.ElementwiseKernel",
      entry(cuda.elementwise.ElementwiseKernel("float *x", "x[i] = 1")))
    assert.equal("cuda.dtype.float32", entry(cuda.dtype.float32))
    assert.equal("cuda.Memcpy2D", entry(cuda.Memcpy2D()))
  end)

  it("is none for values of a program, none of whose functions is called", function()
    local function never() error "called" end
    for _, mt in ipairs { { __index = never, __tostring = never, __eq = never }, { __metatable = "cudalua.dtype" },
      { __metatable = "no" }, { __index = { __index = never } } } do
      mt.__index = mt.__index or never
      local name = entry(setmetatable({}, mt))
      assert.is_true(name == nil or name == "cuda.dtype.DType")
    end
    assert.is_nil(entry(print))
    assert.is_nil(entry(function() end))
    assert.is_nil(entry(nil))
    assert.is_nil(entry(5))
  end)
end)
