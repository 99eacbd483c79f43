#!/usr/bin/env bash
# Other people's CUDA software on the software device: installs it by name, runs its tests, and prints a line for each
# suite, then a table and the failures with their known causes (others/known.tsv).
#
#   ./dev bench others                       all suites
#   ./dev bench others pycuda taichi         some of them: cuda_core numba pycuda taichi tinygrad
#   TINYGRAD=DIR ./dev bench others tinygrad its tests are in no wheel: DIR is a checkout of version 0.13.0
#
# Everything lies in $CUDALUA_OTHERS (default: ~/.cache/cudalua-others): a folder for each suite with its virtual
# environment, and its results in results/. The suites run one process at a time, with time limits, for about an hour.
# CUDALUA_OTHERS_KEEP=1 keeps the results of an interrupted run and goes on with what is missing.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")/others" && pwd)
WORK=${CUDALUA_OTHERS:-${XDG_CACHE_HOME:-$HOME/.cache}/cudalua-others}
LIBRARY=${CUDALUA_BUILD:-build}/src/softgpu/libcudalua-softgpu.so
SUITES=(cuda_core numba pycuda taichi tinygrad)

say() { printf 'others: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# A copy of the device under the driver's names, so that a build during a long run changes nothing. A loader that looks
# for nvJitLink in there finds an empty one: its results are machine code, and without it Numba links PTX.
place_device() {
  mkdir -p "$WORK/soft"
  cp -f "$LIBRARY" "$WORK/soft/libcudalua-softgpu.so"
  ln -sf libcudalua-softgpu.so "$WORK/soft/libcuda.so.1"
  ln -sf libcuda.so.1 "$WORK/soft/libcuda.so"
  echo | "${CC:-cc}" -shared -x c - -o "$WORK/soft/libnvJitLink.so.13"
}

# need NAME PACKAGE...: the virtual environment of a suite with these packages and pytest, made once.
need() {
  local env=$WORK/$1/env stamp
  shift
  stamp="$*"
  [[ -f $env/packages && $(<"$env/packages") = "$stamp" ]] && return
  say "installing $* into $env"
  python3 -m venv "$env" || die "python3 cannot make a virtual environment in $env"
  "$env/bin/python" -m pip install -q --disable-pip-version-check pytest pytest-timeout "$@" || die "pip could not install: $*"
  printf '%s' "$stamp" >"$env/packages"
}

# toolkit_program NAME: the path of a program of the CUDA toolkit.
toolkit_program() {
  local path
  for path in "${CUDA_HOME:-/usr/local/cuda}/bin/$1" "$(command -v "$1" || true)"; do
    [[ ! -x $path ]] || { printf '%s' "$path"; return; }
  done
  return 1
}

# each SUITE SECONDS UNIT...: pytest, a process for each unit (a module, a file, or one test), none longer than SECONDS.
# A process that dies without its report counts as one failure. PYTEST: options for all of them.
PYTEST=()
each() {
  local suite=$1 seconds=$2 unit out name status
  shift 2
  out=$WORK/results/$suite
  mkdir -p "$out"
  for unit in "$@"; do
    name=${unit//[^A-Za-z0-9_]/_}
    [[ ! -s $out/$name.xml ]] || continue
    status=0
    timeout -k 10 "$seconds" "$WORK/$suite/env/bin/python" -m pytest -q -p no:cacheprovider --timeout 200 \
      --junitxml "$out/$name.xml" "${PYTEST[@]}" "$unit" >"$out/$name.log" 2>&1 </dev/null || status=$?
    [[ -s $out/$name.xml ]] || printf '%s\n' "$status" >"$out/$name.died"
  done
}

main() {
  local suites=("$@") suite
  [[ ${#suites[@]} -gt 0 ]] || suites=("${SUITES[@]}")
  for suite in "${suites[@]}"; do
    [[ -f $HERE/$suite.sh ]] || die "there is no suite $suite; the suites are ${SUITES[*]}"
  done
  [[ -f $LIBRARY ]] || die "$LIBRARY is missing: run ./dev build"
  place_device
  for suite in "${suites[@]}"; do
    [[ -n ${CUDALUA_OTHERS_KEEP:-} ]] || rm -rf "$WORK/results/$suite"
    (
      export LD_LIBRARY_PATH=$WORK/soft PYTHONDONTWRITEBYTECODE=1
      unset CUDA_PATH LUA_PATH LUA_CPATH
      # shellcheck source=/dev/null
      . "$HERE/$suite.sh"
    ) || say "$suite could not be run to its end"
  done
  python3 "$HERE/summary.py" "$WORK/results" "$HERE/known.tsv" "${suites[@]}"
}

main "$@"
