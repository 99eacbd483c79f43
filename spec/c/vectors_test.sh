#!/bin/sh
# Do the handlers of common instructions work on vectors?  vectors_test.sh LIBRARY [avx2]
# They are plain loops that the compiler is to turn into vector code; that it still does shows in the library itself.
# Each one named here has to use 256-bit registers (ymm) in the build for AVX2; none may in the baseline's, which has to
# run everywhere. With `sse2` for `avx2` this has to fail, then: a loop without such code is noticed.
# Exit status: 0 all is well, 1 it is not, 77 it cannot be told here.
set -u

library=$1 build=${2:-avx2}
command -v objdump >/dev/null || { echo "skipped: there is no objdump (package binutils)"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "skipped: AVX2 is x86-64's"; exit 77; }

# Rows of ops.def: NAME stands for NAME_d (all lanes) and NAME_m (under a mask).
rows="add_w add_x sub_w sub_x mul_w mad_w mulw_sw mulw_uw madw_sw madw_uw min_sw max_uw
  and_w or_w xor_w not_w shli_w shri_uw shri_sw shli_x ext_x_uw ext_x_sw
  add_f sub_f mul_f fma_f add_ff fma_ff div_f rcp_f sqrt_f min_f max_f neg_f abs_f ex2_f lg2_f
  add_d sub_d mul_d fma_d div_d sqrt_d min_d max_d
  eq_w lt_sw lt_uw lt_f le_f lt_d and_p selp_w selp_x"
# Single functions.
functions="mov_w_d mov_x_d ld_w_w ld_x_x st_w_w st_x_x ldp_w_w ldp_x_x shfl_up shfl_down shfl_bfly shfl_idx vote_ballot
  test spread fill scan"

list=$(for r in $rows; do printf '%s_d %s_m ' "$r" "$r"; done)
objdump -d --no-show-raw-insn "$library" | awk -v list="$list $functions" -v build="sg_${build}_" '
  BEGIN {
    n = split(list, name, " ")
    for (i = 1; i <= n; i++) wanted[build name[i]] = wanted["sg_sse2_" name[i]] = 1
  }
  /^[0-9a-f]+ <.*>:$/ {
    at = substr($2, 2, length($2) - 3)
    if (at in wanted) seen[at] = 1; else at = ""
    next
  }
  at && /%ymm/ { vectors[at] = 1 }
  END {
    for (i = 1; i <= n; i++) {
      a = build name[i]; s = "sg_sse2_" name[i]
      if (!(a in seen) || !(s in seen)) { print name[i] ": the library has no such function"; wrong++ }
      else if (!(a in vectors)) { print a ": no 256-bit vectors"; wrong++ }
      else if (s in vectors) { print s ": 256-bit vectors in the baseline"; wrong++ }
    }
    print n - wrong " of " n " handlers are vector code"
    exit wrong > 0
  }'
