-- cuda.graph(fn): a function of arrays that is captured once for each kind of arguments and replayed later.
--
-- The first call with a key runs fn as it is, on arrays of the callable's own that the arguments were copied to; then
-- fn is captured on the same arrays, and nothing runs: so what fn does to arrays outside of it happens once a call. The
-- results of the capture are what every call returns; those of the run are copied into them the first time.

local core = require "cudalua.core"
local errors = require "cudalua.base.errors"
local evaluate = require "cudalua.gpuarray.core.evaluate"
local gpuarray = require "cudalua.gpuarray"
local graph = require "cudalua.gpuarray.core.graph"
local hooks = require "cudalua.base.hooks"
local host = require "cudalua.base.ffi"
local layout = require "cudalua.base.layout"
local names = require "cudalua.base.names"
local notice = require "cudalua.base.notice"
local object = require "cudalua.gpuarray.core.object"
local run = require "cudalua.gpuarray.core.run"
local write = require "cudalua.gpuarray.core.write"

local context_id, current_stream = core.context_id, core.current_stream
local is_array = object.is_array

---@class cudalua
local M = {}

local MOST = 16 -- graphs of a callable

---The result of cuda.graph(fn). Call it like fn.
---@class cudalua.GraphCall
---@overload fun(...: any): any
local Call = names.class({}, "GraphCall")
Call.__index = Call
Call.__name = "cudalua.GraphCall"
M.GraphCall = Call

local STATE = setmetatable({}, { __mode = "k" }) -- by GraphCall

local function refuse(text, ...) errors.raise("LogicError", "graph: " .. text:format(...)) end

local function state_of(self, method)
  local state = STATE[self]
  if not state then refuse("%s: expected a function that cuda.graph() returned, got %s", method, errors.text(self)) end
  return state
end

-- ---- keys --------------------------------------------------------------------------------------------------------

local function plain(x) return type(x) == "cdata" and host.plain_number(x) or x end

-- What an argument has to be like for the graph to fit.
local function describe(x, static)
  if not is_array(x) then return { value = plain(x) } end
  local leaf = evaluate.evaluate(x)
  return { dtype = x._dtype, shape = x._shape, strides = leaf.strides, buf = static and leaf.buf, off = leaf.off }
end

local function fits(want, x, static)
  local dtype = want.dtype
  if not dtype then
    local value = want.value
    if rawequal(value, x) then return true end
    if type(x) == "cdata" then return rawequal(value, plain(x)) end
    return value ~= value and x ~= x -- NaN
  end
  if not is_array(x) or x._dtype ~= dtype then return false end
  if x._shape ~= want.shape and not layout.same(x._shape, want.shape) then return false end
  if not static and x._sig then return layout.density(want.shape, want.strides, dtype.itemsize) end
  local leaf = evaluate.evaluate(x)
  if static and (leaf.buf ~= want.buf or leaf.off ~= want.off) then return false end
  return leaf.strides == want.strides or layout.same(leaf.strides, want.strides)
end

local function matches(entry, n, args)
  if entry.n ~= n or entry.context ~= context_id() then return false end
  local static, wanted = entry.static, entry.wanted
  for i = 1, n do
    if not fits(wanted[i], args[i], static) then return false end
  end
  return true
end

-- The entry that fits, which comes to the front of the list.
local function find(state, n, args)
  local list = state.entries
  for i = 1, #list do
    local entry = list[i]
    if matches(entry, n, args) then
      if i > 1 and list[i] == entry then -- a finalizer may have called it
        table.remove(list, i)
        table.insert(list, 1, entry)
      end
      return entry
    end
  end
end

-- ---- calls of a graph that is there ----------------------------------------------------------------------------

-- Into arrays whose addresses a graph has.
local function copy_inputs(entry, args)
  local inputs = entry.inputs
  for i = 1, entry.n do
    local to = inputs[i]
    if to and to ~= args[i] then write.write(to, args[i]) end
  end
end

local function replay(entry, args)
  if not entry.static then copy_inputs(entry, args) end
  entry.exec:launch(current_stream())
  return unpack(entry.results, 1, entry.results.n)
end

-- ---- making one ------------------------------------------------------------------------------------------------

local function own_inputs(n, args)
  local inputs, used = {}, {}
  for i = 1, n do
    local x = args[i]
    used[i] = x
    if is_array(x) then
      local own = gpuarray.empty_like(x)
      write.write(own, x)
      inputs[i], used[i] = own, own
    end
  end
  return inputs, used
end

local function pack(...) return { n = select("#", ...), ... } end

local function same_kind(a, b) return a._dtype == b._dtype and layout.same(a._shape, b._shape) end

-- The results of the capture get the values of the run.
local function take_values(results, values)
  if results.n ~= values.n then
    refuse("the function returned %d values when it ran, and %d when it was captured", values.n, results.n)
  end
  for i = 1, values.n do
    local to, from = results[i], values[i]
    if is_array(to) ~= is_array(from) or is_array(to) and not same_kind(to, from) then
      refuse("result %d was %s when the function ran, and %s when it was captured", i,
        is_array(from) and graph.describe(from) or errors.text(from),
        is_array(to) and graph.describe(to) or errors.text(to))
    end
    if is_array(to) and to ~= from then write.write(to, from) end
  end
end

-- An error about a capture that the program did not ask for says where that comes from.
local function explain(err)
  if errors.is_error(err, "LogicError") then
    err.message = err.message:gsub("is not possible while a stream is being captured.-: ", "is not possible in the " ..
      "function of cuda.graph(), which is called a second time to capture it: "):gsub(", or capture with {mode.-}", "")
  end
  error(err, 0)
