#!/usr/bin/env bash
# rock.sh build PREFIX BINDIR LIBDIR LUADIR: the build of the rockspec, in build-rock/.
# rock.sh install PREFIX: its install.
# Needs no variables. It installs no packages of the system: it names those that are missing. If there is no CUDA toolkit,
# it downloads NVIDIA's wheels with pip into .cuda/, as ./dev does.
set -euo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)

say() { printf 'cudalua: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# shellcheck source-path=SCRIPTDIR source=install.sh
. "$ROOT/tools/install.sh"

build_rock() {
  local missing
  # LuaRocks names a compiler whether it is there or not.
  has "${CC:-}" || unset CC
  missing=$(missing_packages luajit headers meson ninja cc cuda)
  [[ -z $missing ]] ||
    die "packages are missing; ask an administrator to run: apt-get install --no-remove --no-install-recommends $missing"
  check_meson
  need_cuda
  rm -rf "$ROOT/build-rock"
  meson setup "$ROOT/build-rock" "$ROOT" --prefix="$1" --bindir="$2" -Dlua_cmod_dir="$3" -Dlua_lmod_dir="$4" \
    -Dtests=false -Dbuildtype=release -Dtoolkit="$CUDA_HOME"
  ninja -C "$ROOT/build-rock"
}

# LuaRocks moves the command, the Lua files and the libraries to other folders: bin, share/lua/5.1 and lib/lua/5.1 of a
# tree of rocks. The command finds the others there; pkg-config's file would not.
install_rock() {
  meson install -C "$ROOT/build-rock" --no-rebuild --quiet
  sed -i "s|^lua_in=.*|lua_in='share/lua/5.1'|; s|^c_in=.*|c_in='lib/lua/5.1'|" "$1/bin/cudalua"
  find "$1" -name softgpu.pc -delete
}

case ${1:-} in
  build) build_rock "$2" "$3" "$4" "$5" ;;
  install) install_rock "$2" ;;
  *) die "rock.sh: expected build or install, got '${1:-}'" ;;
esac
