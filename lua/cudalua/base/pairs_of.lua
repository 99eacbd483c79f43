-- What the library calls instead of pairs().
--
-- LuaJIT compiles pairs() and next() in a way of its own, which was wrong for years. The 2.1.0-beta3 of Debian 12, of
-- March 2022, has two defects there. A compiled loop that meets a value of another type in a finalizer never returns
-- (LuaJIT's issues 1000 and 1045, mended in August 2023). And compiled code may cut the address of the next pair to 32
-- bits, and crash (LuaJIT's commit 5e3c45c4 of April 2022). It knows both functions, so the library has its own: a C
-- function, which is called and not compiled. luacheck refuses pairs() and next() in lua/.

local following = require("cudalua.core").next

---@generic K, V
---@param t table<K, V>
---@return fun(t: table<K, V>, key?: K): K, V
---@return table<K, V> t
return function(t) return following, t end
