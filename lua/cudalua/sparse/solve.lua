-- Iterative solvers of A x = b. Their numbers stay on the device; the program waits every few steps, for one number.

local arguments = require "cudalua.gpuarray.index.arguments"
local calls = require "cudalua.gpuarray.core.calls"
local dtypes = require "cudalua.dtype"
local element = require "cudalua.base.element"
local errors = require "cudalua.base.errors"
local gpuarray = require "cudalua.gpuarray"
local graph = require "cudalua.gpuarray.core.graph"
local hessenberg = require "cudalua.sparse.hessenberg"
local layout = require "cudalua.base.layout"
local matrix = require "cudalua.sparse.matrix"
local view = require "cudalua.gpuarray.core.view"

local refuse = layout.refuse

---@class cudalua.sparse
local M = {}

-- ---- arguments ------------------------------------------------------------------------------------------------------

local known = { x0 = true, rtol = true, atol = true, maxiter = true, M = true, callback = true, check = true,
  stream = true, allocator = true }
local known_gmres = { restart = true }
local known_jacobi = { omega = true }
for name in ("x0 rtol atol maxiter callback stream allocator"):gmatch "%S+" do
  known_gmres[name], known_jacobi[name] = true, true
end
known_gmres.M, known_jacobi.check = true, true

local solvable = { float32 = true, float64 = true, complex64 = true, complex128 = true }

local function tolerance(what, name, x, default)
  if x == nil then return default end
  if type(x) ~= "number" or x ~= x or x < 0 or x == math.huge then
    refuse(what, ("%s must be a non-negative number, got %s"):format(name, element.describe(x)))
  end
  return x
end

local function positive(what, name, x, default)
  if x == nil then return default end
  local n = layout.whole(x)
  if not n or n < 1 then refuse(what, ("%s must be a positive integer, got %s"):format(name, element.describe(x))) end
  return n
end

-- A 2-D operand: its rows and its columns; nil for anything else.
local function shape_of(x)
  if matrix.is(x) then return x._rows, x._columns end
  if gpuarray.is(x) and x._ndim == 2 then return x._shape[1], x._shape[2] end
end

local function type_of(x) return matrix.is(x) and x._data._dtype or x._dtype end

-- What multiplies a vector by an operand: a sparse matrix, a dense one or a function.
local function operator(what, name, x, n, t)
  local rows, columns = shape_of(x)
  if rows then
    if rows ~= n or columns ~= n then
      refuse(what, ("%s must be a square matrix of %.0f rows, as b has %.0f elements; it has the shape %s"):format(name,
        n, n, layout.text { rows, columns }))
    end
    return function(v) return graph.as_type(x:matmul(v), t) end
  end
  if not errors.is_callable(x) then
    refuse(what, ("%s must be a sparse matrix, an array of two axes or a function, got %s"):format(name,
      element.describe(x)))
  end
  return function(v)
    local y = x(v)
    if not gpuarray.is(y) or y._ndim ~= 1 or y._size ~= n then
      refuse(what, ("the function %s must return an array of %.0f elements, got %s"):format(name, n,
        gpuarray.is(y) and "one of the shape " .. layout.text(y._shape) or element.describe(y)))
    end
    return dtypes.promote(y._dtype, t) == t and graph.as_type(y, t)
      or refuse(what, ("the function %s returns %s, but the system is of %s"):format(name, y._dtype.name, t.name))
  end
end

-- The reciprocals of the diagonal.
local function inverse_diagonal(what, A, t)
  if not shape_of(A) then
    refuse(what, "'jacobi' needs the diagonal of A, which must be a sparse matrix or an array of two axes")
  end
  local d = graph.as_type(A:diagonal(), t)
  local zeros = d:eq(0)
  if zeros:any():item() then
    local row = tonumber(zeros:argmax():item())
    errors.raise("LinAlgError", ("%s: the diagonal has a 0 in row %d; 'jacobi' divides by it"):format(what, row),
      { pivot = row, matrices = { { pivot = row } } })
  end
  return (1 / d):eval()
