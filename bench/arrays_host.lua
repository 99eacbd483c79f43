-- What host arrays cost beside plain FFI, in one run: elements by data() and by a[i], reading and writing; files,
-- and the text of an array. Needs no GPU.
--   ./dev bench arrays_host [ROUNDS]
local ffi = require "ffi"
local ndarray = require "cudalua.ndarray"

local rounds, n = tonumber(arg[1] or 15), 2 ^ 20

local clock = dofile "bench/common/clock.lua"
local function now() return clock() * 1e-3 end -- seconds

-- A function of its own for each loop, so that none runs in the trace of another.
local function loop(body) return assert(loadstring("local a, b, n = ... " .. body .. " return 0")) end

local sums = {
  ffi = "local s = 0 for i = 0, n - 1 do s = s + a[i] end if s == 0.5 then return s end",
  data = "local p, s = a:data(), 0 for i = 0, n - 1 do s = s + p[i] end if s == 0.5 then return s end",
  checked = "local s = 0 for i = 1, n do s = s + a[i] end if s == 0.5 then return s end",
}
local updates = {
  ffi = "for i = 0, n - 1 do a[i] = a[i] + 3 * b[i] end",
  data = "local p, q = a:data(), b:data() for i = 0, n - 1 do p[i] = p[i] + 3 * q[i] end",
  checked = "for i = 1, n do a[i] = a[i] + 3 * b[i] end",
}

-- The least time of each, in turns, in nanoseconds for an element.
local function measure(bodies, arguments)
  local functions, best = {}, {}
  for name, body in pairs(bodies) do functions[name], best[name] = loop(body), math.huge end
  for _ = 1, rounds do
    for name, f in pairs(functions) do
      local a, b = unpack(arguments[name == "ffi" and "ffi" or "array"])
      local start = now()
      f(a, b, n)
      best[name] = math.min(best[name], now() - start)
    end
  end
  for name, t in pairs(best) do best[name] = t / n * 1e9 end
  return best
end

local function verdict(ratio, goal) return ratio <= goal and "met" or "MISSED" end

print(("%s, %d elements, least of %d rounds, ns an element"):format(jit.version, n, rounds))
print "\nloop                 plain FFI     data()   ratio   goal 1.05      a[i]   ratio   goal 4"
for _, t in ipairs { "float32", "float64", "int32", "uint8", "int16" } do
  for _, row in ipairs { { "sum", sums }, { "a = a + 3 * b", updates } } do
    local name, bodies = row[1], row[2]
    if not (bodies == updates and t == "uint8") then -- its values would not fit
      local c = require("cudalua.dtype")(t).ctype
      local arguments = { ffi = { ffi.new(ffi.typeof("$[?]", c), n), ffi.new(ffi.typeof("$[?]", c), n) },
        array = { ndarray.zeros(n, t), ndarray.zeros(n, t) } }
      local best = measure(bodies, arguments)
      local fast, checked = best.data / best.ffi, best.checked / best.ffi
      print(("%-14s %-7s %8.3f %10.3f %7.3f   %-9s %9.3f %7.2f   %s"):format(name, t, best.ffi, best.data, fast,
        verdict(fast, 1.05), best.checked, checked, verdict(checked, 4)))
    end
  end
end

local function least(f)
  local best = math.huge
  for _ = 1, math.max(math.floor(rounds / 3), 1) do
    local start = now()
    f()
    best = math.min(best, now() - start)
  end
  return best
end

local a = ndarray.from_function({ 2048, 2048 }, function(i, j) return (i * j) % 251 end, "float32")
local path = os.tmpname()
local mib = a.nbytes / 2 ^ 20
print(("\nfiles of %.0f MiB of float32%22s"):format(mib, "MiB/s"))
for _, row in ipairs {
  { "save", function() ndarray.save(path, a) end }, { "load", function() ndarray.load(path) end },
  { "load, big-endian", function() ndarray.load(path) end, function()
    local bytes = ndarray.dumps(a):gsub("<f4", ">f4")
    local file = assert(io.open(path, "wb"))
    file:write(bytes)
    file:close()
  end },
  { "savez", function() ndarray.savez(path, { a = a }) end },
  { "load from .npz, stored", function() return ndarray.load(path).a end },
} do
  if row[3] then row[3]() end
  print(("%-35s %12.0f"):format(row[1], mib / least(row[2])))
end
os.remove(path)

print(("\ntext of that array: %.2f ms; astype float16: %.1f ns an element, tolist: %.1f"):format(
  least(function() return tostring(a) end) * 1e3, least(function() return a:astype "float16" end) / a.size * 1e9,
  least(function() return a:tolist() end) / a.size * 1e9))
