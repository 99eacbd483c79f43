# Sourced by ../dev: what the commands need on the machine, and how it gets there.
# shellcheck shell=bash

# Wheels of one CUDA release: PTX of a newer one could be too new for the driver. cccl holds <nv/target>,
# which cuda_fp16.h includes, and crt what cuda_runtime.h includes; nvjitlink is for link-time optimisation.
WHEELS=(nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl nvidia-cuda-profiler-api nvidia-nvjitlink)
WHEELS_VERSION='13.0.*'

has() { command -v "$1" >/dev/null 2>&1; }

# Debian 12 has a second LuaJIT, OpenResty's, which nginx's Lua module needs and which excludes the first.
# luajit_package FIRST SECOND: the package of the one that this machine can have.
luajit_package() {
  if has dpkg-query && dpkg-query -W -f='${db:Status-Status}' libluajit2-5.1-2 2>/dev/null | grep -qx installed; then
    echo "$2"
  else
    echo "$1"
  fi
}

# OpenGL without a window: EGL and Mesa's software renderer.
has_gl() { compgen -G '/usr/lib/*/libEGL.so.1' >/dev/null && compgen -G '/usr/lib/*/dri/swrast_dri.so' >/dev/null; }

# The Debian package of each thing, and how to see that it is there without asking the package manager.
missing_package() {
  case $1 in
    luajit) has luajit || luajit_package luajit luajit2 ;;
    headers)
      [[ -n ${LUAJIT_INC:-} ]] || { has pkg-config && pkg-config --exists luajit; } ||
        { has pkg-config || echo pkg-config; luajit_package libluajit-5.1-dev libluajit2-5.1-dev; }
      ;;
    meson) has meson || echo meson ;;
    ninja) has ninja || echo ninja-build ;;
    cc) [[ -n ${CC:-} ]] || { has cc && [[ -f /usr/include/stdio.h ]]; } || echo gcc libc6-dev ;;
    clang) has clang || echo clang ;;
    busted) has busted || echo lua-busted ;;
    luacheck) has luacheck || echo lua-check ;;
    clang-format) has clang-format || echo clang-format ;;
    clang-tidy) has clang-tidy || echo clang-tidy ;;
    shellcheck) has shellcheck || echo shellcheck ;;
    valgrind) has valgrind || echo valgrind ;;
    gl) has_gl || echo libegl1 libgl1-mesa-dri ;;
    debootstrap) has debootstrap || echo debootstrap ;;
    cmark) has cmark-gfm || echo cmark-gfm ;;
    luv) luajit -e 'require "luv"' >/dev/null 2>&1 || echo lua-luv ;;
    tarantool) has tarantool || echo tarantool ;;
    mpi) { has mpirun.openmpi && has mpirun.mpich; } || echo openmpi-bin mpich ;;
    # The wheels come by pip. Its package is asked for with all others, not when it is its turn.
    cuda) [[ ${CUDALUA_TOOLKIT:-auto} = installed ]] || find_toolkit >/dev/null || missing_package pip ;;
    pip) python3 -m pip --version >/dev/null 2>&1 || echo python3-pip ;;
  esac
}

# missing_packages THING...: the packages of the things that are missing, on one line.
missing_packages() {
  local thing
  for thing in "$@"; do missing_package "$thing"; done | tr '\n' ' '
}

