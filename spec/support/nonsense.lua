-- Calls public functions with nonsense: a program of its own, started by spec/whole/nonsense_spec.lua.
--   luajit nonsense.lua ROOT FILE FIRST LAST   the functions of these numbers, in order of their names
-- FILE gets the call that is about to be made, so that whoever finds this program dead knows of what it died. Prints
-- what is wrong, line by line, then "N functions, N calls".
local root, file, first, last = arg[1], assert(io.open(arg[2], "w")), tonumber(arg[3]), tonumber(arg[4])
package.path = root .. "/?.lua;" .. package.path
rawset(io, "stdout", assert(io.open("/dev/null", "w"))) -- where pictures go; print() writes to the real one
local cuda = require "cudalua"
local core = require "cudalua.core"
local pairs_of = require "cudalua.base.pairs_of"
local ffi = require "ffi"
cuda.on_notice = false
cuda.init()
local soft = cuda.driver_info().soft
local softgpu = require "cudalua.softgpu"
local values = require "spec.support.values"
local samples = require "spec.support.samples"
local dlpack = require "spec.support.dlpack"
local check_contract = require "tools.check_contract"

local calls, findings = 0, 0
local function finding(...)
  findings = findings + 1
  print(string.format(...))
end

local function about_to(text)
  file:seek "set"
  file:write(text, (" "):rep(100), "\n")
  file:flush()
end

-- --- what is called -------------------------------------------------------------------------------------------

