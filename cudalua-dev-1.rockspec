rockspec_format = "3.0"
package = "cudalua"
version = "dev-1"
source = {
  url = "git+file://.",
}
description = {
  summary = "The GPU for Lua: the CUDA driver API, run-time compilation and arrays for LuaJIT",
  detailed = [[
    cudalua gives a Lua program the whole GPU, and runs the same programs on a machine without one, on a
    software CUDA device. It needs LuaJIT 2.1, Meson and Ninja, and the headers of CUDA 13.0 or later.
  ]],
  license = "MIT",
}
supported_platforms = { "linux" }
dependencies = {
  "lua == 5.1",
}
build = {
  type = "command",
  build_command = "rm -rf build-rock && meson setup build-rock --prefix=$(PREFIX) --bindir=$(BINDIR) -Dtests=false"
    .. " -Dlua_cmod_dir=$(LIBDIR) -Dlua_lmod_dir=$(LUADIR) && ninja -C build-rock",
  install_command = "meson install -C build-rock --no-rebuild",
}
