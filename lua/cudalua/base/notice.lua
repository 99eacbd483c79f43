-- What is not an error but deserves to be known goes to cuda.on_notice, which the program may have replaced.

---@param text string
return function(text)
  local cuda = package.loaded.cudalua
  local hook = type(cuda) == "table" and rawget(cuda, "on_notice")
  if hook then hook(text) end
end
