---@meta
-- Functions of cudalua.random that hand on to others.

---@class cudalua.random
local M = {}

---Numbers from low to below high, all as likely, of the module's generator: as Generator:uniform.
---@param shape? integer|integer[]  as for gpuarray.empty; default: that of the parameters
---@param low? any    number or array, default 0
---@param high? any   number or array, default 1
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  pending
---@raise LogicError as Generator:uniform
function M.uniform(shape, low, high, dtype) end

---Normally distributed numbers of the module's generator: as Generator:normal.
---@param shape? integer|integer[]
---@param mean? any   number or array, default 0
---@param sigma? any  number or array, default 1
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  pending
---@raise LogicError as Generator:normal
function M.normal(shape, mean, sigma, dtype) end

---Numbers whose logarithms are normally distributed, of the module's generator: as Generator:log_normal.
---@param shape? integer|integer[]
---@param mean? any   number or array, default 0
---@param sigma? any  number or array, default 1
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  pending
---@raise LogicError as Generator:log_normal
function M.log_normal(shape, mean, sigma, dtype) end

---Exponentially distributed numbers of the module's generator: as Generator:exponential.
---@param shape? integer|integer[]
---@param scale? any  number or array, default 1
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  pending
---@raise LogicError as Generator:exponential
function M.exponential(shape, scale, dtype) end

---Gamma-distributed numbers of the module's generator: as Generator:gamma.
---@param shape? integer|integer[]
---@param k any       number or array, above 0
---@param scale? any  number or array, default 1
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  pending
---@raise LogicError as Generator:gamma
function M.gamma(shape, k, scale, dtype) end

---Beta-distributed numbers of the module's generator: as Generator:beta.
---@param shape? integer|integer[]
---@param a any       number or array, above 0
---@param b any       number or array, above 0
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  pending
---@raise LogicError as Generator:beta
function M.beta(shape, a, b, dtype) end

---Numbers of events, of the module's generator: as Generator:poisson.
---@param shape? integer|integer[]
---@param mean any    number or array, from 0
---@param dtype? any  an integer type; default: int64
---@return cudalua.gpuarray.Array  pending
---@raise LogicError as Generator:poisson
function M.poisson(shape, mean, dtype) end

---How many of n tries succeed, of the module's generator: as Generator:binomial.
---@param shape? integer|integer[]
---@param n any       number or array, from 0
---@param p any       number or array, from 0 to 1
---@param dtype? any  an integer type; default: int64
---@return cudalua.gpuarray.Array  pending
---@raise LogicError as Generator:binomial
function M.binomial(shape, n, p, dtype) end

---Whole numbers from low to high, both included, of the module's generator: as Generator:integers.
---@param shape? integer|integer[]
---@param low integer|ffi.cdata*
---@param high integer|ffi.cdata*
---@param dtype? any  an integer type; default: int64
---@return cudalua.gpuarray.Array  pending
---@raise LogicError as Generator:integers
function M.integers(shape, low, high, dtype) end

---The positions 1 to n in random order, or the parts of an array: as Generator:permutation.
---@param x integer|cudalua.gpuarray.Array
---@return cudalua.gpuarray.Array
---@raise LogicError as Generator:permutation
function M.permutation(x) end

---A sample of the positions 1 to n, or of the parts of an array: as Generator:choice.
---@param of integer|cudalua.gpuarray.Array
---@param shape? integer|integer[]
---@param options? {replace: boolean, p: any}
---@return cudalua.gpuarray.Array
---@raise LogicError as Generator:choice
function M.choice(of, shape, options) end

---Direction numbers of Sobol sequences: Joe and Kuo's.
---@param count integer  of dimensions, 1 to 1111
---@param set? string    of random.direction_vector_set; default VECTOR_32
---@param seed? integer  of the scrambled ones, default 0
---@return cudalua.ndarray.Array  uint32 or uint64: a row of 32 or 64 for each dimension
---@raise LogicError for other counts, sets and seeds
function M.generate_direction_vectors(count, set, seed) end

---What the numbers of scrambled sequences are added to, without carry: one for each dimension.
---@param count integer  1 to 1111
---@param seed? integer  default 0
---@return cudalua.ndarray.Array  uint32
---@raise LogicError for other counts and seeds
function M.generate_scramble_constants32(count, seed) end

---What the numbers of scrambled sequences of 64 bits are added to, without carry: one for each dimension.
---@param count integer  1 to 1111
---@param seed? integer  default 0
---@return cudalua.ndarray.Array  uint64
---@raise LogicError for other counts and seeds
function M.generate_scramble_constants64(count, seed) end

---@class cudalua.random.StateGenerator
local StateGenerator = {}

---Leaves numbers out, in each of the generators: the same as call_skip_ahead.
---@param n integer|cudalua.gpuarray.Array  non-negative; or an array of them, one for each generator
---@param stream? cudalua.Stream            default: the current one
---@return cudalua.random.StateGenerator self
---@raise LogicError if n is neither an integer nor such an array
function StateGenerator:call_skip_ahead_array(n, stream) end

---Leaves whole sequences out, in each of the generators: the same as call_skip_ahead_sequence.
---@param n integer|cudalua.gpuarray.Array  non-negative; or an array of them, one for each generator
---@param stream? cudalua.Stream            default: the current one
---@return cudalua.random.StateGenerator self
---@raise LogicError if n is neither an integer nor such an array
function StateGenerator:call_skip_ahead_sequence_array(n, stream) end

---Leaves subsequences out, in each of the generators: the same as call_skip_ahead_subsequence.
---@param n integer|cudalua.gpuarray.Array  non-negative; or an array of them, one for each generator
---@param stream? cudalua.Stream            default: the current one
---@return cudalua.random.StateGenerator self
---@raise LogicError if n is neither an integer nor such an array, and for XORWOW
function StateGenerator:call_skip_ahead_subsequence_array(n, stream) end
