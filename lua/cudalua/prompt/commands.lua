-- The commands of the prompt: words behind a colon in column 1 of a fresh prompt. Other words are Lua.

local concat, sort = table.concat, table.sort
local format, match, rep = string.format, string.match, string.rep
local getinfo, getmetatable, getupvalue, ipairs, open, require = debug.getinfo, getmetatable, debug.getupvalue,
  ipairs, io.open, require
local rawget, tonumber, tostring, type = rawget, tonumber, tostring, type
local loaded = package.loaded
local ffi = require "ffi"

local frames = require "cudalua.text.frames"
local layout = require "cudalua.base.layout"
local lost = require "cudalua.prompt.lost"
local pairs_of = require "cudalua.base.pairs_of"

ffi.cdef [[
struct cudalua_prompt_time { long seconds, nanoseconds; };
int cudalua_prompt_clock(int clock, struct cudalua_prompt_time *now) __asm__("clock_gettime");
]]

---@class cudalua.prompt.Command
---@field about string  for :help: arguments, and what it does
---@field run fun(prompt: cudalua.prompt.Prompt, rest: string): any

local M = {}

---@type table<string, cudalua.prompt.Command>
M.list = {}

local ORDER = { "help", "time", "gpu", "source", "who", "device", "replay", "restart", "quit" }
local WIDTH = 20 -- of the commands in the list

-- As a chunk of the program: an error is printed.
local function guarded(f)
  return function(prompt, rest)
    local ok, result = frames.call(f, prompt, rest)
    if not ok then
      prompt.write(lost.text(prompt, { err = result.err, frames = {} }) .. "\n")
      lost.tell(prompt, result.err)
      return nil
    end
    return result
  end
end

local function mib(bytes) return format("%.1f MiB", bytes / 2 ^ 20) end

-- ---- :help, :quit ---------------------------------------------------------------------------------------------------

