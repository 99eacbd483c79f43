-- Twelve programs, as users write them, and three pieces of others: bench/programs/, whose texts are frozen. Each runs
-- in a process of its own on a small size: its results are compared with loops on the host, and its launches counted.
-- On a GPU, each is then timed on its large size beside the same program of PyTorch, of PyTorch with torch.compile()
-- and of CuPy, as their users write it.
--   ./dev bench programs [ROUNDS [NAME...]]
-- Rounds take turns; times are medians, between events. "first" is the first call in a process, with nothing compiled
-- before. The tables are for bench/RESULTS.md.
--   programs/peers.py   the peers
local ffi = require "ffi"
ffi.cdef "int setenv(const char *name, const char *value, int overwrite);"

local folder = os.tmpname()
os.remove(folder)
ffi.C.setenv("CUDALUA_CACHE_DIR", folder, 1) -- so that first calls compile; before the library is loaded
ffi.C.setenv("TORCHINDUCTOR_CACHE_DIR", folder .. "-torch", 1)

local main = dofile "bench/programs/main.lua"
local only = arg[2] and {}
for k = 2, #arg do only[arg[k] ] = true end

local function each(f)
  for _, list in ipairs { main.names, main.pieces } do
    for _, name in ipairs(list) do
      if not only or only[name] then f(name) end
    end
  end
end

-- ---- launches -------------------------------------------------------------------------------------------------------

print "| program | launches, results together | one after the other | kernels compiled | elements compared |"
print "| --- | --- | --- | --- | --- |"
each(function(name)
  local pipe = io.popen(("CUDALUA_CACHE_DIR=%s-counts %s bench/programs/%s.lua 2>&1"):format(folder,
    arg[-1] or "luajit", name))
  local text = pipe:read "*a"
  io.write(text)
  assert(text:find "|\n$", name .. " failed")
  pipe:close()
end)

local function remove() os.execute(("rm -rf %s %s-torch %s-counts"):format(folder, folder, folder)) end

local start = dofile "bench/common/start.lua"(5)
local cuda, device, rounds = start.cuda, start.device, start.rounds
if start.tiny then return remove() end

-- ---- times ----------------------------------------------------------------------------------------------------------

local process = dofile "bench/common/process.lua"
local report = dofile "bench/common/report.lua"
local begun, ended = cuda.Event(), cuda.Event()
local peers = {}
for _, name in ipairs { "torch", "compile", "cupy" } do
  peers[name] = process.start("python3 bench/programs/peers.py " .. name)
end
for name, p in pairs(peers) do
  if not process.connect(p) then
    process.stop(p)
    peers[name] = nil
  end
end

local function ask(name, ...) return peers[name] and process.ask(peers[name], ...) end

print(("\n%s, PyTorch %s, CuPy %s, driver %d; microseconds of a call\n"):format(start.dev:name(),
  peers.torch and peers.torch.greeting or "-", peers.cupy and peers.cupy.greeting or "-", cuda.get_driver_version()))
print("| program | cudalua | PyTorch | torch.compile | CuPy | best of the others / cudalua | first call of cudalua, ms "
  .. "| of torch.compile, ms |")
print "| --- | --- | --- | --- | --- | --- | --- | --- |"

local function cell(x, format) return x and (format or "%.4g"):format(x) or "-" end

-- Calls a program, as `./dev bench` does: its results are computed together, and left to the collector.
local function call(p, given)
  local results = { p.program(unpack(given, 1, given.n)) }
  cuda.gpuarray.eval(unpack(results))
end

each(function(name)
  local p = main.load(name)
  local given = main.arguments(p, p.large)
  cuda.Context.synchronize()
  begun:record() -- in an idle stream: now
  call(p, given)
  ended:record()
  ended:synchronize()
  local first = ended:time_since(begun)
  ask("torch", "first", name)
  ask("cupy", "first", name)
  local compiled = ask("compile", "first", name)
  local one = device(function() call(p, given) end, 1)
  local launches = math.max(3, math.min(100, math.floor(2e5 / one)))
  local forms = { { "ours", function() return device(function() call(p, given) end, launches) end } }
  for _, peer in ipairs { "torch", "compile", "cupy" } do
    if peer ~= "compile" or compiled then
      forms[#forms + 1] = { peer, function() return (ask(peer, "device", name, launches)) end }
    end
  end
  local times = report.turns(rounds, forms)
  local ours, best, ratio = (report.median(times.ours)), nil, nil
  for _, peer in ipairs { "torch", "compile", "cupy" } do
    local list = times[peer]
    local middle = list and report.median(list)
    if middle and (not best or middle < best) then
      best, ratio = middle, #list == #times.ours and report.ratio(list, times.ours) or middle / ours
    end
  end
  print(("| %s | %s | %s | %s | %s | %s | %s | %s |"):format(p.title, cell(ours), cell(times.torch and
    report.median(times.torch)), cell(times.compile and report.median(times.compile)), cell(times.cupy and
    report.median(times.cupy)), cell(ratio, "%.2f"), cell(first, "%.0f"), cell(compiled and compiled * 1e3, "%.0f")))
  io.stdout:flush()
  collectgarbage()
  collectgarbage()
  cuda.Context.synchronize()
end)

for _, p in pairs(peers) do process.stop(p) end
remove()
print(("\nprograms: %d s"):format(start.seconds()))
