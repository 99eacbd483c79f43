-- A network with two layers learns to read digits. A kernel draws them: strokes that are turned, sheared, scaled and
-- shifted at random, with a pen of random width, on noisy paper. The network has seen none of the digits of the test.
--   luajit examples/26_digits.lua [steps [OUT.png]]
-- steps: of 256 digits each; default: 1500, on the software device 130 of 64. OUT.png gets 64 of the test's digits.
local cuda = require "cudalua"
local gpuarray, linalg = cuda.gpuarray, cuda.linalg

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local steps = math.floor(tonumber(arg and arg[1]) or (soft and 130 or 1500))
local SIDE, CLASSES = 12, 10
local PIXELS = SIDE * SIDE
local BATCH, HIDDEN, TESTED = soft and 64 or 256, soft and 32 or 256, soft and 500 or 20000

-- Each digit is lines from point to point, in a square from -1 to 1 with y downwards. A space lifts the pen.
local strokes = {
  [0] = "0,-1 .6,-.6 .6,.6 0,1 -.6,.6 -.6,-.6 0,-1",
  "-.4,-.6 .1,-1 .1,1",
  "-.6,-.6 -.1,-1 .5,-.8 .5,-.3 -.6,1 .6,1",
  "-.5,-.9 .2,-1 .5,-.5 0,0 .5,.5 .2,1 -.5,.9",
  ".3,1 .3,-1 -.6,.4 .6,.4",
  ".5,-1 -.4,-1 -.5,-.1 .2,-.2 .5,.4 .2,1 -.5,.9",
  ".4,-1 -.3,-.4 -.5,.5 0,1 .5,.5 .1,0 -.5,.4",
  "-.6,-1 .6,-1 -.2,1",
  "0,0 .5,-.5 0,-1 -.5,-.5 0,0 .5,.5 0,1 -.5,.5 0,0",
  ".5,-.4 -.1,0 -.5,-.5 0,-1 .5,-.5 .3,.4 -.4,1",
}

