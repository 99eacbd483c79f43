# Sourced by ../dev: a release, in files that a maintainer may publish. Checks that the tree is one version, builds the
# packages, tests them on bare machines, and signs their checksums. It publishes nothing and makes no tag.
# shellcheck shell=bash disable=SC2153,SC2119
# shellcheck source-path=SCRIPTDIR source=package.sh
. "$ROOT/tools/package.sh"

release_git() { git -c safe.directory='*' -C "$ROOT" "$@"; }

# ---- the version -------------------------------------------------------------------------------------------

# What each file says the version is: FILE and VERSION on a line, without VERSION where it says nothing.
stated_versions() {
  local version=$1
  echo "meson.build $(project_version)"
  echo "lua/cudalua/base/version.lua $(sed -n -E 's/^local numbers, status = \{ ([0-9]+), ([0-9]+), ([0-9]+) \}, "(.*)"$/\1.\2.\3\4/p' \
    "$ROOT/lua/cudalua/base/version.lua")"
  echo "CITATION.cff $(sed -n -E 's/^version: *"?([^" ]+)"?$/\1/p' "$ROOT/CITATION.cff")"
  echo "tools/rockspecs/cudalua-$version-1.rockspec $(sed -n -E 's/^version = "(.*)-1"$/\1/p' \
    "$ROOT/tools/rockspecs/cudalua-$version-1.rockspec" 2>/dev/null)"
  echo "CHANGELOG.md $(sed -n -E '/^## [0-9]/{s/^## ([0-9][^ ]*).*/\1/p;q}' "$ROOT/CHANGELOG.md")"
}

# What does not fit, a line each. The rock names its version in two more places.
version_problems() {
  local version=$1 file stated rock=$ROOT/tools/rockspecs/cudalua-$1-1.rockspec
  while read -r file stated; do
    [[ $stated = "$version" ]] || echo "$file says ${stated:-nothing}; write $version there"
  done < <(stated_versions "$version")
  [[ ! -f $rock ]] || grep -q "url = \"[^\"]*/cudalua-$version.tar.gz\"" "$rock" && grep -q "dir = \"cudalua-$version\"" "$rock" ||
    echo "the source of the rockspec is not cudalua-$version.tar.gz with the folder cudalua-$version; correct url and dir"
  grep -q -E "^## $version - [0-9]{4}-[0-9]{2}-[0-9]{2}$" "$ROOT/CHANGELOG.md" ||
    echo "CHANGELOG.md has no date of release; write its heading as: ## $version - $(date +%Y-%m-%d)"
}

# What else keeps this commit from being that release.
tree_problems() {
  local version=$1 tagged
  if ! release_git rev-parse HEAD >/dev/null 2>&1; then
    echo "this is no git repository with a commit; releases are made of a commit in a clone"
    return
  fi
  [[ -z $(release_git status --porcelain) ]] ||
    echo "files are changed or not in git (git status shows them); commit or remove them"
  tagged=$(release_git rev-parse -q --verify "v$version^{commit}" 2>/dev/null) || return 0
  [[ $tagged = "$(release_git rev-parse HEAD)" ]] ||
    echo "the tag v$version is another commit, ${tagged:0:12}; check that one out, or choose the next version"
}

# ---- the signature -----------------------------------------------------------------------------------------

# The program of a signature TOOL:KEY.
signer() { if [[ $1 = ssh:* ]]; then echo ssh-keygen; else echo "${1%%:*}"; fi; }

check_signature() {
  local tool=${1%%:*} key=${1#*:}
  [[ $1 = *:?* && " minisign signify gpg ssh " = *" $tool "* ]] ||
    die "release: --sign takes minisign:FILE, signify:FILE, gpg:ID or ssh:FILE, not '$1'"
  has "$(signer "$1")" || die "release: $(signer "$1") was not found, which signs with '$1'; install it"
  [[ $tool = gpg || -f $key ]] || die "release: the key $key was not found; name the file of your secret key"
}

# sign_file FILE TOOL:KEY: FILE with a signature beside it, whose name it prints.
sign_file() {
  local file=$1 key=${2#*:}
  case $2 in
    minisign:*) minisign -S -s "$key" -m "$file" -x "$file.minisig" >&2 && echo "$file.minisig" ;;
    signify:*) signify -S -s "$key" -m "$file" -x "$file.sig" >&2 && echo "$file.sig" ;;
    gpg:*) gpg --yes --local-user "$key" --armor --output "$file.asc" --detach-sign "$file" >&2 && echo "$file.asc" ;;
    ssh:*) rm -f "$file.sig" && ssh-keygen -q -Y sign -f "$key" -n file "$file" >&2 && echo "$file.sig" ;;
  esac
}

