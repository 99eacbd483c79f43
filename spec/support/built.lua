-- Where the build puts the shared libraries that are for specs alone (spec/c/meson.build).

---@param name string  "cudalua-probe"
---@return string path
return function(name)
  local core = assert(package.searchpath("cudalua.core", package.cpath))
  return (core:gsub("src/cudalua/core%.so$", "spec/c/lib" .. name .. ".so"))
end
