-- A galaxy of particles: CUDA moves them in a buffer of OpenGL, OpenGL draws them from there, without a window.
--   luajit examples/25_gl_particles.lua [PARTICLES [OUT.png [PIXELS]]]
-- On a GPU the buffer is one memory for both. On the software device Mesa draws, and mapping the buffer copies it. Each
-- particle has a twin opposite of the centre, which stays there exactly: that is checked, and so are some orbits, with
-- a loop in Lua, and what the picture shows.
local cuda = require "cudalua"
local gl = require "cudalua.gl"
local ffi = require "ffi"

cuda.init()
local ctx = cuda.Device(0):make_context()
local soft = cuda.driver_info().soft

local n = tonumber(arg[1] or (soft and 30000 or 300000))
local pixels = tonumber(arg[3] or 360)
assert(n >= 2 and n % 2 == 0, "the number of particles must be even")

local ok, window = pcall(gl.headless, { width = pixels, height = pixels })
if not ok then
  if not cuda.is_error(window, "RuntimeError") then error(window, 0) end
  print("skipped: this example draws with OpenGL, which cannot be had here\n" .. tostring(window))
  ctx:detach()
  os.exit(0)
end
print(("%s, %s; OpenGL: %s"):format(ctx:get_device():name(), soft and "software device" or "GPU", window.renderer))

local STEPS, FRAMES, DT, SOFTENING = 10, 12, 0.01, 0.04
local module = cuda.SourceModule([[
struct Particle { float2 at, speed; };

__device__ float random(unsigned x) {
  x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
  return (x >> 8) * (1.0f / 16777216.0f);
}

// Two arms of stars that all circle the centre; particle n / 2 + i is the twin of i.
__global__ void start(Particle *p, int half) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= half) return;
  float r = 0.02f - 0.34f * logf(1.0f - 0.965f * random(3 * i));
  float spread = random(3 * i + 1) - random(3 * i + 2);
  float angle = 1.2f * spread;
  float v = sqrtf(r * r / ((r * r + SOFTENING) * sqrtf(r * r + SOFTENING)));
  float2 at = make_float2(r * cosf(angle), r * sinf(angle));
  float2 speed = make_float2(-v * sinf(angle), v * cosf(angle));
  p[i] = {at, speed};
  p[half + i] = {make_float2(-at.x, -at.y), make_float2(-speed.x, -speed.y)};
}

__global__ void move(Particle *p, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 at = p[i].at, speed = p[i].speed;
  for (int k = 0; k < steps; k++) {
    at.x += 0.5f * DT * speed.x;
    at.y += 0.5f * DT * speed.y;
    float d = rsqrtf(at.x * at.x + at.y * at.y + SOFTENING), pull = DT * d * d * d;
    speed.x -= pull * at.x;
    speed.y -= pull * at.y;
    at.x += 0.5f * DT * speed.x;
    at.y += 0.5f * DT * speed.y;
  }
  p[i] = {at, speed};
}
]], { options = { ("-DDT=%gf"):format(DT), ("-DSOFTENING=%gf"):format(SOFTENING) } })
local start, move = module:get_function "start", module:get_function "move"

-- The buffer that both use, and the CUDA side of it.
local PARTICLE = 16 -- bytes: position and velocity, two floats each
local name = window:buffer(n * PARTICLE)
local shared = gl.RegisteredBuffer(name)

local function compute(f)
  local mapping = shared:map()
  f(mapping:device_ptr_and_size())
  mapping:unmap()
end

