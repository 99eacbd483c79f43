-- The tables of docs/from-*.md: what they say to write instead is Lua, and its names exist.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local names = require "cudalua.base.names"

-- What stands in a table for code that is left out.
local function completed(code)
  return (code:gsub("%) %.%.%. end", ") end"):gsub("=,", "= nil,"):gsub("=(%s*})", "= nil%1"):gsub("%.%.%.", "nil"))
end

local function is_lua(code)
  code = completed(code)
  return (loadstring("return " .. code) or loadstring(code) or loadstring("local _ = {" .. code .. "}") or
    loadstring("f(" .. code .. ")")) ~= nil
end

-- Calls f(code, line) for the code in the last column of each row of a page's tables.
local function each(path, f)
  local number = 0
  for line in io.lines(path) do
    number = number + 1
    local cells = {}
    if line:find "^| " and not line:find "^| %-%-%-" then
      for cell in line:gsub("\\|", "\1"):gmatch "|([^|]*)" do cells[#cells + 1] = cell end
    end
    for code in (cells[#cells - 1] or ""):gmatch "`([^`]+)`" do f(code, number) end
  end
end

describe("The tables of", function()
  local a, host
  setup(gpu.context)
  before_each(function() a, host = cuda.gpuarray.ones { 2, 3 }, cuda.ndarray.ones(3) end)

  -- Methods of other objects, by the name that the pages give them.
  local function objects()
    local stream = cuda.Stream()
    local source = "__global__ void f(float *x) { *x = 1; }"
    return { a = a, b = a, v = a, c = a, y = a, x = a, h = host, s = stream, stream = stream, stop = cuda.Event(),
      event = cuda.Event(), mem = cuda.mem_alloc(4), d = cuda.mem_alloc(4), dev = cuda.Device(0),
      ctx = cuda.Context.get_current(), mod = cuda.SourceModule(source), f = cuda.kernel(source, "f"),
      fn = cuda.kernel(source, "f"), pool = cuda.DeviceMemoryPool() }
  end

  for _, page in ipairs { "from-pycuda", "from-numpy", "from-torch" } do
    local path = "docs/" .. page .. ".md"

    it(path .. " name what exists", function()
      local wrong, n, known = {}, 0, objects()
      local function expect(exists, code, line)
        n = n + 1
        if not exists then wrong[#wrong + 1] = ("%s:%d: %s"):format(path, line, code) end
      end
      each(path, function(code, line)
        for name in code:gmatch "%f[%w.]cuda%.([%a_][%w_.]*)" do
          expect(cuda.has((name:gsub("%.$", ""))), code, line)
        end
        for name in code:gmatch "%f[%w.]gpuarray%.([%a_][%w_]*)" do
          expect(names.get(cuda.gpuarray, name), code, line)
        end
        for name in code:gmatch "%f[%w.]g%.([%a_][%w_]*)" do expect(names.get(cuda.gpuarray, name), code, line) end
        for object, name in code:gmatch "%f[%w.]([%a_][%w_]*):([%a_][%w_]*)" do
          if known[object] then expect(pcall(function() assert(known[object][name]) end), code, line) end
        end
      end)
      assert.equal("", table.concat(wrong, "\n"))
      assert(n > 60, n)
    end)

    it(path .. " say Lua, not another language", function()
      local wrong, n = {}, 0
      each(path, function(code, line)
        if not code:find "[(=]" or code:find "^texture<" or code:find "^CUDA_" then return end
        n = n + 1
        if not is_lua(code) then wrong[#wrong + 1] = ("%s:%d: %s"):format(path, line, code) end
      end)
      assert.equal("", table.concat(wrong, "\n"))
      assert(n > 40, n)
    end)
  end
end)
