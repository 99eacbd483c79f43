-- The gallery of examples: docs/gallery.md, which ./dev generate writes, and its pictures, which the examples make.
--   ./dev run tools/gallery.lua [NAME...]   runs the examples that make pictures, or those named, on the software
--                                           device, and writes docs/pictures/gallery/NAME.png
local M = {}

M.FOLDER = "docs/pictures/gallery"
M.MOST = 60000 -- bytes of a picture
M.WIDTH = 480  -- pixels; wider ones are shrunk

---An example.
---@class gallery.Entry
---@field [1] string   its file in examples/, without .lua
---@field [2] string   what it shows
---@field arguments? string  for the run that makes its picture: IN is a picture to work on, OUT the file to write
---@field ending? string     of OUT, by default png; "/" if OUT is a folder
---@field file? string       in that folder
---@field width? integer     of the picture
---@field scale? integer     each pixel becomes a square of so many
---@field alt? string        what the picture shows

---@type {title: string, [integer]: gallery.Entry}[]
M.groups = {
  { title = "First programs",
    { "01_multiply", "The smallest whole program: a kernel multiplies two vectors." },
    { "02_doublify", "The steps of [Kernels and arguments](kernels.md), with FFI arrays." },
    { "05_devices", "The properties of the devices." },
    { "20_looking", "Waves as a picture and plots in the terminal, and as PNG, SVG and text files.",
      arguments = "OUT", ending = "/", file = "waves.png", alt = "The waves of two sources", width = 360 },
  },
  { title = "Pictures",
    { "03_image", "Two filters as kernels, with shared and constant memory: a blur, then the edges.",
      arguments = "IN OUT", ending = "ppm", alt = "The edges of a landscape" },
    { "11_mandelbrot", "Complex arrays, and a function of arrays that becomes one kernel.",
      arguments = "360 OUT", ending = "ppm", alt = "The Mandelbrot set" },
    { "14_image_filters", "Filters made of array operations: shifted views, sums, a table of levels; convolutions.",
      arguments = "IN OUT", ending = "ppm", alt = "A landscape, blurred; its edges; its levels equalised" },
    { "18_histogram", "The levels of a photograph, counted and weighted, and its quantiles.",
      arguments = "examples/photographs/coffee.ppm OUT", ending = "pgm", alt = "A cup of coffee with more contrast" },
    { "21_rotate_sobel", "A picture through textures: rotated with filtering, and its edges with exact texels.",
      arguments = "IN OUT", alt = "A landscape, rotated, and its edges" },
    { "22_volume_slice", "A slice through a volume, by a 3D texture.",
      arguments = "96 OUT", alt = "A slice through a volume" },
    { "23_surface_blur", "A blur from surface to surface.",
      arguments = "IN OUT", alt = "A landscape before and after the blur" },
    { "25_gl_particles", "A galaxy that CUDA moves in a buffer of OpenGL, and OpenGL draws without a window.",
      arguments = "30000 OUT 360", width = 220, alt = "A spiral of particles" },
    { "29_fft_filter", "Stripes of a scanner, found in the Fourier transform of a picture and removed.",
      arguments = "IN OUT", alt = "A picture with stripes, its spectrum, and the picture without stripes" },
  },
  { title = "Numbers",
    { "12_nbody", "The forces between all pairs of bodies by broadcasting, and arrays as a kernel's arguments." },
    { "13_heat", "Heat in a plate: a stencil of views, two kernels a step." },
    { "15_black_scholes", "A formula in float32 and float64, with two results from one kernel." },
    { "16_monte_carlo", "The price of an option by random numbers, by pairs of opposites and by Sobol points." },
    { "17_kmeans", "Clusters of points: distances inside a reduction, and sums by cluster." },
    { "19_prefix_select", "Stream compaction by a scan kernel, and the sums of many lists by segments." },
    { "24_training_graph", "A training step, captured as a graph and replayed." },
    { "26_digits", "A network with two layers learns to read digits that a kernel draws.",
      arguments = "130 OUT", scale = 2, alt = "Digits of the test, with noise" },
  },
  { title = "Linear algebra",
    { "09_matmul", "A matrix product that generates variants of its kernel and keeps the fastest." },
    { "27_conjugate_gradient", "Poisson's equation on a grid: a sparse matrix and an iterative solver." },
    { "28_least_squares", "A curve through noisy points by least squares, in three ways." },
    { "30_principal_components", "Principal components of measured curves, in two ways." },
  },
  { title = "CUDA",
    { "04_streams", "Copies and kernels that run at the same time." },
    { "06_two_contexts", "Several contexts and devices in one program." },
    { "07_structs", "Structs by value, in arrays, and with device pointers." },
    { "08_templates", "C++ templates, and kernels that are made from expressions." },
    { "10_cub", "CUB's block primitives in your own kernel." },
  },
}

