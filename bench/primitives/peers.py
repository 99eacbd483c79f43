"""The rows of bench/primitives.lua through CuPy or PyTorch, a round at a time.

    peers.py cupy|torch SIZE SORTED SIDE ONE

Writes its version, or nothing where it does not work here, and then answers each line:
    device ROW LAUNCHES    microseconds of one evaluation on the device, by events
    read TIMES             microseconds of a sum of ONE elements that is read back
Each row's values are compared with NumPy's once, on few elements.
"""
import math
import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import libraries  # noqa: E402

SMALL = 1 << 16

# Means of expressions of random numbers, with what they are about.
MEANS = {
    "mean_uniform": (lambda ns, n: ns.uniform(n).mean(), 0.5),
    "mean_square": (lambda ns, n: (ns.uniform(n) ** 2).mean(), 1 / 3),
    "mean_bell": (lambda ns, n: (lambda u: ns.exp(-u * u).mean())(ns.uniform(n)), 0.746824),
    "mean_circle": (lambda ns, n: ns.mean((ns.uniform(n) ** 2 + ns.uniform(n) ** 2) < 1), math.pi / 4),
    "mean_normal": (lambda ns, n: ns.normal(n).mean(), 0),
    "mean_option": (lambda ns, n: ns.positive(ns.exp(ns.normal(n) * 0.2 + 0.05) * 100 - 105).mean(), 9.62623),
}

# Rows of arrays: what is measured; d: a and b, their matrices m, and integers.
ROWS = {
    "sum": lambda ns, d: d["a"].sum(),
    "max": lambda ns, d: d["a"].max(),
    "argmax": lambda ns, d: d["a"].argmax(),
    "dot": lambda ns, d: ns.dot(d["a"], d["b"]),
    "distance": lambda ns, d: ((d["a"] - d["b"]) ** 2).sum(),
    "columns": lambda ns, d: d["m"].sum(0),
    "rows": lambda ns, d: d["m"].sum(1),
    "sum_one": lambda ns, d: d["one"].sum(),
    "ends": lambda ns, d: ns.ends(d["a"]),
    "cumsum": lambda ns, d: ns.cumsum(d["a"], 0),
    "cumsum_int": lambda ns, d: ns.cumsum_int(d["i"]),
    "cumsum_lines": lambda ns, d: ns.cumsum(d["lines"], 0),
    "sort": lambda ns, d: ns.sort(d["keys"]),
    "argsort": lambda ns, d: ns.argsort(d["keys"]),
    "sort_int32": lambda ns, d: ns.sort(d["keys32"]),
    "sort_int64": lambda ns, d: ns.sort(d["keys64"]),
    "topk": lambda ns, d: ns.topk(d["keys"]),
    "unique": lambda ns, d: ns.unique(d["few"]),
    "histogram": lambda ns, d: ns.histogram(d["a"]),
    "histogram_bytes": lambda ns, d: ns.histogram_bytes(d["bytes"]),
}


class NumPy:
    def __init__(self):
        import numpy

        self.numpy = numpy
        self.dot, self.cumsum, self.sort, self.unique = numpy.dot, numpy.cumsum, numpy.sort, numpy.unique

    def ends(self, x):
        return self.numpy.stack([x.min(), x.max()])

    def cumsum_int(self, x):
        return self.numpy.cumsum(x, 0, self.numpy.int32)

    def argsort(self, x):
        return self.numpy.argsort(x, kind="stable")

    def topk(self, x):
        return self.numpy.sort(x)[:-101:-1]

    def histogram(self, x):
        return self.numpy.histogram(x, 256, (0, 1))[0]

    def histogram_bytes(self, x):
        return self.numpy.bincount(x, minlength=256)


class CuPy(libraries.CuPy):
    def __init__(self):
        super().__init__()
        cupy = self.cupy
        self.dot, self.cumsum, self.sort, self.argsort = cupy.dot, cupy.cumsum, cupy.sort, cupy.argsort
        self.unique, self.exp, self.mean = cupy.unique, cupy.exp, cupy.mean
        self.generator = cupy.random.default_rng(3)

    def uniform(self, n):
        return self.generator.random(n, dtype=self.cupy.float32)

    def normal(self, n):
        return self.generator.standard_normal(n, dtype=self.cupy.float32)

    def integers(self, n, most, name):
        if name == "int64":  # any bits
            return self.integers(2 * n, most, "int32").view(self.cupy.int64)
        bits = self.cupy.random.randint(0, 2 ** 32 if most is None else most, n, dtype=self.cupy.uint32)
        return bits.view(self.cupy.int32) if name == "int32" else bits.astype(name)

    def positive(self, x):
        return self.cupy.maximum(x, 0)

    def ends(self, x):
        return self.cupy.stack([x.min(), x.max()])

    def cumsum_int(self, x):
        return self.cupy.cumsum(x, 0, self.cupy.int32)

    def topk(self, x):
        return self.cupy.sort(self.cupy.partition(x, -100)[-100:])[::-1]

    def histogram(self, x):
        return self.cupy.histogram(x, 256, (0, 1))[0]

    def histogram_bytes(self, x):
        return self.cupy.bincount(x, minlength=256)


