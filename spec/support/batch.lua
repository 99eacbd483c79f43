-- Many kernels of arrays in one compilation, where a test needs thousands of them: run(fn) calls fn twice, the first
-- time only to find out which kernels it needs. These have names of their own, so nobody but later batches finds them
-- afterwards: specs that follow in the same process expect the names that the library gives.
local cuda = require "cudalua"
local core = require "cudalua.core"
local runs = require "cudalua.gpuarray.core.run"
local prelude = require "cudalua.base.prelude"

local M = {}

local SOME = 60 -- kernels in one source

-- What a kernel calls of its own.
local OWN = "compute word_at acc_t index_t bases_t raw_t neutral finish batch Pairwise lane_of_unit lanes slots "
  .. "is_last combine_parts words_t packs_t part_t value_t none end add Column unit some_unit of_pack UNIT TURN "
  .. "RUN K ROW ROWS TILE WORDS Words from_lane present within_run load_part finish_run Leaves cell_t publish wait "
  .. "load_row arrange finish_row ROOM BYTES spaced element ends_group LINES fetch_ahead "
  .. "cell_before hand_on look_back result combine tell middle_t middle_of square values_of "
  .. "slices_t subtree Pending COLUMNS ACROSS CHUNK BATCH REST"

local function compile(list, first, last, id)
  local texts, pieces = {}, {}
  for i = first, last do
    local k = list[i]
    local name = ("kernel_%d"):format(i)
    -- What the kernel calls goes into a namespace; the kernel itself stays where its signature is found.
    local space = ("n%d::"):format(i)
    local kernel = k.kernel:gsub(k.name .. "%(", name .. "("):gsub("%f[%w_]pack_", space .. "pack_")
    kernel = kernel:gsub("%f[%w_]out_%d+_t%f[^%w_]", space .. "%0"):gsub("%f[%w_]finish_%d+%f[^%w_]", space .. "%0")
    local own = OWN
    for line in k.device:gmatch "[^\n]+" do -- and functions
      if line:find "^%S.*__device__" then own = own .. " " .. (line:match "([%a_][%w_]*)%(" or "") end
    end
    local done = {}
    for word in own:gmatch "%S+" do
      local whole = "%f[%w_]" .. word .. "%f[^%w_]"
      if not done[word] and k.device:find(whole) then kernel = kernel:gsub(whole, space .. word) end
      done[word] = true
    end
    -- Namespaces within its own.
    for _, phase in ipairs { "first", "second", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9" } do
      local prefix = phase .. "::"
      kernel = kernel:gsub(prefix .. space, prefix):gsub("%f[%w_]" .. prefix, space .. prefix)
    end
    for piece in pairs(k.pieces) do pieces[piece] = true end
    texts[#texts + 1] = ("namespace n%d {\n%s}\n%s"):format(i, k.device, kernel)
  end
  local source = prelude.text(pieces) .. table.concat(texts)
  local module = cuda.SourceModule(source, { no_extern_c = true, options = { "--fmad=false", "--Ofast-compile=max" } })
  for i = first, last do list[i].loaded[id] = module:get_function(("kernel_%d"):format(i)) end
end

local kept = setmetatable({}, { __mode = "k" }) -- kernel -> context -> function, of all batches

-- Gives the kernels of earlier batches their functions. `lent` gets these kernels.
local function lend(id, lent)
  for k, functions in pairs(kept) do
    if functions[id] and not k.loaded[id] then lent[k], k.loaded[id] = true, functions[id] end
  end
end

local function take_back(id, lent)
  for k in pairs(lent) do k.loaded[id] = nil end
end

-- Calls fn, and compiles the kernels that it needs. `lent` gets them.
local function prepare(fn, id, lent)
  local load, list, wanted = runs.load, {}, {}
  runs.load = function(k, context)
    if k.loaded[context] then return k.loaded[context] end
    if not wanted[k] then
      wanted[k], lent[k] = true, true
      list[#list + 1] = k
    end
  end
  local ok, err = pcall(fn)
  runs.load = load
  if not ok then error(err, 0) end
  for first = 1, #list, SOME do compile(list, first, math.min(first + SOME - 1, #list), id) end
  for _, k in ipairs(list) do
    kept[k] = kept[k] or {}
    kept[k][id] = k.loaded[id]
  end
  return #list
end

---@param fn fun()
---@return integer kernels  that were compiled
function M.run(fn)
  local id, lent = core.context_id(), {}
  lend(id, lent)
  local ok, n = pcall(function()
    local n = prepare(fn, id, lent)
    fn()
    return n
  end)
  take_back(id, lent)
  if not ok then error(n, 0) end
  return n
end

return M
