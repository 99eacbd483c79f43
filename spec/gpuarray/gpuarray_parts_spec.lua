-- The files of the array library that are read when they are asked for (gpuarray/parts.lua).
local gpu = require "spec.support.gpu"

local function words(text)
  local list = {}
  for word in text:gmatch "%S+" do list[#list + 1] = word end
  table.sort(list)
  return list
end

describe("gpuarray.parts", function()
  local cuda = require "cudalua"
  local object = require "cudalua.gpuarray.core.object"
  local parts = require("cudalua.gpuarray.lazy").list

  it("are read by the first call of one of their functions, also of one that was kept from before", function()
    local out, ok = gpu.child [[
      local cuda = require "cudalua"
      local ga = cuda.gpuarray
      require "cudalua.autoinit"
      for _, part in ipairs(require("cudalua.gpuarray.lazy").list) do
        assert(not package.loaded["cudalua.gpuarray." .. part[1] ], part[1])
      end
      local a, sort, range = ga.to_gpu { 3, 1, 2 }, ga.sort, ga.arange
      assert(ga.arange(4)[4] == 3 and range(5)[5] == 4 and range(6)[6] == 5)
      assert(sort(a)[1] == 1 and a:sort()[3] == 3 and ga.sort(a)[2] == 2)
      assert(a[{ { 2, 3 } }][2] == 2 and a:slice { 1, 2 }[2] == 1)
      assert(a:var():item() == ga.var(a):item())
      local function why(...) return select(2, pcall(...)).message end
      assert(why(ga.var, a, { axis = 9 }):find "^gpuarray.var: ", why(ga.var, a, { axis = 9 }))
      assert(why(a.var, a, { axis = 9 }):find "^gpuarray:var: ", why(a.var, a, { axis = 9 }))
      print "well"
    ]]
    assert.equal("well\n", out)
    assert.is_true(ok)
  end)

  it("have the functions and the methods that the list says, and no others", function()
    local file_of = {}
    for _, part in ipairs(parts) do
      local functions = require("cudalua.gpuarray." .. part[1])
      functions = functions.functions or functions
      local names = {}
      for name in pairs(functions) do names[#names + 1] = name end
      table.sort(names)
      assert.same(words(part[2]), names, part[1])
      for _, name in ipairs(words(part[3])) do file_of[name] = part[1] end
      for _, name in ipairs(names) do assert.equal("function", type(cuda.gpuarray[name])) end
    end
    for name, f in pairs(object.Array) do
      local file = debug.getinfo(f, "S").source:match "cudalua/gpuarray/(.*)%.lua$"
      for _, part in ipairs(parts) do
        if file and file:gsub("/", ".") == part[1] then assert.equal(part[1], file_of[name], name) end
      end
    end
  end)
end)
