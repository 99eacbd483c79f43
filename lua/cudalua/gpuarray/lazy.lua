-- The families of functions that are read when one of their functions is called first: half of what the library would
-- hold of Lua's memory otherwise, which each collection has to walk through.

local object = require "cudalua.gpuarray.core.object"

local Array = object.Array

-- file, functions of the module, methods of arrays
local parts = {
  { "make.generate", "arange diag eye identity linspace logspace meshgrid tri tril triu", "" },
  { "make.join", "array_split concatenate dstack hstack pad repeat_ roll split stack tile " ..
    "unstack vstack", "array_split pad repeat_ roll split tile unstack" },
  { "index.take", "multi_put multi_take multi_take_put put put_along_axis take take_along_axis", "put take" },
  { "index.where", "argwhere compress extract flatnonzero nonzero place putmask where", "compress nonzero where" },
  { "index.unravel", "ravel_multi_index unravel_index", "" },
  { "index.choose", "choose searchsorted select", "choose searchsorted" },
  { "reduce.reduce", "all any argmax argmin count_nonzero dot max mean min prod ptp std subset_dot subset_max " ..
    "subset_min subset_sum sum var vdot",
    "all any argmax argmin count_nonzero dot max mean min prod ptp std sum var vdot" },
  { "reduce.nan_and_norms", "logsumexp nanargmax nanargmin nanmax nanmean nanmin nanprod nanstd nansum nanvar norm",
    "logsumexp nanargmax nanargmin nanmax nanmean nanmin nanprod nanstd nansum nanvar norm" },
  { "derived.diff", "diff", "diff" },
  { "derived.interp", "interp", "" },
  { "derived.closeness", "allclose array_equal isclose", "allclose array_equal isclose" },
  { "derived.replace", "masked_fill nan_to_num", "masked_fill nan_to_num" },
  { "derived.average", "average", "average" },
  { "reduce.scan", "cummax cummin cumprod cumsum", "cummax cummin cumprod cumsum" },
  { "order.sort", "argpartition argsort partition sort topk unique",
    "argpartition argsort partition sort topk unique" },
  { "order.quantile", "median percentile quantile", "median percentile quantile" },
  { "order.nanquantile", "nanmedian nanpercentile nanquantile", "nanmedian nanpercentile nanquantile" },
  { "derived.sets", "intersect1d isin setdiff1d setxor1d union1d", "isin" },
  { "order.count", "bincount digitize histogram histogram_bin_edges", "" },
}

local M = { list = parts }

-- Its functions come into the places of those that asked for it.
local function read(part, module)
  local functions = require("cudalua.gpuarray." .. part[1])
  functions = functions.functions or functions
  for name in part[2]:gmatch "%S+" do module[name] = functions[name] end
end

---Gives the module and the arrays their functions.
---@param module cudalua.gpuarray
function M.install(module)
  for _, part in ipairs(parts) do
    local function first(owner, name)
      return function(...)
        read(part, module)
        return owner[name](...)
      end
    end
    for name in part[2]:gmatch "%S+" do module[name] = first(module, name) end
    for name in part[3]:gmatch "%S+" do Array[name] = first(Array, name) end
  end
  function Array.slice(...)
    require "cudalua.gpuarray.index.slice"
    return Array.slice(...)
  end
  for _, name in ipairs { "get_index", "set_index" } do
    object[name] = function(...)
      require "cudalua.gpuarray.index.slice"
      return object[name](...)
    end
  end
end

return M
