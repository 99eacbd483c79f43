-- The addon for editors, as tools/addon.lua writes it: what it declares, and what lua-language-server makes of it.
local addon = require "tools.addon"
local annotations = require "tools.annotations"
local contract = require "tools.check_contract"
local core = require "cudalua.core"
local language_server = require "spec.support.language_server"
local luals_types = require "tools.luals_types"
local pages = require "spec.support.pages"
local plain_json = require "spec.support.plain_json"

local CONSTANTS = (os.getenv "CUDALUA_BUILD" or "build") .. "/src/cudalua/constants.inc"

-- The server's own types.
local BUILT_IN = {}
for name in ([[any nil boolean string number integer function table userdata thread self unknown lightuserdata true
  false fun ... ffi.cdata* ffi.ctype* file*]]):gmatch "%S+" do BUILT_IN[name] = true end

-- The addon's declarations, read as the library's own are.
local files = addon.files(CONSTANTS)
local declared, parents = {}, {}
for path, lines in pairs(files) do annotations.parse(table.concat(lines, "\n"), path, declared, parents) end

local function each_tag(tag, f)
  for path, lines in pairs(files) do
    for number, line in ipairs(lines) do
      local rest = line:match("^%-%-%-@" .. tag .. "%s+(.*)$")
      if rest then f(rest, ("%s:%d: %s"):format(path, number, line)) end
    end
  end
end

-- The member of a class or of one that it inherits.
local function member(class, name)
  while class do
    local entry = declared[class .. "." .. name] or declared[class .. ":" .. name]
    if entry then return entry end
    class = parents[class]
  end
end

