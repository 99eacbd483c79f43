-- Programs whose reductions are used with the same rows again, as users write them. Each takes an array of two axes and
-- two arrays of one, and returns one result or several.
local keep = { keepdims = true }

local M = {}

function M.softmax(x)
  local e = (x - x:max(2, keep)):exp()
  return e / e:sum(2, keep)
end

function M.log_softmax(x)
  local shifted = x - x:max(2, keep)
  return shifted - shifted:exp():sum(2, keep):log()
end

function M.by_logsumexp(x) return (x - x:logsumexp(2, keep)):exp() end

function M.layer_norm(x, gain, bias)
  local m, v = x:mean(2, keep), x:var(2, keep)
  return (x - m) / (v + 1e-5):sqrt() * gain + bias
end

function M.rms_norm(x, gain) return x / ((x * x):mean(2, keep) + 1e-5):sqrt() * gain end

function M.by_norm(x) return x / x:norm(2, keep) end

function M.standard(x) return (x - x:mean(2, keep)) / x:std(2, { keepdims = true, ddof = 1 }) end

function M.without_nan(x) return x - x:nanmean(2, keep) + x:nanmax(2, keep) end

function M.positions(x) return x - x:argmax(2, keep) + x:min(2, keep) * x:argmin(2, keep) end

function M.range(x)
  local least, most = x:min(2, keep), x:max(2, keep)
  return (x - least) / (most - least)
end

function M.truth(x) return x + x:gt(1):any(2, keep) - x:gt(-1):all(2, keep) + x:ne(0):count_nonzero(2, keep) end

function M.chain(x)
  local a = x:sum(2, keep)
  local b = (x - a):prod(2, keep)
  local c = (x * b - a):max(2, keep)
  return x + a + b + c
end

-- Several results, of which one is a reduction.
function M.cross_entropy(x, gain)
  local shifted = x - x:max(2, keep)
  local log_p = shifted - shifted:exp():sum(2, keep):log()
  return log_p, (log_p * gain):sum(2)
end

-- Results without one of the rows' shape.
function M.variance(x) return ((x - x:mean(2, keep)) ^ 2):mean(2) end

return M
