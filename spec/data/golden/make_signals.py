#!/usr/bin/env python3
"""What NumPy's functions of statistics and signals give: writes spec/data/golden/signals.lua, for
spec/gpuarray/{convolve,covariance,gradient}_spec.lua.

    python3 spec/data/golden/make_signals.py    from the project's root; made with NumPy 2.4.6

A case is a call in Lua on arrays a, b, c, these arrays, and the results. An array is {dtype, shape, hexadecimal text of its
bytes}. Convolutions are of small integers, whole or as floats, so that sums are exact in any order. The default float of
the calls is float64, as NumPy's.
"""
import os
import warnings

import numpy as np

warnings.simplefilter("ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(19)
CASES = []


def text(x):
    x = np.asarray(x)
    return '{ "%s", { %s }, "%s" }' % (x.dtype.name, ", ".join(map(str, x.shape)), np.ascontiguousarray(x).tobytes().hex())


def case(call, inputs, results):
    if not isinstance(results, (tuple, list)):
        results = [results]
    CASES.append("  { [=[%s]=], { %s },\n    { %s } }," % (call, ", ".join(map(text, inputs)), ", ".join(map(text, results))))


def whole(shape, dtype="float64"):
    low = 0 if np.dtype(dtype).kind in "ub" else -9
    x = rng.integers(low, 2 if dtype == "bool" else 10, shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.integers(-9, 10, shape)
    return x.astype(dtype)


def draw(shape, dtype="float64"):
    x = rng.normal(0, 3, shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.normal(0, 3, shape)
    return x.astype(dtype)


# Integers are added up in 64 bits here, int8 in 32, and in their own type there.
def wide(x):
    if x.dtype == "int8":
        return x.astype("int32")
    return x.astype({"i": "int64", "u": "uint64", "b": "int64"}[x.dtype.kind]) if x.dtype.kind in "iub" else x


# ---- convolve, correlate --------------------------------------------------------------------------------------------
FLOATS = ["float16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
for t in FLOATS + ["complex64", "complex128"] + INTEGERS:
    a, v = whole(11, t), whole(4, t)
    for name, f in [("convolve", np.convolve), ("correlate", np.correlate)]:
        case("a:%s(b)" % name, [a, v], f(wide(a), wide(v)))
        case("g.%s(b, a, { mode = 'same' })" % name, [a, v], f(wide(v), wide(a), "same"))
for n, m in [(1, 1), (1, 2), (2, 1), (3, 2), (2, 3), (5, 5), (6, 6), (9, 1), (1, 9), (10, 3), (3, 10), (10, 4), (4, 10)]:
    for t in ["float64", "complex128", "int64"]:
        a, v = whole(n, t), whole(m, t)
        for mode in ["full", "same", "valid"]:
            case("a:convolve(b, { mode = '%s' })" % mode, [a, v], np.convolve(a, v, mode))
            case("a:correlate(b, { mode = '%s' })" % mode, [a, v], np.correlate(a, v, mode))
a, v = whole(700), whole(300)
case("a:convolve(b)", [a, v], np.convolve(a, v))
case("b:correlate(a, { mode = 'full' })", [a, v], np.correlate(v, a, "full"))
a, v = whole(20, "int16"), whole(3, "complex64")
case("a:convolve(b)", [a, v], np.convolve(a.astype("complex64"), v))
case("b:correlate(a, { mode = 'same' })", [a, v], np.correlate(v, a.astype("complex64"), "same"))
case("a:convolve { 1, -2, 0.5 }", [a := whole(9)], np.convolve(a, [1, -2, 0.5]))
case("g.convolve(a, 3)", [a], np.convolve(a, 3))

# ---- cov, corrcoef --------------------------------------------------------------------------------------------------
for t in ["float32", "float64", "complex64", "complex128"]:
    a, b = draw((4, 7), t), draw((2, 7), t)
    for name, f in [("cov", np.cov), ("corrcoef", np.corrcoef)]:
        case("a:%s()" % name, [a], f(a, dtype=t))
        case("g.%s(a, { rowvar = false })" % name, [a], f(a, rowvar=False, dtype=t))
        case("a:%s { y = b }" % name, [a, b], f(a, b, dtype=t))
        case("a:%s { y = b }" % name, [a[0], b[1]], f(a[0], b[1], dtype=t))
        case("a:%s { y = b, rowvar = false }" % name, [a.T, b.T], f(a.T, b.T, rowvar=False, dtype=t))
        case("a:%s()" % name, [a[1]], f(a[1], dtype=t))
        case("a:%s { dtype = '%s' }" % (name, "complex128" if t[0] == "c" else "float64"), [a], f(a))
for t in ["int8", "int32", "uint16", "bool"]:
    a = whole((3, 9), t)
    case("a:cov()", [a], np.cov(a))
    case("a:corrcoef()", [a], np.corrcoef(a))
a = draw((3, 6))
w, x = np.array([1, 3, 0, 2, 1, 4]), np.array([0.5, 1, 2, 0.25, 3, 1])
case("a:cov { bias = true }", [a], np.cov(a, bias=True))
for d in [0, 1, 2, 5, 6, 7, -1]:
    case("a:cov { ddof = %d }" % d, [a], np.cov(a, ddof=d))
    case("a:cov { ddof = %d, fweights = b }" % d, [a, w], np.cov(a, ddof=d, fweights=w))
    case("a:cov { ddof = %d, aweights = b }" % d, [a, x], np.cov(a, ddof=d, aweights=x))
    case("a:cov { ddof = %d, fweights = b, aweights = c }" % d, [a, w, x], np.cov(a, ddof=d, fweights=w, aweights=x))
case("a:cov { fweights = { 1, 3, 0, 2, 1, 4 } }", [a], np.cov(a, fweights=w))
case("a:cov { aweights = b }", [z := draw((2, 6), "complex128"), x], np.cov(z, aweights=x))
case("a:cov { aweights = b, rowvar = false }", [a.T, x], np.cov(a.T, rowvar=False, aweights=x))
case("a:cov()", [a[:1]], np.cov(a[:1]))
case("a:cov { rowvar = false }", [a[:1]], np.cov(a[:1], rowvar=False))
case("a:cov { rowvar = false }", [a[:, :1]], np.cov(a[:, :1], rowvar=False))
case("a:cov { rowvar = false }", [a[0]], np.cov(a[0], rowvar=False))
case("a:cov()", [a[:, :1]], np.cov(a[:, :1]))
case("a:corrcoef()", [a[:, :1]], np.corrcoef(a[:, :1]))
case("a:cov()", [a[:, :0]], np.cov(a[:, :0]))
case("a:cov()", [a[:0]], np.cov(a[:0]))
case("a:cov()", [np.zeros(0)], np.cov(np.zeros(0)))
case("a:cov()", [np.array(2.5)], np.cov(np.array(2.5)))
case("a:corrcoef()", [np.ones((2, 4))], np.corrcoef(np.ones((2, 4))))
case("a:corrcoef()", [b := np.array([1.0, 2, 4])], np.corrcoef(b))
b = draw((1, 3))
c = draw((3, 2))
case("a:cov { y = b, rowvar = false }", [c, b], np.cov(c, b, rowvar=False))
case("a:cov()", [np.array([[1, np.nan, 2], [1, 2, 4.0]])], np.cov(np.array([[1, np.nan, 2], [1, 2, 4.0]])))

# ---- gradient, trapezoid --------------------------------------------------------------------------------------------
for t in ["float32", "float64", "complex64", "complex128", "int32", "uint8"]:
    a = draw((4, 5), t) if t[0] in "fc" else whole((4, 5), t)
    for order in [1, 2]:
        o = "edge_order = %d" % order
        f = np.asarray(a, "float64") if t[0] in "iu" else a
        case("a:gradient { %s }" % o, [a], np.gradient(f, edge_order=order))
        case("g.gradient(a, { axis = 2, %s })" % o, [a], np.gradient(f, axis=1, edge_order=order))
        case("g.gradient(a, { axis = { -1, 1 }, spacing = 0.5, %s })" % o, [a],
             np.gradient(f, 0.5, axis=(-1, 0), edge_order=order))
    case("a:trapezoid()", [a], np.trapezoid(f))
    case("a:trapezoid { axis = 1, dx = 0.25 }", [a], np.trapezoid(f, dx=0.25, axis=0))
x, y = np.cumsum(rng.random(4) + 0.1), np.cumsum(rng.random(5) + 0.1)
for t in ["float64", "complex128"]:
    a = draw((4, 5), t)
    for order in [1, 2]:
        case("a:gradient { spacing = { b, c }, edge_order = %d }" % order, [a, x, y],
             np.gradient(a, x, y, edge_order=order))
        case("a:gradient { spacing = { b, 2 }, edge_order = %d }" % order, [a, x], np.gradient(a, x, 2, edge_order=order))
        case("a:gradient { spacing = b, axis = 2, edge_order = %d }" % order, [a, y],
             np.gradient(a, y, axis=1, edge_order=order))
        case("a:gradient { spacing = b, edge_order = %d }" % order, [a[0], y], np.gradient(a[0], y, edge_order=order))
    case("a:trapezoid { x = b }", [a, y], np.trapezoid(a, y))
    case("a:trapezoid { x = b, axis = 1 }", [a, x], np.trapezoid(a, x, axis=0))
    case("a:trapezoid { x = b }", [a, z := draw((4, 5))], np.trapezoid(a, z))
    case("a:trapezoid { x = b, axis = -2 }", [a, z[:, :1]], np.trapezoid(a, z[:, :1], axis=0))
a = draw(6)
case("a:gradient { spacing = { 0, 1, 3, 4, 7, 8 } }", [a], np.gradient(a, [0, 1, 3, 4, 7, 8]))
case("a:gradient { spacing = b }", [a, np.array([5, 3, 2, 0, -4, -9])], np.gradient(a, np.array([5, 3, 2, 0, -4, -9])))
case("a:gradient { spacing = b }", [a, np.array(0.5)], np.gradient(a, np.array(0.5)))
case("a:gradient { spacing = { 3 } }", [a], np.gradient(a, 3))
case("a:gradient()", [a[:2]], np.gradient(a[:2]))
case("a:gradient { spacing = { 1, 4 } }", [a[:2]], np.gradient(a[:2], [1, 4]))
case("a:gradient { edge_order = 2 }", [a[:3]], np.gradient(a[:3], edge_order=2))
case("a:gradient { edge_order = 2, spacing = { 1, 2, 5 } }", [a[:3]], np.gradient(a[:3], [1, 2, 5], edge_order=2))
case("a:gradient { axis = 2 }", [np.zeros((0, 3))], np.gradient(np.zeros((0, 3)), axis=1))
case("a:gradient { axis = 2 }", [b := draw((2, 3, 4))], np.gradient(b, axis=1))
case("a:gradient()", [b], np.gradient(b))
case("a:trapezoid { axis = 2 }", [b], np.trapezoid(b, axis=1))
for n in [0, 1, 2]:
    case("a:trapezoid()", [a[:n]], np.trapezoid(a[:n]))
    case("a:trapezoid { axis = 1 }", [b[:n]], np.trapezoid(b[:n], axis=0))
case("a:trapezoid { x = b }", [a, z := draw(6, "complex128")], np.trapezoid(a, z))

# ---- unwrap ---------------------------------------------------------------------------------------------------------
for t in ["float32", "float64"]:
    a = np.cumsum(rng.normal(0, 2.5, (3, 20)), 1)
    a = (np.mod(a, 2 * np.pi) - np.pi).astype(t)
    case("a:unwrap()", [a], np.unwrap(a))
    case("g.unwrap(a, { axis = 1 })", [a], np.unwrap(a, axis=0))
    case("a:unwrap { discont = 4 }", [a], np.unwrap(a, discont=4))
    case("a:unwrap { discont = 1 }", [a], np.unwrap(a, discont=1))
    case("a:unwrap { period = 3 }", [a], np.unwrap(a, period=3))
a = np.array([0, 1, 2, 0, 1, 5, -3, -3, 4, 0, 2, 4])
for t in ["int64", "int32", "int8"]:
    for p in [4, 5, 3, 6]:
        case("a:unwrap { period = %d }" % p, [a.astype(t)], np.unwrap(a, period=p))
    case("a:unwrap { period = 4, discont = 3 }", [a.astype(t)], np.unwrap(a, period=4, discont=3))
    case("a:unwrap()", [a.astype(t)], np.unwrap(a.astype("float64")))
    case("a:unwrap { period = 2.5 }", [a.astype(t)], np.unwrap(a.astype("float64"), period=2.5))
a = np.array([10, 200, 250, 3, 90, 255, 1], "uint8")
case("a:unwrap { period = 256 }", [a], np.unwrap(a.astype("int64"), period=256))
for p in [[0, np.pi, 0, -np.pi, 0], [0, 2, 4, 6, 8], [1, np.nan, 2, 9], [3.0], [], [0, 1e3, -1e3]]:
    case("a:unwrap()", [np.array(p, "float64")], np.unwrap(np.array(p, "float64")))
case("a:unwrap { period = 4 }", [b := np.array([0.0, 2, 0, -2, 1, 3, 5, -1])], np.unwrap(b, period=4))
case("a:unwrap { axis = 1 }", [np.zeros((0, 3))], np.unwrap(np.zeros((0, 3)), axis=0))

with open(os.path.join(HERE, "signals.lua"), "w") as f:
    f.write("-- Written by make_signals.py: what NumPy %s gives.\nreturn {\n%s\n}\n" % (np.__version__, "\n".join(CASES)))
