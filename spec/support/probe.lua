-- Calls of probe_library.c by run.library, as a product calls cuBLASLt.
local built = require "spec.support.built"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local gpu = require "spec.support.gpu"
local prototypes = require "cudalua.base.prototypes"
local run = require "cudalua.gpuarray.core.run"
local storage = require "cudalua.gpuarray.core.storage"

local M = {}

local library = assert(prototypes.open(built "cudalua-probe"))
M.library = library
M.functions = prototypes.functions {
  where = "probe", owner = "the specs", library = "probe", prefix = "probe_",
  find = function(name) return prototypes.symbol(library, name) end,
  prototypes = [[
    int probe_open(const char *driver)
    int probe_copy(uintptr_t to, uintptr_t from, size_t bytes, uintptr_t stream)
    int probe_fill(uintptr_t to, unsigned value, size_t words, uintptr_t stream)
    int probe_count(void)
    uintptr_t probe_last(void)
  ]],
}
local probe = M.functions
assert(probe.open(gpu.cuda.driver_info().path) == 0)
local copy, fill = probe.copy, probe.fill -- looked up before a call

---The address of one of its functions, as a number.
function M.address(name)
  return tonumber(require("ffi").cast("uintptr_t", prototypes.symbol(library, "probe_" .. name)))
end

---A copy of x, which has 4-byte elements, that the library makes.
---@param x cudalua.gpuarray.Array
---@param options? table  scratch: bytes of it; before(): called with each attempt; status: what the call returns;
---  failure: raised in the call; leaves: other ones; keep: for a graph
---@return cudalua.gpuarray.Array? y
---@return boolean? captured
---@return integer? status
function M.copy(x, options)
  options = options or {}
  local y = storage.empty(x._dtype, x._shape, x._size)
  local captured, status
  run.until_done(function(since)
    evaluate.force(x)
    local leaf, out = storage.leaf_of(x), storage.leaf_of(y)
    local from, to, bytes = run.address(leaf), run.address(out), x._size * 4
    local scratch = options.scratch and { (storage.buffer(options.scratch)) }
    local room = scratch and scratch[1]:ptr()
    local called
    called, captured, status = run.library {
      name = "probe_copy", since = since, leaves = { leaf }, writes = { out }, scratch = scratch,
      keep = options.keep, call = function(stream)
        if options.failure then error(options.failure, 0) end
        if scratch then fill(room, 7, options.scratch / 4, stream) end
        local code = copy(to, from, bytes, stream)
        return options.status or code
      end,
    }
    if not called then return run.AGAIN end
  end)
  return y, captured, status
end

return M
