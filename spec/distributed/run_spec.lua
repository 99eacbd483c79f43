-- The launcher, `cudalua run`: arguments, output, signals, ends.
local ranks = require "spec.support.ranks"
local gpu = require "spec.support.gpu"

-- Runs a program of the launcher in the background; code_of_shell has its number as $run, and runs when each rank has
-- made a file named arg[1] and its number.
local function beside(n, code, code_of_shell)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(code)
  file:close()
  local command = "%s sh bin/cudalua run -n %d %s %s. & run=$!; until [ -e %s.%d ]; do sleep 0.1; done; %s; wait $run"
  local out, status = ranks.command(command:format(gpu.driver, n, path, path, path, n - 1, code_of_shell))
  os.remove(path)
  for rank = 0, n - 1 do os.remove(path .. "." .. rank) end
  return out, status
end

local function plain(arguments, input)
  return ranks.command(("%s sh bin/cudalua run %s"):format(input and input .. " |" or "", arguments))
end

-- A zombie has ended; perhaps there is no process that takes note of it.
local function is_running(pid)
  local file = io.open("/proc/" .. pid .. "/stat")
  local state = file and file:read("*a"):match "%) (%a)"
  if file then file:close() end
  return state ~= nil and state ~= "Z" and state ~= "X"
end

