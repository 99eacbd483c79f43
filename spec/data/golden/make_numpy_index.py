#!/usr/bin/env python3
"""What NumPy says about indices with arrays among them, for spec/gpuarray/gpuarray_index_spec.lua to compare with.

    python3 spec/data/golden/make_numpy_index.py    writes spec/data/golden/index.lua anew

Needs NumPy; the suite does not. The array that is indexed is 1, 2, 3 ... in C order. Positions are written as this
library counts them: from 1, ranges with both ends.
"""
import os
import random

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
rng = random.Random(20)


def lua_list(values):
    return "{" + ",".join(str(v) for v in values) + "}"


def position(i):
    return int(i) + 1 if i >= 0 else int(i)


def item_text(item, extent):
    if item is None:
        return "N"
    if isinstance(item, slice):
        if item == slice(None):
            return "{}"
        taken = range(extent)[item]
        if len(taken) == 0:
            return "{1,0}"
        return lua_list([taken[0] + 1, taken[-1] + 1, taken.step])
    if isinstance(item, np.ndarray):
        flat = item.ravel().tolist()
        if item.dtype == bool:
            return f"B({lua_list(item.shape)},{lua_list(int(v) for v in flat)})"
        return f"I({lua_list(item.shape)},{lua_list(position(v) for v in flat)})"
    return str(position(item))


def index_text(index, shape):
    out, axis = [], 0
    for item in index:
        out.append(item_text(item, shape[axis] if axis < len(shape) else 0))
        if item is None:
            continue
        axis += item.ndim if isinstance(item, np.ndarray) and item.dtype == bool else 1
    return "{" + ",".join(out) + "}"


def base_of(shape):
    return np.arange(1, int(np.prod(shape)) + 1, dtype=np.int32).reshape(shape)


rows, writes = [], []


def read(shape, *index):
    result = base_of(shape)[index]
    rows.append(f"  {{{lua_list(shape)},{index_text(index, shape)},{lua_list(result.shape)},"
                f"{lua_list(result.ravel().tolist())}}},\n")


def write(shape, value_shape, *index):
    a = base_of(shape)
    value = -np.arange(1, int(np.prod(value_shape)) + 1, dtype=np.int32).reshape(value_shape)
    a[index] = value
    writes.append(f"  {{{lua_list(shape)},{index_text(index, shape)},{lua_list(value_shape)},"
                  f"{lua_list(a.ravel().tolist())}}},\n")


def ints(values):
    return np.array(values, dtype=np.int64)


def bools(values):
    return np.array(values, dtype=bool)


ALL = slice(None)

