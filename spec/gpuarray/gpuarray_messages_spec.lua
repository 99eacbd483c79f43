-- What functions of arrays say when they are called with something wrong: an error of the library that names the
-- operation, in words of the caller's, with the arrays as they were. nonsense_spec goes through more values, and all
-- functions; here the texts are looked at.
local gpu = require "spec.support.gpu"
local values = require "spec.support.values"
local samples = require "spec.support.samples"
local check_contract = require "tools.check_contract"
local ffi = require "ffi"
local gpuarray = require "cudalua.gpuarray"
local cuda = gpu.cuda

cuda.Context.pop() -- which values.lua pushed

-- Files of any name are left to spec/whole/nonsense_spec.lua, which has a folder for them.
local files = { ["gpuarray.save"] = true, ["gpuarray.load"] = true }

-- The functions, by name: gpuarray's, and the methods.
local functions = {}
for _, row in ipairs(check_contract.rows(dofile "docs/contract.lua")) do
  if row.module == "cudalua.gpuarray" and not row.later then
    local value = gpuarray
    for key in row.name:sub(#row.prefix + 2):gmatch "[^%.:]+" do value = value[key] end
    if type(value) == "function" and not files[row.name] then
      functions[#functions + 1] = { name = row.name, call = value }
    end
  end
end

-- Names under which a function speaks besides its own.
local also = { iadd = "add", isub = "sub", imul = "mul", idiv = "div", imod = "mod", ipow = "pow",
  ifloordiv = "floordiv", conjugate = "conj",
  source = "add" } -- which is what the sample's function does

-- Words that no message has: files of the library, its own names, what Lua says.
local private = { "cudalua/", "%.lua:%d", "attempt to", "%f[%w_]_%a", "nil value", "bad argument #", "number expected",
  "table: 0x", "function: 0x", "cdata<", "userdata: " }

local function complaint(f, err)
  if not cuda.is_error(err) then return "no error of the library: " .. tostring(err) end
  local message = tostring(err.message) .. " " .. tostring(err.hint or "")
  local name = f.name:match "[%w_]+$"
  if not message:find(name, 1, true) and not (also[name] and message:find(also[name], 1, true)) then
    return "does not name the function: " .. message
  end
  for _, word in ipairs(private) do
    if message:find(word) then return ("says '%s': %s"):format(word, message) end
  end
end

local function is_array(x) return gpuarray.is_array(x) end

describe("Messages of functions of arrays", function()
  setup(gpu.context)

  local function things()
    return { nil, true, 0 / 0, -1, 0.5, 1e308, 2 ^ 53, "nonsense", {}, { x = 1 }, { 1, "x", {} }, print, io.stdout,
      ffi.cast("void *", nil), ffi.new "int[4]", ffi.new("complex", 1, 2), gpuarray.zeros { 3, 5 },
      cuda.ndarray.zeros(3), cuda.dtype.float32, gpuarray.zeros(16, cuda.vec.float2), n = 20 }
  end

  local function arguments(f)
    local list, n = {}, 0
    for word in assert(samples[f.name], f.name):gmatch "%S+" do
      n = n + 1
      local make = values.make[word]
      if make then list[n] = make() else list[n] = values.value(word) end
    end
    return list, n
  end

  it("name the function and nothing of the library's own, and leave the arrays as they were", function()
    local found, calls, errors = {}, 0, 0
    local function try(f, list, n, k)
      local before = {}
      for i = 1, n do
        if is_array(list[i]) and i ~= k then before[i] = tostring(list[i]) end
      end
      calls = calls + 1
      local ok, err = pcall(f.call, unpack(list, 1, n))
      if ok then return false end
      errors = errors + 1
      local why = complaint(f, err)
      for i, text in pairs(before) do
        if tostring(list[i]) ~= text then why = "changed argument " .. i end
      end
      if why then found[#found + 1] = ("%s, argument %d %s"):format(f.name, k, why) end
      return true
    end
    local wrong = things()
    for _, f in ipairs(functions) do
      local list, n = arguments(f)
      for k = 1, n + 1 do
        for i = 1, wrong.n do
          local sample = list[k]
          list[k] = wrong[i]
          local failed = try(f, list, math.max(n, k), k)
          list[k] = sample
          if not failed then list, wrong = arguments(f), things() end -- it may have written to them
        end
      end
    end
    assert.equal("", table.concat(found, "\n"))
    assert.is_true(errors > 3000 and #functions > 300, ("%d functions, %d calls, %d errors"):format(#functions, calls,
      errors))
  end)
end)
