-- What the frozen programs of this folder have in common. A program is a table:
--   name         as its file; title: for tables
--   small large  sizes: of checks, and of what ./dev bench programs times
--   inputs       (size, numbers) its arguments, arrays with values; numbers: a cuda.random.Generator
--   program      the frozen text: plain Lua on arrays, as users write it; returns arrays, pending or not
--   reference    (...) the same on the host: arrays are nested tables; returns nested tables or numbers. It computes in
--                doubles with loops, and shares nothing with the library
--   tolerance    of |x - y| <= tolerance * (1 + |y|), by result; one number for all
-- A file that is run as a program checks itself: ./dev run bench/programs/softmax.lua
local compiler = require "cudalua.compiler"
local core = require "cudalua.core"
local cuda = require "cudalua"

local M = {}

---The twelve programs of the issue, and pieces whose launches it names besides.
M.names = { "softmax", "layer_norm", "rms_norm", "black_scholes", "mandelbrot", "adam", "k_means", "attention",
  "standardise", "leapfrog", "drawdown", "life" }
M.pieces = { "mean_and_variance", "chain", "wave" }

---A program of this folder by its name.
---@param name string
---@return table
function M.load(name) return dofile("bench/programs/" .. name .. ".lua") end

local function close(x, y, tolerance)
  if x == y or x ~= x and y ~= y then return true end
  return math.abs(x - y) <= tolerance * (1 + math.abs(y))
end

local function number(x)
  if type(x) == "boolean" then return x and 1 or 0 end
  return tonumber(x)
end

-- Compares nested tables element by element; returns how many there were.
local function compare(where, x, y, tolerance)
  if type(y) ~= "table" then
    if not close(number(x), number(y), tolerance) then error(("%s: %s, expected %s"):format(where, x, y), 0) end
    return 1
  elseif y.re then -- complex
    return compare(where .. ".re", x.re, y.re, tolerance) + compare(where .. ".im", x.im, y.im, tolerance)
  end
  if type(x) ~= "table" or #x ~= #y then error(where .. ": another length", 0) end
  local n = 0
  for k = 1, #y do n = n + compare(where .. "[" .. k .. "]", x[k], y[k], tolerance) end
  return n
end

local function pack(...) return { n = select("#", ...), ... } end

---Arguments of a program, computed.
---@param p table
---@param size table
---@return table
function M.arguments(p, size)
  local given = pack(p.inputs(size, cuda.random.Generator(20261124)))
  for k = 1, given.n do
    if cuda.gpuarray.is_array(given[k]) then given[k]:eval() end
  end
  return given
end

---Runs a program on its small size and compares its results with its reference.
---@param p table
---@return integer compared  elements
function M.check(p)
  local given = M.arguments(p, p.small)
  local host = { n = given.n }
  for k = 1, given.n do host[k] = cuda.gpuarray.is_array(given[k]) and given[k]:tolist() or given[k] end
  local expected = pack(p.reference(unpack(host, 1, host.n)))
  local got = pack(p.program(unpack(given, 1, given.n)))
  assert(got.n == expected.n, p.name .. ": another number of results")
  local n = 0
  for k = 1, got.n do
    local tolerance = type(p.tolerance) == "table" and p.tolerance[k] or p.tolerance
    n = n + compare(("%s, result %d"):format(p.name, k), got[k]:tolist(), expected[k], tolerance)
  end
  return n
end

local function run(p, given, together)
  local got = pack(p.program(unpack(given, 1, given.n)))
  if together then
    cuda.gpuarray.eval(unpack(got, 1, got.n))
  else
    for k = 1, got.n do got[k]:eval() end
  end
end

---How many kernels a program launches on its small size, with all of them compiled before, and nothing left over from
---other programs.
---@param p table
---@param together boolean  its results are asked for in one call; else one after the other
---@return integer launches
---@return integer compiled  kernels that the first run compiled
function M.launches(p, together)
  local given, compiled, build = M.arguments(p, p.small), 0, compiler.build
  compiler.build = function(...)
    compiled = compiled + 1
    return build(...)
  end
  local ok, err = pcall(run, p, given, together)
  compiler.build = build
  if not ok then error(err, 0) end
  collectgarbage()
  local before = core.launch_count()
  run(p, given, together)
  return core.launch_count() - before, compiled
end

---Ends a program's file: if that file is what was started, counts launches and checks results.
---@param p table
---@return table p
function M.run(p)
  if arg and arg[0] and arg[0]:match "programs/([%w_]+)%.lua$" == p.name then
    cuda.init()
    cuda.Device(0):retain_primary_context():push()
    local together, compiled = M.launches(p, true)
    print(("| %s | %d | %d | %d | %d |"):format(p.title, together, (M.launches(p, false)), compiled, M.check(p)))
  end
  return p
end

return M
