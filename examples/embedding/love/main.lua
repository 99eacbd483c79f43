-- LÖVE: an image whose pixels a kernel computes, anew in each frame.
--     xvfb-run love examples/embedding/love
local ffi = require "ffi"
local cuda = require "cudalua"

local SIZE, FRAMES = 64, 30
local draw, pixels, data, image
local bytes = ffi.typeof("uint8_t (*)[" .. SIZE * SIZE * 4 .. "]") -- an array that knows its size
local frame = 0

function love.load()
  draw = cuda.SourceModule([[
__global__ void draw(uchar4 *a, int n, int frame) {
  int x = threadIdx.x, y = blockIdx.x;
  a[y * n + x] = make_uchar4(4 * x, 4 * y, frame, 255);
}]]):get_function "draw"
  pixels = cuda.mem_alloc(SIZE * SIZE * 4)
  data = love.image.newImageData(SIZE, SIZE)
  image = love.graphics.newImage(data)
end

function love.update()
  frame = frame + 1
  draw(pixels, SIZE, frame, { grid = SIZE, block = SIZE })
  cuda.memcpy_dtoh(ffi.cast(bytes, data:getFFIPointer())[0], pixels)
  image:replacePixels(data)
end

function love.draw()
  love.graphics.draw(image)
  if frame < FRAMES then return end
  local r, g, b = data:getPixel(10, 20)
  assert(math.floor(r * 255 + 0.5) == 40 and math.floor(g * 255 + 0.5) == 80 and math.floor(b * 255 + 0.5) == FRAMES)
  print("love: drew " .. FRAMES .. " frames that a kernel computed")
  love.event.quit()
end
