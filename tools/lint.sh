# Sourced by ../dev: the linters. Each counts as one in the closing line.
# shellcheck shell=bash

# The C files of the given folders, those that exist, separated by NUL.
c_files() {
  local dir
  for dir in src spec/c spec/fuzz bench; do
    [[ ! -d $ROOT/$dir ]] || find "$ROOT/$dir" -name '*.[ch]' -print0
  done
}

format_in_place() {
  need clang-format
  c_files | xargs -0 -r clang-format -i
}

lint_compile() { cmd_clang; }

lint_format() { c_files | xargs -0 -r clang-format --dry-run -Werror; }

# clang-tidy with the given options over the files named on stdin, side by side, the longest first; what it
# suppressed by itself is not worth a line.
tidy() {
  (cd "$BUILD-clang" && xargs -r ls -S | xargs -r -P"$(nproc)" -n1 clang-tidy --quiet -p . "$@") 2>&1 |
    { grep -v -E '^[0-9]+ warnings? (generated|treated)|^$' || true; }
}

# Those of the files named on stdin that have their turn: all, or with a number in CUDALUA_TURN every eighth, and those
# that the last 12 commits changed.
analyzed() {
  local turn=${CUDALUA_TURN:-all}
  if [[ ! $turn =~ ^[0-9]+$ ]]; then cat; return; fi
  awk -v turn="$turn" 'FILENAME != "-" { changed["../" $0] = 1; next } FNR % 8 == turn % 8 || $0 in changed' \
    <(git -C "$ROOT" log -n 12 --name-only --format= -- src || true) -
}

# Every C file that is compiled. The analyzer, which follows each path, takes minutes for all. It is for the libraries:
# the software device's handlers, which macros make, and the tests, where every line can fail, have more paths than it
# gets through.
lint_tidy() {
  local files all status=0 pathless='/softgpu/machine/(exec_[a-z]*|isa)\.c$|/spec/|/bench/'
  all=$(sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$BUILD-clang/compile_commands.json" | sort -u)
  files=$(grep -v -E "$pathless" <<<"$all" | analyzed)
  tidy <<<"$files" || status=1
  grep -v -x -F -f <(echo "$files") <<<"$all" | tidy '--checks=-clang-analyzer-*' || status=1
  return "$status"
}

# The layers of tools/layers.lua, in C by the symbols of what lint_compile built; and the page that shows all files.
lint_layers() { { luajit tools/check_layers.lua "$BUILD-clang" && luajit tools/map.lua check; } >&2; }

lint_lua() {
  local dir dirs=()
  for dir in lua spec examples tools bench docs; do [[ ! -d $dir ]] || dirs+=("$dir"); done
  luacheck --quiet --no-color "${dirs[@]}"
}

lint_shell() { shellcheck -x dev bin/cudalua .ci/run tools/*.sh; }

# A crash, a leak or a hang fails it.
# shellcheck source-path=SCRIPTDIR source=fuzz.sh
lint_fuzz() { . "$ROOT/tools/fuzz.sh"; fuzz_short >/dev/null; }

# What ./dev generate writes is what it would write now.
lint_generated() { luajit tools/generate.lua --check; }

# Long sentences and phrases that read as translated: messages, pages, annotations.
lint_words() { luajit tools/words.lua >&2; }

# lint_part DIR CHECK...: runs checks one after the other, and leaves CHECK.log and CHECK.status of each in DIR.
lint_part() {
  local dir=$1 check status
  shift
  for check in "$@"; do
    # A subshell, so that a check may die; not after && or in an if, where bash would ignore its errors.
    set +e
    (set -e; "lint_$check") >"$dir/$check.log" 2>&1
    status=$?
    set -e
    echo "$status" >"$dir/$check.status"
  done
}

# All of them, or those that are named. Those that need what clang compiled are one part, the others run beside it.
run_lint() {
  local check status dir passed=0 failed=0 compiled=() others=() all=(compile format tidy layers lua shell fuzz generated words)
  for check in "$@"; do
    [[ " ${all[*]} " = *" $check "* ]] || die "lint has no check $check; valid checks: ${all[*]}"
  done
  [[ $# -gt 0 ]] || set -- "${all[@]}"
  need luajit headers meson ninja cc clang clang-format clang-tidy luacheck shellcheck cuda
  cd "$ROOT" || exit
  for check in "$@"; do
    if [[ $check = compile || $check = tidy || $check = layers ]]; then compiled+=("$check"); else others+=("$check"); fi
  done
  dir=$(mktemp -d)
  lint_part "$dir" "${compiled[@]}" </dev/null &
  lint_part "$dir" "${others[@]}" </dev/null
  wait
  for check in "$@"; do
    cat "$dir/$check.log" >&2
    status=$(<"$dir/$check.status")
    if [[ $status -eq 0 ]]; then passed=$((passed + 1)); else failed=$((failed + 1)); say "lint: $check FAILED"; fi
  done
  rm -rf "$dir"
  echo "$passed passed, $failed failed, 0 skipped"
  [[ $failed -eq 0 ]]
}
