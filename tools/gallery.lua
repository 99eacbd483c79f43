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
    { "01_multiply", "The smallest complete program, which multiplies two vectors using a kernel." },
    { "02_doublify", "Follows the steps of [Kernels and arguments](kernels.md) using FFI arrays." },
    { "05_devices", "Prints the properties of the available devices." },
    { "20_looking", "Displays waves as a picture and plots in the terminal, and writes PNG, SVG and text files.",
      arguments = "OUT", ending = "/", file = "waves.png", alt = "The waves of two sources", width = 360 },
  },
  { title = "Pictures",
    { "03_image", "Blurs a picture and then detects its edges, using two kernels with shared and constant memory.",
      arguments = "IN OUT", ending = "ppm", alt = "The edges of a landscape" },
    { "11_mandelbrot", "Uses complex arrays, and a function of arrays that is compiled into a single kernel.",
      arguments = "360 OUT", ending = "ppm", alt = "The Mandelbrot set" },
    { "14_image_filters", "Implements filters using shifted views, sums, a table of levels, and convolutions.",
      arguments = "IN OUT", ending = "ppm", alt = "A landscape, blurred; its edges; its levels equalised" },
    { "18_histogram", "Computes histograms of a photograph, with and without weights, as well as its quantiles.",
      arguments = "examples/photographs/coffee.ppm OUT", ending = "pgm", alt = "A cup of coffee with more contrast" },
    { "21_rotate_sobel", "Uses textures to rotate a picture with filtering, and to detect edges with exact texels.",
      arguments = "IN OUT", alt = "A landscape, rotated, and its edges" },
    { "22_volume_slice", "Computes a slice through a volume using a 3D texture.",
      arguments = "96 OUT", alt = "A slice through a volume" },
    { "23_surface_blur", "Blurs a picture by reading from one surface and writing to another.",
      arguments = "IN OUT", alt = "A landscape before and after the blur" },
    { "25_gl_particles", "Moves a galaxy with CUDA in an OpenGL buffer, which is then drawn without a window.",
      arguments = "30000 OUT 360", width = 220, alt = "A spiral of particles" },
    { "29_fft_filter", "Removes the stripes of a scanner, which are located in the Fourier transform of the picture.",
      arguments = "IN OUT", alt = "A picture with stripes, its spectrum, and the picture without stripes" },
  },
  { title = "Numbers",
    { "12_nbody", "Computes the forces between all pairs of bodies by broadcasting, and passes arrays to a kernel." },
    { "13_heat", "Simulates heat in a plate using a stencil of views, which requires only two kernels for each step." },
    { "15_black_scholes", "Evaluates a formula in float32 and float64, where a single kernel computes two results." },
    { "16_monte_carlo", "Estimates the price of an option using random numbers, antithetic pairs and Sobol points." },
    { "17_kmeans", "Assigns points to clusters by computing distances inside a reduction and sums for each cluster." },
    { "19_prefix_select", "Performs stream compaction with a scan kernel, and sums many lists by using segments." },
    { "24_training_graph", "Captures a training step as a graph, which can then be replayed." },
    { "26_digits", "Trains a network with two layers to recognize digits that are drawn by a kernel.",
      arguments = "130 OUT", scale = 2, alt = "Digits of the test, with noise" },
  },
  { title = "Linear algebra",
    { "09_matmul", "Computes a matrix product by generating variants of a kernel and selecting the fastest one." },
    { "27_conjugate_gradient", "Solves Poisson's equation on a grid using a sparse matrix and an iterative solver." },
    { "28_least_squares", "Fits a curve to noisy points by least squares in three different ways." },
    { "30_principal_components", "Computes the principal components of measured curves in two different ways." },
  },
  { title = "CUDA",
    { "04_streams", "Demonstrates how copies and kernels can be executed concurrently." },
    { "31_all_reduce", "Computes pi with several processes. Each process adds up a part of a series." },
    { "32_heat_equation", "Computes heat in a plate on several devices, which exchange the rows beside their blocks." },
    { "33_data_parallel", "Trains a network on several devices, which have a part of the samples each." },
    { "06_two_contexts", "Uses several contexts and devices in a single program." },
    { "07_structs", "Passes structs by value, in arrays, and with device pointers." },
    { "08_templates", "Uses C++ templates, and generates kernels from expressions." },
    { "10_cub", "Shows how to use CUB's block primitives in a custom kernel." },
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

This page lists the programs in [examples/](../examples), together with the pictures that they generate. Each program
verifies its own result, and can be run within seconds on the software device as well as on a GPU. The arguments of a
program are described in the comment at its beginning. For example, you can run the following command to compute a
picture of the Mandelbrot set with a width of 800 pixels:

    ./dev run examples/11_mandelbrot.lua 800 mandelbrot.ppm

If you want to call cudalua from programs that embed LuaJIT, see [Embedding](embedding.md) for examples that use nginx,
Python and C.]]

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