# write_checksums DIR: SHA256SUMS of all packages there.
write_checksums() {
  (cd "$1" && rm -f SHA256SUMS SHA256SUMS.* && LC_ALL=C && sha256sum -- * >.sums && mv .sums SHA256SUMS)
}

# ---- the packages ------------------------------------------------------------------------------------------

# The source, and the same as LuaRocks takes it: a zip archive of the rockspec and the source.
make_sources() {
  local version=$1 to=$2 rock=cudalua-$1-1
  release_git archive --format=tar --prefix="cudalua-$version/" HEAD | gzip -9n >"$to/cudalua-$version.tar.gz"
  cp "$ROOT/tools/rockspecs/$rock.rockspec" "$to/"
  touch -d "@$(commit_time)" "$to/$rock.rockspec" "$to/cudalua-$version.tar.gz"
  (cd "$to" && TZ=UTC python3 -m zipfile -c "$rock.src.rock" "$rock.rockspec" "cudalua-$version.tar.gz")
}

make_packages() {
  local version=$1 to=$2 path
  rm -rf "$to"
  mkdir -p "$to"
  make_sources "$version" "$to"
  path=$(make_tarball)
  cp "$path" "$to/"
  path=$(RELEASING=$version make_deb)
  cp "$path" "$to/"
}

# ---- the command -------------------------------------------------------------------------------------------

make_release() {
  local version='' check=1 dry='' signature='' to problems
  while [[ $# -gt 0 ]]; do
    case $1 in
      --no-check) check='' ;;
      --dry-run) dry=1 ;;
      --sign)
        [[ $# -gt 1 ]] || die "release: --sign needs a tool and a key, such as minisign:FILE"
        signature=$2
        shift
        ;;
      -*) die "release: unknown option $1; valid options: --dry-run, --no-check, --sign TOOL:KEY" ;;
      *)
        [[ -z $version ]] || die "release: one version is wanted, got $version and $1"
        version=$1
        ;;
    esac
    shift
  done
  [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] ||
    die "release: the version must have three numbers, such as 0.1.0, got '$version'"
  has git || die "release: git was not found; install it"
  [[ -z $signature ]] || check_signature "$signature"
  problems=$(tree_problems "$version"; version_problems "$version")
  if [[ -n $problems ]]; then
    while IFS= read -r line; do say "release: $line"; done <<<"$problems"
    die "release: this tree is not version $version yet"
  fi
  say "release: commit $(release_git rev-parse --short=12 HEAD) is version $version in all files"
  [[ -z $dry ]] || return 0
  to=$BUILD-release/$version
  make_packages "$version" "$to"
  if [[ -n $check ]]; then
    cmd_release_check || die "release: the release check failed; its output is above"
  else
    say "release: the packages were not tested on bare machines; without --no-check, they are"
  fi
  write_checksums "$to"
  if [[ -n $signature ]]; then
    sign_file "$to/SHA256SUMS" "$signature" >/dev/null || die "release: $(signer "$signature") could not sign; its message is above"
  else
    say "release: SHA256SUMS is not signed; --sign TOOL:KEY signs it: minisign:FILE, signify:FILE, gpg:ID or ssh:FILE"
  fi
  say "release: nothing is published. To publish it: git tag -s v$version && git push --tags, and upload the files of $to"
  ls "$to"
}
