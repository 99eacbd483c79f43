# Sourced by ../others.sh: PyCUDA's own tests, from its source distribution. It is built against the software device, so
# that each name it needs has to be there.
# shellcheck shell=bash disable=SC2154
nvcc=$(toolkit_program nvcc) || die "PyCUDA compiles with nvcc: install a CUDA toolkit 13.0, or set CUDA_HOME"
root=$(dirname "$(dirname "$nvcc")")
need pycuda numpy mako platformdirs pytools setuptools wheel
folder=$WORK/pycuda
if ! "$folder/env/bin/python" -c 'import pycuda.driver' 2>/dev/null; then
  say "building PyCUDA"
  rm -rf "$folder/source"
  mkdir -p "$folder/source"
  "$folder/env/bin/python" -m pip download -q --disable-pip-version-check --no-deps --no-binary :all: --no-build-isolation \
    -d "$folder/source" pycuda==2026.1
  tar -xzf "$folder/source/pycuda-2026.1.tar.gz" -C "$folder/source" --strip-components=1
  (
    cd "$folder/source"
    "$folder/env/bin/python" configure.py --cuda-root="$root" --cudadrv-lib-dir="$WORK/soft"
    "$folder/env/bin/python" -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation .
  ) >"$folder/build.log" 2>&1 || die "PyCUDA could not be built; see $folder/build.log"
fi
mkdir -p "$folder/test"
cp "$folder"/source/test/test_{driver,gpuarray,cumath}.py "$folder/test"
cp "$HERE/pycuda_conftest.py" "$folder/test/conftest.py"
export PATH=$root/bin:$PATH CUDA_HOME=$root CUDALUA_SOFT_MEMORY=${CUDALUA_SOFT_MEMORY:-2G}
cd "$folder/test" || exit
each pycuda 1500 test_driver.py test_gpuarray.py test_cumath.py
