-- What the prompt says after an error that has ended the device for this process: once which kernel, which values are
-- lost and what to do, and a short sentence for what is tried on it later.

local concat, find, format, match, rep = table.concat, string.find, string.format, string.match, string.rep
local getmetatable, ipairs, pcall, rawget, require, select, tostring, type = getmetatable, ipairs, pcall, rawget,
  require, select, tostring, type
local gsub, huge, max, sort = string.gsub, math.huge, math.max, table.sort
local loaded, globals = package.loaded, _G

local frames = require "cudalua.text.frames"
local layout = require "cudalua.base.layout"
local pairs_of = require "cudalua.base.pairs_of"
local keywords = require "cudalua.text.keywords"

local M = {}

---Has an error ended the GPU for this process?
---@return string? why  "illegal address"
function M.why()
  local core = loaded["cudalua.core"]
  return core and core.lost()
end

local function is_sticky(err)
  return type(err) == "table" and rawget(err, "sticky") and loaded["cudalua.base.errors"].is_error(err)
end

-- ---- values ---------------------------------------------------------------------------------------------------------

-- By what the core calls them; true: on the device.
local memory = { DeviceAllocation = true, DevicePointer = true, PooledDeviceAllocation = true, ManagedAllocation = true,
  PagelockedHostAllocation = false, PooledHostAllocation = false }

---A value with memory.
---@class cudalua.prompt.Holder
---@field name string
---@field on_device boolean
---@field columns string[]  name, dtype or class, shape, bytes

local function bytes_text(n) return format("%.0f bytes", n) end

