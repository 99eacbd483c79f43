#!/usr/bin/env python3
"""What NumPy's functions on whole arrays give: writes spec/data/golden/functions.lua, for spec/gpuarray/gpuarray_numpy_functions_spec.lua.

    python3 spec/data/golden/make_functions.py

Needs NumPy 2; the suite does not. A case is a call in Lua on arrays a, b, c, these arrays, and the results, with positions
as they count here, from 1. An array is {dtype, shape, hexadecimal text of its bytes}.
"""
import os
import warnings

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(15)
inf, nan = np.inf, np.nan
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
CASES = []


def text(x):
    x = np.asarray(x)
    return '{ "%s", { %s }, "%s" }' % (x.dtype.name, ", ".join(map(str, x.shape)), np.ascontiguousarray(x).tobytes().hex())


def case(call, inputs, results):
    if not isinstance(results, (tuple, list)):
        results = [results]
    CASES.append('  { "%s", { %s }, { %s } },' % (call, ", ".join(map(text, inputs)), ", ".join(map(text, results))))


def draw(name, shape, few=None, odds=0.0):
    """Random elements: of a few values, or many; some of them NaN and infinite."""
    dtype = np.dtype(name)
    if dtype.kind == "b":
        return rng.random(shape) < 0.6
    if dtype.kind in "iu":
        low, high = (0 if dtype.kind == "u" else -(few or 100)), few or 100
        return rng.integers(low, high, shape).astype(dtype)
    if dtype.kind == "c":
        part = np.dtype("f%d" % (dtype.itemsize // 2))
        z = np.empty(shape, dtype)
        z.real, z.imag = draw(part, shape, few, odds), draw(part, shape, few, odds)
        return z
    x = (rng.integers(-few, few, shape) / 2 if few else rng.normal(0, 3, shape)).astype(dtype)
    special = np.array([nan, inf, -inf, 0.0, -0.0], dtype)
    return np.where(rng.random(shape) < odds, special[rng.integers(0, 5, shape)], x).astype(dtype)


# ---- diff -----------------------------------------------------------------------------------------------------------
for name in INTEGERS + FLOATS + COMPLEX + ["bool"]:
    a = draw(name, (4, 5))
    case("a:diff()", [a], np.diff(a))
    case("g.diff(a, 2, { axis = 1 })", [a], np.diff(a, 2, 0))
a = draw("float64", (3, 4))
b = draw("float64", (3, 2))
case("a:diff { prepend = 1, append = b }", [a, b], np.diff(a, prepend=1, append=b))
case("a:diff { axis = 1, append = { { 1, 2, 3, 4 } } }", [a], np.diff(a, axis=0, append=[[1, 2, 3, 4]]))
case("a:diff(0)", [a], np.diff(a, 0))
case("a:diff { n = 4 }", [a], np.diff(a, 4))
case("a:diff(9)", [a], np.diff(a, 9))
case("g.diff(a)", [np.zeros((2, 0))], np.diff(np.zeros((2, 0))))

# ---- isclose, nan_to_num --------------------------------------------------------------------------------------------
for name in FLOATS[1:] + COMPLEX + ["int32", "int64", "bool"]:
    a = draw(name, 60, 4, 0.3)
    b = np.where(rng.random(60) < 0.5, a, draw(name, 60, 4, 0.3)).astype(name)
    if b.dtype.kind == "f":
        b = (b * np.where(rng.random(60) < 0.3, 1 + 1e-6, 1)).astype(name)
    case("a:isclose(b)", [a, b], np.isclose(a, b))
    case("a:isclose(b, { rtol = 0.5, atol = 0.25, equal_nan = true })", [a, b], np.isclose(a, b, 0.5, 0.25, True))
    case("g.isclose(a:expand_dims(2), b)", [a[:7], b[:5]], np.isclose(a[:7, None], b[:5]))
case("a:isclose(2, { rtol = 0.5 })", [a := np.array([1, 2, 3.1, nan, inf, -2])], np.isclose(a, 2, 0.5))
case("g.isclose(2, a, { rtol = 0.5 })", [a], np.isclose(2, a, 0.5))
case("a:isclose(0 / 0, { equal_nan = true })", [a], np.isclose(a, nan, equal_nan=True))
case("a:isclose(1 / 0)", [a], np.isclose(a, inf))
for name in FLOATS + COMPLEX + ["int8", "bool"]:
    a = draw(name, (5, 6), 9, 0.4)
    case("a:nan_to_num()", [a], np.nan_to_num(a))
    case("a:nan_to_num { nan = 1, posinf = 2, neginf = -3 }", [a], np.nan_to_num(a, nan=1, posinf=2, neginf=-3))

# ---- interp ---------------------------------------------------------------------------------------------------------
xp = np.sort(rng.normal(0, 3, 9))
fp, x = rng.normal(0, 1, 9), np.concatenate([rng.normal(0, 5, 20), xp, [nan, inf, -inf]])
case("g.interp(a, b, c)", [x, xp, fp], np.interp(x, xp, fp))
case("g.interp(a, b, c, { left = -7, right = 8 })", [x, xp, fp], np.interp(x, xp, fp, -7, 8))
case("g.interp(a, b, c, { period = 4 })", [x[:25], xp, fp], np.interp(x[:25], xp, fp, period=4))
x = np.where(np.isnan(x), 0, x)  # NumPy does not keep NaN with one point, and makes NaN + 0i of it for complex values
case("g.interp(a, b, c)", [x, xp[:1], fp[:1]], np.interp(x, xp[:1], fp[:1]))
case("g.interp(a, b, c)", [x.reshape(4, 8), xp, fp + 1j * fp[::-1]], np.interp(x.reshape(4, 8), xp, fp + 1j * fp[::-1]))
case("g.interp(0.5, { 0, 1 }, { 3, 5 })", [], np.interp(0.5, [0, 1], [3, 5]))
odd = np.array([1, inf, inf, 2, -inf, nan, 4, 4, 0])
case("g.interp(a, b, c)", [x, xp, odd], np.interp(x, xp, odd))
case("g.interp(a, b, c)", [np.arange(6), np.array([0, 2, 4]), np.array([1, 5, 2])], np.interp(np.arange(6), [0, 2, 4], [1, 5, 2]))

# ---- sets -----------------------------------------------------------------------------------------------------------
for name in INTEGERS + FLOATS + COMPLEX + ["bool"]:
    # Which of two zeros stays, and which NaN of complex ones, is not promised.
    a, b = draw(name, (5, 8), 6, 0.1 * (name in FLOATS)) + 0, draw(name, 12, 6, 0.1 * (name in FLOATS)) + 0
    a, b = a.astype(name), b.astype(name)
    case("a:isin(b)", [a, b], np.isin(a, b))
    case("g.isin(a, b, { invert = true })", [a, b], np.isin(a, b, invert=True))
    case("g.union1d(a, b)", [a, b], np.union1d(a, b))
    case("g.setdiff1d(a, b)", [a, b], np.setdiff1d(a, b))
    case("g.setxor1d(a, b)", [a, b], np.setxor1d(a, b))
    v, i, j = np.intersect1d(a, b, return_indices=True)
    case("g.intersect1d(a, b)", [a, b], v)
    case("g.intersect1d(a, b, { indices = true })", [a, b], [v, i + 1, j + 1])
a, b = np.array([5, 1, 3, 8], "int32"), np.array([3, 9, 5], "int16")
v, i, j = np.intersect1d(a, b, True, True)
case("g.intersect1d(a, b, { assume_unique = true, indices = true })", [a, b], [v, i + 1, j + 1])
case("g.setdiff1d(a, b, { assume_unique = true })", [a, b], np.setdiff1d(a, b, True))
case("g.setxor1d(a, b, { assume_unique = true })", [a, b], np.setxor1d(a, b, True))
case("a:isin { 1, 300, 5 }", [a.astype("int8")], np.isin(a, [1, 300, 5]))
case("a:isin(0.5)", [np.array([0.5, nan])], np.isin([0.5, nan], 0.5))
empty = np.zeros(0, "int32")
for call, f in (("isin", np.isin), ("union1d", np.union1d), ("setdiff1d", np.setdiff1d), ("setxor1d", np.setxor1d),
                ("intersect1d", np.intersect1d)):
    case("g.%s(a, b)" % call, [a, empty], f(a, empty))
    case("g.%s(a, b)" % call, [empty, a], f(empty, a))
    case("g.%s(a, b)" % call, [empty, empty], f(empty, empty))

# ---- positions ------------------------------------------------------------------------------------------------------
for shape in ((7,), (3, 4), (2, 3, 4), (1, 5, 1, 3)):
    size = int(np.prod(shape))
    flat = rng.integers(0, size, (2, 6))
    lua = "{ %s }" % ", ".join(map(str, shape))
    for order in "CF":
        at = np.unravel_index(flat, shape, order)
        case("g.unravel_index(a, %s, { order = '%s' })" % (lua, order), [flat + 1], [x + 1 for x in at])
        case("g.ravel_multi_index({ %s }, %s, { order = '%s' })" % (", ".join("abcd"[:len(shape)]), lua, order),
             [x + 1 for x in at], np.ravel_multi_index(at, shape, order=order) + 1)
wild = [rng.integers(-9, 12, 8), rng.integers(-9, 12, 8)]
# Positions from 1 that are not there: 0 is the last one for wrap here, as -1 is there.
case("g.ravel_multi_index({ a, b }, { 3, 4 }, { mode = 'clip' })", [x + 1 for x in wild],
     np.ravel_multi_index([np.clip(x, 0, None) for x in wild], (3, 4), "clip") + 1)

# ---- partition ------------------------------------------------------------------------------------------------------
# Only the places of kth are promised.
a = draw("int16", (3, 9))
case("a:partition({ 2, 7 })[{ {}, { 2, 7, 5 } }]", [a], np.partition(a, [1, 6])[:, [1, 6]])
case("a:partition(2, { axis = 1 })[2]", [a], np.partition(a, 1, 0)[1])

# ---- averages -------------------------------------------------------------------------------------------------------
for name in ["float32", "float64", "int32", "complex128"]:
    # Of numbers whose sums are exact.
    a = draw(name, (4, 6), 20)
    w = rng.integers(1, 5, (4, 6)).astype("float64" if name != "float32" else "float32")
    case("a:average()", [a], np.average(a))
    case("g.average(a, { weights = b })", [a, w], np.average(a, weights=w))
    case("g.average(a, { axis = 2, weights = b, returned = true })", [a, w], np.average(a, 1, w, returned=True))
    case("g.average(a, { axis = 1, weights = b, keepdims = true })", [a, w[:, 0]], np.average(a, 0, w[:, 0], keepdims=True))
    case("a:average { axis = { 2, 1 }, weights = b }", [a, w.T.copy()], np.average(a, (1, 0), w.T))
case("a:average { axis = 1, returned = true }", [a], np.average(a, 0, returned=True))
case("a:average { weights = b }", [np.array([True, False]), np.array([1, 3])], np.average([True, False], weights=[1, 3]))

# ---- quantiles of numbers alone -------------------------------------------------------------------------------------
for name in FLOATS[1:]:
    a = draw(name, (4, 9), None, 0)
    a[rng.random(a.shape) < 0.3] = nan
    a[3] = nan
    case("a:nanmedian()", [a], np.nanmedian(a))
    case("a:nanmedian(2)", [a], np.nanmedian(a, 1))
    case("a:nanmedian { axis = 1, keepdims = true }", [a], np.nanmedian(a, 0, keepdims=True))
    if name == "float64":
        case("a:nanquantile({ 0, 0.3, 0.75, 1 }, 2)", [a], np.nanquantile(a, [0, 0.3, 0.75, 1], 1))
        case("a:nanpercentile(40, { axis = 1, keepdims = true })", [a], np.nanpercentile(a, 40, 0, keepdims=True))
        for method in ("lower", "higher", "nearest", "midpoint"):
            case("a:nanquantile(0.35, { axis = 1, method = '%s' })" % method, [a], np.nanquantile(a, 0.35, 0, method=method))
case("a:nanmedian()", [np.arange(6)], np.nanmedian(np.arange(6)))
case("a:nanmedian()", [np.zeros(0)], np.float64(nan))
case("a:nanmedian(1)", [np.zeros((0, 2))], np.nanmedian(np.zeros((0, 2)), 0))

# ---- rounded, clipped, apart ----------------------------------------------------------------------------------------
for name in FLOATS[1:] + INTEGERS + ["complex128"]:
    a = draw(name, 30, 100 if name in INTEGERS else None)
    for decimals in (2, 1, -1):
        case("a:round(%d)" % decimals, [a], np.round(a, decimals))
case("a:clip(nil, 1)", [a := draw("float32", 20, 4, 0.3)], np.clip(a, None, 1))
case("g.clip(a, 0)", [a], np.clip(a, 0, None))
a = draw("int16", (3, 2, 4))
case("unpack(a:unstack())", [a], np.unstack(a))
case("unpack(g.unstack(a, -1))", [a], np.unstack(a, axis=-1))

with open(os.path.join(HERE, "functions.lua"), "w") as out:
    out.write("-- Written by make_functions.py with NumPy %s.\nreturn {\n%s\n}\n" % (np.__version__, "\n".join(CASES)))
print(len(CASES), "cases")
