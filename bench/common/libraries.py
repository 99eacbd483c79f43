"""CuPy and PyTorch under the same names, and the loop in which a benchmark's peer answers requests."""
import sys


class CuPy:
    def __init__(self):
        import cupy

        self.cupy, self.version = cupy, cupy.__version__
        self.wait = cupy.cuda.runtime.deviceSynchronize
        self.random(16)

    def random(self, n):
        return self.cupy.random.rand(n, dtype=self.cupy.float32)

    def host(self, x):
        return self.cupy.asnumpy(x)

    def event(self):
        return self.cupy.cuda.Event()

    def between(self, start, stop):
        return self.cupy.cuda.get_elapsed_time(start, stop)

    def forget(self):
        self.cupy.get_default_memory_pool().free_all_blocks()

    def held(self):
        return self.cupy.get_default_memory_pool().total_bytes()


class PyTorch:
    def __init__(self):
        import torch

        self.torch, self.version = torch, torch.__version__
        self.wait = torch.cuda.synchronize
        self.random(16)

    def random(self, n):
        return self.torch.rand(n, device="cuda")

    def host(self, x):
        return x.cpu().numpy()

    def event(self):
        return self.torch.cuda.Event(enable_timing=True)

    def between(self, start, stop):
        return start.elapsed_time(stop)

    def forget(self):
        self.torch.cuda.empty_cache()
        self.torch.cuda.reset_peak_memory_stats()

    def held(self):
        return self.torch.cuda.max_memory_reserved()


def on_device(ns, f, launches, before=2):
    """Microseconds of a call of f(i) on the device, which is busy when the first one that counts is submitted: by calls
    before, without which something long may do.
    """
    start, stop = ns.event(), ns.event()
    for i in range(before):
        f(i)
    start.record()
    for i in range(launches):
        result = f(i)
    stop.record()
    stop.synchronize()
    del result
    return ns.between(start, stop) * 1e3 / launches


def make(peer):
    """What peer() gives; the process ends where the library does not work here."""
    try:
        return peer()
    except Exception as error:  # it is not installed, or its CUDA does not fit
        sys.exit(f"{sys.argv[1]}: {error}")


def serve(peer):
    """Answers each line, the name of a method and its arguments, with what the method gives, or "failed"."""
    print(peer.ns.version, flush=True)
    said = set()
    for request in sys.stdin:
        name, *arguments = request.split()
        try:
            answer = getattr(peer, name)(*arguments)
            print(*(answer if isinstance(answer, tuple) else (answer,)), flush=True)
        except Exception as error:  # whatever keeps it from working here
            if request not in said:
                print(f"{sys.argv[1]}: {name} {arguments}: {error}", file=sys.stderr, flush=True)
            said.add(request)
            print("failed", flush=True)
