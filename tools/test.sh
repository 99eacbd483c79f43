# Sourced by ../dev: the test run, its variant under the sanitizers, and the run under ThreadSanitizer.
# shellcheck shell=bash

# The device of the run: what the user says, else the GPU where there is one.
choose_driver() {
  if [[ -z ${CUDALUA_DRIVER:-} ]]; then
    CUDALUA_DRIVER=soft
    [[ ! -e /dev/nvidiactl ]] || CUDALUA_DRIVER=cuda
  fi
  export CUDALUA_DRIVER
}

RUNTIME="" # of the sanitizers, loaded before luajit
LUAJIT=(luajit)
run_luajit() { ${RUNTIME:+env "LD_PRELOAD=$RUNTIME"} "${LUAJIT[@]}" "$@"; }

# busted is a Lua script from Debian, and a shell script around one from LuaRocks.
run_busted() {
  local program line
  program=$(command -v busted)
  IFS= read -r line <"$program"
  if [[ $line = '#!'*lua* ]]; then
    run_luajit "$program" --ignore-lua "$@"
  else
    ${RUNTIME:+env "LD_PRELOAD=$RUNTIME"} "$program" --lua="$(command -v luajit)" "$@"
  fi
}

# The spec files that take longest, to begin with, so that side by side they end at about the same time.
LONG_SPECS=(solver_gpu vendor_gpu cufft_gpu finalizer programs_random rows rows_write docs gpuarray_reduce check
  sharded_reductions sharded_take mpi mpi_failures failures sharded_arrays random gpuarray_run sharded_products
  sharded_sorts checkpoint devices compiler_abuse nccl gpuarray_fusion gpuarray_numpy_functions tensor hostile nonsense
  convolve2d gpuarray_scan gpuarray_tile gradient matmul corpus fault_sweep gpuarray_sort elimination
  same_bits examples schedule functions_of_matrices gpuarray_index gpuarray_ops compiler_options covariance
  gpuarray_count gpuarray_calls gpuarray_cost differential contractions convolve fft)