---All examples, in the order of the page.
---@return gallery.Entry[]
function M.entries()
  local list = {}
  for _, group in ipairs(M.groups) do
    for _, entry in ipairs(group) do list[#list + 1] = entry end
  end
  return list
end

---@param entry gallery.Entry
---@return string? path  of its picture; nil: it makes none
function M.picture(entry) return entry.arguments and ("%s/%s.png"):format(M.FOLDER, entry[1]) end

local HEAD = [[
<!-- Written by tools/gallery.lua (./dev generate). Change the list there instead. -->

# Gallery

These are the programs of [examples/](../examples), with the pictures that they make. Each program checks its own answer
and runs in seconds on the software device as well as on a GPU. The comment at its start says what it takes:

    ./dev run examples/11_mandelbrot.lua 800 mandelbrot.ppm

For programs that contain LuaJIT, [Embedding](embedding.md) has examples: nginx, Python and C.]]

---The page docs/gallery.md.
---@return string[]
function M.lines()
  local out = {}
  for line in (HEAD .. "\n"):gmatch "([^\n]*)\n" do out[#out + 1] = line end
  local function add(text) out[#out + 1] = text end
  for _, group in ipairs(M.groups) do
    add ""
    add("## " .. group.title)
    local plain = {}
    for _, entry in ipairs(group) do
      local picture = M.picture(entry)
      if picture then
        add ""
        add(("[%s](../examples/%s.lua): %s"):format(entry[1], entry[1], entry[2]))
        add ""
        add(("![%s](%s)"):format(entry.alt, (picture:gsub("^docs/", ""))))
      else
        plain[#plain + 1] = ("- [%s](../examples/%s.lua): %s"):format(entry[1], entry[1], entry[2])
      end
    end
    if plain[1] then add "" end
    for _, line in ipairs(plain) do add(line) end
  end
  return out
end

-- ---- pictures -------------------------------------------------------------------------------------------------------

local function run(command)
  local status = os.execute(command)
  assert(status == 0 or status == true, "failed: " .. command)
end

local function size_of(path)
  local file = assert(io.open(path, "rb"))
  local size = file:seek "end"
  file:close()
  return size
end

-- Runs an example and writes its picture, shrunk until it is as small as the page wants it.
local function make(entry, scratch)
  local cuda = require "cudalua"
  local out = scratch .. "/out" .. (entry.ending == "/" and "" or "." .. (entry.ending or "png"))
  local arguments = entry.arguments:gsub("%u+", { IN = scratch .. "/in.ppm", OUT = out })
  run(("mkdir -p %s/out && luajit examples/%s.lua %s >/dev/null"):format(scratch, entry[1], arguments))
  local picture = cuda.io.load_image(entry.file and out .. "/" .. entry.file or out)
  if entry.scale then
    local shape = { picture.shape[1] * entry.scale, picture.shape[2] * entry.scale }
    picture = cuda.image.resize(cuda.gpuarray.to_gpu(picture), shape, { filter = "nearest" })
  end
  local height, width = picture.shape[1], picture.shape[2]
  local wanted = math.min(width, entry.width or M.WIDTH)
  local path = M.picture(entry)
  repeat
    local shape = { math.floor(height * wanted / width + 0.5), wanted }
    local small = wanted == width and picture or cuda.image.resize(cuda.gpuarray.to_gpu(picture), shape,
      { filter = "area", channels = #picture.shape == 3 })
    cuda.io.save_image(path, small)
    wanted = math.floor(wanted * 0.85)
  until size_of(path) < M.MOST
  print(("%s: %d bytes"):format(path, size_of(path)))
end

---Makes the pictures of all examples, or of those named.
---@param names string[]
function M.make(names)
  local wanted = {}
  for _, name in ipairs(names) do wanted[name] = true end
  local scratch = os.tmpname()
  os.remove(scratch)
  run(("mkdir -p %s %s"):format(scratch, M.FOLDER))
  run(("luajit examples/make_image.lua %s/in.ppm 240 160"):format(scratch))
  for _, entry in ipairs(M.entries()) do
    if entry.arguments and (not names[1] or wanted[entry[1]]) then make(entry, scratch) end
  end
  run("rm -rf " .. scratch)
end

if arg and arg[0] and arg[0]:find "tools/gallery%.lua$" then
  local ffi = require "ffi"
  ffi.cdef "int setenv(const char *name, const char *value, int overwrite);"
  ffi.C.setenv("CUDALUA_DRIVER", "soft", 1) -- the same pictures on every machine
  M.make(arg)
end

return M
