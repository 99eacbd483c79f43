-- Calls between ranks that mpirun has started: the checks of distributed_spec through OpenMPI, through MPICH, and
-- through a library with MPI's standard binary interface.
local built = require "spec.support.built"
local gpu = require "spec.support.gpu"
local mpi = require "spec.support.mpi"
local turn = require "spec.support.turn"

local CHECKS = {}
for name in ([[world barrier all_reduce order extremes short_floats complex reduce broadcast all_gather gather scatter
  reduce_scatter all_to_all send_recv handles broadcast_object split group close large layouts
  structs]]):gmatch "%S+" do
  CHECKS[#CHECKS + 1] = name
end

local function passes(flavor, n, arguments, environment)
  local out, status = mpi.check(flavor, n, arguments or "mpi", environment)
  for _, check in ipairs(CHECKS) do
    assert.equal(n, select(2, out:gsub("passed " .. check .. "\n", "")), check .. ":\n" .. out)
  end
  assert.equal(0, status, out)
end

describe("cuda.distributed under mpirun", function()
  for name, flavor in pairs { OpenMPI = "openmpi", MPICH = "mpich" } do
    it("passes the checks of all calls with 1 to 4 ranks of " .. name, function()
      mpi.need(pending)
      for _, n in ipairs(turn.share({ 2, 1, 4, 3 }, gpu.sanitized and 4 or 2)) do passes(flavor, n) end
    end)
  end

  it("moves arrays in blocks", function()
    mpi.need(pending)
    for _, flavor in ipairs(turn.share({ "openmpi", "mpich" }, 2)) do passes(flavor, 2, "mpi 2048") end
  end)

  it("multiplies distributed matrices on all grids of ranks", function()
    mpi.need(pending)
    mpi.each(function(flavor)
      local out, status = mpi.run(flavor, 4, [[
        dofile("spec/support/sharded_products.lua").checks.matmul_on_grids()
        print "fine"
      ]])
      assert.equal(0, status, out)
      assert.equal(4, select(2, out:gsub("fine", "")), out)
    end)
  end)

  it("takes positions of distributed arrays", function()
    mpi.need(pending)
    mpi.each(function(flavor)
      local out, status = mpi.run(flavor, 3, [[
        local checks = dofile("spec/support/sharded_take.lua").checks
        checks.distributed()
        checks.refused()
        print "fine"
      ]])
      assert.equal(0, status, out)
      assert.equal(3, select(2, out:gsub("fine", "")), out)
    end)
  end)

  it("calls libraries with MPI's standard binary interface", function()
    mpi.need(pending)
    passes("mpich", 2, "mpi", "CUDALUA_MPI=" .. built "cudalua-mpi-abi-shim")
  end)
end)
