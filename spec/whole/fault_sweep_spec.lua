-- Each driver call that an example makes fails once, with three kinds of error: the example completes, or ends with an
-- error that names the call; nothing is leaked, no dead handle is used, and the library works afterwards.
-- spec/support/faults.lua does it many times in one process; whole processes, with their start and their end, are
-- sampled. And each call that gives something back fails in a finalizer.
local gpu = require "spec.support.gpu"
local turn = require "spec.support.turn"

local HERE = io.popen("pwd"):read "*l"
-- Under a sanitizer a part of it, another one each time: what was left out last time may be tried now.
local sanitized = (os.getenv "LD_PRELOAD" or ""):find "san" ~= nil
local seed = tonumber(os.getenv "CUDALUA_FAULT_SEED") or os.time() % 1000
local examples = { { "01_multiply.lua" }, { "02_doublify.lua" }, { "03_image.lua", "in.ppm", "out.pgm" },
  { "04_streams.lua", "0.26" }, { "05_devices.lua" }, { "06_two_contexts.lua" } }

local folder
setup(function()
  folder = os.tmpname()
  os.remove(folder)
  os.execute("mkdir " .. folder .. " && luajit examples/make_image.lua " .. folder .. "/in.ppm 64 48 >/dev/null")
end)
teardown(function() os.execute("rm -rf " .. folder) end)

local function first_line(path)
  local file = io.open(path)
  local text = file and file:read "*l" or "?"
  if file then file:close() end
  return (text:gsub("%s+$", ""))
end

-- Lua code in the folder: what it printed, and its status as the shell has it.
local function process(code, environment, arguments)
  local file = assert(io.open(folder .. "/script.lua", "w"))
  file:write(code)
  file:close()
  local pipe = assert(io.popen(("cd %s && CUDALUA_DRIVER=soft CUDALUA_SOFT_REPORT=off %s timeout 300 luajit " ..
    "script.lua %s 2>&1 </dev/null; echo status $?"):format(folder, environment or "", arguments or "")))
  local out, status = pipe:read("*a"):match "^(.-)status (%d+)\n$"
  pipe:close()
  -- A fault that no later call of the program has raised is told when its context goes.
  return out and out:gsub("cudalua: a kernel failed that the program did not wait for.-\n  hint: [^\n]*\n", ""),
    tonumber(status)
end