end

local function identity(v) return v end

-- A system as the solvers see it.
local function system(what, A, b, options, names)
  local o = errors.options(what, options, names)
  b = arguments.any_array(what, "b", b)
  if b._ndim ~= 1 then refuse(what, "b must have one axis, got the shape " .. layout.text(b._shape)) end
  local n = b._size
  local t = shape_of(A) and dtypes.promote(type_of(A), b._dtype) or b._dtype
  if t.kind ~= "float" and t.kind ~= "complex" then t = dtypes.default_float() end
  if not solvable[t.name] then
    refuse(what, ("systems of %s are not solved; convert b and A with astype() to float32"):format(t.name))
  end
  local s = { what = what, n = n, dtype = t, b = view.copy(graph.as_type(b, t), "C"),
    times = operator(what, "A", A, n, t), precondition = identity, callback = o.callback,
    maxiter = positive(what, "maxiter", o.maxiter, math.max(10 * n, 1)), check = positive(what, "check", o.check, 10),
    rtol = tolerance(what, "rtol", o.rtol, 1e-5), atol = tolerance(what, "atol", o.atol, 0), options = o }
  if o.callback ~= nil then errors.check_callable(what, o.callback) end
  if o.M == "jacobi" then
    local inverse = inverse_diagonal(what, A, t)
    s.precondition = function(v) return v * inverse end
  elseif o.M ~= nil then
    if type(o.M) == "string" then refuse(what, ("M must be 'jacobi', a matrix or a function, got '%s'"):format(o.M)) end
    s.precondition = operator(what, "M", o.M, n, t)
  end
  if o.x0 == nil then
    s.x, s.r = gpuarray.zeros(n, t), view.copy(s.b, "C")
  else
    local x0 = arguments.any_array(what, "x0", o.x0)
    if x0._ndim ~= 1 or x0._size ~= n then
      refuse(what, ("x0 must have the shape (%d,), as b has, got %s"):format(n, layout.text(x0._shape)))
    end
    s.x = view.copy(graph.stored(x0, t, what), "C")
    s.r = (s.b - s.times(s.x)):eval()
  end
  s.limit = math.max(s.rtol * gpuarray.norm(s.b):item(), s.atol)
  return s
end

-- ---- steps ----------------------------------------------------------------------------------------------------------

local function vdot(a, b) return gpuarray.vdot(a, b) end

-- a / b on the device, and 0 where b is 0: a step behind the solution changes nothing.
local function ratio(a, b) return gpuarray.where(b:ne(0), a / b, 0):eval() end

-- Repeats step() until the residual is small. stuck: a number that is 0 or NaN if the method cannot go on.
local function iterate(s, step)
  local function small() return gpuarray.norm(s.r):item() end
  local size = small()
  if size <= s.limit then return s.x, 0, 0, size end
  for k = 1, s.maxiter do
    local stuck = step()
    if s.callback then s.callback(s.x, k) end
    if k % s.check == 0 or k == s.maxiter then
      size = small()
      if size <= s.limit then return s.x, 0, k, size end
      if size ~= size or size == math.huge or stuck and not (stuck:ne(0):item()) then return s.x, -k, k, size end
    end
  end
  return s.x, s.maxiter, s.maxiter, size
end

-- No elements, no steps.
local function solve(s, begin)
  if s.n == 0 then return s.x, 0, 0, 0 end
  return iterate(s, begin(s))
end

