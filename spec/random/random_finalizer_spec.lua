-- A finalizer that uses the generator that a draw takes its numbers from: the two share none, and each has
-- those that it has if one comes after the other.
local gpu = require "spec.support.gpu"
local reentry = require "spec.support.reentry"
local cuda, gpuarray = gpu.cuda, gpu.cuda.gpuarray
local random = cuda.random

local MOST = gpu.sanitized and 8 or 80 -- places that are tried of each kind

local function text(x)
  if type(x) ~= "table" or getmetatable(x) == "cudalua.random.Generator" then return tostring(x) end
  if gpuarray.is_array(x) then return table.concat(x:ravel():tolist(), " ") end
  local list = {}
  for k = 1, #x do list[k] = text(x[k]) end
  return table.concat(list, " | ")
end

-- What a call draws, by kind of generator.
local makers = {
  Generator = function() return random.Generator(5) end,
  XORWOW = function() return random.XORWOWRandomNumberGenerator(7, nil, { generators = 8 }) end,
  Sobol32 = function() return random.Sobol32RandomNumberGenerator(nil, 3, { dimensions = 2 }) end,
}

local draws = {
  Generator = {
    uniform = function(g) return g:uniform(9) end,
    integers = function(g) return g:integers({ 2, 3 }, 1, 100) end,
    beta = function(g) return g:beta(6, 2, 3) end,
    fill_normal = function(g) return g:fill_normal(gpuarray.zeros(5)) end,
    gen_uniform = function(g) return g:gen_uniform(9, "float32", cuda.current_stream()) end,
    ["a permutation on the host"] = function(g) return g:permutation(30) end,
    ["a permutation on the device"] = function(g) return g:permutation(20000)[{ { 1, 20 } }] end,
    ["a sample"] = function(g) return g:choice(40, 9, { replace = false }) end,
    ["a sample with probabilities"] = function(g) return g:choice(4, 3, { replace = false, p = { 4, 3, 2, 1 } }) end,
    spawn = function(g) return { g:spawn(2) } end,
    get_state = function(g) return g:get_state() end,
    set_state = function(g)
      g:set_state "philox4x32-10 0000000000000009 4"
      return "set"
    end,
    seed = function(g)
      g:seed(9)
      return "set"
    end,
  },
  XORWOW = {
    gen_uniform = function(g) return g:gen_uniform(20, "float32") end,
    fill_normal = function(g) return g:fill_normal(gpuarray.zeros(20)) end,
    gen_poisson = function(g) return g:gen_poisson(10, "int32", 4) end,
    skip_ahead = function(g)
      g:call_skip_ahead(5)
      return "ahead"
    end,
  },
  Sobol32 = {
    gen_uniform = function(g) return g:gen_uniform(4, "float32") end,
    fill_normal = function(g) return g:fill_normal(gpuarray.zeros { 3, 2 }) end,
    skip_ahead = function(g)
      g:call_skip_ahead(5)
      return "ahead"
    end,
    skip_ahead_array = function(g)
      g:call_skip_ahead_array(gpuarray.to_gpu({ 1, 4 }, "int32"))
      return "ahead"
    end,
    get_state = function(g) return g:get_state() end,
  },
}

-- What the finalizer does.
local inner = {
  Generator = function(g) return g:uniform(6):eval() end,
  XORWOW = function(g) return g:gen_uniform(6, "uint32") end,
  Sobol32 = function(g)
    g:call_skip_ahead_array(gpuarray.to_gpu({ 2, 0 }, "int32"))
    return g:gen_uniform(2, "float32")
  end,
}

describe("a finalizer that draws from the same generator", function()
  setup(function()
    gpu.context()
    math.randomseed(os.time())
  end)

  for class, list in pairs(draws) do
    for name, draw in pairs(list) do
      it(("shares no numbers with what it interrupts: %s, %s"):format(class, name), function()
        -- Both results and where the generator is then; before the k-th line, behind the call, or (0) before it.
        local function call(k)
          local g, other = makers[class](), nil
          local function interrupt() other = inner[class](g) end
          if k == 0 then interrupt() end
          local result, lines, place = reentry.call(function() return draw(g) end, interrupt, k > 0 and k or math.huge)
          if not other then interrupt() end
          return text { result, other, class == "XORWOW" and g.state or g:get_state() }, lines, place
        end
        for _ = 1, 2 do call(math.huge) end -- what is made once is there
        local first, second = call(math.huge), call(0)
        assert.not_equal(first, second)
        local _, lines = call(math.huge)
        local step = math.max(lines / MOST, 1)
        local k = math.random() * (step - 1) + 1
        while k <= lines do
          local got, _, place = call(math.floor(k))
          assert(got == first or got == second, ("%s: %s, not %s or %s"):format(place, got, first, second))
          k = k + step
        end
      end)
    end
  end

  it("does not lose the module's generator, whose seed it sets", function()
    local out, ok = gpu.child [[
      package.path = "./?.lua;" .. package.path
      local reentry = require "spec.support.reentry"
      local random = require("cudalua").random
      local _, lines = reentry.call(function() return random.Generator() end, function() end, math.huge)
      for k = 1, lines + 8 do
        package.loaded["cudalua.random"] = nil
        local own = require "cudalua.random"
        reentry.call(own.default, function() own.seed(11) end, k)
        local state = own.default():get_state()
        assert(k > lines or state:find "000000000000000b 0$", k .. ": " .. state)
      end
      print "well"
    ]]
    assert.equal("well\n", out)
    assert.is_true(ok)
  end)
end)
