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
    assert.same({ "---Sine, of radians." }, found.sin.text)
    assert.equal("---@raise LogicError for complex numbers, or if all are numbers", found.fma.rest[2])
    assert.is_true(found.sin.math and found.frexp.math)
    assert.is_false(found.add.math or found.mul_add.math or found.conjugate.math or false)
  end)

  it("take a reduction's and a scan's from the rule", function()
    local found = by_name(definitions.reductions())
    assert.matches("dtype: of the result", table.concat(found.sum.params[2].lines, " "))
    assert.is_nil(table.concat(found.max.params[2].lines, " "):find "dtype")
    assert.equal("---@return cudalua.gpuarray.Array  of int64", found.argmax.rest[1])
    assert.matches("there are no elements", found.nanmin.rest[2])
    assert.matches("all elements in C order", table.concat(by_name(definitions.scans()).cummax.params[2].lines, " "))
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
