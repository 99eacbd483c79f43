#!/usr/bin/env python3
"""What NumPy's products of arrays give: writes spec/data/golden/linalg.lua, for spec/linalg/products_spec.lua.

    python3 spec/data/golden/make_linalg.py    from the project's root; made with NumPy 2.4.6

The numbers are small integers, whole or as floats, so that sums are exact in any order. A case is a call in Lua on arrays
a, b, c, these arrays, and the result. An array is {dtype, shape, hexadecimal text of its bytes}.
"""
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(20)
CASES = []


def text(x):
    x = np.asarray(x)
    return '{ "%s", { %s }, "%s" }' % (x.dtype.name, ", ".join(map(str, x.shape)), np.ascontiguousarray(x).tobytes().hex())


def whole(shape, dtype="float64"):
    low = 0 if np.dtype(dtype).kind in "ub" else -9
    x = rng.integers(low, 10, shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.integers(-9, 10, shape)
    return x.astype(dtype)


def case(call, inputs, result):
    CASES.append("  { [=[%s]=], { %s },\n    %s }," % (call, ", ".join(text(x) for x in inputs), text(result)))


# Integers are added up in 64 bits here, and in their own type there.
def wide(x):
    return x.astype({"i": "int64", "u": "uint64", "b": "int64"}[x.dtype.kind]) if x.dtype.kind in "iub" else x


TYPES = ["float32", "float64", "complex64", "complex128", "int16", "int64", "uint8", "bool"]

for t in TYPES:
    a, b = whole((4, 5), t), whole((5, 3), t)
    case("g.matmul(a, b)", [a, b], wide(a) @ wide(b))
    case("a:inner(b.T)", [a, b], np.inner(wide(a), wide(b).T))
    case("a:tensordot(b, 1)", [a, b], np.tensordot(wide(a), wide(b), 1))
    case('g.einsum("ij,jk->ki", a, b)', [a, b], np.einsum("ij,jk->ki", wide(a), wide(b)))
    b = whole((2, 1, 5), t)
    case("a:vecdot(b)", [a, b], np.vecdot(wide(a), wide(b)))

for t in ["float64", "complex128", "int64"]:
    a, b = whole((2, 1, 3, 4), t), whole((5, 4, 2), t)
    case("a:matmul(b)", [a, b], a @ b)
    a, b = whole((6,), t), whole((2, 6, 3), t)
    case("a:matmul(b)", [a, b], a @ b)
    a, b = whole((2, 3, 6), t), whole((6,), t)
    case("a:matmul(b)", [a, b], a @ b)
    a, b = whole((4,), t), whole((2, 3), t)
    case("a:outer(b)", [a, b], np.outer(a, b))
    case("a:kron(b)", [a, b], np.kron(a, b))
    case("b:kron(a)", [a, b], np.kron(b, a))
    a, b = whole((2, 3, 4), t), whole((3, 2), t)
    case("a:kron(b)", [a, b], np.kron(a, b))
    b = whole((5, 4), t)
    case("a:inner(b)", [a, b], np.inner(a, b))
    a, b = whole((4, 1, 3), t), whole((5, 3), t)
    case("a:cross(b)", [a, b], np.cross(a, b))
    case("a:vecdot(b)", [a, b], np.vecdot(a, b))
    a, b = whole((3, 4), t), whole((3, 4), t)
    case("a:cross(b, 1)", [a, b], np.cross(a, b, axis=0))
    case("a:vecdot(b, 1)", [a, b], np.vecdot(a, b, axis=0))
    case("a:vecdot(b, { axis = -1 })", [a, b], np.vecdot(a, b))
    a = whole((3, 5, 4), t)
    case("a:trace()", [a], np.trace(a))
    case("a:trace(1)", [a], np.trace(a, 1))
    case("a:trace(-2, { axis1 = 3, axis2 = 2 })", [a], np.trace(a, -2, 2, 1))
    for k in [0, 1, -2]:
        case("a:tril(%d)" % k, [a], np.tril(a, k))
        case("a:triu(%d)" % k, [a], np.triu(a, k))
    a, b = whole((2, 3, 4, 5), t), whole((4, 3, 6), t)
    case("a:tensordot(b, { axes = { { 3, 2 }, { 1, 2 } } })", [a, b], np.tensordot(a, b, ([2, 1], [0, 1])))
    case("a:tensordot(b, { axes = { 3, 1 } })", [a, b], np.tensordot(a, b, (2, 0)))
    case("a:tensordot(b, { axes = { { -3, -2 }, { -2, 1 } } })", [a, b], np.tensordot(a, b, ([1, 2], [1, 0])))
    a, b = whole((2, 3), t), whole((2, 3), t)
    case("a:tensordot(b)", [a, b], np.tensordot(a, b))
    case("a:tensordot(b, 0)", [a, b], np.tensordot(a, b, 0))

EINSUM = [
    ("ij,jk", [(2, 3), (3, 4)]), ("ij,jk->", [(2, 3), (3, 4)]), ("ba", [(2, 3)]), ("ab->ba", [(2, 3)]), ("ii", [(4, 4)]),
    ("ii->i", [(4, 4)]), ("iij->ji", [(3, 3, 2)]), ("ijj,j->i", [(2, 3, 3), (3,)]), ("i,j->ij", [(3,), (2,)]),
    ("i,i", [(5,), (5,)]), ("ij,ij->j", [(2, 3), (2, 3)]), ("bij,bjk->bik", [(2, 3, 4), (2, 4, 2)]),
    ("bij,bjk->kb", [(2, 3, 4), (2, 4, 2)]), ("...ij,...jk->...ik", [(2, 1, 3, 4), (5, 4, 2)]),
    ("...i,i", [(2, 3, 4), (4,)]), ("i...->...", [(3, 2, 2)]), ("i...,i...->i...", [(3, 2), (3, 1)]),
    ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)]), ("ij,jk,kl,lm", [(2, 6), (6, 3), (3, 5), (5, 2)]),
    ("abc,cd,b->ad", [(2, 3, 4), (4, 2), (3,)]), ("i,j,k->kji", [(2,), (3,), (2,)]), ("ij,kl->", [(2, 2), (3, 3)]),
    ("a...a->...a", [(2, 3, 2)]), (" i j , j -> i ", [(2, 3), (3,)]), ("Ab,bC", [(2, 3), (3, 2)]), (",ij->ij", [(), (2, 2)]),
    ("ij,ik,il->jkl", [(4, 2), (4, 3), (4, 2)]), ("ij,j->ij", [(2, 3), (3,)]), ("ij,jk->ik", [(0, 3), (3, 2)]),
    ("ij,jk->ik", [(2, 0), (0, 2)]),
]
for subscripts, shapes in EINSUM:
    for t in ["float64", "complex128", "int64"]:
        inputs = [whole(shape, t) for shape in shapes]
        names = ", ".join("abcd"[: len(shapes)])
        case('g.einsum("%s", %s)' % (subscripts, names), inputs, np.einsum(subscripts, *inputs))

for t in ["float64", "complex128", "int64"]:
    chain = [whole(s, t) for s in [(3, 7), (7, 2), (2, 6), (6, 4)]]
    case("linalg.multi_dot { a, b, c, d }", chain, np.linalg.multi_dot(chain))
    case("linalg.multi_dot { a, b }", chain[:2], chain[0] @ chain[1])
    ends = [whole(7, t), chain[1], whole((2, 7), t), whole(7, t)]
    case("linalg.multi_dot { a, b, c, d }", ends, np.linalg.multi_dot(ends))
    case("linalg.multi_dot { a, b, c }", ends[:3], np.linalg.multi_dot(ends[:3]))
    a = whole((2, 3, 3), t)
    for n in [0, 1, 2, 3, 5]:
        case("linalg.matrix_power(a, %d)" % n, [a], np.linalg.matrix_power(a, n))

with open(os.path.join(HERE, "linalg.lua"), "w") as f:
    f.write("-- Written by make_linalg.py: what NumPy %s gives.\nreturn {\n%s\n}\n" % (np.__version__, "\n".join(CASES)))
