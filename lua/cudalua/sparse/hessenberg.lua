-- The small least squares problem of GMRES, on the host: an upper Hessenberg matrix is made triangular by rotations,
-- one for each column. Numbers are pairs of a real and an imaginary part.

local element = require "cudalua.base.element"
local ffi = require "ffi"

local M = {}

local complex = ffi.typeof "complex"

local function pair(x)
  if element.is_complex(x) then return { x.re, x.im } end
  return { tonumber(x), 0 }
end

local function times(a, b) return { a[1] * b[1] - a[2] * b[2], a[1] * b[2] + a[2] * b[1] } end
local function conjugate(a) return { a[1], -a[2] } end
local function subtract(a, b) return { a[1] - b[1], a[2] - b[2] } end

local function divide(a, b)
  local d = b[1] * b[1] + b[2] * b[2]
  local c = times(a, conjugate(b))
  return { c[1] / d, c[2] / d }
end

-- The rotation that makes (a, b) to (r, 0), where b is real: c, s of (c a + conj(s) b, -s a + c b).
local function rotation(a, b)
  local size = math.sqrt(a[1] * a[1] + a[2] * a[2])
  local r = math.sqrt(size * size + b * b)
  if r == 0 then return 1, { 0, 0 } end
  if size == 0 then return 0, { 1, 0 } end
  local phase = { a[1] / size, a[2] / size }
  return size / r, { b / r * phase[1], -b / r * phase[2] }
end

-- Applies one to two numbers of a column.
local function rotate(c, s, a, b)
  local t = times(conjugate(s), b)
  local u = times(s, a)
  return { c * a[1] + t[1], c * a[2] + t[2] }, { c * b[1] - u[1], c * b[2] - u[2] }
end

---The coefficients of the vectors that make the residual least.
---@param numbers cudalua.ndarray.Array  the norm of the residual, then column by column what is above the subdiagonal
---  and on it
---@param steps integer   columns
---@param limit number    columns behind the first that makes the residual as small are left out
---@return any[] y        numbers, complex ones if the residual is
---@return integer used   how many; 0: the residual is NaN, or no column lessens it
function M.solve(numbers, steps, limit)
  local at, is_complex = 1, element.is_complex(numbers:get(1))
  local function next_number()
    at = at + 1
    return pair(numbers:get(at))
  end
  local g, columns, rotations, used = { pair(numbers:get(1)) }, {}, {}, 0
  for j = 1, steps do
    local h = {}
    for i = 1, j + 1 do h[i] = next_number() end
    for i = 1, j - 1 do h[i], h[i + 1] = rotate(rotations[i].c, rotations[i].s, h[i], h[i + 1]) end
    local c, s = rotation(h[j], h[j + 1][1])
    rotations[j] = { c = c, s = s }
    h[j], h[j + 1] = rotate(c, s, h[j], h[j + 1])
    local square = h[j][1] * h[j][1] + h[j][2] * h[j][2]
    if square == 0 or square ~= square then break end -- nothing new in this column
    g[j], g[j + 1] = rotate(c, s, g[j], { 0, 0 })
    columns[j], used = h, j
    local left = math.sqrt(g[j + 1][1] ^ 2 + g[j + 1][2] ^ 2)
    if left <= limit or left ~= left then break end
  end
  local y = {}
  for j = used, 1, -1 do
    local sum = g[j]
    for k = j + 1, used do sum = subtract(sum, times(columns[k][j], y[k])) end
    y[j] = divide(sum, columns[j][j])
  end
  for j = 1, used do y[j] = is_complex and complex(y[j][1], y[j][2]) or y[j][1] end
  return y, used
end

return M
