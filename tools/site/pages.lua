-- The pages of the manual, in the order in which they are shown. A page that is missing here comes under "More".
local M = {}

M.START = "docs/start.md" -- the site's front page is made of it

M.groups = {
  { title = "Start",
    pages = { "docs/start.md", "docs/installation.md", "docs/first-steps.md", "docs/gallery.md", "docs/prompt.md",
      "docs/from-numpy.md", "docs/from-torch.md", "docs/from-pycuda.md", "docs/traps.md", "docs/editors.md" } },
  { title = "Arrays",
    pages = { "docs/arrays.md", "docs/fusion.md", "docs/reductions.md", "docs/host-arrays.md", "docs/matrices.md",
      "docs/fourier.md", "docs/signals.md", "docs/filters.md", "docs/sparse.md", "docs/random.md", "docs/looking.md",
      "docs/sharing.md", "docs/backends.md" } },
  { title = "CUDA",
    pages = { "docs/kernels.md", "docs/compiling.md", "docs/memory.md", "docs/streams.md", "docs/graphs.md",
      "docs/textures.md", "docs/opengl.md", "docs/devices.md", "docs/distributed.md", "docs/softgpu.md" } },
  { title = "Programs",
    pages = { "docs/errors.md", "docs/debugging.md", "docs/performance.md", "docs/profiling.md",
      "docs/environment.md", "docs/embedding.md", "docs/shipping.md" } },
  { title = "Inside",
    pages = { "README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/adding.md", "docs/map.md", "docs/rooms.md",
      "docs/linalg.md", "docs/programs.md", "docs/rows.md", "docs/products.md", "docs/stencils.md",
      "docs/selection.md", "docs/distributed-design.md", "docs/imaging.md", "docs/interactive.md", "docs/stability.md",
      "docs/release-check.md", "bench/RESULTS.md", "CHANGELOG.md" } },
}

---The groups with the files that exist, and a last one for pages that no group names.
---@return {title: string, pages: string[]}[]
function M.load()
  local known, groups = {}, {}
  for _, group in ipairs(M.groups) do
    local pages = {}
    for _, path in ipairs(group.pages) do
      known[path] = true
      local file = io.open(path)
      if file then
        file:close()
        pages[#pages + 1] = path
      end
    end
    groups[#groups + 1] = { title = group.title, pages = pages }
  end
  local list, more = assert(io.popen "ls docs/*.md"), {}
  for path in list:lines() do
    if not known[path] then more[#more + 1] = path end
  end
  list:close()
  if more[1] then groups[#groups + 1] = { title = "More", pages = more } end
  return groups
end

---The address of a page: docs/arrays.md -> arrays.html, CONTRIBUTING.md -> contributing.html.
---@param path string
---@return string
function M.url(path)
  if path == M.START then return "index.html" end
  return path:gsub("^docs/", ""):gsub("%.md$", ""):gsub("/", "-"):lower() .. ".html"
end

return M
