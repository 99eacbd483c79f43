-- Where docs/programs.md would cut the frozen programs: the algorithm of "A cut at a limit" over their operations,
-- which are traced without limits. Nothing is computed.
--   ./dev run bench/programs/cuts.lua [LIMIT AHEAD]...
local cuda = require "cudalua"
local graph = require "cudalua.gpuarray.core.graph"
local main = dofile "bench/programs/main.lua"
local storage = require "cudalua.gpuarray.core.storage"

cuda.init()
cuda.Device(0):retain_primary_context():push()

-- The operations that a program writes, in their order: {sig, bytes, operands = numbers of operations, or leaves,
-- result = the program returns it}.
local function trace(name)
  local p = main.load(name)
  local given = main.arguments(p, p.small)
  collectgarbage()
  collectgarbage()
  local before = {}
  for _, x in ipairs(storage.all_pending()) do before[x] = true end
  collectgarbage "stop" -- what is dropped meanwhile was written nevertheless
  local restore = graph.lift_limits()
  local results = {}
  for _, x in ipairs { p.program(unpack(given, 1, given.n)) } do results[x] = true end
  restore()
  local nodes, number = {}, {}
  for _, x in ipairs(storage.all_pending()) do
    if not before[x] then
      local operands = {}
      for _, o in ipairs { x._a, x._b, x._c } do
        if type(o) == "table" then operands[#operands + 1] = number[o] or o end
      end
      nodes[#nodes + 1] = { sig = x._sig, bytes = x._dtype.itemsize, operands = operands, result = results[x] or false,
        array = x }
      number[x] = #nodes
    end
  end
  collectgarbage "restart"
  return nodes
end

-- The kernel of some results, as text that is equal for equal programs.
local function program_of(nodes, results)
  local tokens, numbers, count = {}, {}, 0
  local function value(key)
    count = count + 1
    numbers[key] = count
  end
  local function walk(o)
    local node = nodes[o]
    if numbers[o] then
      tokens[#tokens + 1] = tostring(numbers[o])
    elseif not node or node.stored then
      tokens[#tokens + 1] = "leaf"
      value(o)
    else
      for _, each in ipairs(node.operands) do walk(each) end
      tokens[#tokens + 1] = ("%s %p"):format(node.sig.op.name, node.sig)
      value(o)
    end
  end
  for _, k in ipairs(results) do
    walk(k)
    tokens[#tokens + 1] = "store"
  end
  return table.concat(tokens, " ")
end

-- The least number that an operation is made of.
local function set_low(nodes, k)
  nodes[k].low = k
  for _, o in ipairs(nodes[k].operands) do
    if nodes[o] and not nodes[o].stored then nodes[k].low = math.min(nodes[k].low, nodes[o].low) end
  end
end

-- What would be stored by a cut behind operation c of those from `low` to `now`. Of several that no operation reads yet
-- and that have one signature only the last one counts: the others are former values, or forgotten.
local function live_at(nodes, low, c, last)
  local list, bytes, newest = {}, 0, {}
  for k = c, low, -1 do
    local node = nodes[k]
    local unread = not last[k]
    if not node.stored and (unread and not newest[node.sig] or not unread and last[k] > c) then
      table.insert(list, 1, k)
      bytes = bytes + node.bytes
    end
    if unread then newest[node.sig] = true end
  end
  return list, bytes
end

local function cut(nodes, now, limit)
  local low, last = nodes[now].low, {}
  for k = low, now do
    for _, o in ipairs(nodes[k].operands) do last[o] = k end
  end
  local best, least
  for c = low + math.floor(limit / 2), low + limit - 1 do
    local list, bytes = live_at(nodes, low, c, last)
    if not least or bytes <= least then best, least = list, bytes end
  end
  return best
end

local function simulate(name, limit, ahead)
  local nodes, kernels, seen, distinct, carried = trace(name), 0, {}, 0, {}
  local function run(results)
    kernels = kernels + 1
    local text = program_of(nodes, results)
    if not seen[text] then seen[text], distinct = true, distinct + 1 end
    for _, k in ipairs(results) do nodes[k].stored = true end
  end
  for now = 1, #nodes do
    set_low(nodes, now)
    if now - nodes[now].low >= limit + ahead then
      local results, low = cut(nodes, now, limit), nodes[now].low
      carried[#carried + 1] = #results
      run(results)
      for k = low, now do set_low(nodes, k) end
    end
  end
  local rest = {}
  for k, node in ipairs(nodes) do
    if node.result and not node.stored then rest[#rest + 1] = k end
  end
  if #rest > 0 then run(rest) end
  print(("| %d, %d | %s | %d | %d | %d | %s |"):format(limit, ahead, name, #nodes, kernels, distinct,
    table.concat(carried, " ")))
end

print "| LIMIT, AHEAD | program | operations | launches | kernels | arrays carried by each cut |"
print "| --- | --- | --- | --- | --- | --- |"
local given = #arg >= 2 and arg or { 64, 0, 64, 16, 64, 32, 96, 32, 128, 32 }
for k = 1, #given - 1, 2 do
  for _, name in ipairs { "mandelbrot", "leapfrog", "black_scholes" } do
    simulate(name, tonumber(given[k]), tonumber(given[k + 1]))
  end
end
