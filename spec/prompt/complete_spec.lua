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

  it("takes what the caller knows beyond the tables", function()
    local options = { env = env,
      option_names = function(name) return name == "sum" and { axis = true, dtype = true } or nil end }
    assert.same({ "axis" }, (completed("sum(a, { ax", options)))
    assert.same({}, (completed("other(a, { ax", options)))
  end)

  it("has what the library's modules and arrays have behind functions", function()
    local cuda = require "cudalua"
    local own = { cuda = cuda, a = cuda.gpuarray.zeros { 2, 3 }, h = cuda.ndarray.zeros { 2, 3 }, s = cuda.Stream() }
    assert.same({ "show", "show_progress" }, (completed("cuda.sho", { env = own })))
    assert.same({ "gpuarray" }, (completed("cuda.gpuarr", { env = own })))
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
      assert.same({ "cudalua.prompt.complete" }, (completed('require "cudalua.prompt.compl', { env = env })))
      assert.same({}, (completed("x = 'pri", { env = env })))
      assert.same({ "float16", "float32", "float64" }, (completed("zeros(3, 'fl", { env = env })))
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
