"""The launches of bench/launch.lua through other libraries, a round at a time.

Started with the path of the CUDA source. Writes one line "cupy=14.2.0 cuda.core=absent", then answers each line
"NAME ARGUMENTS BATCHES BATCH" with the microseconds of one launch: BATCHES batches of BATCH launches, each followed
by a wait that is not counted.
"""
import sys
import time

COUNTS = (0, 1, 3, 8, 16)


def values(buffer, float32, int32):
    """The arguments of each kernel: typed once where the library wants them typed, as its users do."""
    x, y, n, m = float32(2.5), float32(3.5), int32(7), int32(9)
    return {
        0: (),
        1: (buffer,),
        3: (buffer, x, n),
        8: (buffer,) * 4 + (n, m, x, y),
        16: (buffer,) * 8 + (n, m) * 2 + (x, y) * 2,
    }


class CuPy:
    def __init__(self, source):
        import cupy
        import numpy

        self.version = cupy.__version__
        module = cupy.RawModule(code=source)
        self.kernels = {n: module.get_function(f"k{n}") for n in COUNTS}
        self.args = values(cupy.zeros(1024, numpy.float32), numpy.float32, numpy.int32)
        self.wait = cupy.cuda.Device().synchronize

    def launcher(self, nargs):
        kernel, args, grid, block = self.kernels[nargs], self.args[nargs], (1,), (32,)
        return lambda: kernel(grid, block, args)


class CudaCore:
    def __init__(self, source):
        import cuda.core
        import numpy

        try:
            from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
        except ImportError:
            from cuda.core.experimental import Device, LaunchConfig, Program, ProgramOptions, launch
        self.version = cuda.core.__version__
        device = Device()
        device.set_current()
        options = ProgramOptions(std="c++17", arch="sm_%d%d" % tuple(device.compute_capability))
        code = Program(source, code_type="c++", options=options).compile("cubin")
        self.kernels = {n: code.get_kernel(f"k{n}") for n in COUNTS}
        self.stream = device.default_stream
        self.buffer = device.allocate(4096, stream=self.stream)
        self.args = values(self.buffer, numpy.float32, numpy.int32)
        self.config = LaunchConfig(grid=1, block=32)
        self.launch = launch
        self.wait = device.sync

    def launcher(self, nargs):
        launch, stream, config = self.launch, self.stream, self.config
        kernel, args = self.kernels[nargs], self.args[nargs]
        return lambda: launch(stream, config, kernel, *args)


def measure(peer, nargs, batches, batch):
    call, spent = peer.launcher(nargs), 0.0
    for _ in range(batches):
        start = time.perf_counter()
        for _ in range(batch):
            call()
        spent += time.perf_counter() - start
        peer.wait()
    return spent / (batches * batch) * 1e6


def main():
    with open(sys.argv[1]) as file:
        source = file.read()
    peers, line = {}, []
    for name, kind in (("cuda.core", CudaCore), ("cupy", CuPy)):
        try:
            peers[name] = kind(source)
            line.append(f"{name}={peers[name].version}")
        except Exception as error:  # whatever keeps it from working here
            print(f"{name}: {error}", file=sys.stderr)
            line.append(f"{name}=absent")
    print(*line, flush=True)
    for request in sys.stdin:
        name, *numbers = request.split()
        try:
            print(measure(peers[name], *map(int, numbers)), flush=True)
        except Exception as error:
            print(f"{name}: {error}", file=sys.stderr)
            print("failed", flush=True)


if __name__ == "__main__":
    main()