---Solves A x = b by the conjugate gradient method, for a symmetric or Hermitian, positive definite matrix.
---@param A any  a sparse matrix, an array with two axes, or a function that returns A v for a vector v
---@param b any  a 1-D array, also a host array or a list
---@param options? {x0: any, rtol: number, atol: number, maxiter: integer, M: any, callback: function, check: integer,
---  stream: cudalua.Stream, allocator: function}  x0: the initial vector; default 0. rtol: default 1e-5; the iteration
---  ends when the norm of b - A x is at most rtol times the norm of b, or at most atol. atol: default 0. check: the
---  number of steps between two tests of this; default 10. maxiter: the maximum number of steps; default 10 for each
---  element of b. M: an approximate inverse of A: a matrix, a function, or "jacobi" for the inverse of A's diagonal.
---  callback: called as callback(x, step) after each step; the next step changes x
---@return cudalua.gpuarray.Array x
---@return integer info  0: solved; positive: the number of steps, which was not enough; negative: the method broke
---  down, which was noticed at this step
---@return integer steps  the number of steps that were made
---@return number residual  the norm of b - A x, as the method updates it
---@raise LogicError if shapes do not fit, and for 16-bit floats; LinAlgError for a 0 on the diagonal with "jacobi": its
---  field `pivot` is the row
function M.cg(A, b, options)
  local s = system("sparse.cg", A, b, options, known)
  return solve(s, function()
    local p = view.copy(s.precondition(s.r), "C")
    local rz = vdot(s.r, p)
    return function()
      local q = s.times(p)
      local pq = vdot(p, q)
      local alpha = ratio(rz, pq)
      s.x:iadd(alpha * p)
      s.r:isub(alpha * q)
      local z = s.precondition(s.r)
      local new = vdot(s.r, z)
      p = (z + ratio(new, rz) * p):eval()
      rz = new
      return pq
    end
  end)
end

---Solves A x = b by the stabilized biconjugate gradient method, for any square matrix. Each step multiplies by A twice.
---@param A any  as for cg
---@param b any  a 1-D array, as for cg
---@param options? {x0: any, rtol: number, atol: number, maxiter: integer, M: any, callback: function, check: integer,
---  stream: cudalua.Stream, allocator: function}  x0: as for cg; maxiter: as for cg; M: as for cg; callback: as for cg;
---  check: as for cg
---@return cudalua.gpuarray.Array x
---@return integer info  as cg
---@return integer steps  as cg
---@return number residual  as cg
---@raise LogicError as cg
function M.bicgstab(A, b, options)
  local s = system("sparse.bicgstab", A, b, options, known)
  return solve(s, function()
    local first = view.copy(s.r, "C")
    local p = view.copy(s.r, "C")
    local rho = vdot(first, s.r)
    return function()
      local y = s.precondition(p)
      local v = s.times(y)
      local alpha = ratio(rho, vdot(first, v))
      local half = (s.r - alpha * v):eval()
      local z = s.precondition(half)
      local t = s.times(z)
      local omega = ratio(vdot(t, half), vdot(t, t))
      s.x:iadd(alpha * y + omega * z)
      s.r = (half - omega * t):eval()
      local new = vdot(first, s.r)
      local beta = ratio(new, rho) * ratio(alpha, omega)
      p = (s.r + beta * (p - omega * v)):eval()
      rho = new
      return rho
    end
  end)
end

---Solves A x = b by the Jacobi iteration, x + omega (b - A x) / diagonal: for diagonally dominant matrices, and as a
---smoother.
---@param A any  a sparse matrix or an array with two axes
---@param b any  a 1-D array, as for cg
---@param options? {x0: any, rtol: number, atol: number, maxiter: integer, omega: number, callback: function, check:
---  integer, stream: cudalua.Stream, allocator: function}  x0: as for cg; maxiter: as for cg; omega: the weight of a
---  step, default 1; callback: as for cg; check: as for cg
---@return cudalua.gpuarray.Array x
---@return integer info  as cg
---@return integer steps  as cg
---@return number residual  as cg
---@raise LogicError as cg, and if A is a function
function M.jacobi(A, b, options)
  local what = "sparse.jacobi"
  local s = system(what, A, b, options, known_jacobi)
  local omega = s.options.omega == nil and 1 or s.options.omega
  if type(omega) ~= "number" or omega ~= omega or math.abs(omega) == math.huge then
    refuse(what, "omega must be a finite number, got " .. element.describe(omega))
  end
  local weight = (inverse_diagonal(what, A, s.dtype) * omega):eval()
  return solve(s, function()
    return function()
      s.x:iadd(s.r * weight)
      s.r = (s.b - s.times(s.x)):eval()
    end
  end)