describe("cudalua run", function()
  it("tells what is wrong with its arguments", function()
    for arguments, text in pairs { [""] = "-n N must come first", ["x.lua"] = "-n N must come first",
      ["-n"] = "from 1 to 64, got ''", ["-n 0 x.lua"] = "got '0'", ["-n 65 x.lua"] = "got '65'",
      ["-n2.5 x.lua"] = "got '2.5'", ["-n two x.lua"] = "got 'two'",
      ["-np two x.lua"] = "-np must be followed by a number from 1 to 64, got 'two'",
      ["-n 2"] = "the script is missing", ["-n 2 --grace 1"] = "the script is missing",
      ["-n 2 --grace"] = "--grace must be followed by seconds from 0 to 86400, got ''",
      ["-n 2 --grace=-1 x.lua"] = "got '-1'", ["-n 2 --grace 86401 x.lua"] = "got '86401'" } do
      local out, status = plain(arguments)
      assert.equal(1, status, out)
      assert.truthy(out:find("cudalua: run: ", 1, true) and out:find(text, 1, true), out)
      assert.truthy(out:find("usage: cudalua run -n N", 1, true), out)
    end
    local out, status = plain "--help"
    assert.truthy(out:find "^usage: cudalua run %-n N")
    assert.equal(0, status)
    out, status = ranks.command "sh bin/cudalua -n 2 x.lua 1"
    assert.equal("cudalua: -n is an option of cudalua run: cudalua run -n 2 x.lua 1\n", out)
    assert.equal(1, status)
    out, status = ranks.command "sh bin/cudalua -i run -n 2 x.lua"
    assert.truthy(out:find("run must come before its options", 1, true), out)
    assert.equal(1, status)
  end)

  it("gives the others time after an error", function()
    local code = [[
      if rank == 1 then error("boom", 0) end
      ffi.cdef "int usleep(unsigned us);"
      pcall(world.barrier, world)
      for _ = 1, 2 * arg[1] do ffi.C.usleep(500000) end
      print "saved"
    ]]
    -- With the short grace, rank 0 is ended long before it prints, even if rank 1 takes seconds to end.
    for grace, saved in pairs { [20] = true, [0.3] = false } do
      local out, status = ranks.run(2, ranks.prelude .. code, { grace = grace, arguments = saved and "3" or "30" })
      assert.equal(saved, out:find("[0] saved\n", 1, true) ~= nil, out)
      assert.equal(1, status, out)
    end
  end)

  it("passes options and arguments on, and numbers the ranks", function()
    local out, status = plain [[-n 2 -e 'local e = os.getenv; print(e "CUDALUA_RANK", e "CUDALUA_SIZE",
      e "CUDALUA_LOCAL_RANK", e "CUDALUA_LOCAL_SIZE", e "NCCL_NVLS_ENABLE")']]
    assert.equal(0, status, out)
    for rank = 0, 1 do assert.truthy(out:find(("[%d] %d\t2\t%d\t2\t0\n"):format(rank, rank, rank), 1, true), out) end
    out, status = ranks.run(2, "print(#arg, arg[1], arg[2], ...)", { arguments = "'a b' c", environment =
      "NCCL_NVLS_ENABLE=1" })
    assert.equal(0, status, out)
    assert.equal(2, select(2, out:gsub("%] 2\ta b\tc\ta b\tc\n", "")), out)
    out = ranks.command "NCCL_NVLS_ENABLE=1 sh bin/cudalua run -n1 -e 'print(os.getenv \"NCCL_NVLS_ENABLE\")'"
    assert.equal("[0] 1\n", out)
    assert.equal("[0] 1\n", (plain [[-np 1 -e 'print(os.getenv "CUDALUA_SIZE")']]))
  end)

  it("a program that does not compile, and one that is not there", function()
    local out, status = ranks.run(2, "x = = 1")
    assert.equal(1, status)
    assert.truthy(out:find "%[0%] cudalua: program.lua:1: unexpected symbol" and out:find "%[1%] ", out)
    assert.truthy(out:find "\ncudalua: rank %d failed: program.lua:1: unexpected symbol[^\n]*\n$", out)
    out, status = plain "-n 2 /nowhere/x.lua"
    assert.equal(1, status)
    assert.truthy(out:find("[0] cudalua: cannot open /nowhere/x.lua", 1, true), out)
    assert.truthy(out:find "\ncudalua: rank %d failed: cannot open /nowhere/x.lua[^\n]*\n$", out)
  end)

  it("relays whole lines, long ones, and ends without a newline", function()
    local out, status = ranks.run(3, [[
      local rank = os.getenv "CUDALUA_RANK"
      for i = 1, 2000 do print((rank):rep(i % 90) .. ";" .. i) end
      io.stdout:write(("z"):rep(200000), "\nend", rank)
    ]])
    assert.equal(0, status)
    local by_rank = ranks.by_rank(out)
    for rank = 0, 2 do
      local lines = by_rank[rank]
      for i = 1, 2000 do assert.equal(tostring(rank):rep(i % 90) .. ";" .. i, lines[i]) end
      assert.equal("end" .. rank, lines[#lines])
      assert.equal(("z"):rep(200000), table.concat(lines, "", 2001, #lines - 1))
    end
  end)

  it("gives its input to rank 0", function()
    local out = plain("-n 3 -e 'print(io.read \"*a\")'", "printf 'one\\ntwo'")
    assert.truthy(out:find "%[0%] one\n", out)
    assert.truthy(out:find "%[0%] two\n", out)
    assert.equal(1, select(2, out:gsub("one", "")))
    assert.truthy(out:find "%[1%] \n" and out:find "%[2%] \n", out)
  end)

  it("does not wait for programs that a rank has left running", function()
    local before = os.time()
    local out, status = plain [[-n 1 -e 'os.execute "sleep 20 &"; print "done"']]
    assert.equal("[0] done\n", out)
    assert.equal(0, status)
    assert.is_true(os.time() - before < 10)
  end)

  it("ends if nobody reads its output", function()
    local out = ranks.command "sh bin/cudalua run -n 2 -e 'while true do print(1) end' 2>/dev/null | head -n 1"
    assert.truthy(out:find "^%[%d%] 1\n$", out)
  end)

  it("serves signals while nobody reads its output", function()
    local out, status = ranks.command([[
      sh bin/cudalua run -n 2 -e 'while true do print(("x"):rep(99)) end' | (sleep 6) &
      for i in $(seq 100); do
      run=$(LD_PRELOAD= pgrep -n -f '[c]li.lua run -n 2 -e while true do print') && break; sleep 0.1; done; sleep 1
      kill -TERM $run; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
      kill -0 $run 2>/dev/null || break; sleep 0.1; done; kill -0 $run 2>/dev/null && echo alive || echo ended; wait]])
    assert.equal("ended\n", out)
    assert.equal(0, status)
  end)

  local waiting = [[
    local world = require("cudalua").distributed.init()
    print("pid", io.open("/proc/self/stat"):read "*l":match "^%d+")
    world:barrier()
    io.open(arg[1] .. world.rank, "w"):close()
    if world.rank == 0 then while true do end end
    world:barrier()
  ]]

  it("passes signals on, and its status is theirs", function()
    for number, name in pairs { [15] = "TERM", [2] = "INT", [1] = "HUP" } do
      local out, status = beside(2, waiting, "sleep 0.5; kill -" .. name .. " $run")
      assert.equal(128 + number, status, out)
      if number == 2 then assert.truthy(out:find("[1] cudalua: interrupted!", 1, true), out) end
      for pid in out:gmatch "pid\t(%d+)" do
        assert.is_false(is_running(pid), "rank " .. pid .. " is still running")
      end
      assert.equal(2, select(2, out:gsub("pid\t%d+", "")), out)
    end
  end)

  it("ends its ranks if it is killed", function()
    local out, status = beside(2, waiting, "sleep 0.5; kill -KILL $run")
    assert.equal(137, status, out)
    os.execute "sleep 0.2"
    local count = 0
    for pid in out:gmatch "pid\t(%d+)" do
      count = count + 1
      assert.is_false(is_running(pid), "rank " .. pid .. " is still running")
    end
    assert.equal(2, count, out)
  end)

  it("kills ranks that do not end", function()
    local out, status = ranks.run(2, [[
      local ffi = require "ffi"
      ffi.cdef "void (*signal(int number, void (*handler)(int)))(int);"
      ffi.C.signal(15, ffi.cast("void (*)(int)", 1))
      if os.getenv "CUDALUA_RANK" == "0" then error "first" end
      while true do end
    ]])
    assert.equal(1, status)
    assert.truthy(out:find "cudalua: rank 0 failed: program.lua:4: first\n$", out)
  end)
end)
