#!/usr/bin/env bash
# release_check.sh first|machines|packages|embedding WORK RESULT [RELEASE]: README's commands on bare machines, which are
# chroots of Debian with nothing but its minimal system. `./dev release-check` runs it as root, in namespaces of its own that take its mounts and processes
# away when it ends, and removes the folder WORK then. Packages come from where this machine gets them: apt's mirror and
# proxies, and pip's settings, are passed on. Ends with 77 if no such machine can be made here.
#   first     README's first command as root on Debian 12
#   packages  on Debian 12 and 13, or on RELEASE, all ways of docs/installation.md: a C program with the software device,
#             the tarball for a user on a machine with nothing but the minimal system, the Debian package, LuaRocks
#   embedding docs/embedding.md's programs in their hosts, on Debian 12. nginx's Lua module excludes the usual LuaJIT,
#             so the first command has to do with the other one. Writes RESULT's section of hosts
#   machines  on Debian 12 and 13, or on RELEASE, all commands of From source and Check it as root, those with ./dev as a
#             user without sudo; a program that was built there, on a machine with LuaJIT alone; the packages; the hosts,
#             if no RELEASE is named. Writes RESULT, a section for each release
set -euo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
work=$2
limit=3600 # seconds for one command
commit=$(git -c safe.directory='*' -C "$ROOT" rev-parse HEAD)
passed=0 failed=0 rows=()

say() { printf 'release-check: %s\n' "$*" >&2; }

# commands SECTION: the commands that README shows in a section. Those with ./dev run in the clone without root.
commands() {
  awk -v heading="### $1" '/^##/ { on = $0 == heading } on && /^    [^ ]/ { print substr($0, 5) }' "$ROOT/README.md"
}

# ---- machines ----------------------------------------------------------------------------------------------

# The mirror that apt uses for Debian itself; empty, and so debootstrap's own default, where there is none.
debian_mirror() {
  # shellcheck disable=SC2016 # apt-get's own variables
  apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(REPO_URI)' 2>/dev/null |
    awk '$1 == "Debian" && $2 == "main" && $3 !~ /security/ { print $3; exit }'
}