# ---- where the axes of the arrays go ------------------------------------------------------------------------------
read((3, 4, 5), ints([0, 2]))
read((3, 4, 5), ALL, ints([0, 2]))
read((3, 4, 5), ALL, ints([0, 2]), ints([1, 3]))
read((3, 4, 5), ints([0, 2]), ALL, ints([1, 3]))
read((3, 4, 5), 0, ALL, ints([1, 3]))
read((3, 4, 5), ALL, 0, ints([1, 3]))
read((3, 4, 5), ints([1, 2, 0]), 0)
read((3, 4, 5), 1, ints([1, 3]), 2)
read((3, 4, 5), ints([0, 2]), 1, slice(1, 3))
read((3, 4, 5), ints([0, 2]), slice(1, 3), 1)
read((3, 4, 5), ints([0, 2]), None, ints([1, 3]))
read((3, 4, 5), None, ints([0, 2]), ints([1, 3]))
read((3, 4, 5), ALL, None, ints([0, 2]), ints([1, 3]))
read((3, 4, 5), ALL, ints([[0, 2], [1, 1]]), None)
read((3, 4, 5), ints([[0], [2]]), ints([[1, 3, 0]]))
read((3, 4, 5), ints([[0], [2]]), ALL, ints([1, 3, 0]))
read((3, 4, 5), ints(1), ints([1, 3]))
read((3, 4, 5), ints(1), ALL, ints(2))
read((3, 4, 5), ints(-1))
read((3, 4), slice(None, None, -1), ints([0, 0, -1]))
read((3, 4), slice(0, 0), ints([0, 0, -1]))
read((3, 4), ints([]), ALL)
read((3, 4), ints([]), ints([2]))
read((3, 4), np.zeros((0, 2), np.int64))
read((0, 4), ints([]))
read((4, 0), ints([1, 1]))
read((7,), ints([[6, -7], [0, -1]]))
# ---- masks --------------------------------------------------------------------------------------------------------
read((3, 4), base_of((3, 4)) > 5)
read((3, 4), base_of((3, 4)) > 50)
read((3, 4), base_of((3, 4)) > 0)
read((3, 4), bools([True, False, True]))
read((3, 4), ALL, bools([True, False, True, True]))
read((3, 4), bools([True, False, True]), ints([1, 2]))
read((3, 4), bools([True, False, False]), ints([1, 2]))
read((3, 4, 5), base_of((3, 4)) % 3 == 0)
read((3, 4, 5), ALL, base_of((4, 5)) % 3 == 0)
read((3, 4, 5), 1, base_of((4, 5)) % 3 == 0)
read((3, 4, 5), bools([True, False, True]), ALL, bools([True, False, True, False, False]))
read((3, 4, 5), ALL, None, base_of((4, 5)) % 7 == 0)
read((3, 4, 5), bools([False] * 3), ALL, 2)
read((), bools(True))
read((), bools(False))
read((3,), bools(True))
read((0, 3), np.zeros((0, 3), bool))
# ---- writing: duplicates, broadcasting ------------------------------------------------------------------------------
write((5,), (4,), ints([1, 1, 3, 1]))
write((5,), (2, 2), ints([[1, 1], [-4, 1]]))
write((5,), (1, 3), ints([0, 2, 0]))
write((5,), (), ints([0, 2, 0]))
write((3, 4), (3, 4), ints([1, 1, 0]))
write((3, 4), (4,), ints([1, 1, 0]))
write((3, 4), (3, 1), ints([1, 1, 0]))
write((3, 4), (3, 2), ALL, ints([3, 3]))
write((3, 4), (2,), ALL, ints([3, 3]))
write((3, 4), (2, 3), ints([[0], [0]]), ints([1, 2, 1]))
write((3, 4, 5), (2, 4), ints([0, 0]), ALL, ints([1, 1]))
write((3, 4, 5), (2, 3, 2), ints([0, 0]), slice(0, 3), slice(None, None, 4))
write((3, 4), (7,), base_of((3, 4)) > 5)
write((3, 4), (1,), base_of((3, 4)) > 5)
write((3, 4), (2, 4), bools([True, False, True]))
write((3, 4), (4,), bools([True, False, True]))
write((3, 4), (1, 4), bools([True, False, True]))
write((3, 4), (3, 2), ALL, bools([True, False, False, True]))
write((3, 4), (3, 1), ALL, bools([True, False, False, True]))
write((3, 4), (2,), bools([True, False, True]), ints([1, 1]))
write((3, 4, 5), (5,), base_of((3, 4)) % 3 == 0)
write((3, 4, 5), (3, 1), ALL, base_of((4, 5)) % 3 == 0)
write((3, 4, 5), (), ALL, base_of((4, 5)) % 3 == 0)
write((3, 4), (0,), ints([]), ints([]))
write((), (), bools(True))
write((), (1,), bools(False))


def random_index(shape, broadcast):
    """Some index with an array at least; the arrays broadcast to that shape."""
    index, axis, arrays = [], 0, 0
    stop = rng.randrange(1, len(shape) + 1)
    while axis < stop:
        kind = rng.choice("iiiiirrrnam")
        extent = shape[axis]
        if kind == "n":
            index.append(None)
            continue
        if kind == "i" or extent == 0 and kind in "r":
            own = [d if rng.random() < 0.7 else 1 for d in broadcast[rng.randrange(len(broadcast) + 1):]]
            if extent == 0:
                return random_index(shape, broadcast)
            index.append(ints(np.array([rng.randrange(-extent, extent) for _ in range(int(np.prod(own)))]).reshape(own)))
            arrays += 1
        elif kind == "r":
            step = rng.choice([1, 1, 2, -1, -2])
            index.append(slice(None, None, step) if rng.random() < 0.5 else
                         slice(rng.randrange(extent), None, step))
        elif kind == "m":
            rank = rng.randrange(1, min(2, len(shape) - axis) + 1)
            count = broadcast[-1] if broadcast else 1
            size = int(np.prod(shape[axis:axis + rank]))
            if count > size:
                continue
            mask = np.zeros(size, bool)
            mask[rng.sample(range(size), count)] = True
            index.append(mask.reshape(shape[axis:axis + rank]))
            axis += rank - 1
            arrays += 1
        elif extent > 0:
            index.append(rng.randrange(-extent, extent))
        axis += 1
    return tuple(index) if arrays else random_index(shape, broadcast)


for _ in range(120):
    shape = tuple(rng.randrange(1, 6) for _ in range(rng.randrange(1, 5)))
    index = random_index(shape, tuple(rng.randrange(1, 4) for _ in range(rng.randrange(0, 3))))
    read(shape, *index)
    if rng.random() < 0.5:
        own = base_of(shape)[index].shape
        write(shape, tuple(d if rng.random() < 0.8 else 1 for d in own[rng.randrange(len(own) + 1):]), *index)

with open(os.path.join(HERE, "index.lua"), "w") as file:
    file.write(f"""-- Written by make_numpy_index.py with NumPy {np.__version__}: a shape, an index, the result's shape and elements.
-- N is a new axis, I(shape, elements) an array of integers, B one of booleans.
local N, I, B = ...
local read = {{
{"".join(rows)}}}
-- The same for a[index] = -1, -2 ... of a shape: the array afterwards.
local write = {{
{"".join(writes)}}}
return read, write
""")
