# Sourced by ../others.sh: tinygrad's tests of its CUDA backend, from the checkout in $TINYGRAD.
# shellcheck shell=bash disable=SC2034,SC2154
[[ -f ${TINYGRAD:-}/test/test_tiny.py ]] ||
  die "tinygrad's tests are in no wheel: set TINYGRAD to a checkout of version 0.13.0"
need tinygrad tinygrad==0.13.0 torch hypothesis numpy
libraries=$(find "${CUDA_HOME:-/usr/local/cuda}/" -name 'libnvrtc.so*' -printf '%h\n' | head -n 1)
export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$libraries DEV=CUDA CUDALUA_SOFT_MEMORY=4G CUDALUA_SOFT_TIMEOUT=100 \
  XDG_CACHE_HOME=$WORK/tinygrad/cache PYTHONPATH=$TINYGRAD
cd "$TINYGRAD" || exit
each tinygrad 2400 test/test_tiny.py test/backend/test_{dtype,dtype_alu,edgecases,uops,transcendental,ops}.py