describe("the addon for editors", function()
  it("is Lua", function()
    for path, lines in pairs(files) do assert(loadstring(table.concat(lines, "\n"), "=" .. path)) end
  end)

  it("names no type that it does not declare", function()
    local classes, problems, count = {}, {}, 0
    each_tag("class", function(rest) classes[rest:match "^[%w_%.]+"] = true end)
    local function check(type, where)
      local ok, read = pcall(luals_types.read, type)
      count = count + 1
      if not ok then problems[#problems + 1] = ("%s: %s"):format(where, read) end
      for _, name in ipairs(ok and read.names or {}) do
        if not classes[name] and not BUILT_IN[name] then problems[#problems + 1] = where .. ": unknown " .. name end
      end
    end
    each_tag("class", function(rest, where)
      local parent = rest:match "^[%w_%.]+:%s*(.*)$"
      if parent then check(parent, where) end
    end)
    each_tag("field", function(rest, where) check(rest:gsub("^%b[]", "x"):match "^%S+%s+(.*)$", where) end)
    each_tag("param", function(rest, where) check(rest:match "^%S+%s+(.*)$", where) end)
    each_tag("operator", function(rest, where)
      local operand, result = rest:match "^%l+(%b())%s*:%s*(.*)$"
      if operand then check(operand, where) end
      check(result or rest:match "^%l+%s*:%s*(.*)$", where)
    end)
    for _, tag in ipairs { "return", "overload", "type" } do each_tag(tag, check) end
    assert.same({}, problems)
    assert.is_true(count > 4000)
  end)

  it("has every name of docs/contract.lua", function()
    local missing = {}
    for _, row in ipairs(contract.rows(dofile "docs/contract.lua")) do
      local full = contract.annotated_name(row)
      local class, name = full:match "^(.*)[%.:]([%w_]+)$"
      if not row.later and not member(class, name) then missing[#missing + 1] = full end
    end
    assert.same({}, missing)
  end)

  it("has the modules that load late as fields of the module", function()
    for _, name in ipairs { "gpuarray", "ndarray", "linalg", "fft", "random", "curandom", "sparse", "dtype", "io" } do
      local field = assert(declared["cudalua." .. name], name)
      assert.is_true(field.kind == "field" or field.kind == "class")
    end
    local cuda = {}
    for _, line in ipairs(files["cudalua.lua"]) do
      local name, type = line:match "^%-%-%-@field ([%w_]+) (cudalua[%w_%.]*)%f[^%w_%.]"
      if name then cuda[name] = type end
    end
    assert.equal("cudalua.gpuarray", cuda.gpuarray)
    assert.equal("cudalua.random", cuda.curandom)
    assert.equal("cudalua", cuda.driver)
  end)

  it("has the operators of arrays and sparse matrices", function()
    for class, operators in pairs {
      ["cudalua.gpuarray.Array"] = { "add", "sub", "mul", "div", "mod", "pow", "unm" },
      ["cudalua.ndarray.Array"] = { "add", "sub", "mul", "div", "mod", "pow", "unm" },
      ["cudalua.sparse.Matrix"] = { "add", "sub", "mul", "div", "unm" },
    } do
      local results = {}
      for _, text in ipairs(declared[class].operators) do results[text:match "^%l+"] = text:match ":%s*([%w_%.]+)$" end
      for _, operator in ipairs(operators) do assert.equal(class, results[operator]) end
    end
  end)

  it("has the options of functions as classes, also where they are another function's", function()
    local std = assert(declared["cudalua.gpuarray.std.Options"])
    assert.equal("class", std.kind)
    assert.matches("^integer|integer%[%]", declared["cudalua.gpuarray.std.Options.axis"].text[1])
    assert.matches("^number", declared["cudalua.gpuarray.std.Options.ddof"].text[1])
    assert.matches("^cudalua.gpuarray.std.Options", member("cudalua.gpuarray.Array", "std").params[1].type)
    local without = 0
    each_tag("param", function(rest)
      if rest:find "^options?%? %b{}" then without = without + 1 end
    end)
    assert.equal(0, without)
  end)

  it("has the names of the constants, and attributes as fields", function()
    assert.truthy(member("cudalua.constants.ctx_flags", "SCHED_SPIN"))
    assert.truthy(member("cudalua.Device", "warp_size"))
    assert.truthy(member("cudalua.Function", "num_regs"))
  end)
end)

describe("lua-language-server", function()
  local folder

  setup(function()
    if not language_server.path then return end
    folder = core.realpath(assert(core.make_folder((os.getenv "TMPDIR" or "/tmp") .. "/cudalua-spec-")))
    addon.write(folder .. "/addon", CONSTANTS)
    os.execute(("mkdir '%s/program' && cp examples/*.lua '%s/program'"):format(folder, folder))
  end)

  teardown(function()
    if folder then os.execute(("rm -rf '%s'"):format(folder)) end
  end)

  local function settings()
    local config = assert(io.open(folder .. "/addon/config.json"))
    local flat = plain_json.decode(config:read "*a").settings
    config:close()
    local nested = { workspace = { library = { folder .. "/addon/library" }, checkThirdParty = false } }
    for name, value in pairs(flat) do
      local group, key = name:match "^Lua%.(%w+)%.(%w+)$"
      nested[group] = nested[group] or {}
      nested[group][key] = value
    end
    return nested
  end

  -- Settings for the files of a folder; the addon itself has no library.
  local function configure(name)
    local rc = assert(io.open(("%s/%s/.luarc.json"):format(folder, name), "w"))
    local own = settings()
    if name:find "addon" then own.workspace.library = nil end
    rc:write(plain_json.encode(own))
    rc:close()
  end

  it("completes modules and options, and keeps the types of expressions", function()
    if not language_server.path then pending "no lua-language-server: set CUDALUA_LLS"; return end
    local server = language_server.start(folder .. "/program", settings(), folder)
    server:open("typed.lua", [[
local cuda = require "cudalua"
local a = cuda.gpuarray.zeros({ 2, 3 }, "float32")
local b = cuda.gpuarray.ones { 2, 3 }
local total = (a * b):sum()
local scaled = (2 * a - b / 3):exp()
local host = a:get()
local stream = cuda.Stream()
local q, r = cuda.linalg.qr(a)
local m = cuda.sparse.csr(a) * 2
local late = cuda.gpuarray.
local other = cuda.gpu
local reduced = a:sum { }
local random = require "cudalua.random"
local drawn = random.normal(0, 1, { 3 })
local flag = cuda.ctx_flags.
local typed = cuda.gpuarray.si
local named = cuda.gpuarray.con
local kernel = cuda.ker
local made = cuda.Str
local running = cuda.scan.InclusiveScanKernel("float32", "a + b")(a)
]])
    for line, word in pairs { [4] = "total", [5] = "scaled", [8] = "q", [14] = "drawn", [20] = "running" } do
      assert.matches("cudalua%.gpuarray%.Array", server:hover(line, word))
    end
    assert.matches("cudalua%.ndarray%.Array", server:hover(6, "host"))
    assert.matches("cudalua%.Stream", server:hover(7, "stream"))
    assert.matches("cudalua%.sparse%.Matrix", server:hover(9, " m"))
    assert.matches("sum of the elements", server:hover(4, "sum"))
    local late = 0
    for _ in pairs(server:completions(10, "gpuarray.")) do late = late + 1 end
    assert.is_true(late >= 100) -- which is where the server stops, until something is typed
    for _, name in ipairs { "sin", "sinh", "sign", "sinc" } do
      assert.is_true(server:completions(16, "gpuarray.si")[name], name)
    end
    for _, name in ipairs { "concatenate", "conj", "conjugate" } do
      assert.is_true(server:completions(17, "gpuarray.con")[name], name)
    end
    assert.is_true(server:completions(11, "cuda.gpu").gpuarray)
    assert.is_true(server:completions(18, "cuda.ker").kernel)
    assert.is_true(server:completions(19, "cuda.Str").Stream)
    local options = server:completions(12, "{ ")
    for _, name in ipairs { "axis", "keepdims", "dtype", "out", "stream" } do assert.is_true(options[name], name) end
    assert.is_true(server:completions(15, "ctx_flags.").SCHED_SPIN)
    server:close()
  end)

  -- pcall gives the results of the function or its error, which the server takes for one of the results; and io.open
  -- may give nil, which short programs do not look at.
  local function is_of_lua(problem)
    return problem:find "need%-check%-nil" or problem:find "Undefined field `code`" or
      problem:find "Undefined field `name`" or problem:find "Undefined field `detail`"
  end

  it("has nothing to say against the programs of the manual", function()
    if not language_server.path then pending "no lua-language-server: set CUDALUA_LLS"; return end
    local count = 0
    local function write(name, lines)
      local file = assert(io.open(("%s/manual/%s.lua"):format(folder, name), "w"))
      file:write(table.concat(lines, "\n"), "\n")
      file:close()
      count = count + 1
    end
    os.execute(("mkdir '%s/manual'"):format(folder))
    local list = assert(io.popen "ls docs/*.md README.md")
    for path in list:lines() do
      local together, name = {}, path:match "([^/]*)%.md$"
      for i, block in ipairs(pages.blocks(path)) do
        if block.kind == "alone" then
          write(("%s_%d"):format(name, i), block.code)
        elseif block.kind == "" then
          for _, line in ipairs(block.code) do together[#together + 1] = line end
        end
      end
      if together[1] then write(name, together) end
    end
    list:close()
    configure "manual"
    local problems = {}
    for _, problem in ipairs(language_server.check(folder .. "/manual", folder)) do
      if not is_of_lua(problem) then problems[#problems + 1] = problem end
    end
    assert.same({}, problems)
    assert.is_true(count > 20)
  end)

  it("has nothing to say against the examples and the addon", function()
    if not language_server.path then pending "no lua-language-server: set CUDALUA_LLS"; return end
    for _, name in ipairs { "program", "addon/library" } do
      configure(name)
      assert.same({}, language_server.check(folder .. "/" .. name, folder))
      os.remove(("%s/%s/.luarc.json"):format(folder, name))
    end
    -- It does read the declarations.
    local wrong = assert(io.open(folder .. "/program/wrong.lua", "w"))
    wrong:write 'local cuda = require "cudalua"\nlocal a = cuda.gpuarray.zeros { 3 }\nreturn a:no_such_method()\n'
    wrong:close()
    configure "program"
    local found = language_server.check(folder .. "/program", folder)
    assert.equal(1, #found)
    assert.matches("^wrong.lua:3: undefined%-field", found[1])
  end)
end)
