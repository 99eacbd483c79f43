#!/usr/bin/env python3
"""What NumPy's reductions give for a few arrays with corners in them: writes spec/data/golden/reductions.lua.

    python3 spec/data/golden/make_reductions.py

Needs NumPy; the suite does not. Positions are written as they count here, from 1.
"""
import os
import random
import warnings

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = ["sum", "prod", "mean", "min", "max", "argmin", "argmax", "any", "all", "count_nonzero", "ptp", "var", "std"]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.25, 3.75, 100.0, -64.5, 7.0, 0.125, 2.0]
CORNERS = [float("nan"), float("inf"), float("-inf")]


def literal(x, dtype):
    if dtype.kind == "b":
        return "true" if x else "false"
    if dtype.kind == "c":
        return "{ %s, %s }" % (literal(x.real, np.dtype("f8")), literal(x.imag, np.dtype("f8")))
    if dtype.kind in "iu":
        return "%d%s" % (x, {"int64": "LL", "uint64": "ULL"}.get(dtype.name, ""))
    x = float(x)
    if x != x:
        return "0/0"
    return "%s1/0" % ("-" if x < 0 else "") if abs(x) == float("inf") else repr(x)


def text(x):
    if x.dtype.kind == "b":
        return "true" if x else "false"
    if x.dtype.kind in "iu":
        return str(int(x))
    if x.dtype.kind == "c":
        return text(x.real) + "," + text(x.imag)
    return "nan" if x != x else "%.17g" % float(x)


def values(rng, name, size, corners):
    dtype = np.dtype(name)
    if dtype.kind == "b":
        return [rng.random() < 0.7 for _ in range(size)]
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        edge = [info.min, info.max, 0, 1] if corners else [0, 1, 2, 3]
        low = -9 if dtype.kind == "i" else 0
        return [rng.choice(edge) if rng.random() < 0.3 else rng.randint(low, 9) for _ in range(size)]
    pick = [rng.choice(FLOATS) for _ in range(size)]
    if corners:
        pick[rng.randrange(size)] = rng.choice(CORNERS)
    if dtype.kind == "c":
        return [complex(x, rng.choice(FLOATS)) for x in pick]
    return pick


def defined(name, dtype, corners):
    if name == "prod" and dtype.name == "float16" or name == "ptp" and dtype.kind == "b":
        return False  # NumPy rounds each product; bool has no difference
    if dtype.kind == "c":
        if corners and name in ("prod", "mean", "var", "std"):
            return False  # NumPy divides by a complex number
        return name not in ("min", "max", "argmin", "argmax", "ptp")
    return not (corners and dtype.kind in "iu" and name in ("mean", "var", "std"))


def cases():
    rng = random.Random(6)
    for name in ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
                 "float64", "complex64", "complex128"]:
        for shape in [(7,), (3, 4)]:
            for corners in [False, True]:
                size = int(np.prod(shape))
                a = np.array(values(rng, name, size, corners), name).reshape(shape)
                yield a, corners


def main():
    lines = ["-- What NumPy %s gives: shape, dtype, elements; then name, axis (0: all), dtype and elements of each"
             % np.__version__, "-- reduction. Written by make_reductions.py.", "return {"]
    for a, corners in cases():
        lines.append("  { { %s }, \"%s\", { %s }," % (", ".join(map(str, a.shape)), a.dtype.name,
                                                     ", ".join(literal(x, a.dtype) for x in a.ravel())))
        for name in NAMES:
            if not defined(name, a.dtype, corners):
                continue
            for axis in [None] if a.ndim == 1 else [None, 0, 1]:
                r = np.asarray(getattr(np, name)(a, axis=axis))
                if name.startswith("arg"):
                    r = r + 1
                lines.append("    { \"%s\", %d, \"%s\", \"%s\" }," % (name, 0 if axis is None else axis + 1, r.dtype.name,
                                                                  " ".join(text(x) for x in r.ravel())))
        lines.append("  },")
    lines.append("}")
    with open(os.path.join(HERE, "reductions.lua"), "w") as file:
        file.write("\n".join(lines) + "\n")


warnings.simplefilter("ignore")
np.seterr(all="ignore")
main()
