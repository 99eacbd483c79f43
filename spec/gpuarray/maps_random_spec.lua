-- Random programs of rolls, borders, repetitions, joined arrays and operations, with writes, evaluations, releases and
-- collections between, against loops on the host (spec/support/moved.lua). CUDALUA_GRAPHS=n runs so many, CUDALUA_SEED
-- others.
local gpu = require "spec.support.gpu"
local knob = require "spec.support.knob"
local moved = require "spec.support.moved"
local plan = require "cudalua.gpuarray.core.plan"
local gpuarray = require "cudalua.gpuarray"

local PROGRAMS = tonumber(os.getenv "CUDALUA_GRAPHS") or gpu.sanitized and 20 or 200
local SEED = tonumber(os.getenv "CUDALUA_SEED") or 20261128
local MOST = 300 -- elements

local function flat(x)
  local list, host = {}, x:get()
  host = host:copy():reshape(-1)
  for i = 1, host.size do list[i] = tonumber(host[i]) end
  return list
end

local function same(what, host, x)
  assert.same(host.shape, x.shape, what)
  local own = flat(x)
  for i = 1, #host do
    if own[i] ~= host[i] then
      error(("%s: element %d of (%s) is %s, not %s"):format(what, i, table.concat(host.shape, ", "), own[i],
        host[i]), 0)
    end
  end
end

-- A program: variables with an array of the device and one of the host.
local Program = {}
Program.__index = Program

function Program:random(low, high) return self.numbers(low, high) end

