-- Logistic regression, trained by a step that is captured as a graph once and replayed: a kernel of its own computes
-- the probabilities and errors of a batch, arrays the gradient, the decay and the new weights. The same steps without
-- a graph give the same weights, bit for bit, and both find the line that the data was made with.
--   luajit examples/24_training_graph.lua [steps]
-- steps: default 2000, on the software device 300
local cuda = require "cudalua"
local gpuarray = cuda.gpuarray

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft
local steps = math.floor(tonumber(arg and arg[1]) or (soft and 300 or 2000))
local N, FEATURES, BATCHES = 256, 3, 8
local RATE, DECAY = 0.8, 1e-4

-- Points in a cube; the label says on which side of a plane a point lies, with a margin left free.
local plane = { 2, -1, 0.5 } -- its normal; it goes through 0.25
local generator = cuda.random.Generator(7)
local function batch()
  local x = generator:uniform({ N, FEATURES }, -1, 1)
  local side = (x * gpuarray.to_gpu(plane, "float32")):sum(2) - 0.25
  x = x + (side:sign() * 0.2):reshape(N, 1) * gpuarray.to_gpu(plane, "float32") / 5.25
  return x:eval(), side:gt(0):astype "float32":eval()
end

-- One thread a point: the errors that the gradient is made of, and the losses.
local forward = cuda.kernel [[
  __global__ void forward(const float *x, const float *y, const float *w, int n, int features, float *error,
                          float *loss) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float z = w[features];
    for (int k = 0; k < features; k++) z += x[i * features + k] * w[k];
    float p = 1 / (1 + expf(-z));
    error[i] = p - y[i];
    loss[i] = fmaxf(z, 0) - z * y[i] + log1pf(expf(-fabsf(z)));
  }
]]

-- A step that changes w, as a function of a batch.
local function training(w)
  local errors, losses = gpuarray.zeros(N, "float32"), gpuarray.zeros(N, "float32")
  local weights, bias = w[{ { 1, FEATURES } }], w[{ { FEATURES + 1, FEATURES + 1 } }]
  return function(x, y)
    forward(x, y, w, N, FEATURES, errors, losses, { block = 128, grid = math.ceil(N / 128) })
    local gradient = (x * errors:reshape(N, 1)):mean(1)
    weights:set(weights * (1 - RATE * DECAY) - RATE * gradient)
    bias:set(bias - RATE * errors:mean())
    return losses:mean()
  end
end

local batches = {}
for i = 1, BATCHES do batches[i] = { batch() } end

local function train(step)
  local first, last
  local start, stop = cuda.Event(), cuda.Event()
  start:record()
  for i = 1, steps do
    local b = batches[(i - 1) % BATCHES + 1]
    last = step(b[1], b[2])
    if i == 1 then first = last:item() end
  end
  stop:record()
  stop:synchronize()
  return first, last:item(), stop:time_since(start) / steps
end

local eager_w, graph_w = gpuarray.zeros(FEATURES + 1, "float32"), gpuarray.zeros(FEATURES + 1, "float32")
local eager_first, eager_last = train(training(eager_w))
local step = cuda.graph(training(graph_w))
local first, last, ms = train(step)

local info = step:info()
assert(info.captures == 1 and info.replays == steps - 1, "the step was to be captured once")
assert(first == eager_first and last == eager_last, "the losses differ from those without a graph")
assert(gpuarray.array_equal(eager_w, graph_w), "the weights differ from those without a graph")

-- It learned: at first every point costs log 2; in the end nearly all of a new batch is right, and the weights point
-- where the plane's normal does.
assert(math.abs(first - math.log(2)) < 1e-6, "the first loss")
assert(last < 0.5 * first, ("the loss fell from %g to %g only"):format(first, last))
local x, y = batch()
local w = graph_w:tolist()
local z = (x * graph_w[{ { 1, FEATURES } }]):sum(2) + w[FEATURES + 1]
local right = z:gt(0):astype("float32"):eq(y):astype("float32"):mean():item()
assert(right >= 0.97, ("%.1f %% of a new batch are right"):format(100 * right))
local dot, length, normal = 0, 0, 0
for k = 1, FEATURES do
  dot, length, normal = dot + w[k] * plane[k], length + w[k] ^ 2, normal + plane[k] ^ 2
end
local cosine = dot / math.sqrt(length * normal)
assert(cosine > 0.98, ("the cosine between the weights and the plane's normal is %.4f"):format(cosine))

print(("%d steps on %s: %.4f %s a step, replays of %d nodes"):format(steps, ctx:get_device():name(), ms,
  soft and "simulated ms" or "ms", info.nodes))
print(("loss %.4f to %.4f, %.1f %% of a new batch right, as without a graph; all as expected"):format(first, last,
  100 * right))