# need THING...: installs what is missing, the packages all in one go. For `cuda` it exports CUDA_HOME.
need() {
  local missing
  read -ra missing <<<"$(missing_packages "$@")"
  [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
  [[ " $* " != *" cuda "* ]] || need_cuda
}

# follow LABEL: signs of life while something runs whose output is of no interest: on a terminal the latest line of stdin,
# else one every ten seconds.
follow() {
  local line last=$SECONDS width
  width=$(tput cols 2>/dev/null) || width=80
  while IFS= read -r line; do
    if [[ -t 2 ]]; then
      line="dev: $1: $line"
      printf '\r\033[K%s' "${line:0:width-1}" >&2
    elif ((SECONDS - last >= 10)); then
      say "$1: $line"
      last=$SECONDS
    fi
  done
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
}

# What apt-get is at, from its output.
apt_steps() {
  sed -u -n -E 's/^Get:[0-9]+ \S+ \S+ \S+ (\S+).*/fetching \1/p; s/^Unpacking (\S+).*/unpacking \1/p; s/^Setting up (\S+).*/setting up \1/p'
}

# Never removes a package: what conflicts with those of this machine is for its owner to decide.
install_packages() {
  local list="$*" sudo=() log status=0
  has apt-get || die "these are missing and this machine has no apt-get to install them with: $list"
  if [[ $(id -u) -ne 0 ]]; then
    has sudo || die "packages are missing; ask an administrator to run: apt-get install --no-remove --no-install-recommends $list"
    sudo=(sudo)
  fi
  local apt=("${sudo[@]}" env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -q)
  local install=("${apt[@]}" install -y --no-remove --no-install-recommends "$@")
  log=$(mktemp)
  say "installing with apt-get${sudo:+ (through sudo)}: $list"
  "${install[@]}" </dev/null 2>&1 | tee "$log" | apt_steps | follow apt-get || status=$?
  if [[ $status -ne 0 ]] && ! grep -q 'remove is disabled' "$log"; then
    # The package lists were never fetched, or are old.
    say "fetching the package lists"
    status=0
    { "${apt[@]}" update && "${install[@]}"; } </dev/null 2>&1 | tee "$log" | apt_steps | follow apt-get || status=$?
  fi
  if [[ $status -ne 0 ]]; then
    tail -n 20 "$log" >&2
    if grep -q 'remove is disabled' "$log"; then
      rm -f "$log"
      die "apt-get would remove packages of this machine to install: $list (its text is above). ./dev removes nothing." \
        "If you can do without them, install these by hand. Else use a LuaJIT 2.1 of your own: put its luajit first on" \
        "PATH, and set LUAJIT_INC to the folder of its luajit.h"
    fi
    rm -f "$log"
    die "apt-get could not install: $list (its last lines are above)"
  fi
  rm -f "$log"
}

find_toolkit() { "$ROOT/tools/find_cuda.sh" "$ROOT"; }

# Says why the toolkit in CUDA_HOME is not the one that is used.
tell_refused() {
  local why
  [[ -n ${CUDA_HOME:-} && ${CUDALUA_TOOLKIT:-auto} != wheels && ${1:-} != "$CUDA_HOME" ]] || return 0
  why=$("$ROOT/tools/find_cuda.sh" "$ROOT" "$CUDA_HOME" 2>&1 >/dev/null) || true
  say "CUDA_HOME cannot be used: ${why:-$CUDA_HOME: no libnvrtc.so}${1:+; using $1 instead}"
}

# Finds CUDA's headers and NVRTC, or installs the wheels, and exports CUDA_HOME for Meson and the library.
need_cuda() {
  local toolkit
  toolkit=$(find_toolkit) || toolkit=
  tell_refused "$toolkit"
  if [[ -z $toolkit ]]; then
    [[ ${CUDALUA_TOOLKIT:-auto} != installed ]] ||
      die "no CUDA toolkit of version 13.0 or later was found; install one, set CUDA_HOME, or leave CUDALUA_TOOLKIT unset"
    install_wheels "$ROOT/.cuda"
    toolkit=$(CUDALUA_TOOLKIT=wheels find_toolkit) ||
      die "the wheels in .cuda/ hold no usable headers and NVRTC; remove that folder and run this again"
  fi
  export CUDA_HOME=$toolkit
}

# install_wheels DIR: NVIDIA's NVRTC and headers, by pip, into DIR; nothing else on the machine changes.
install_wheels() {
  local dir=$1 wheel specs=()
  for wheel in "${WHEELS[@]}"; do specs+=("$wheel==$WHEELS_VERSION"); done
  say "no CUDA toolkit of version 13.0 or later found: installing NVIDIA's wheels into ${dir#"$ROOT/"}/ with pip: ${specs[*]}"
  rm -rf "$dir"
  # The finished tree is moved into place, so that an interrupted download is never taken for one. On a terminal pip shows
  # how far it is, else what it fetches.
  PIP_ROOT_USER_ACTION=ignore python3 -m pip install --disable-pip-version-check --no-deps --no-compile \
    --only-binary=:all: --target "$dir/part" "${specs[@]}" >&2 </dev/null ||
    die "pip could not install NVIDIA's wheels; its message is above. Set HTTPS_PROXY if this network needs a proxy, or PIP_CERT if pip does not trust a certificate; or install the CUDA toolkit 13.0 or later"
  mv "$dir/part/nvidia" "$dir/nvidia"
  rm -rf "$dir/part"
}

check_meson() {
  local version
  version=$(meson --version)
  [[ $version != 0.* ]] || die "Meson $version is too old, 1.0 is needed; get it with: pip install meson"
}
