-- What the library calls instead of pairs().
--
-- LuaJIT before August 2023, such as the 2.1.0-beta3 of Debian 12, compiles loops over pairs() and next in a way of
-- their own. Where such a loop, compiled for values of one type, meets another type in a finalizer, it never returns
-- (LuaJIT's issues 1000 and 1045). It knows these loops by the two names. luacheck refuses pairs() in lua/.

local following = next

---@generic K, V
---@param t table<K, V>
---@return fun(t: table<K, V>, key?: K): K, V
---@return table<K, V> t
return function(t) return following, t end
