-- Results that are computed along with a requested one (core/companions.lua): how many, how many of them nothing reads
-- (Q10 of docs/programs.md), and how many different kernels there are with and without them (Q11).
--   ./dev run bench/programs/companions.lua             the frozen programs, 100 times, with collections at random
--   ./dev run bench/programs/companions.lua examples    the examples of arrays
-- Each case runs in a process of its own.
local here, mode, name = "bench/programs/companions.lua", arg[1], arg[2]

-- Arguments that make the examples small.
local examples = {
  ["11_mandelbrot"] = "60 /dev/null", ["12_nbody"] = "50 10", ["13_heat"] = "40 200", ["15_black_scholes"] = "0.002",
  ["16_monte_carlo"] = "0.05", ["17_kmeans"] = "2000 4", ["19_prefix_select"] = "0.006", ["20_looking"] = "",
  ["24_training_graph"] = "", ["26_digits"] = "130", ["27_conjugate_gradient"] = "20", ["28_least_squares"] = "500",
  ["30_principal_components"] = "400",
}

local function ask(command)
  local pipe = io.popen(("%s %s %s 2>&1"):format(arg[-1] or "luajit", here, command))
  local text = pipe:read "*a"
  pipe:close()
  local title, launches, kinds, along, vain = text:match "([^\n]*): (%d+) (%d+) (%d+) (%d+)\n$"
  return assert(title, text), launches, kinds, along, vain
end

local function row(command)
  local title, launches, kinds, along, vain = ask(command)
  local _, launches_alone, kinds_alone = ask(command .. " alone")
  print(("| %s | %s | %s | %s | %s | %s | %s |"):format(title, along, vain, launches, launches_alone, kinds,
    kinds_alone))
  io.stdout:flush()
end

local head = "| results computed along | of them never read | launches | without | different kernels | without |"

if not mode or mode == "examples" then
  print("| program " .. head)
  print "| --- | --- | --- | --- | --- | --- | --- |"
end

if mode == nil then
  local main = dofile "bench/programs/main.lua"
  for _, reading in ipairs { "each", "first" } do
    for _, list in ipairs { main.names, main.pieces } do
      for _, each in ipairs(list) do row(("program %s %s"):format(each, reading)) end
    end
  end
  return
elseif mode == "examples" then
  local names = {}
  for each in pairs(examples) do names[#names + 1] = each end
  table.sort(names)
  for _, each in ipairs(names) do row("example " .. each) end
  return
end

local companions = require "cudalua.gpuarray.core.companions"
local cuda = require "cudalua"
local core = require "cudalua.core"
local habits = require "cudalua.gpuarray.core.habits"
local results = require "cudalua.gpuarray.core.results"
local runs = require "cudalua.gpuarray.core.run"

local beside, load = results.beside, runs.load
local taken, kernels, different = {}, {}, 0

function results.beside(x, list)
  local all = { unpack(list) }
  beside(x, list)
  for _, y in ipairs(all) do
    if not x._sig and y ~= x and not y._sig then taken[#taken + 1] = y end
  end
end

function runs.load(k, ...)
  if not kernels[k] then kernels[k], different = true, different + 1 end
  return load(k, ...)
end

local function unread()
  local n = 0
  for _, y in ipairs(taken) do n = n + (habits.is_unread(y) and 1 or 0) end
  return n
end

-- Runs f; returns what was launched, different kernels, results that were computed along, and those that nothing read.
local function count(f)
  taken, kernels, different = {}, {}, 0
  local before = core.launch_count()
  f()
  return core.launch_count() - before, different, #taken, unread()
end

local function say(title, f)
  if arg[#arg] == "alone" then companions.WINDOW, habits.FAR = 0, -1 end
  print(("%s: %d %d %d %d"):format(title, count(f)))
end

if mode == "program" then
  cuda.init()
  cuda.Device(0):retain_primary_context():push()
  local main = dofile "bench/programs/main.lua"
  local p = main.load(name)
  local given = main.arguments(p, p.small)
  local function repeated()
    math.randomseed(20261128)
    local left = 0
    local function collect()
      left = left - 1
      if left > 0 then return end
      left = math.random(20)
      collectgarbage()
    end
    debug.sethook(collect, "", 1000)
    for _ = 1, 100 do
      local got = { p.program(unpack(given, 1, given.n)) }
      for k = 1, arg[3] == "first" and 1 or #got do got[k]:get() end
    end
    debug.sethook()
  end
  say(("%s, %s read"):format(p.title, arg[3] == "first" and "first result" or "all results"), repeated)
elseif mode == "example" then
  local text = { [0] = ("examples/%s.lua"):format(name), [-1] = arg[-1] }
  for word in examples[name]:gmatch "%S+" do text[#text + 1] = word end
  local print_here, exit = print, os.exit
  local function run()
    arg, print, os.exit = text, function() end, function() end -- luacheck: ignore
    local write = io.write
    io.write = function() return io.stdout end -- luacheck: ignore
    local ok, err = pcall(dofile, text[0])
    print, os.exit, io.write = print_here, exit, write -- luacheck: ignore
    if not ok then error(err, 0) end
  end
  say(name, run)
end
