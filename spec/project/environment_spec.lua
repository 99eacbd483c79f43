-- docs/environment.md has every environment variable that the sources read, and no other.
local variables = require "spec.support.variables"

local PAGE = "docs/environment.md"

local function content(path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  return text
end

-- name -> path -> true: all reads, and the words of the library's own files.
local function of_sources()
  local reads, words = {}, {}
  local pipe = assert(io.popen "find lua src bin dev tools bench spec -type f")
  local count = 0
  for path in pipe:lines() do
    local skipped = path:find "/assets/" or path:find "help/index%.lua$" or path == "spec/support/variables.lua"
      or path == "spec/project/environment_spec.lua" or path:find "^spec/data/" or path:find "^spec/softgpu/corpus/"
    if not skipped then
      count = count + 1
      local text, of_specs = content(path), path:find "^spec/" ~= nil
      variables.reads(path, text, function(name)
        if of_specs and not name:find "^CUDALUA_" then return end
        reads[name] = reads[name] or {}
        reads[name][path] = true
      end)
      if not of_specs and not path:find "^bench/" then
        variables.words(text, function(name) words[name] = path end)
      end
    end
  end
  pipe:close()
  assert(count > 300, "only " .. count .. " files were found")
  return reads, words
end

-- name -> {names =, files =}, from the tables of the page.
local function of_page(text)
  local rows = {}
  for line in text:gmatch "[^\n]+" do
    local first, last = line:match "^| (`[A-Z].-) | .* | (.-) |$"
    local row = { names = {}, files = {} }
    for name in (first or ""):gmatch "`([A-Z][A-Z0-9_]*)`" do
      assert(not rows[name], name .. " has two rows")
      rows[name] = row
      row.names[name] = true
    end
    for path in (last or ""):gmatch "`([^`]+)`" do row.files[path] = true end
  end
  return rows
end

local function reads_one(reads, names, path)
  for name in pairs(names) do
    if reads[name] and reads[name][path] then return true end
  end
  return false
end

-- What is wrong, a line each.
local function compare(reads, words, rows)
  local wrong = {}
  local function say(...) wrong[#wrong + 1] = (...):format(select(2, ...)) end
  for name, paths in pairs(reads) do
    if not rows[name] then say("%s is read in %s and has no row", name, (next(paths))) end
    for path in pairs(rows[name] and paths or {}) do
      if (path:find "^lua/" or path:find "^src/") and not rows[name].files[path] then
        say("the row of %s does not name %s", name, path)
      end
    end
  end
  for name, path in pairs(words) do
    if not rows[name] then say("%s is named in %s and has no row", name, path) end
  end
  for name, row in pairs(rows) do
    if not reads[name] then say("%s has a row and is not read", name) end
    for path in pairs(row.files) do
      if not reads_one(reads, row.names, path) then say("%s is not read in %s", name, path) end
    end
    if not next(row.files) then say("the row of %s names no file", name) end
  end
  table.sort(wrong)
  return table.concat(wrong, "\n")
end

describe("docs/environment.md", function()
  it("has a row for each variable that is read, and none else", function()
    local reads, words = of_sources()
    assert.equal("", compare(reads, words, of_page(content(PAGE))))
  end)

  it("would be found wrong in both directions", function()
    local rows = of_page "| `CUDALUA_A`, `B_C` | 1 | none | text | `lua/x.lua` |\n"
    assert.same({ names = { CUDALUA_A = true, B_C = true }, files = { ["lua/x.lua"] = true } }, rows.B_C)
    assert.equal(rows.B_C, rows.CUDALUA_A)
    local reads = { CUDALUA_A = { ["lua/x.lua"] = true }, B_C = { ["lua/x.lua"] = true } }
    assert.equal("", compare(reads, {}, rows))
    reads.CUDALUA_A["src/y.c"], reads.B_C, reads.D = true, nil, { dev = true }
    assert.equal("B_C has a row and is not read\nCUDALUA_E is named in lua/z.lua and has no row\n" ..
      "D is read in dev and has no row\nthe row of CUDALUA_A does not name src/y.c",
      compare(reads, { CUDALUA_E = "lua/z.lua" }, rows))
  end)

  it("sees the ways to read a variable", function()
    local function read(path, text)
      local names = {}
      variables.reads(path, text, function(name) names[#names + 1] = name end)
      table.sort(names)
      return table.concat(names, " ")
    end
    assert.equal("A_B C_D E_F", read("x.lua", 'os.getenv "A_B"; env("C_D"); row = { variable = "E_F" }'))
    assert.equal("A B_C", read("x.lua", 'for _, name in ipairs { "A", "B_C" } do\n  f(os.getenv(name))'))
    assert.equal("A", read("x.c", 'char *v = getenv("A");'))
    assert.equal("CUDALUA_SOFT_GANG", read("x.c", '{"GANG", set_gang, NULL} "CUDALUA_SOFT_%s"'))
    assert.equal("A B", read("x.sh", "x=${A:-1} ${B+y} ${C} $D\nE=1\necho ${E:-}"))
    assert.equal("A B", read("x.py", 'os.environ.get("A"); os.environ["B"]'))
  end)
end)
