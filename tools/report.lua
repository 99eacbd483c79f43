-- The end of a test run:  luajit tools/report.lua BUILD-FOLDER PART...
-- Adds up the C tests and the specs, of which each part, a process, left PART.lua (the report of handler.lua) and
-- PART.status (how it ended) in BUILD-FOLDER/parts; compares the skipped specs with spec/skipped.lua, checks the
-- contract (each of the two counts as one test) and prints `N passed, N failed, N skipped` as the last line.
package.path = "./?.lua;" .. package.path
local build = arg[1]
local passed, failed, skipped = 0, 0, 0

local function result(ok, title, problems)
  if ok then passed = passed + 1 else failed = failed + 1 end
  print(("%-36s%s"):format(title, ok and "passed" or "FAILED"))
  for _, problem in ipairs(problems or {}) do print("    " .. problem) end
end

-- A C test that prints TAP counts case by case, any other as one.
local function count_c_test(name, outcome, output)
  local ok, not_ok = 0, 0
  if outcome == "EXPECTEDFAIL" then return result(true, name) end -- it shows that another one can fail
  for line in output:gmatch "[^\n]+" do
    if line:match "^ok%f[%A]" then ok = ok + 1 elseif line:match "^not ok%f[%A]" then not_ok = not_ok + 1 end
  end
  if outcome == "SKIP" then
    skipped = skipped + 1
    print(("%-36sskipped"):format(name))
  elseif ok + not_ok == 0 or (outcome ~= "OK" and not_ok == 0) then
    passed = passed + ok
    result(outcome == "OK", name)
  else
    passed, failed = passed + ok, failed + not_ok
    print(("%-36s%d passed%s"):format(name, ok, not_ok > 0 and (", %d FAILED"):format(not_ok) or ""))
  end
end

local function count_c_tests()
  local log = io.open(build .. "/meson-logs/testlog.json")
  if not log then return result(false, "C tests", { "they did not run; see c-tests.log in the build folder" }) end
  for line in log:lines() do -- one JSON object each
    count_c_test("C test " .. line:match '"name": "(.-)"', line:match '"result": "(.-)"',
      (line:match '"stdout": "(.-)", "' or ""):gsub("\\n", "\n"))
  end
  log:close()
end

-- Does the run take a part of the specs only (tools/test.sh)? Then a test that is missing is no finding.
local partial = os.getenv "CUDALUA_SANITIZED" and (os.getenv "CUDALUA_TURN" or "all") ~= "all"

-- The list of specs that may be skipped is committed, one for each kind of driver, so that none gets lost.
local function check_skipped(actual)
  local driver = os.getenv "CUDALUA_DRIVER" or "soft"
  local kind = (driver == "soft" or driver:match "softgpu") and "soft" or "cuda"
  local lists, expected, problems, skipped_now = dofile "spec/skipped.lua", {}, {}, {}
  for _, name in ipairs(lists[kind]) do expected[name] = true end
  for _, name in ipairs(actual) do skipped_now[name] = true end
  -- Of a group, one is skipped: all have to be. A machine for CI has Mesa.
  for group, counts in pairs { one_gpu = kind == "cuda", no_gl = kind == "cuda" or not os.getenv "CI",
    no_language_server = true, no_browser = true, no_cmark = not os.getenv "CI",
    no_luv = not os.getenv "CI", no_tarantool = not os.getenv "CI" or os.getenv "CUDALUA_SANITIZED",
    no_mpi = not os.getenv "CI" } do
    local one = false
    for _, name in ipairs(lists[group]) do one = one or counts and skipped_now[name] and not expected[name] end
    for _, name in ipairs(one and lists[group] or {}) do expected[name] = true end
  end
  for _, name in ipairs(actual) do
    if not expected[name] then problems[#problems + 1] = "skipped, but not in spec/skipped.lua: " .. name end
    expected[name] = nil
  end
  if not partial then
    for name in pairs(expected) do problems[#problems + 1] = "in spec/skipped.lua, but not skipped: " .. name end
  end
  result(#problems == 0, ("skipped specs (%s)"):format(kind), problems)
end

-- What the parts report, as one report; nil if one of them did not come to its end. Each part that did not end well
-- counts as a test that failed: a leak or a crash in the last finalizers, too.
local function merged()
  local all, whole = { passed = 0, failed = 0, skipped = {}, proven = {} }, true
  for i = 2, #arg do
    local file = io.open(("%s/parts/%s.status"):format(build, arg[i]))
    local status = file and file:read "*n"
    if file then file:close() end
    local ok, report = pcall(dofile, ("%s/parts/%s.lua"):format(build, arg[i]))
    if ok then
      all.passed, all.failed = all.passed + report.passed, all.failed + report.failed
      for _, name in ipairs(report.skipped) do all.skipped[#all.skipped + 1] = name end
      for name in pairs(report.proven) do all.proven[name] = true end
      if report.failed == 0 and status ~= 0 then
        result(false, arg[i], { ("all of it passed, but it ended with status %s"):format(tostring(status)) })
      end
    else
      whole = false
      result(false, arg[i], { ("it ended early, with status %s"):format(tostring(status)) })
    end
  end
  passed, failed, skipped = passed + all.passed, failed + all.failed, skipped + #all.skipped
  return whole and all
end

print()
count_c_tests()
local report = merged()
if report then
  check_skipped(report.skipped)
  local problems, checked = require("tools.check_contract").check(not partial and report or nil)
  result(#problems == 0, ("contract (%d names)"):format(checked), problems)
end
print(("\n%d passed, %d failed, %d skipped"):format(passed, failed, skipped))
os.exit(failed == 0, true)
