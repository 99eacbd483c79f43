-- The `cudalua` command: runs a script or a line, tells what is on this machine, or prompts.

local cuda = require "cudalua"

local usage = [==[
usage: cudalua [options] [script [args]]
  (nothing)      interactive prompt
  script [args]  run a Lua program;  -  reads it from standard input
  -e CODE        run a line of Lua;  may be given several times
  -i             prompt after the script or the lines
  info           driver, devices, NVRTC: what was found, and where
  help           this text
  -v, --version  versions of cudalua, LuaJIT and CUDA
  -h, --help     this text as well
CUDALUA_DRIVER=auto|cuda|soft|PATH chooses the driver.
]==]

local function version()
  local major, minor = cuda.get_version()
  return ("%s, %s, built for CUDA %d.%d"):format(cuda._VERSION, jit.version, major, minor)
end

local function dotted(v) return ("%d.%d"):format(math.floor(v / 1000), math.floor(v % 1000 / 10)) end

local function size(bytes) return ("%.1f GiB"):format(bytes / 2 ^ 30) end

-- Says what there is; what is missing comes with what to do about it.
local function info()
  print(version())
  local found, err = pcall(cuda.init)
  if found then
    local driver = cuda.driver_info()
    print(("driver   %s, CUDA %s%s"):format(driver.path, dotted(driver.version),
      driver.soft and " (the software CUDA device)" or ""))
    for i = 0, cuda.Device.count() - 1 do
      local dev = cuda.Device(i)
      print(("device %d %s, compute capability %d.%d, %s"):format(i, dev:name(), (dev:compute_capability()),
        select(2, dev:compute_capability()), size(dev:total_memory())))
    end
  else
    print("driver   none: " .. tostring(err))
  end
  local nvrtc, why = require("cudalua.compiler").nvrtc()
  if nvrtc then
    print(("NVRTC    %s, %d.%d, compiles for %s"):format(nvrtc.path, nvrtc.major, nvrtc.minor,
      table.concat(nvrtc.archs, " ")))
  else
    print("NVRTC    not found; install the CUDA toolkit or the wheel nvidia-cuda-nvrtc, or set CUDA_HOME\n" .. why)
  end
  return found and nvrtc and 0 or 1
end

local function report(err)
  local mt = type(err) ~= "string" and type(err) ~= "number" and debug.getmetatable(err)
  if mt == nil or type(mt) == "table" and not rawget(mt, "__tostring") then -- as luajit says it
    err = ("(error object is a %s value)"):format(type(err))
  end
  local ok, text = pcall(tostring, err)
  io.stderr:write("cudalua: ", ok and type(text) == "string" and text or "(an error whose __tostring fails)", "\n")
  return 1
end

-- Errors of the library carry their own traceback; for others one is made here.
local function traced(err)
  if cuda.is_error(err) then return tostring(err) .. "\n" .. err.traceback end
  return type(err) == "string" and debug.traceback(err, 2) or err
end

local function run(chunk, ...)
  local ok, err = xpcall(chunk, traced, ...)
  if not ok then return report(err) end
  return 0
end

local function main(argv)
  local interactive, lines, i = false, {}, 1
  while argv[i] and argv[i]:sub(1, 1) == "-" and argv[i] ~= "-" do
    local option = argv[i]
    if option == "-h" or option == "--help" then
      io.write(usage)
      return 0
    elseif option == "-v" or option == "--version" then
      print(version())
      return 0
    elseif option == "-i" then
      interactive = true
    elseif option == "-e" then
      i = i + 1
      if not argv[i] then return report "-e needs a line of Lua behind it" end
      lines[#lines + 1] = argv[i]
    elseif option == "--" then
      i = i + 1
      break
    else
      return report("unknown option " .. option .. "\n" .. usage)
    end
    i = i + 1
  end
  _G.cuda = cuda -- the prompt's and -e's own name for the library; scripts require it
  for _, line in ipairs(lines) do
    local chunk, err = loadstring(line, "=(command line)")
    if not chunk then return report(err) end
    local status = run(chunk)
    if status ~= 0 then return status end
  end
  local script = argv[i]
  if script == "info" then return info() end
  if script == "help" then
    io.write(usage)
    return 0
  end
  if script then
    _G.cuda = nil
    local args = { [0] = script }
    for k = i + 1, #argv do args[k - i] = argv[k] end
    _G.arg = args
    local chunk, err = loadfile(script ~= "-" and script or nil)
    if not chunk then return report(err) end
    local status = run(chunk, unpack(args))
    if status ~= 0 or not interactive then return status end
    _G.cuda = cuda
  end
  if script or #lines == 0 or interactive then require("cudalua.prompt.repl").run(version()) end
  return 0
end

os.exit(main(arg), true)
