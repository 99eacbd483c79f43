-- Programs on several devices beside one: the heat equation with halos, and data-parallel training. The examples run in
-- turn on one rank and on all, each in new processes.
--   ./dev bench scaling [RANKS [ROUNDS]]      default: 2 ranks, 3 rounds
local cuda = require "cudalua"

local ranks, rounds = tonumber(arg[1] or 2), tonumber(arg[2] or 3)
local device = cuda.Device(0):name() -- opens the driver
local soft = cuda.driver_info().soft

local programs = {
  { name = "heat", file = "examples/32_heat_equation.lua", arguments = soft and "256 10" or "16384 300" },
  { name = "training", file = "examples/33_data_parallel.lua", arguments = soft and "2000 50" or "4000000 50 256" },
}

-- Milliseconds of a step, as the example prints them.
local function step_of(program, n)
  local command = ("sh bin/cudalua run -n %d %s %s 2>&1"):format(n, program.file, program.arguments)
  local pipe = assert(io.popen(command))
  local text = pipe:read "*a"
  pipe:close()
  assert(text:find(n .. " ranks, all as expected", 1, true), text)
  return tonumber(text:match "steps of ([%d.]+) ms")
end

local function median(list)
  table.sort(list)
  return list[math.floor(#list / 2) + 1]
end

print(("%s, %d ranks"):format(device, ranks))
for _, program in ipairs(programs) do
  local one, all = {}, {}
  for r = 1, rounds do
    one[r], all[r] = step_of(program, 1), step_of(program, ranks)
  end
  local a, b = median(one), median(all)
  print(("%-9s %-16s  one %8.3f ms  %d ranks %8.3f ms  ratio %.3f"):format(program.name, program.arguments, a, ranks, b,
    a / b))
end
