-- Records what a GPU computes for the corpus, and compares the software device with it on this machine:
--
--   ./dev run spec/data/differential/record.lua OUTDIR      writes OUTDIR/golden.txt and OUTDIR/report.txt
--   ./dev run spec/data/differential/record.lua --show NAME prints a kernel's source
--
-- The corpus is compiled once, to PTX. Each driver runs it in processes of its own, so that a kernel that a driver
-- takes badly costs no more than itself. golden.txt replaces the one beside this file.
local here = arg[0]:match "^(.*)/spec/data/differential/[^/]+$" or "."
package.path = here .. "/?.lua;" .. package.path

local ffi = require "ffi"
local cuda = require "cudalua"
local compare = require "spec.softgpu.differential.compare"
local golden = require "spec.softgpu.differential.golden"
local runner = require "spec.softgpu.differential.runner"
local corpus = runner.corpus

-- ---- one driver, in a process of its own: record.lua --worker FOLDER FILE FROM ---------------------------------

local function worker(folder, path, from)
  local file = assert(io.open(path, "ab"))
  cuda.init()
  local device = cuda.Device(0)
  local context = device:retain_primary_context()
  context:push()
  if from == 1 then
    local major, minor = device:compute_capability()
    file:write(("device %s, compute capability %d.%d, driver %d\n"):format(device:name(), major, minor,
      cuda.get_driver_version()))
  end
  local number = 0
  for _, module in ipairs(corpus.modules()) do
    local kernels = {}
    for _, kernel in ipairs(module.kernels) do
      number = number + 1
      if number >= from then kernels[#kernels + 1] = kernel end
    end
    if #kernels > 0 then
      local ptx = assert(io.open(folder .. "/" .. module.name .. ".ptx", "rb"))
      runner.run(ptx:read "*a", kernels, function(kernel, words, why)
        if words then
          file:write("result ", kernel.name, " ", kernel.words, "\n", ffi.string(words, kernel.words * 4), "\n")
        else
          file:write("error ", kernel.name, " ", (tostring(why):gsub("%s*\n%s*", " | ")), "\n")
        end
        file:flush()
        if why and pcall(context.synchronize, context) == false then os.exit(3, false) end
      end)
      ptx:close()
    end
  end
  file:close()
end

if arg[1] == "--worker" then
  worker(arg[2], arg[3], tonumber(arg[4]))
  os.exit(0)
elseif arg[1] == "--show" then
  corpus.kernels()
  print(assert(corpus.by_name[arg[2]], "there is no such kernel").source)
  os.exit(0)
end

-- ---- all of it -------------------------------------------------------------------------------------------------

local out = assert(arg[1], "record.lua OUTDIR")
assert(os.execute(("mkdir -p '%s'"):format(out)))
local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir " .. folder))
local report = assert(io.open(out .. "/report.txt", "w"))
local function say(...)
  local text = string.format(...)
  print(text)
  report:write(text, "\n")
  report:flush()
end

local started = os.time()
local function seconds() return os.time() - started end
local modules, ptx_of, order = corpus.modules(), {}, {}
local failed = 0
for _, module in ipairs(modules) do
  local ok, ptx = pcall(runner.compile, module)
  if not ok then
    say("does not compile: %s: %s", module.name, tostring(ptx))
    failed, ptx = failed + 1, ""
  end
  local file = assert(io.open(folder .. "/" .. module.name .. ".ptx", "wb"))
  file:write(ptx)
  file:close()
  for _, kernel in ipairs(module.kernels) do
    ptx_of[kernel] = ptx
    order[#order + 1] = kernel
  end
end
say("%d kernels in %d modules; compiled after %d s", #order, #modules, seconds())

local function read(path)
  local results, device, last = {}, "?", 0
  local file = io.open(path, "rb")
  while file do
    local line = file:read "*l"
    if not line then break end
    local word, name, rest = line:match "^(%S+) (%S+) ?(.*)$"
    if word == "device" then device = name .. " " .. rest end
    if word == "result" then
      local bytes = file:read(tonumber(rest) * 4)
      if not bytes or #bytes < tonumber(rest) * 4 then break end
      file:read(1)
      results[name] = { bytes = bytes, words = ffi.cast("const uint32_t *", bytes) }
      last = last + 1
    elseif word == "error" then
      results[name] = { why = rest }
      last = last + 1
    end
  end
  if file then file:close() end
  return results, device, last
end

local function run(driver)
  local path = folder .. "/" .. driver
  local from, deaths = 1, 0
  while from <= #order and deaths < 10 do
    os.execute(("CUDALUA_DRIVER=%s CUDALUA_SOFT_TIMEOUT=20 timeout 120 luajit "
      .. "%s/spec/data/differential/record.lua --worker %s %s %d")
      :format(driver, here, folder, path, from))
    local results, device, done = read(path)
    if done >= #order then return results, device end
    deaths = deaths + 1
    if done < from then -- it ended without a word
      local name = order[from].name
      local file = assert(io.open(path, "ab"))
      file:write("error ", name, " the process ended\n")
      file:close()
      done = from
    end
    from = done + 1
  end
  return read(path)
end

local driver = os.getenv "CUDALUA_DRIVER" or "cuda"
local wanted, device = run(driver)
say("%s: done after %d s", device, seconds())
local got = run "soft"
say("software device: done after %d s", seconds())

local nvrtc = require("cudalua.compiler").nvrtc()
device = ("%s, NVRTC %d.%d"):format(device, nvrtc.major, nvrtc.minor)
golden.write(out .. "/golden.txt", device, wanted, function(kernel) return ptx_of[kernel] end)

local kernels, rows, exact, within, wrong, known, same_bits = 0, 0, 0, 0, 0, 0, 0
local worst = {}
for _, kernel in ipairs(order) do
  local a, b = wanted[kernel.name] or { why = "not run" }, got[kernel.name] or { why = "not run" }
  if not a.words then say("GPU: %s: %s", kernel.name, a.why) end
  if not b.words then say("software device: %s: %s", kernel.name, b.why) end
  if a.words and b.words then
    kernels = kernels + 1
    for _, row in ipairs(kernel.rows) do
      rows = rows + 1
      local want, have = compare.start(kernel, row, a.words), compare.start(kernel, row, b.words)
      local result = compare.row(kernel, row, want, have)
      local n = row.words
      if row.differs then
        known = known + 1
        say("known to differ (%d of %d lanes): %s, %s: %s", result.count, kernel.lanes, kernel.name, row.label,
          row.differs)
      elseif result.count > 0 then
        wrong = wrong + 1
        say("DIFFERS in %d of %d lanes: %s", result.count, kernel.lanes,
          compare.describe(kernel, row, result.first, want + n * result.first, have + n * result.first))
        local shown = 1
        for lane = result.first + 1, kernel.lanes - 1 do
          local bad = want[n * lane] ~= have[n * lane] or (n == 2 and want[2 * lane + 1] ~= have[2 * lane + 1])
          if bad and shown < 6 then
            shown = shown + 1
            say("    %s", compare.describe(kernel, row, lane, want + n * lane, have + n * lane))
          end
        end
      elseif row.bound then within = within + 1
      else exact = exact + 1 end
      if row.bound then
        if result.worst == 0 then same_bits = same_bits + 1 end
        worst[#worst + 1] = ("%-28s %-12s %.3f of %s"):format(kernel.name, row.label, result.worst, row.bound)
      end
    end
  end
end
for name, why in pairs(corpus.pending) do say("pending: %s: %s", name, why) end
say("\nhow far approximate results are off, as a part of what the bound allows:")
for _, line in ipairs(worst) do say("  %s", line) end
say("\n%d of %d kernels run by both: %d results bit-equal, %d within bounds (%d of them equal), "
  .. "%d known to differ, %d of %d differ", kernels, #order, exact, within, same_bits, known, wrong, rows)
say("after %d s; %s/golden.txt is for spec/data/differential/", seconds(), out)
report:close()
os.execute("rm -rf " .. folder)
os.exit((failed > 0 or wrong > 0 or kernels < #order) and 1 or 0)
