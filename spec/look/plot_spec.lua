-- cuda.plot: what stands in the terminal and in SVG files; round ticks; histograms against NumPy's rules; what comes
-- from the device.
local gpu = require "spec.support.gpu"
local pty = require "spec.support.terminal_file"
local scale = require "cudalua.look.scale"
local cuda = gpu.cuda
local ndarray, gpuarray = cuda.ndarray, cuda.gpuarray

setup(function() gpu.context() end)

local function shown(options)
  local parts = {}
  options.to = function(text) parts[#parts + 1] = text end
  assert.equal(0, select("#", cuda.plot(options)))
  return table.concat(parts)
end

local function file_text(options)
  local path = os.tmpname()
  os.remove(path)
  options.file = path .. ".svg"
  assert.equal(0, select("#", cuda.plot(options)))
  local file = assert(io.open(options.file, "rb"))
  local text = file:read "*a"
  file:close()
  os.remove(options.file)
  return text
end

local function count(text, pattern) return select(2, text:gsub(pattern, "")) end

-- Is it well-formed XML, as far as these files go: elements that close, attributes in quotes, known entities?
local function assert_xml(text)
  local open, at = {}, 1
  while at <= #text do
    local first, last, close, name, rest, empty = text:find("<(/?)(%a+)([^<>]-)(/?)>", at)
    local between = text:sub(at, (first or #text + 1) - 1)
    assert.is_nil(between:gsub("&%a+;", ""):find "[&<>]")
    for entity in between:gmatch "&(%a+);" do assert.truthy(("amp lt gt quot "):find(entity .. " ", 1, true)) end
    if not first then break end
    if close == "/" then
      assert.equal(table.remove(open), name)
    else
      assert.equal("", (rest:gsub('%s+[%a%-]+="[^"<>]*"', ""):gsub("%s", "")))
      if empty == "" then open[#open + 1] = name end
    end
    at = last + 1
  end
  assert.equal(0, #open)
end

describe("cuda.plot", function()
  it("cuda.plot draws a line of braille dots, with axes and ticks", function()
    assert.equal([[
 │               ⡠⠊
 │            ⢀⠔⠉
 │          ⣀⠔⠁
2┤       ⢀⡠⠊
 │   ⢀⡠⠔⠊⠁
 │⡠⠔⠊⠁
 └┬───────┬───────┬
  1       2       3
]], (shown { { 1, 2, 3.5 }, width = 20, height = 8 }))
  end)

  it("cuda.plot draws every kind, and names, titles and labels", function()
    local text = shown { { "one", "two" }, { 1, -2 }, kind = "bars", width = 30, height = 12, title = "Title",
      xlabel = "below", ylabel = "left" }
    local lines = {}
    for line in text:gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
    assert.equal(12, #lines)
    assert.truthy(lines[1]:find "^ +Title$")
    assert.equal("left", lines[2])
    assert.truthy(lines[11]:find "^ +one +two$")
    assert.truthy(lines[12]:find "^ +below$")
    assert.truthy(text:find("⣿⣿", 1, true))
    text = shown { { 1, 1, 2, 5 }, kind = "hist", bins = 4, width = 30, height = 10 }
    local width = 0 -- of the bars of 2, 1, 0 and 1 values
    for _ in text:match "2┤([^\n]*)":gmatch "[^\128-\191]" do width = width + 1 end
    assert.equal(7, width)
    assert.truthy(text:find("⣿⣿⡇      ⢸⣿⣿", 1, true))
    text = shown { { 1, 2, 3 }, { 3, 1, 2 }, kind = "scatter", width = 30, height = 10 }
    local dots = 0
    for _, character in ipairs { "⠁", "⠂", "⠄", "⡀", "⠈", "⠐", "⠠", "⢀" } do dots = dots + count(text, character) end
    assert.equal(3, dots)
  end)

  it("cuda.plot is no wider and no higher than the terminal", function()
    for _, size in ipairs { { 20, 8 }, { 41, 13 }, { 80, 22 }, { 133, 40 } } do
      for _, kind in ipairs { "line", "scatter", "bars", "hist" } do
        local y = {}
        for i = 1, 100 do y[i] = (i * 37) % 101 * 1e5 end
        local text = shown { y, kind = kind, width = size[1], height = size[2], title = ("t"):rep(200),
          xlabel = ("x"):rep(200), ylabel = ("y"):rep(300), label = "one" }
        assert.is_true(count(text, "\n") <= size[2])
        for line in text:gmatch "[^\n]*" do
          assert.is_true(count(line, "[^\128-\191]") <= size[1] + (line:find "one" and 3 or 0), kind .. ": " .. line)
        end
      end
    end
  end)

  it("cuda.plot tells series apart, by colours or by marks", function()
    local function series(colour)
      return { { { 0, 1 }, { 0, 1 }, label = "up" }, { { 0, 1 }, { 1, 0 }, label = "down" }, width = 20, height = 8,
        colour = colour }
    end
    local text = shown(series(24))
    assert.truthy(text:find("\27[38;2;59;130;214m──\27[0m up   \27[38;2;232;130;46m──\27[0m down\n", 1, true))
    assert.is_true(count(text, "\27%[38;2;232;130;46m") > 3)
    text = shown(series(0))
    assert.is_nil(text:find "\27")
    assert.truthy(text:find("* up   + down\n", 1, true))
    assert.is_true(count(text, "%*") > 5 and count(text, "%+") > 5)
    assert.truthy(shown(series(8)):find("\27[38;5;", 1, true))
    local terminal = pty.with_environment({ COLORTERM = "truecolor", TERM = "xterm", NO_COLOR = false }, function()
      return pty.written(40, 12, function(file) cuda.plot { { 1, 2 }, to = file } end)
    end)
    assert.truthy(terminal:find("\27[38;2;59;130;214m", 1, true))
    assert.equal(10, count(terminal, "\n"))
  end)

  it("cuda.plot's legend shows a line, a point or a bar", function()
    for kind, sign in pairs { line = "──", scatter = "•", hist = "■", bars = "■" } do
      local text = shown { { 1, 2, 2 }, kind = kind, label = "a", width = 20, height = 8 }
      assert.truthy(text:find(" " .. sign .. " a\n", 1, true), text)
    end
    assert.equal(4, count(file_text { { 3, 1, 2 }, kind = "scatter", label = "a" }, "<circle"))
    assert.equal(1, count(file_text { { 3, 1, 2 }, label = "a" }, 'height="4"'))
    assert.equal(1, count(file_text { { 3, 1, 2 }, kind = "bars", label = "a" }, 'width="14" height="9"'))
  end)

  it("cuda.plot has ticks at round numbers", function()
    local function texts(low, high, log, most)
      local list = {}
      for i, tick in ipairs(scale.ticks(scale.new(low, high, log), most or 5)) do list[i] = tick.text end
      return table.concat(list, " ")
    end
    assert.equal("0 2 4 6 8 10", texts(0, 10))
    assert.equal("-1.0 -0.5 0.0 0.5 1.0", texts(-1, 1))
    assert.equal("0.1 0.2 0.3", texts(0.1, 0.3, false, 3))
    assert.equal("2e6 4e6 6e6 8e6 1e7", texts(1.5e6, 1e7))
    assert.equal("-5e-9 0 5e-9", texts(-6e-9, 6e-9, false, 3))
    assert.equal("1000000.2 1000000.4 1000000.6", texts(1000000.1, 1000000.7, false, 3))
    assert.equal("1 10 100 1000 1e4", texts(1, 1e4, true))
    assert.equal("1e-6 0.001 1 1000 1e6", texts(1e-7, 1e7, true))
    assert.equal("1 2 5 10 20", texts(0.9, 21, true, 6))
    for _, range in ipairs { { 0, 1e-300 }, { -1e300, 1e300 }, { 1, 1 + 1e-12 }, { 3, 4e9 }, { -7, -6.9 } } do
      for most = 2, 12 do
        local s = scale.new(range[1], range[2], false)
        local ticks = scale.ticks(s, most)
        assert.is_true(#ticks >= 1 and #ticks <= most + 2, ("%g %g: %d"):format(range[1], range[2], #ticks))
        for _, tick in ipairs(ticks) do
          local at = s.place(tick.x)
          assert.is_true(at >= -1e-6 and at <= 1 + 1e-6)
        end
      end
    end
  end)

  it("cuda.plot has logarithmic axes, and leaves out what has no place there", function()
    local text = shown { { 1, 10, 100, 1000 }, { 1, 10, 0, 1000 }, log = "xy", width = 60, height = 12 }
    assert.truthy(text:find("100┤", 1, true))
    assert.truthy(text:find "1 +10 +100 +1000")
    assert.is_string(shown { { -1, -2 }, log = "y", width = 40, height = 12 })
    -- Equal ratios are equal distances: a power is a straight line.
    local svg = file_text { { 1, 10, 100 }, { 1, 100, 10000 }, log = "xy" }
    local x0, y0, x1, y1, x2, y2 = svg:match 'd="M([%d%.]+) ([%d%.]+)L([%d%.]+) ([%d%.]+)L([%d%.]+) ([%d%.]+)"'
    assert.near(x1 - x0, x2 - x1, 0.05)
    assert.near(y1 - y0, y2 - y1, 0.05)
  end)

  it("cuda.plot leaves gaps at what is not finite, and draws points between gaps", function()
    local svg = file_text { { 1, 2, 0 / 0, 4, 1 / 0, 6, 7 } }
    assert.equal(1, count(svg, "<circle"))
    local path = svg:match '<path d="([^"]*)" fill="none" stroke="#3b82d6"'
    assert.equal(2, count(path, "M"))
    assert.equal(2, count(path, "L"))
    assert.equal(1, count(svg, 'stroke="#3b82d6"'))
    assert.is_string(shown { { 0 / 0, 0 / 0 } })
    assert.is_string(shown { {} })
    assert.is_string(shown { { 3, 3, 3 } })
  end)

  it("cuda.plot keeps to xlim and ylim", function()
    local svg = file_text { { 0, 10 }, { 0, 10 }, xlim = { 2, 4 }, ylim = { 0, 3 }, width = 300, height = 200 }
    local x0, y0, x1, y1 = svg:match 'd="M([%d%.]+) ([%d%.]+)L([%d%.]+) ([%d%.]+)" fill="none" stroke="#3b82d6"'
    local left, top, bottom, right = svg:match 'd="M([%d%.]+) ([%d%.]+)V([%d%.]+)H([%d%.]+)" fill="none"'
    assert.near(tonumber(left), tonumber(x0), 0.01)
    assert.near(bottom - 2 / 3 * (bottom - top), tonumber(y0), 0.02)
    assert.near((left + right) / 2, tonumber(x1), 0.01) -- y reaches 3 at x = 3
    assert.near(tonumber(top), tonumber(y1), 0.01)
  end)

  it("cuda.plot writes SVG files that stand alone, with escaped text", function()
    for _, kind in ipairs { "line", "scatter", "bars", "hist" } do
      local text = file_text { { { 1, 2, 3, 2 }, label = "a<b" }, { { 4, 4, 1 }, label = "c" }, kind = kind,
        title = 'A "title" & <script>\1', xlabel = "größer > kleiner", ylabel = "y" }
      assert_xml(text)
      assert.equal('<svg xmlns="http://www.w3.org/2000/svg" width="640" height="400" viewBox="0 0 640 400" ',
        text:match '^<svg xmlns="[^"]*" width="%d+" height="%d+" viewBox="[%d ]+" ')
      assert.truthy(text:find("<title>A &quot;title&quot; &amp; &lt;script&gt;?</title>", 1, true))
      assert.truthy(text:find(">größer &gt; kleiner</text>", 1, true))
      assert.truthy(text:find(">a&lt;b</text>", 1, true))
      assert.is_nil(text:find "<script" or text:find "href" or text:find "nan" or text:find "inf")
    end
    assert.equal(3, count(file_text { { 3, 1, 2 }, kind = "bars" }, '<rect [^>]*fill="#3b82d6"'))
    assert.equal(3, count(file_text { { 3, 1, 2 }, kind = "scatter" }, "<circle"))
    assert.truthy(file_text({ { 1, 2 }, width = 200, height = 150 }):find 'width="200" height="150"')
  end)

  it("cuda.plot draws long lines with few points, and keeps their extremes", function()
    local n = 200000
    local y = ndarray.zeros({ n }, "float32")
    y[77777], y[123456] = 5, -7
    local svg = file_text { y }
    assert.is_true(#svg < 60000, #svg)
    local left, top, bottom = svg:match 'd="M([%d%.]+) ([%d%.]+)V([%d%.]+)H[%d%.]+" fill="none"'
    local highest, lowest = math.huge, -math.huge
    local path = svg:match '<path d="([^"]*)" fill="none" stroke="#3b82d6"'
    for _, at in path:gmatch "([%d%.]+) ([%d%.]+)" do
      highest, lowest = math.min(highest, tonumber(at)), math.max(lowest, tonumber(at))
    end
    local room = 0.04 / 1.08 * (bottom - top)
    assert.near(top + room, highest, 0.02)
    assert.near(bottom - room, lowest, 0.02)
    assert.is_string(left)
    local points = file_text { ndarray.zeros(100000), ndarray.zeros(100000), kind = "scatter" }
    assert.equal(1, count(points, "<circle"))
  end)

  it("cuda.plot takes arrays of the host and the device, views, and lists", function()
    local list = { 3, 1, 4, 1, 5, 9, 2, 6 }
    local want = shown { list, width = 40, height = 12 }
    for _, t in ipairs { "uint8", "int64", "float16", "float64" } do
      local host = ndarray.array(list, t)
      assert.equal(want, shown { host, width = 40, height = 12 })
      assert.equal(want, shown { gpuarray.to_gpu(host), width = 40, height = 12 })
      assert.equal(want, shown { gpuarray.to_gpu(host):flip():flip() + 0, width = 40, height = 12 })
      assert.equal(want, shown { ndarray.arange(1, 9), host:flip():flip(), width = 40, height = 12 })
    end
    assert.equal(want, shown { { { 1LL, 2, 3, 4, 5, 6, 7, 8 }, list }, width = 40, height = 12 })
  end)

  it("cuda.plot takes x and y by name", function()
    local x, y = { 1, 2, 4, 8 }, ndarray.array { 3, 1, 4, 1 }
    local size = { width = 40, height = 12 }
    local function same(by_place, by_name)
      for k, v in pairs(size) do by_place[k], by_name[k] = v, v end
      assert.equal(shown(by_place), shown(by_name))
    end
    same({ x, y }, { x = x, y = y })
    same({ y }, { y = y })
    same({ x, y, kind = "scatter" }, { y = y, x = x, kind = "scatter" })
    same({ { "a", "b" }, { 1, 2 }, kind = "bars" }, { x = { "a", "b" }, y = { 1, 2 }, kind = "bars" })
    same({ y, kind = "hist" }, { x = y, kind = "hist" })
    same({ y, kind = "hist" }, { y = y, kind = "hist" })
    same({ { x, y, label = "a" }, { y } }, { { x = x, y = y, label = "a" }, { y = y } })
    same({ gpuarray.to_gpu(y) }, { y = gpuarray.to_gpu(y) })
    local function wrong(text, options) gpu.raises("LogicError", text, cuda.plot, options) end
    wrong("pass x and y by position or by name, not both", { y, x = x })
    wrong("x needs y: {x = a, y = b}", { x = x })
    wrong("x needs y", { { y }, { x = x } })
    wrong("x has 4 values, but y has 1", { x = x, y = { 1 } })
    wrong("a histogram takes one array", { x = x, y = y, kind = "hist" })
    wrong("y must be an array or a list of numbers, got 3", { y = 3 })
  end)

  it("cuda.plot draws long lines with their x, and points, of the device as those of the host", function()
    local n = 150000
    local i = gpuarray.arange(n, "float64")
    local function same(x, y, o, most)
      x, y = x and x:eval(), y:eval()
      for key, value in pairs { width = 70, height = 20 } do o[key] = value end
      local on_device, on_host = { x = x, y = y }, { x = x and x:get(), y = y:get() }
      for key, value in pairs(o) do on_device[key], on_host[key] = value, value end
      local want, got = shown(on_host), shown(on_device)
      local lines, different = {}, 0
      for line in got:gmatch "([^\n]*)\n" do lines[#lines + 1] = line:gmatch "[%z\1-\127\194-\244][\128-\191]*" end
      for line in want:gmatch "([^\n]*)\n" do
        local other = table.remove(lines, 1)
        for character in line:gmatch "[%z\1-\127\194-\244][\128-\191]*" do
          if character ~= (other() or " ") then different = different + 1 end
        end
        for _ in other do different = different + 1 end
      end
      -- A value stands in the middle of its part, which may be in the next column of dots.
      most = most or o.kind == "scatter" and 0 or 20
      assert.is_true(different <= most, ("%d\n%s%s"):format(different, want, got))
    end
    local wave = (i / 9000):sin()
    same(i / 10 - 3, wave, {})
    same(i / 10 - 3, wave, { xlim = { 200, 220 } })
    same(i ^ 3, wave, {})                                     -- parts would be seen: copied
    same(i + 1, wave + 2, { log = "xy" })
    same(nil, wave + 2, { log = "x" })
    same((i / 20000):cos(), (i / 30000):sin(), {})            -- x does not ascend
    local holes = gpuarray.where(i:lt(n / 2), wave, 0 / 0)
    same(i, holes, {})
    -- The raster has 1023 = 3 * 11 * 31 steps: these points are where cells are.
    local x, y = i:mod(34), (i / 34):floor():mod(32)
    same(x, y, { kind = "scatter" })
    same(x * 0.5 + 7, -y, { kind = "scatter", xlim = { 7, 22.5 }, ylim = { -11.5, 5 } })
    same(gpuarray.where(x:eq(3), 0 / 0, x), gpuarray.where(y:eq(5), 1 / 0, y), { kind = "scatter" })
    same(10 ^ (x / 16 - 1), y, { kind = "scatter", log = "x" })
    same(10 ^ (x / 3) - 5, y, { kind = "scatter", log = "xy", xlim = { 1, 1e9 } }, 60)
    same(x, y, { kind = "scatter", xlim = { 0, 3 } })
    same(x * 0 + 4, y * 0 - 3, { kind = "scatter" })
    same(x * 0 / 0, y, { kind = "scatter" })
    same(nil, wave:ge(0):astype "int32", { kind = "scatter" })
  end)

  it("cuda.plot counts histograms as NumPy, on the device for its arrays", function()
    local series = require "cudalua.look.series"
    local values = { 0, 0.1, 0.1, 0.25, 0.5, 0.5, 0.75, 1, 1, 0 / 0, 1 / 0, -1 / 0 }
    local function counted(data, bins)
      local s = series.new({ data }, "hist")
      series.count({ s }, bins)
      local list = {}
      for i = 0, s.y.n - 1 do list[i + 1] = s.y.p[i] end
      return list, s.edges
    end
    -- numpy.histogram([0, .1, .1, .25, .5, .5, .75, 1, 1], bins=4) gives 3 1 2 3.
    for _, data in ipairs { values, ndarray.array(values, "float64"), gpuarray.to_gpu(values, "float64") } do
      local got, edges = counted(data, 4)
      assert.same({ 3, 1, 2, 3 }, got)
      assert.equal(0, edges.p[0])
      assert.equal(1, edges.p[4])
      assert.same({ 4, 5 }, (counted(data, { 0, 0.5, 2 })))
    end
    assert.same({ 2, 0, 1 }, (counted({ 5, 5, 8 }, 3)))
    assert.same({ 0, 3 }, (counted(gpuarray.full({ 3, 1 }, 7, "int32"), 2)))
    assert.equal(2 * 10, #(counted(ndarray.arange(1000), nil)))
    local a = gpuarray.arange(70000):mod(1000)
    local on_device, on_host = counted(a, 37), counted(a:get(), 37)
    assert.same(on_host, on_device)
  end)

  it("cuda.plot copies little of large arrays", function()
    local transfer = require "cudalua.gpuarray.core.transfer"
    local download, copied = transfer.download, 0
    transfer.download = function(leaf, offset, slot, nbytes, ...)
      copied = copied + nbytes
      return download(leaf, offset, slot, nbytes, ...)
    end
    local ok, err = pcall(function()
      local a = gpuarray.arange(300001, "int32")
      local b = (a - 150000):astype "float32"
      b[{ 77 }], b[{ 299999 }] = 1e6, 0 / 0
      copied = 0
      local svg = file_text { b }
      assert.is_true(copied < 2 * 4200 * 8, copied)
      assert.truthy(svg:find(">1000000<", 1, true) or svg:find(">1e6<", 1, true))
      copied = 0
      assert.is_string(shown { a, kind = "hist" })
      assert.is_true(copied < 4096, copied)
      copied = 0
      assert.is_string(shown { a })
      assert.is_true(copied < 2 * 4200 * 8, copied)
      copied = 0
      assert.is_string(shown { x = a * 0.5, y = b })
      assert.is_true(copied < 4 * 4200 * 8, copied)
      copied = 0
      assert.is_string(shown { x = a:mod(640), y = b, kind = "scatter" })
      assert.is_true(copied < 1024 * 1024 + 100, copied)
    end)
    transfer.download = download
    assert(ok, err)
  end)

  it("cuda.plot takes plain numbers as the values of one series", function()
    local function plotted(options)
      local out = {}
      options.to, options.colour, options.width, options.height = function(text) out[#out + 1] = text end, 0, 40, 10
      cuda.plot(options)
      return table.concat(out)
    end
    assert.equal(plotted { { 3, 1, 2 } }, plotted { 3, 1, 2 })
    assert.equal(plotted { { 3, 1 }, kind = "bars" }, plotted { 3, 1, kind = "bars" })
  end)

  it("cuda.plot says what is wrong", function()
    local function wrong(text, options) gpu.raises("LogicError", text, cuda.plot, options) end
    wrong("plot: nothing to plot", {})
    wrong("expected a table of options, got 3", 3)
    wrong("kind must be line, scatter, hist or bars, got 'pie'", { { 1 }, kind = "pie" })
    wrong("x has 2 values, but y has 3", { { 1, 2 }, { 1, 2, 3 } })
    wrong("x has 1 names, but y has 2 values", { { "a" }, { 1, 2 }, kind = "bars" })
    wrong("x[1] must be a number, got a string", { { "a" }, { 1 } })
    wrong("y[2] must be a number, got true", { { 1, true } })
    wrong("y must be a list of numbers, but it has the field 'n'", { { 1, n = 2 } })
    wrong("y must have one axis, got the shape (2, 2)", { gpuarray.zeros { 2, 2 } })
    wrong("y must be real numbers, got complex64", { gpuarray.zeros({ 2 }, "complex64") })
    wrong("a series is {y} or {x, y}, got 3 values", { { 1 }, { 1 }, { 1 } })
    wrong("a histogram takes one array or list", { { 1 }, { 1 }, kind = "hist" })
    wrong("bins needs kind = 'hist'", { { 1 }, bins = 3 })
    wrong("bins must be a positive integer or a list of edges, got 0", { { 1 }, kind = "hist", bins = 0 })
    wrong("bins[2] is 1: edges are finite and ascend", { { 1 }, kind = "hist", bins = { 1, 1 } })
    wrong("log must be 'x', 'y' or 'xy', got 'z'", { { 1 }, log = "z" })
    wrong("xlim must be two finite numbers", { { 1 }, xlim = { 2, 1 } })
    wrong("ylim must be positive on a logarithmic axis", { { 1 }, ylim = { 0, 1 }, log = "y" })
    wrong("several series have labels of their own", { { { 1 } }, { { 2 } }, label = "x" })
    wrong("the series 2 must be a table", { { { 1 } }, 3 })
    wrong("unknown option 'colour'", { { { 1 }, colour = 8 } })
    wrong("unknown option 'legend'", { { 1 }, legend = true })
    wrong("the file's name must end in .svg, got 'x.png'", { { 1 }, file = "x.png" })
    wrong("to and colour are for the terminal", { { 1 }, file = "x.svg", colour = 8 })
    wrong("width must be from 100 to 20000 pixels, got 10", { { 1 }, file = "x.svg", width = 10 })
    wrong("title must be a string, got 5", { { 1 }, title = 5 })
    gpu.raises("RuntimeError", "/no/such", cuda.plot, { { 1 }, file = "/no/such/x.svg" })
    gpu.refuses_nonsense(cuda.plot)
  end)
end)