end

local function capture(state, entry, n, used)
  local results
  local ok, captured = pcall(entry.stream.capture, entry.stream, function()
    results = pack(state.fn(unpack(used, 1, n)))
    for i = 1, results.n do
      if is_array(results[i]) then run.captured(evaluate.evaluate(results[i])) end
    end
    hooks.compute_pending() -- what the function left elsewhere
  end)
  if not ok then explain(captured) end
  entry.results, entry.graph, entry.exec, entry.nodes = results, captured, captured:instantiate(), #captured:nodes()
end

local function say(state, what, text)
  if state.said[what] then return end
  state.said[what] = true
  notice(text)
end

-- Within a coroutine, which has no scope: what is made here stays.
local function make(state, n, args)
  local static = state.static
  local entry = { n = n, context = context_id(), static = static, wanted = {}, stream = core.stream() }
  for i = 1, n do entry.wanted[i] = describe(args[i], static) end
  local inputs, used = {}, args
  if not static then inputs, used = own_inputs(n, args) end
  entry.inputs = inputs
  local draws = hooks.draws
  local values = pack(state.fn(unpack(used, 1, n)))
  for i = 1, values.n do
    if is_array(values[i]) then evaluate.evaluate(values[i]) end
  end
  if hooks.draws ~= draws then
    say(state, "draws", "graph: the function draws random numbers, and each replay would repeat them; draw them " ..
      "outside and pass them as an argument")
  end
  capture(state, entry, n, used)
  for i = 1, n do -- a run may have given an array another place
    if static and is_array(args[i]) then entry.wanted[i] = describe(args[i], true) end
  end
  take_values(entry.results, values)
  return entry
end

local function close(entry)
  for _, what in ipairs { "exec", "graph" } do
    local x = entry[what]
    entry[what] = nil
    if x then pcall(x.close, x) end -- its context may be gone
  end
end

local function add(state, entry)
  local list = state.entries
  if #list >= MOST then
    local last = table.remove(list)
    close(last)
    say(state, "most", ("graph: the function has been called with more than %d kinds of arguments (dtypes, shapes, " ..
      "values); each new one drops the least recently used graph; pass changing numbers as arrays"):format(
      MOST))
  end
  table.insert(list, 1, entry)
  state.captures = state.captures + 1
end

local function build(state, n, args)
  if state.building then
    refuse "the function calls its own graph, which is still being captured"
  end
  state.building = true
  local co = coroutine.create(make)
  local ok, entry = coroutine.resume(co, state, n, args)
  local ended = coroutine.status(co) == "dead"
  state.building = false
  if not ended then refuse "the function yielded, but a captured function cannot yield" end
  if not ok then error(entry, 0) end
  add(state, entry)
  return entry
end

-- The entry is taken while it is used: a finalizer that calls the same graph in the middle runs the function itself.
local function finish(entry, ok, ...)
  entry.busy = false
  if not ok then error((...), 0) end
  return ...
end

function Call:__call(...)
  local state, n, args = state_of(self, "call"), select("#", ...), { ... }
  if state.closed then refuse "it was closed" end
  local entry = find(state, n, args)
  if not entry then
    entry = build(state, n, args)
    return unpack(entry.results, 1, entry.results.n)
  end
  if entry.busy then return state.fn(...) end
  entry.busy = true
  state.replays = state.replays + 1
  return finish(entry, pcall(replay, entry, args))
end

function Call:__tostring()
  local state = STATE[self]
  return ("cudalua.GraphCall (%d graphs, %d replays)"):format(#state.entries, state.replays)
end

---Returns how often the function was captured and replayed, the number of its graphs, and the number of nodes of the
---last used graph.
---@return {captures: integer, replays: integer, graphs: integer, nodes: integer}
---@raise LogicError if you do not call it with a colon
function Call:info()
  local state = state_of(self, "info")
  local last = state.entries[1]
  return { captures = state.captures, replays = state.replays, graphs = #state.entries,
    nodes = last and last.nodes or 0 }
end

---Frees its graphs. Results that you already have stay valid; later calls raise an error.
---@raise LogicError if you do not call it with a colon
function Call:close()
  local state = state_of(self, "close")
  local list = state.entries
  state.entries, state.closed = {}, true
  for _, entry in ipairs(list) do close(entry) end
end

---Returns a function that is captured as a graph at its first call with arguments of a kind, and replayed at later
---calls: `local step = cuda.graph(function(x, y) ... end)`. Array arguments are copied to arrays of its own. The
---dtypes, shapes and strides of arrays and the values of all other arguments determine the kind; the 16 kinds used last
---are kept. Each call for a kind returns the same arrays, which the next call overwrites: copy() what you want to keep.
---The first call runs fn once, and calls it a second time to capture it.
---@param fn function  a function that returns arrays, or anything that does not change after the first call
---@param options? {static: boolean}  static: do not copy arrays; other arrays then count as other arguments, and fn may
---  write to them; default false
---@return cudalua.GraphCall
---@raise LogicError for invalid options; a call raises the errors of fn, and an error if something cannot be captured
function M.graph(fn, options)
  errors.check_callable("graph", fn)
  options = errors.options("graph", options, { static = true })
  if options.static ~= nil and type(options.static) ~= "boolean" then
    refuse("static must be true or false, got %s", errors.text(options.static))
  end
  local self = setmetatable({}, Call)
  STATE[self] = { fn = fn, static = options.static == true, entries = {}, said = {}, captures = 0, replays = 0 }
  return self
end

return M