M.list.help = { about = "[NAME]  this list, or what help \"NAME\" says", run = function(prompt, rest)
  if rest ~= "" then return require("cudalua.prompt.help").write(prompt, rest) end
  local lines = {}
  for i, word in ipairs(ORDER) do
    local arguments, about = match(M.list[word].about, "^(.-)  (.*)$")
    lines[i] = ":" .. word .. (arguments ~= "" and " " .. arguments or "")
    lines[i] = lines[i] .. rep(" ", WIDTH - #lines[i]) .. about
  end
  prompt.write(concat(lines, "\n") .. "\nA value is printed unless a semicolon follows. _ is the last value. Locals " ..
    "persist.\n" ..
    'help() says how to start, help(x) what x is, help "words" looks for words.\n')
end }

M.list.quit = { about = "  ends the prompt, as ^D does", run = function(prompt) return prompt.END end }

-- ---- :time ----------------------------------------------------------------------------------------------------------

local MONOTONIC = 1

local function now()
  local time = ffi.new "struct cudalua_prompt_time"
  ffi.C.cudalua_prompt_clock(MONOTONIC, time)
  return tonumber(time.seconds) + tonumber(time.nanoseconds) / 1e9
end

local function seconds(t)
  if t < 1e-3 then return format("%.0f us", t * 1e6) end
  return t < 1 and format("%.2f ms", t * 1e3) or format("%.2f s", t)
end

-- Waits for the device, if the library has one.
local function wait()
  local cuda = loaded.cudalua
  if not (cuda and not lost.why() and cuda.driver_info().open and cuda.Context.get_current()) then return false end
  cuda.Context.synchronize()
  return true
end

M.list.time = { about = "CHUNK  how long it takes: until the chunk returns, and until the device is done",
  run = guarded(function(prompt, rest)
    if rest == "" then return prompt.write(":time takes a chunk, such as :time a:sum()\n") end
    wait()
    local host, device
    prompt.run_chunk(prompt, rest, function(run)
      local began = now()
      local function ended(...)
        host = now() - began
        device = wait() and now() - began
        return ...
      end
      return ended(prompt.session.run(run, true))
    end)
    if not host then return end -- it did not compile
    prompt.write(format("host %s%s\n", seconds(host), device and ", device done after " .. seconds(device) or ""))
  end) }

-- ---- :gpu, :device --------------------------------------------------------------------------------------------------

local function one_line(device)
  local major, minor = device:compute_capability()
  return format("device %d: %s, compute capability %d.%d", device:ordinal(), device:name(), major, minor)
end

M.list.gpu = { about = "  the current device and its memory", run = guarded(function(prompt)
  local cuda = require "cudalua"
  local free, total = cuda.mem_get_info() -- makes the default context if there is none
  prompt.write(format("%s\nmemory %s of %s free; objects of this program use %s\n",
    one_line(cuda.Context.get_current():get_device()), mib(free), mib(total), mib(cuda.mem_stats().live)))
end) }

local function list_or_switch(prompt, rest)
  local cuda = require "cudalua"
  if rest ~= "" then
    local n = tonumber(rest)
    if not n then return prompt.write(":device needs a device number\n") end
    local context = cuda.Device(n):retain_primary_context()
    if prompt.switched then cuda.Context.pop() end
    context:push()
    prompt.switched = true
  end
  local current = cuda.driver_info().open and cuda.Context.get_current()
  local number = current and current:get_device():ordinal()
  for i = 0, cuda.Device.count() - 1 do
    prompt.write((i == number and "* " or "  ") .. one_line(cuda.Device(i)) .. "\n")
  end
end

M.list.device = { about = "[N]  the devices; with a number, makes that one current", run = guarded(list_or_switch) }

-- ---- :replay, :restart ----------------------------------------------------------------------------------------------

M.list.replay = { about = "[FILE]  the last recorded launch on the software device, which names the line",
  run = guarded(function(prompt, rest)
    local replay = require("cudalua").debug.replay(rest ~= "" and rest or nil)
    prompt.write(replay.output .. replay.text .. "\n")
  end) }

M.list.restart = { about = "[CHUNKS]  a new process, which first runs none, all, or 1-4,7 of the chunks; ? lists them",
  run = guarded(function(prompt, rest)
    local restart, chunks = require "cudalua.prompt.restart", prompt.session.chunks
    if rest == "?" then return prompt.write(restart.listed(chunks) .. "\n") end
    if not prompt.command then
      return prompt.write(":restart replaces the process, and this one belongs to the program that runs the prompt\n")
    end
    local chosen, why = restart.choose(rest, chunks)
    if not chosen then return prompt.write(":restart: " .. why .. "\n") end
    prompt.write(":restart: the program does not start: " .. restart.exec(chunks, chosen) .. "\n")
  end) }

-- ---- :source --------------------------------------------------------------------------------------------------------

-- The lines of a file that a function is written in. What checks the arguments of a function of the library and has no
-- file is not what is meant.
local function lines_of(f)
  local info = getinfo(f, "S")
  if info.source == "=cudalua.surplus" then
    local i, _, inner = 1, getupvalue(f, 1)
    while inner ~= nil and not (type(inner) == "function" and match(getinfo(inner, "S").source, "^@")) do
      i = i + 1
      _, inner = getupvalue(f, i)
    end
    if inner then info = getinfo(inner, "S") end
  end
  local path = match(info.source, "^@(.*)$")
  local file = path and open(path)
  if not file then return nil end
  local list, i = {}, 0
  for line in file:lines() do
    i = i + 1
    if i >= info.linedefined and i <= info.lastlinedefined then list[#list + 1] = line end
  end
  file:close()
  return #list > 0 and concat(list, "\n") or nil
end

local compiled = { ["cudalua.SourceModule"] = true, ["cudalua.DynamicModule"] = true }

-- The CUDA C of what kernels are in, and of what makes them.
local function kernel_source(x)
  local mt = getmetatable(x) -- a string, if the class names itself
  if mt == "cudalua.gpuarray.Fused" then
    return "the kernel of a fused function depends on its arguments: for the arguments of a call use " ..
      "print(f:source(x, y))"
  elseif type(mt) == "string" and match(mt, "^cudalua%..*Kernel$") then
    return x:source()
  elseif type(x) == "table" and type(mt) == "table" and compiled[mt.__name] then
    return kernel_source(rawget(x, "module"))
  end
  local core = loaded["cudalua.core"]
  local kind = core and core.kind(x)
  if kind ~= "Function" and kind ~= "Module" then return nil end
  return require("cudalua.driver.function").source_of(x) or (kind == "Function" and x:signature() .. "\n" or "") ..
    "its CUDA C is not known, as it was loaded as an image; cuda.kernel(source, name) keeps the source"
end

local function source_of(session, x)
  if getmetatable(x) == "cudalua.gpuarray" then
    if x._sig then return require("cudalua.gpuarray").source(x) end
    return "the array has its value; :source shows the kernel of an expression that is not computed yet, such as " ..
      "a + b or a:sum(1). Scans and reductions to one value are computed when they are written"
  end
  if type(x) == "function" then
    return session:lines_of(x) or lines_of(x) or
      "the lines of this function are not known: it is in no file, and no variable of the prompt has held it"
  end
  return kernel_source(x) or "this has no CUDA C; pass an array that is not computed yet, or a kernel"
end

M.list.source = { about = "EXPRESSION  CUDA C of a kernel or an array not computed yet; a function's lines",
  run = guarded(function(prompt, rest)
    local run, chunk = prompt.session:compile("=" .. rest)
    if rest == "" or run and not chunk.expression then
      return prompt.write(":source takes an expression: a kernel, an array not computed yet, a function\n")
    end
    if not run then return prompt.write(chunk .. "\n") end
    local ok, x = prompt.session.run(run)
    prompt.write((ok and source_of(prompt.session, x) or frames.text(x)) .. "\n")
  end) }

-- ---- :who -----------------------------------------------------------------------------------------------------------

-- The arrays among some variables.
local function add_arrays(list, variables)
  for name, x in pairs_of(variables) do
    if getmetatable(x) == "cudalua.gpuarray" then
      list[#list + 1] = { name = tostring(name), dtype = x.dtype.name, shape = layout.text(x.shape),
        bytes = format("%.0f bytes", x.nbytes), pending = lost.why() and "lost" or x._sig and "not computed yet" or "" }
    end
  end
end

M.list.who = { about = "  the arrays in variables, and the device memory of the program", run = guarded(function(prompt)
  local session, list = prompt.session, {}
  add_arrays(list, session:locals())
  add_arrays(list, session.globals)
  sort(list, function(a, b) return a.name < b.name end)
  local columns = { "name", "dtype", "shape", "bytes", "pending" }
  for _, row in ipairs(list) do
    local texts = {}
    for i, column in ipairs(columns) do
      local width = 0
      for _, other in ipairs(list) do width = #other[column] > width and #other[column] or width end
      texts[i] = row[column] .. rep(" ", width - #row[column])
    end
    prompt.write(match(concat(texts, "  "), "^(.-)%s*$") .. "\n")
  end
  local cuda = loaded.cudalua
  local live = cuda and cuda.driver_info().open and cuda.mem_stats().live or 0
  prompt.write(format("%d array%s in variables; objects of this program use %s of device memory\n", #list,
    #list == 1 and "" or "s", mib(live)))
end) }

return M
