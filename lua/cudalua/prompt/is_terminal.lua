-- Whether a file is a terminal.

local ffi = require "ffi"
ffi.cdef [=[
int cudalua_prompt_isatty(int fd) __asm__("isatty");
int cudalua_prompt_fileno(void *file) __asm__("fileno");
]=]
local C = ffi.C

---@param file file*
---@return boolean
return function(file) return C.cudalua_prompt_isatty(C.cudalua_prompt_fileno(file)) == 1 end