-- OpenGL's side: a point for each particle, its colour by its distance and speed, all of them added up.
local g = window.gl
local program = window:program{ vertex = [[
#version 330
layout(location = 0) in vec2 at;
layout(location = 1) in vec2 speed;
out vec3 colour;
void main() {
  float r = length(at);
  gl_Position = vec4(at * 0.8, 0.0, 1.0);
  gl_PointSize = 3.0;
  vec3 core = vec3(1.0, 0.72, 0.38), rim = vec3(0.28, 0.5, 1.0);
  colour = mix(core, rim, smoothstep(0.05, 0.75, r)) * (0.6 + 0.4 * length(speed));
}
]], fragment = [[
#version 330
uniform float light;
in vec3 colour;
out vec4 pixel;
void main() {
  vec2 d = gl_PointCoord * 2.0 - 1.0;
  float disc = max(0.0, 1.0 - dot(d, d));
  pixel = vec4(colour * light * disc, 1.0);
}
]] }
local array = ffi.new "unsigned[1]"
g.GenVertexArrays(1, array)
g.BindVertexArray(array[0])
g.BindBuffer(g.ARRAY_BUFFER, name)
for slot = 0, 1 do
  g.EnableVertexAttribArray(slot)
  g.VertexAttribPointer(slot, 2, g.FLOAT, 0, PARTICLE, ffi.cast("void *", slot * 8))
end
g.UseProgram(program)
g.Uniform1f(g.GetUniformLocation(program, "light"), math.min(1, 3000 / n * (pixels / 360) ^ 2))
g.Enable(g.PROGRAM_POINT_SIZE)
g.Enable(g.BLEND)
g.BlendFunc(g.ONE, g.ONE)

local function draw()
  g.ClearColor(0, 0, 0, 1)
  g.Clear(g.COLOR_BUFFER_BIT)
  g.DrawArrays(g.POINTS, 0, n)
end

-- As OpenGL has it.
local function particles()
  local p = ffi.new("float[?]", 4 * n)
  g.BindBuffer(g.ARRAY_BUFFER, name)
  g.GetBufferSubData(g.ARRAY_BUFFER, 0, n * PARTICLE, p)
  return p
end

compute(function(p) start(p, n / 2, { block = 256, grid = math.ceil(n / 512) }) end)
local first = particles()
local began = os.clock()
for _ = 1, FRAMES do
  compute(function(p) move(p, n, STEPS, { block = 256, grid = math.ceil(n / 256) }) end)
  draw()
end
g.Finish()
local last, seconds = particles(), os.clock() - began
local picture = window:read_pixels()

-- Twins are opposite, to the last bit.
for i = 0, 2 * n - 1 do assert(last[i] == -last[2 * n + i], "a particle has lost its twin") end

-- Some orbits, in doubles.
local function orbit(x, y, vx, vy)
  for _ = 1, STEPS * FRAMES do
    x, y = x + 0.5 * DT * vx, y + 0.5 * DT * vy
    local pull = DT * (x * x + y * y + SOFTENING) ^ -1.5
    vx, vy = vx - pull * x, vy - pull * y
    x, y = x + 0.5 * DT * vx, y + 0.5 * DT * vy
  end
  return x, y
end
for i = 0, n - 1, math.ceil(n / 50) do
  local x, y = orbit(first[4 * i], first[4 * i + 1], first[4 * i + 2], first[4 * i + 3])
  local off = math.max(math.abs(x - last[4 * i]), math.abs(y - last[4 * i + 1]))
  assert(off < 1e-3, ("particle %d is off by %g"):format(i, off))
end

-- The picture: its halves are equally bright, and its corners are dark.
local lit, left, right, corner = 0, 0, 0, 0
local data = picture:data()
for y = 0, pixels - 1 do
  for x = 0, pixels - 1 do
    local at = 4 * (y * pixels + x)
    local light = data[at] + data[at + 1] + data[at + 2]
    if light > 0 then lit = lit + 1 end
    if x < pixels / 2 then left = left + light else right = right + light end
    if x < pixels / 16 and y < pixels / 16 then corner = math.max(corner, light) end
  end
end
local share = lit / pixels ^ 2
assert(share > 0.05 and share < 0.98, ("%.3f of the pixels are lit"):format(share))
assert(math.abs(left - right) < 0.02 * (left + right), "one half is brighter than the other")
assert(corner < 60, "the corners are not dark")

if arg[2] then cuda.io.save_image(arg[2], picture[{ {}, {}, { 1, 3 } }]) end
shared:unregister()
window:close()
ctx:detach()
print(("%d particles, %d frames of %d steps in %.2f s; %.0f%% of %d x %d pixels lit, all as expected"):format(n, FRAMES,
  STEPS, seconds, 100 * share, pixels, pixels))
