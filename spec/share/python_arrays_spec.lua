-- Arrays that go to Python and come from it, under lupa: examples/embedding/arrays.py, which ./dev release-check runs,
-- too.
local gpu = require "spec.support.gpu"
local cuda = gpu.cuda
local interop = cuda.interop

-- CUDALUA_PYTHON: a Python with lupa, and better with NumPy.
local python = os.getenv "CUDALUA_PYTHON" or "python3"
local root = debug.getinfo(1, "S").source:match "^@(.*)spec/share/" or ""

local function output_of(command)
  local pipe = assert(io.popen(command .. " 2>&1"))
  local text = pipe:read "*a"
  pipe:close()
  return text
end

before_each(gpu.context)

describe("In a process without Python", function()
  local function refuses(f, x) gpu.raises("LogicError", "this program does not run inside Python; from_python works " ..
    "under lupa", f, x) end

  it("interop.to_python says what is missing", function()
    refuses(interop.to_python, cuda.gpuarray.zeros(2))
    refuses(interop.to_python, cuda.ndarray.zeros(2))
    gpu.raises("LogicError", "expected an array, got", interop.to_python, 3)
    gpu.raises("LogicError", "DLPack has no elements of", interop.to_python,
      cuda.ndarray.zeros(2, cuda.dtype.struct { { "x", "float32" } }))
    gpu.refuses_nonsense(interop.to_python)
  end)

  it("interop.from_python says what is missing, whatever the global python is", function()
    for _, value in ipairs { {}, { eval = print, as_itemgetter = print }, 3, "lupa" } do
      rawset(_G, "python", value)
      local ok, err = pcall(refuses, interop.from_python, io.stdout)
      rawset(_G, "python", nil)
      assert(ok, err)
    end
    gpu.refuses_nonsense(interop.from_python)
  end)
end)

if output_of(("'%s' -c 'from lupa import luajit21'"):format(python)) == "" then
  describe("Under lupa", function()
    it("interop.to_python and interop.from_python share memory, and say what is wrong", function()
      assert.equal("fine\n", output_of(("%s '%s' %sexamples/embedding/arrays.py"):format(gpu.driver, python, root)))
    end)
  end)
end
