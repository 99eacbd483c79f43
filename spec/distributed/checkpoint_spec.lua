-- Files that several ranks write and read at once: cuda.distributed.save and load, checkpoints, and what is left of
-- them when a rank is killed.
local core = require "cudalua.core"
local gpu = require "spec.support.gpu"
local ndarray = require "cudalua.ndarray"
local ranks = require "spec.support.ranks"
local turn = require "spec.support.turn"
local it = turn.tests(it) -- luacheck: ignore 431

local folder

local function content(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read "*a"
  file:close()
  return text
end

local function write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

local function names()
  local list = core.list_folder(folder)
  table.sort(list)
  return table.concat(list, " ")
end

-- Runs a program with so many ranks, whose arg[1] is the folder; each of them prints "fine" at its end.
local function all_fine(n, code)
  local prelude = ranks.prelude:gsub("\n$", " ") .. "local dist, folder = cuda.distributed, arg[1]\n"
  local out, status = ranks.run(n, prelude .. code .. '\nprint "fine"', { arguments = folder })
  assert.equal(n, select(2, out:gsub("%] fine\n", "")), out)
  assert.equal(0, status, out)
  return out
end

before_each(function() folder = assert(core.make_folder(os.tmpname() .. "-")) end)
after_each(function() assert(core.remove_folder(folder)) end)

-- Programs that make the state of the tests and look at it.
local STATE = [[
  local points = gpuarray.arange(3 * 5 * 7, "int16"):reshape(3, 5, 7)
  local function share(a, axis)
    local shape = { unpack(a.shape) }
    local first, past = require("cudalua.distributed.array.blocks").of(shape[axis], size, rank)
    local items = {}
    for k = 1, #shape do items[k] = {} end
    items[axis] = { first + 1, past }
    return require("cudalua.distributed.array.sharded").new(world, a[items]:copy(), shape, axis)
  end
  local function check_share(x, a, axis, what)
    same(axis, x.axis, what .. ", the axis")
    local own = share(a, axis)
    same(true, gpuarray.array_equal(own.block, x.block), what)
  end
]]

describe("cuda.distributed.save and cuda.distributed.load", function()
  it("write and read the same bytes as one process, all dtypes and shapes", function()
    for n = 1, 3 do
      all_fine(n, [[
        local k = 0
        for _, dtype in ipairs { "bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64",
          "complex64", "complex128" } do
          for _, shape in ipairs { {}, { 0 }, { 3 }, { 2, 0 }, { 3, 4 }, { 70, 50 } } do
            k = k + 1
            local a = gpuarray.arange(shape[1] and (shape[2] or 1) * shape[1] or 1, "int32"):mod(2):astype(dtype)
            a = a:reshape(shape)
            local path = ("%s/%d.npy"):format(folder, k)
            dist.save(path, (k % 2 == 0 or #shape == 0) and a or a:get())
            if rank == 0 then gpuarray.save(path .. ".one", a) end
            local back = dist.load(path)
            same(dtype, back.dtype.name, "the dtype")
            same(true, gpuarray.array_equal(a, back), "elements of " .. path)
          end
        end
      ]])
      for k = 1, 60 do
        local path = ("%s/%d.npy"):format(folder, k)
        assert.equal(content(path .. ".one"), content(path), path)
      end
    end
  end)

  it("write and read blocks of distributed arrays along any axis", function()
    for n = 1, 4 do
      all_fine(n, STATE .. [[
        for axis = 1, 3 do
          local path = folder .. "/" .. axis
          dist.save(path, share(points, axis))
          same(true, gpuarray.array_equal(points, dist.load(path)), "all of it")
          for other = 1, 3 do check_share(dist.load(path, { axis = other }), points, other, "a block") end
          check_share(dist.load(path, { axis = -1 }), points, 3, "the last axis")
        end
        local big = gpuarray.arange(600000, "float64"):reshape(600, 1000) -- several MiB
        for axis = 1, 2 do
          dist.save(folder .. "/big", share(big, axis))
          same(true, gpuarray.array_equal(big, dist.load(folder .. "/big")), "a large array")
          check_share(dist.load(folder .. "/big", { axis = 3 - axis }), big, 3 - axis, "of a large array")
        end
        local pair = world:split { color = rank % 2 }
        dist.save(folder .. "/pair" .. rank % 2, points + rank % 2, { group = pair })
        world:barrier()
        same(true, gpuarray.array_equal(points + rank % 2, dist.load(folder .. "/pair" .. rank % 2, { group = pair })),
          "of a group")
      ]])
    end
  end)

  it("read files of others: in F order, and big-endian", function()
    ndarray.save(folder .. "/f", ndarray.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "float32", { order = "F" }))
    local a = ndarray.dumps(ndarray.array({ { 1, 2, 3 }, { 4, 5, 6 } }, "int16"))
    write(folder .. "/b", a:sub(1, -13):gsub("'<i2'", "'>i2'") .. a:sub(-12):gsub("(.)(.)", "%2%1"))
    all_fine(2, STATE .. [[
      local a = gpuarray.to_gpu(ndarray.array { { 1, 2, 3 }, { 4, 5, 6 } }, "float32")
      for _, name in ipairs { "/f", "/b" } do
        same(true, gpuarray.array_equal(a, dist.load(folder .. name):astype "float32"), name)
        for axis = 1, 2 do
          local own, x = share(a, axis), dist.load(folder .. name, { axis = axis })
          same(true, gpuarray.array_equal(own.block, x.block:astype "float32"), name .. axis)
        end
      end
    ]])
  end)

  it("raise on all ranks, and leave the file as it was", function()
    all_fine(3, STATE .. [[
      local path, a = folder .. "/a", gpuarray.arange(4, "float32")
      dist.save(path, a)
      raises("LogicError", "float32 (5,)", dist.save, path, gpuarray.ones(rank == 1 and 5 or 4))
      local differs = "the array differs between ranks: at [1] it is 0 on rank 0 and 1 on rank 1; make it equal"
      raises("LogicError", differs, dist.save, path, a + rank)
      raises("LogicError", "the ranks must make the same call", dist.save, path .. rank, a)
      raises("LogicError", "path must be", dist.save, rank == 2 and 7 or path, a)
      raises("LogicError", "a must be an array", dist.save, path, rank == 0 and {} or a)
      raises("LogicError", "unknown option", dist.save, path, a, rank == 0 and { axis = 1 } or nil)
      raises("LogicError", "axis 3", dist.load, path, { axis = 3 })
      raises("LogicError", "axis must be", dist.load, path, { axis = 0 })
      raises("LogicError", "group must be", dist.load, path, { group = 3 })
      raises("RuntimeError", "Not a directory", dist.save, "/dev/null/none/a", a)
      dist.save(folder .. "/new/folders/a.npy", a)
      same(true, dist.load(folder .. "/new/folders/a.npy"):eq(a):all():item(), "in new folders")
      world:barrier()
      if rank == 0 then os.execute("rm -r " .. folder .. "/new") end
      raises("RuntimeError", "No such file", dist.load, folder .. "/none")
      if rank == 0 then ndarray.savez(folder .. "/z.npz", { x = ndarray.ones(2) }) end
      world:barrier()
      raises("LogicError", "z.npz is not a .npy file; read arrays of a .npz file with ndarray.load", dist.load,
        folder .. "/z.npz")
      world:barrier()
      os.remove(folder .. "/z.npz")
      local point = cuda.dtype.struct({ { "x", "float32" } }, { name = "point" })
      raises("LogicError", "structs", dist.save, path, ndarray.empty({ 2 }, point))
      local err = raises("RuntimeError", rank == 1 and "Is a directory" or "rank 1 failed: cannot write",
        require("cudalua.distributed.files.shares").together, world, "load", function()
          if rank == 1 then require("cudalua.distributed.files.posix").change("load", folder, print) end
          return 1
        end)
      if rank ~= 1 then same(1, err.rank, "the rank") end
      same(true, gpuarray.array_equal(a, dist.load(path)), "the file")
    ]])
    assert.equal("a", names())
  end)
end)

describe("cuda.distributed.checkpoint and cuda.distributed.restore", function()
  local SAVED = STATE .. [[
    local state = { step = 3, flag = true, text = "x\0y", wide = 9007199254740993LL, list = { 1, { 2 } },
      random = cuda.random.Generator(3):get_state(), points = points, empty = gpuarray.zeros { 0, 3 },
      layers = { { w = gpuarray.linspace(0, 1, 300000) }, { w = ndarray.array { 1, 2, 3 } } },
      ["x y"] = gpuarray.full({}, 7), ["x_y"] = gpuarray.full({ 2 }, 8) }
    for axis = 1, 3 do state["axis" .. axis] = share(points, axis) end
    state.whole = require("cudalua.distributed.array.sharded").new(world, points:copy(), { 3, 5, 7 }, nil)
  ]]
  local CHECKED = STATE .. [[
    local state, own = dist.restore(folder .. "/c")
    same(3, state.step, "step") same(true, state.flag, "flag") same("x\0y", state.text, "text")
    same(9007199254740993LL, state.wide, "wide") same(2, state.list[2][1], "list")
    same(cuda.random.Generator(3):get_state(), state.random, "random")
    same(true, gpuarray.array_equal(points, state.points), "points")
    same("int16", state.points.dtype.name, "dtype") same(0, state.empty.size, "empty")
    same(true, gpuarray.array_equal(gpuarray.linspace(0, 1, 300000), state.layers[1].w), "w")
    same(true, ndarray.is_array(state.layers[2].w), "a host array") same(3, state.layers[2].w[3], "its element")
    same(7, state["x y"]:item(), "0-d") same(8, state.x_y[2], "x_y")
    for axis = 1, 3 do check_share(state["axis" .. axis], points, axis, "axis " .. axis) end
    same(nil, state.whole.axis, "no axis")
    same(true, gpuarray.array_equal(points, state.whole.block), "what all ranks have")
  ]]

  it("keep tables, values, arrays and blocks, for any number of ranks", function()
    for n = 1, 3 do
      all_fine(n, SAVED .. [[
        same(folder .. "/c.1", dist.checkpoint(folder .. "/c", state, { own = { rank = rank,
          a = ndarray.array { rank } } }), "the folder")
      ]])
      for m = 1, 4 do
        all_fine(m, CHECKED .. ([[
          if size == %d then
            same(rank, own.rank, "own") same(rank, own.a[1], "an array of its own")
          else
            same(nil, own, "own of other ranks")
          end
        ]]):format(n))
      end
      core.remove_folder(folder .. "/c.1")
    end
  end)

  it("give nil without a checkpoint, keep the two newest, and remove what was not finished", function()
    all_fine(2, [[
      same(nil, dist.restore(folder .. "/c"), "none")
      for k = 1, 4 do dist.checkpoint(folder .. "/c", { k = k, a = gpuarray.full({ 3 }, k) }) end
      same(4, dist.restore(folder .. "/c").k, "the newest")
      if rank == 0 then
        cuda.distributed.checkpoint(folder .. "/other", { k = 9 }, { group = world:group { 0 } })
      else
        world:group { 0 }
      end
    ]])
    assert.equal("c.3 c.4 other.1", names())
    for _, name in ipairs { "c.5.tmp", "c.2.old", "c.x", "cc.9" } do
      assert(core.create_folder(folder .. "/" .. name))
    end
    write(folder .. "/c.5.tmp/state", "half")
    all_fine(1, [[
      same(4, dist.restore(folder .. "/c").k, "the newest")
      dist.checkpoint(folder .. "/c", { k = 5 })
      same(5, dist.restore(folder .. "/c").k, "the newest")
    ]])
    assert.equal("c.4 c.5 c.x cc.9 other.1", names())
  end)

  it("find damage, and go back to the checkpoint before", function()
    local function make()
      all_fine(2, STATE .. [[
        for k = 1, 2 do
          dist.checkpoint(folder .. "/c", { k = k, a = share(gpuarray.arange(300000, "float64") + k, 1), b = points })
        end
      ]])
    end
    local look = STATE .. [[
      local said
      cuda.on_notice = function(text) said = text end
      local state = dist.restore(folder .. "/c")
      same(1, state.k, "the number")
      check_share(state.a, gpuarray.arange(300000, "float64") + 1, 1, "the array")
      if rank == 0 then io.write(said, "\n") else same(nil, said, "a notice of another rank") end
    ]]
    local function flip(name, at)
      local path = folder .. "/c.2/" .. name
      local text = content(path)
      at = at < 0 and #text + 1 + at or at
      write(path, text:sub(1, at - 1) .. string.char((text:byte(at) + 1) % 256) .. text:sub(at + 1))
    end
    for text, damage in pairs {
      ["a.npy is damaged: the checksum of its bytes from 0 on is wrong"] = function() flip("a.npy", 9000) end,
      ["a.npy is damaged: the checksum of its bytes from 2097152 on is wrong"] = function() flip("a.npy", -1) end,
      ["state is damaged"] = function() flip("state", 3) end,
      ["manifest is damaged"] = function() flip("manifest", 30) end,
      ["cannot read"] = function() os.remove(folder .. "/c.2/manifest") end,
      ["cannot read " .. folder .. "/c.2/b.npy"] = function() os.remove(folder .. "/c.2/b.npy") end,
      ["a.npy is truncated"] = function()
        local path = folder .. "/c.2/a.npy"
        write(path, content(path):sub(1, -100))
      end,
    } do
      make()
      damage()
      local out = all_fine(3, look)
      assert.truthy(out:find(text, 1, true) and out:find("c.1 was restored", 1, true), text .. ":\n" .. out)
      assert.falsy(out:find("cudalua: cudalua:", 1, true), out)
      for k = 1, 3 do core.remove_folder(folder .. "/c." .. k) end
    end
    make()
    flip("state", 1)
    os.remove(folder .. "/c.1/state")
    all_fine(2, [[raises("RuntimeError", "no checkpoint can be read: ", dist.restore, folder .. "/c")]])
  end)

  it("raise on all ranks for states that cannot be saved", function()
    all_fine(2, [[
      local path, a = folder .. "/c", gpuarray.ones(3)
      local function refused(class, text, state, options)
        raises(class, text, dist.checkpoint, path, state, options)
        world:barrier()
      end
      refused("LogicError", "state.f is a function", rank == 1 and { f = print } or { f = 1 })
      refused("LogicError", "own[1] is a userdata", {}, rank == 1 and { own = { io.stdout } } or nil)
      local loop = {}
      loop.again = loop
      refused("LogicError", "contains itself", loop)
      refused("LogicError", "state must be a table", a)
      refused("LogicError", "state.gen is a table with a metatable", { gen = cuda.random.Generator(1) })
      refused("LogicError", "on rank 0, state.b[2] is float32 (2,), but on rank 1, state.b[2] is float32 (3,); give",
        { a = a, b = { a, gpuarray.ones(2 + rank) } })
      refused("LogicError", "on rank 0, state.b is float32 (3,), but on rank 1, the state has no further array",
        { a = a, b = rank == 0 and a or nil })
      refused("LogicError", "on rank 0, state.x is float32 (3,), but on rank 1, state.y is float32 (3,)",
        { [rank == 0 and "x" or "y"] = a })
      refused("LogicError", "on rank 0, state.a is float32 (6,), but on rank 1, state.a is float32 (6,) along axis 1",
        { a = rank == 0 and gpuarray.ones(6) or dist.ones(6) })
      refused("LogicError", "state.a differs between ranks: at [1] it is 0 on rank 0 and 1 on rank 1; make it equal on "
        .. "all ranks, for example with world:broadcast(a), or divide it with cuda.distributed.shard(a), or pass it in "
        .. "the option own", { a = gpuarray.arange(3) + rank })
      local m = gpuarray.zeros { 20, 30 }
      if rank == 1 then m[{ { 7 }, { 9 } }]:fill(2.5) end
      refused("LogicError", "state.layers[2].w differs between ranks: at [7][9] it is 0 on rank 0 and 2.5 on rank 1;",
        { layers = { { w = a }, { w = m } } })
      refused("LogicError", "state.s differs between ranks: it is false on rank 0 and true on rank 1;",
        { s = ndarray.array(rank == 1, "bool") })
      raises("RuntimeError", "Not a directory", dist.checkpoint, "/dev/null/none/c", {})
      raises("LogicError", "the path ends with '/'", dist.checkpoint, folder .. "/", {})
      raises("LogicError", "path must be", dist.restore, rank)
      dist.checkpoint(path, { other = rank })
      same(0, dist.restore(path).other, "a value of rank 0")
    ]])
  end)

  it("come to the same bits when a rank is killed at any moment", function()
    local function train(name, more)
      local program = "sh bin/cudalua run -n 2 spec/support/training.lua"
      return ranks.command(("%s CUDALUA_DIST_TIMEOUT=20 %s %s/%s %s"):format(gpu.driver, program, folder, name,
        more or ""))
    end
    local out, status = train "whole"
    assert.equal(0, status, out)
    local seconds = tonumber(out:match "%[0%] (%d+%.%d+)")
    local moments, killed = turn.partial and 4 or gpu.soft and 50 or 10, 0 -- on a GPU, each start takes seconds
    for k = 1, moments do
      local delay = math.floor(seconds * 1e6 * (k - math.random()) / moments)
      out, status = train("killed", k % 2 .. " " .. delay)
      if status ~= 0 then
        killed = killed + 1
        assert.equal(137, status, out)
        out, status = train "killed"
        assert.equal(0, status, out)
      end
      for _, what in ipairs { ".weights.npy", ".moments.npy" } do
        local expected, got = content(folder .. "/whole" .. what), content(folder .. "/killed" .. what)
        assert.equal(expected, got, "after " .. delay .. " us")
      end
      -- A kill behind the last checkpoint may leave the one that was about to be removed.
      local left = names():gsub("killed%.6%.old ", ""):gsub("killed%.6 ", "")
      assert.equal("killed.7 killed.8 killed.moments.npy killed.weights.npy whole.7 whole.8 whole.moments.npy " ..
        "whole.weights.npy", left)
      core.remove_folder(folder .. "/killed.6")
      core.remove_folder(folder .. "/killed.6.old")
      for number = 7, 8 do core.remove_folder(folder .. "/killed." .. number) end
    end
    assert.is_true(killed >= moments / 4, killed .. " of " .. moments .. " were killed before their end")
  end)
end)
