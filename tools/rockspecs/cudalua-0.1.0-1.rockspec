rockspec_format = "3.0"
package = "cudalua"
version = "0.1.0-1"
source = {
  url = "file://cudalua-0.1.0.tar.gz",
  dir = "cudalua-0.1.0",
}
description = {
  summary = "The GPU for Lua: the CUDA driver API, run-time compilation and arrays for LuaJIT",
  detailed = [[
    cudalua gives a Lua program the whole GPU, and runs the same programs on a machine without one, on a
    software CUDA device. It needs LuaJIT 2.1, Meson, Ninja and a C compiler. If no
    CUDA toolkit of version 13.0 or later is installed, the build downloads NVIDIA's headers with pip.
  ]],
  license = "MIT",
}
supported_platforms = { "linux" }
dependencies = {
  "lua == 5.1",
}
build = {
  type = "command",
  build_command = "bash tools/rock.sh build '$(PREFIX)' '$(BINDIR)' '$(LIBDIR)' '$(LUADIR)'",
  install_command = "bash tools/rock.sh install '$(PREFIX)'",
}