# The environment inside: the least, and what reaches the package index. A file or folder that a setting names is
# copied into the machine. Environment variables of pip and its settings become variables, which outdo pip.conf.
SETTINGS=()
read_settings() {
  local line name value
  while IFS= read -r line; do SETTINGS+=("$line"); done < <(
    env | grep -E '^(PIP_[A-Z_]+|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY)=' || true
    # global.index-url='...' -> PIP_INDEX_URL=...; those of the environment are listed as :env:
    { python3 -m pip config list 2>/dev/null || true; } |
      sed -n -E "s/^(global|install)\.([a-z-]+)='(.*)'$/\2=\3/p" |
      while IFS='=' read -r name value; do name=${name//-/_}; echo "PIP_${name^^}=$value"; done)
}

# enter MACHINE USER COMMAND: runs a line of shell in the user's clone of the tree, or where that user has none, in /.
enter() {
  local root=$work/$1 user=$2 home=/root setting value settings=()
  [[ $user = root ]] || home=/home/$user
  for setting in "${SETTINGS[@]}"; do
    value=${setting#*=}
    if [[ $value = /* && -e $value ]]; then
      mkdir -p "$root/etc/host"
      [[ -e $root/etc/host/${value//\//_} ]] || cp -rL "$value" "$root/etc/host/${value//\//_}"
      value=/etc/host/${value//\//_}
    fi
    settings+=("${setting%%=*}=$value")
  done
  timeout "$limit" chroot "$root" runuser -u "$user" -- env -i "${settings[@]}" HOME="$home" USER="$user" LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -c "cd ~/cudalua 2>/dev/null || cd /; $3" </dev/null
}

# bare_system RELEASE: a minimal Debian in $work/RELEASE, or a status of 1.
bare_system() {
  local root=$work/$1 mirror
  mirror=$(debian_mirror)
  timeout 600 debootstrap --variant=minbase "$1" "$root" ${mirror:+"$mirror"} >"$work/debootstrap.log" 2>&1 || return 1
  apt-config dump Acquire | grep -v -E '^Acquire::IndexTargets|^Acquire "' >"$root/etc/apt/apt.conf.d/99host" || true
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  cp -rL /etc/apt/auth.conf /etc/apt/auth.conf.d "$root/etc/apt/" 2>/dev/null || true
}

# bare_copy RELEASE NAME: a copy of the bare system.
bare_copy() {
  local root=$work/$2
  say "making $2, a bare $1"
  cp -a "$work/$1" "$root"
  mount -t proc proc "$root/proc"
  mkdir -p "$root/dev/shm"
  mount -t tmpfs tmpfs "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$root/dev/pts" # terminals, for full-screen programs
  mount --bind "$root/dev/pts/ptmx" "$root/dev/ptmx"
}

# machine RELEASE NAME USER: a copy of the bare system with a clone of this tree in the user's home.
machine() {
  local root=$work/$2 home=/root
  bare_copy "$1" "$2"
  if [[ $3 != root ]]; then
    home=/home/$3
    chroot "$root" useradd -m "$3"
  fi
  git -c safe.directory='*' clone --quiet "$ROOT" "$root$home/cudalua"
  git -c advice.detachedHead=false -C "$root$home/cudalua" checkout --quiet "$commit"
  [[ $3 = root ]] || chroot "$root" chown -R "$3:" "$home/cudalua"
}

remove_machine() {
  umount "$work/$1/dev/ptmx" "$work/$1/dev/pts" "$work/$1/proc" "$work/$1/dev/shm"
  rm -rf --one-file-system "${work:?}/$1"
}

# ---- steps -------------------------------------------------------------------------------------------------

mb() { { du -scm "$@" 2>/dev/null || true; } | tail -n 1 | cut -f1; }

# step MACHINE USER COMMAND: runs it, shows what it prints, notes how it ended. A user who is told of packages gets them
# from root as told, once, and runs the command again.
step() {
  local machine=$1 user=$2 command=$3 start=$SECONDS status=0 before after asked result
  local log=$work/step.log
  say "$machine, $user: $command"
  before=$(mb -x "$work/$machine")
  enter "$machine" "$user" "$command" 2>&1 | tee "$log" || status=$?
  asked=$(sed -n 's/^[a-z]*: packages are missing; ask an administrator to run: //p' "$log")
  if [[ $user != root && $status -ne 0 && -n $asked ]]; then
    say "$machine, root: $asked"
    { enter "$machine" root "apt-get -q update && apt-get -y ${asked#apt-get}" >"$log" 2>&1 || cat "$log"; }
    status=0
    enter "$machine" "$user" "$command" 2>&1 | tee "$log" || status=$?
  fi
  after=$(mb -x "$work/$machine")
  result=$(sed '/^$/d' "$log" | tail -n 1)
  if [[ $status -eq 0 ]]; then passed=$((passed + 1)); else failed=$((failed + 1)) result="**failed**: $result"; fi
  command=${command//|/\\|} # a cell of the table
  rows+=("| $machine | $user | \`$command\`${asked:+, after \`$asked\`} | $((SECONDS - start)) s | $((after - before)) MB | $result |")
}

# What the first command took from the network, for README.
downloads() {
  local debs
  debs=$(find "$work/$1/var/cache/apt/archives" -name '*.deb')
  printf '%d packages of %d MB, wheels of %d MB' "$(wc -l <<<"$debs")" "$(xargs du -cm <<<"$debs" | tail -n 1 | cut -f1)" \
    "$(sed -n -E 's/^ *Downloading .*\(([0-9.]+) MB\)$/\1/p' "$work/step.log" | awk '{ sum += $1 } END { print int(sum + 0.5) }')"
}

# check_shipped RELEASE NAME: builds a program on a machine where the library is installed, and runs it on one that has
# LuaJIT and nothing else, as a user who cannot write there.
check_shipped() {
  local bare=$2-bare
  step "$2" root "cudalua build examples/17_kmeans.lua -o /srv/kmeans --arch sm_80,sm_90"
  bare_copy "$1" "$bare"
  enter "$bare" root "useradd -m tester; apt-get -q update && apt-get -qy install --no-install-recommends luajit" \
    >"$work/step.log" 2>&1 || cat "$work/step.log"
  cp -r "$work/$2/srv/kmeans" "$work/$bare/opt/kmeans"
  step "$bare" tester "/opt/kmeans/17_kmeans"
  remove_machine "$bare"
}

# A C program with the software device that `meson install` has installed; the headers are those of the build.
check_pkg_config() {
  step "$1" root "cc spec/c/vecadd.c -o /tmp/vecadd -I.cuda/nvidia/cu13/include \$(pkg-config --cflags --libs softgpu) && /tmp/vecadd"
}

# check_tarball NAME BARE: the tarball for a user on a machine without LuaJIT, Python and network. The wheels come over as
# `cudalua setup` says.
check_tarball() {
  local home=$work/$2/home/tester app="\$HOME/'my apps'/cudalua-*"
  step "$1" root "./dev tarball"
  cp "$work/$1"/root/cudalua/build-tarball/*.tar.gz "$home/"
  step "$1" root "cudalua setup --list | sed -n 2p | (cd /srv && sh)"
  cp -r "$work/$1/srv/wheels" "$home/wheels"
  step "$2" tester "mkdir ~/'my apps' && tar -C ~/'my apps' -xzf ~/cudalua-*.tar.gz && $app/bin/cudalua setup ~/wheels"
  step "$2" tester "$app/bin/cudalua $app/share/cudalua/examples/01_multiply.lua"
  step "$2" tester "eval \"\$($app/bin/cudalua env)\" && luajit -e 'print(require(\"cudalua\").gpuarray.arange(5):sum())'"
  step "$2" tester "mv ~/'my apps' ~/moved && ln -s ~/moved/*/bin/cudalua ~/linked && ~/linked setup --check"
}

# check_deb NAME BARE: the Debian package, and NVRTC for a user.
check_deb() {
  step "$1" root "./dev deb"
  cp "$work/$1"/root/cudalua/build-deb/*.deb "$work/$2/srv/"
  cp -r "$work/$1/srv/wheels" "$work/$2/srv/"
  enter "$2" root "apt-get -q update" >"$work/step.log" 2>&1 || cat "$work/step.log"
  step "$2" root "apt-get install -qy --no-install-recommends /srv/cudalua_*.deb"
  step "$2" tester "cudalua setup /srv/wheels"
  step "$2" tester "luajit -e 'print(require(\"cudalua\").gpuarray.arange(5):sum())'"
  step "$2" root "cudalua setup /srv/wheels && cudalua setup --remove"
  step "$2" root "apt-get remove -qy cudalua && ! command -v cudalua && ! ls /usr/share/cudalua"
}

# check_rock RELEASE NAME: LuaRocks as a user without sudo, and as root.
check_rock() {
  local name=$2-rocks
  machine "$1" "$name" tester
  enter "$name" root "apt-get -q update && apt-get -qy install --no-install-recommends luarocks" >"$work/step.log" 2>&1 ||
    cat "$work/step.log"
  step "$name" tester "luarocks make --local"
  step "$name" tester "\$HOME/.luarocks/bin/cudalua setup --check"
  step "$name" root "cd /home/tester/cudalua && luarocks make && cudalua setup --check && luarocks remove cudalua"
  remove_machine "$name"
}

# check_packages RELEASE NAME: where NAME has the library built and installed.
check_packages() {
  local bare=$2-empty
  bare_copy "$1" "$bare"
  chroot "$work/$bare" useradd -m tester
  check_pkg_config "$2"
  check_tarball "$2" "$bare"
  check_deb "$2" "$bare"
  remove_machine "$bare"
}

# The user who runs the whole test suite on each release. The suite takes longest, so it runs only once per release.
declare -A TESTER=([bookworm]=root [trixie]=tester)

# step_of RELEASE MACHINE USER COMMAND: runs a step. Skips the whole test suite if it is another user's job.
step_of() {
  [[ $4 = "./dev test" && ${TESTER[$1]} != "$3" ]] || step "$2" "$3" "$4"
}

# check_release RELEASE NAME: as root, then as a user without sudo.
check_release() {
  local release=$1 name=$2 command first
  mapfile -t first < <({ commands "From source"; commands "Check it"; } | grep '^\./dev')
  machine "$release" "$name" root
  install_from_source "$name"
  while IFS= read -r command; do step_of "$release" "$name" root "$command"; done < <(commands "Check it")
  check_shipped "$release" "$name"
  check_packages "$release" "$name"
  remove_machine "$name"
  machine "$release" "$name-user" tester
  for command in "${first[@]}"; do step_of "$release" "$name-user" tester "$command"; done
  remove_machine "$name-user"
  check_rock "$release" "$name"
}

# install_from_source NAME: README's commands in a fresh clone, in their order and as they are: nothing but the first one
# has built what the second one installs.
install_from_source() {
  local command list
  mapfile -t list < <(commands "From source")
  step "$1" root "${list[0]}"
  rows+=("| $1 | root | downloaded by it: $(downloads "$1") | | | |")
  for command in "${list[@]:1}"; do step "$1" root "$command"; done
}

# only_packages RELEASE NAME: the packages alone.
only_packages() {
  machine "$1" "$2" root
  install_from_source "$2"
  check_packages "$1" "$2"
  remove_machine "$2"
  check_rock "$1" "$2"
}

# nginx's Lua module needs a LuaJIT that excludes the usual one. It has to be there afterwards. Then the programs of
# docs/embedding.md run in all their hosts.
HOSTS=(nginx libnginx-mod-http-lua neovim love xvfb xauth tarantool lua-luv)
check_hosts() {
  local name=debian12-hosts host
  machine bookworm "$name" root
  enter "$name" root "apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends \
    ${HOSTS[*]}" >"$work/step.log" 2>&1 || cat "$work/step.log"
  install_from_source "$name"
  step "$name" root "dpkg-query -W -f='\${Package} is \${db:Status-Status}\n' libnginx-mod-http-lua && nginx -q -t"
  step "$name" root "python3 -m pip install -q --target /srv/lupa lupa numpy && echo lupa is installed"
  for host in c python nginx neovim love luv tarantool; do
    step "$name" root "set -o pipefail; PYTHONPATH=/srv/lupa python3 tools/embedding_check.py --all $host | sed -n 1p"
  done
  remove_machine "$name"
}

# ---- runs --------------------------------------------------------------------------------------------------

when() { echo "on $(date -u +%Y-%m-%d) from commit ${commit:0:12}, with $(nproc) processors"; }

# Sections of RESULT, in their order.
HEADINGS=("## Debian 12" "## Debian 13" "## Hosts")

# section RESULT HEADING: the section with its heading, as it is in the file.
section() { awk -v heading="$2" '/^## / { on = $0 == heading } on' "$1" 2>/dev/null || true; }

# write_section RESULT HEADING INTRODUCTION PASSED FAILED: replaces a section by the rows since the last table, and keeps
# the others. PASSED and FAILED are the counts before the first of these rows.
write_section() {
  local heading
  {
    echo "# Release check"
    echo
    echo "README's commands on bare machines: chroots with the minimal system of a Debian release, no GPU, made by"
    echo "\`./dev release-check machines\`. The disk is what a command added to the machine."
    for heading in "${HEADINGS[@]}"; do
      if [[ $heading != "$2" ]]; then
        section "$1" "$heading" | sed -e '1s/^/\n/' -e '${/^$/d}'
        continue
      fi
      printf '\n%s\n\n%s\n' "$heading" "$3"
      printf 'Result: %s passed, %s failed.\n\n' "$((passed - $4))" "$((failed - $5))"
      echo "| machine | user | command | time | disk | last line |"
      echo "| --- | --- | --- | --- | --- | --- |"
      printf '%s\n' "${rows[@]}"
    done
  } >"$1.new"
  mv "$1.new" "$1"
  rows=()
}

# The programs of docs/embedding.md, and their section.
hosts() {
  local before=("$passed" "$failed")
  check_hosts
  write_section "$1" "## Hosts" "The programs of [embedding.md](embedding.md) on a bare Debian 12 with Debian's packages of
their hosts, $(when)." "${before[@]}"
}

mount --make-rprivate /
read_settings
declare -A names=([bookworm]=debian12 [trixie]=debian13)
declare -A titles=([bookworm]="${HEADINGS[0]}" [trixie]="${HEADINGS[1]}")
releases=(bookworm trixie)
[[ -z ${4:-} ]] || releases=("$4")
[[ $1 != first && $1 != embedding ]] || releases=(bookworm)
for release in "${releases[@]}"; do
  [[ -n ${names[$release]:-} ]] || { say "the release is '$release': it must be bookworm or trixie"; exit 2; }
  bare_system "$release" || { tail -n 5 "$work/debootstrap.log" >&2; exit 77; }
done
case $1 in
  first)
    limit=600
    machine bookworm debian12 root
    step debian12 root "$(commands "From source" | head -n 1)"
    ;;
  packages)
    for release in "${releases[@]}"; do only_packages "$release" "${names[$release]}"; done
    printf '%s\n' "${rows[@]}"
    ;;
  embedding) hosts "$3" ;;
  machines)
    for release in "${releases[@]}"; do
      before=("$passed" "$failed")
      check_release "$release" "${names[$release]}"
      write_section "$3" "${titles[$release]}" "Checked $(when)." "${before[@]}"
    done
    [[ -n ${4:-} ]] || hosts "$3"
    ;;
esac
echo "$passed passed, $failed failed, 0 skipped"
[[ $failed -eq 0 ]]
