# Sourced by ../others.sh: features of cuda.core, one test and one process for each; its own tests are in no wheel.
# shellcheck shell=bash disable=SC2034,SC2154
need cuda_core cuda-core==1.2.2 cuda-bindings==13.5.0 'cuda-toolkit[nvrtc,cudart,nvcc,cccl]==13.0.*' numpy
export CUDALUA_SOFT_MEMORY=1G
unset CUDA_HOME
mapfile -t tests < <("$WORK/cuda_core/env/bin/python" -m pytest -q -p no:cacheprovider --collect-only \
  "$HERE/cuda_core_features.py" | sed -n "s|.*cuda_core_features.py::|$HERE/cuda_core_features.py::|p")
each cuda_core 200 "${tests[@]}"
