-- Pictures as files: against those that another encoder wrote (spec/data/golden/make_files.py), bytes that are written
-- out here, and files that lie.
local gpu = require "spec.support.gpu"
local ffi = require "ffi"
local bit = require "bit"
local cuda = gpu.cuda
local ndarray, gpuarray, files = cuda.ndarray, cuda.gpuarray, cuda.io

local function bytes_of(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read "*a"
  file:close()
  return bytes
end

local folder, made
before_each(function()
  folder = os.tmpname()
  made = { folder }
end)
after_each(function()
  for _, path in ipairs(made) do os.remove(path) end
end)

-- A path with that ending, and what is put there.
local function path_of(ending, bytes)
  local path = folder .. ending
  made[#made + 1] = path
  if bytes then
    local file = assert(io.open(path, "wb"))
    file:write(bytes)
    file:close()
  end
  return path
end

local function load_bytes(bytes, options) return files.load_image(path_of(".x", bytes), options) end

-- The sample that make_files.py put there; y, x, k from 0.
local function sample(y, x, k, depth)
  return (y * 37 + x * 11 + k * 101 + x * y * 3 + y * x * x * 251) % 2 ^ depth
end

local function assert_pixels(want, a, shape)
  assert.same(shape, { unpack(a.shape) })
  for y = 0, shape[1] - 1 do
    for x = 0, shape[2] - 1 do
      local pixel = want(y, x)
      for k, value in ipairs(pixel) do
        local got = #shape == 3 and a:get(y + 1, x + 1, k) or a:get(y + 1, x + 1)
        if got ~= value then error(("(%d, %d)[%d]: %d, not %d"):format(y, x, k, got, value)) end
      end
    end
  end
end

describe("cuda.io.save_image, of floats outside of 0 to 1,", function()
  local function notices_of(a, options)
    local list, hook = {}, cuda.on_notice
    cuda.on_notice = function(text) list[#list + 1] = text end
    local ok, err = pcall(files.save_image, path_of ".png", a, options)
    cuda.on_notice = hook
    assert(ok, err)
    return list
  end

  it("says that it clips them, and what to pass", function()
    local gray = ndarray.array({ { 42, 64.5 }, { 100, 128 } }, "float32")
    assert.same({ "io.save_image: floats from 42 to 128 are clipped to 0 to 1; pass {vmin = 42, vmax = 128}, or " ..
      "divide levels of 0 to 255 by 255" }, notices_of(gray))
    assert.same({ "io.save_image: floats from 0 to 255 are clipped to 0 to 1; divide levels of 0 to 255 by 255" },
      notices_of(ndarray.array({ { { 0, 10, 255 } } }, "float32")))
    assert.same({ "io.save_image: floats from 0 to inf are clipped to 0 to 1; divide levels of 0 to 255 by 255" },
      notices_of(ndarray.array({ { 0, 1 / 0 } }, "float32")))
    assert.equal(1, #notices_of(ndarray.array({ { -1, 0.5 } }, "float32")))
  end)

  it("says nothing if the picture shows what the array has", function()
    local gray = ndarray.array({ { 42, 64.5 }, { 100, 128 } }, "float32")
    assert.same({}, notices_of(gray, { vmin = 42, vmax = 128 }))
    assert.same({}, notices_of(gray:astype "uint8"))
    assert.same({}, notices_of(ndarray.array({ { 0, 1 + 1e-6 }, { -1e-6, 0 / 0 } }, "float32")))
    assert.same({}, notices_of(ndarray.ones({ 2, 2 }, "bool")))
  end)
end)

-- ---- PNG, reading ------------------------------------------------------------------------------------------------

describe("cuda.io.load_image", function()
  local H, W = 9, 11
  local function golden(name) return files.load_image("spec/data/golden/png/" .. name .. ".png") end

  it("io.load_image reads gray, RGB, with and without alpha, of every depth, interlaced or not", function()
    local count = 0
    for name, channels in pairs { gray = 1, graya = 2, rgb = 3, rgba = 4 } do
      for _, depth in ipairs { 1, 2, 4, 8, 16 } do
        for _, ending in ipairs { "", "_i" } do
          if name == "gray" or depth >= 8 then
            local a = golden(name .. depth .. ending)
            assert.equal(depth == 16 and "uint16" or "uint8", a.dtype.name)
            local scale = depth < 8 and 255 / (2 ^ depth - 1) or 1
            assert_pixels(function(y, x)
              local pixel = {}
              for k = 1, channels do pixel[k] = sample(y, x, k - 1, depth) * scale end
              return pixel
            end, a, { H, W, channels > 1 and channels or nil })
            count = count + 1
          end
        end
      end
    end
    assert.equal(22, count)
  end)

  it("io.load_image reads palettes, with and without transparency", function()
    for _, depth in ipairs { 1, 2, 4, 8 } do
      for _, ending in ipairs { "", "_i" } do
        assert_pixels(function(y, x)
          local i = sample(y, x, 0, depth)
          return { (3 * i + 5) % 256, (5 * i + 5) % 256, (7 * i + 5) % 256 }
        end, golden("palette" .. depth .. ending), { H, W, 3 })
      end
    end
    local alpha = { [0] = 0, 50, 100 }
    assert_pixels(function(y, x)
      local i = sample(y, x, 0, 4)
      return { 3 * i + 5, 5 * i + 5, 7 * i + 5, alpha[i] or 255 }
    end, golden "palette4_t", { H, W, 4 })
  end)

  it("io.load_image makes a transparent colour an alpha channel", function()
    assert_pixels(function(y, x)
      local i = sample(y, x, 0, 4)
      return { i * 17, i == 11 and 0 or 255 }
    end, golden "gray4_t", { H, W, 2 })
    local a = golden "rgb16_t"
    assert.same({ H, W, 4 }, { unpack(a.shape) })
    assert.equal(0, a:get(3, 4, 4))
    assert.equal(65535, a:get(1, 1, 4))
  end)

  it("io.load_image reads interlaced pictures smaller than the pattern", function()
    for _, h in ipairs { 1, 2, 5 } do
      for _, w in ipairs { 1, 3 } do
        assert_pixels(function(y, x) return { sample(y, x, 0, 8), sample(y, x, 1, 8), sample(y, x, 2, 8) } end,
          golden(("small%dx%d_i"):format(h, w)), { h, w, 3 })
      end
    end
  end)

  -- One white pixel: all bytes of the file, the image data in a stored block.
  local ONE = "\137PNG\r\n\26\n\0\0\0\13IHDR\0\0\0\1\0\0\0\1\8\0\0\0\0\58\126\155\85" ..
    "\0\0\0\13IDAT\120\1\1\2\0\253\255\0\255\1\1\1\0\96\135\18\181\0\0\0\0IEND\174\66\96\130"

  local function be32(x)
    return string.char(math.floor(x / 2 ^ 24) % 256, math.floor(x / 2 ^ 16) % 256, math.floor(x / 256) % 256, x % 256)
  end

  -- A checksum of its own, bit by bit.
  local function crc(text)
    local c = -1
    for i = 1, #text do
      c = bit.bxor(c, text:byte(i))
      for _ = 1, 8 do c = bit.bxor(bit.rshift(c, 1), bit.band(c, 1) == 1 and 0xedb88320 or 0) end
    end
    return bit.bnot(c) % 2 ^ 32
  end
  local function chunk(name, data) return be32(#data) .. name .. data .. be32(crc(name .. data)) end
  local function header(w, h, depth, colour, ...)
    local rest = { ... }
    return chunk("IHDR", be32(w) .. be32(h) .. string.char(depth, colour, rest[1] or 0, rest[2] or 0, rest[3] or 0))
  end
  local SIGN, IEND = ONE:sub(1, 8), ONE:sub(-12)
  -- Stored image data: the bytes given, with their checksum.
  local function stored(data)
    local a, b = 1, 0
    for i = 1, #data do
      a = (a + data:byte(i)) % 65521
      b = (b + a) % 65521
    end
    local low, high = #data % 256, math.floor(#data / 256)
    return chunk("IDAT", "\120\1\1" .. string.char(low, high, 255 - low, 255 - high) .. data .. be32(b * 65536 + a))
  end

  it("io.load_image reads bytes that are written out here", function()
    assert.equal(SIGN .. header(1, 1, 8, 0) .. stored "\0\255" .. IEND, ONE)
    local a = load_bytes(ONE)
    assert.same({ 1, 1 }, { unpack(a.shape) })
    assert.equal(255, a:get(1, 1))
    -- Rows of two RGB pixels with filters 1 (left), 2 (above), 3 (mean), 4 (Paeth).
    a = load_bytes(SIGN .. header(2, 4, 8, 2) .. stored("\1\10\20\30\1\2\3" .. "\2\1\1\1\1\1\1" .. "\3\5\5\5\6\6\6" ..
      "\4\1\2\3\4\5\6") .. IEND)
    assert.same({ { { 10, 20, 30 }, { 11, 22, 33 } }, { { 11, 21, 31 }, { 12, 23, 34 } },
      { { 10, 15, 20 }, { 17, 25, 33 } }, { { 11, 17, 23 }, { 21, 30, 39 } } }, a:tolist())
  end)

  it("io.load_image passes over chunks that it may, and refuses the others by name", function()
    assert.equal(255, load_bytes(SIGN .. header(1, 1, 8, 0) .. chunk("teSt", "x") .. stored "\0\255" .. IEND):get(1, 1))
    local function wrong(text, bytes)
      local err = gpu.raises("LogicError", text, load_bytes, bytes)
      assert.truthy(err.message:find("io.load_image: " .. folder .. ".x", 1, true), err.message)
    end
    wrong("the chunk CgBI is not supported", SIGN .. header(1, 1, 8, 0) .. chunk("CgBI", "") .. stored "\0\255" .. IEND)
    wrong("the header is not the first chunk", SIGN .. chunk("tIME", "") .. IEND)
    wrong("the header is not the first chunk", SIGN .. header(1, 1, 8, 0) .. header(1, 1, 8, 0) .. IEND)
    wrong("colour type 5 does not exist", SIGN .. header(1, 1, 8, 5) .. IEND)
    wrong("colour type 2 with 4 bits does not exist", SIGN .. header(1, 1, 4, 2) .. IEND)
    wrong("compression method 1 is not supported", SIGN .. header(1, 1, 8, 0, 1) .. IEND)
    wrong("filter method 64 is not supported", SIGN .. header(1, 1, 8, 0, 0, 64) .. IEND)
    wrong("interlace method 2 is not supported", SIGN .. header(1, 1, 8, 0, 0, 0, 2) .. IEND)
    wrong("a size of 0 x 1 is not allowed", SIGN .. header(0, 1, 8, 0) .. IEND)
    wrong("the file has no image data", SIGN .. header(1, 1, 8, 0) .. IEND)
    wrong("the file has no palette", SIGN .. header(1, 1, 8, 3) .. stored "\0\0" .. IEND)
    wrong("a pixel has colour 2, but the palette has 2",
      SIGN .. header(1, 1, 8, 3) .. chunk("PLTE", "abcdef") .. stored "\0\2" .. IEND)
    wrong("the palette is damaged", SIGN .. header(1, 1, 8, 3) .. chunk("PLTE", "abcd") .. IEND)
    wrong("the chunk PLTE comes after the image data",
      SIGN .. header(1, 1, 8, 0) .. stored "\0\2" .. chunk("PLTE", "abc") .. IEND)
    wrong("the image data is not in one piece",
      SIGN .. header(1, 1, 8, 0) .. stored "\0\2" .. chunk("teSt", "") .. stored "\0\2" .. IEND)
    wrong("filter 5 does not exist", SIGN .. header(1, 1, 8, 0) .. stored "\5\2" .. IEND)
    wrong("the image data is too short", SIGN .. header(1, 1, 8, 0) .. stored "\0" .. IEND)
    wrong("longer than it should be", SIGN .. header(1, 1, 8, 0) .. stored "\0\1\2" .. IEND)
    wrong("not zlib data", SIGN .. header(1, 1, 8, 0) .. chunk("IDAT", "\0\0\0\0\0\0\0") .. IEND)
    wrong("the image data is damaged: its checksum does not match",
      SIGN .. header(1, 1, 8, 0) .. chunk("IDAT", "\120\1\1\2\0\253\255\0\255\1\1\1\1") .. IEND)
    wrong("the chunk IDAT is damaged: its checksum does not match", (ONE:gsub("%z\255\1\1", "\0\254\1\1")))
    wrong("is not a PNG, PGM or PPM file", "GIF89a")
    wrong("is not a PNG, PGM or PPM file", "")
    for n = 8, #ONE - 1 do wrong("truncated", ONE:sub(1, n)) end
  end)

  it("io.load_image believes no size that the data cannot have", function()
    local before = collectgarbage "count"
    gpu.raises("LogicError", "the image data is too short", load_bytes,
      SIGN .. header(16000, 16000, 16, 6) .. stored "\0\0" .. IEND)
    gpu.raises("LogicError", "are more than max_pixels, 268435456", load_bytes,
      SIGN .. header(2 ^ 31 - 1, 2 ^ 31 - 1, 16, 6) .. stored "\0\0" .. IEND)
    gpu.raises("LogicError", "truncated", load_bytes, "P6 16000 16000 65535\n123")
    gpu.raises("LogicError", "truncated", load_bytes, "P3 16000 16000 65535\n123")
    assert.is_true(collectgarbage "count" - before < 2 ^ 16)
    local two = SIGN .. header(2, 1, 8, 0) .. stored "\0\1\2" .. IEND
    gpu.raises("LogicError", "2 x 1 pixels are more than max_pixels, 1", load_bytes, two, { max_pixels = 1 })
    assert.same({ { 1, 2 } }, load_bytes(two, { max_pixels = 2 }):tolist())
  end)

  it("io.load_image says what is wrong with its arguments", function()
    gpu.refuses_nonsense(files.load_image)
    gpu.raises("RuntimeError", "/no/such", files.load_image, "/no/such/file.png")
    gpu.raises("LogicError", "is not a regular file", files.load_image, "/dev/null")
    gpu.raises("LogicError", "unknown option 'max'", files.load_image, "x.png", { max = 1 })
    gpu.raises("LogicError", "max_pixels must be a positive integer, got 0", files.load_image, "x", { max_pixels = 0 })
  end)

  -- ---- Netpbm --------------------------------------------------------------------------------------------------

  it("io.load_image reads PGM and PPM files, as text and as bytes, of 8 and 16 bits", function()
    local function check(text, dtype, values)
      local a = load_bytes(text)
      assert.equal(dtype, a.dtype.name)
      assert.same(values, a:tolist())
    end
    check("P2\n# made by hand\n3 2\n255\n1 2 3\n4 5 255\n", "uint8", { { 1, 2, 3 }, { 4, 5, 255 } })
    check("P2 2 1 # x\n#y\n15 0\n15", "uint8", { { 0, 255 } })
    check("P2 2 1 65535 300\t65535", "uint16", { { 300, 65535 } })
    check("P2 3 1 1000 0 500 1000", "uint16", { { 0, 32768, 65535 } })
    check("P3 1 2 255 1 2 3 4 5 6 ", "uint8", { { { 1, 2, 3 } }, { { 4, 5, 6 } } })
    check("P5 2 2 255\n\1\2\10\35", "uint8", { { 1, 2 }, { 10, 35 } })
    check("P5\n2 1\n65535\n\1\2\255\255", "uint16", { { 258, 65535 } })
    check("P6 1 1 255 abc and more", "uint8", { { { 97, 98, 99 } } })
    check("P6 1 1 300 \0\0\0\150\1\44", "uint16", { { { 0, 32768, 65535 } } })
  end)

  it("io.load_image refuses damaged and other Netpbm files", function()
    local function wrong(text, bytes) gpu.raises("LogicError", text, load_bytes, bytes) end
    wrong("a bitmap (PBM), which is not supported", "P1 1 1 0")
    wrong("a bitmap (PBM), which is not supported", "P4 8 1\n1")
    wrong("a PAM file, which is not supported", "P7\nWIDTH 1")
    wrong("a PFM file, which is not supported", "PF 1 1 -1.0\n")
    wrong("a size of 0 x 1 is not allowed", "P5 0 1 255\n")
    wrong("the largest value is 70000", "P5 1 1 70000\n12")
    wrong("the largest value is 0", "P2 1 1 0 0")
    wrong("sample 2 is 256, the largest is 255", "P2 2 1 255 1 256")
    wrong("sample 1 is 200, the largest is 100", "P5 1 1 100\n\200")
    wrong("a number was expected at byte 4", "P5 x 1 255\n1")
    wrong("a number was expected at byte 14", "P2 2 1 255 1 -6")
    wrong("is too large", "P5 99999999999 1 255\n1")
    for _, text in ipairs { "P5", "P5 ", "P5 2", "P5 2 2 255", "P5 2 2 255\n", "P5 2 2 255\n123", "P2 2 2 255 1 2 3",
      "P2 2 2 255 1 2 3 #", "P6 1 1 65535\n12345" } do
      wrong("truncated", text)
    end
  end)

  -- ---- files that lie --------------------------------------------------------------------------------------------

  it("io.load_image takes or refuses any bytes, in time", function()
    local seeds = { ONE, "P2\n# made by hand\n3 2\n255\n1 2 3\n4 5 255\n", "P6 2 2 300\n" .. ("\0\150"):rep(12) }
    for _, name in ipairs { "rgb8", "gray1_i", "palette4_t", "rgba16_i", "small5x3_i" } do
      seeds[#seeds + 1] = bytes_of("spec/data/golden/png/" .. name .. ".png")
    end
    local state = 17
    local function random(n) -- 0 to n - 1
      state = (state * 16807) % 2147483647
      return state % n
    end
    -- Checksums are put right, so that what is behind them is tried, too.
    local function resealed(bytes)
      local out, at = { bytes:sub(1, 8) }, 9
      while at + 11 <= #bytes do
        local a, b, c, d = bytes:byte(at, at + 3)
        local n = ((a * 256 + b) * 256 + c) * 256 + d
        if at + 11 + n > #bytes then break end
        local body = bytes:sub(at + 4, at + 7 + n)
        out[#out + 1] = bytes:sub(at, at + 3) .. body .. be32(crc(body))
        at = at + 12 + n
      end
      return table.concat(out) .. bytes:sub(at)
    end
    local png, netpbm = require "cudalua.files.png", require "cudalua.files.netpbm"
    local taken, refused, started = 0, 0, os.clock()
    for round = 1, 1500 do
      local bytes = seeds[1 + random(#seeds)]
      for _ = 1, 1 + random(4) do
        local at, kind = 1 + random(#bytes), random(4)
        if kind == 0 then
          bytes = bytes:sub(1, at - 1) .. string.char(random(256)) .. bytes:sub(at + 1)
        elseif kind == 1 then
          bytes = bytes:sub(1, at - 1) .. bytes:sub(at + 1 + random(3))
        elseif kind == 2 then
          bytes = bytes:sub(1, at) .. bytes:sub(1 + random(#bytes), -1):sub(1, random(9)) .. bytes:sub(at + 1)
        else
          bytes = bytes:sub(1, at - 1) .. string.char(bit.bxor(bytes:byte(at), 2 ^ random(8))) .. bytes:sub(at + 1)
        end
        if #bytes == 0 then bytes = "P" end
      end
      if round % 4 > 0 then bytes = resealed(bytes) end
      local decode = netpbm.is(bytes) and netpbm.decode or png.decode
      local ok, result = pcall(decode, "fuzz", "x", bytes, 2 ^ 24)
      if ok then
        taken = taken + 1
        assert.is_true(result.size > 0)
      else
        assert(cuda.is_error(result, "LogicError"), tostring(result))
        refused = refused + 1
      end
    end
    assert.is_true(taken > 50, taken .. " were taken")
    assert.is_true(refused > 500, refused .. " were refused")
    assert.is_true(os.clock() - started < 120)
  end)
end)

-- ---- writing -----------------------------------------------------------------------------------------------------

describe("cuda.io.save_image", function()
  local function random_picture(shape, dtype)
    local state, most = 5, dtype == "uint16" and 65536 or 256
    return ndarray.from_function(shape, function(i)
      state = (state * 16807) % 2147483647
      return state % 5 == 0 and state % most or i * 7 % most
    end, dtype)
  end

  it("io.save_image writes PNG files that give the same array", function()
    for _, dtype in ipairs { "uint8", "uint16" } do
      for channels = 1, 4 do
        local a = random_picture({ 13, 17, channels > 1 and channels or nil }, dtype)
        files.save_image(path_of ".png", a)
        assert(ndarray.equal(a, files.load_image(path_of ".png")))
      end
    end
    local a = random_picture({ 4, 5, 1 }, "uint8")
    files.save_image(path_of ".png", a)
    assert(ndarray.equal(a:reshape { 4, 5 }, files.load_image(path_of ".png")))
  end)

  it("io.save_image writes the chunks of the specification", function()
    files.save_image(path_of ".png", ndarray.array({ { 255 } }, "uint8"))
    local bytes = bytes_of(path_of ".png")
    -- The header up to its checksum; then 78 01 and a block of the fixed code, worked out by hand: 0 is 00110000, 255
    -- is 111111111, the end 0000000.
    assert.equal("\137PNG\r\n\26\n\0\0\0\13IHDR\0\0\0\1\0\0\0\1\8\0\0\0\0\58\126\155\85", bytes:sub(1, 33))
    assert.equal("IDAT\120\1", bytes:sub(38, 43))
    assert.equal("\99\248\15\0", bytes:sub(44, 47))
    assert.equal("\1\1\1\0", bytes:sub(48, 51))
    assert.equal("\0\0\0\0IEND\174\66\96\130", bytes:sub(-12))
  end)

  it("io.save_image packs what repeats", function()
    files.save_image(path_of ".png", ndarray.zeros({ 500, 500, 3 }, "uint8"))
    assert.is_true(#bytes_of(path_of ".png") < 8000)
    local a = ndarray.from_function({ 300, 400 }, function(i, j) return (i * j + math.floor(j / 7)) % 251 end, "uint8")
    files.save_image(path_of ".png", a)
    assert(ndarray.equal(a, files.load_image(path_of ".png")))
    assert.is_true(#bytes_of(path_of ".png") < 300 * 400)
  end)

  it("io.save_image writes PGM and PPM files", function()
    files.save_image(path_of ".pgm", ndarray.array({ { 1, 2, 3 } }, "uint8"))
    assert.equal("P5\n3 1\n255\n\1\2\3", bytes_of(path_of ".pgm"))
    files.save_image(path_of ".PGM", ndarray.array({ { 258 }, { 65535 } }, "uint16"))
    assert.equal("P5\n1 2\n65535\n\1\2\255\255", bytes_of(path_of ".PGM"))
    files.save_image(path_of ".ppm", ndarray.array({ { { 97, 98, 99 } } }, "uint8"))
    assert.equal("P6\n1 1\n255\nabc", bytes_of(path_of ".ppm"))
    for _, shape in ipairs { { 6, 5 }, { 6, 5, 3 } } do
      local a = random_picture(shape, "uint16")
      files.save_image(path_of ".pnm", a)
      assert(ndarray.equal(a, files.load_image(path_of ".pnm")))
    end
  end)

  it("io.save_image takes floats from 0 to 1, and booleans", function()
    local a = ndarray.array({ { 0, 0.5, 1 }, { -3, 7, 0 / 0 } }, "float32")
    local hook = cuda.on_notice
    cuda.on_notice = nil -- of what is clipped
    finally(function() cuda.on_notice = hook end)
    files.save_image(path_of ".png", a)
    assert.same({ { 0, 128, 255 }, { 0, 255, 0 } }, files.load_image(path_of ".png"):tolist())
    files.save_image(path_of ".png", a, { bits = 16 })
    assert.same({ { 0, 32768, 65535 }, { 0, 65535, 0 } }, files.load_image(path_of ".png"):tolist())
    files.save_image(path_of ".png", ndarray.array { { true, false } })
    assert.same({ { 255, 0 } }, files.load_image(path_of ".png"):tolist())
  end)

  it("io.save_image shows numbers through a colour map, or as shades of gray between limits", function()
    local a = ndarray.array({ { -1, 0, 3 }, { 0 / 0, 1 / 0, -1 / 0 } }, "float32")
    local first, last, nan = { 0x44, 0x01, 0x54 }, { 0xfd, 0xe7, 0x25 }, { 255, 0, 255 } -- viridis
    local map = require("cudalua.files.colormaps").get("spec", "viridis")
    local function colour(level) return { map[level][0], map[level][1], map[level][2] } end
    files.save_image(path_of ".png", a, { map = "viridis" })
    assert.same({ { first, colour(64), last }, { nan, last, first } }, files.load_image(path_of ".png"):tolist())
    files.save_image(path_of ".ppm", gpuarray.to_gpu(a), { map = "viridis_r", vmin = 0, vmax = 2 })
    assert.same({ { last, last, first }, { nan, first, last } }, files.load_image(path_of ".ppm"):tolist())
    files.save_image(path_of ".pgm", a, { vmin = 0, vmax = 2 })
    assert.same({ { 0, 0, 255 }, { 0, 255, 0 } }, files.load_image(path_of ".pgm"):tolist())
    files.save_image(path_of ".png", a, { vmax = 1, bits = 16 })
    assert.same({ { 0, 32768, 65535 }, { 0, 65535, 0 } }, files.load_image(path_of ".png"):tolist())
    files.save_image(path_of ".png", ndarray.array({ { 10, 20 } }, "int32"), { vmin = 0 })
    assert.same({ { 128, 255 } }, files.load_image(path_of ".png"):tolist())
    files.save_image(path_of ".png", ndarray.array { { true, false } }, { map = "viridis" })
    assert.same({ { last, first } }, files.load_image(path_of ".png"):tolist())
  end)

  it("io.save_image takes arrays of the device, and views", function()
    gpu.context()
    local host = random_picture({ 20, 30, 3 }, "uint8")
    local a = gpuarray.to_gpu(host)
    files.save_image(path_of ".png", a)
    assert(ndarray.equal(host, files.load_image(path_of ".png")))
    files.save_image(path_of ".png", a:slice({ 20, 1, -2 }, {}, 2))
    assert(ndarray.equal(host:slice({ 20, 1, -2 }, {}, 2), files.load_image(path_of ".png")))
    files.save_image(path_of ".png", a:slice({}, {}, 1):astype "float32" / 255)
    assert(ndarray.equal(host:slice({}, {}, 1), files.load_image(path_of ".png")))
  end)

  it("io.save_image says what is wrong", function()
    local a = ndarray.zeros({ 2, 2 }, "uint8")
    local function wrong(text, ...) gpu.raises("LogicError", text, files.save_image, ...) end
    wrong("the name must end in .png, .pgm, .ppm or .pnm, got 'x.jpg'", "x.jpg", a)
    wrong("the name must end in", "x", a)
    wrong("expected a path, got 3", 3, a)
    wrong("expected an array, got a table", "x.png", { { 1 } })
    wrong("the shape must be (h, w) or (h, w, 1 to 4), got (3,)", "x.png", ndarray.zeros(3, "uint8"))
    wrong("(2, 2, 5)", "x.png", ndarray.zeros({ 2, 2, 5 }, "uint8"))
    wrong("the picture has no pixels", "x.png", ndarray.zeros({ 0, 2 }, "uint8"))
    wrong("elements must be uint8, uint16, bool, or floats from 0 to 1", "x.png",
      ndarray.zeros({ 2, 2 }, "int32"))
    wrong(".pgm files cannot hold 3 channels; use .ppm", "x.pgm", ndarray.zeros({ 2, 2, 3 }, "uint8"))
    wrong(".ppm files cannot hold 4 channels; use .png", "x.ppm", ndarray.zeros({ 2, 2, 4 }, "uint8"))
    wrong("bits is 16, but the array has elements of uint8", "x.png", a, { bits = 16 })
    wrong("bits must be 8 or 16, got 9", "x.png", ndarray.zeros({ 2, 2 }, "float32"), { bits = 9 })
    wrong("unknown option", "x.png", a, { quality = 9 })
    wrong("unknown map 'jet'; valid maps: coolwarm, ", "x.png", a, { map = "jet" })
    wrong("vmin must be a finite number, got a string", "x.png", a, { vmin = "0" })
    wrong("vmin is 2, greater than vmax, 1", "x.png", a, { vmin = 2, vmax = 1 })
    wrong("pictures with a map", "x.png", a, { map = "gray", bits = 8 })
    wrong(".pgm files cannot hold 3 channels; use .ppm", "x.pgm", a, { map = "gray" })
    wrong("map, vmin and vmax need the shape (h, w), got (2, 2, 3)", "x.png", ndarray.zeros { 2, 2, 3 },
      { vmin = 0 })
    wrong("map, vmin and vmax need real numbers, but the elements are complex64", "x.png",
      ndarray.zeros({ 2, 2 }, "complex64"), { map = "gray" })
    gpu.raises("RuntimeError", "/no/such", files.save_image, "/no/such/x.png", a)
    if ffi.os == "Linux" then
      gpu.raises("RuntimeError", "cannot be written", require("cudalua.files.whole").write, "io.save_image",
        "/dev/full", function(write) write(("x"):rep(100000)) end)
    end
  end)
end)
