# Sourced by ../others.sh: the tests that Numba-CUDA installs, a process for each module. Callbacks of streams have to
# come while the program waits for something else, hence eager streams.
# shellcheck shell=bash disable=SC2034,SC2154
need numba numba==0.68.1 'numba-cuda[cu13]==0.30.4' cuda-core==1.2.2 cuda-bindings==13.5.0 'cuda-toolkit==13.0.*' \
  pytest-benchmark filecheck ml_dtypes cffi psutil
"$WORK/numba/env/bin/python" -m pip uninstall -q -y nvidia-nvjitlink 2>/dev/null
export CUDALUA_SOFT_MEMORY=2G CUDALUA_SOFT_STREAMS=eager CUDALUA_SOFT_TIMEOUT=60
unset CUDA_HOME
tests=$(echo "$WORK"/numba/env/lib/python3*/site-packages/numba_cuda/numba/cuda/tests)
cp "$HERE/numba_conftest.py" "$WORK/numba/conftest.py"
cd "$WORK/numba" || exit
# One test counts warnings, and is not to find the one about nvJitLink.
PYTEST=(-o consider_namespace_packages=true -o 'filterwarnings=ignore:.*nvJitLink.*' --benchmark-disable --confcutdir "$WORK/numba" -p conftest --pyargs)
export PYTHONPATH=$WORK/numba
modules=()
for file in "$tests"/{cudadrv,nrt,cudapy}/test_*.py; do
  folder=$(basename "$(dirname "$file")")
  modules+=("numba.cuda.tests.$folder.$(basename "$file" .py)")
done
# Two tests store past the end of an array, after which the device is lost to what follows them in their process.
alone=(
  numba.cuda.tests.cudapy.test_dispatcher::TestDispatcher::test_dispatcher_cpointer_arguments
  numba.cuda.tests.cudapy.test_localmem::TestCudaLocalMem::test_struct_model_type_arr
)
each numba 400 "${alone[@]}"
PYTEST+=(-k "not ${alone[0]##*:} and not ${alone[1]##*:}")
each numba 400 "${modules[@]}"
