-- Long loops of the library over data in host memory say here how far they have come, so that Ctrl-C ends them. A
-- loop's own memory is lost then, what it was given stays: only loops that write to new memory do so.

local check = require("cudalua.core").interrupt_check

local ENOUGH = 65536 -- elements, a few milliseconds of the slowest loops
local done = 0

---@param n integer  elements that were done since the last call
---@raise InterruptError if interrupts are on and an interrupt was requested
return function(n)
  done = done + n
  if done < ENOUGH then return end
  done = 0
  check()
end
