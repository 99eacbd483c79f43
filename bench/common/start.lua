-- What benchmarks of arrays begin with: the first device's primary context is current.
--   local start = dofile "bench/common/start.lua" (5)
---@param rounds integer  if the command line names no number of them
---@return {cuda: table, dev: table, context: table, device: function, smoke: boolean, tiny: boolean, rounds: integer,
---  seconds: fun(): integer}  smoke: the command line says so; tiny: small arrays, and nothing is timed; device: times
---  on the device (device.lua); seconds: since the beginning
return function(rounds)
  local begin, smoke, cuda = os.time(), arg[1] == "smoke", require "cudalua"
  cuda.init()
  local dev = cuda.Device(0)
  local context = dev:retain_primary_context()
  context:push()
  return { cuda = cuda, dev = dev, context = context, device = dofile "bench/common/device.lua"(cuda), smoke = smoke,
    tiny = smoke or cuda.driver_info().soft, rounds = smoke and 1 or tonumber(arg[1] or rounds),
    seconds = function() return os.time() - begin end }
end