local function holder(name, x)
  local mt = getmetatable(x)
  if mt == "cudalua.gpuarray" or mt == "cudalua.ndarray" then
    return { name = name, on_device = mt == "cudalua.gpuarray",
      columns = { name, x.dtype.name, layout.text(x.shape), bytes_text(x.nbytes) } }
  end
  local kind = type(x) == "userdata" and loaded["cudalua.core"].kind(x)
  if not kind or memory[kind] == nil then return nil end
  return { name = name, on_device = memory[kind], columns = { name, kind, "", bytes_text(#x) } }
end

local LEVELS, TABLES, HOLDERS = 4, 10000, 200

local function field_name(name, key)
  if type(key) == "string" and match(key, "^[%a_][%w_]*$") and not keywords[key] then return name .. "." .. key end
  return name .. "[" .. (type(key) == "string" and format("%q", key) or tostring(key)) .. "]"
end

-- Adds what a value is or has in it.
local function add(list, seen, name, x, level)
  if #list >= HOLDERS or seen[x] then return end
  if type(x) ~= "table" and type(x) ~= "userdata" then return end
  seen[x] = true
  local alive, found = pcall(holder, name, x)
  if not alive then return end -- it was freed
  if found then
    list[#list + 1] = found
  elseif type(x) == "table" and level < LEVELS and seen.tables < TABLES and type(getmetatable(x)) ~= "string" then
    seen.tables = seen.tables + 1
    for key, value in pairs_of(x) do
      local named = type(key) == "string" or type(key) == "number"
      if named then add(list, seen, field_name(name, key), value, level + 1) end
    end
  end
end

---The values of a session that have memory, by name: variables, and fields of tables in them.
---@param session cudalua.prompt.Session
---@return cudalua.prompt.Holder[]
function M.holders(session)
  local list, seen = {}, { tables = 0, [globals] = true, [session.globals] = true, [loaded] = true }
  for _, module in pairs_of(loaded) do seen[module] = true end
  local function variables(from)
    local names = {}
    for name in pairs_of(from) do
      if type(name) == "string" then names[#names + 1] = name end
    end
    sort(names)
    for _, name in ipairs(names) do add(list, seen, name, rawget(from, name), 1) end
  end
  variables(session:locals())
  variables(session.globals)
  variables { _ = rawget(session.env, "_") }
  return list
end

-- Columns side by side, two spaces before each line.
local function aligned(list)
  local lines, widths = {}, {}
  for _, one in ipairs(list) do
    for i, text in ipairs(one.columns) do widths[i] = max(widths[i] or 0, #text) end
  end
  for n, one in ipairs(list) do
    local texts = {}
    for i, text in ipairs(one.columns) do texts[i] = text .. rep(" ", widths[i] - #text) end
    lines[n] = "  " .. match(concat(texts, "  "), "^(.-)%s*$")
  end
  return concat(lines, "\n")
end

-- ---- what is said ---------------------------------------------------------------------------------------------------

-- The chunk that the recorded launch belongs to.
local function chunk_of(session, launch)
  for i, chunk in ipairs(session.chunks) do
    if chunk.first and launch > chunk.first and launch <= (chunk.last or launch) then return i, chunk end
  end
end

-- The last chunk that launched the kernel, as far as can be seen: its own last kernel, or one that it names.
local function launcher_of(session, kernel)
  local word = "%f[%w_]" .. gsub(kernel, "%p", "%%%0") .. "%f[^%w_]"
  for i = #session.chunks, 1, -1 do
    local chunk = session.chunks[i]
    local launched = chunk.first and (chunk.last or huge) > chunk.first
    if launched and (chunk.kernel == kernel or find(chunk.text, word)) then return i, chunk end
  end
end

-- Which kernel it was, or may have been. The chunk that launched it does not run again with all the others.
local function culprit(prompt, err)
  local core, session = loaded["cudalua.core"], prompt.session
  local recorded = core.recorded()
  local i, chunk
  -- The software device knows.
  local kernel = is_sticky(err) and match(rawget(err, "detail") or "", "^kernel ([^%s,]+),")
  if recorded then
    i, chunk = chunk_of(session, recorded.launch)
  elseif kernel then
    i, chunk = launcher_of(session, kernel)
  else
    i, chunk = chunk_of(session, (core.launch_count()))
  end
  if chunk then chunk.state = "failed" end
  if recorded then
    return format("Kernel %s failed; it was launched%s%s.", recorded.kernel,
      recorded.where and " at " .. recorded.where or "", i and format(" of chunk %d", i) or "")
  elseif kernel then
    return format("Kernel %s failed%s.", kernel, i and "; chunk " .. i .. " launched it" or "")
  end
  if err == nil then
    kernel = select(2, core.launch_count()) -- a chunk has caught the error
  else
    kernel = is_sticky(err) and rawget(err, "kernel") or nil
  end
  return kernel and format("The kernel launched last is %s%s.", kernel, i and ", in chunk " .. i or "")
end

-- On the software device the error has named the line already.
local function names_line(err) return is_sticky(err) and match(rawget(err, "detail") or "", "^kernel [^\n]*:%d+") end

-- What the process has lost; the software device is no GPU.
local function device() return loaded["cudalua.core"].driver_info().soft and "device" or "GPU" end

---Says once what is lost.
---@param prompt cudalua.prompt.Prompt
---@param err any  that told of it, if one did
---@return boolean told  just now
function M.tell(prompt, err)
  local why = not prompt.told and M.why()
  if not why then return false end
  prompt.told = true
  local lost, alive = {}, {}
  for _, one in ipairs(M.holders(prompt.session)) do
    local list = one.on_device and lost or alive
    list[#list + 1] = one
  end
  local lines = { format("This process can no longer use the %s (%s), and its device memory is lost.", device(), why),
    culprit(prompt, err) }
  if #lost > 0 then lines[#lines + 1] = "Lost:\n" .. aligned(lost) end
  lines[#lines + 1] = "Your Lua values are unchanged, and so " ..
    (#alive > 0 and "are these arrays in host memory:\n" .. aligned(alive) or "is host memory.")
  if prompt.command then
    lines[#lines + 1] = "Type :restart for a new process; :restart all also reruns the chunks that did not fail."
  else
    lines[#lines + 1] = format("Only a new process can use the %s again.", device())
  end
  if loaded["cudalua.core"].recorded() then
    lines[#lines + 1] = "Type :replay to see which line of the kernel it was."
  elseif not names_line(err) then
    lines[#lines + 1] = "After cuda.debug.record(true), :replay names the line of the kernel."
  end
  prompt.write(concat(lines, "\n") .. "\n")
  return true
end

---The text of an error; after the loss was told, one line.
---@param prompt cudalua.prompt.Prompt
---@param failure cudalua.text.Failure
---@return string
function M.text(prompt, failure)
  if not (prompt.told and is_sticky(failure.err)) then return frames.text(failure) end
  local where = rawget(failure.err, "where")
  return format("%sthis process can no longer use the %s (%s); %s", where and where .. ": " or "", device(), M.why(),
    prompt.command and ":restart starts a new one" or "only a new process can use it again")
end

---The text of a value that is lost.
---@param x any
---@return string?  nil: it is not, or not an array
function M.value_text(x)
  if getmetatable(x) ~= "cudalua.gpuarray" or not M.why() then return nil end
  return format("<lost: %s %s, %s>", x.dtype.name, layout.text(x.shape), bytes_text(x.nbytes))
end

return M
