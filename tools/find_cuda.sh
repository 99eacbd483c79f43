#!/bin/sh
# find_cuda.sh PROJECT-ROOT: prints the root of the first CUDA toolkit of version 13.0 or later that has cuda.h,
# nvrtc.h and libnvrtc, or fails silently. CUDALUA_TOOLKIT=installed or wheels narrows the search; the wheels are
# those that ./dev puts into PROJECT-ROOT/.cuda.
set -u

usable() {
  [ -f "$1/include/cuda.h" ] && [ -f "$1/include/nvrtc.h" ] || return 1
  version=$(sed -n '/^#define CUDA_VERSION /{s/[^0-9]*\([0-9]*\).*/\1/p;q}' "$1/include/cuda.h")
  [ "${version:-0}" -ge 13000 ] || return 1
  for lib in "$1"/lib64/libnvrtc.so* "$1"/lib/libnvrtc.so* "$1"/lib/x86_64-linux-gnu/libnvrtc.so*; do
    [ -e "$lib" ] && return 0
  done
  return 1
}

try() {
  [ -n "$1" ] && usable "$1" || return 0
  printf '%s\n' "$1"
  exit 0
}

mode=${CUDALUA_TOOLKIT:-auto}
if [ "$mode" != wheels ]; then
  try "${CUDA_HOME:-}"
  try "${CUDA_PATH:-}"
  nvcc=$(command -v nvcc 2>/dev/null) && try "$(dirname "$(dirname "$(readlink -f "$nvcc")")")"
  try /usr/local/cuda
  # Newest first.
  # shellcheck disable=SC2012
  for dir in $(ls -d /usr/local/cuda-* 2>/dev/null | sort -t- -k2 -Vr); do try "$dir"; done
  try /opt/cuda
  try /usr
fi
[ "$mode" = installed ] || try "${1:-.}/.cuda/nvidia/cu13"
exit 1
