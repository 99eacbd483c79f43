#!/usr/bin/env python3
"""What NumPy says of ranges and of operations on shapes, for the specs of gpuarray to compare with.

    python3 spec/data/golden/make_gpuarray.py       writes spec/data/golden/ranges.lua and spec/data/golden/shapes.lua anew

Needs NumPy and ml_dtypes (for bfloat16). The suite needs neither. The same version of NumPy writes the same each time.
"""
import os
import random

import ml_dtypes
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
FLOATS = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32, "float64": np.float64,
          "complex64": np.complex64, "complex128": np.complex128}
INTEGERS = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def write(name, text):
    with open(os.path.join(HERE, name), "w") as file:
        file.write("-- Written by make_gpuarray.py with NumPy " + np.__version__ + ".\nreturn {\n" + text + "}\n")


def lua(x):
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, (list, tuple)):
        return "{" + ", ".join(lua(y) for y in x) + "}"
    if isinstance(x, float):
        return float.hex(x)
    return str(x)


# ---- ranges -----------------------------------------------------------------------------------------------------

def ranges():
    out = []

    def add(call, a):
        out.append('  { "%s", "%s" },\n' % (call, a.tobytes().hex()))

    steps = [(0, 1, 0.1), (0.1, 2, 0.3), (1, -1, -0.125), (1000, 1001, 0.1), (0, 3000, 97.3), (-0.5, 20, 1),
             (1e-3, 1e-2, 1e-3), (2048, 2060, 1), (0, 2, 2), (3, 3, 1), (1, 2, 5)]
    for name, dtype in FLOATS.items():
        for start, stop, step in steps:
            add("arange(%r, %r, %r, '%s')" % (start, stop, step, name), np.arange(start, stop, step, dtype))
    for name in INTEGERS[1:]:
        for start, stop, step in [(0, 9, 1), (5, 100, 7), (100, 5, -7), (0, 127, 1), (4, 4, 1)]:
            add("arange(%r, %r, %r, '%s')" % (start, stop, step, name), np.arange(start, stop, step, name))
    add("arange(0, 2, 1, 'bool')", np.arange(0, 2, 1, "bool"))
    add("arange(2^53 - 9, 2^53 - 1, 3)", np.arange(2 ** 53 - 9, 2 ** 53 - 1, 3))

    rng = random.Random(22)
    spans = [(0, 1, 5), (0, 1, 50), (-3, 7, 11), (1, 1, 3), (2, 3, 1), (2, 3, 0), (10, -10, 21), (0.1, 0.9, 7),
             (1e-8, 1, 13), (5, 100, 20)]
    spans += [(rng.uniform(-50, 100), rng.uniform(-50, 100), rng.randint(2, 30)) for _ in range(8)]
    for name in list(FLOATS) + INTEGERS:
        for start, stop, num in spans:
            if name[0] == "u" and min(start, stop) < 0:
                continue
            for endpoint in True, False:
                a = np.linspace(start, stop, num, endpoint)
                if name in INTEGERS[1:]:
                    a = np.floor(a)
                a = a.astype(FLOATS.get(name, name))
                add("linspace(%r, %r, %r, '%s', {endpoint = %s})" % (start, stop, num, name, lua(endpoint)), a)
    write("ranges.lua", "".join(out))


# ---- shapes -----------------------------------------------------------------------------------------------------

CASES = []


def case(shape, call, function):
    """A call in Lua on an array `a` of this shape, whose elements count up from 0, and what NumPy gives."""
    a = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
    try:
        r = function(a)
    except (ValueError, IndexError, np.exceptions.AxisError):
        CASES.append('  { %s, "%s", false },\n' % (lua(shape), call))
        return
    r = list(r) if isinstance(r, (list, tuple)) else [r]
    results = []
    for x in r:
        is_view = x.base is not None and np.shares_memory(x, a)
        strides = lua(x.strides) if is_view else "nil"
        values = [int(v) for v in x.ravel()]
        if len(values) > 40:  # enough of them to tell each order from any other
            values = sum((i + 1) * (v + 1) for i, v in enumerate(values)) % 1000003
        results.append("{ %s, %s, %s }" % (lua(x.shape), lua(values), strides))
    CASES.append('  { %s, "%s", %s },\n' % (lua(shape), call, ", ".join(results)))


