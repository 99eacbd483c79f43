local complete = require "cudalua.prompt.complete"

local function never() error "completion called a function" end

-- What completes a text at its end (or before |), and where the word begins.
local function completed(text, options)
  local position = (text:find("|", 1, true) or #text + 1) - 1
  return complete.new(options)(text:gsub("|", ""), position)
end

local base = { inherited = true, method = function() end }
local env = {
  print = print, printer = 1, string = string, _private = 1, ["not a name"] = 1,
  t = setmetatable({ alpha = 1, alter = function() end, deep = { inner = { innermost = 1 } } }, { __index = base }),
  text = "a string", file = io.stdout,
  lazy = setmetatable({ known = 1 }, { __index = never, __pairs = never, __len = never, __tostring = never }),
}

describe("completion", function()
  it("has globals, locals and keywords", function()
    assert.same({ "print", "printer" }, (completed("pri", { env = env })))
    assert.same({ "print", "printer", "private" }, (completed("x = pri",
      { env = env, locals = function() return { private = 1, other = 2 } end })))
    assert.same({ "repeat", "return" }, (completed("re", { env = env })))
    local list, start = completed("f(pri|, 2)", { env = env })
    assert.same({ "print", "printer" }, list)
    assert.equal(3, start)
  end)

  it("has fields, also of tables behind __index, and of the session's locals", function()
    local list, start = completed("t.al", { env = env })
    assert.same({ "alpha", "alter" }, list)
    assert.equal(3, start)
    assert.same({ "inherited" }, (completed("t.inh", { env = env })))
    assert.same({ "innermost" }, (completed("x = 2 + t.deep.inner.", { env = env })))
    assert.same({ "mine" }, (completed("l.", { env = env, locals = function() return { l = { mine = 1 } } end })))
    assert.same({}, (completed("nothing.", { env = env })))
    assert.same({}, (completed("t.deep.nothing.x", { env = env })))
    assert.same({}, (completed("f().al", { env = env })))
    assert.same({}, (completed("f()[1].al", { env = env })))
    assert.same({}, (completed("1.", { env = env })))
  end)

  it("has only what can be called behind a colon", function()
    assert.same({ "alter" }, (completed("t:al", { env = env })))
    assert.same({ "method" }, (completed("t:m", { env = env })))
    assert.same({ "format" }, (completed("text:form", { env = env })))
    assert.same({ "setvbuf" }, (completed("file:set", { env = env })))
  end)

  it("has names of options between the braces of a call, and no others if there are some", function()
    local cuda = require "cudalua"
    local own = { cuda = cuda, np = cuda.gpuarray, a = cuda.gpuarray.zeros { 2, 3 }, print = print,
      fn = cuda.kernel "__global__ void k(float *x) { *x = 1; }" }
    local function is(expected, text)
      assert.equal(expected, table.concat((completed(text, { env = own })), " "), text)
    end
    is("dtype", "np.linspace(0, 1, { dt")
    is("dtype", "cuda.gpuarray.linspace(0, 1, {\ndt")
    is("block", "fn(a, b, { bl")
    is("block", "fn{a, b, bl")
    is("block", "fn(a, { grid = f(1, { 2 }), bl")
    is("allocator axis descending out stream", "a:sort {")
    is("keepdims", "a:sum({ axis = 1, ke")
    is("keepdims", "(a + 1):sum { ke") -- by the method's name
    is("keepdims", "sum(a, { ke")
    is("axis", "np.concatenate({ a, a }, { ax")
    is("priority", "cuda.Stream { pri")
    is("high", "cuda.random.uniform(3, { hi")
    is("kind", "cuda.plot { a, ki")
    is("print", "a:sum({ axis = pri") -- a value
    is("print", "np.concatenate({ pri")
    is("print", "fn(pri")
    is("print", "unknown(a, { pri")
    is("print", "local t = { pri")
  end)

  it("has strings that an argument or an option may be", function()
    local cuda = require "cudalua"
    local own = { cuda = cuda, np = cuda.gpuarray, a = cuda.gpuarray.zeros { 2, 3 }, print = print }
    local function is(expected, text)
      assert.equal(expected, table.concat((completed(text, { env = own })), " "), text)
    end
    is("float16 float32 float64", "np.zeros(3, 'fl")
    is("float16 float32 float64", 'zeros({ 2, 3 }, "fl')
    is("complex128 complex64", "unknown { dtype = 'comp")
    is("int16 int32 int64 int8", "a:astype 'in")
    is("bfloat16 bool", "cuda.dtype 'b")
    is("C F", "np.zeros(3, { order = '")
    is("wrap", "a:take(1, { mode = 'w")
    is("hist", "cuda.plot { a, kind = 'h")
    is("", "print('fl")
    is("", "x = 'fl")
    is("", "a:astype('int8', 'fl")
  end)

  it("has the names that help takes", function()
    local function is(expected, text)
      assert.equal(expected, table.concat((completed(text, { env = env })), " "), text)
    end
    is("argsort", 'help "args')
    is("argsort", "help('args")
    is("gpuarray.Array:argsort", 'help "gpuarray.Array:args')
    is("gpuarray.argsort", 'help "gpuarray.args')
    is("argsort", ":help args")
    is("cuda.gpuarray.argsort", ":help cuda.gpuarray.args")
    assert.equal(7, (select(2, completed(":help args", { env = env }))))
  end)

  it("has methods and fields of what a call returns, without making it", function()
    local cuda = require "cudalua"
    local own = { cuda = cuda, np = cuda.gpuarray, a = cuda.gpuarray.zeros { 2, 3 }, never = never }
    local function is(expected, text)
      assert.equal(expected, table.concat((completed(text, { env = own })), " "), text)
    end
    is("sub sum", "np.zeros(3):su")
    is("sub sum", "a:reshape(3, 2):exp():su")
    is("shape", "np.zeros { 2 }.sha")
    is("synchronize", "cuda.Stream():syn")
    is("name", "cuda.Device(0):na")
    is("free free_async", "cuda.mem_alloc(4):fr")
    is("", "never():su")
    is("", "never{}:su")
    is("", "never().x:su")
  end)

  it("takes less than 50 ms, the first time, too", function()
    local pipe = io.popen([[luajit -e "
      local cuda = require 'cudalua'
      local f = require('cudalua.prompt.complete').new { env = { np = cuda.gpuarray } }
      local start = os.clock()
      local list = f('np.zeros(3, { dt', 16)
      print(list[1], os.clock() - start)"]])
    local name, seconds = pipe:read "*a":match "(%S+)%s+(%S+)"
    pipe:close()
    assert.equal("dtype", name)
    assert.is_true(tonumber(seconds) < (os.getenv "CUDALUA_SANITIZED" and 5 or 0.05), seconds)
  end)

  it("has what the library's modules and arrays have behind functions", function()
    local cuda = require "cudalua"
    local own = { cuda = cuda, a = cuda.gpuarray.zeros { 2, 3 }, h = cuda.ndarray.zeros { 2, 3 }, s = cuda.Stream() }
    assert.same({ "show", "show_progress" }, (completed("cuda.sho", { env = own })))
    assert.same({ "gpuarray", "gpuarray_to_array" }, (completed("cuda.gpuarr", { env = own })))
    assert.same({ "zeros", "zeros_like" }, (completed("cuda.gpuarray.zero", { env = own })))
    assert.same({ "shape" }, (completed("a.sha", { env = own })))
    assert.same({ "sub", "sum" }, (completed("a:su", { env = own })))
    assert.same({}, (completed("a:sha", { env = own })))
    assert.same({ "shape" }, (completed("h.sha", { env = own })))
    assert.same({ "synchronize" }, (completed("s:syn", { env = own })))
  end)

  it("has files and modules in strings of the functions that take them, and nothing in other strings and comments",
    function()
      assert.same({ "spec/prompt/complete_spec.lua" }, (completed("dofile 'spec/prompt/comp", { env = env })))
      assert.same({ "spec/" }, (completed('io.open("spe', { env = env })))
      assert.same({ "cudalua.text.keywords" }, (completed('require "cudalua.text.keyw', { env = env })))
      assert.same({}, (completed("x = 'pri", { env = env })))
      assert.same({}, (completed("-- pri", { env = env })))
      assert.same({}, (completed("[[ pri", { env = env })))
      assert.same({}, (completed("--[=[ ]] pri", { env = env })))
      for _, before in ipairs { "'a\\'' .. ", "--[[ x ]] ", "-- c\n", "'-- ' .. ", "[==[ ]] ]==] .. ", "a[1] - " } do
        assert.same({ "print", "printer" }, (completed(before .. "pri", { env = env })), before)
      end
    end)

  it("ends whatever the tables are, and calls none of their functions", function()
    local a, b = {}, {}
    setmetatable(a, { __index = b })
    setmetatable(b, { __index = a })
    local long = { last = 1 }
    for _ = 1, 1000 do long = setmetatable({}, { __index = long }) end
    local huge = {}
    for i = 1, 300000 do huge["name" .. i] = i end
    local hostile = { a = a, long = long, huge = huge, lazy = env.lazy,
      masked = setmetatable({ seen = 1 }, { __metatable = "no" }),
      odd = setmetatable({ x = 1 }, { __index = 5 }) }
    hostile.self = hostile
    assert.same({}, (completed("a.x", { env = hostile })))
    assert.same({}, (completed("a.x.y", { env = hostile })))
    assert.same({}, (completed("long.la", { env = hostile })))
    assert.same({ "known" }, (completed("lazy.", { env = hostile })))
    assert.same({}, (completed("lazy.later.x", { env = hostile })))
    assert.same({ "seen" }, (completed("masked.", { env = hostile })))
    assert.same({ "x" }, (completed("odd.", { env = hostile })))
    assert.same({ "x" }, (completed("self.self.self.odd.", { env = hostile })))
    local start = os.clock()
    assert.is_true(#completed("huge.", { env = hostile }) <= 2000)
    assert.is_true(os.clock() - start < 2)
    for _, text in ipairs { "", ".", ":", "..", "'", "[[", "--", "a.b.c.", "a:b:c:", "{", "f{", "}", "\\", "'\\" } do
      assert.equal("table", type((completed(text, { env = hostile }))), text)
    end
  end)
end)
