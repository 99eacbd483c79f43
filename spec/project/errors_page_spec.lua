-- docs/errors.md has every hint that the sources give, and none that they do not.
local hints = require "spec.support.hints"

local function content(path)
  local file = assert(io.open(path))
  local text = file:read "*a"
  file:close()
  return text
end

-- The files with hints: path -> text.
local function sources()
  local files, pipe = {}, assert(io.popen "find lua src/cudalua -type f")
  for path in pipe:lines() do
    if path:find "%.lua$" and not path:find "help/index%.lua$" or path:find "%.c$" then files[path] = content(path) end
  end
  pipe:close()
  return files
end

-- All pieces of hints, each with the file that gives it.
local function pieces_of(files)
  local pieces, constants = {}, {}
  local function note(path)
    return function(text)
      for _, piece in ipairs(hints.pieces(text)) do pieces[piece] = path end
    end
  end
  for path, text in pairs(files) do
    hints.of(path, text, note(path), function(name) constants[name] = true end)
  end
  for name in pairs(constants) do
    local found = false
    for path, text in pairs(files) do
      for value in hints.constants(text, name) do
        found = true
        note(path)(value)
      end
    end
    assert(found, "no file defines " .. name)
  end
  return pieces
end

-- The hints of the page: the first columns of its tables of hints.
local function of_page(text)
  local list, inside = {}, false
  for line in text:gmatch "[^\n]+" do
    if line:find "^| hint |" then inside = true elseif not line:find "^|" then inside = false end
    local first = inside and line:match "^| (.-) |"
    if first and first ~= "hint" and first ~= "---" then list[#list + 1] = first end
  end
  return list
end

local function missing(pieces, page)
  local all, wrong = table.concat(page, "\n"), {}
  for piece, path in pairs(pieces) do
    if not all:find(piece, 1, true) then wrong[#wrong + 1] = ("%s: %s"):format(path, piece) end
  end
  table.sort(wrong)
  return table.concat(wrong, "\n")
end

-- Rows without a part that is still a hint.
local function invented(pieces, page)
  local wrong = {}
  for _, row in ipairs(page) do
    local known = false
    for piece in pairs(pieces) do known = known or row:find(piece, 1, true) ~= nil end
    if not known then wrong[#wrong + 1] = row end
  end
  return table.concat(wrong, "\n")
end

describe("docs/errors.md", function()
  local pieces, page = pieces_of(sources()), of_page(content "docs/errors.md")

  it("has every hint of the sources", function()
    local count = 0
    for _ in pairs(pieces) do count = count + 1 end
    assert.is_true(count > 80, count .. " hints were found")
    assert.equal("", missing(pieces, page))
  end)

  it("has no hint that the sources do not give", function()
    assert.is_true(#page > 60)
    assert.equal("", invented(pieces, page))
  end)

  it("names every class of errors", function()
    local text = content "docs/errors.md"
    for _, name in ipairs { "LogicError", "MemoryError", "LaunchError", "RuntimeError", "CompileError",
      "InterruptError", "LinAlgError" } do
      assert.truthy(text:find("| `" .. name .. "` | ", 1, true), name)
    end
  end)

  it("has every field of errors", function()
    local text = content "docs/errors.md"
    local count = 0
    for name in content "lua/cudalua/base/errors.lua":gmatch "%-%-%-@field ([%l_]+)" do
      count = count + 1
      assert.truthy(text:find("`" .. name .. "`", 1, true), name)
    end
    assert.is_true(count > 15)
  end)
end)

describe("the check of hints", function()
  local function found(path, text)
    local list = {}
    hints.of(path, text, function(hint)
      for _, piece in ipairs(hints.pieces(hint)) do list[#list + 1] = piece end
    end, function(name) list[#list + 1] = name end)
    return table.concat(list, "|")
  end

  it("reads Lua", function()
    assert.equal("install the thing|run it without the thing", found("x.lua",
      'raise(a, "no hint here", { hint = "install " .. \n "the thing", other = "another string" })\n' ..
      'x.hint = y and "run it without the thing"\nlocal z = "not a hint at all"\n'))
    assert.equal("first words of it|last words of it", found("x.lua",
      'f { hint = ("first words of it %s last words of it"):format(x) }'))
    assert.equal("INSTALL", found("x.lua", 'f("text", { hint = library.INSTALL })'))
    assert.equal("a returned hint", found("x.lua", '\nlocal function hint_of(x)\n  return "a returned hint"\nend\n'))
  end)

  it("reads C", function()
    assert.equal("call this function", found("x.c",
      'f("no hint at all");\n lua_pushliteral(L, "call this "\n "function");\n lua_setfield(L, -2, "hint");'))
    assert.equal("the first hint|the second hint", found("x.c",
      '\nstatic const char *hint_for(int x) {\n return x ? "the first hint" : "the second hint";\n}\n'))
  end)

  it("finds a hint that is missing and one that is invented", function()
    assert.equal("x.lua: another piece", missing({ ["one piece here"] = "x.lua", ["another piece"] = "x.lua" },
      { "... one piece here" }))
    assert.equal("made up", invented({ ["one piece here"] = "x.lua" }, { "one piece here", "made up" }))
  end)
end)
