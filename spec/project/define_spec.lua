-- What is defined once: core/define.lua, which makes a function and a method of one definition, and the files that
-- ./dev generate writes from the definitions.
local definitions = require "tools.definitions"
local surplus = require "cudalua.base.surplus"

local function by_name(list)
  local found = {}
  for _, e in ipairs(list) do found[e.name] = e end
  return found
end

describe("define()", function()
  local Array = require("cudalua.gpuarray.core.object").Array
  local define = require "cudalua.gpuarray.core.define"

  teardown(function() Array.spec_twin = nil end)

  it("makes a function and a method, which know their names and parameters", function()
    local M = {}
    define(M)("spec_twin", function(what, a, options) return what, a, options end)
    assert.same({ "gpuarray.spec_twin", 1, 2 }, { M.spec_twin(1, 2) })
    assert.same({ "gpuarray:spec_twin", 1, 2 }, { Array.spec_twin(1, 2) })
    assert.same({ "a", "options" }, surplus.parameters_of(M.spec_twin).names)
    assert.same({ "self", "options" }, surplus.parameters_of(Array.spec_twin).names)
  end)

  it("gives the function a row, if there is one", function()
    local M, row = {}, {}
    define(M)("spec_twin", function(what, r, a, b, options) return what, r, a, b, options end, row)
    assert.same({ "gpuarray.spec_twin", row, 1, 2, 3 }, { M.spec_twin(1, 2, 3) })
    assert.same({ "gpuarray:spec_twin", row, 1, 2, 3 }, { Array.spec_twin(1, 2, 3) })
    assert.same({ "self", "b", "options" }, surplus.parameters_of(Array.spec_twin).names)
  end)

  it("leaves a function that does not ask for its name as it is", function()
    local M = {}
    local function f(a, k) return a, k end
    define(M)("spec_twin", f)
    assert.equal(f, M.spec_twin)
    assert.same({ 1, 2 }, { Array.spec_twin(1, 2) })
    assert.same({ "self", "k" }, surplus.parameters_of(Array.spec_twin).names)
  end)

  it("takes another parameter than the first for the method's array", function()
    local M = {}
    local function f(condition, a, options) return condition, a, options end
    define(M)("spec_twin", f, nil, "a")
    assert.equal(f, M.spec_twin)
    assert.same({ "condition", "array", "options" }, { Array.spec_twin("array", "condition", "options") })
    assert.same({ "self", "condition", "options" }, surplus.parameters_of(Array.spec_twin).names)
    define(M)("spec_twin", function(what, row, x, a) return what, row, x, a end, "row", "a")
    assert.same({ "gpuarray:spec_twin", "row", 1, "array" }, { Array.spec_twin("array", 1) })
    assert.same({ "x", "a" }, surplus.parameters_of(M.spec_twin).names)
  end)
end)

describe("Generated files", function()
  it("are what ./dev generate writes", function()
    local out = assert(io.popen "luajit tools/generate.lua --check 2>&1")
    local text = out:read "*a"
    out:close()
    assert.equal("", text)
  end)

  it("take an operation's parameters and errors from its arity, or from tags", function()
    local found = by_name(definitions.operations())
    local function parameters(name)
      local list = {}
      for i, param in ipairs(found[name].params) do list[i] = param.name end
      return table.concat(list, " ")
    end
    assert.equal("a options", parameters "sin")
    assert.equal("a b options", parameters "hypot")
    assert.equal("n a options", parameters "jn")
    assert.equal("a decimals options", parameters "round")
    assert.same({ "---Sine of an angle in radians." }, found.sin.text)
    assert.equal("---@raise LogicError for complex numbers, or if all are numbers", found.fma.rest[2])
    assert.is_true(found.sin.math and found.frexp.math)
    assert.is_false(found.add.math or found.mul_add.math or found.conjugate.math or false)
  end)

  it("take a reduction's and a scan's from the rule", function()
    local found = by_name(definitions.reductions())
    assert.matches("dtype: the dtype of the result", table.concat(found.sum.params[2].lines, " "))
    assert.is_nil(table.concat(found.max.params[2].lines, " "):find "dtype")
    assert.equal("---@return cudalua.gpuarray.Array  of int64", found.argmax.rest[1])
    assert.matches("there are no elements", found.nanmin.rest[2])
    assert.matches("all elements in C order", table.concat(by_name(definitions.scans()).cummax.params[2].lines, " "))
  end)

  it("leave out the method's array, which need not come first", function()
    local entries = require("tools.annotations").load()
    local as_function, as_method = entries["cudalua.gpuarray.compress"], entries["cudalua.gpuarray.Array:compress"]
    assert.same({ "condition", "a", "options" }, as_function.arguments)
    assert.same({ "condition", "options" }, as_method.arguments)
    assert.same({ "indices", "options" }, entries["cudalua.gpuarray.Array:take"].arguments)
    assert.same(as_function.text, as_method.text)
  end)

  it("have the one annotation of a function that is a method, too", function()
    local entries, found = require("tools.annotations").load(), {}
    for name, entry in pairs(entries) do
      local short = name:match "^cudalua%.gpuarray%.([%w_]+)$"
      local method = short and rawget(entries, "cudalua.gpuarray.Array:" .. short)
      if method and entry.kind == "function" then
        local generated = (entry.file .. method.file):find "docs/meta/generated/"
        if not generated then found[#found + 1] = short end
      end
    end
    assert.same({ "eval" }, found) -- the function computes arrays, or all of them; the method this one
  end)

  it("list the files that the module does not read itself, each with its functions", function()
    local files = by_name(definitions.files())
    for _, part in ipairs { "derived.diff", "index.unravel", "make.join", "order.count", "reduce.scan" } do
      assert.is_table(files[part], part)
    end
    for _, part in ipairs { "make.construct", "make.shape", "core.scope", "fuse", "index.slice" } do
      assert.is_nil(files[part], part)
    end
    assert.same({ "ravel_multi_index", "unravel_index" }, files["index.unravel"].functions)
    assert.same({ "cummax", "cummin", "cumprod", "cumsum", "nancumsum" }, files["reduce.scan"].methods)
  end)

  it("name every function of the operations", function()
    local names, n = dofile("docs/names.lua").operations, 0
    for name in pairs(require("cudalua.gpuarray.core.functions").functions) do
      local internal = (require("cudalua.gpuarray.kernel.ops")[name] or { row = {} }).row.internal
      assert.is_true((" " .. names:gsub("%s+", " ") .. " "):find(" " .. name .. " ", 1, true) ~= nil or internal, name)
      n = n + 1
    end
    assert.is_true(n > 100)
  end)
end)
