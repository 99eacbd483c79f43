-- Finalizers at every place: a function is called between two lines of the library's Lua, as a finalizer of the user's
-- may be, while another one is under way.

local M = {}

local getinfo, sethook = debug.getinfo, debug.sethook

-- Lines of a compiled trace call no hook, and a trace of an earlier test may hold them.
local function interpret()
  local compiles = jit.status()
  if compiles then
    jit.flush()
    jit.off()
  end
  return compiles
end

---Calls f(), and inner() before one of the library's lines that f runs: the k-th. The first is the call itself.
---@param f function
---@param inner function
---@param k integer  beyond the last line: inner is not called
---@return any result   of f
---@return integer lines  how many of the library's lines f ran
---@return string? place  where inner was called
function M.call(f, inner, k)
  local lines, place, failure = 0, nil, nil
  local last_line, last_function
  local function interrupt(where)
    place = where
    local ok, err = pcall(inner)
    if not ok then failure = err end
  end
  -- Behind a call into C, LuaJIT may report the same line once more, in the middle of it. Finalizers run where memory
  -- is allocated, and what has to be one step stands on one line that allocates nothing.
  local function between(_, line)
    local info = getinfo(2, "Sf")
    local source, is_again = info.source, line == last_line and info.func == last_function
    last_line, last_function = line, info.func
    if place or is_again or not source:find("lua/cudalua/", 1, true) then return end
    lines = lines + 1
    if lines < k then return end
    interrupt(("%s:%d"):format(source:match "cudalua/.*", line))
  end
  local compiles = interpret()
  if k == 1 then interrupt "the call" end
  sethook(between, "l")
  local ok, result = pcall(f)
  sethook()
  if compiles then jit.on() end
  if not ok then error(("with a finalizer at %s: %s"):format(place, tostring(result)), 0) end
  if failure then error(("a finalizer at %s: %s"):format(place, tostring(failure)), 0) end
  return result, lines, place
end

---Calls it with inner() at so many places of f, or at all of them.
---@param f function      returns something that text() of equal results is equal for
---@param inner function
---@param most integer
---@param text fun(result: any): string
---@return string? wrong  where the result was another one
---@return integer places
function M.sweep(f, inner, most, text)
  for _ = 1, 3 do f() end -- what is made once is there
  for _ = 1, 2 do inner() end
  local want, compiles = text(f()), interpret()
  local _, lines = M.call(f, inner, math.huge)
  local step = math.max(lines / most, 1)
  local k, places = math.random() * (step - 1) + 1, 0
  while k <= lines do
    local result, _, place = M.call(f, inner, math.floor(k))
    local got = text(result)
    if got ~= want then
      if compiles then jit.on() end
      return ("with a finalizer at %s: %s instead of %s"):format(place, got, want), places
    end
    k, places = k + step, places + 1
  end
  if compiles then jit.on() end
  return nil, places
end

return M