describe("faults", function()
  for _, example in ipairs(examples) do
    it("in each driver call of " .. example[1], function()
      if not gpu.soft then return pending "needs failures made to order" end
      local step = turn.parts * (sanitized and 7 or 1)
      local out, status = process(([[arg = { [0] = "faults.lua", "%s", "at", "%d", "%d", "%s" }
        dofile "%s/spec/support/faults.lua"]]):format(HERE, step, seed, table.concat(example, '", "'), HERE))
      if status ~= 0 then out = "it died at " .. first_line(folder .. "/at") .. "\n" .. out end
      local calls, injections = out:match "^(%d+) calls, (%d+) injections, %d+ completed\n$"
      assert.truthy(calls, out)
      assert.is_true(tonumber(calls) > 50)
      assert.is_true(tonumber(injections) >= math.floor(calls / step) * 3)
    end)
  end

  -- Reductions, scans and their kin make hundreds of calls: a part of them each time, and with CUDALUA_ALL all.
  for _, program in ipairs(turn.share { "reduction", "scan", "sort", "unique", "counting", "random", "kernels",
    "textures" }) do
    it("in each driver call of a program: " .. program, function()
      if not gpu.soft then return pending "needs failures made to order" end
      local step = os.getenv "CUDALUA_ALL" and 1 or 70
      local out, status = process(([[arg = { [0] = "faults.lua", "%s", "at", "%d", "%d",
        "../spec/support/fault_programs.lua", "%s" }
        dofile "%s/spec/support/faults.lua"]]):format(HERE, step, seed, program, HERE))
      if status ~= 0 then out = "it died at " .. first_line(folder .. "/at") .. "\n" .. out end
      local calls, injections, completed = out:match "^(%d+) calls, (%d+) injections, (%d+) completed\n$"
      assert.truthy(calls, out)
      assert.is_true(tonumber(calls) > 100 and tonumber(injections) > 10, out)
      assert.is_true(tonumber(completed) < tonumber(injections), out)
    end)
  end

  it("in such programs when their kernels are there: the same context goes on", function()
    if not gpu.soft then return pending "needs failures made to order" end
    local out, status = process(([[
      package.path = "%s/?.lua;" .. package.path
      local cuda, softgpu = require "cudalua", require "cudalua.softgpu"
      cuda.on_notice = false
      cuda.init()
      cuda.Device(0):make_context()
      local programs, input = dofile "%s/spec/support/fault_programs.lua"
      local a, step, seed = input():eval(), %d, %d
      local function memory() -- without what pools keep, which goes when memory is short
        cuda.collect()
        softgpu.fail("cuMemAlloc_v2", 1, 2)
        cuda.mem_alloc(16):free()
        softgpu.fail_clear()
        return #softgpu.leaks()
      end
      -- What the driver refuses to destroy stays, whatever the library does. Nothing else may.
      local function refused(code)
        for _, call in ipairs(softgpu.calls()) do
          if call.result == code then
            return (call.symbol:find "Destroy" or call.symbol:find "Free" or call.symbol:find "Unload") and 1 or 0
          end
        end
        return 0
      end
      for _, program in pairs(programs) do -- what stays for the next time is made
        for _ = 1, 2 do program(a) end
      end
      local injections, raised = 0, 0
      for name, program in pairs(programs) do
        softgpu.control "calls clear"
        program(a)
        local calls = 0
        for count in softgpu.control("calls"):gmatch "%%S+ (%%d+)" do calls = calls + count end
        local before, kept = memory(), 0
        for k = 1 + seed %% step, calls, step do
          for _, code in ipairs { 2, 999 } do
            softgpu.log "clear"
            softgpu.log "on"
            softgpu.control(("fail any %%d %%d"):format(k, code))
            local ok, err = pcall(program, a)
            softgpu.fail_clear()
            softgpu.log "off"
            kept = kept + refused(code)
            injections, raised = injections + 1, raised + (ok and 0 or 1)
            if not ok and not cuda.is_error(err) then print(name, k, code, err) end
            ok, err = pcall(program, a)
            if not ok then print(("%%s, after call %%d answered %%d: %%s"):format(name, k, code, tostring(err))) end
          end
        end
        local more = memory() - before
        if more > kept then
          print(("%%s: %%d more objects, of which the driver refused to destroy %%d"):format(name, more, kept))
        end
      end
      print(injections, raised)
    ]]):format(HERE, HERE, os.getenv "CUDALUA_ALL" and 1 or sanitized and 30 or 9, seed))
    assert.equal(0, status, out)
    local injections, raised = out:match "^(%d+)\t(%d+)\n$"
    assert.truthy(injections, out)
    assert.is_true(tonumber(injections) > 20 and tonumber(raised) > 10, out)
  end)

  -- The last finalizer of the state, made before all of the library's, says what came of it.
  local whole = [[
    local last = newproxy(true)
    getmetatable(last).__gc = function()
      local core = require "cudalua.core"
      local ok, log = pcall(core.softgpu_control, "log")
      if not ok then return print "never started" end
      local failed
      local code = os.getenv("CUDALUA_SOFT_FAIL"):match ":(%d+)"
      for symbol, result in log:gmatch "%d+ (%S+) (%d+)[^\n]*" do
        if result == code then failed = failed or symbol end
      end
      local leaks = core.softgpu_control "leaks"
      print("failed " .. (failed or "none"))
      print("stale " .. core.softgpu_control("stats"):match "stale (%d+)")
      for line in leaks:gmatch "[^\n]+" do print("leak " .. line) end
    end
    KEEP = last
    dofile(table.remove(arg, 1))
  ]]

  it("in processes from their start to their end", function()
    if not gpu.soft then return pending "needs failures made to order" end
    math.randomseed(seed)
    local tried = {}
    for i = 1, sanitized and 15 or 60 do
      local example = examples[i % #examples + 1]
      local k, code = i <= 8 and i or math.random(1, 130), ({ "999", "2", "700:sticky" })[math.random(3)]
      local rule = ("any:%d:%s"):format(k, code)
      local out, status = process(whole, "CUDALUA_SOFT_LOG=on CUDALUA_SOFT_FAIL=" .. rule,
        HERE .. "/examples/" .. table.concat(example, " "))
      local what = ("%s %s, seed %d: %s"):format(example[1], rule, seed, out)
      assert.is_true(status == 0 or status == 1, what)
      local failed = out:match "\nfailed (%S+)" or "cu" -- before there is a log
      tried[failed] = true
      if status == 1 then
        assert.truthy(out:find((failed:gsub("_v%d$", "")), 1, true), what)
        assert.truthy(out:find "CUDA_ERROR" or out:find "fault injection", what)
      end
      assert.is_nil(out:match "stale [1-9]", what)
      -- A destroy that fails leaves what it was to destroy; "none" came after the log was read, at the very end.
      local destroys = failed == "none" or failed:find "Destroy" or failed:find "Free" or failed:find "Release" or
        failed:find "Unload" or failed:find "PopCurrent"
      if not code:find "sticky" and not destroys then
        assert.is_nil(out:match "leak [^\n]*", what)
      end
    end
    assert.truthy(next(tried, next(tried)))
  end)

  it("in each call that gives something back, in a finalizer", function()
    if not gpu.soft then return pending "needs failures made to order" end
    local out, status = process(([[
      package.path = "%s/?.lua;" .. package.path
      local cuda = require "cudalua"
      cuda.init()
      local core, softgpu, values = require "cudalua.core", require "cudalua.softgpu", require "spec.support.values"
      values.make.context = function()
        local ctx = values.dev:make_context()
        cuda.Context.pop()
        return ctx
      end
      values.owned.context = "detach"

      local function dropped(word, before)
        coroutine.wrap(function() values.make[word]() end)()
        before()
        local failed = core.failed_destroys()
        jit.flush()
        cuda.collect()
        cuda.Context.synchronize() -- gives back what could not be given back before
        cuda.collect()
        return core.failed_destroys() - failed
      end

      local n = 0
      for word in pairs(values.owned) do
        dropped(word, function() end) -- what stays for the next time is made
        dropped(word, function() softgpu.log "clear" softgpu.log "on" end)
        softgpu.log "off"
        local given_back = {}
        for _, call in ipairs(softgpu.calls()) do
          if call.symbol:find "Destroy" or call.symbol:find "Free" or call.symbol:find "Unload" or
            call.symbol:find "Unregister" then
            given_back[call.symbol] = true
          end
        end
        for symbol in pairs(given_back) do
          local leaks = #softgpu.leaks()
          local failures = dropped(word, function() softgpu.fail(symbol, 1, 999) end)
          softgpu.fail_clear()
          local more = #softgpu.leaks() - leaks
          if failures > 1 or more > failures and word ~= "context" then
            print(("%%s: %%s fails: counted %%d times, %%d more leaks"):format(word, symbol, failures, more))
          end
          n = n + 1
        end
        assert(softgpu.stats().stale == 0, word)
        assert(#cuda.mem_alloc(16) == 16)
      end
      print(n)
    ]]):format(HERE))
    assert.equal(0, status, out)
    assert.is_true((tonumber(out) or error(out)) >= 20)
  end)
end)