local function resolve(row)
  local value = require(row.module)
  for key in row.name:sub(#row.prefix + 2):gmatch "[^%.:]+" do value = value[key] end
  return value
end

local function callable(v)
  local mt = (type(v) == "table" or type(v) == "userdata") and getmetatable(v)
  return type(v) == "function" or type(mt) == "table" and mt.__call ~= nil
end

local functions, added = {}, {}
local function add(name, f, words)
  if added[f] then return end -- under another name, as a method say
  added[f] = true
  local list = {}
  for word in words:gmatch "%S+" do list[#list + 1] = word end
  functions[#functions + 1] = { name = name, call = f, words = list }
end

for _, row in ipairs(check_contract.rows(dofile(root .. "/docs/contract.lua"))) do
  if not row.later then
    local f, words = resolve(row), samples[row.name]
    if callable(f) then
      if not words then
        finding("%s has no row in spec/support/samples.lua", row.name)
      elseif words == "-" then
        finding("%s can be called: it needs a row in spec/support/samples.lua", row.name)
      else
        add(row.name, f, words)
      end
    end
  end
end

-- What is done by operators.
local function operator(name, words, f) add(name, f, words) end
operator("a kernel's call", "memory 0 1 launch", function(...) return values.value "add"(...) end)
operator("a kernel's call with a table", "launch", function(options)
  if type(options) == "table" and not getmetatable(options) then
    options = { values.value "memory", 0, 1, block = options.block, grid = options.grid }
  end
  return values.value "add"(options)
end)
operator("a kernel's call with an array", "gints 0 1 launch", function(...) return values.value "add"(...) end)
operator("an ElementwiseKernel's call", "garray 2 options", function(...) return values.value "statement"(...) end)
operator("a ReductionKernel's call", "garray options", function(...) return values.value "reduction"(...) end)
operator("a scan kernel's call", "garray garray options", function(...) return values.value "exclusive"(...) end)
operator("a GenericScanKernel's call", "garray options", function(...) return values.value "generic"(...) end)
operator("a fused function's call", "garray garray", function(...) return values.value "fused"(...) end)
operator("a GraphCall's call", "garray 1", function(...) return values.value "graph_call"(...) end)
operator("a copy as a node", "row_copy", function(copy)
  return values.value "hand_graph":add_memcpy { copy = copy }
end)
operator("a rectangle as a node", "memory 8 1 4 2", function(dst, pitch, value, width, height)
  local record = { dst = dst, pitch = pitch, value = value, width = width, height = height }
  return values.value "hand_graph":add_memset(record)
end)
operator("a C function as a node", "c_function floats", function(f, data)
  return values.value "hand_graph":add_host { fn = f, data = data }
end)
operator("memory + bytes", "8", function(x) return values.value "memory" + x end)
operator("Memcpy2D()", "options", function(...) return values.value "copy2d"(...) end)
local words = "dev context stream event graph exec memory view device_pool pooled host_pool pooled_host mempool " ..
  "pinned aligned managed registered array module add linker copy2d peer_copy descriptor ndarray records " ..
  "source_module error argument kernel_node graph_call"
for word in words:gmatch "%S+" do
  operator("index of " .. word, "'nonsense", function(key) return values.value(word)[key] end)
end
for word in ("copy2d peer_copy descriptor ndarray records"):gmatch "%S+" do
  operator("assignment in " .. word, "1 1", function(key, value) values.value(word)[key] = value end)
  for field in ("width_in_bytes height src_pitch dst_x_in_bytes width format num_channels flags depth"):gmatch "%S+" do
    operator("assignment to " .. word .. "." .. field, "1", function(value) values.value(word)[field] = value end)
  end
end

-- What may stand in a table of options.
local options = {
  ["cuda.init"] = "driver flags", ["cuda.Stream"] = "flags priority", ["cuda.Stream:capture"] = "mode into after",
  ["cuda.Stream:begin_capture"] = "mode",
  ["cuda.Device:get_attributes"] = "names", ["cuda.MemoryPool"] = "device max_size handle_type release_threshold",
  ["cuda.DebugMemoryPool"] = "interactive logfile", ["cuda.memcpy_peer"] = "dest_context src_context stream",
  ["cuda.memcpy_peer_async"] = "dest_context src_context stream",
  ["cuda.Linker"] = "options message_handler log_verbose",
  ["cuda.module_from_buffer"] = "options message_handler", ["cuda.module_from_file"] = "options message_handler",
  ["cuda.SourceModule"] = "options keep no_extern_c arch code cache_dir include_dirs headers name backend nvcc",
  ["cuda.DynamicModule"] = "lto link_options message_handler log_verbose library_dirs arch options name",
  ["cuda.DynamicSourceModule"] = "lto link_options message_handler log_verbose library_dirs arch options name",
  ["cuda.DynamicModule:add_source"] = "arch options name headers include_dirs",
  ["cuda.link"] = "arch lto target options",
  ["cuda.compile"] = "options arch target headers include_dirs name", ["cuda.ArrayDescriptor"] = "width height format",
  ["cuda.ArrayDescriptor3D"] = "width height depth format num_channels flags", ["Memcpy2D()"] = "aligned stream",
  ["cuda.matrix_to_array"] = "allow_double_hack", ["cuda.np_to_array"] = "allow_surface_bind allow_double_hack",
  ["ndarray.wrap"] = "order strides base alive token", ["ndarray.allclose"] = "rtol atol equal_nan",
  ["gpuarray.wrap"] = "strides order offset base", ["gpuarray.linspace"] = "endpoint allocator",
  ["gpuarray.logspace"] = "endpoint base", ["gpuarray.arange"] = "allocator",
  ["gpuarray.meshgrid"] = "indexing sparse copy",
  ["gpuarray.to_gpu"] = "order shape allocator", ["gpuarray.to_gpu_async"] = "dtype order shape allocator",
  ["gpuarray.Array:pad"] = "constant_values", ["gpuarray.pad"] = "constant_values", ["gpuarray.Array:astype"] = "copy",
  ["gpuarray.take"] = "axis mode out", ["gpuarray.Array:take"] = "axis mode out", ["gpuarray.put"] = "mode",
  ["gpuarray.Array:put"] = "mode", ["gpuarray.compress"] = "axis out", ["gpuarray.Array:compress"] = "axis out",
  ["gpuarray.where"] = "out", ["gpuarray.choose"] = "mode out", ["gpuarray.Array:choose"] = "mode out",
  ["gpuarray.multi_take"] = "out", ["gpuarray.multi_put"] = "dest_shape out",
  ["gpuarray.multi_take_put"] = "dest_shape out src_offsets", ["gpuarray.searchsorted"] = "side",
  ["sparse.csr"] = "dtype", ["sparse.csc"] = "dtype", ["sparse.coo"] = "dtype", ["sparse.eye"] = "dtype format",
  ["sparse.from_dense"] = "dtype format", ["sparse.diags"] = "shape dtype format",
  ["sparse.Matrix:todense"] = "out", ["sparse.Matrix:diagonal"] = "out", ["sparse.Matrix:matmul"] = "out",
  ["sparse.Matrix:sum"] = "axis out",
  ["sparse.cg"] = "x0 rtol atol maxiter M callback check", ["sparse.gmres"] = "x0 restart M callback",
  ["sparse.bicgstab"] = "x0 M callback", ["sparse.jacobi"] = "x0 omega callback",
  ["gpuarray.Array:searchsorted"] = "side",
  ["gpuarray.sort"] = "axis descending out", ["gpuarray.Array:sort"] = "axis descending out",
  ["gpuarray.argsort"] = "axis descending out", ["gpuarray.Array:argsort"] = "axis descending out",
  ["gpuarray.topk"] = "axis largest", ["gpuarray.Array:topk"] = "axis largest",
  ["gpuarray.unique"] = "index inverse counts", ["gpuarray.Array:unique"] = "index inverse counts",
  ["gpuarray.median"] = "axis keepdims out", ["gpuarray.Array:median"] = "axis keepdims out",
  ["gpuarray.quantile"] = "axis keepdims method out", ["gpuarray.Array:quantile"] = "axis keepdims method out",
  ["gpuarray.percentile"] = "axis keepdims method out", ["gpuarray.Array:percentile"] = "axis keepdims method out",
  ["gpuarray.bincount"] = "weights minlength", ["gpuarray.histogram"] = "range weights density",
  ["gpuarray.histogram_bin_edges"] = "range", ["gpuarray.digitize"] = "right",
  ["gpuarray.nanmedian"] = "axis keepdims out", ["gpuarray.Array:nanmedian"] = "axis keepdims out",
  ["gpuarray.nanquantile"] = "axis keepdims method out", ["gpuarray.Array:nanquantile"] = "axis keepdims method out",
  ["gpuarray.nanpercentile"] = "axis keepdims method out",
  ["gpuarray.Array:nanpercentile"] = "axis keepdims method out",
  ["gpuarray.partition"] = "axis out", ["gpuarray.Array:partition"] = "axis out",
  ["gpuarray.argpartition"] = "axis out", ["gpuarray.Array:argpartition"] = "axis out",
  ["gpuarray.isclose"] = "rtol atol equal_nan out", ["gpuarray.Array:isclose"] = "rtol atol equal_nan out",
  ["gpuarray.allclose"] = "rtol atol equal_nan", ["gpuarray.Array:allclose"] = "rtol atol equal_nan",
  ["gpuarray.array_equal"] = "equal_nan", ["gpuarray.Array:array_equal"] = "equal_nan",
  ["gpuarray.nan_to_num"] = "nan posinf neginf out", ["gpuarray.Array:nan_to_num"] = "nan posinf neginf out",
  ["gpuarray.masked_fill"] = "out", ["gpuarray.Array:masked_fill"] = "out",
  ["gpuarray.diff"] = "n axis prepend append out", ["gpuarray.Array:diff"] = "n axis prepend append out",
  ["gpuarray.interp"] = "left right period out", ["gpuarray.isin"] = "invert assume_unique out",
  ["gpuarray.Array:isin"] = "invert assume_unique out", ["gpuarray.intersect1d"] = "assume_unique indices",
  ["gpuarray.setdiff1d"] = "assume_unique", ["gpuarray.setxor1d"] = "assume_unique",
  ["gpuarray.unravel_index"] = "order", ["gpuarray.ravel_multi_index"] = "mode order",
  ["gpuarray.matmul"] = "dtype out", ["gpuarray.Array:matmul"] = "dtype out",
  ["gpuarray.addmm"] = "alpha beta out", ["gpuarray.Array:addmm"] = "alpha beta out",
  ["gpuarray.cross"] = "axis out", ["gpuarray.Array:cross"] = "axis out",
  ["gpuarray.vecdot"] = "axis dtype out", ["gpuarray.Array:vecdot"] = "axis dtype out",
  ["gpuarray.trace"] = "axis1 axis2 dtype out", ["gpuarray.Array:trace"] = "axis1 axis2 dtype out",
  ["gpuarray.tensordot"] = "axes dtype out", ["gpuarray.Array:tensordot"] = "axes dtype out",
  ["gpuarray.inner"] = "dtype out", ["gpuarray.Array:inner"] = "dtype out", ["gpuarray.outer"] = "out",
  ["gpuarray.Array:outer"] = "out", ["gpuarray.kron"] = "out", ["gpuarray.Array:kron"] = "out",
  ["gpuarray.einsum"] = "dtype out", ["linalg.multi_dot"] = "out", ["linalg.matrix_power"] = "out",
  ["linalg.linear"] = "bias activation out", ["linalg.solve"] = "check out", ["linalg.inv"] = "check out",
  ["linalg.det"] = "out", ["linalg.qr"] = "mode", ["linalg.lstsq"] = "rcond",
  ["linalg.pinv"] = "rcond out", ["linalg.matrix_rank"] = "rcond out", ["linalg.norm"] = "ord out",
  ["linalg.cond"] = "ord out", ["linalg.expm"] = "out", ["linalg.svd"] = "full_matrices",
  ["linalg.svdvals"] = "out", ["linalg.eigh"] = "upper", ["linalg.eigvalsh"] = "upper out",
  ["linalg.cholesky"] = "upper check out",
  ["linalg.solve_triangular"] = "lower unit_diagonal trans out",
  ["gpuarray.average"] = "axis weights keepdims returned out",
  ["gpuarray.Array:average"] = "axis weights keepdims returned out",
  ["gpuarray.convolve"] = "mode dtype out",
  ["gpuarray.Array:convolve"] = "mode dtype out",
  ["gpuarray.correlate"] = "mode dtype out",
  ["gpuarray.Array:correlate"] = "mode dtype out",
  ["gpuarray.cov"] = "y rowvar bias ddof fweights aweights dtype out",
  ["gpuarray.Array:cov"] = "y rowvar bias ddof fweights aweights dtype out",
  ["gpuarray.corrcoef"] = "y rowvar dtype out",
  ["gpuarray.Array:corrcoef"] = "y rowvar dtype out",
  ["gpuarray.gradient"] = "spacing axis edge_order out",
  ["gpuarray.Array:gradient"] = "spacing axis edge_order out",
  ["gpuarray.trapezoid"] = "x dx axis out",
  ["gpuarray.Array:trapezoid"] = "x dx axis out",
  ["gpuarray.unwrap"] = "discont axis period out",
  ["gpuarray.Array:unwrap"] = "discont axis period out",
  ["ndarray.Array:allclose"] = "rtol atol equal_nan", ["dtype.struct"] = "name align",
  ["tools.VectorArg"] = "const", ["tools.ScalarArg"] = "const",
  ["a kernel's call"] = "block grid stream shared time_kernel cooperative cluster priority pdl carveout texrefs",
  ["cuda.Module:get_function"] = "args", ["cuda.SourceModule:get_function"] = "args",
  ["cuda.Function:suggest_block"] = "shared limit", ["cuda.Function:max_active_clusters"] = "block cluster shared",
  ["cuda.Function:max_cluster_size"] = "block shared",
  ["cuda.Graph:add_kernel"] = "fn args grid block shared cooperative cluster priority stream after",
  ["cuda.Graph:add_memcpy"] = "dst src bytes copy after", ["cuda.Graph:add_empty"] = "after",
  ["cuda.Graph:add_memset"] = "dst value count bits pitch width height after",
  ["cuda.Graph:add_host"] = "fn data after",
  ["cuda.Graph:add_event_record"] = "event after", ["cuda.Graph:add_event_wait"] = "event after",
  ["cuda.Graph:add_child"] = "graph after", ["cuda.Graph:condition"] = "default",
  ["cuda.Graph:add_conditional"] = "kind condition bodies after",
  ["cuda.GraphExec:set_kernel"] = "fn args grid block shared cooperative after",
  ["cuda.GraphExec:set_memcpy"] = "dst src bytes copy", ["cuda.GraphExec:set_host"] = "fn data",
  ["cuda.GraphExec:set_memset"] = "dst value count bits pitch width height", ["cuda.graph"] = "static",
  ["gl.headless"] = "width height device version", ["gl.Headless:texture"] = "width height format data",
  ["gl.Headless:program"] = "vertex fragment",
}
local names = dofile(root .. "/docs/names.lua")
for name in (names.reductions .. " ptp var std"):gmatch "%S+" do
  options["gpuarray." .. name], options["gpuarray.Array:" .. name] = "axis keepdims dtype ddof out",
    "axis keepdims dtype ddof out"
end
for name in names.scans:gmatch "%S+" do
  options["gpuarray." .. name], options["gpuarray.Array:" .. name] = "axis dtype out", "axis dtype out"
end
for name in ("Inclusive Exclusive Generic"):gmatch "%S+" do
  options["scan." .. name .. "ScanKernel"] = "name_prefix preamble options keep is_segment_start_expr"
end
options["a scan kernel's call"], options["a GenericScanKernel's call"] = "out stream n allocator flags", "stream n"
for name in ("concatenate stack hstack vstack dstack"):gmatch "%S+" do options["gpuarray." .. name] = "dtype out" end
local fresh = "empty zeros ones full empty_like zeros_like ones_like full_like eye identity from_function"
for name in fresh:gmatch "%S+" do options["gpuarray." .. name] = "order shape allocator" end
options["cuda.show"] = "map vmin vmax to colour width height"
options["cuda.plot"] = "kind label title xlabel ylabel log xlim ylim bins file to colour width height"
for name in ("fft ifft rfft irfft"):gmatch "%S+" do options["fft." .. name] = "n axis norm out" end
for name in ("fft2 ifft2 fftn ifftn"):gmatch "%S+" do options["fft." .. name] = "s axes norm out" end
for name in ("fftshift ifftshift"):gmatch "%S+" do options["fft." .. name] = "axes out" end
for name in ("fftfreq rfftfreq"):gmatch "%S+" do options["fft." .. name] = "dtype out" end
for name in ("convolve2d separable"):gmatch "%S+" do options["image." .. name] = "mode boundary fill channels out" end
options["image.resize"], options["image.rotate"] = "filter channels out", "filter fill reshape channels out"
options["io.save_image"], options["io.load_image"] = "bits", "max_pixels"
options["io.savetxt"] = "fmt delimiter newline header footer comments"
options["io.load_safetensors"], options["io.save_safetensors"] = "names device", "metadata"
options["interop.from_dlpack"], options["interop.to_dlpack"] = "versioned", "versioned"
options["io.loadtxt"] = "dtype delimiter comments skip_rows use_cols max_rows ndmin"
local function option_names(name)
  if options[name] then return options[name] end
  if name:find "^gpuarray.*dot$" then return "out" end
  if name:find "^cuda%.aligned" then return "order alignment" end
  if name:find "^cuda%.pagelocked" or name:find "^cuda%.managed" then return "order mem_flags" end
  if name:find "^ndarray%.loads?$" or name == "ndarray.Npz:get" then return "pinned managed" end
  if name:find "^ndarray%.save" or name:find "^ndarray%.dumps" then return "version" end
  if name == "ndarray.linspace" then return "endpoint pinned managed" end
  if name:find "^ndarray%." then return "order pinned managed" end
  return "nbytes"
end

-- These hand on what a function of the user's raises.
local calls_back = { ["cuda.Context:with"] = true, ["cuda.Stream:use"] = true, ["cuda.Stream:capture"] = true,
  ["cuda.Stream:on_complete"] = true, ["ndarray.from_function"] = true, ["gpuarray.scope"] = true,
  ["gpuarray.eval"] = true,
  ["cuda.Function:suggest_block"] = true, ["tools.make_default_context"] = true,
  ["cuda.profile"] = true, ["cuda.devices"] = true, ["sparse.cg"] = true, ["sparse.bicgstab"] = true,
  ["sparse.gmres"] = true }
for name in ("XORWOW MRG32k3a"):gmatch "%S+" do calls_back["random." .. name .. "RandomNumberGenerator"] = true end
for name in (fresh .. " arange linspace to_gpu to_gpu_async"):gmatch "%S+" do calls_back["gpuarray." .. name] = true end
-- A lent tensor belongs to the caller until another library takes it. Called with ok, the result or error, and the
-- arguments.
local give_back = {
  ["interop.to_dlpack"] = function(ok, address, _, settings)
    if ok then dlpack.delete(address, type(settings) == "table" and settings.versioned) end
  end,
  ["interop.from_dlpack"] = function(ok, _, address)
    local lent = values.lent_tensor
    values.lent_tensor = nil
    if lent and not (ok and address == lent) then dlpack.delete(lent) end
  end,
}
-- These only take note of what they are given: it is looked at when it is used.
local notes = {}
for side in ("src dst"):gmatch "%S+" do
  for kind in ("host device array unified"):gmatch "%S+" do
    notes["cuda.Memcpy2D:set_" .. side .. "_" .. kind] = true
  end
  notes["cuda.Memcpy3DPeer:set_" .. side .. "_context"] = true
end
-- Numbers in these places are addresses or handles, which the caller vouches for.
local wild = { ["cuda.wrap_context 1"] = not soft, ["cuda.wrap_stream 1"] = not soft,
  ["ndarray.wrap 1"] = true, ["ndarray.from_buffer 1"] = true }

-- --- calling --------------------------------------------------------------------------------------------------

local function restore()
  cuda.debug.record(false)
  while cuda.current_stream():is_capturing() do pcall(cuda.Stream.end_capture, cuda.current_stream()) end
  if soft then softgpu.fail_clear() end
  if core.why_dead(values.base) then values.base = values.dev:retain_primary_context() end
  while cuda.Context.get_current() ~= values.base do
    if not pcall(cuda.Context.pop) then values.base:push() end
  end
end

-- Pending completions of this sweep call functions that raise.
local function settle()
  for _ = 1, 1000 do
    if pcall(cuda.poll) and pcall(cuda.Context.synchronize) then return end
  end
  error "the completions do not come to an end"
end

local function works()
  local n = 100
  local a, memory = ffi.new("int[?]", n), cuda.mem_alloc(4 * n)
  for i = 0, n - 1 do a[i] = i end
  cuda.memcpy_htod(memory, a)
  values.value "add"(memory, n, 7, { block = 32 })
  cuda.memcpy_dtoh(a, memory)
  for i = 0, n - 1 do assert(a[i] == i + 7) end
end

-- The driver's calls that a call makes. Finalizers make calls too, and a stopped collector runs those that it was in
-- the middle of when a compiled trace is left: where there were calls, they are counted again with none left to run.
local function watch(f, ...)
  local ok, err
  for attempt = 1, 2 do
    if attempt == 2 then cuda.collect() end
    collectgarbage "stop"
    softgpu.log "clear"
    softgpu.log "on"
    ok, err = pcall(f, ...)
    softgpu.log "off"
    collectgarbage "restart"
    if not softgpu.calls()[1] then break end
  end
  return ok, err, softgpu.calls()
end

local function try(fun, text, expected, ...)
  calls = calls + 1
  about_to(fun.name .. ": " .. text)
  local ok, err
  if soft and expected == "dead" then
    local made
    ok, err, made = watch(fun.call, ...)
    for _, call in ipairs(made) do finding("%s: %s: it called %s", fun.name, text, call.symbol) end
  else
    ok, err = pcall(fun.call, ...)
  end
  if give_back[fun.name] then give_back[fun.name](ok, err, ...) end
  if expected == "dead" then expected = "LogicError" end
  if not ok and not cuda.is_error(err) and expected ~= "callback" then
    finding("%s: %s: not an error of the library but a %s: %s", fun.name, text, type(err),
      tostring(err):sub(1, 300))
  elseif not ok and cuda.is_error(err) and (type(err.message) ~= "string" or not pcall(tostring, err)) then
    finding("%s: %s: an error without a text", fun.name, text)
  elseif expected == "LogicError" and (ok or not cuda.is_error(err, "LogicError")) then
    finding("%s: %s: no LogicError but %s", fun.name, text, ok and "nothing" or tostring(err))
  elseif not ok and expected == "success" then
    finding("%s: %s: %s", fun.name, text, tostring(err))
  end
  if not ok and cuda.is_error(err) and err.sticky then
    if not soft then error("the device is lost after " .. fun.name .. ": " .. text) end
    finding("%s: %s: the device is lost: %s", fun.name, text, tostring(err))
    softgpu.set_device_count(1)
  end
  restore()
end

local function arguments(fun)
  local list = {}
  for i, word in ipairs(fun.words) do list[i] = values.value(word) end
  return list
end

local function with(fun, position, value, text, expected)
  local list = arguments(fun)
  list[position] = value
  if calls_back[fun.name] and callable(value) or text:find "^raising " then expected = "callback" end
  try(fun, ("argument %d is %s"):format(position, text), expected, unpack(list, 1, math.max(#fun.words, position)))
end

local function sweep_argument(fun, i, word)
  local place = fun.name .. " " .. i
  with(fun, i, nil, "nil")
  for _, v in ipairs(values.nonsense) do with(fun, i, v[2], v[1]) end
  if not wild[place] then
    for _, v in ipairs(values.numeric) do with(fun, i, v[2], v[1]) end
  end
  if word:find "options$" or word:find "_record$" or word == "launch" or word == "shaders" then
    for option in option_names(fun.name):gmatch "%S+" do
      for _, list in ipairs { values.nonsense, values.numeric } do
        for _, v in ipairs(list) do
          local t = values.value(word)
          t[option] = v[2]
          local raises = callable(v[2]) or word:find "_record$" and v[1]:find "^raising "
          with(fun, i, t, ("{%s = %s}"):format(option, v[1]), raises and "callback" or nil)
        end
      end
    end
  end
  for other in pairs_of(values.owned) do
    if other ~= word then with(fun, i, values.value(other), "a " .. other) end
  end
  if values.owned[word] ~= nil then
    local closed, gone = values.closed(word), values.gone(word)
    local expected = not notes[fun.name] and (i == 1 and fun.name:find ":" and "dead" or "LogicError") or nil
    if closed ~= nil then with(fun, i, closed, "closed", expected) end
    if gone ~= nil then with(fun, i, gone, "of a context that is gone", expected) end
    with(fun, i, values.foreign(word), "of another context")
  end
end

local function sweep(fun)
  if fun.name == "cuda.IPCMemoryHandle" or fun.name:find "^cuda%.IPC" or fun.name:find "peer_access" or
    fun.name == "cuda.Event.from_ipc_handle" or fun.name:find "as_buffer$" or fun.name == "ndarray.Array:get_pointer" or
    fun.name == "cuda.Device:p2p_attribute" or fun.name == "cuda.initialize_profiler" or
    fun.name:find "^cuda%.MemoryPool:[ei][xm]port" or fun.name == "cuda.import_mempool" or
    fun.name:find "^interop%..*_python$" or fun.name:find "^cuda%.distributed%.Group:[sr]e[nc][dv]$" then
    try(fun, "the sample", nil, unpack(arguments(fun), 1, #fun.words)) -- needs more than this process has
  elseif fun.name:find "^gl%." and not values.make.window() then
    try(fun, "the sample", nil, unpack(arguments(fun), 1, #fun.words))
  elseif fun.name:find "^softgpu%." and not soft then
    try(fun, "the sample", fun.name ~= "softgpu.active" and "LogicError" or nil, unpack(arguments(fun), 1, #fun.words))
  elseif fun.name:find "nonsense" or fun.name:find "assignment" or fun.name:find "^index" or
    fun.name == "Memcpy2D()" or fun.name == "repl.run" then -- a prompt without input reads the terminal
    try(fun, "the sample", nil, unpack(arguments(fun), 1, #fun.words))
  else
    try(fun, "the sample", "success", unpack(arguments(fun), 1, #fun.words))
  end
  try(fun, "no arguments", nil)
  for i, word in ipairs(fun.words) do sweep_argument(fun, i, word) end
  for _, v in ipairs { { "NaN", 0 / 0 }, { "a hostile table", values.nonsense[17][2] }, { "a long list", {} } } do
    with(fun, #fun.words + 1, v[2], v[1])
  end
  try(fun, "200 arguments", nil, unpack({}, 1, 200))
  settle()
  cuda.gc_budget "auto"
  cuda.set_debugging(false)
  cuda.gpuarray.eager(false)
  cuda.gpuarray.fast_math(false)
  about_to(fun.name .. ": afterwards")
  local ok, err = pcall(works)
  if not ok then finding("%s: afterwards nothing works: %s", fun.name, tostring(err)) end
end

table.sort(functions, function(a, b) return a.name < b.name end)
local n = 0
for i = first, math.min(last, #functions) do
  n = n + 1
  -- A graph with a condition that no node has cannot be instantiated any more: what needs that is made before.
  local spoils = functions[i].name == "cuda.Graph:condition"
  if spoils then for word in pairs_of(values.owned) do values.value(word) end end
  local ok, err = pcall(sweep, functions[i])
  if spoils then values.renew() end
  if not ok then finding("%s: the sweep ended: %s", functions[i].name, tostring(err)) end
  if findings > 5000 then break end
end
about_to "the end"
cuda.collect()
print(("%d of %d functions, %d calls"):format(n, #functions, calls))
