-- Calls of a program whose errors come with its own frames of the stack, without those of whoever called it.

-- Taken now: a program may put anything in their place.
local getinfo, getmetatable = debug.getinfo, debug.getmetatable
local concat, find, format, match, sub = table.concat, string.find, string.format, string.match, string.sub
local create, resume, wrap = coroutine.create, coroutine.resume, coroutine.wrap
local loaded = package.loaded
local error, ipairs, rawequal, rawget, require, type, xpcall = error, ipairs, rawequal, rawget, require, type, xpcall

local M = {}

local OWN = getinfo(1, "S").source
local LIBRARY = "^" .. OWN:match "^(.*)text/frames%.lua$":gsub("%p", "%%%0")
local MOST = 20 -- frames that are listed: the innermost half and the outermost

-- How many levels there are from `level` on, in a thread that is not running or (nil) in this one. A level costs as
-- much as it is deep.
local function count(thread, level)
  local function exists(n)
    if thread then return getinfo(thread, level + n, "l") end
    return getinfo(level + n + 2, "l") -- this function and count()
  end
  if not exists(0) then return 0 end
  local known, over = 0, 1
  while exists(over) do known, over = over, over * 2 end
  while over - known > 1 do
    local middle = (known + over - (known + over) % 2) / 2
    if exists(middle) then known = middle else over = middle end
  end
  return known + 1
end

local function text_of(info, main, err)
  local place = info.short_src
  if info.currentline > 0 then
    place = place .. ":" .. info.currentline
  elseif type(err) == "string" and info.what ~= "C" and sub(err, 1, #place + 1) == place .. ":" then
    place = match(err, "^:%d+", #place + 1) and place .. match(err, "^:%d+", #place + 1) or place
  end
  if info.what == "main" or info.func == main then return place .. ": in main chunk" end
  if info.name then return format("%s: in function '%s'", place, info.name) end
  if info.what == "C" then return place .. ": in a C function" end
  return format("%s: in function <%s:%d>", place, info.short_src, info.linedefined)
end

-- The frames first..last as lines of `list`. Of a library's error (a table) its own frames are of no interest, nor of
-- any error the C functions that raised it.
local function add(list, thread, first, last, err, main)
  local gap = last - first + 1 > MOST and first + MOST / 2
  local level, before = first, #list
  while level <= last do
    if level == gap then
      level = last - MOST / 2 + 1
      list[#list + 1] = format("... (%d frames)", level - gap)
    end
    local info
    if thread then info = getinfo(thread, level, "Snlf") else info = getinfo(level + 1, "Snlf") end
    local hidden = info.source == OWN or type(err) == "table" and find(info.source, LIBRARY) or
      #list == before and info.what == "C"
    if not hidden then list[#list + 1] = text_of(info, main, err) end
    level = level + 1
  end
end

-- The frames of the coroutines that the last error came through.
local through = { err = nil, list = nil }

---What an error leaves.
---@class cudalua.text.Failure
---@field err any
---@field frames string[]  the innermost first

---Calls f(...).
---@param f function
---@param ... any
---@return boolean ok
---@return any ...  what it returned, or a cudalua.text.Failure
function M.call(f, ...)
  local above = count(nil, 1) + 1 -- and xpcall
  local raised -- the first error: a handler that fails is called for its own
  local function handler(err)
    raised = raised or err
    local list = {}
    if through.list and rawequal(through.err, err) then
      for i, line in ipairs(through.list) do list[i] = line end
    end
    through.err, through.list = nil, nil
    add(list, nil, 2, count(nil, 1) - above, err, f)
    return { err = err, frames = list }
  end
  through.err, through.list = nil, nil
  -- A call of its own, for a tail call would lose this function's frame. After a stack overflow there is no room to
  -- look at frames: the handler fails, or is not called.
  local function results(ok, ...)
    if ok or type(...) == "table" then return ok, ... end
    return false, { err = raised == nil and (...) or raised, frames = {} }
  end
  return results(xpcall(f, handler, ...))
end

---As coroutine.wrap(), and an error that passes keeps the coroutine's frames.
---@param f function
---@return function
function M.wrap(f)
  if type(f) ~= "function" then return wrap(f) end
  local co = create(f)
  local function results(ok, ...)
    if ok then return ... end
    local err = ...
    local list = through.list and rawequal(through.err, err) and through.list or {}
    add(list, co, 0, count(co, 0) - 1, err, nil)
    through.err, through.list = err, list
    error(err, 0)
  end
  return function(...) return results(resume(co, ...)) end
end

---The message of an error: its text, or the contents of a table that has none.
---@param err any
---@return string
function M.message(err)
  if type(err) == "string" then return err end
  -- Errors that the core raises have their text from there, and Ctrl-C may be the first.
  if type(err) == "table" and loaded["cudalua.core"] then require "cudalua.base.errors" end
  local mt = getmetatable(err)
  local text = require("cudalua.text.value").text(err)
  if type(mt) == "table" and rawget(mt, "__tostring") ~= nil then return text end
  return "error object: " .. text
end


---The message, and the frames if they say more than the message.
---@param failure cudalua.text.Failure
---@return string
function M.text(failure)
  local message, list = M.message(failure.err), failure.frames
  local place = #list == 1 and match(list[1], "^(.-:%d+:) in main chunk$")
  if #list == 0 or place and sub(message, 1, #place) == place then return message end
  return message .. "\nstack traceback:\n\t" .. concat(list, "\n\t")
end

return M
