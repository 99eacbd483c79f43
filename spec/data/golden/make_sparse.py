#!/usr/bin/env python3
"""What SciPy makes of a few sparse matrices: writes spec/data/golden/sparse.lua.

    python3 spec/data/golden/make_sparse.py

Needs SciPy (1.17 wrote the file); the suite does not. Positions are written as they count here, from 1.
"""
import os

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spl

HERE = os.path.dirname(os.path.abspath(__file__))


def lua(x):
    x = np.asarray(x)
    if x.ndim:
        return "{ " + ", ".join(lua(v) for v in x) + " }"
    if x.dtype.kind == "c":
        return "{ %r, %r }" % (float(x.real), float(x.imag))
    return repr(int(x)) if x.dtype.kind in "iu" else repr(float(x))


def values(rng, n, dtype):
    v = rng.integers(-40, 41, n) / 8
    if dtype.startswith("complex"):
        v = v + 1j * rng.integers(-40, 41, n) / 8
    return v.astype(dtype)


def compressed(m):
    m = m.copy()
    m.sum_duplicates()
    return "{ data = %s, indices = %s, indptr = %s }" % (lua(m.data), lua(m.indices + 1), lua(m.indptr + 1))


def case(name, seed, rows, columns, n, dtype):
    rng = np.random.default_rng(seed)
    r, c, v = rng.integers(0, rows, n), rng.integers(0, columns, n), values(rng, n, dtype)
    a = sp.coo_array((v, (r, c)), shape=(rows, columns)).tocsr()
    m = n // 2
    b = sp.coo_array((values(rng, m, dtype), (rng.integers(0, rows, m), rng.integers(0, columns, m))),
                     shape=(rows, columns)).tocsr()
    x, z, d = values(rng, columns, dtype), values(rng, rows, dtype), values(rng, columns * 3, dtype).reshape(columns, 3)
    bc = b.tocoo()
    lines = [
        ("dtype", '"%s"' % dtype), ("shape", lua([rows, columns])),
        ("data", lua(v)), ("rows", lua(r + 1)), ("columns", lua(c + 1)),
        ("other", "{ data = %s, rows = %s, columns = %s }" % (lua(bc.data), lua(bc.row + 1), lua(bc.col + 1))),
        ("x", lua(x)), ("z", lua(z)), ("dense", lua(d)),
        ("csr", compressed(a)), ("csc", compressed(a.tocsc())),
        ("ax", lua(a @ x)), ("tz", lua(a.T @ z)), ("ad", lua(a @ d)),
        ("product", lua((a @ b.T).toarray())),
        ("sum", lua((a + b).toarray())), ("difference", lua((a - b).toarray())), ("times", lua(a.multiply(b).toarray())),
        ("sums", "{ %s, %s, %s }" % (lua(a.sum()), lua(a.sum(axis=0)), lua(a.sum(axis=1)))),
        ("diagonals", "{ %s, %s, %s }" % (lua(a.diagonal()), lua(a.diagonal(2)), lua(a.diagonal(-1)))),
    ]
    return "  [%r] = {\n%s  },\n" % (name, "".join("    %s = %s,\n" % line for line in lines))


def system(name, seed, n, dtype):
    rng = np.random.default_rng(seed)
    a = sp.coo_array((values(rng, 3 * n, dtype), (rng.integers(0, n, 3 * n), rng.integers(0, n, 3 * n))), shape=(n, n))
    a = (a + a.conj().T).tocsr() + sp.eye_array(n, dtype=dtype) * 60
    b = values(rng, n, dtype)
    x = spl.spsolve(a.tocsc(), b)
    c = a.tocoo()
    lines = [("dtype", '"%s"' % dtype), ("shape", lua([n, n])), ("data", lua(c.data)), ("rows", lua(c.row + 1)),
             ("columns", lua(c.col + 1)), ("b", lua(b)), ("x", lua(x))]
    return "  [%r] = {\n%s  },\n" % (name, "".join("    %s = %s,\n" % line for line in lines))


with open(os.path.join(HERE, "sparse.lua"), "w") as f:
    f.write("-- What SciPy makes of a few sparse matrices. Written by make_sparse.py.\n-- luacheck: ignore 631\n")
    f.write("return { matrices = {\n")
    f.write(case("wide", 1, 7, 12, 30, "float64"))
    f.write(case("tall", 2, 15, 6, 40, "float32"))
    f.write(case("complex", 3, 9, 9, 35, "complex128"))
    f.write(case("one row", 4, 1, 10, 8, "float64"))
    f.write(case("few", 5, 20, 20, 6, "float32"))
    f.write("}, systems = {\n")
    f.write(system("real", 11, 25, "float64"))
    f.write(system("complex", 12, 20, "complex128"))
    f.write("} }\n")