all_spec_files() {
  local name
  for name in "${LONG_SPECS[@]}"; do find spec -name "${name}_spec.lua"; done
  for name in spec/*/*_spec.lua; do
    [[ " ${LONG_SPECS[*]} " = *" $(basename "$name" _spec.lua) "* ]] || echo "$name"
  done
}

# Under the sanitizers, these files and the files of these folders mostly run Lua, NVRTC, and generated kernels on the same
# C code. Every eighth one has its turn, and every second one of the other long files. Of CUDALUA_TURN, the remainder of 8
# chooses the part of long sweeps (spec/support/turn.lua) and the rest the files, so that each file comes with each part.
IN_TURNS=(gpuarray linalg fft sparse image random userkernel files help look ndarray project prompt setup ship
  compiler_abuse_spec.lua compiler_options_spec.lua nvcc_spec.lua nvcc_names_spec.lua
  sharded_arrays_spec.lua sharded_products_spec.lua sharded_reductions_spec.lua sharded_sorts_spec.lua)

spec_files() {
  local file name number others
  if [[ -z ${CUDALUA_SANITIZED:-} || ! ${CUDALUA_TURN:-all} =~ ^[0-9]+$ ]]; then
    all_spec_files
    return
  fi
  number=$((CUDALUA_TURN / 8)) others=$number
  while read -r file; do
    name=$(basename "$file")
    if [[ " ${IN_TURNS[*]} " = *" $(basename "$(dirname "$file")") "* || " ${IN_TURNS[*]} " = *" $name "* ]]; then
      number=$((number + 1))
      [[ $((number % 8)) -eq 0 ]] || continue
    elif [[ " ${LONG_SPECS[*]/%/_spec.lua} " = *" $name "* ]]; then
      others=$((others + 1))
      [[ $((others % 2)) -eq 0 ]] || continue
    fi
    echo "$file"
  done < <(all_spec_files)
}

# Specs that are about compiling, or count what is compiled.
COMPILING=(compiler compiler_abuse cache dynamic linker lto nvcc signature)

# cache_of DIR SPEC: where the process of a spec keeps what it has compiled: one folder for all, as a third of the kernels
# are in more than one spec, and one of its own for what is about compiling. The sanitized run finds what the plain run
# has left, if there was one: NVRTC is slow under the sanitizers, and not ours.
cache_of() {
  local name=${2%_spec} dir=${1%-asan}
  if [[ " ${COMPILING[*]} " = *" $name "* ]]; then
    echo "$1/test-cache/$2"
  else
    echo "$dir/test-cache/any"
  fi
}

# Specs that count a GPU's free memory, or fill it, and drawing, which stays black beside ten processes of long kernels:
# on a GPU these run before the others, one at a time.
ALONE_ON_GPU=(memory pressure gpuarray_huge mem_async cufft_memory gl)

# Specs that wait for terminals, clocks, browsers and other processes. They run one after the other beside all others, as
# they leave a processor idle most of the time. What they wait for may come too late where all processors are busy: if one
# of them fails beside the others, it runs once more, alone, and that counts.
TIMED=(terminal ctrl_c progress background interrupt pty ready restart installed mishaps site help luv mpi mpi_failures)

# Other specs fail in one run of thousands where Lua's collector or a thread comes at a moment that the spec did not
# think of. A few files that failed, and did not crash, run once more, and a line says which passed then: each is a spec
# or a bug to be mended. CUDALUA_STEADY=1 does without.
MOST_UNSTEADY=2

again_alone() {
  local dir=$1 name=$2 file
  file=$(find spec -name "$name.lua")
  say "$file failed beside other specs; once more, alone"
  rm -f "$dir/parts/$name.lua"
  run_part "$dir/parts" "$name" run_spec "$dir" "$name" "$file"
}

# run_late DIR: those that failed.
run_late() {
  local dir=$1 name status failed=()
  for name in "${PARTS[@]}"; do
    status=$(<"$dir/parts/$name.status")
    [[ $status -ne 0 && $name = *_spec ]] || continue
    if [[ " ${TIMED[*]/%/_spec} " = *" $name "* ]]; then
      again_alone "$dir" "$name"
    elif [[ $status -lt 99 ]]; then # AddressSanitizer's is 99
      failed+=("$name")
    fi
  done
  [[ ${#failed[@]} -le $MOST_UNSTEADY && ${CUDALUA_STEADY:-0} = 0 ]] || return 0
  for name in "${failed[@]}"; do
    again_alone "$dir" "$name"
    [[ $(<"$dir/parts/$name.status") -ne 0 ]] || say "unsteady: $name failed, and passed when it ran again"
  done
}

# How many processes run tests side by side. Two for the sanitizers, which take memory.
choose_jobs() {
  local most=8
  [[ -z $RUNTIME ]] || most=2
  JOBS=$(nproc)
  [[ $JOBS -le $most ]] || JOBS=$most
  JOBS=${CUDALUA_JOBS:-$JOBS}
  [[ $JOBS =~ ^[1-9][0-9]*$ ]] || die "CUDALUA_JOBS=$JOBS makes no sense: a number of processes is wanted"
}

# run_part DIR NAME COMMAND...: leaves NAME.log and NAME.status in DIR, and prints the log in one piece.
run_part() {
  local dir=$1 name=$2 status=0
  shift 2
  "$@" </dev/null >"$dir/$name.log" 2>&1 || status=$?
  echo "$status" >"$dir/$name.status"
  [[ -z $(tail -c 1 "$dir/$name.log") ]] || echo >>"$dir/$name.log" # it crashed in the middle of a line
  flock "$dir/lock" cat "$dir/$name.log"
}

# Interrupted: what runs in the background would go on.
stop_parts() {
  local part
  for part in $(jobs -p); do
    pkill -P "$part" || true
    kill "$part" || true
  done
  exit 130
}

# The C tests are one of the parts. Their output is shown where one of them failed.
run_c_tests() {
  meson test -C "$1" --no-rebuild --num-processes "$2" --print-errorlogs --quiet >"$1/c-tests.log" 2>&1 ||
    cat "$1/c-tests.log"
}

# run_spec DIR REPORT-NAME FILES...: specs in one process.
run_spec() {
  local dir=$1 name=$2
  shift 2
  CUDALUA_REPORT=$dir/parts/$name.lua CUDALUA_CACHE_DIR=$(cache_of "$dir" "$name") run_busted "${busted[@]}" "$@"
}

# run_files DIR FILES...: one after the other, each in a process of its own.
run_files() {
  local dir=$1 file name
  shift
  for file in "$@"; do
    name=$(basename "$file" .lua)
    run_part "$dir/parts" "$name" run_spec "$dir" "$name" "$file"
  done
}

# Every spec file in a process of its own, so that one that crashes is known and takes no other along; what a file
# printed comes out when it has ended. PARTS gets their names.
run_side_by_side() {
  local dir=$1 file name twice waiting others=() timed=()
  twice=$(spec_files | xargs -n1 basename | sort | uniq -d)
  [[ -z $twice ]] || die "two specs have the same name, by which results are kept; rename one: $twice"
  trap stop_parts INT TERM
  if [[ $CUDALUA_DRIVER != soft ]]; then
    for name in "${ALONE_ON_GPU[@]/%/_spec}"; do
      PARTS+=("$name")
      run_part "$dir/parts" "$name" run_spec "$dir" "$name" "$(find spec -name "$name.lua")"
    done
  fi
  while read -r file; do
    name=$(basename "$file" .lua)
    [[ " ${PARTS[*]} " != *" $name "* ]] || continue
    PARTS+=("$name")
    if [[ " ${TIMED[*]/%/_spec} " = *" $name "* ]]; then timed+=("$file"); else others+=("$file"); fi
  done < <(spec_files)
  run_files "$dir" "${timed[@]}" &
  waiting=$!
  run_part "$dir/parts" c-tests run_c_tests "$dir" 1 &
  for file in "${others[@]}"; do
    while [[ $(jobs -rp | grep -c -v -x "$waiting") -ge $JOBS ]]; do wait -n || true; done
    run_files "$dir" "$file" &
  done
  wait
  run_late "$dir"
  trap - INT TERM
}

# test_build DIR [busted arguments]: without arguments all tests, with the counts at the end.
test_build() {
  local dir=$1 status=0
  shift
  local -a busted=(--cpath="$dir/src/?.so" --output=spec/support/handler.lua) PARTS=()
  cd "$ROOT" || exit
  choose_driver
  choose_jobs
  export_lua_paths
  export CUDALUA_BUILD=$dir CUDALUA_CACHE_DIR=$dir/test-cache/any # not the user's
  if [[ $# -gt 0 ]]; then
    run_busted "${busted[@]}" "$@"
    return
  fi
  say "testing on CUDALUA_DRIVER=$CUDALUA_DRIVER, $JOBS side by side${CUDALUA_TURN:+, CUDALUA_TURN=$CUDALUA_TURN}"
  rm -rf "$dir/parts" "$dir/meson-logs/testlog.json"
  mkdir -p "$dir/parts"
  if [[ $JOBS -gt 1 ]]; then
    run_side_by_side "$dir"
  else
    PARTS=(specs)
    run_c_tests "$dir" 1
    run_spec "$dir" specs </dev/null || status=$?
    echo "$status" >"$dir/parts/specs.status"
  fi
  run_luajit tools/report.lua "$dir" "${PARTS[@]}"
}

# What some specs need may be missing, but not in CI: they are skipped without OpenGL, cmark, luv, Tarantool
# or MPI.
run_tests() {
  need luajit headers meson ninja cc busted cuda ${CI:+gl cmark luv tarantool mpi}
  build "$BUILD"
  test_build "$BUILD" "$@"
}

# The builds of the software device's handlers under the sanitizers. In CI it is the one for AVX2, or when its turn
# comes the one for any processor: compiling both takes a minute of a processor more.
isa_of_turn() {
  if [[ -z ${CI:-} || ! $CUDALUA_TURN =~ ^[0-9]+$ ]]; then
    echo all
  elif [[ $((CUDALUA_TURN / 8 % 4)) -eq 3 ]] || ! grep -q -w avx2 /proc/cpuinfo; then
    echo sse2
  else
    echo avx2
  fi
}

# The C code of core and softgpu is instrumented, LuaJIT is not: so the runtime has to be loaded first, and
# leaks that only LuaJIT's own memory refers to are reported when its state is closed, which frees them all. Specs find
# CUDALUA_SANITIZED set, and leave out what takes NVRTC very long there and is no other code of ours. Every eighth file
# of some folders runs, and long sweeps take a part (IN_TURNS, spec/support/turn.lua).
run_sanitized() {
  need luajit headers meson ninja cc busted cuda ${CI:+gl cmark luv tarantool mpi}
  BUILD=$BUILD-asan
  export CUDALUA_TURN=${CUDALUA_TURN:-$(($(date +%s) / 60 % 1000))}
  build "$BUILD" -Db_sanitize=address,undefined -Db_lundef=false -Dvectorize=false -Disa="$(isa_of_turn)" \
    -Doptimization=1
  RUNTIME=$(ldd "$BUILD/src/cudalua/core.so" | awk '/libasan/ { print $3 }')
  [[ -n $RUNTIME ]] || die "the compiler's AddressSanitizer runtime was not found; install libasan of ${CC:-cc}"
  export ASAN_OPTIONS="detect_leaks=1:exitcode=99:${ASAN_OPTIONS:-}"
  export LSAN_OPTIONS="suppressions=$ROOT/tools/leaks.supp:print_suppressions=0:${LSAN_OPTIONS:-}"
  export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1" CUDALUA_SANITIZED=1
  test_build "$BUILD" "$@"
}

# ThreadSanitizer wants memory where a kernel that puts it at random may have none: addresses that are not random, if
# that may be asked for. STEADY gets the command that does it. False if no instrumented program runs.
tsan_runs() {
  local dir=$1
  STEADY=()
  ! setarch "$(uname -m)" -R true 2>/dev/null || STEADY=(setarch "$(uname -m)" -R)
  mkdir -p "$dir"
  echo 'int main(void) { return 0; }' >"$dir/tsan-probe.c"
  "${CC:-cc}" -fsanitize=thread "$dir/tsan-probe.c" -o "$dir/tsan-probe" && "${STEADY[@]}" "$dir/tsan-probe"
} >&2

# Several Lua states in several threads, under ThreadSanitizer. LuaJIT is not instrumented and need not be: a state is
# one thread's at a time, and the runtime sees the mmap() and munmap() of its heap. Kernels run on four threads, on
# however many processors.
run_tsan() {
  local -a STEADY
  # shellcheck disable=SC2034 # build() reads it
  local -a TARGETS=(src/cudalua/core.so src/softgpu/libcudalua-softgpu.so spec/c/states_test spec/c/background_test)
  need luajit headers meson ninja cc cuda
  BUILD=$BUILD-tsan
  tsan_runs "$BUILD" || { skip_job tsan "programs made by ${CC:-cc} -fsanitize=thread do not run here"; return; }
  build "$BUILD" -Db_sanitize=thread -Db_lundef=false -Dvectorize=false -Disa=sse2 -Doptimization=1
  cd "$ROOT" || exit
  export_lua_paths
  rm -rf "$BUILD/test-cache" # so that the first process compiles
  local log=$BUILD/tsan.log status=0 passed failed
  local TSAN_OPTIONS="exitcode=66:suppressions=$ROOT/tools/tsan.supp:${TSAN_OPTIONS:-}"
  export TSAN_OPTIONS
  CUDALUA_DRIVER=soft CUDALUA_SOFT_THREADS=4 CUDALUA_CACHE_DIR=$BUILD/test-cache \
    "${STEADY[@]}" "$BUILD/spec/c/states_test" spec/support/states.lua 2>&1 | tee "$log" || status=$?
  "${STEADY[@]}" "$BUILD/spec/c/background_test" 2>&1 | tee -a "$log" || status=$?
  passed=$(grep -c '^ok ' "$log" || true) failed=$(grep -cE '^(not ok|FAILED) ' "$log" || true)
  [[ $status -eq 0 || $failed -gt 0 ]] || die "the test of Lua states ended without a result; its output is above"
  echo "$passed passed, $failed failed, 0 skipped"
  return "$status"
}

# The C module's own specs. Interpreted: what LuaJIT compiles is beyond valgrind's judgement, and not ours.
run_valgrind() {
  need luajit headers meson ninja cc busted valgrind cuda
  build "$BUILD"
  LUAJIT=(valgrind -q --error-exitcode=99 --leak-check=full "--show-leak-kinds=definite,indirect"
    "--errors-for-leak-kinds=definite,indirect" luajit -joff)
  export CUDALUA_DRIVER=soft
  [[ $# -gt 0 ]] || set -- spec/base/{constants,errors}_spec.lua spec/whole/{autoinit,init,tools}_spec.lua \
    spec/compiler/linker_spec.lua spec/driver/{array,context,device,event,graph,hostmem,hostmem_lifetime}_spec.lua \
    spec/driver/{ipc,launch,lifetime,linear,mem_async,memcpy,memcpy_box,memory,module,pool,prepare,stream}_spec.lua
  test_build "$BUILD" "$@"
}
