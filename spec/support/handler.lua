-- Busted output handler: one line per spec file, then the failures. With CUDALUA_REPORT=FILE it also leaves a
-- Lua table there for tools/report.lua: how many tests passed and failed, which were skipped, and which names
-- are proven. After a file, times are those of the clock and of the processor, the latter with child processes; a busy
-- machine changes it little. With -v it is there for each test.
-- A name (cuda.Device.count) is proven in a spec file when a test there whose full name (describe and it, joined)
-- contains it as a word passed with at least one luassert assertion.
local luassert = require "luassert"
local namespaces = require "luassert.namespaces"

local assertions = 0 -- made so far, in the whole run

-- The wrappers end in tail calls: they leave no stack frame behind, so that reported line numbers stay right.
local function counted(callback)
  return function(...)
    assertions = assertions + 1
    return callback(...)
  end
end

for _, assertion in pairs(namespaces.assertion) do assertion.callback = counted(assertion.callback) end
local register = luassert.register
function luassert:register(namespace, name, callback, ...)
  if namespace == "assertion" then callback = counted(callback) end
  return register(self, namespace, name, callback, ...)
end
local mt = getmetatable(luassert)
mt.__call = counted(mt.__call)

-- The processor time of this process and of the children it waited for, in seconds; fields 14 to 17 of proc(5)'s stat
-- are in ticks, which Linux reports as hundredths.
local function cpu_time()
  local file = io.open "/proc/self/stat"
  if not file then return os.clock() end
  local fields = file:read("*a"):match "%) (.*)"
  file:close()
  local at, sum = 2, 0
  for field in fields:gmatch "%S+" do
    at = at + 1
    if at >= 14 and at <= 17 then sum = sum + tonumber(field) / 100 end
  end
  return sum
end

local function indent(text) return (tostring(text):gsub("\n+$", ""):gsub("([^\n]+)", "    %1")) end

-- The words of a test's name that may be names of the library; a full stop at the end is not part of one.
local function each_name(text)
  return coroutine.wrap(function()
    for word in text:gmatch "[%a_][%w_%.:]*" do coroutine.yield((word:gsub("[%.:]+$", ""))) end
  end)
end

-- busted keeps the last function that a test gives to finally(). Here all of them run, the last one first, so that
-- several knobs of a test are put back.
local function keep_all(element)
  local env = element.env
  local set, list = env and rawget(env, "finally"), {}
  if not set then return end
  env.finally = function(f)
    list[#list + 1] = f
    set(function()
      local failed, err
      for i = #list, 1, -1 do
        local ok, why = pcall(list[i])
        if not ok and not failed then failed, err = true, why end
      end
      if failed then error(err, 0) end
    end)
  end
end

return function(options)
  local busted = require "busted"
  local handler = require "busted.outputHandlers.base"()
  local proven, before, test_began = {}, 0, 0
  local file = { name = "?", passed = 0, failed = 0, skipped = 0, began = 0 }

  local function spec_of(element)
    while element and element.descriptor ~= "file" do element = busted.parent(element) end
    return element and element.name:match "([^/]+)%.lua$" or "?"
  end

  function handler.fileStart(element)
    file = { name = element.name:gsub("^%./", ""), passed = 0, failed = 0, skipped = 0,
      began = cpu_time() }
    io.write(("%-36s"):format(file.name))
    if options.verbose then io.write "\n" end
    io.flush() -- so that a crash is seen to belong to this file
    return nil, true
  end

  function handler.fileEnd(element)
    local parts = { file.passed .. " passed" }
    if file.failed > 0 then parts[#parts + 1] = file.failed .. " FAILED" end
    if file.skipped > 0 then parts[#parts + 1] = file.skipped .. " skipped" end
    io.write(table.concat(parts, ", "), ("  %.1f s, CPU %.1f s\n"):format(element.duration or 0,
      cpu_time() - file.began))
    io.flush()
    return nil, true
  end

  function handler.testStart(element)
    before = assertions
    if options.verbose then
      io.write("  ", handler.getFullName(element), "\n")
      io.flush()
      test_began = cpu_time()
    end
    return nil, true
  end

  function handler.testEnd(element, _, status)
    local kind = status == "success" and "passed" or status == "pending" and "skipped" or "failed"
    file[kind] = file[kind] + 1
    if options.verbose then io.write(("    %s, CPU %.2f s\n"):format(kind, cpu_time() - test_began)) end
    if status == "success" and assertions > before then
      local spec = spec_of(element)
      for name in each_name(handler.getFullName(element)) do
        proven[name] = proven[name] or {}
        proven[name][spec] = true
      end
    end
    return nil, true
  end

  local function print_failures()
    local all = {}
    for _, failure in ipairs(handler.failures) do all[#all + 1] = failure end
    for _, failure in ipairs(handler.errors) do all[#all + 1] = failure end
    for _, failure in ipairs(all) do
      local trace = failure.element.trace
      local where = spec_of(failure.element)
      if trace and trace.short_src then where = trace.short_src .. ":" .. trace.currentline end
      io.write("\nFAILED ", where, ": ", failure.name, "\n", indent(failure.message), "\n")
      local traceback = failure.isError and failure.trace and failure.trace.traceback
      if traceback then io.write(indent(traceback:gsub("^\n", "")), "\n") end
    end
  end

  local function write_report(path)
    local out = assert(io.open(path, "w"))
    out:write(("return {\n  passed = %d, failed = %d,\n  skipped = {\n"):format(
      handler.successesCount, handler.failuresCount + handler.errorsCount))
    for _, pending in ipairs(handler.pendings) do
      out:write(("    %q,\n"):format(spec_of(pending.original) .. ": " .. pending.name))
    end
    out:write "  },\n  proven = {\n"
    for name, specs in pairs(proven) do
      for spec in pairs(specs) do out:write(("    [%q] = true,\n"):format(spec .. " " .. name)) end
    end
    out:write "  },\n}\n"
    out:close()
  end

  -- The base handler stores copies that have lost their place in the tree; a skipped test needs its file.
  local format = handler.format
  function handler.format(element, ...)
    local formatted = format(element, ...)
    formatted.original = element
    return formatted
  end

  function handler.suiteEnd()
    print_failures()
    local path = os.getenv "CUDALUA_REPORT"
    if path then write_report(path) end
    if not path then
      io.write(("\n%d passed, %d failed, %d skipped\n"):format(
        handler.successesCount, handler.failuresCount + handler.errorsCount, handler.pendingsCount))
      if handler.successesCount + handler.failuresCount + handler.errorsCount + handler.pendingsCount == 0 then
        io.stderr:write("no test ran: --filter is compared with the full names of tests, which -v prints\n")
        os.exit(1, true)
      end
    end
    return nil, true
  end

  busted.subscribe({ "file", "start" }, handler.fileStart)
  busted.subscribe({ "file", "end" }, handler.fileEnd)
  busted.subscribe({ "test", "start" }, handler.testStart)
  busted.subscribe({ "test", "start" }, function(element)
    keep_all(element)
    return nil, true
  end)
  busted.subscribe({ "test", "end" }, handler.testEnd)
  busted.subscribe({ "suite", "end" }, handler.suiteEnd)
  return handler
end
