# Sourced by ../dev: the test run and its variant under the sanitizers.
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

# test_build DIR [busted arguments]: without arguments all tests, with the counts at the end.
test_build() {
  local dir=$1 status=0
  shift
  local -a busted=(--cpath="$dir/src/?.so" --output=spec/support/handler.lua)
  cd "$ROOT" || exit
  choose_driver
  export_lua_paths
  export CUDALUA_BUILD=$dir CUDALUA_CACHE_DIR=$dir/test-cache # not the user's
  if [[ $# -gt 0 ]]; then
    run_busted "${busted[@]}" "$@"
    return
  fi
  say "testing on CUDALUA_DRIVER=$CUDALUA_DRIVER"
  rm -f "$dir/spec-report.lua" "$dir/meson-logs/testlog.json"
  meson test -C "$dir" --no-rebuild --print-errorlogs --quiet >"$dir/c-tests.log" 2>&1 || cat "$dir/c-tests.log"
  CUDALUA_REPORT=$dir/spec-report.lua run_busted "${busted[@]}" </dev/null || status=$?
  run_luajit tools/report.lua "$dir" "$status"
}

run_tests() {
  need_packages luajit headers meson ninja cc busted
  need_cuda
  build "$BUILD"
  test_build "$BUILD" "$@"
}

# The C code of core and softgpu is instrumented, LuaJIT is not: so the runtime has to be loaded first, and
# leaks that only LuaJIT's own memory refers to are reported when its state is closed, which frees them all.
run_sanitized() {
  need_packages luajit headers meson ninja cc busted
  need_cuda
  BUILD=$ROOT/build-asan
  build "$BUILD" -Db_sanitize=address,undefined -Db_lundef=false
  RUNTIME=$(ldd "$BUILD/src/cudalua/core.so" | awk '/libasan/ { print $3 }')
  [[ -n $RUNTIME ]] || die "the compiler's AddressSanitizer runtime was not found; install libasan of ${CC:-cc}"
  export ASAN_OPTIONS="detect_leaks=1:exitcode=99:${ASAN_OPTIONS:-}"
  export LSAN_OPTIONS="suppressions=$ROOT/tools/leaks.supp:print_suppressions=0:${LSAN_OPTIONS:-}"
  export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1"
  test_build "$BUILD" "$@"
}

# The C module's own specs. Interpreted: what LuaJIT compiles is beyond valgrind's judgement, and not ours.
run_valgrind() {
  need_packages luajit headers meson ninja cc busted valgrind
  need_cuda
  build "$BUILD"
  LUAJIT=(valgrind -q --error-exitcode=99 --leak-check=full "--show-leak-kinds=definite,indirect"
    "--errors-for-leak-kinds=definite,indirect" luajit -joff)
  export CUDALUA_DRIVER=soft
  [[ $# -gt 0 ]] || set -- spec/{array,autoinit,constants,context,device,errors,event,graph,hostmem}_spec.lua \
    spec/{hostmem_lifetime,init,ipc,launch,lifetime,linear,linker,mem_async,memcpy,memcpy_box}_spec.lua \
    spec/{memory,module,pool,prepare,stream,tools}_spec.lua
  test_build "$BUILD" "$@"
}
