"""The rows of bench/arrays.lua through CuPy or PyTorch, a round at a time.

    peers.py cupy|torch SIZE SETSIZE SIDE SMALL LOOP

Writes its version, or nothing where it does not work here, and then answers each line:
    device ROW LAUNCHES    microseconds of one evaluation on the device, by events
    host BATCHES BATCH     microseconds of one c = a + b of SMALL elements; the wait after each batch is not counted
    loop ITERATIONS        microseconds of an iteration of x = x * 1.0001 + y, read at the end, and MiB held
    read TIMES             microseconds of reading one element
    cold NUMBER            milliseconds of the first use of a new elementwise expression, which NUMBER makes new
The values of each row are compared with NumPy's once. With CUDALUA_BENCH_WARM=NUMBER: one "cold" and nothing else.
"""
import os
import sys
import time

import numpy

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import libraries  # noqa: E402


def chain(ns, a, b):
    """Twenty operations."""
    x = a + b
    for _ in range(6):
        x = x * 0.9 + b
    x = ns.upper(ns.lower(abs(x), a), 3.0) - b
    return ns.sqrt(x * x + 1.0)


def evaluate(ns, row, d):
    if row == "fused":
        a, b, c = d["sets"]
        return a * b + c * 2 - ns.sin(a)
    if row == "chain":
        return chain(ns, d["a"], d["b"])
    if row == "transposed":
        return ns.dense(d["m"].T)
    if row == "row":
        return d["m"] + d["row"]
    if row == "column":
        return d["m"] + d["column"]
    dtype = getattr(ns, row[4:])
    return d["a"].view(dtype) + d["b"].view(dtype)


class NumPy:
    sin, sqrt, lower, upper = numpy.sin, numpy.sqrt, numpy.maximum, numpy.minimum
    dense = staticmethod(numpy.ascontiguousarray)
    float16, float32, float64 = numpy.float16, numpy.float32, numpy.float64
    int8, complex64 = numpy.int8, numpy.complex64


class CuPy(libraries.CuPy):
    def __init__(self):
        super().__init__()
        cupy = self.cupy
        self.sin, self.sqrt, self.lower, self.upper = cupy.sin, cupy.sqrt, cupy.maximum, cupy.minimum
        self.dense = cupy.ascontiguousarray
        self.float16, self.float32, self.float64 = cupy.float16, cupy.float32, cupy.float64
        self.int8, self.complex64 = cupy.int8, cupy.complex64

    def compile(self, number):
        kernel = self.cupy.ElementwiseKernel("float32 a, float32 b", "float32 z",
                                             f"z = sqrt(a * 1.5f + b) - a * {number % 100000}.25f", f"k{number}")
        return lambda x, y: kernel(x, y)


class PyTorch(libraries.PyTorch):
    def __init__(self):
        super().__init__()
        torch = self.torch
        self.sin, self.sqrt, self.lower = torch.sin, torch.sqrt, torch.maximum
        self.float16, self.float32, self.float64 = torch.float16, torch.float32, torch.float64
        self.int8, self.complex64 = torch.int8, torch.complex64

    def upper(self, x, most):
        return self.torch.clamp(x, max=most)

    def dense(self, x):
        return x.contiguous()


class Peer:
    def __init__(self, ns, size, set_size, side, small, loop):
        self.ns, self.size, self.set_size, self.side, self.loop_size = ns, size, set_size, side, loop
        self.small = ns.random(small), ns.random(small)
        self.data = None
        self.checked = set()

    def inputs(self):
        """Made when they are first needed, after what counts memory."""
        if not self.data:
            ns, n, m = self.ns, self.size, self.set_size
            a, b = ns.random(n), ns.random(n)
            sets = [(a[k * m:(k + 1) * m], b[k * m:(k + 1) * m], a[(4 + k) * m:(5 + k) * m]) for k in range(4)]
            matrix = a[:self.side ** 2].reshape(self.side, self.side)
            common = {"a": a, "b": b, "m": matrix, "row": b[:self.side], "column": b[:self.side].reshape(-1, 1)}
            self.data = [dict(common, sets=s) for s in sets]
        return self.data

    def check(self, row):
        d, host = self.inputs()[0], self.ns.host
        result = evaluate(self.ns, row, d)
        corner = {name: host(d[name][:256]) for name in ("a", "b")}
        corner["m"] = host(d["m"][:16, :16])
        corner["row"], corner["column"] = host(d["row"][:16]), host(d["column"][:16])
        corner["sets"] = tuple(host(x[:256]) for x in d["sets"])
        with numpy.errstate(all="ignore"):
            expected = evaluate(NumPy, row, corner)
        found = host(result[:16, :16] if expected.ndim == 2 else result[:expected.size])
        if not numpy.allclose(found, expected, rtol=1e-5, atol=1e-6, equal_nan=True):
            raise ValueError(f"{row}: wrong values")
        self.checked.add(row)

    def device(self, row, launches):
        if row not in self.checked:
            self.check(row)
        ns, data = self.ns, self.inputs()
        return libraries.on_device(ns, lambda i: evaluate(ns, row, data[i % 4]), int(launches))

    def host(self, batches, batch):
        (x, y), spent, batch = self.small, 0.0, int(batch)
        for _ in range(int(batches)):
            start = time.perf_counter()
            for _ in range(batch):
                z = x + y
            spent += time.perf_counter() - start
            self.ns.wait()
        del z
        return spent / (int(batches) * batch) * 1e6

    def loop(self, iterations):
        ns, n = self.ns, int(iterations)
        ns.forget()
        before = ns.held()
        x, y = ns.random(self.loop_size), ns.random(self.loop_size)
        ns.wait()
        start = time.perf_counter()
        for _ in range(n):
            x = x * 1.0001 + y
        float(x[0])
        us = (time.perf_counter() - start) / n * 1e6
        return us, (ns.held() - before) / 2 ** 20

    def read(self, times):
        x, n = self.small[0], int(times)
        start = time.perf_counter()
        for _ in range(n):
            x[7].item()
        return (time.perf_counter() - start) / n * 1e6

    def cold(self, number):
        (x, y), number = self.small, int(number)
        self.ns.wait()
        start = time.perf_counter()
        self.ns.compile(number)(x, y)
        self.ns.wait()
        return (time.perf_counter() - start) * 1e3


def main():
    library = {"cupy": CuPy, "torch": PyTorch}[sys.argv[1]]
    peer = libraries.make(lambda: Peer(library(), *map(int, sys.argv[2:])))
    warm = os.environ.get("CUDALUA_BENCH_WARM")
    if warm:
        print(peer.cold(warm))
        return
    libraries.serve(peer)


if __name__ == "__main__":
    main()
