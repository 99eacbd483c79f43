-- The words that cannot be names in Lua. LuaJIT takes `goto` as a name, too.
local keywords = {}
for _, word in ipairs { "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local",
  "nil", "not", "or", "repeat", "return", "then", "true", "until", "while" } do
  keywords[word] = true
end
return keywords
