# Sourced by ../dev: what is on this machine. Installs nothing, builds nothing.
# shellcheck shell=bash

doctor_row() { printf '%-10s %s\n' "$1" "$2"; }

doctor_program() {
  local version
  if has "$1"; then
    version=$("$@" 2>&1 | head -n1)
    doctor_row "$1" "$version ($(command -v "$1"))"
  else
    doctor_row "$1" "missing"
  fi
}

# NVIDIA's libraries for linear algebra, which are opened by the library itself.
doctor_libraries() {
  if [[ ! -f $BUILD/src/cudalua/core.so ]]; then
    doctor_row libraries "NVIDIA's are looked for once the library is built"
    return
  fi
  export_lua_paths
  luajit -e 'for _, row in ipairs(require("cudalua.vendor.library").list()) do
    local first = row.why and row.why:match "[^\n]*"
    print(("%-10s %s"):format(row.name, row.path and row.version .. " (" .. row.path .. ")" or "not found: " .. first))
  end' || doctor_row libraries "cannot be listed"
}

doctor() {
  local cuda version driver missing
  doctor_program luajit -v
  if [[ -n ${LUAJIT_INC:-} ]]; then
    doctor_row headers "$LUAJIT_INC (LUAJIT_INC)"
  elif has pkg-config && pkg-config --exists luajit; then
    doctor_row headers "LuaJIT $(pkg-config --modversion luajit) (pkg-config)"
  else
    doctor_row headers "LuaJIT's headers are missing"
  fi
  doctor_program meson --version
  doctor_program ninja --version
  doctor_program "${CC:-cc}" --version
  if [[ -z $(missing_package pip) ]]; then
    doctor_row pip "$(python3 -m pip --version)"
  else
    doctor_row pip "missing (only for NVIDIA's wheels, if there is no CUDA toolkit)"
  fi
  if has busted; then doctor_row busted "$(command -v busted)"; else doctor_row busted "missing (only for ./dev test)"; fi
  if cuda=$("$ROOT/tools/find_cuda.sh" "$ROOT"); then
    version=$(sed -n '/^#define CUDA_VERSION /{s/[^0-9]*\([0-9]*\).*/\1/p;q}' "$cuda/include/cuda.h")
    doctor_row CUDA "$((version / 1000)).$((version % 1000 / 10)) ($cuda)"
  else
    doctor_row CUDA "not found; ./dev build installs NVIDIA's wheels into .cuda/"
  fi
  driver=$(PATH=$PATH:/sbin ldconfig -p 2>/dev/null | awk '/libcuda\.so\.1 / && !found { print $NF; found = 1 }') || true
  doctor_row driver "${driver:-no libcuda.so.1: programs run on the software device}"
  if has nvidia-smi; then
    doctor_row GPU "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>&1 | paste -sd';')"
  else
    doctor_row GPU "none seen (no nvidia-smi)"
  fi
  if has_gl; then
    doctor_row OpenGL "EGL and Mesa's renderer"
  else
    doctor_row OpenGL "no EGL with Mesa (only for specs and the example of cudalua.gl: libegl1 libgl1-mesa-dri)"
  fi
  doctor_libraries
  missing=$(missing_packages luajit headers meson ninja cc busted cuda)
  doctor_row packages "${missing:+missing for run and test: }${missing:-nothing is missing for run and test}"
  if [[ -f $BUILD/build.ninja ]]; then doctor_row build "$BUILD"; else doctor_row build "not yet built"; fi
}
