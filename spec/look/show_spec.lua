-- cuda.show: what stands in the terminal, to the byte; means over boxes against plain loops; what is copied from the
-- device.
local gpu = require "spec.support.gpu"
local pty = require "spec.support.terminal_file"
local boxes = require "cudalua.look.boxes"
local colormaps = require "cudalua.files.colormaps"
local terminal = require "cudalua.look.terminal"
local ffi = require "ffi"
local cuda = gpu.cuda
local ndarray, gpuarray = cuda.ndarray, cuda.gpuarray

setup(function() gpu.context() end)

local function shown(a, options)
  local parts = {}
  options = options or {}
  options.to = function(text) parts[#parts + 1] = text end
  assert.equal(0, select("#", cuda.show(a, options)))
  return table.concat(parts)
end

local HALF = "▀"

describe("cuda.show", function()
  it("cuda.show draws two rows of pixels in a line, by half blocks", function()
    local a = ndarray.zeros({ 3, 8 }, "float32")
    a[{ 1, 1 }], a[{ 2, 2 }] = 1, 0.6
    local text = shown(a, { colour = 24, width = 8, height = 8, map = "gray" })
    local white, black = "\27[38;2;255;255;255m", "\27[38;2;0;0;0m"
    local under, gray = "\27[48;2;0;0;0m", colormaps.get("", "gray")[153]
    local lines = {}
    for line in text:gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
    assert.equal(white .. under .. HALF .. black .. ("\27[48;2;%d;%d;%dm"):format(gray[0], gray[1], gray[2]) .. HALF ..
      under .. HALF:rep(6) .. "\27[0m", lines[1]:gsub("(\27%[38;2;0;0;0m)(▀)", "%1%2"))
    assert.equal(black .. HALF:rep(8) .. "\27[0m", lines[2])
    assert.equal(3, #lines)
    assert.truthy(lines[3]:find("^float32%(3, 8%)  0 \27%[48;2;0;0;0m "))
    assert.truthy(lines[3]:find("\27[48;2;255;255;255m \27[0m 1", 1, true))
  end)

  it("cuda.show stretches a narrow picture, so that no column is lost", function()
    local tall = ndarray.from_function({ 365, 4 }, function(_, j) return j end, "float32")
    local line = (" "):rep(8) .. ("-"):rep(8) .. ("*"):rep(8) .. ("@"):rep(8)
    local text = shown(tall)
    assert.equal(line, text:match "^[^\n]*")
    assert.truthy(text:find("means of 17.4 x 1\n", 1, true), text)
    local _, lines = shown(tall.T):gsub("\n", "")
    assert.is_true(lines > 8, lines)
  end)

  it("cuda.show has the aspects of matplotlib's imshow", function()
    local tall = ndarray.from_function({ 365, 4 }, function(_, j) return j end, "float32")
    assert.equal(1, #shown(tall, { aspect = "equal" }):match "^[^\n]*")
    assert.equal(80, #shown(tall, { aspect = "auto" }):match "^[^\n]*")
    local square = ndarray.from_function({ 40, 40 }, function(i) return i end, "float32")
    assert.equal(40, #shown(square):match "([^\n]*)\nfloat32")
    assert.equal(shown(square), shown(square, { aspect = "equal" }))
    local text = shown(square, { aspect = "auto", width = 60, height = 11 })
    assert.equal(60, #text:match "([^\n]*)\nfloat32")
    assert.equal(11, select(2, text:gsub("\n", "")))
    local colours = ndarray.from_function({ 400, 4, 3 }, function() return 255 end, "uint8")
    assert.equal(80, #shown(colours, { aspect = "auto" }):match "^[^\n]*")
    gpu.raises("LogicError", "show: aspect must be 'equal' or 'auto', got 'wide'", shown, square, { aspect = "wide" })
  end)

  it("cuda.show uses 256 colours if asked", function()
    local a = ndarray.array({ { 1, 0, 0, 0, 0, 0, 0, 0 }, { 0, 1, 0, 0, 0, 0, 0, 0 } }, "float32")
    local text = shown(a, { colour = 8, width = 8, height = 8, map = "gray" })
    assert.equal("\27[38;5;231m\27[48;5;16m" .. HALF .. "\27[38;5;16m\27[48;5;231m" .. HALF .. "\27[48;5;16m" ..
      HALF:rep(6) .. "\27[0m\n", text:match "^[^\n]*\n")
  end)

  it("cuda.show finds the nearest of 256 colours", function()
    local steps = { 0, 95, 135, 175, 215, 255 }
    local function distance(n, r, g, b)
      local x, y, z
      if n >= 232 then
        x = 8 + 10 * (n - 232)
        y, z = x, x
      else
        n = n - 16
        x, y, z = steps[1 + math.floor(n / 36)], steps[1 + math.floor(n / 6) % 6], steps[1 + n % 6]
      end
      return (r - x) ^ 2 + (g - y) ^ 2 + (b - z) ^ 2
    end
    for r = 0, 255, 15 do
      for g = 0, 255, 15 do
        for b = 0, 255, 17 do
          local best = math.huge
          for n = 16, 255 do best = math.min(best, distance(n, r, g, b)) end
          assert.equal(best, distance(terminal.nearest(r, g, b), r, g, b), ("%d %d %d"):format(r, g, b))
        end
      end
    end
  end)

  it("cuda.show writes characters, and no escape codes, where the output is no terminal", function()
    local a = ndarray.from_function({ 16, 40 }, function(_, j) return j end, "float32")
    local text = shown(a)
    assert.is_nil(text:find "\27")
    local line = "    ....::::----====++++****####%%%%@@@@"
    assert.equal((line .. "\n"):rep(8) .. "float32(16, 40)  1 ' .:-=+*#%@' 40  means of 2 x 1\n", text)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    pty.with_environment({ COLORTERM = "truecolor" }, function() cuda.show(a, { to = file }) end)
    file:close()
    assert.equal(text, io.open(path):read "*a")
    os.remove(path)
  end)

  it("cuda.show asks the terminal for its size and its colours", function()
    local a = ndarray.from_function({ 100, 200 }, function(i, j) return i + j end, "float32")
    local function codes(variables)
      variables.NO_COLOR = variables.NO_COLOR or false
      return pty.with_environment(variables, function()
        return pty.written(30, 12, function(file) cuda.show(a, { to = file }) end)
      end)
    end
    local text = codes { COLORTERM = "truecolor", TERM = "xterm" }
    assert.truthy(text:find "\27%[38;2;")
    assert.equal(30, select(2, text:match "^[^\n]*":gsub(HALF, "")))
    assert.equal(15 / 2 + 0.5 + 1, select(2, text:gsub("\n", ""))) -- 30 x 15 pixels, and the caption
    assert.truthy(codes({ COLORTERM = false, TERM = "screen-256color" }):find "\27%[38;5;")
    assert.is_nil(codes({ COLORTERM = "truecolor", TERM = "dumb" }):find "\27")
    assert.is_nil(codes({ COLORTERM = false, TERM = "vt100" }):find "\27")
    assert.is_nil(codes({ COLORTERM = "truecolor", TERM = "xterm", NO_COLOR = "1" }):find "\27")
    -- 100 x 30 pixels would be 15 lines high: the height counts, too.
    local tall = pty.with_environment({ COLORTERM = "24bit", TERM = "xterm", NO_COLOR = false }, function()
      return pty.written(200, 12, function(file) cuda.show(a, { to = file }) end)
    end)
    assert.equal(10, select(2, tall:gsub("\n", "")))
    assert.equal(36, select(2, tall:match "^[^\n]*":gsub(HALF, "")))
  end)

  it("cuda.show shows NaN, infinities, and equal elements", function()
    local a = ndarray.zeros({ 16, 16 }, "float32")
    a[{ 3, 3 }], a[{ 5, 5 }], a[{ 7, 7 }], a[{ 9, 9 }] = 0 / 0, 1 / 0, -1 / 0, 2
    local text = shown(a, { colour = 24, map = "gray", width = 16, height = 16 })
    assert.truthy(text:find("\27[38;2;255;0;255m", 1, true))
    assert.truthy(text:find "  0 \27.* 2  \27%[48;2;255;0;255m \27%[0m nan\n$")
    assert.truthy(shown(ndarray.full({ 20, 20 }, 7, "int32")):find "  7 ' .:%-=%+%*#%%@' 7\n$")
    assert.truthy(shown(ndarray.full({ 20, 20 }, 0 / 0, "float64")):find("?", 1, true))
    assert.truthy(shown(ndarray.array({ { -1e308, 1e308 }, { 0, 0 } }, "float64"), { map = "gray" }):find "@")
  end)

  it("cuda.show takes limits, and maps by name", function()
    local a = ndarray.from_function({ 4, 40 }, function(_, j) return j - 1 end, "uint8")
    assert.truthy(shown(a, { vmin = 10, vmax = 20, height = 8 }):find("  10 ' .:-=+*#%@' 20", 1, true))
    assert.truthy(shown(a, { vmin = 10, vmax = 20, height = 8 }):find "^ +%.%.::%-%-==%+%+%*%*##%%%%@+\n", nil)
    for _, name in ipairs(colormaps.names()) do
      assert.is_string(shown(a, { map = name }))
      assert.is_string(shown(a, { map = name .. "_r" }))
    end
    local first, last = colormaps.get("", "viridis"), colormaps.get("", "viridis_r")
    for k = 0, 2 do assert.equal(first[0][k], last[255][k]) end
  end)

  it("cuda.show has maps whose lightness is even", function()
    -- CIE L*, from the sRGB standard's formulas.
    local function lightness(c)
      local y = 0
      for k, weight in ipairs { 0.2126, 0.7152, 0.0722 } do
        local x = c[k - 1] / 255
        y = y + weight * (x <= 0.04045 and x / 12.92 or ((x + 0.055) / 1.055) ^ 2.4)
      end
      return y > 216 / 24389 and 116 * y ^ (1 / 3) - 16 or y * 24389 / 27
    end
    for _, name in ipairs { "gray", "viridis", "magma", "inferno", "plasma" } do
      local map = colormaps.get("", name)
      local range = lightness(map[255]) - lightness(map[0])
      assert.is_true(range > 60, name)
      for i = 16, 255 do
        local step = lightness(map[i]) - lightness(map[i - 16])
        -- Near black, Oklab and CIE L* differ.
        local least = i < 64 and 0 or 0.25 * range / 16
        assert.is_true(step > least and step < 2 * range / 16, ("%s[%d]: %g"):format(name, i, step))
      end
    end
    local map = colormaps.get("", "coolwarm")
    for i = 8, 120, 8 do
      assert.is_true(lightness(map[i]) > lightness(map[i - 8]))
      assert.is_true(lightness(map[255 - i]) > lightness(map[263 - i]))
    end
    assert.is_true(math.abs(lightness(map[0]) - lightness(map[255])) < 10)
  end)

  it("cuda.show draws (h, w, 3) and (h, w, 4) in their own colours", function()
    local function pixel(values, dtype)
      local n = #values
      local a = ndarray.from_function({ 1, 8, n }, function(_, _, k) return values[k] end, dtype)
      return shown(a, { colour = 24, width = 8, height = 8 }):match "^\27%[38;2;(%d+;%d+;%d+)m▀"
    end
    assert.equal("10;20;255", pixel({ 10, 20, 255 }, "uint8"))
    assert.equal("0;128;255", pixel({ -1, 0.5, 3 }, "float32"))
    assert.equal("0;128;255", pixel({ 0, 32896, 65535 }, "uint16"))
    assert.equal("10;20;255", pixel({ 10, 20, 300 }, "int32"))
    assert.equal("100;50;25", pixel({ 200, 100, 50, 128 }, "uint8"))
    assert.equal("255;0;255", pixel({ 0, 0 / 0, 0 }, "float64"))
    assert.equal("255;0;0", pixel({ true, false, false }, "bool"))
    local text = shown(ndarray.full({ 40, 200, 3 }, 255, "uint8"))
    assert.equal(("@"):rep(80) .. "\n", text:match "^[^\n]*\n")
    assert.truthy(text:find "uint8%(40, 200, 3%)  means of 5 x 2%.5\n$")
  end)

  it("cuda.show enlarges small pictures, and keeps their proportions", function()
    local text = shown(ndarray.eye(14, 14, 0, "bool"), { colour = 24 })
    assert.equal(14 * 3, select(2, text:match "^[^\n]*":gsub(HALF, "")))
    assert.equal(21 + 1, select(2, text:gsub("\n", "")))
    text = shown(ndarray.zeros({ 300, 600 }, "uint8"), { colour = 24 })
    assert.equal(80, select(2, text:match "^[^\n]*":gsub(HALF, "")))
    assert.equal(20 + 1, select(2, text:gsub("\n", "")))
    local wide = ndarray.zeros({ 2, 100000 }, "uint8")
    assert.equal(1 + 1, select(2, shown(wide, { colour = 24, aspect = "equal" }):gsub("\n", "")))
    assert.equal(16 + 1, select(2, shown(wide, { colour = 24 }):gsub("\n", "")))
  end)

  it("cuda.show writes small arrays as tables", function()
    assert.equal("float32(2, 3)\n" ..
      "  │    1     2     3\n" ..
      "──┼─────────────────\n" ..
      "1 │ 0.25  1.00  -inf\n" ..
      "2 │ 2.00   nan  3.50\n", shown(ndarray.array({ { 0.25, 1, -1 / 0 }, { 2, 0 / 0, 3.5 } }, "float32")))
    assert.equal("int64(2,)\n 1                 2\n────────────────────\n-5  9007199254740993\n",
      shown(ndarray.array({ -5, 9007199254740993LL }, "int64")))
    assert.equal("bool(2,)\n   1      2\n───────────\ntrue  false\n", shown(gpuarray.to_gpu { true, false }))
    assert.equal("float64(2,)\n         1            2\n───────────────────────\n1.0000e-09  -3.0000e+00\n",
      shown(ndarray.array({ 1e-9, -3 }, "float64")))
    assert.truthy(shown(gpuarray.to_gpu({ { 1, 2 } }, "complex64")):find "1%+0i  2%+0i")
    assert.is_nil(shown(gpuarray.zeros { 12, 12 }):find "'")
    assert.truthy(shown(gpuarray.zeros { 12, 13 }):find "'")
    assert.truthy(shown(gpuarray.zeros { 12, 12 }, { map = "gray" }):find "'")
    assert.truthy(shown(ndarray.full({ 12, 12 }, 123456789012LL, "int64")):find "'", nil) -- the table is too wide
  end)

  it("cuda.show draws arrays of one axis as bars", function()
    local text = shown(ndarray.from_function({ 48 }, function(i) return i - 1 end, "float32"))
    local lines = {}
    for line in text:gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
    assert.equal(7, #lines)
    assert.equal((" "):rep(40) .. "▁▂▃▄▅▆▇█", lines[1])
    assert.equal("▁▁▂▃▄▅▆▇" .. ("█"):rep(40), lines[6])
    assert.equal("float32(48,)  0 ' .:-=+*#%@' 47", lines[7])
    text = shown(gpuarray.ones(100000), { colour = 24 })
    local bottom = "\27[38;2;68;1;84m" .. ("▁"):rep(80) .. "\27[0m\n"
    assert.truthy(text:find(("\n"):rep(5) .. bottom .. "float32(100000,)", 1, true))
    assert.truthy(text:find "means of 1250\n$")
    assert.truthy(shown(ndarray.array({ 1, 2, 0 / 0, 3 }, "float32"), { map = "gray" }):find("?", 1, true))
  end)

  it("cuda.show writes values, structs and empty arrays as text", function()
    assert.equal("3.5\n", shown(gpuarray.scalar(3.5)))
    assert.equal("float32(0, 3), no elements\n", shown(gpuarray.zeros { 0, 3 }))
    local of = cuda.dtype.struct { { "x", "int32" } }
    assert.equal("[{x = 5}]\n", shown(ndarray.full({ 1 }, of { 5 }, of)))
  end)

  -- Means by the definition, with fractions of elements.
  local function reference(values, h, w, rows, columns)
    local out = {}
    local function overlap(i, lo, hi) return math.max(0, math.min(i + 1, hi) - math.max(i, lo)) end
    for r = 0, rows - 1 do
      for c = 0, columns - 1 do
        local y0, y1, x0, x1 = r * h / rows, (r + 1) * h / rows, c * w / columns, (c + 1) * w / columns
        local sum = 0
        for y = math.floor(y0), math.min(math.ceil(y1), h) - 1 do
          for x = math.floor(x0), math.min(math.ceil(x1), w) - 1 do
            sum = sum + values(y, x) * overlap(y, y0, y1) * overlap(x, x0, x1)
          end
        end
        out[#out + 1] = sum / ((y1 - y0) * (x1 - x0))
      end
    end
    return out
  end

  it("cuda.show takes means over boxes, of host arrays of any type and layout", function()
    local function value(y, x) return (y * 37 + x * 11) % 101 end
    for _, t in ipairs { "uint8", "int64", "float16", "float64", "complex64" } do
      for _, size in ipairs { { 30, 50, 7, 11 }, { 30, 50, 30, 50 }, { 9, 13, 4, 13 }, { 5, 5, 1, 1 } } do
        local h, w, rows, columns = unpack(size)
        local want = reference(value, h, w, rows, columns)
        local a = ndarray.from_function({ h, w }, function(i, j) return value(i - 1, j - 1) end, t)
        for _, b in ipairs { a, a:copy "F", a:flip():flip(), a:reshape { h, w, 1 } } do
          local got = boxes.means(b, rows, columns)
          for i, x in ipairs(want) do assert.near(x, got[i - 1], 1e-9 * 100) end
        end
      end
    end
    local bools = ndarray.from_function({ 4, 4 }, function(i, j) return i == j end, "bool")
    assert.near(0.5, boxes.means(bools, 2, 2)[0], 1e-12)
    local z = ndarray.full({ 2, 2 }, ffi.new("complex", 3, 4), "complex128")
    assert.near(5, boxes.means(z, 1, 1)[0], 1e-12)
  end)

  it("cuda.show reduces arrays on the device, and copies little", function()
    local transfer = require "cudalua.gpuarray.core.transfer"
    local download, copied = transfer.download, 0
    transfer.download = function(leaf, offset, slot, nbytes, ...)
      copied = copied + nbytes
      return download(leaf, offset, slot, nbytes, ...)
    end
    local ok, err = pcall(function()
      for _, t in ipairs { "float32", "uint8", "int32", "float64" } do
        local a = gpuarray.arange(401 * 777, "int32"):reshape { 401, 777 }:mod(251):astype(t)
        local host = a:get()
        copied = 0
        local got = boxes.means(a, 20, 40)
        assert.is_true(copied <= 4 * 20 * 40 * 8, copied .. " bytes were copied")
        local want = boxes.means(host, 20, 40)
        -- The device takes whole elements: a box may reach a cell of the device further.
        for i = 0, 20 * 40 - 1 do assert.near(want[i], got[i], 12) end
        -- Where sizes divide, the two agree.
        local b, c = a:slice({ 1, 400 }, { 1, 760 }), host:slice({ 1, 400 }, { 1, 760 })
        want, got = boxes.means(c, 20, 40), boxes.means(b, 20, 40)
        for i = 0, 20 * 40 - 1 do assert.near(want[i], got[i], 1e-4) end
      end
      local z = gpuarray.full({ 300, 300 }, ffi.new("complex float", 3, 4), "complex64")
      copied = 0
      assert.near(5, boxes.means(z, 10, 10)[99], 1e-5)
      local rgb = gpuarray.ones({ 300, 300, 3 }, "uint8")
      assert.near(1, boxes.means(rgb, 10, 10)[299], 1e-6)
      assert.is_true(copied < 20000)
      local nan = gpuarray.zeros { 1000, 1000 }
      nan[{ 500, 700 }] = 0 / 0
      assert.truthy(shown(nan):find("?", 1, true))
      assert.truthy(shown(nan.T):find("?", 1, true))
    end)
    transfer.download = download
    assert(ok, err)
  end)

  it("cuda.show shows views and expressions", function()
    local a = gpuarray.arange(48):reshape { 3, 16 }
    assert.equal(shown(a:get()), shown(a + 0))
    assert.equal(shown((a.T + 0):get()), shown(a.T))
    assert.equal(shown(a:get():slice({}, { 16, 1, -1 })), shown(a:slice({}, { 16, 1, -1 })))
  end)

  it("cuda.show takes few lines", function()
    local x, line = gpuarray.arange(400):reshape(20, 20), gpuarray.arange(40)
    for _, colour in ipairs { 0, 24 } do
      for height = 2, 7 do
        local o = { colour = colour, width = 20, height = height }
        local function lines(a) return select(2, shown(a, o):gsub("\n", "")) end
        assert.is_true(lines(x) <= height and lines(x) >= 2)
        assert.is_true(lines(line) <= height and lines(line) >= 2)
      end
    end
  end)

  it("cuda.show says what is wrong", function()
    local a = ndarray.zeros({ 20, 20 }, "float32")
    local function wrong(text, ...) gpu.raises("LogicError", text, cuda.show, ...) end
    wrong("show: expected an array, got a table; convert a list with ndarray.array(list)", { 1, 2 })
    wrong("show: expected an array, got 3", 3)
    wrong("it is (3, 20, 20); a:transpose(2, 3, 1) moves the colours to the end", ndarray.zeros({ 3, 20, 20 }, "uint8"))
    wrong("it is (5, 20, 20); show a part, such as a[1]", ndarray.zeros({ 5, 20, 20 }, "uint8"))
    wrong("it is (1, 1, 1, 3)", ndarray.zeros({ 1, 1, 1, 3 }, "uint8"))
    wrong("unknown map 'jet'; valid maps: coolwarm, gray, inferno, magma, plasma, viridis", a, { map = "jet" })
    wrong("colour must be 24, 8 or 0 bits, got 16", a, { colour = 16 })
    wrong("width must be an integer from 8 to 10000, got 3", a, { width = 3 })
    wrong("height must be an integer from 2 to 10000, got 1", a, { height = 1 })
    wrong("to must be an open file or a function, got a string", a, { to = "x" })
    wrong("vmin must be a finite number, got NaN", a, { vmin = 0 / 0 })
    wrong("vmin is 2, greater than vmax, 1", a, { vmin = 2, vmax = 1 })
    wrong("unknown option 'cmap'", a, { cmap = "gray" })
    gpu.refuses_nonsense(function(x) cuda.show(x) end)
  end)

  it("cuda.show is loaded when it is asked for", function()
    local out = gpu.child([[
      local cuda = require "cudalua"
      local function loaded()
        local n = 0
        for name in pairs(package.loaded) do
          if name:find "^cudalua%.look" or name:find "^cudalua%.files" then n = n + 1 end
        end
        return n
      end
      io.write(loaded(), " ", loaded(cuda.show) > 3 and "later" or "", "\n")
    ]], gpu.driver)
    assert.equal("0 later\n", out)
  end)
end)
