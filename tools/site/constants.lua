-- The page of the constants of cuda.h: every table with its names, and what CUDA calls each.
local constants_list = require "tools.constants_list"
local html = require "tools.site.html"

local M = {}

M.URL = "reference/constants.html"

---@param path string  the file that tools/gen_constants.lua wrote
---@param reference site.Reference
---@return site.ReferencePage page
---@return {name: string, url: string, kind: string, text: string}[] names  for the search
function M.page(path, reference)
  local tables, order = constants_list.read(path), {}
  for name in pairs(tables) do
    if name ~= "cuda" then order[#order + 1] = name end
  end
  table.sort(order)
  local names, out = {}, {}
  out[1] = "<h1>Constants</h1>\n<p>The constants of <code>cuda.h</code>, in tables by what they are for: " ..
    "<code>cuda.ctx_flags.SCHED_SPIN</code>. Arguments take numbers and the same names in lower case.</p>"
  local jump = {}
  for i, name in ipairs(order) do jump[i] = ('<li><a href="#%s"><code>%s</code></a></li>'):format(name, name) end
  out[#out + 1] = '<nav class="chips" aria-label="Tables"><ul>' .. table.concat(jump) .. "</ul></nav>"
  for _, name in ipairs(order) do
    local entry = reference.api.entries["cudalua." .. name]
    local about = entry and table.concat(entry.text, " ") or ""
    out[#out + 1] = ('<section class="entry" id="%s"><h3><code>cuda.%s</code><a class="anchor" href="#%s" '
      .. 'aria-label="Link to this table">#</a></h3>\n<p>%s</p>\n<ul class="constants">'):format(name, name, name,
        reference.words:inline(about, "cudalua." .. name))
    for _, constant in ipairs(tables[name]) do
      out[#out + 1] = ("<li><code>%s</code> <small>%s</small></li>"):format(html.escape(constant.name),
        html.escape(constant.cuda))
      names[#names + 1] = { name = ("cuda.%s.%s"):format(name, constant.name), url = M.URL .. "#" .. name,
        kind = "constant", text = constant.cuda }
    end
    out[#out + 1] = "</ul></section>"
  end
  return { url = M.URL, title = "Constants", kind = "constants", name = "constants", sections = {},
    body = table.concat(out, "\n") }, names
end

return M
