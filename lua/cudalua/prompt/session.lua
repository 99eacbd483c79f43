-- A session: chunks that run one after the other and share their top-level locals, which stay local variables.
--
-- A chunk becomes a function inside one that declares the session's locals; debug.upvaluejoin() ties its upvalues to
-- the variables of earlier chunks. Behind each `local` statement a keeper is handed over, a function that has the new
-- variables as upvalues. So a chunk that fails leaves the locals that it had reached.

local getinfo, getupvalue, setupvalue, upvaluejoin = debug.getinfo, debug.getupvalue, debug.setupvalue,
  debug.upvaluejoin
local concat, find, gmatch = table.concat, string.find, string.gmatch
local load, loadstring, off, rawset, require, setfenv, setmetatable = load, loadstring, jit.off, rawset, require,
  setfenv, setmetatable
local coroutine, loaded, rawget, select, type = coroutine, package.loaded, rawget, select, type

local chunks = require "cudalua.prompt.chunk"
local frames = require "cudalua.text.frames"
local pairs_of = require "cudalua.base.pairs_of"

---@class cudalua.prompt.Session
---@field env table       what chunks have as their globals; what they do not find in it, and what they assign, is in
---  the table that the session was made with
---@field cells table<string, {[1]: function, [2]: integer}>  the top-level locals: a keeper and the upvalue's number
---@field globals table
---@field chunks cudalua.prompt.Entry[]  that ran, and those of the process before
---@field typed table<function, string>  weak: functions of variables, with the chunk that made them
local Session = {}
Session.__index = Session

-- What loads text for a chunk keeps it out of the compiler: Ctrl-C does not reach compiled code.
local function interpreted(loader)
  return function(...)
    local chunk, err = loader(...)
    if not chunk then return chunk, err end
    off(chunk, true)
    return chunk
  end
end

---@param globals table
---@param entries? cudalua.prompt.Entry[]  chunks of the process before
---@return cudalua.prompt.Session
local function new(globals, entries)
  local own = { loadstring = interpreted(loadstring), load = interpreted(load) }
  own.coroutine = {}
  for name, f in pairs_of(coroutine) do own.coroutine[name] = f end
  own.coroutine.wrap = frames.wrap -- whose errors keep the coroutine's frames
  return setmetatable({
    env = setmetatable(own, { __index = globals, __newindex = globals }), cells = {}, globals = globals,
    chunks = entries or {}, typed = setmetatable({}, { __mode = "k" }),
  }, Session)
end

-- `cuda` is loaded when a chunk first has the name, unless the program uses it for something else.
local function want_library(self, names)
  if self.library or not names.cuda then return end
  if self.cells.cuda or self.globals.cuda ~= nil then return end
  self.library = require "cudalua"
  rawset(self.env, "cuda", self.library)
end

-- The message for a chunk that compiles alone and not with the session's locals.
local function too_many(err)
  if find(err, "upvalues", 1, true) then
    return "the chunk uses more than 60 locals of earlier chunks, the limit of LuaJIT's upvalues; make some of them " ..
      "globals or fields of a table"
  end
  return err
end

local function same(...) return ... end

-- What a chunk of several parts calls: with a keeper, with true and values to return, with false and values to show.
local function of_several(keep, show)
  return function(what, ...)
    if what == true then return ... end
    if what then return keep(what) end
    if show then show(...) end
  end
end

---Compiles a chunk.
---@param text string
---@param show? fun(...)  takes the values of expressions that other parts of the chunk follow
---@return function? run
---@return cudalua.prompt.Chunk|string about  or the compiler's message
function Session:compile(text, show)
  local cells = self.cells
  local chunk, err = chunks.read(text, cells)
  if not chunk then return nil, err end
  local maker, why = loadstring(chunk.text, chunks.NAME, "t")
  if not maker then return nil, too_many(why) end
  want_library(self, chunk.names)
  local run = maker()
  local keep = function(keeper)
    local i, name = 1, getupvalue(keeper, 1)
    while name do
      cells[name] = { keeper, i }
      i = i + 1
      name = getupvalue(keeper, i)
    end
  end
  local i, name = 1, getupvalue(run, 1)
  while name do
    local cell = cells[name]
    if name == chunk.outer[1] then
      local take = chunk.expression and same or keep
      setupvalue(run, i, chunk.several and of_several(keep, show) or take)
    elseif cell then
      upvaluejoin(run, i, cell[1], cell[2])
    end
    i = i + 1
    name = getupvalue(run, i)
  end
  return setfenv(run, self.env), chunk
end

---Runs a chunk.
---@param run function  of Session:compile()
---@param compiled? boolean  it may be compiled by LuaJIT, which Ctrl-C does not interrupt
---@return boolean ok
---@return any ...  its values, or a cudalua.text.Failure
function Session.run(run, compiled)
  if not compiled then off(run, true) end
  return frames.call(run)
end

-- How many kernels were launched, and the name of the last one, as far as the library is there.
local function launches()
  local core = loaded["cudalua.core"]
  if not core then return 0 end
  return core.launch_count()
end

---Notes that a chunk runs.
---@param text string
---@param entry? cudalua.prompt.Entry  that it has already
---@return cudalua.prompt.Entry
function Session:begin(text, entry)
  if not entry then
    entry = { text = text }
    self.chunks[#self.chunks + 1] = entry
  end
  entry.state, entry.first, entry.last, entry.kernel = "failed", launches(), nil, nil -- until it ends
  return entry
end

-- Functions of the variables that a chunk names, which no earlier chunk had.
local function note_functions(self, entry, names)
  for name in pairs_of(names) do
    local cell, f = self.cells[name], rawget(self.globals, name)
    if cell then f = select(2, getupvalue(cell[1], cell[2])) end
    if type(f) == "function" and not self.typed[f] and getinfo(f, "S").source == chunks.NAME then
      self.typed[f] = entry.text
    end
  end
end

---Notes that it has ended.
---@param entry cudalua.prompt.Entry
---@param ok boolean
---@param names table<string, any>  that the chunk has
function Session:finish(entry, ok, names)
  local last, kernel = launches()
  entry.state, entry.last, entry.kernel = not ok and "failed" or nil, last, last > entry.first and kernel or nil
  note_functions(self, entry, names)
end

---The lines of a function that was typed, if a variable has held it since.
---@param f function
---@return string?
function Session:lines_of(f)
  local text, info, list, i = self.typed[f], getinfo(f, "S"), {}, 0
  if not text then return nil end
  for line in gmatch(text .. "\n", "([^\n]*)\n") do
    i = i + 1
    if i >= info.linedefined and i <= info.lastlinedefined then list[#list + 1] = line end
  end
  return concat(list, "\n")
end

---Keeps a value as `_`, until the next one.
---@param value any
function Session:remember(value) rawset(self.env, "_", value) end

---The session's locals.
---@return table<string, any>
function Session:locals()
  local values = {}
  for name, cell in pairs_of(self.cells) do
    local _, value = getupvalue(cell[1], cell[2])
    values[name] = value
  end
  return values
end

return { new = new }
