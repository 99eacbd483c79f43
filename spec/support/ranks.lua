-- Programs of several ranks, run by `cudalua run`.
local gpu = require "spec.support.gpu"

local M = {}

local function write(code)
  local path = os.tmpname()
  local file = assert(io.open(path, "w"))
  file:write(code)
  file:close()
  return path
end

---Runs a shell command; returns what it printed, on both outputs, and its status.
function M.command(command)
  local pipe = assert(io.popen("{ " .. command .. "; } 2>&1 </dev/null; echo status $?"))
  local out = pipe:read "*a"
  pipe:close()
  local text, status = out:match "^(.*)status (%d+)\n$"
  return text, tonumber(status)
end

---Runs a Lua program with so many ranks. Arrays move through host memory, unless the environment says otherwise.
---@param n integer
---@param code string
---@param o? {environment: string, arguments: string, before: string, grace: number}
---@return string out     what they printed, in lines with the rank before them
---@return integer status
function M.run(n, code, o)
  o = o or {}
  local path = write(code)
  local program = "%s CUDALUA_DIST_BACKEND=shm CUDALUA_DIST_TIMEOUT=20 %s %s sh bin/cudalua run -n %d %s %s %s"
  local out, status = M.command(program:format(gpu.driver,
    o.environment or "", o.before or "", n, o.grace and "--grace " .. o.grace or "", path, o.arguments or ""))
  os.remove(path)
  return out:gsub(path:gsub("%p", "%%%0"), "program.lua"), status
end

---The lines of each rank, without its number.
---@return table<integer, string[]>
function M.by_rank(out)
  local ranks = {}
  for rank, line in out:gmatch "%[(%d+)%] ([^\n]*)\n" do
    rank = tonumber(rank)
    ranks[rank] = ranks[rank] or {}
    table.insert(ranks[rank], line)
  end
  return ranks
end

---What programs of ranks begin with, on their first line: the library, the world, and checks that name what they
---expected.
M.prelude = ([[
  local cuda, ffi = require "cudalua", require "ffi"
  local gpuarray, ndarray = cuda.gpuarray, cuda.ndarray
  local world = cuda.distributed.init()
  local rank, size = world.rank, world.size
  local function same(expected, got, what)
    if rawequal(expected, got) or expected == got then return end
    error(("%s: expected %s, got %s"):format(what, tostring(expected), tostring(got)), 2)
  end
  local function raises(class, text, f, ...)
    local ok, err = pcall(f, ...)
    if ok or not cuda.is_error(err, class) or not err.message:find(text, 1, true) then
      error(("expected a %s with '%s', got: %s"):format(class, text, ok and "nothing" or tostring(err)), 2)
    end
    return err
  end
]]):gsub("%s*\n%s*", " ") .. "\n"

return M
