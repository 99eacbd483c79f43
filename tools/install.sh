# Sourced by ../dev: what the commands need on the machine, and how it gets there.
# shellcheck shell=bash

# Wheels of one CUDA release: PTX of a newer one could be too new for the driver. cccl holds <nv/target>,
# which cuda_fp16.h includes, and crt what cuda_runtime.h includes; nvjitlink is for link-time optimisation.
WHEELS=(nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl nvidia-cuda-profiler-api nvidia-nvjitlink)
WHEELS_VERSION='13.0.*'

has() { command -v "$1" >/dev/null 2>&1; }

# The Debian package of each thing, and how to see that it is there without asking the package manager.
missing_package() {
  case $1 in
    luajit) has luajit || echo luajit ;;
    headers)
      [[ -n ${LUAJIT_INC:-} ]] || { has pkg-config && pkg-config --exists luajit; } ||
        { has pkg-config || echo pkg-config; echo libluajit-5.1-dev; }
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
    pip) python3 -m pip --version >/dev/null 2>&1 || echo python3-pip ;;
  esac
}

# need_packages THING...: installs the packages of the things that are missing, all in one go.
need_packages() {
  local thing missing=""
  for thing in "$@"; do missing+=" $(missing_package "$thing")"; done
  read -ra missing <<<"${missing//$'\n'/ }"
  [[ ${#missing[@]} -eq 0 ]] || install_packages "${missing[@]}"
}

install_packages() {
  local list="$*" sudo=() out
  has apt-get || die "these are missing and this machine has no apt-get to install them with: $list"
  if [[ $(id -u) -ne 0 ]]; then
    has sudo || die "these packages are missing; ask somebody with root to run: apt-get install $list"
    sudo=(sudo)
  fi
  local apt=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q)
  local install=("${apt[@]}" install -y --no-install-recommends "$@")
  say "installing with apt-get${sudo:+ (through sudo)}: $list"
  # The first try fails on a machine whose package lists were never fetched, or are old.
  "${install[@]}" >/dev/null 2>&1 </dev/null && return
  say "fetching the package lists"
  out=$("${apt[@]}" update 2>&1 </dev/null && "${install[@]}" 2>&1 </dev/null) ||
    { printf '%s\n' "$out" | tail -n 20 >&2; die "apt-get could not install: $list (its last lines are above)"; }
}

# install_wheels DIR: NVIDIA's NVRTC and headers, by pip, into DIR; nothing else on the machine changes.
install_wheels() {
  local dir=$1 wheel specs=()
  for wheel in "${WHEELS[@]}"; do specs+=("$wheel==$WHEELS_VERSION"); done
  say "no CUDA toolkit found: installing NVIDIA's wheels into ${dir#"$ROOT/"}/ with pip: ${specs[*]}"
  need_packages pip
  rm -rf "$dir"
  # The finished tree is moved into place, so that an interrupted download is never taken for one.
  PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-deps --no-compile \
    --only-binary=:all: --target "$dir/part" "${specs[@]}" >&2 </dev/null ||
    die "pip could not install NVIDIA's wheels; install the CUDA toolkit 13.0 or later, or connect this machine to a Python package index"
  mv "$dir/part/nvidia" "$dir/nvidia"
  rm -rf "$dir/part"
}

check_meson() {
  local version
  version=$(meson --version)
  [[ $version != 0.* ]] || die "Meson $version is too old, 1.0 is needed; get it with: pip install meson"
}