class PyTorch(libraries.PyTorch):
    def __init__(self):
        super().__init__()
        torch = self.torch
        self.dot, self.cumsum, self.unique, self.exp = torch.dot, torch.cumsum, torch.unique, torch.exp

    def uniform(self, n):
        return self.torch.rand(n, device="cuda")

    def normal(self, n):
        return self.torch.randn(n, device="cuda")

    def integers(self, n, most, name):
        low, high = (-2 ** 63, 2 ** 63 - 1) if name == "int64" else (-2 ** 31, 2 ** 31)
        if most is not None:
            low, high = 0, most
        return self.torch.randint(low, high, (n,), device="cuda", dtype=getattr(self.torch, name))

    def mean(self, x):
        return x.float().mean()

    def positive(self, x):
        return self.torch.relu(x)

    def ends(self, x):
        return self.torch.stack(self.torch.aminmax(x))

    def cumsum_int(self, x):
        return self.torch.cumsum(x, 0, dtype=self.torch.int32)

    def sort(self, x):
        return self.torch.sort(x, stable=True)[0]

    def argsort(self, x):
        return self.torch.argsort(x, stable=True)

    def topk(self, x):
        return self.torch.topk(x, 100)[0]

    def histogram(self, x):
        return self.torch.histc(x, 256, 0, 1)

    def histogram_bytes(self, x):
        return self.torch.bincount(x, minlength=256)


class Peer:
    def __init__(self, ns, size, ordered, side, one):
        self.ns, self.numpy = ns, NumPy()
        self.sizes = size, ordered, side, one
        self.data, self.checked, self.slow = {}, set(), set()

    def array(self, name, which):
        """An input, made when it is first needed; `which` of two."""
        size, ordered, side, one = self.sizes
        ns, key = self.ns, (name, which)
        if key not in self.data:
            part = {"m": lambda: self.array("a", which).reshape(side, side),
                    "one": lambda: self.array("a", 0)[:one],
                    "keys": lambda: self.array("a", which)[:ordered],
                    "lines": lambda: self.array("a", which)[:ordered].reshape(-1, 64),
                    "b": lambda: self.array("a", 1 - which)}
            make = {"a": lambda: ns.uniform(size),
                    "i": lambda: ns.integers(size, 100, "int32"),
                    "few": lambda: ns.integers(ordered, 1000, "int32"),
                    "keys32": lambda: ns.integers(ordered, None, "int32"),
                    "keys64": lambda: ns.integers(ordered, None, "int64"),
                    "bytes": lambda: ns.integers(size, 256, "uint8")}
            if name in part:
                return part[name]()
            self.data[key] = make[name]()
        return self.data[key]

    def check(self, row):
        numpy, ns = self.numpy.numpy, self.ns
        if row in ("uniform", "normal"):
            found, expected = getattr(ns, row)(SMALL).mean(), 0.5 if row == "uniform" else 0
            right = abs(float(found) - expected) < 0.03
        elif row in MEANS:
            f, expected = MEANS[row]
            right = abs(float(f(ns, SMALL)) - expected) < max(0.02, 0.05 * expected)
        else:
            class Few(dict):
                def __missing__(few, name):
                    x = self.array(name, 0)
                    few[name] = x[:64, :64] if x.ndim == 2 else x[:SMALL]
                    return few[name]

            few = Few()
            found = ns.host(ROWS[row](ns, few))
            host = {name: ns.host(x) for name, x in few.items()}
            single = row in ("sum", "dot", "distance", "sum_one", "columns", "rows", "cumsum", "cumsum_lines")
            wide = {name: x.astype(numpy.float64) if single else x for name, x in host.items()}
            expected = ROWS[row](self.numpy, wide)
            if row == "argsort":  # of equal elements, any may be first
                found, expected = host["keys"][found], host["keys"][expected]
            right = numpy.allclose(found, expected, rtol=1e-4)
        if not right:
            raise ValueError(f"{row}: wrong values")
        self.checked.add(row)

    def device(self, row, launches):
        if row not in self.checked:
            self.check(row)
        launches, before = (1, 0) if row in self.slow else (int(launches), 2)
        us = libraries.on_device(self.ns, self.form(row), launches, before)
        if us > 1e4:
            self.slow.add(row)
        return us

    def form(self, row):
        ns, size = self.ns, self.sizes[0]
        if row in ("uniform", "normal"):
            generate = getattr(ns, row)
            return lambda i: generate(size)
        if row in MEANS:
            return lambda i: MEANS[row][0](ns, size)

        class Inputs:
            def __init__(inputs, which):
                inputs.which = which

            def __getitem__(inputs, name):
                return self.array(name, inputs.which)

        both = Inputs(0), Inputs(1)
        return lambda i: ROWS[row](ns, both[i % 2])

    def read(self, times):
        x, n = self.array("one", 0), int(times)
        start = time.perf_counter()
        for _ in range(n):
            x.sum().item()
        return (time.perf_counter() - start) / n * 1e6


if __name__ == "__main__":
    chosen = {"cupy": CuPy, "torch": PyTorch}[sys.argv[1]]
    libraries.serve(libraries.make(lambda: Peer(chosen(), *map(int, sys.argv[2:]))))