function Program:add(x, host, text)
  if #host > MOST or #host.shape > 4 then return end
  self.text[#self.text + 1] = text
  self.variables[#self.variables + 1] = { x = x, host = host, operation = text == "operation" }
end

function Program:pick() return self.variables[self:random(1, #self.variables)] end

local maps = {}

function maps.roll(p, v)
  local host, axes, shifts = v.host, {}, {}
  for axis = 1, #host.shape do
    if p:random(1, 2) == 1 then
      axes[#axes + 1], shifts[#shifts + 1] = axis, p:random(-9, 9)
      host = moved.roll(host, shifts[#shifts], axis)
    end
  end
  return v.x:roll(shifts, axes), host
end

function maps.flat_roll(p, v)
  local shift = p:random(-20, 20)
  local flat_host = moved.roll({ shape = { #v.host }, unpack(v.host) }, shift, 1)
  return v.x:roll(shift), { shape = v.host.shape, unpack(flat_host) }
end

function maps.pad(p, v)
  local modes = { "constant", "constant", "edge", "reflect", "symmetric", "wrap" }
  local mode, widths = modes[p:random(1, #modes)], {}
  for k, n in ipairs(v.host.shape) do
    widths[k] = { p:random(0, 2), p:random(0, 2) * (p:random(1, 4) == 1 and 3 or 1) }
    if n == 0 and mode ~= "constant" then widths[k] = { 0, 0 } end
  end
  local value = p:random(-5, 5)
  return v.x:pad(widths, mode, mode == "constant" and { constant_values = value } or nil),
    moved.pad(v.host, widths, mode, value)
end

function maps.tile(p, v)
  local times = {}
  for k = 1, #v.host.shape + p:random(0, 1) do times[k] = p:random(1, 12) == 1 and 0 or p:random(1, 2) end
  return v.x:tile(times), moved.tile(v.host, times)
end

function maps.repeat_(p, v)
  local axis, times = p:random(1, #v.host.shape), p:random(1, 3)
  return v.x:repeat_(times, axis), moved.repeat_(v.host, times, axis)
end

function maps.concatenate(p, v)
  local list, hosts, axis = { v.x }, { v.host }, p:random(1, #v.host.shape)
  for _ = 1, p:random(1, 3) do
    local other = p:pick()
    local fits = #other.host.shape == #v.host.shape
    for k = 1, #v.host.shape do fits = fits and (k == axis or other.host.shape[k] == v.host.shape[k]) end
    list[#list + 1] = fits and other.x or v.x * 2
    hosts[#hosts + 1] = fits and other.host or moved.apply(function(a) return a * 2 end, v.host)
  end
  return gpuarray.concatenate(list, axis), moved.concatenate(hosts, axis)
end

function maps.stack(p, v)
  local axis = p:random(1, #v.host.shape + 1)
  return gpuarray.stack({ v.x, v.x + 1 }, axis),
    moved.stack({ v.host, moved.apply(function(a) return a + 1 end, v.host) }, axis)
end

-- Views: the map is one of a part, or of reversed or exchanged axes.
function maps.view(p, v)
  local x, host, kind = v.x, v.host, p:random(1, 3)
  local axis = p:random(1, #host.shape)
  if kind == 1 then
    x, host = x.T, moved.transpose(host)
  elseif kind == 2 then
    x, host = x:flip(axis), moved.flip(host, axis)
  elseif host.shape[axis] > 2 then
    local ranges = {}
    for k = 1, #host.shape do ranges[k] = k == axis and { 2, host.shape[axis] } or {} end
    x, host = x[ranges], moved.slice(host, axis, 1, host.shape[axis] - 1)
  end
  return maps.roll(p, { x = x, host = host })
end

local names = {}
for name in pairs(maps) do names[#names + 1] = name end
table.sort(names)

local function broadcasts(a, b)
  for k = 1, math.min(#a, #b) do
    local x, y = a[#a + 1 - k], b[#b + 1 - k]
    if x ~= y and x ~= 1 and y ~= 1 then return false end
  end
  return true
end

local steps = {}

function steps.map(p)
  local name = names[p:random(1, #names)]
  local v = p:pick()
  if #v.host * 4 > MOST and name ~= "roll" then return end
  local x, host = maps[name](p, v)
  p:add(x, host, name)
end

function steps.operation(p)
  local a, b = p:pick(), p:pick()
  if not broadcasts(a.host.shape, b.host.shape) then b = a end
  local kind = p:random(1, 4)
  local x, f
  if kind == 1 then
    x, f = a.x + b.x, function(s, t) return s + t end
  elseif kind == 2 then
    x, f = a.x - 2 * b.x, function(s, t) return s - 2 * t end
  elseif kind == 3 then
    x, f = gpuarray.where(a.x:gt(b.x), a.x, -b.x), function(s, t) return s > t and s or -t end
  else
    x, f = a.x:maximum(b.x) + 1, function(s, t) return math.max(s, t) + 1 end
  end
  p:add(x, moved.apply(f, a.host, b.host), "operation")
end

function steps.reduction(p)
  local v = p:pick()
  if #v.host == 0 then return end
  local sum = 0
  for i = 1, #v.host do sum = sum + v.host[i] end
  p.text[#p.text + 1] = "sum"
  assert.equal(sum, tonumber(v.x:sum():item()))
end

function steps.eval(p) p:pick().x:eval() end

function steps.eval_several(p) gpuarray.eval(p:pick().x, p:pick().x, p:pick().x) end

function steps.look(p)
  local v = p:pick()
  same("look", v.host, v.x)
end

-- A write changes this variable alone: the others are arrays of their own.
function steps.write_part(p)
  local v = p:pick()
  if #v.host == 0 then return end
  local axis = p:random(1, #v.host.shape)
  local first = p:random(1, v.host.shape[axis])
  local last, value, ranges = p:random(first, v.host.shape[axis]), p:random(-9, 9), {}
  for k = 1, #v.host.shape do ranges[k] = k == axis and { first, last } or {} end
  v.x[ranges] = value
  v.host = moved.copy(v.host)
  moved.fill(v.host, axis, first - 1, last - 1, value)
  p.text[#p.text + 1] = "write part"
end

function steps.write_clash(p)
  local v = p:pick()
  if #v.host == 0 then return end
  local axis, shift = p:random(1, #v.host.shape), p:random(-3, 3)
  local rolled, kind = moved.roll(v.host, shift, axis), p:random(1, 3)
  p.text[#p.text + 1] = "write clash " .. kind
  if kind == 1 then
    v.x:set(v.x:roll(shift, axis))
    v.host = rolled
  elseif kind == 2 then
    v.x:iadd(v.x:roll(shift, axis))
    v.host = moved.apply(function(a, b) return a + b end, v.host, rolled)
  else
    gpuarray.sub(v.x:roll(shift, axis), v.x, { out = v.x })
    v.host = moved.apply(function(a, b) return a - b end, rolled, v.host)
  end
end

-- What was written with it and is no map would be lost, as ever. A map is a copy.
function steps.release(p)
  if #p.variables < 3 then return end
  local v = table.remove(p.variables, p:random(1, #p.variables))
  for _, other in ipairs(p.variables) do
    if other.operation then other.x:eval() end
  end
  v.x:release()
  p.text[#p.text + 1] = "release"
end

function steps.collect() collectgarbage() end

local order = { "map", "map", "map", "map", "operation", "operation", "reduction", "eval", "eval_several", "look",
  "write_part", "write_clash", "release", "release", "collect" }

local function run(seed)
  local state = seed
  local function numbers(low, high)
    state = state * 16807 % 2147483647
    return low + math.floor(state / 2147483647 * (high - low + 1))
  end
  for _ = 1, 5 do numbers(1, 2) end
  local p = setmetatable({ variables = {}, text = {}, numbers = numbers }, Program)
  local dtype = p:random(1, 2) == 1 and "int32" or "float64"
  for i = 1, 2 do
    local shape = { p:random(1, 5), p:random(1, 6) }
    if p:random(1, 4) == 1 then shape[3] = p:random(1, 3) end
    if p:random(1, 10) == 1 then shape = { shape[1] } end
    local host = moved.new(shape, function() return p:random(-9, 9) end)
    p:add(gpuarray.to_gpu({ unpack(host) }, dtype):reshape(shape), host, "array " .. i)
  end
  for _ = 1, p:random(4, 12) do steps[order[p:random(1, #order)]](p) end
  for i, v in ipairs(p.variables) do same("variable " .. i, v.host, v.x) end
  return table.concat(p.text, " ")
end

describe("Random programs of maps", function()
  setup(gpu.context)
  teardown(function() gpuarray.eager(false) end)

  local function all(count, seed)
    local texts = {}
    for i = 1, count do
      local ok, failure = pcall(run, seed + i)
      if not ok then error(("seed %d: %s"):format(seed + i, tostring(failure)), 0) end
      texts[#texts + 1] = failure
    end
    return table.concat(texts, " ")
  end

  it("give what loops on the host give", function()
    local text = all(PROGRAMS, SEED)
    for _, what in ipairs { "write clash", "write part", "release", "sum", unpack(names) } do
      assert.is_truthy(text:find(what, 1, true), what)
    end
  end)

  it("do so where elements are counted in 64 bits", function()
    finally(knob(plan, "always_wide", true))
    all(math.ceil(PROGRAMS / 6), SEED + 10 ^ 6)
  end)

  it("do so where each operation is computed at once", function()
    gpuarray.eager(true)
    finally(function() gpuarray.eager(false) end)
    all(math.ceil(PROGRAMS / 6), SEED + 2 * 10 ^ 6)
  end)
end)
