-- Blurs a picture and finds its edges: 03_image.lua [IN.ppm [OUT.ppm]]. Two kernels of our own: a 5x5 binomial
-- blur with its weights in constant memory, and Sobel's operator, both on tiles in shared memory. The result
-- is compared, pixel by pixel, with the same computed in plain Lua.
local cuda = require "cudalua"
local ffi = require "ffi"

local here = debug.getinfo(1, "S").source:match "^@(.*)/[^/]*$" or "."

local bytes, width, height = dofile(here .. "/make_image.lua").read(arg[1], 1280, 853)
local pixels = ffi.new("uint8_t[?]", #bytes)
ffi.copy(pixels, bytes, #bytes)

cuda.init()
local ctx = cuda.Device(0):make_context()

local mod = cuda.SourceModule [[
#define TILE 16
#define BLUR 2
__constant__ int weight[5];  /* 1 4 6 4 1 */

__device__ int inside(int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; }

/* Each block loads its tile and a margin of two pixels, blurs along x into shared memory, then along y. */
__global__ void blur(unsigned char *out, const unsigned char *in, int width, int height)
{
  __shared__ int tile[TILE + 2 * BLUR][3 * (TILE + 2 * BLUR)];
  __shared__ int rows[TILE + 2 * BLUR][3 * TILE];
  const int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;

  for (int ty = threadIdx.y; ty < TILE + 2 * BLUR; ty += TILE)
    for (int tx = threadIdx.x; tx < TILE + 2 * BLUR; tx += TILE) {
      const unsigned char *p =
          in + 3 * (inside(y0 + ty - BLUR, height) * width + inside(x0 + tx - BLUR, width));
      for (int c = 0; c < 3; c++) tile[ty][3 * tx + c] = p[c];
    }
  __syncthreads();

  for (int ty = threadIdx.y; ty < TILE + 2 * BLUR; ty += TILE)
    for (int c = 0; c < 3; c++) {
      int sum = 0;
      for (int k = 0; k < 5; k++) sum += weight[k] * tile[ty][3 * (threadIdx.x + k) + c];
      rows[ty][3 * threadIdx.x + c] = sum;
    }
  __syncthreads();

  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  if (x >= width || y >= height) return;
  for (int c = 0; c < 3; c++) {
    int sum = 128;
    for (int k = 0; k < 5; k++) sum += weight[k] * rows[threadIdx.y + k][3 * threadIdx.x + c];
    out[3 * (y * width + x) + c] = sum / 256;
  }
}

/* Length of the gradient of the luminance. */
__global__ void sobel(unsigned char *out, const unsigned char *in, int width, int height)
{
  __shared__ int tile[TILE + 2][TILE + 2];
  const int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;

  for (int ty = threadIdx.y; ty < TILE + 2; ty += TILE)
    for (int tx = threadIdx.x; tx < TILE + 2; tx += TILE) {
      const unsigned char *p = in + 3 * (inside(y0 + ty - 1, height) * width + inside(x0 + tx - 1, width));
      tile[ty][tx] = (77 * p[0] + 150 * p[1] + 29 * p[2]) / 256;
    }
  __syncthreads();

  const int tx = threadIdx.x, ty = threadIdx.y, x = x0 + tx, y = y0 + ty;
  if (x >= width || y >= height) return;
  const int gx = tile[ty][tx + 2] + 2 * tile[ty + 1][tx + 2] + tile[ty + 2][tx + 2]
               - tile[ty][tx] - 2 * tile[ty + 1][tx] - tile[ty + 2][tx];
  const int gy = tile[ty + 2][tx] + 2 * tile[ty + 2][tx + 1] + tile[ty + 2][tx + 2]
               - tile[ty][tx] - 2 * tile[ty][tx + 1] - tile[ty][tx + 2];
  const int length = (int)sqrtf((float)(gx * gx + gy * gy));
  out[y * width + x] = length > 255 ? 255 : length;
}
]]

local weights = ffi.new("int[5]", 1, 4, 6, 4, 1)
cuda.memcpy_htod(mod:get_global "weight", weights)

local picture, blurred = cuda.to_device(pixels), cuda.mem_alloc(width * height * 3)
local edges = cuda.mem_alloc(width * height)
local tiles = { block = { 16, 16 }, grid = { math.ceil(width / 16), math.ceil(height / 16) }, time_kernel = true }
local blur_time = mod:get_function "blur"(blurred, picture, width, height, tiles)
local sobel_time = mod:get_function "sobel"(edges, blurred, width, height, tiles)

local got_blur, got_edges = ffi.new("uint8_t[?]", width * height * 3), ffi.new("uint8_t[?]", width * height)
cuda.memcpy_dtoh(got_blur, blurred)
cuda.memcpy_dtoh(got_edges, edges)

-- The reference: the same arithmetic, one pixel at a time.
local function inside(v, n) return v < 0 and 0 or v >= n and n - 1 or v end

local function reference_blur()
  local out = ffi.new("uint8_t[?]", width * height * 3)
  for y = 0, height - 1 do
    for x = 0, width - 1 do
      for c = 0, 2 do
        local sum = 128
        for j = 0, 4 do
          local row = inside(y + j - 2, height) * width
          for i = 0, 4 do
            sum = sum + weights[j] * weights[i] * pixels[3 * (row + inside(x + i - 2, width)) + c]
          end
        end
        out[3 * (y * width + x) + c] = math.floor(sum / 256)
      end
    end
  end
  return out
end

local function reference_sobel(rgb)
  local gray, out = ffi.new("int[?]", width * height), ffi.new("uint8_t[?]", width * height)
  for i = 0, width * height - 1 do
    gray[i] = math.floor((77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) / 256)
  end
  for y = 0, height - 1 do
    local up, here_y, down = inside(y - 1, height) * width, y * width, inside(y + 1, height) * width
    for x = 0, width - 1 do
      local l, r = inside(x - 1, width), inside(x + 1, width)
      local gx = gray[up + r] + 2 * gray[here_y + r] + gray[down + r]
        - gray[up + l] - 2 * gray[here_y + l] - gray[down + l]
      local gy = gray[down + l] + 2 * gray[down + x] + gray[down + r]
        - gray[up + l] - 2 * gray[up + x] - gray[up + r]
      out[here_y + x] = math.min(255, math.floor(math.sqrt(gx * gx + gy * gy)))
    end
  end
  return out
end

local function compare(what, got, expected, n)
  for i = 0, n - 1 do
    if got[i] ~= expected[i] then
      error(("%s: byte %d is %d, the reference says %d"):format(what, i, got[i], expected[i]))
    end
  end
end
local want_blur = reference_blur()
compare("blur", got_blur, want_blur, width * height * 3)
compare("sobel", got_edges, reference_sobel(want_blur), width * height)

if arg[2] then
  local file = assert(io.open(arg[2], "wb"))
  file:write(("P5\n%d %d\n255\n"):format(width, height), ffi.string(got_edges, width * height))
  file:close()
end
local unit = cuda.driver_info().soft and "ms of simulation" or "ms"
print(("%d x %d pixels on %s: blur %.2f %s, Sobel %.2f %s, all as in the Lua loop"):format(width, height,
  ctx:get_device():name(), blur_time * 1e3, unit, sobel_time * 1e3, unit))
