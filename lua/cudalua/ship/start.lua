-- Starts a program that `cudalua build` put into a folder: the entry of its launcher.
--   luajit -E start.lua FILES PROGRAM [arguments]    FILES: the folder NAME.files; PROGRAM: a path below FILES/app

local exit, loaded = os.exit, package.loaded
local root, program = arg[1], arg[2]
local name = root:match "([^/]*)%.files$" or program

-- Closes the state, unless that would wait for a kernel that was left running.
local function leave(status)
  local core = loaded["cudalua.core"]
  exit(status, not (core and core.still_running()))
end

local function fail(text)
  io.stdout:flush()
  io.stderr:write(name, ": ", text, "\n")
  leave(1)
end

if type(jit) ~= "table" then fail("it needs LuaJIT 2.1; this is " .. _VERSION) end

-- LuaJIT's own folders stay, for its jit.* modules; the working directory does not.
local function behind(path) return (path:gsub("^%./%?[^;]*;", "")) end
package.path = ("%s/app/?.lua;%s/app/?/init.lua;%s/lua/?.lua;%s/lua/?/init.lua;"):format(root, root, root, root) ..
  behind(package.path)
package.cpath = ("%s/cmod/?.so;"):format(root) .. behind(package.cpath)

local works, why = pcall(require, "cudalua.core")
if not works then
  fail("the library does not load; it needs Linux on x86-64 with a C library as new as the builder's\n" .. why)
end
local folder
folder, why = require("cudalua.compiler.exported").use(root .. "/images")
if not folder then fail(("the kernels in %s/images cannot be used: %s"):format(root, why)) end

local script = root .. "/app/" .. program
local chunk, err = loadfile(script)
if not chunk then fail(err) end
local arguments = { [-1] = arg[-1], [0] = script }
for i = 3, #arg do arguments[i - 2] = arg[i] end
_G.arg = arguments -- luacheck: ignore 122
local frames = require "cudalua.text.frames"
local ok, failure = frames.call(chunk, unpack(arguments))
if not ok then fail(frames.text(failure)) end
leave(0)
