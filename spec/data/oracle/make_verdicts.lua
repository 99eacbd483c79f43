-- Asks NVIDIA's ptxas which instructions of spec/data/oracle/forms.txt are PTX, and writes its answers to
-- spec/data/oracle/verdicts.txt, which oracle_test compares with the software device's decoder; ptxas is needed only
-- for this. Takes half a minute.
--
--   ./dev build && luajit spec/data/oracle/make_verdicts.lua [BUILD-FOLDER [PTXAS]]
local build = arg[1] or os.getenv("CUDALUA_BUILD") or "build"
local ptxas = arg[2] or "ptxas"
local dir = "spec/data/oracle"

-- In this order: an instruction's letter is the first target that has it.
local targets = { { "8", "80" }, { "9", "90a" }, { "A", "100a" }, { "C", "120a" } }

local head = [[
.version 9.0
.target sm_%s
.address_size 64
.global .align 16 .b8 g[256];
.visible .entry k()
{
.reg .pred %%p<20>; .reg .b16 %%h<20>; .reg .b32 %%w<40>; .reg .b64 %%x<20>; .reg .b128 %%q<20>;
.shared .align 16 .b8 s[256];
b: .branchtargets L1;
L1:
]]
local first_line = select(2, head:gsub("\n", ""))

local function read_lines(command)
  local lines, pipe = {}, assert(io.popen(command))
  for line in pipe:lines() do lines[#lines + 1] = line end
  pipe:close()
  return lines
end

-- Errors about pragmas are told without a line: the number of the instruction that has the quoted text.
local function with_text(instructions, list, line)
  local text = line:match "pragma '([^']*)'"
  for _, i in ipairs(list) do
    if text and instructions[i]:find(('"%s"'):format(text), 1, true) then return i end
  end
end

-- One run of ptxas over the instructions whose numbers are in `list`: those it refuses, by number, and whether it came
-- to the end. A syntax error ends a run at its line.
local function ask(arch, target, instructions, list)
  local name = os.tmpname()
  local file = assert(io.open(name, "w"))
  file:write(head:format(target))
  for _, i in ipairs(list) do file:write(instructions[i], "\n") end
  file:write("ret;\n}\n")
  file:close()
  local refused, whole, errors = {}, true, 0
  for _, line in ipairs(read_lines(("%s -arch %s_%s -o /dev/null %s 2>&1"):format(ptxas, arch, target, name))) do
    local at, kind = line:match(", line (%d+); (%a+)")
    if not kind then kind = line:match "^ptxas (error) " end
    if kind == "error" or kind == "fatal" then
      local i = at and list[tonumber(at) - first_line] or with_text(instructions, list, line)
      assert(i, "ptxas refuses something else: " .. line)
      refused[i] = true
      errors = errors + 1
      whole = whole and kind == "error"
    elseif not line:find("warning", 1, true) and not line:find("aborted due to errors", 1, true) then
      error("ptxas says: " .. line)
    end
  end
  os.remove(name)
  return refused, whole and errors == 0
end

-- Those of `list` that the target has, as a set. What is refused early hides what later steps would refuse, so it is
-- asked again without that.
local function accepted_by(arch, target, instructions, list)
  while true do
    local refused, done = ask(arch, target, instructions, list)
    local rest, set = {}, {}
    for _, i in ipairs(list) do
      if not refused[i] then
        rest[#rest + 1] = i
        set[i] = true
      end
    end
    if done then return set end
    list = rest
  end
end

local function write_verdicts(instructions, verdict)
  local file = assert(io.open(dir .. "/verdicts.txt", "w"))
  file:write("# Written by make_verdicts.lua from forms.txt: - refused by ptxas, else the first target that\n",
    "# has it: 8 sm_80, 9 sm_90a, A sm_100a, C sm_120a; with the number of instructions in a row that it holds for.\n")
  local line, op = "", nil
  local function flush()
    if line ~= "" then file:write(line, "\n") end
    line = ""
  end
  local i = 1
  while i <= #instructions do
    local this = instructions[i]:match("^%.?%w+")
    if this ~= op then
      flush()
      op = this
      file:write("# ", op, "\n")
    end
    local n = 1
    local function goes_on()
      return verdict[i + n] == verdict[i] and instructions[i + n]:match("^%.?%w+") == op
    end
    while goes_on() do n = n + 1 end
    local word = verdict[i] .. (n > 1 and n or "")
    if #line + #word > 118 then flush() end
    line = line == "" and word or line .. " " .. word
    i = i + n
  end
  flush()
  file:close()
end

local instructions = read_lines(("%s/spec/c/oracle_test %s forms"):format(build, dir))
assert(#instructions > 0, "oracle_test was not built in " .. build)
local verdict, left = {}, {}
for i = 1, #instructions do
  verdict[i] = "-"
  left[i] = i
end
for _, target in ipairs(targets) do
  local letter, name = target[1], target[2]
  local plain, pragmas, rest, n = {}, {}, {}, 0
  for _, i in ipairs(left) do
    local list = instructions[i]:find "^%.pragma" and pragmas or plain
    list[#list + 1] = i
  end
  -- Instructions are judged when they are parsed, pragmas when code is generated.
  local set = accepted_by("compute", name, instructions, plain)
  for i in pairs(accepted_by("sm", name, instructions, pragmas)) do set[i] = true end
  for _, i in ipairs(left) do
    if set[i] then
      verdict[i] = letter
      n = n + 1
    else
      rest[#rest + 1] = i
    end
  end
  left = rest
  print(("sm_%-4s has %d that no target before it has"):format(name, n))
end
print(("%d of %d instructions are refused"):format(#left, #instructions))
write_verdicts(instructions, verdict)
