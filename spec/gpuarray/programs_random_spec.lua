-- Random programs: several results, loops that carry arrays, reductions that are broadcast back, scans, views, partial
-- writes, scopes, releases, streams, captures, finalizers, gpuarray.eval of several, and results that are read one
-- after the other, in any order, or never. As they are, and operation by operation, they end with the same bits,
-- strides and owners.
local gpu = require "spec.support.gpu"
local batch = require "spec.support.batch"
local dry_run = require "cudalua.gpuarray.core.dry_run"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local ffi = require "ffi"
local knob = require "spec.support.knob"
local ndarray = require "cudalua.ndarray"
local planning = require "cudalua.gpuarray.core.planning"
local results_of = require "cudalua.gpuarray.core.results"
local runs = require "cudalua.gpuarray.core.run"
local same_cuts = require "cudalua.gpuarray.core.same_cuts"
local storage = require "cudalua.gpuarray.core.storage"
local strides = require "cudalua.gpuarray.core.strides"
local turn = require "spec.support.turn"
local it = turn.halves(it) -- luacheck: ignore 431
local waiting = require "cudalua.gpuarray.core.waiting"
local whole = require "cudalua.gpuarray.core.whole"
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray

-- A hundred of them need some 700 kernels and half a minute. `./dev release-check sweeps` says "all" and runs all.
local PROGRAMS = tonumber(os.getenv "CUDALUA_GRAPHS") or gpu.sanitized and 20 or
  os.getenv "CUDALUA_TURN" == "all" and 5000 or 120

-- The same numbers on all machines.
local state
local function random(n)
  state = (state * 1103515245 + 12345) % 2 ^ 31
  return math.floor(state / 2 ^ 16) % n + 1
