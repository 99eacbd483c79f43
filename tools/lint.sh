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
  need_packages clang-format
  c_files | xargs -0 -r clang-format -i
}

lint_compile() { cmd_clang; }

lint_format() { c_files | xargs -0 -r clang-format --dry-run -Werror; }

# Every C file that is compiled, two at a time; what clang-tidy suppressed by itself is not worth a line.
lint_tidy() {
  sed -n 's/^ *"file": "\(.*\)",*$/\1/p' "$ROOT/build-clang/compile_commands.json" | sort -u |
    (cd "$ROOT/build-clang" && xargs -r -P"$(nproc)" -n1 clang-tidy --quiet -p .) 2>&1 |
    { grep -v -E '^[0-9]+ warnings? (generated|treated)|^$' || true; }
}

lint_lua() {
  local dir dirs=()
  for dir in lua spec examples tools bench docs; do [[ ! -d $dir ]] || dirs+=("$dir"); done
  luacheck --quiet --no-color "${dirs[@]}"
}

lint_shell() { shellcheck -x dev bin/cudalua .ci/run tools/*.sh; }

# A crash, a leak or a hang fails it.
# shellcheck source-path=SCRIPTDIR source=fuzz.sh
lint_fuzz() { . "$ROOT/tools/fuzz.sh"; fuzz_short >/dev/null; }

run_lint() {
  local check status passed=0 failed=0
  need_packages luajit headers meson ninja cc clang clang-format clang-tidy luacheck shellcheck
  cd "$ROOT" || exit
  for check in compile format tidy lua shell fuzz; do
    # A subshell, so that a check may die; not after && or in an if, where bash would ignore its errors.
    set +e
    (set -e; "lint_$check")
    status=$?
    set -e
    if [[ $status -eq 0 ]]; then passed=$((passed + 1)); else failed=$((failed + 1)); say "lint: $check FAILED"; fi
  done
  echo "$passed passed, $failed failed, 0 skipped"
  [[ $failed -eq 0 ]]
}
