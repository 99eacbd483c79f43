-- linalg.qr: factors by Householder's reflections. The matrices are worked on as their transposes, so that columns are
-- neighbours in memory.

local errors = require "cudalua.base.errors"
local gpuarray = require "cudalua.gpuarray"
local layout = require "cudalua.base.layout"
local matrices = require "cudalua.linalg.matrices"
local solver = require "cudalua.linalg.solver"
local storage = require "cudalua.gpuarray.core.storage"
local vendor = require "cudalua.linalg.vendor"

local ceil, max, min = math.ceil, math.max, math.min

---@class cudalua.linalg
local M = {}

local modes = { reduced = true, complete = true, r = true }
local known = { mode = true, stream = true, allocator = true }

local function append(list, ...)
  for _, x in ipairs { ... } do
    local leaf = storage.leaf_of(x)
    list[#list + 1], list[#list + 2] = leaf.buf, leaf.off
  end
  return list
end

local function use(steps, ...)
  for _, x in ipairs { ... } do matrices.use(steps, x) end
end

-- c = c - v t w, w = v' c, with t or its adjoint: v and t with their conjugates.
local function apply(steps, panel, c, adjoint)
  local v, t = matrices.transposed(matrices.of(panel.v)), matrices.of(panel.t)
  local conjugate = matrices.of(panel.conjugate)
  if adjoint then t = matrices.transposed(matrices.of(panel.t_conjugate)) end
  local width = v.n
  local w = matrices.empty(c.leaf.dtype, { c.batches, width, c.n })
  local product = matrices.empty(c.leaf.dtype, { c.batches, width, c.n })
  use(steps, w, product)
  matrices.multiply(steps, matrices.of(w), conjugate, c, 1, 0)
  matrices.multiply(steps, matrices.of(product), t, matrices.of(w), 1, 0)
  matrices.multiply(steps, c, v, matrices.of(product), -1, 1)
end

local function factorise_panels(x, columns, dt)
  local n, m = x._shape[x._ndim - 1], x._shape[x._ndim] -- x is the transpose
  local whole = matrices.transposed(matrices.of(x))
  local batches, k = whole.batches, min(m, n)
  local tau, panels = matrices.empty(dt, { batches, k }), {}
  for first = 0, k - 1, matrices.BLOCK do
    local width, steps = min(matrices.BLOCK, k - first), matrices.steps()
    local v, conjugate = matrices.empty(dt, { batches, width, m - first }),
      matrices.empty(dt, { batches, width, m - first })
    local squares, t, t_conjugate = matrices.empty(dt, { batches, width, width }),
      matrices.empty(dt, { batches, width, width }), matrices.empty(dt, { batches, width, width })
    local panel = { v = v, conjugate = conjugate, t = t, t_conjugate = t_conjugate, first = first }
    use(steps, x, tau, v, conjugate, squares, t, t_conjugate)
    matrices.step(steps, matrices.kernel("qr", { "reflect", "panel" }, "linalg_qr_panel", dt), batches, 256,
      append({ batches, m, n, first, first + width }, x, tau))
    matrices.step(steps, matrices.kernel("qr", { "vectors" }, "linalg_qr_vectors", dt), ceil(v._size / 256), 256,
      append({ v._size, m, n, first, width }, x, v, conjugate))
    matrices.multiply(steps, matrices.of(squares), matrices.of(conjugate), matrices.transposed(matrices.of(v)), 1, 0)
    local list = append({ batches, width }, squares, tau)
    list[#list + 1], list[#list + 2] = k, first
    matrices.step(steps, matrices.kernel("qr", { "factor" }, "linalg_qr_factor", dt), batches, 32,
      append(list, t, t_conjugate))
    local rest = n - first - width
    if rest > 0 then apply(steps, panel, matrices.part(whole, first, first + width, m - first, rest), true) end
    matrices.launch(steps)
    panels[#panels + 1] = panel
  end
  if columns == 0 then return end
  local q = gpuarray.eye(columns, m, nil, dt):broadcast_to { batches, columns, m }:copy "C"
  local to = matrices.transposed(matrices.of(q))
  for i = #panels, 1, -1 do
    local panel, steps = panels[i], matrices.steps()
    local first = panel.first
    use(steps, q, panel.v, panel.conjugate, panel.t, panel.t_conjugate)
    apply(steps, panel, matrices.part(to, first, first, m - first, columns - first), false)
    matrices.launch(steps)
  end
  return q
end

---The factors without checks of arguments.
---@param what string
---@param a cudalua.gpuarray.Array
---@param dt cudalua.dtype.DType
---@param mode string
---@param by_own? boolean  own kernels, whatever linalg.backend says
---@return cudalua.gpuarray.Array? q  nil in the mode "r"
---@return cudalua.gpuarray.Array r
local function factors(what, a, dt, mode, by_own)
  local lead, m, n = matrices.lead(a), a._shape[a._ndim - 1], a._shape[a._ndim]
  local k = min(m, n)
  local columns = mode == "complete" and m or mode == "r" and 0 or k
  local rows = mode == "complete" and m or k
  local x = matrices.copy(what, a:swapaxes(-1, -2), dt)
  local q
  if x._size == 0 then
    local unit = gpuarray.eye(columns, m, nil, dt):broadcast_to(matrices.shape(lead, columns, m))
    q = unit:copy "C"
  elseif not by_own and solver.chosen(what, x, dt) then
    q = vendor.reflected(what, x, columns)
  elseif max(m, n) <= matrices.side(dt) then
    q = matrices.empty(dt, matrices.shape(lead, max(columns, 1), m))
    local steps, batches = matrices.steps(), matrices.of(x).batches
    use(steps, x, q)
    matrices.step(steps, matrices.kernel("qr", { "reflect", "small" }, "linalg_qr_small", dt), batches,
      matrices.threads(m * n), append({ batches, m, n, columns }, x, q))
    matrices.launch(steps)
  else
    q = factorise_panels(x, columns, dt)
    q = q and q:reshape(matrices.shape(lead, columns, m))
  end
  local part = {}
  for axis = 1, #lead do part[axis] = {} end
  part[#part + 1], part[#part + 2] = rows > 0 and { 1, rows } or {}, {}
  local r = x:swapaxes(-1, -2)
  if m > 0 and rows > 0 then r = r[part] end
  if rows == 0 then r = gpuarray.zeros(matrices.shape(lead, 0, n), dt) end
  r = gpuarray.triu(r):eval()
  return mode ~= "r" and q:swapaxes(-1, -2) or nil, r
end

local function qr(what, a, mode)
  local q, r = factors(what, a, matrices.field(what, a), mode)
  if not q then return r end
  return q, r
end

---QR factorization of matrices by Householder reflections: a = q r, where q has orthonormal columns and r is upper
---triangular.
---@param a cudalua.gpuarray.Array  the matrices, (..., m, n)
---@param options? {mode: any, stream: cudalua.Stream, allocator: function}  mode: "reduced" (default): q is (..., m, k)
---  and r (..., k, n), where k is the smaller of m and n; "complete": (..., m, m) and (..., m, n); "r": r alone
---@return cudalua.gpuarray.Array q  in the mode "r": r
---@return cudalua.gpuarray.Array r  in the mode "r": nil
---@raise LogicError for arrays with fewer than two axes, 16-bit floats and other modes
function M.qr(a, options)
  local what = "linalg.qr"
  matrices.check(what, a)
  local o = errors.options(what, options, known)
  local mode = o.mode == nil and "reduced" or o.mode
  if type(mode) ~= "string" or not modes[mode] then
    layout.refuse(what, "mode must be 'reduced', 'complete' or 'r', got %s", errors.text(mode))
  end
  return matrices.inside(a, qr, what, a, mode)
end

return { functions = M, factors = factors }