end
local function pick(list) return list[random(#list)] end

-- The expressions are few, so that the kernels are. Values stay small, and NaN does not come up.
local expressions = {
  function(x, y) return x + y end,
  function(x, y) return x * 0.5 - y end,
  function(x, y) return gpuarray.where(x:gt(y), y, x * 0.25) end,
}

-- Variables 1 to 3 have the shape {4, 6}, 4 the shape {6}; 2 and 3 lie in the order of columns.
local ROWS, COLUMNS, WHOLE, ALL = 4, 6, 3, 4

local function start(seed)
  local s = { dead = {}, held = {} }
  for i = 1, ALL do
    local shape = i <= WHOLE and { ROWS, COLUMNS } or { COLUMNS }
    local host = ndarray.empty(shape, "float32")
    for r = 1, i <= WHOLE and ROWS or 1 do
      for c = 1, COLUMNS do
        local v = ((seed + i) * 7 + r * 3 + c * 5) % 16 / 8 - 1
        if i <= WHOLE then host:set(r, c, v) else host:set(c, v) end
      end
    end
    s[i] = gpuarray.to_gpu(host)
  end
  s[2], s[3] = s[2]:copy "F", s[3]:copy "F"
  return s
end

-- Parts of an array: rows, columns, blocks, and every other row.
local parts = {}
local function add_part(rows, columns, index) parts[#parts + 1] = { rows = rows, columns = columns, index = index } end
for first = 1, ROWS - 1 do add_part(2, COLUMNS, { { first, first + 1 } }) end
for first = 1, COLUMNS - 3 do add_part(2, 4, { { 2, 3 }, { first, first + 3 } }) end
for column = 1, COLUMNS, 2 do add_part(ROWS, 1, { {}, { column, column } }) end
for first = 1, 2 do add_part(2, COLUMNS, { { first, ROWS, 2 } }) end

-- By chance, one of these.
local steps = {
  assign = function()
    local i, j, k, f = random(WHOLE), random(WHOLE), random(ALL), pick(expressions)
    return function(s) s[i] = f(s[j], s[k]) end
  end,
  assign_row = function()
    local f = pick(expressions)
    return function(s) s[4] = f(s[4], s[4] * 0.5) end
  end,
  loop = function()
    local i, j, turns, f, g = random(WHOLE), random(WHOLE), 1 + random(39), pick(expressions), pick(expressions)
    return function(s)
      local a, b = s[i], s[j]
      for _ = 1, turns do
        a = f(a, b) * 0.5
        b = g(b, a) * 0.5
      end
      s[i], s[j] = a, b
    end
  end,
  standardise = function()
    local i, j, k, f, axis = random(WHOLE), random(WHOLE), random(WHOLE), pick(expressions), random(2)
    local name = pick { "max", "sum" }
    return function(s)
      local e = f(s[j], s[k])
      s[i] = e - e[name](e, { axis = axis, keepdims = true }) * 0.125
    end
  end,
  column = function()
    local j, f = random(WHOLE), pick(expressions)
    return function(s) s[4] = f(s[j], s[4]):max(1) end
  end,
  -- Reductions that wait, and what other steps do meanwhile: read them, overwrite and release what they read.
  columns = function()
    local j, k, f = random(WHOLE), random(WHOLE), pick(expressions)
    local first, second = pick { "max", "mean", "sum" }, pick { "var", "std", "min" }
    local fresh = random(2) == 1
    return function(s)
      local e = fresh and f(s[j], s[k]) or s[j]
      local a, b = e[first](e, 1), e[second](e, 1)
      s.waits = { a, b, s[k]:max(2) }
      s[4] = a * 0.25 + b * 0.125
    end
  end,
  moments = function()
    local i, j, axis = random(WHOLE), random(WHOLE), random(2)
    return function(s)
      local x = s[j]
      s[i] = (x - x:mean { axis = axis, keepdims = true }) / (x:var { axis = axis, keepdims = true } + 1)
    end
  end,
  -- Reductions of rows that are used with the same rows again, one of them of what another one is made of. In between,
  -- operands are written to, released, or evaluated.
  rows = function()
    local i, j, k, f, mode, v = random(WHOLE), random(WHOLE), random(WHOLE), pick(expressions), random(7), random(5) / 4
    local first, second = pick { "max", "mean", "sum" }, pick { "sum", "var", "min" }
    local keep, part = { axis = 2, keepdims = true }, pick(parts)
    return function(s)
      local x = f(s[j], s[k])
      if mode == 7 then x = x:astype "float16" end
      local a = x[first](x, keep)
      local e = (x - a) * 0.5
      local b = e[second](e, keep)
      local y = e - b * 0.125
      if mode == 1 then s[j]:fill(v) elseif mode == 2 then s[k][part.index] = v elseif mode == 3 then
        gpuarray.eval(y, e)
      elseif mode == 4 then
        s.held[#s.held + 1] = e:eval()
      elseif mode == 5 then
        y = y + x:max(2)[{ {}, gpuarray.newaxis }]
      end
      s.waits = { a, b }
      s[i] = y:astype "float32"
    end
  end,
  wait = function()
    local i, v = random(WHOLE), random(5) / 4
    return function(s)
      local t = s[i]:copy()
      local a, b = t:sum(1), t:max(1)
      if v >= 1 then t:release() elseif v > 0.5 then t:fill(v) else t[{ { 1, 2 } }] = v end
      s[4] = a * 0.125 + b
    end
  end,
  keep = function()
    local i, name = random(WHOLE), pick { "sum", "mean", "max" }
    return function(s) s[4] = s[i][name](s[i], 1) end
  end,
  streams = function()
    local i, j = random(WHOLE), random(WHOLE)
    return function(s)
      s.stream = s.stream or cuda.Stream()
      local before, inside = s[i]:min(1), nil
      s.stream:use(function()
        inside = s[j]:var(1)
        s[j] = s[j] * 0.5
      end)
      s[4] = before * 0.5 + inside
    end
  end,
  scan = function()
    local i, j, axis = random(WHOLE), random(WHOLE), random(2)
    return function(s) s[i] = (s[j] * 0.25):cummax(axis) end
  end,
  -- Scans that wait, and what other steps do meanwhile.
  scans = function()
    local i, j, k, f, axis, v = random(WHOLE), random(WHOLE), random(WHOLE), pick(expressions), random(2), random(5)
    return function(s)
      local t = f(s[j], s[k])
      local a, b = t:cumsum(axis), s[k]:copy "K"
      local c = b:cummin(1)
      if v == 1 then b:release() elseif v == 2 then b:fill(0.25) elseif v == 3 then b[{ { 1, 2 } }] = 0.5 end
      s.waits = { s[j]:cummax(), a:cummax(2) }
      s[i] = a * 0.125 + c
      if v == 4 then s[4] = t:max(1) * 0.5 end
    end
  end,
  -- Reductions of whole arrays, which wait in there.
  whole = function()
    local i, j, k, f = random(WHOLE), random(WHOLE), random(WHOLE), pick(expressions)
    local first, second = pick { "max", "mean", "sum" }, pick { "var", "std", "min" }
    local way = random(3)
    return function(s)
      local function two(x, y)
        local e = f(x, y)
        local a, b = e[first](e), e[second](e)
        if way == 1 then s[k]:fill(0.25) end
        return e * 0.5 - a * 0.0625, b
      end
      local x, b
      if way == 3 then x, b = gpuarray.fuse(two)(s[i], s[j]) else x, b = gpuarray.eval(two, s[i], s[j]) end
      s[4] = s[4] * 0.5 + b * 0.125
      s[i] = x
    end
  end,
  -- An operand of reductions that is needed, too.
  stored = function()
    local i, j, k, f, axis = random(WHOLE), random(WHOLE), random(WHOLE), pick(expressions), random(2)
    local first, second, together = pick { "max", "mean", "sum" }, pick { "var", "std", "min" }, random(3)
    return function(s)
      local e = f(s[j], s[k])
      if axis == 2 then e = f(s[j].T, e.T) end
      local a, b = e[first](e, { axis = axis, keepdims = true }), e[second](e, axis)
      if together == 1 then gpuarray.eval(b, e, a) elseif together == 2 then e:eval() end
      s.held[#s.held + 1] = a
      s.held[#s.held + 1] = e
      s[i] = axis == 2 and (e - a).T or e - a
      s.waits = { b }
    end
  end,
  scan_inside = function()
    local i, j, f, axis = random(WHOLE), random(WHOLE), pick(expressions), random(2)
    return function(s)
      s[i] = gpuarray.scope(function()
        local t = f(s[j], s[i]):cumsum(axis)
        s.dead[#s.dead + 1] = s[j]:cummax(axis)
        return t * 0.25
      end)
    end
  end,
  view = function()
    local i, j, k, f = random(WHOLE), random(WHOLE), random(WHOLE), pick(expressions)
    return function(s) s[i] = f(s[j], s[k])[{ { -1, 1, -1 } }] * 0.5 end
  end,
  transposed = function()
    local i, j, k, f = random(WHOLE), random(WHOLE), random(WHOLE), pick(expressions)
    return function(s) s[i] = f(s[j].T, s[k].T).T end
  end,
  roll = function()
    local i, j, k, f, axis, by = random(WHOLE), random(WHOLE), random(WHOLE), pick(expressions), random(2), random(3)
    return function(s) s[i] = f(s[j]:roll(by, axis), s[k]) end
  end,
  join = function()
    local i, j, k, f = random(WHOLE), random(WHOLE), random(WHOLE), pick(expressions)
    return function(s) s[i] = f(gpuarray.concatenate { s[j][{ { 2, 4 } }], s[k][{ { 1 } }] }, s[k]) end
  end,
  part = function()
    local i, j, f = random(WHOLE), random(WHOLE), pick(expressions)
    return function(s) s[i][{ { 2, 3 } }] = f(s[i][{ { 1, 2 } }], s[j][{ { 3, 4 } }]) end
  end,
  part_with_temporaries = function()
    local i, j, f, g = random(WHOLE), random(WHOLE), pick(expressions), pick(expressions)
    local to, from = pick(parts), pick(parts)
    while from.rows ~= to.rows or from.columns ~= to.columns do from = pick(parts) end
    local held, itself, twice = random(3) > 1, random(3) == 1, random(3) == 1
    return function(s)
      local part = s[i][to.index]
      local t = f(part, s[j][from.index])
      local u = itself and t or g(t, s[i][from.index])
      if held then
        s.held[#s.held + 1] = t
        s.held[#s.held + 1] = u
      end
      s[i][to.index] = u
      if twice then s[i][from.index] = u * 0.5 + part end
    end
  end,
  write = function()
    local i, j, f = random(WHOLE), random(WHOLE), pick(expressions)
    return function(s) s[i]:set(f(s[j], s[i])) end
  end,
  fill = function()
    local i, v = random(ALL), random(5) / 4
    return function(s) s[i]:fill(v) end
  end,
  eval = function()
    local list = {}
    for n = 1, 1 + random(3) do list[n] = random(ALL) end
    local fresh = random(2) == 1
    return function(s)
      local arrays = {}
      for n, i in ipairs(list) do
        if fresh then s[i] = s[i] * 0.5 + s[4] end
        arrays[n] = s[i]
      end
      gpuarray.eval(unpack(arrays))
    end
  end,
  scope = function()
    local i, j, k, f, g = random(WHOLE), random(WHOLE), random(WHOLE), pick(expressions), pick(expressions)
    local together = random(2) == 1
    return function(s)
      s[i], s[j] = gpuarray.scope(function()
        local t = f(s[j], s[k])
        local u = g(t, s[i])
        if together then gpuarray.eval(u, s[k], t) end
        s.dead[#s.dead + 1] = u
        return t * 0.5, t + u * 0.5
      end)
    end
  end,
  release = function()
    local i, j, f = random(WHOLE), random(WHOLE), pick(expressions)
    return function(s)
      local t = (s[j] * 0.5):eval()
      local reader, kept = t + 1, f(t, s[i]) -- who reads t later is an error, or has a value by then
      gpuarray.eval(kept, s[i])
      t:release()
      s.reader = reader
      s[i] = kept
    end
  end,
  stream = function()
    local i, j, f = random(WHOLE), random(WHOLE), pick(expressions)
    return function(s)
      s.stream = s.stream or cuda.Stream()
      s.stream:use(function()
        local t = f(s[i], s[j])
        s[i], s[j] = t * 0.5, t + s[j] * 0.25
      end)
    end
  end,
  forget = function()
    local i, j = random(WHOLE), random(WHOLE)
    return function(s)
      local _ = s[i] * s[j] -- read by nothing
      s[i] = s[j]
    end
  end,
  collect = function() return function() collectgarbage "step" end end,
  read = function() -- some of the results that are written, in any order
    local i, j, k, f, g = random(WHOLE), random(WHOLE), random(ALL), expressions[random(2)], expressions[1]
    local order, turns, last = {}, random(3), random(3)
    for n = 1, random(3) do order[n] = random(4) end
    return function(s)
      for _ = 1, turns do
        local shared = f(s[i], s[j])
        local t, u, v = g(shared, s[k]), shared * 0.5, f(s[j], s[k])
        local list = { t, u, v, shared }
        for n = 1, #order do
          if n % 2 == 1 then list[order[n] ]:eval() else list[order[n] ]:get() end
        end
        s[i], s[j] = list[last], t
      end
    end
  end,
  steps_of_two = function()
    local i, j, f, g, turns, both = random(WHOLE), random(WHOLE), expressions[1], pick(expressions), random(6),
      random(2) == 1
    return function(s)
      local a, b = s[i], s[j]
      for _ = 1, turns do
        a = f(a, b) * 0.5
        b = g(b, a) * 0.5
        a:eval()
        if both then b:eval() end
      end
      s[i], s[j] = a, b
    end
  end,
  overwrite = function() -- what is read later has the values of before
    local i, j, f, g, part = random(WHOLE), random(WHOLE), pick(expressions), expressions[1], random(2) == 1
    return function(s)
      local t, u = f(s[i], s[j]), g(s[j], s[i])
      t:eval()
      if part then s[j][{ { 1, 2 } }] = 0.5 else s[j]:fill(0.25) end
      local v = u + s[j]
      v:eval()
      s[i] = g(u, t)
    end
  end,
  capture = function()
    local i, j, f, g = random(WHOLE), random(WHOLE), expressions[2], pick(expressions)
    return function(s)
      s.stream = s.stream or cuda.Stream()
      local t, u
      local before = f(s[j], s[i]) -- pending until the capture is over
      local exec = s.stream:capture(function()
        t, u = f(s[i], s[j]), g(s[j], s[i])
        t:eval()
      end):instantiate()
      for _ = 1, 2 do exec:launch(s.stream) end
      s.stream:synchronize()
      s[i], s[j] = before - t * 0.5, u * 0.5
    end
  end,
  finalizer = function()
    local i, j, f = random(WHOLE), random(WHOLE), pick(expressions)
    return function(s)
      local t, u = f(s[i], s[j]), s[j] * 0.25 + s[i]
      local proxy = newproxy(true)
      getmetatable(proxy).__gc = function() t:eval() end
      proxy = nil -- luacheck: ignore 311
      collectgarbage()
      s[i] = u
      u:eval()
    end
  end,
}

local names = {}
for name in pairs(steps) do names[#names + 1] = name end
table.sort(names)

local function program()
  local list, seed = {}, random(1000)
  for n = 1, 3 + random(5) do list[n] = steps[pick(names)]() end
  return function(between)
    local s = start(seed)
    for n = 1, #list do
      list[n](s)
      if between then between(s) end
    end
    return s
  end
end

local function text_of(x)
  local host = x:get({ array = true }):copy "C"
  return ffi.string(host:data(), host.nbytes) .. " in " .. table.concat({ unpack(x.strides, 1, x.ndim) }, ",")
end

-- A program that does the same again and again, and then nearly the same: two loops in turns, of which one is read,
-- and cut (same_cuts.lua). The other one may read memory that is gone by then.
local function repeating()
  local i, j, f, turns, seed = random(WHOLE), random(WHOLE), expressions[random(2)], 52 + 4 * random(2), random(1000)
  local other, release, write, within = random(2) == 1, random(2) == 1, random(5), random(3)
  return function(between)
    local s = start(seed)
    for n = 1, 5 do
      local gone = (s[j] * 0.5):eval()
      local first = s[i] * 0.25
      local a, b = first, first
      local of_a, of_b = s[j], gone
      if n == 5 and other then of_a, of_b = of_b, of_a end
      for _ = 1, turns do
        a = f(a, of_a) * 0.5
        b = f(b, of_b) * 0.5
      end
      local x = (n == 5 and other and b or a) + 0.125
      if n == write then s[j]:fill(0.25) end
      if n == 5 and release then gone:release() end
      if within == 1 then
        s.stream = s.stream or cuda.Stream()
        s.stream:use(function() x:eval() end)
      elseif within == 2 then
        x = gpuarray.scope(function()
          x:eval()
          return x
        end)
      else
        x:eval()
      end
      s[i] = x
      if between then between(s) end
    end
    return s
  end
end

-- What a program leaves: bits and strides of its variables, and whether what its scopes made is gone.
local function outcome(run, between)
  local s, list = run(between), {}
  for i = 1, ALL do list[i] = text_of(s[i]) end
  for _, x in ipairs(s.held) do list[#list + 1] = text_of(x) end
  for _, x in ipairs(s.dead) do
    local ok, err = pcall(x.get, x)
    list[#list + 1] = ok and "alive" or tostring(err.message):match "released" or tostring(err)
  end
  return table.concat(list, "|")
end

-- How many of the programs end otherwise, and the number of the first one; and how many kernels there were. A program
-- runs a few times only, so that compiling traces takes longer than it saves: they run without, if not `traced`.
local function differing(list, traced)
  if not traced then jit.off() end
  local results, kernels, found, first = {}, 0, 0, nil
  for _, mode in ipairs { true, false } do
    kernels = kernels + batch.run(function()
      gpuarray.eager(mode)
      results[mode] = {}
      for k = 1, #list do
        local ok, text = pcall(outcome, list[k])
        results[mode][k] = ok and text or "error: " .. tostring(text)
      end
      gpuarray.eager(false)
    end)
  end
  jit.on()
  for k = 1, #list do
    if results[true][k] ~= results[false][k] then
      found, first = found + 1, first or k
    end
    assert(not results[true][k]:find "^error", results[true][k])
  end
  return found, first, kernels, first and results[false][first]
end

local function programs(count, seed, make)
  state = seed
  local list = {}
  for k = 1, count do list[k] = (make or program)() end
  return list
end

-- What the planner has learned of the programs before: nothing.
local unlearned = planning.save()
local function forget()
  unlearned()
  unlearned = planning.save()
end

-- Calls f() without the collector, which would make programs differ, and so would what an earlier program left to be
-- collected. Only the programs themselves collect, and then everything, as how far a step comes depends on what else
-- there is. The library believes that the collector runs: otherwise nothing is computed along (companions.lua).
local globals, real = getfenv(dry_run.plan), collectgarbage
local function without_collector(f)
  local running = true
  local restore = knob(globals, "collectgarbage", function(what)
    if what == "isrunning" then return running end
    if what == "stop" or what == "restart" then return 0 end
    running = false -- for finalizers
    real()
    real "stop"
    running = true
    return 0
  end)
  real()
  real() -- what finalizers held
  real "stop"
  local ok, err = pcall(f)
  restore()
  real "restart"
  assert(ok, err)
end

-- The kernels that a program launches, and what it leaves.
local function launched(run, between)
  local text, profile
  without_collector(function()
    profile = cuda.profile(function() text = outcome(run, between) end, { print = false })
  end)
  local kernels = {}
  for _, row in ipairs(profile.rows) do
    if row.kind == "kernel" then kernels[#kernels + 1] = row.name .. " " .. row.calls end
  end
  table.sort(kernels)
  return table.concat(kernels, ",") .. "|" .. text
end

-- Does a program end otherwise, or launch other kernels, if f is called after each step?
local function is_disturbed(run, f)
  local texts = {}
  for _, step in ipairs { false, f } do
    forget()
    for _ = 1, 2 do launched(run) end -- cuts remember earlier ones
    texts[#texts + 1] = launched(run, step)
  end
  return texts[1] ~= texts[2]
end

-- How many of the programs end otherwise, or launch other kernels, if they are explained after each step.
local function disturbed(list)
  local explained, found = 0, 0
  jit.off()
  local function between(s)
    local pending = {}
    for i = 1, ALL do
      if s[i]._sig then pending[#pending + 1] = s[i] end
    end
    for _, text in ipairs { gpuarray.explain(unpack(pending)), gpuarray.explain(), gpuarray.explain(s[1]) } do
      explained = explained + select(2, text:gsub("kernel %d+: ", ""))
    end
  end
  batch.run(function()
    found = 0
    for _, run in ipairs(list) do
      if is_disturbed(run, between) then found = found + 1 end
    end
  end)
  jit.on()
  assert.is_true(explained > 10 * #list)
  return found
end

-- Does count() find one in the list? It gets a few elements after the other, until it does.
local function finds_one(count, list)
  for first = 1, #list, 8 do
    if (count { unpack(list, first, math.min(first + 7, #list)) }) > 0 then return true end
  end
  return false
end
local function one_differs(count) return finds_one(differing, programs(count, 20261128)) end

-- Tests that show what a protection is for. The plain run has them.
local protection = turn.protections(it)

describe("Random programs with several results", function()
  setup(gpu.context)
  teardown(function() gpuarray.eager(false) end)

  it("end with the bits, strides and owners of operation by operation", function()
    local beside, along = results_of.beside, 0
    finally(knob(results_of, "beside", function(x, list)
      beside(x, list)
      if not x._sig then along = along + #list - 1 end
    end))
    local seed = 20261128 + (tonumber(os.getenv "CUDALUA_SEED") or 1000 * turn.number)
    local left, compiled = PROGRAMS, 0
    while left > 0 do -- the first ones with compiled traces
      local some = math.min(left, left == PROGRAMS and 100 or 500)
      local found, first, kernels, text = differing(programs(some, seed), left == PROGRAMS)
      assert.equal(0, found, ("program %s of %d of seed %d: %s"):format(first, some, seed, text))
      left, compiled, seed = left - some, compiled + kernels, seed + 1
    end
    assert.is_true(compiled > 50)
    assert.is_true(along > PROGRAMS, along .. " results were computed along with others")
  end)

  protection("would end otherwise if results that are computed along were those of another time", function()
    local beside = results_of.beside
    finally(knob(results_of, "beside", function(x, list)
      beside(x, list)
      for _, y in ipairs(list) do
        if y ~= x and not y._sig then y:fill(0) end
      end
    end))
    assert.is_true(one_differs(40))
  end)

  it("launch the same kernels, with the same bits, if gpuarray.explain() is called after each step", function()
    assert.equal(0, disturbed(turn.share(programs(gpu.sanitized and 8 or 24, 20261129), 2)))
  end)

  protection("would launch other kernels if gpuarray.explain() changed marks", function()
    finally(knob(dry_run, "restore_pending", function(saved)
      for x, values in pairs(saved) do
        local used = x._used
        dry_run.restore(x, values)
        x._used = used
      end
    end))
    assert.is_true(finds_one(disturbed, programs(24, 20261129)))
  end)

  protection("would change temporaries that are read later if partial writes did not compute or keep them", function()
    finally(knob(storage, "has_readers", function() return false end))
    assert.is_true(one_differs(40))
  end)

  protection("would have other elements if a part that is written as a whole lay elsewhere", function()
    local box_of = whole.box_of
    finally(knob(whole, "box_of", function(leaf)
      local box = box_of(leaf)
      if box and box.first[1] > 0 then box.first[1] = box.first[1] - 1 end
      return box
    end))
    assert.is_true(one_differs(80))
  end)

  protection("have reductions that wait, and would end otherwise if these were released with what they read", function()
    local waited, wait = 0, waiting.wait
    local restore = knob(waiting, "wait", function(...)
      waited = waited + 1
      return wait(...)
    end)
    local ok, found = pcall(differing, programs(40, 20261128))
    restore()
    assert(ok, found)
    assert.equal(0, found)
    assert.is_true(waited > 100)
    finally(knob(storage, "before_release", function() end))
    assert.is_true(one_differs(40))
  end)

  protection("would end otherwise if reductions that wait neither started before a write nor were readers", function()
    local readers, restore_start = storage.readers, knob(waiting, "start", function() end)
    local restore, restore_look
    finally(function()
      restore_start()
      if restore then
        restore()
        restore_look()
      end
    end)
    assert.equal(0, (differing(programs(40, 20261128))))
    restore = knob(storage, "readers", function(...)
      local list, kept = readers(...), {}
      for _, x in ipairs(list) do
        if not (x._sig and x._sig.reduces) then kept[#kept + 1] = x end
      end
      return kept
    end)
    restore_look = knob(storage, "has_readers", function(store, except)
      return #storage.readers(store, except and { [except] = true } or nil) > 0
    end)
    assert.is_true(one_differs(40))
  end)

  protection("would have other strides if results of one kernel shared them", function()
    finally(knob(strides, "same_order", function() return true end))
    assert.is_true(one_differs(40))
  end)

  protection("would have other owners if results did not keep their own", function()
    finally(knob(evaluate, "take", function(x, leaf)
      x._sig, x._a, x._b, x._low = false, leaf, leaf, math.huge
    end))
    assert.is_true(one_differs(40))
  end)

  -- Runs programs that repeat. Returns how many end otherwise, and how often cuts were found again.
  local function repeated(list)
    local found, make = 0, same_cuts.make
    same_cuts.forget()
    local restore = knob(same_cuts, "make", function(x)
      local done = make(x)
      if done then found = found + 1 end
      return done
    end)
    local ok, different = pcall(differing, list)
    restore()
    assert(ok, different)
    return different, found
  end

  it("compute rows in row kernels", function()
    local all, in_rows, kernel = 0, 0, runs.kernel
    finally(knob(runs, "kernel", function(launch)
      local is_row = launch.kernel and launch.kernel.name:find "^array_rows"
      all, in_rows = all + 1, in_rows + (is_row and 1 or 0)
      return kernel(launch)
    end))
    local count = gpu.sanitized and 10 or 60
    assert.equal(0, (differing(programs(count, 20261129, function()
      local step, seed = steps.rows(), random(1000)
      return function()
        local s = start(seed)
        step(s)
        return s
      end
    end))))
    assert.is_true(in_rows > count / 2, ("%d of %d"):format(in_rows, all))
  end)

  it("end so if they repeat, and their cuts are found again", function()
    local count = gpu.sanitized and 10 or 40
    local different, found = repeated(programs(count, 20261128, repeating))
    assert.equal(0, different)
    assert.is_true(found > count)
  end)

  protection("that repeat would end otherwise if neither operations nor what is stored were looked at again", function()
    local restore_same = knob(same_cuts, "are_same", function() return true end)
    local restore_store = knob(same_cuts, "may_store", function() return true end)
    finally(function()
      restore_same()
      restore_store()
    end)
    assert.is_true(finds_one(repeated, programs(40, 20261128, repeating)))
  end)
end)