-- The strokes as segments, x1 y1 x2 y2, and where those of a digit begin.
local segments, first = {}, {}
for digit = 0, 9 do
  first[digit + 1] = #segments / 4
  local x1, y1
  for x2, y2 in strokes[digit]:gmatch "([-.%d]+),([-.%d]+)" do
    for _, number in ipairs(x1 and { x1, y1, x2, y2 } or {}) do segments[#segments + 1] = tonumber(number) end
    x1, y1 = x2, y2
  end
end
first[11] = #segments / 4
segments, first = gpuarray.to_gpu(segments, "float32"), gpuarray.to_gpu(first, "int32")

-- One thread a pixel: dark where the nearest segment is nearer than half a pen.
local draw = cuda.kernel [=[
  __global__ void draw(const float4 *segments, const int *first, const int *digit, const float *how, float *paper,
                       int side, int n)
  {
    int i = blockIdx.x * blockDim.x + threadIdx.x, which = i / (side * side);
    if (which >= n) return;
    const float *h = how + 6 * which;
    float px = 2.6f * ((i % side) + 0.5f) / side - 1.3f - 0.2f * h[0];
    float py = 2.6f * ((i / side % side) + 0.5f) / side - 1.3f - 0.2f * h[1];
    float s = sinf(0.25f * h[2]), c = cosf(0.25f * h[2]), size = 1 + 0.15f * h[3];
    float x = (c * px + s * py) / size, y = (c * py - s * px) / size;
    x += 0.2f * h[4] * y;
    float nearest = 1e9f;
    for (int k = first[digit[which]]; k < first[digit[which] + 1]; k++) {
      float4 a = segments[k];
      float dx = a.z - a.x, dy = a.w - a.y;
      float t = fminf(fmaxf(((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy), 0), 1);
      nearest = fminf(nearest, hypotf(x - a.x - t * dx, y - a.y - t * dy));
    }
    paper[i] += 1 / (1 + expf((nearest - 0.16f - 0.05f * h[5]) * 25));
  }
]=]

local generator = cuda.random.Generator(11)
local function digits(n)
  local label = generator:integers(n, 0, CLASSES - 1, "int32")
  local paper = (generator:normal({ n, PIXELS }, 0, 0.1)):eval()
  local how = generator:uniform({ n, 6 }, -1, 1)
  draw(segments, first, label, how, paper, SIDE, n, { block = 128, grid = math.ceil(n * PIXELS / 128) })
  return paper, label
end

-- The weights of a layer lie as linalg.linear() takes them, a row for each output.
local function layer(outputs, inputs)
  return { w = generator:normal({ outputs, inputs }, 0, math.sqrt(2 / inputs)):eval(),
    b = gpuarray.zeros(outputs, "float32") }
end
local one, two = layer(HIDDEN, PIXELS), layer(CLASSES, HIDDEN)

local function forward(x)
  local h = linalg.linear(x, one.w, { bias = one.b, activation = "relu" })
  return h, linalg.linear(h, two.w, { bias = two.b })
end

-- Gradient descent with momentum: the velocity keeps nine tenths from step to step.
local velocity = {}
local function descend(weights, gradient, rate)
  velocity[weights] = velocity[weights] and velocity[weights] * 0.9 + gradient or gradient
  weights:set(weights - rate * velocity[weights])
end

local classes = gpuarray.arange(0, CLASSES, "int32")
local function step(rate)
  local x, label = digits(BATCH)
  local h, y = forward(x)
  local e = (y - y:max { axis = 2, keepdims = true }):exp()
  local p = e / e:sum { axis = 2, keepdims = true }
  local hit = label:reshape(BATCH, 1):eq(classes)
  -- The gradient of the mean loss by y, and from it by what came before.
  local by_y = (p - hit:astype "float32") / BATCH
  local by_h = by_y:matmul(two.w) * h:gt(0)
  descend(two.w, by_y.T:matmul(h), rate)
  descend(two.b, by_y:sum(1), rate)
  descend(one.w, by_h.T:matmul(x), rate)
  descend(one.b, by_h:sum(1), rate)
  return -(gpuarray.where(hit, p, 0):sum(2):log()):mean()
end

local start, stop = cuda.Event(), cuda.Event()
start:record()
local loss
for i = 1, steps do
  loss = step(0.1 * (1 - (i - 1) / steps))
  if i % math.ceil(steps / 5) == 0 or i == 1 then print(("step %4d: loss %.3f"):format(i, loss:item())) end
end
stop:record()
stop:synchronize()

local x, label = digits(TESTED)
local _, y = forward(x)
local read = y:argmax(2) - 1
local right = read:eq(label):mean():item()

-- Three digits, as the network saw them.
local shades, seen = " .:-=+*#%@", x[{ { 1, 3 } }]:tolist()
for row = 1, SIDE do
  local line = {}
  for which = 1, 3 do
    for column = 1, SIDE do
      local dark = math.max(0, math.min(1, seen[which][(row - 1) * SIDE + column]))
      local at = math.floor(dark * 9) + 1
      line[#line + 1] = shades:sub(at, at):rep(2)
    end
  end
  print((table.concat(line):gsub("%s+$", "")))
end
if arg and arg[2] then
  local sheet = x[{ { 1, 64 } }]:reshape(4, 16, SIDE, SIDE):transpose { 1, 3, 2, 4 }:reshape(4 * SIDE, 16 * SIDE)
  cuda.io.save_image(arg[2], (1 - sheet):clip(0, 1))
end
print(("read as %d, %d, %d"):format(read[1], read[2], read[3]))

assert(right > 0.97, ("only %.1f %% are right"):format(100 * right))
print(("%.1f %% of %d new digits are right after %d steps on %s, %.3f %s a step; all as expected"):format(100 * right,
  TESTED, steps, ctx:get_device():name(), stop:time_since(start) / steps, soft and "simulated ms" or "ms"))