def one(axis):
    """An axis as Lua counts it."""
    if isinstance(axis, (list, tuple)):
        return [one(k) for k in axis]
    return axis + 1 if axis >= 0 else axis


def shapes():
    grid = [(), (1,), (6,), (0,), (2, 3), (3, 1, 4), (1, 1), (2, 0, 3), (2, 3, 4), (1, 5, 1, 2)]
    for s in grid:
        n = len(s)
        size = int(np.prod(s))
        for new in [(size,), (-1,), (1, size), (2, -1), (3, 2), (size // 2, 2), (4, -1, 2), ()]:
            case(s, "a:reshape(%s)" % lua(new), lambda a: a.reshape(new))
            case(s, "a:reshape(%s, {order = 'F'})" % lua(new), lambda a: a.reshape(new, order="F"))
        for order in "CFAK":
            case(s, "a:ravel('%s')" % order, lambda a: a.ravel(order))
            case(s, "a:flatten('%s')" % order, lambda a: a.flatten(order))
        case(s, "a.T", lambda a: a.T)
        case(s, "a:transpose()", lambda a: a.transpose())
        case(s, "a:squeeze()", lambda a: a.squeeze())
        if n > 0:
            case(s, "a:flip()", np.flip)
        case(s, "a:tile(2)", lambda a: np.tile(a, 2))
        case(s, "a:tile(2, 1, 3)", lambda a: np.tile(a, (2, 1, 3)))
        case(s, "a:tile({3, 2})", lambda a: np.tile(a, (3, 2)))
        case(s, "a:repeat_(3)", lambda a: np.repeat(a, 3))
        case(s, "a:repeat_(0)", lambda a: np.repeat(a, 0))
        case(s, "a:roll(1)", lambda a: np.roll(a, 1) if n else a.copy())
        case(s, "a:roll(-8)", lambda a: np.roll(a, -8) if n else a.copy())
        case(s, "a:fliplr()", np.fliplr)
        case(s, "a:flipud()", np.flipud)
        for axes in [0, -1, (0, 1), (0, -1)]:
            case(s, "a:expand_dims(%s)" % lua(one(axes)), lambda a: np.expand_dims(a, axes))
            if n > 0:  # NumPy takes an axis of a 0-d array
                case(s, "a:squeeze(%s)" % lua(one(axes)), lambda a: a.squeeze(axes))
            case(s, "a:flip(%s)" % lua(one(axes)), lambda a: np.flip(a, axes))
        for k in [-3, 0, 1, 2, 3]:
            case(s, "a:rot90(%d)" % k, lambda a: np.rot90(a, k))
            case(s, "a:diagonal(%d)" % k, lambda a: a.diagonal(k))
            case(s, "g.diag(a, %d)" % k, lambda a: np.diag(a, k))
            if n > 0:
                case(s, "g.tril(a, %d)" % k, lambda a: np.tril(a, k))
                case(s, "g.triu(a, %d)" % k, lambda a: np.triu(a, k))
        for axis in [0, 1, -1]:
            if n > 0:
                case(s, "a:repeat_(2, %d)" % one(axis), lambda a: np.repeat(a, 2, axis))
            case(s, "a:repeat_({2, 0, 3}, %d)" % one(axis),
                 lambda a: np.repeat(a, [2, 0, 3], axis) if a.shape[axis] == 3 else np.zeros(3).reshape(2))
            case(s, "a:roll(2, %d)" % one(axis), lambda a: np.roll(a, 2, axis))
            case(s, "a:split(2, %d)" % one(axis), lambda a: np.split(a, 2, axis))
            case(s, "a:split(3, %d)" % one(axis), lambda a: np.split(a, 3, axis))
            case(s, "a:array_split(4, %d)" % one(axis), lambda a: np.array_split(a, 4, axis))
            case(s, "g.concatenate({a, a, a}, %d)" % one(axis), lambda a: np.concatenate([a, a, a], axis))
            case(s, "g.stack({a, a}, %d)" % one(axis), lambda a: np.stack([a, a], axis))
        if n and s[0] >= 3:
            case(s, "a:split({1, 3})", lambda a: np.split(a, [1, 3]))
        case(s, "g.hstack {a, a}", lambda a: np.hstack([a, a]))
        case(s, "g.vstack {a, a}", lambda a: np.vstack([a, a]))
        case(s, "g.dstack {a, a}", lambda a: np.dstack([a, a]))
        case(s, "g.atleast_1d(a)", np.atleast_1d)
        case(s, "g.atleast_2d(a)", np.atleast_2d)
        case(s, "g.atleast_3d(a)", np.atleast_3d)
        for new in [(2,) + s, s, (3, 2, 3), (6,), (2, 3, 1, 4)]:
            case(s, "a:broadcast_to(%s)" % lua(new), lambda a: np.broadcast_to(a, new))
        if size:
            for mode in ["constant", "edge", "reflect", "symmetric", "wrap"]:
                for width in [1, (2, 0), (0, 3), 7]:
                    case(s, "a:pad(%s, '%s')" % (lua(width), mode), lambda a: np.pad(a, width, mode))
                if n == 2:
                    case(s, "a:pad({{1, 0}, {4, 5}}, '%s')" % mode, lambda a: np.pad(a, ((1, 0), (4, 5)), mode))
    for s in [(2, 3, 4), (2, 3), (1, 2, 1, 3)]:
        n = len(s)
        for i in range(-1, n):
            for j in range(-1, n):
                case(s, "a:swapaxes(%d, %d)" % (one(i), one(j)), lambda a: a.swapaxes(i, j))
                case(s, "a:moveaxis(%d, %d)" % (one(i), one(j)), lambda a: np.moveaxis(a, i, j))
                if i >= 0 and j >= 0 and i != j:
                    case(s, "a:rot90(1, {%d, %d})" % (one(i), one(j)), lambda a: np.rot90(a, 1, (i, j)))
                    case(s, "a:diagonal(1, %d, %d)" % (one(i), one(j)), lambda a: a.diagonal(1, i, j))
                    case(s, "a:roll({1, -2}, {%d, %d})" % (one(i), one(j)), lambda a: np.roll(a, (1, -2), (i, j)))
    case((2, 3, 4), "a:moveaxis({1, 2}, {-1, 1})", lambda a: np.moveaxis(a, (0, 1), (-1, 0)))
    case((2, 3, 4), "a:transpose(2, 3, 1)", lambda a: a.transpose(1, 2, 0))
    case((2, 3, 4), "a:transpose(2, 2, 1)", lambda a: a.transpose(1, 1, 0))
    for n in [1, 2, 3, 5]:  # borders of which one is longer than the axis, or both
        for width in [(1, 4), (1, 5), (5, 1), (2, 9), (9, 2), (0, 12), (13, 11)]:
            for mode in ["reflect", "symmetric", "wrap"]:
                case((n,), "a:pad({%s}, '%s')" % (lua(width), mode), lambda a: np.pad(a, width, mode))
    case((4,), "a:pad(2, 'constant', {constant_values = -7})", lambda a: np.pad(a, 2, constant_values=-7))
    case((3,), "g.meshgrid(a, {5, 6})", lambda a: np.meshgrid(a, np.array([5, 6])))
    case((3,), "g.meshgrid(a, {5, 6}, {indexing = 'ij'})", lambda a: np.meshgrid(a, np.array([5, 6]), indexing="ij"))
    case((3,), "g.meshgrid(a, {5, 6}, a, {sparse = true})",
         lambda a: [x.copy() for x in np.meshgrid(a, np.array([5, 6]), a, sparse=True)])
    case((3,), "g.meshgrid(a)", lambda a: np.meshgrid(a))
    case((2, 3), "g.broadcast_arrays(a, a:reshape(2, 1, 3))",
         lambda a: np.broadcast_arrays(a, a.reshape(2, 1, 3)))
    for args in [(3,), (2, 4), (4, 2, 1), (3, 5, -1), (3, 3, 9), (0, 2)]:
        case((), "g.eye(%s)" % lua(args)[1:-1], lambda a: np.eye(*args))
        case((), "g.tri(%s)" % lua(args)[1:-1], lambda a: np.tri(*args))
    write("shapes.lua", "".join(CASES))


ranges()
shapes()