end

-- ---- GMRES ----------------------------------------------------------------------------------------------------------

-- One cycle: up to `steps` vectors, orthogonal to each other by modified Gram-Schmidt. The numbers of the small problem
-- are read at once.
local function cycle(s, steps)
  local numbers, vectors = {}, {}
  local beta = graph.as_type(gpuarray.norm(s.r), s.dtype)
  numbers[1], vectors[1] = beta, (s.r * ratio(1, beta)):eval()
  for j = 1, steps do
    local w = s.times(s.precondition(vectors[j]))
    for i = 1, j do
      local h = vdot(vectors[i], w)
      numbers[#numbers + 1] = h
      w = (w - h * vectors[i]):eval()
    end
    local size = graph.as_type(gpuarray.norm(w), s.dtype)
    numbers[#numbers + 1] = size
    if j < steps then vectors[j + 1] = (w * ratio(1, size)):eval() end
  end
  for k, x in ipairs(numbers) do numbers[k] = x:reshape(1) end
  return gpuarray.concatenate(numbers):get(), vectors
end

---Solves A x = b by the generalized minimal residual method, for any square matrix. It restarts after `restart` steps,
---and tests the residual at each restart.
---@param A any  as for cg
---@param b any  a 1-D array, as for cg
---@param options? {x0: any, rtol: number, atol: number, maxiter: integer, restart: integer, M: any, callback: function,
---  stream: cudalua.Stream, allocator: function}  x0: as for cg; maxiter: as for cg, counted inside restarts, too;
---  restart: default 20; as many vectors are kept; M: as for cg, applied on the right, so that the residual is that of
---  the system; callback: called as callback(x, step) after each restart
---@return cudalua.gpuarray.Array x
---@return integer info  as for cg; maxiter and info count the steps inside restarts
---@return integer steps  as for cg, counted inside restarts, too
---@return number residual  the norm of b - A x
---@raise LogicError as cg
function M.gmres(A, b, options)
  local what = "sparse.gmres"
  local s = system(what, A, b, options, known_gmres)
  local restart = math.min(positive(what, "restart", s.options.restart, 20), math.max(s.n, 1))
  if s.n == 0 then return s.x, 0, 0, 0 end
  local done, before = 0, gpuarray.norm(s.r):item()
  while true do
    if before <= s.limit then return s.x, 0, done, before end
    if before ~= before or before == math.huge then return s.x, -math.max(done, 1), done, before end
    if done >= s.maxiter then return s.x, done, done, before end
    local steps = math.min(restart, s.maxiter - done)
    local numbers, vectors = cycle(s, steps)
    local y, used = hessenberg.solve(numbers, steps, s.limit)
    if used == 0 then return s.x, -math.max(done, 1), done, before end
    done = done + used
    local sum
    for k = 1, used do
      local term = vectors[k] * y[k]
      sum = sum and sum + term or term
    end
    s.x:iadd(s.precondition(sum:eval()))
    s.r = (s.b - s.times(s.x)):eval()
    if s.callback then s.callback(s.x, done) end
    local size = gpuarray.norm(s.r):item()
    if used < steps and size > s.limit and size >= before then return s.x, -done, done, size end
    before = size
  end
end

for _, name in ipairs { "cg", "bicgstab", "jacobi", "gmres" } do M[name] = calls.wrap("sparse." .. name, M[name]) end

return M
