-- Each Lua program in README.md and docs/ does what the page says (spec/support/pages.lua has the rules).
local core = require "cudalua.core"
local gpu = require "spec.support.gpu"
local turn = require "spec.support.turn"
local pages = require "spec.support.pages"
local gallery = require "tools.gallery"

local function documents()
  local list = { "README.md" }
  local pipe = assert(io.popen "ls docs/*.md")
  for path in pipe:lines() do list[#list + 1] = path end
  pipe:close()
  return list
end

-- What the programs of a page need besides.
local devices = gpu.soft and " CUDALUA_SOFT_DEVICES=2" or ""
-- README's first program writes the picture that the page shows, here into a folder of its own.
local written = core.realpath(assert(core.make_folder((os.getenv "TMPDIR" or "/tmp") .. "/cudalua-spec-")))
teardown(function() os.execute(("rm -rf '%s'"):format(written)) end)

local function environment(path)
  if path == "README.md" then return ("cd '%s' && %s"):format(written, gpu.driver) end
  return gpu.driver .. (path == "docs/devices.md" and devices or "")
end

local enough = gpu.soft or gpu.cuda.Device.count() > 1

-- Runs some blocks of a page as one program and compares what each of them printed.
local function check(path, blocks)
  local output = gpu.child(pages.program(path, blocks), environment(path))
  local printed, finished = pages.outputs(output, #blocks)
  assert(finished, ("%s: the program did not come to its end:\n%s"):format(path, output))
  for i, b in ipairs(blocks) do
    if not pages.agree(printed[i], b.shown) then
      error(("%s:%d: the block printed\n%s\nthe page shows\n%s"):format(path, b.line, printed[i], b.shown or "nothing"))
    end
  end
end

describe("documents", function()
  local it = turn.tests(it, 8) -- luacheck: ignore 431
  for _, path in ipairs(documents()) do
    local blocks = pages.blocks(path)
    if #blocks > 0 then
      it(path .. ": its programs do what it says", function()
        if path == "docs/devices.md" and not enough then return pending "needs two GPUs" end
        local together = {}
        for _, b in ipairs(blocks) do
          if b.kind == "alone" then check(path, { b }) else together[#together + 1] = b end
        end
        if #together > 0 then check(path, together) end
        assert.is_true(#blocks > 0)
      end)
    end
  end
end)

if gpu.soft then -- the last program chooses the software device
  it("docs/kernels.md can be pasted from top to bottom into one session", function()
    check("docs/kernels.md", pages.blocks "docs/kernels.md")
  end)
end

describe("README's picture", function()
  it("is what its first program computes", function()
    local blocks = pages.blocks "README.md"
    check("README.md", { blocks[1] })
    local made = gpu.cuda.gpuarray.to_gpu(gpu.cuda.io.load_image(written .. "/mandelbrot.png"))
    local shown = gpu.cuda.gpuarray.to_gpu(gpu.cuda.io.load_image "docs/pictures/mandelbrot.png")
    assert.same({ 384, 480, 3 }, { shown.shape[1], shown.shape[2], shown.shape[3] })
    assert.is_true(made.shape == shown.shape)
    -- A GPU may round a point on the border of the set in another way.
    assert.is_true(made:ne(shown):mean():item() < 0.005)
  end)
end)

describe("the start page", function()
  it("has every page of the manual", function()
    local file = assert(io.open "docs/start.md")
    local text, missing, count = file:read "*a", {}, 0
    file:close()
    for _, path in ipairs(documents()) do
      local name = path:match "^docs/(.*)$"
      if name and name ~= "start.md" then
        count = count + 1
        if not text:find(("](%s)"):format(name), 1, true) then missing[#missing + 1] = name end
      end
    end
    assert.same({}, missing)
    assert.is_true(count > 30)
  end)
end)

describe("the gallery", function()
  local function read(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read "*a"
    file:close()
    return text
  end

  it("has an entry for every example, once", function()
    local page, examples = read "docs/gallery.md", 0
    local pipe = assert(io.popen "ls examples/[0-9]*.lua")
    for path in pipe:lines() do
      examples = examples + 1
      local _, found = page:gsub(("](../%s)"):format(path):gsub("%p", "%%%0"), "")
      assert.equal(1, found, path)
    end
    pipe:close()
    assert.is_true(examples >= 30)
    assert.equal(examples, #gallery.entries())
  end)

  it("shows pictures that exist, are small, and have an entry", function()
    local page, total, known = read "docs/gallery.md", 0, {}
    for _, entry in ipairs(gallery.entries()) do
      local path = gallery.picture(entry)
      if path then
        local bytes = read(path)
        known[path], total = true, total + #bytes
        assert.is_true(#bytes < gallery.MOST, path)
        assert.truthy(page:find(("![%s](%s)"):format(entry.alt, (path:gsub("^docs/", ""))), 1, true), path)
        assert.is_true(gpu.cuda.io.load_image(path).shape[2] <= gallery.WIDTH)
      end
    end
    assert.is_true(total < 1000000)
    local pipe = assert(io.popen("ls " .. gallery.FOLDER .. "/*"))
    for path in pipe:lines() do assert.is_true(known[path], path .. " belongs to no example") end
    pipe:close()
  end)
end)

describe("the check of documents", function()
  local function page(text)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    file:write(text)
    file:close()
    local blocks = pages.blocks(path)
    local ok, err = pcall(check, path, blocks)
    os.remove(path)
    return ok, tostring(err), blocks, path
  end

  it("takes a page that is right", function()
    local ok, err, blocks = page [[
```lua
local a = 1
print(a) --> 1
```
between
```sh
echo no
```
```lua
print("x" .. a + 1)
print "y"
```
```text
x...
y
```
```lua error
error("line " .. a, 0)
```
```text
line 1
```
]]
    assert(ok, err)
    assert.equal(3, #blocks)
  end)

  it("finds what is wrong", function()
    local function wrong(text, expected)
      local ok, err = page(text)
      assert.is_false(ok)
      assert.truthy(err:find(expected, 1, true), err)
    end
    wrong("```lua\nprint(2) --> 3\n```\n", "the block printed\n2")
    wrong("```lua\nprint(2)\n```\n", "the page shows\nnothing")
    wrong("```lua\nlocal x = 1\n```\n```text\n1\n```\n", "the page shows\n1")
    wrong("```lua error\nlocal x = 1\n```\n", "did not come to its end")
    wrong("x\n\n```lua\nlocal x = nil\nlocal y = x.y\n```\n", ":5: attempt to index")
    wrong("```lua\nos.exit(0)\n```\n", "did not come to its end")
  end)

  it("understands the dots", function()
    assert.is_true(pages.agree("a\nb\nc\n", "a\n...\nc\n"))
    assert.is_true(pages.agree("a\nc\n", "a\n...\nc\n"))
    assert.is_true(pages.agree("took 3 ms (50%)\n", "took ... ms (50%)\n"))
    assert.is_true(pages.agree("", nil))
    assert.is_false(pages.agree("a\nb\n", "a\n...\nc\n"))
    assert.is_false(pages.agree("took 3 s\n", "took ... ms\n"))
    assert.is_false(pages.agree("axc\n", "a.c\n"))
    assert.is_false(pages.agree("a\nb\n", "a\n"))
  end)
end)
