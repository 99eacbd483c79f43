-- Times on the device.
---@param cuda table  cudalua, with a context
return function(cuda)
  local begun, ended = cuda.Event(), cuda.Event()

  ---Microseconds of a call of f(i) on the device. When the first one that counts comes, the device is busy.
  return function(f, launches)
    for i = 1, 2 do f(i) end
    begun:record()
    for i = 1, launches do f(i) end
    ended:record()
    ended:synchronize()
    return ended:time_since(begun) * 1e3 / launches
  end
end
