# Sourced by ../dev: packages that are made of a build. A tarball that runs where it is unpacked, and a Debian package.
# shellcheck shell=bash disable=SC2034,SC2153

project_version() { sed -n "s/^project(.*version: '\([0-9.]*\)'.*/\1/p" "$ROOT/meson.build"; }

# A time for all files, so that the same commit gives the same package.
commit_time() { git -c safe.directory='*' -C "$ROOT" log -1 --format=%ct 2>/dev/null || stat -c %Y "$ROOT/meson.build"; }

# installed BUILD TO: `meson install` into the folder TO, without debugging information.
installed() {
  (unset LD_PRELOAD; meson install -C "$1" --no-rebuild --quiet --strip --destdir "$2" >&2) ||
    die "meson install -C $1 failed; its message is above"
}

# copy_documents TO: the manual and the licence.
copy_documents() {
  mkdir -p "$1"
  cp "$ROOT"/{README.md,CHANGELOG.md,LICENSE} "$1/"
  mkdir -p "$1/docs"
  cp -r "$ROOT"/docs/*.md "$ROOT/docs/pictures" "$1/docs/"
}

# ---- LuaJIT ------------------------------------------------------------------------------------------------

# The text of LuaJIT's licence, which goes with copies of it.
luajit_licence() {
  local file
  local -a places=(/usr/share/doc/luajit/copyright /usr/share/doc/luajit2/copyright)
  [[ -z ${LUAJIT_LICENSE:-} ]] || places=("$LUAJIT_LICENSE")
  for file in "${places[@]}"; do
    [[ ! -f $file ]] || { echo "$file"; return; }
  done
  die "LuaJIT's licence was not found, and a copy of LuaJIT goes with its licence:" \
    "set LUAJIT_LICENSE to the file COPYRIGHT of LuaJIT's source"
}

# copy_luajit TO: this machine's LuaJIT with its jit.* modules. It has to bring Lua's functions itself, as Debian's does.
copy_luajit() {
  local program modules
  program=$(readlink -f "$(command -v luajit)")
  modules=$(dirname "$(luajit -e 'io.write(package.searchpath("jit.bcsave", package.path) or "")')")
  [[ -f $modules/bcsave.lua ]] || die "LuaJIT's jit.* modules were not found on its search path: install them with LuaJIT"
  ! ldd "$program" | grep -q 'libluajit' ||
    die "$program needs the library libluajit, and would not run elsewhere: put a luajit without it first on PATH"
  mkdir -p "$1/jit"
  cp "$program" "$1/luajit"
  chmod 755 "$1/luajit"
  cp "$modules"/*.lua "$1/jit/"
  cp "$(luajit_licence)" "$1/LICENSE.luajit"
}

# glibc_of FILES: the version of the C library that programs and libraries need: 2.34.
glibc_of() { objdump -T "$@" | grep -oE 'GLIBC_[0-9.]+' | sed 's/GLIBC_//' | sort -V | tail -n 1; }

# ---- the tarball -------------------------------------------------------------------------------------------

# make_tree BUILD TO: the folder TO with all that runs without anything but a C library.
make_tree() {
  local build=$1 to=$2 stage found
  stage=$(mktemp -d "$to-XXXXXX")
  installed "$build" "$stage"
  found=$(find "$stage" -path '*/bin/cudalua')
  rm -rf "$to"
  mv "${found%/bin/cudalua}" "$to"
  rm -rf "$stage"
  copy_luajit "$to/lib/cudalua"
  copy_documents "$to/share/doc/cudalua"
  cat >"$to/README" <<README
cudalua $(project_version) for Linux on $(uname -m), with the C library glibc $(glibc_of "$to"/lib/cudalua/luajit "$to"/lib/lua/5.1/cudalua/*.so) or newer.

  bin/cudalua setup              brings NVIDIA's compiler if it is missing, and runs a kernel
  bin/cudalua                    a prompt
  bin/cudalua program.lua        runs a program
  eval "\$(bin/cudalua env)"      lets any LuaJIT find the library

Put the folder anywhere; links to bin/cudalua work. To remove it, remove the folder.
share/doc/cudalua/docs/installation.md tells more.
README
}

# tarball_name: without .tar.gz.
tarball_name() { echo "cudalua-$(project_version)-linux-$(uname -m)"; }

# write_tarball BUILD DIR: DIR/NAME.tar.gz, whose path it prints.
write_tarball() {
  local name
  name=$(tarball_name)
  mkdir -p "$2"
  make_tree "$1" "$2/$name"
  tar -C "$2" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(commit_time)" -cf - "$name" |
    gzip -9n >"$2/$name.tar.gz.part"
  mv "$2/$name.tar.gz.part" "$2/$name.tar.gz"
  rm -rf "${2:?}/$name"
  echo "$2/$name.tar.gz"
}

make_tarball() {
  local dir=$BUILD-tarball path
  need luajit headers meson ninja cc cuda
  if [[ $# -gt 0 ]]; then # a build that is there, for a look at the package
    write_tarball "$1" "$1"
    return
  fi
  TARGETS=(library)
  build "$dir" --prefix=/opt/cudalua -Dlibdir=lib -Dbuildtype=release -Dtests=false -Drecord_toolkit=false
  path=$(write_tarball "$dir" "$dir")
  say "$(du -k "$path" | awk '{ printf "%.1f MB", $1 / 1024 }'), unpacked $(tar -tvzf "$path" | awk '{ s += $3 } END { printf "%d MB", s / 1e6 }')"
  echo "$path"
}

# ---- the Debian package ------------------------------------------------------------------------------------

# A commit that is not a release is older than the release that will have its number. RELEASING: the version that this
# commit is about to be, before it has its tag.
deb_version() {
  local version commit
  version=$(project_version)
  [[ ${RELEASING:-} != "$version" ]] || { echo "$version"; return; }
  commit=$(git -c safe.directory='*' -C "$ROOT" rev-parse --short=10 HEAD 2>/dev/null) || { echo "$version"; return; }
  git -c safe.directory='*' -C "$ROOT" describe --exact-match --match "v$version" >/dev/null 2>&1 ||
    version="$version~git$(date -u -d "@$(commit_time)" +%Y%m%d).$commit"
  echo "$version"
}

# DEBFULLNAME and DEBEMAIL, as Debian's tools have them, else the author of the last commit.
deb_maintainer() {
  local author
  author=$(git -c safe.directory='*' -C "$ROOT" log -1 --format='%an <%ae>' 2>/dev/null) || author='cudalua <root@localhost>'
  if [[ -n ${DEBEMAIL:-} ]]; then echo "${DEBFULLNAME:-$DEBEMAIL} <$DEBEMAIL>"; else echo "$author"; fi
}

# deb_documents DIR VERSION: copyright, changelog, the manual.
deb_documents() {
  local dir=$1
  copy_documents "$dir"
  rm "$dir/LICENSE"
  gzip -9n "$dir/CHANGELOG.md" && mv "$dir/CHANGELOG.md.gz" "$dir/NEWS.md.gz"
  {
    echo "cudalua ($2) unstable; urgency=medium"
    printf '\n  * %s\n\n' "Package of this version; NEWS.md.gz lists what changed."
    echo " -- $(deb_maintainer)  $(LC_ALL=C date -u -R -d "@$(commit_time)")"
  } | gzip -9n >"$dir/changelog.gz"
  {
    echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
    printf '\nFiles: *\n%s\nLicense: MIT\n' "$(sed -n 's/^Copyright (c)/Copyright:/p' "$ROOT/LICENSE")"
    sed -n '/^Permission/,$p' "$ROOT/LICENSE" | sed 's/^$/./; s/^/ /'
  } >"$dir/copyright"
}

# deb_control ROOT VERSION: what dpkg knows of the package.
deb_control() {
  cat <<CONTROL
Package: cudalua
Version: $2
Section: interpreters
Priority: optional
Architecture: $(dpkg --print-architecture)
Maintainer: $(deb_maintainer)
Installed-Size: $(du -sk --exclude=DEBIAN "$1" | cut -f1)
Depends: luajit | luajit2, libc6 (>= $(find "$1" -name '*.so' | { mapfile -t files; glibc_of "${files[@]}"; }))
Recommends: python3-pip
Suggests: nvidia-cuda-toolkit, pkgconf
Description: GPU for Lua: CUDA driver API, kernels at run time, arrays
 cudalua gives LuaJIT programs the CUDA driver API as objects that free
 themselves, CUDA C that is compiled at run time, and arrays whose expressions
 become kernels.
 .
 Without a GPU the same programs run on a software CUDA device, which checks
 each access to memory. C programs can be linked with it: pkg-config knows it
 as softgpu.
 .
 NVIDIA's compiler is not part of this package. "cudalua setup" brings it.
CONTROL
}

make_deb() {
  local dir=$BUILD-deb root version path
  has dpkg-deb || die "a Debian package needs dpkg-deb: run this on Debian or Ubuntu, or make a tarball: ./dev tarball"
  need luajit headers meson ninja cc cuda
  TARGETS=(library)
  build "$dir" --prefix=/usr "--libdir=lib/$("${CC:-cc}" -print-multiarch)" -Dbuildtype=release -Dtests=false -Drecord_toolkit=false -Db_pie=true \
    "-Dc_args=-O2 -fstack-protector-strong -D_FORTIFY_SOURCE=2 -Wformat -Werror=format-security" \
    "-Dc_link_args=-Wl,-z,relro -Wl,-z,now"
  version=$(deb_version)
  root=$dir/package
  rm -rf "$root" "$dir"/cudalua_*.deb
  mkdir -p "$root"
  chmod 755 "$root"
  installed "$dir" "$root"
  find "$root" -name '*.so' -exec strip --strip-unneeded --remove-section=.comment --remove-section=.note {} + \
    -exec chmod 644 {} +
  gzip -9n "$root"/usr/share/man/man1/*.1
  mv "$root"/usr/share/zsh/{site-functions,vendor-completions} # where Debian's zsh looks for those of packages
  deb_documents "$root/usr/share/doc/cudalua" "$version"
  mkdir "$root/DEBIAN"
  deb_control "$root" "$version" >"$root/DEBIAN/control"
  (cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  chmod -R u=rwX,go=rX "$root"
  path=$dir/cudalua_${version}_$(dpkg --print-architecture).deb
  SOURCE_DATE_EPOCH=$(commit_time) dpkg-deb --root-owner-group --build "$root" "$path" >&2
  say "$(du -k "$path" | awk '{ printf "%.1f MB", $1 / 1024 }'); install it with: apt-get install $path"
  echo "$path"
}
