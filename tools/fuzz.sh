# Sourced by ../dev: fuzzing of the software device with libFuzzer. The targets and their corpus are in spec/fuzz.
# shellcheck shell=bash

FUZZ_TARGETS=(parse load link image)
FUZZ_LIMITS=(-max_len=6000 -timeout=20 -rss_limit_mb=2560 -close_fd_mask=1)

# fuzz_prepare: builds the targets, and unpacks the corpus where that is not done yet. FUZZ is the build folder.
fuzz_prepare() {
  need luajit headers meson ninja clang cuda
  local optimization=1
  [[ -z ${CI:-} ]] || optimization=0 # to optimize takes the compiler a minute, and the targets run for seconds
  FUZZ=$BUILD-fuzz
  CC=clang build "$FUZZ" -Dfuzz=true -Dtests=false -Db_sanitize=address,undefined -Db_lundef=false \
    -Dvectorize=false -Disa=sse2 -Doptimization=$optimization
  export ASAN_OPTIONS="detect_leaks=1:${ASAN_OPTIONS:-}" UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"
  export CUDALUA_SOFT_REPORT=off
  cd "$ROOT" || exit
}

# The inputs of the parser and of loading are the same.
fuzz_corpus() { if [[ $1 = parse || $1 = load ]]; then echo ptx; else echo "$1"; fi; }

# fuzz_unpack TARGET DIR: the corpus of the repository, and what once was found.
fuzz_unpack() {
  local corpus file part
  corpus=$(fuzz_corpus "$1")
  for file in "spec/fuzz/corpus/$corpus.txt" "spec/fuzz/corpus/$corpus-found.txt"; do
    [[ -f $file ]] || continue
    part=$2/$(basename "$file" .txt)
    mkdir -p "$part"
    luajit tools/fuzz_corpus.lua unpack "$file" "$part"
  done
}

# fuzz_once TARGET: its corpus again, and some seconds of mutations, which are the same each time. Leaves TARGET.log and
# TARGET.status in the build folder.
fuzz_once() {
  local dir status=0
  dir=$(mktemp -d)
  mkdir "$dir/new" "$dir/old"
  fuzz_unpack "$1" "$dir/old"
  "$FUZZ/spec/fuzz/fuzz-$1" "${FUZZ_LIMITS[@]}" -seed=1 -max_total_time=4 -artifact_prefix="$FUZZ/$1-" \
    "$dir/new" "$dir/old" >"$FUZZ/$1.log" 2>&1 || status=$?
  rm -rf "$dir"
  echo "$status" >"$FUZZ/$1.status"
}

# All targets, two at a time, for they take memory.
fuzz_short() {
  local target running=0 passed=0 failed=0
  fuzz_prepare
  rm -f "$FUZZ"/*.status
  for target in "${FUZZ_TARGETS[@]}"; do
    if [[ $running -ge 2 ]]; then wait -n || true; else running=$((running + 1)); fi
    fuzz_once "$target" &
  done
  wait
  for target in "${FUZZ_TARGETS[@]}"; do
    if [[ -f $FUZZ/$target.status && $(<"$FUZZ/$target.status") -eq 0 ]]; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      tail -n 60 "$FUZZ/$target.log" >&2
      say "fuzz: target $target FAILED; again: $FUZZ/spec/fuzz/fuzz-$target FILE, with the file named above"
    fi
  done
  echo "$passed passed, $failed failed, 0 skipped"
  [[ $failed -eq 0 ]]
}

# fuzz_long TARGET SECONDS: what leads further is kept in the build folder.
fuzz_long() {
  local dir
  [[ -f spec/fuzz/$1.c ]] || die "there is no fuzz target $1: ${FUZZ_TARGETS[*]}"
  fuzz_prepare
  dir=$FUZZ/corpus/$(fuzz_corpus "$1")
  mkdir -p "$dir"
  rm -rf "$FUZZ/seeds"
  fuzz_unpack "$1" "$FUZZ/seeds"
  "$FUZZ/spec/fuzz/fuzz-$1" "${FUZZ_LIMITS[@]}" -max_total_time="$2" -print_final_stats=1 \
    -artifact_prefix="$FUZZ/$1-" "$dir" "$FUZZ/seeds"/*
}

# fuzz_keep TARGET [BYTES]: the smallest set of inputs that leads as far becomes the repository's corpus.
fuzz_keep() {
  local corpus dir
  fuzz_prepare
  corpus=$(fuzz_corpus "$1")
  dir=$(mktemp -d)
  mkdir -p "$dir/new" "$dir/old" "$FUZZ/corpus/$corpus"
  fuzz_unpack "$1" "$dir/old"
  "$FUZZ/spec/fuzz/fuzz-$1" "${FUZZ_LIMITS[@]}" -merge=1 "$dir/new" "$dir/old"/* "$FUZZ/corpus/$corpus" \
    >"$FUZZ/$1.log" 2>&1 || { tail -n 40 "$FUZZ/$1.log" >&2; die "libFuzzer could not merge the corpus"; }
  luajit tools/fuzz_corpus.lua pack "$dir/new" "spec/fuzz/corpus/$corpus.txt" "${2:-100000}"
  rm -rf "$dir"
}

run_fuzz() {
  cd "$ROOT" || exit
  case ${1:-} in
    '') fuzz_short ;;
    keep) fuzz_keep "${2:?a target}" "${3:-}" ;;
    *) fuzz_long "$1" "${2:-60}" ;;
  esac
}
