#!/bin/sh
# find_cuda.sh PROJECT-ROOT: prints the root of the first CUDA toolkit of version 13.0 or later that has libnvrtc and
# every header of CUDA that the sources include, or fails silently. CUDALUA_TOOLKIT=installed or wheels narrows the
# search; the wheels are those that ./dev puts into PROJECT-ROOT/.cuda.
# find_cuda.sh PROJECT-ROOT TOOLKIT: checks the version and the headers of that toolkit alone; prints its root, or says
# on stderr what it lacks.
set -u

project=${1:-.}

# The sources themselves name the headers, so that a new include cannot be forgotten: if the toolkit lacks one, the C
# compiler may take another release's from its default folders.
headers=$(cd "$project" && grep -rhoE '^#include <(cu|nv)[A-Za-z_]*\.h>' src spec/c spec/fuzz 2>/dev/null |
  sed 's/.*<\(.*\)>/\1/' | sort -u | tr '\n' ' ')

# lacks TOOLKIT: prints what the toolkit's headers lack, or nothing.
lacks() {
  [ -f "$1/include/cuda.h" ] || { echo "no include/cuda.h"; return; }
  version=$(sed -n '/^#define CUDA_VERSION /{s/[^0-9]*\([0-9]*\).*/\1/p;q}' "$1/include/cuda.h")
  if [ "${version:-0}" -lt 13000 ]; then
    echo "include/cuda.h of CUDA $((${version:-0} / 1000)).$((${version:-0} % 1000 / 10))"
    return
  fi
  for header in $headers; do
    [ -f "$1/include/$header" ] || { echo "no include/$header"; return; }
  done
}

usable() {
  [ -f "$1/include/cuda.h" ] && [ -z "$(lacks "$1")" ] || return 1
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

if [ $# -ge 2 ]; then
  problem=$(lacks "$2")
  if [ -n "$problem" ]; then
    echo "$2: $problem; the build needs a CUDA toolkit of version 13.0 or later with ${headers% }" >&2
    exit 1
  fi
  cd "$2" && pwd
  exit
fi

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
[ "$mode" = installed ] || try "$project/.cuda/nvidia/cu13"
exit 1
