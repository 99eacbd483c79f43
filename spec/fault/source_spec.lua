-- Errors of kernels on the software device show the lines of the source, and where these are in the program; never a
-- wrong one. Each program runs in a process of its own, from a file.
local gpu = require "spec.support.gpu"

describe("the error of a kernel on the software device", function()
  -- Runs a program from a file that ends in a fault; what it prints of its error.
  local function fault(program, before)
    local path = os.tmpname()
    local file = assert(io.open(path, "wb"))
    file:write(program)
    file:close()
    local out = gpu.child(([[
      local ok, err = pcall(dofile, %q)
      assert(not ok and err.sticky, tostring(err))
      print(err.kernel)
      print((tostring(err):gsub(%q, "FILE")))]]):format(path, path), (before or "") .. "CUDALUA_DRIVER=soft")
    os.remove(path)
    return out
  end

  local KERNEL = [=[
__global__ void shift(float *p, int n)
{
  int i = threadIdx.x;
  p[i + n] = 1;
}
]=]
  local LAUNCH = "shift(cuda.gpuarray.zeros(8), 1, { block = 8 }) cuda.Context.synchronize()"

  it("has the line of the kernel, and the program's line that it is", function()
    local out = fault('local cuda = require "cudalua"\n\nlocal shift = cuda.kernel [[\n' .. KERNEL .. "]]\n"
      .. LAUNCH)
    assert.equal("shift", out:match "^[^\n]*")
    assert.truthy(out:find("\n  kernel.cu:4 is FILE:7:\n       3 |   int i = threadIdx.x;\n"
      .. "  >    4 |   p[i + n] = 1;\n", 1, true), out)
    out = fault('local cuda = require "cudalua"\r\nlocal shift = cuda.kernel([==[' .. KERNEL:gsub("\n", "\r\n")
      .. ']==], { name = "my.cu" })\r\n' .. LAUNCH)
    assert.truthy(out:find("\n  my.cu:4 is FILE:5:\n", 1, true), out)
  end)

  it("has the place of the compilation if the source is no long string there, or one twice", function()
    local twice = 'local cuda = require "cudalua"\nlocal other = [[\n' .. KERNEL
      .. "]]\nlocal shift = cuda.kernel(other)\n"
    assert.truthy(fault(twice .. LAUNCH):find "\n  kernel.cu:4 is FILE:6:\n")
    local out = fault(twice .. LAUNCH .. "\nother = [[\n" .. KERNEL .. "]]")
    assert.truthy(out:find "\n  kernel.cu:4, compiled at FILE:9:\n", out)
    local comment = 'local cuda = require "cudalua"\n--[[\n' .. KERNEL .. "]]\nlocal shift = cuda.kernel("
      .. ("%q"):format(KERNEL):gsub("\\\n", "\\n") .. ")\n" .. LAUNCH
    assert.truthy(fault(comment):find "\n  kernel.cu:4, compiled at FILE:9:\n")
  end)

  it("shows no line of a source that numbers its lines itself", function()
    local source = KERNEL:gsub("  int i", "#line 1\n%0")
    local out = fault('local cuda = require "cudalua"\nlocal shift = cuda.kernel [[\n' .. source .. "]]\n" .. LAUNCH)
    assert.truthy(out:find "kernel shift, kernel%.cu:2 %(PTX", out)
    assert.is_nil(out:find " | ")
  end)

  it("tells kernels of one name apart, and names the one that failed instead of the last one", function()
    local out = fault('local cuda = require "cudalua"\nlocal shift = cuda.kernel [[\n' .. KERNEL .. "]]\n"
      .. 'local good = cuda.kernel [[\n__global__ void shift(float *p, int n)\n{\n  p[n] = 1;\n  p[0] = 2;\n}\n]]\n'
      .. 'local last = cuda.kernel "__global__ void last(int n) {}"\nlocal p = cuda.gpuarray.zeros(8)\n'
      .. "shift(p, 1, { block = 8 }) good(p, 1, { block = 1 }) last(1, { block = 1 }) cuda.Context.synchronize()")
    assert.equal("shift", out:match "^[^\n]*")
    assert.truthy(out:find("\n  kernel.cu:4 is FILE:6:\n", 1, true), out)
    assert.is_nil(out:find("last kernel launched", 1, true))
  end)

  it("has the line if the kernel's object is gone and its module is not, among many modules", function()
    -- An error of the search would be explained by another search, in each of the other modules.
    local out = fault('local cuda = require "cudalua"\nlocal kept = {}\n'
      .. 'for i = 1, 12 do kept[i] = cuda.SourceModule("__global__ void k" .. i .. "() {}") end\n'
      .. "kept[13] = cuda.SourceModule [[\n" .. KERNEL .. "]]\n"
      .. 'for i = 14, 25 do kept[i] = cuda.SourceModule("__global__ void k" .. i .. "() {}") end\n'
      .. 'kept[13]:get_function "shift"(cuda.gpuarray.zeros(8), 1, { block = 8 }) collectgarbage() collectgarbage()\n'
      .. "cuda.Context.synchronize()", "ulimit -t 60; ")
    assert.truthy(out:find("\n  kernel.cu:4 is FILE:8:\n", 1, true), out)
  end)

  it("has the argument whose memory it was, if only one points there", function()
    local function owner(arguments)
      local out = fault('local cuda = require "cudalua"\nlocal add = cuda.kernel [[\n__global__ void add(float *out, '
        .. "const float *in, int n)\n{\n  int i = threadIdx.x;\n  out[i] = in[i + n];\n}\n]]\nlocal a, b = "
        .. "cuda.mem_alloc(32), cuda.mem_alloc(64)\nadd(" .. arguments .. ") cuda.Context.synchronize()")
      assert.truthy(out:find("\n  >    4 |   out[i] = in[i + n];", 1, true), out)
      return out:match "\n  allocation %d+ is ([^\n]*)"
    end
    assert.equal("argument 2, const float *in", owner "a, b, 9, { block = 8 }")
    assert.equal("argument 2, const float *in", owner "b, a, -1, { block = 8 }")
    assert.equal("argument 1, float *out", owner "a, b, 0, { block = 9 }")
    assert.is_nil(owner "a, a, 1, { block = 8 }")                            -- both
    assert.is_nil(owner "a, cuda.pointer(0), 1, { block = 8 }")              -- a null pointer
  end)

  it("has no excerpt if the module is gone", function()
    local out = fault('local cuda = require "cudalua"\nlocal shift = cuda.SourceModule([[\n' .. KERNEL .. "]])\n"
      .. 'shift:get_function "shift"(cuda.gpuarray.zeros(8), 1, { block = 8 }) shift = nil collectgarbage() '
      .. "collectgarbage() cuda.Context.synchronize()")
    assert.truthy(out:find("detail: kernel shift, kernel.cu:4", 1, true), out)
    assert.is_nil(out:find("compiled at", 1, true))
  end)
end)
