-- Calls by NCCL between two GPUs. Skipped without two GPUs, and without the library.
local gpu = require "spec.support.gpu"
local libraries = require "cudalua.vendor.library"
local nccl = require "spec.support.nccl_programs"
local ranks = require "spec.support.ranks"

-- Are there fewer GPUs, or no library? Then the test is skipped.
local function lacks(devices)
  if gpu.soft or gpu.cuda.Device.count() < devices then return pending(("needs %d GPUs"):format(devices)) or true end
  local found, why = libraries.open "nccl"
  if not found then return pending("needs NCCL: " .. why) or true end
  return false
end

describe("NCCL on GPUs", function()
  it("is what arrays of ranks with a GPU each move by", function()
    if lacks(2) then return end
    local out, status = ranks.run(2, "print(require('cudalua').distributed.init().transport)",
      { environment = "CUDALUA_DIST_BACKEND=auto" })
    assert.equal(0, status, out)
    assert.equal(2, select(2, out:gsub("%] nccl\n", "")), out)
  end)

  it("computes and moves arrays of all dtypes on one rank", function()
    if lacks(1) then return end
    for check in pairs(nccl.checks) do nccl.passes(1, true, check) end
  end)

  it("computes and moves arrays of all dtypes on two ranks, and on three and four if there are as many GPUs", function()
    if lacks(2) then return end
    for n = 2, math.min(4, gpu.cuda.Device.count()) do
      for check in pairs(nccl.checks) do
        nccl.passes(n, true, check)
        nccl.passes(n, false, check)
      end
    end
  end)

  it("moves large arrays, in streams of the program's", function()
    if lacks(2) then return end
    nccl.all_fine(2, [[
      local a = gpuarray.full({ 2 ^ 26 }, rank + 1)
      local stream = cuda.Stream()
      stream:use(function()
        for k = 1, 10 do world:all_reduce(a, { out = a, op = "max" }) end
        a = world:all_to_all(a:reshape(2, 2 ^ 25))
      end)
      stream:synchronize()
      same(2 * 2 ^ 26, tonumber(a:sum { dtype = "float64" }:item()), "the sum")
    ]], { checks = false })
    nccl.all_fine(2, nccl.beside, { checks = false })
  end)

  it("moves arrays while the program computes, with async = true", function()
    if lacks(2) then return end
    for _, checks in ipairs { false, true } do nccl.all_fine(2, nccl.handles, { checks = checks }) end
  end)

  it("ends a call whose other rank is killed, fails, exits or does not come", function()
    if lacks(2) then return end
    nccl.dies("ffi.C.kill(ffi.C.getpid(), 9)", "was killed by signal 9 (Killed)", 137)
    nccl.dies("error('boom', 0)", "failed: boom", 1)
    nccl.dies("os.exit(7)", "ended with status 7", 7)
    nccl.dies("os.exit(0)", "has ended", 0)
    local out = nccl.run(2, [[
      local a = world:all_reduce(gpuarray.ones(3))
      a:get()
      ffi.cdef "int usleep(unsigned us);"
      if rank == 1 then ffi.C.usleep(6000000) end
      a = world:all_reduce(a)
      raises("RuntimeError", "all_reduce: rank 0 waited for rank 1 in all_reduce for 2 s", a.get, a)
      print "fine"
    ]], { checks = false, environment = "CUDALUA_DIST_TIMEOUT=2" })
    assert.is_truthy(out:find("[0] fine", 1, true), out)
  end)

  it("is kept by a graph, which makes the calls whenever it is launched", function()
    if lacks(2) then return end
    nccl.all_fine(2, nccl.graph, { checks = false })
  end)

  it("refuses two ranks on the same GPU", function()
    if lacks(1) then return end
    local out = ranks.run(2, [[
      print(select(2, pcall(require('cudalua').distributed.init, { backend = 'nccl' })).message)
    ]], { environment = "CUDA_DEVICE=0 CUDA_VISIBLE_DEVICES=0" })
    assert.is_truthy(out:find("ranks 0 and 1 have the same GPU", 1, true), out)
  end)
end)
