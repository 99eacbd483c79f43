-- What nvcc knows without an #include and code for the device can use: writes spec/data/golden/nvcc_names.txt.
--
--     ./dev run spec/data/golden/make_nvcc_names.lua /usr/local/cuda/bin/nvcc
--
-- Names come from the preprocessor: macros, and the last word of each typedef. Each stands for a variable of the device;
-- a line that nvcc refuses is left out, and what is left is compiled. A constant's line in the list is the variable as
-- PTX has it, which tells type and bits; a type's is its size, is it signed, does it hold fractions.
-- spec/compiler/nvcc_names_spec.lua compares. To be run again for a new major version of CUDA.
local nvcc = arg[1] or "nvcc"
local folder = os.tmpname()
os.remove(folder)
os.execute("mkdir " .. folder)
local source, image, log = folder .. "/names.cu", folder .. "/names.ptx", folder .. "/log"

local function write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

local function read(path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  return text
end

local function run(options)
  os.execute(("%s -arch=sm_75 %s %s >%s 2>&1"):format(nvcc, options, source, log))
  return read(log)
end

-- What only a host can use: the compiler's and CUDA's own, long double and _Float32 and the like, signalling NaNs, how
-- the C library tells of errors, numbers and types of files, processes, users, threads and clocks.
local left_out = { "^_", "^cu", "^CU", "^M_[%u%d_]+[fl]%d*x?$", "^SNAN", "^MATH_ERR", "^math_err", "^FP_INT_", "^FP_LLOGB",
  "^HUGE_VALL$", "^HUGE_VAL_F", "^pthread_", "^fs", "^blk", "^[dgikpu]d?_t$", "^[gpu]id_t$", "^[dfi]", "^key_t$", "^loff_t$", "^mode_t$", "^nlink_t$",
  "^off", "^u?s?useconds_t$", "^clockid_t$", "^timer_t$" }
local function own(name)
  if name:find "^M_%u[%u%d_]*f$" or name:find "^M_%d[%u%d_]*f$" or name:find "^int%d+_t$" or name:find "^double" or name:find "^float" then return true end
  for _, pattern in ipairs(left_out) do
    if name:find(pattern) then return false end
  end
  return true
end

-- Names that are macros of limits.h and math.h, or types; sorted, each once.
local function candidates()
  write(source, "\n")
  local seen, list = {}, {}
  local function add(kind, name)
    if own(name) and not seen[name] then
      seen[name] = true
      list[#list + 1] = { kind = kind, name = name }
    end
  end
  local header = ""
  for line in run("-E -Xcompiler -dD"):gmatch "[^\n]+" do
    header = line:match '^# %d+ "([^"]+)"' or header
    local name = line:match "^#define ([%w_]+) %S"
    local known = header:find "/limits%.h$" or header:find "/math%.h$" or header:find "/fp%-logb%.h$"
    if name and known and not header:find "/linux/" then add("constant", name) end
  end
  local text = run("-E"):gsub("#[^\n]*\n", " "):gsub("%s+", " ")
  for declaration in text:gmatch "typedef ([^;{}]*[^;{} ]) ?;" do
    add("type", declaration:match "([%a_][%w_]*)[%[%]%d ]*$" or "_")
  end
  table.sort(list, function(a, b) return a.kind .. a.name < b.kind .. b.name end)
  return list
end

local forms = {
  constant = "__device__ decltype((%s) + 0) n_%s = %s;",
  type = "__device__ int n_%s = sizeof(%s) * 100 + ((%s)-1 < (%s)0) * 10 + ((%s)0.5 != (%s)0);",
}

local function text_of(list)
  local lines = {}
  for i, one in ipairs(list) do
    lines[i] = forms[one.kind]:gsub("%%s", one.name)
  end
  return table.concat(lines, "\n") .. "\n"
end

local list = candidates()
repeat
  write(source, text_of(list))
  local wrong = {}
  for line in run("-ptx -o " .. image):gmatch "names%.cu%((%d+)%): error" do wrong[tonumber(line)] = true end
  local left = {}
  for i, one in ipairs(list) do
    if not wrong[i] then left[#left + 1] = one end
  end
  list = left
until next(wrong) == nil

local ptx, lines = read(image), {}
for _, one in ipairs(list) do
  local declared = assert(ptx:match("%.global (%.align %d+ %.%w+) n_" .. one.name .. "[ ;]"), one.name)
  local value = ptx:match("n_" .. one.name .. " = ([^;]+);") or "0"
  lines[#lines + 1] = ("%s %s %s = %s"):format(one.kind, one.name, declared, value)
end
write("spec/data/golden/nvcc_names.txt", table.concat(lines, "\n") .. "\n")
os.execute("rm -r " .. folder)
print(#lines .. " names")
