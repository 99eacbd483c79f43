---@meta
-- Functions of cudalua.random that hand on to others.

---@class cudalua.random
local M = {}

---Uniformly distributed numbers from low up to high, which is excluded, from the module's generator: as
---Generator:uniform.
---@param shape? integer|integer[]  as for gpuarray.empty; default: the shape of the parameters
---@param low? any  a number or an array, default 0
---@param high? any  a number or an array, default 1
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  a pending array
---@raise LogicError as Generator:uniform
function M.uniform(shape, low, high, dtype) end

---Normally distributed numbers from the module's generator: as Generator:normal.
---@param shape? integer|integer[]  as for random.uniform
---@param mean? any  a number or an array, default 0
---@param sigma? any  a number or an array, default 1
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  a pending array
---@raise LogicError as Generator:normal
function M.normal(shape, mean, sigma, dtype) end

---Log-normally distributed numbers from the module's generator: as Generator:log_normal.
---@param shape? integer|integer[]  as for random.uniform
---@param mean? any  the mean of the logarithms: a number or an array, default 0
---@param sigma? any  the standard deviation of the logarithms: a number or an array, default 1
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  a pending array
---@raise LogicError as Generator:log_normal
function M.log_normal(shape, mean, sigma, dtype) end

---Exponentially distributed numbers from the module's generator: as Generator:exponential.
---@param shape? integer|integer[]  as for random.uniform
---@param scale? any  a number or an array, default 1
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  a pending array
---@raise LogicError as Generator:exponential
function M.exponential(shape, scale, dtype) end

---Gamma-distributed numbers from the module's generator: as Generator:gamma.
---@param shape? integer|integer[]  as for random.uniform
---@param k any  a positive number or an array of these
---@param scale? any  a number or an array, default 1
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  a pending array
---@raise LogicError as Generator:gamma
function M.gamma(shape, k, scale, dtype) end

---Beta-distributed numbers from the module's generator: as Generator:beta.
---@param shape? integer|integer[]  as for random.uniform
---@param a any  a positive number or an array of these
---@param b any  a positive number or an array of these
---@param dtype? any  a floating-point type; default: dtype.default_float()
---@return cudalua.gpuarray.Array  a pending array
---@raise LogicError as Generator:beta
function M.beta(shape, a, b, dtype) end

---Poisson-distributed numbers from the module's generator: as Generator:poisson.
---@param shape? integer|integer[]  as for random.uniform
---@param mean any  a non-negative number or an array of these
---@param dtype? any  an integer type; default: int64
---@return cudalua.gpuarray.Array  a pending array
---@raise LogicError as Generator:poisson
function M.poisson(shape, mean, dtype) end

---Binomially distributed numbers, the successes in n trials, from the module's generator: as Generator:binomial.
---@param shape? integer|integer[]  as for random.uniform
---@param n any  the number of trials: a non-negative number or an array of these
---@param p any  the probability of success: a number from 0 to 1 or an array of these
---@param dtype? any  an integer type; default: int64
---@return cudalua.gpuarray.Array  a pending array
---@raise LogicError as Generator:binomial
function M.binomial(shape, n, p, dtype) end

---Random integers from low to high, both included, from the module's generator: as Generator:integers.
---@param shape? integer|integer[]  as for random.uniform
---@param low integer|ffi.cdata*  the smallest integer
---@param high integer|ffi.cdata*  the largest integer
---@param dtype? any  an integer type; default: int64
---@return cudalua.gpuarray.Array  a pending array
---@raise LogicError as Generator:integers
function M.integers(shape, low, high, dtype) end

---The positions 1 to n in random order, or the parts of an array along its first axis: as Generator:permutation.
---@param x integer|cudalua.gpuarray.Array  the number of positions, or an array
---@return cudalua.gpuarray.Array
---@raise LogicError as Generator:permutation
function M.permutation(x) end

---A random sample of the positions 1 to n, or of the parts of an array: as Generator:choice.
---@param of integer|cudalua.gpuarray.Array  the number of positions, or an array
---@param shape? integer|integer[]  as for random.uniform
---@param options? {replace: boolean, p: any}  replace: as for Generator:choice; p: as for Generator:choice
---@return cudalua.gpuarray.Array
---@raise LogicError as Generator:choice
function M.choice(of, shape, options) end

---Returns Joe and Kuo's direction numbers of Sobol sequences.
---@param count integer  the number of dimensions, from 1 to 1111
---@param set? string  a value of random.direction_vector_set; default VECTOR_32
---@param seed? integer  the seed of scrambled sequences, default 0
---@return cudalua.ndarray.Array  uint32 or uint64: a row of 32 or 64 numbers for each dimension
---@raise LogicError for other counts, sets and seeds
function M.generate_direction_vectors(count, set, seed) end

---Returns the constants to which the numbers of scrambled sequences are added without carry: one for each dimension.
---@param count integer  the number of dimensions, from 1 to 1111
---@param seed? integer  the seed; default 0
---@return cudalua.ndarray.Array  uint32
---@raise LogicError for other counts and seeds
function M.generate_scramble_constants32(count, seed) end

---Returns the constants to which the numbers of 64-bit scrambled sequences are added without carry: one for each
---dimension.
---@param count integer  the number of dimensions, from 1 to 1111
---@param seed? integer  the seed; default 0
---@return cudalua.ndarray.Array  uint64
---@raise LogicError for other counts and seeds
function M.generate_scramble_constants64(count, seed) end

---@class cudalua.random.StateGenerator
local StateGenerator = {}

---Skips numbers in each of the generators: as call_skip_ahead.
---@param n integer|cudalua.gpuarray.Array  a non-negative integer, or an array with one for each generator
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.random.StateGenerator self
---@raise LogicError if n is neither an integer nor such an array
function StateGenerator:call_skip_ahead_array(n, stream) end

---Skips whole sequences in each of the generators: as call_skip_ahead_sequence.
---@param n integer|cudalua.gpuarray.Array  a non-negative integer, or an array with one for each generator
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.random.StateGenerator self
---@raise LogicError if n is neither an integer nor such an array
function StateGenerator:call_skip_ahead_sequence_array(n, stream) end

---Skips subsequences in each of the generators: as call_skip_ahead_subsequence.
---@param n integer|cudalua.gpuarray.Array  a non-negative integer, or an array with one for each generator
---@param stream? cudalua.Stream  default: the current stream
---@return cudalua.random.StateGenerator self
---@raise LogicError if n is neither an integer nor such an array, and for XORWOW
function StateGenerator:call_skip_ahead_subsequence_array(n, stream) end
