#!/usr/bin/env python3
"""Writes spec/data/golden/complex_functions.lua: inverse functions, expm1 and log1p of complex numbers, by mpmath.

    python3 spec/data/golden/complex_functions.py

Needs NumPy and mpmath; the suite does not. Points lie beside branch points and cuts, near 0, near the circles where terms
cancel, and at both ends of the range, all with y >= 0: the spec takes the other half plane from conj(f(z)) = f(conj(z)).
Special values are those of C's annex G and of the array API standard. Arrays are hexadecimal text of their bytes.
"""
import os
import random

import mpmath
import numpy as np
from mpmath import mp, mpf, mpc

mp.dps = 800  # 1 + y * y is not 1 for the least y
HERE = os.path.dirname(os.path.abspath(__file__))
FUNCTIONS = ["asin", "acos", "asinh", "acosh", "atan", "atanh", "expm1", "log1p"]


def asin(x, y):  # x, y >= 0; on the axes by the real functions, whose results have a part that is 0
    if y == 0:
        return (mp.asin(x), mpf(0)) if x <= 1 else (mp.pi / 2, mp.acosh(x))
    if x == 0:
        return mpf(0), mp.asinh(y)
    w = mp.asin(mpc(x, y))
    return w.real, w.imag


def atanh(x, y):
    if y == 0:
        if x == 1:
            return mpf("inf"), mpf(0)
        return (mp.atanh(x), mpf(0)) if x < 1 else (mp.atanh(1 / x), mp.pi / 2)
    if x == 0:
        return mpf(0), mp.atan(y)
    w = mp.atanh(mpc(x, y))
    return w.real, w.imag


def acos(x, y):  # x of either sign
    w = asin(abs(x), y)
    if w[0] == mp.pi / 2:
        real = mpf(0) if x > 0 else mp.pi
    else:
        real = mp.pi / 2 - w[0] if x >= 0 else mp.pi / 2 + w[0]
        if x > 0 and y != 0:
            real = mp.acos(mpc(x, y)).real
    return real, -w[1]


def odd(f, x, y):
    w = f(abs(x), y)
    return (-w[0] if x < 0 else w[0]), w[1]


def swapped(f, x, y):  # of iz = -y + ix, divided by i
    w = f(y, abs(x))
    return (-w[1] if x < 0 else w[1]), w[0]


def expm1(x, y):
    if y == 0:
        return mp.expm1(x), mpf(0)
    w = mp.expm1(mpc(x, y))
    return w.real, w.imag


def log1p(x, y):
    if y == 0:
        return (mpf("-inf"), mpf(0)) if x == -1 else (mp.log(abs(1 + x)), mpf(0) if x > -1 else mp.pi)
    w = mp.log(mpc(1 + x, y))
    return w.real, w.imag


VALUES = {
    "asin": lambda x, y: odd(asin, x, y), "acos": acos, "asinh": lambda x, y: swapped(asin, x, y),
    "acosh": lambda x, y: (-acos(x, y)[1], acos(x, y)[0]), "atan": lambda x, y: swapped(atanh, x, y),
    "atanh": lambda x, y: odd(atanh, x, y), "expm1": expm1, "log1p": log1p,
}


def signs(name, x):
    """Of the parts where y is not negative, zeros included; 0: its own. mpmath has one zero."""
    if name in ("asin", "asinh", "atan", "atanh"):
        return np.copysign(1, x), 1
    return {"acos": (1, -1), "acosh": (1, 1)}.get(name, (0, 0))


def points(part):
    info = np.finfo(part)
    eps, tiny, top = float(info.eps), float(info.tiny), float(info.max)
    least = float(info.smallest_subnormal)
    around = [0.0, least, tiny, tiny ** 0.5 * 1.7, eps * 0.3, 1e-3, 0.4, 1 - eps / 2, 1.0, 1 + eps, 1.5, 6.0, 1 / eps,
              top ** 0.5, top]
    grid = [(x, y) for x in around for y in around]
    rng = random.Random(9)
    out = [p for i, p in enumerate(grid) if p[0] in (0.0, 1.0) or p[1] in (0.0, 1.0) or i % 3 == 0]
    for _ in range(40):  # of ordinary size
        out.append((rng.uniform(0, 3), rng.uniform(0, 3)))
    for _ in range(30):  # of all sizes
        out.append((10 ** rng.uniform(-12, 12), 10 ** rng.uniform(-12, 12)))
    for _ in range(20):  # beside 1, and i
        x, y = 1 + rng.uniform(-1, 1) * 10 ** rng.uniform(-6, -1), 10 ** rng.uniform(-9, -1)
        out.append((x, y) if rng.random() < 0.5 else (y, x))
    out = [(-x if i % 2 else x, y) for i, (x, y) in enumerate(out)]
    for _ in range(20):  # |1 + z| near 1, and |z| near 1
        t = rng.uniform(0.001, 3)
        out.append((float(np.cos(t)) - 1, float(np.sin(t))))
        out.append((float(np.cos(t)), float(np.sin(t))))
    with np.errstate(all="ignore"):
        return [(float(part(x)), float(part(y))) for x, y in out]


def number(part, v):
    """The nearest number of a type; below the normal ones a multiple of the least."""
    if mp.isinf(v):
        return part(float(v))
    info = np.finfo(part)
    if abs(v) < mpf(float(info.tiny)):
        least = mpf(float(info.smallest_subnormal))
        return np.copysign(part(float(mp.nint(v / least) * least)), part(-1 if v < 0 else 1))
    with mpmath.workprec(info.nmant + 1):
        v = +v
    with np.errstate(all="ignore"):
        return part(float(v))


def text(part, values):
    return np.array(values, dtype=part).tobytes().hex()


# Special values of the upper half plane: x, y, real and imaginary part; as text where it may have either sign.
inf, nan, PI = float("inf"), float("nan"), np.pi
SPECIAL = {
    "acos": [(0, nan, PI / 2, nan), (2, inf, PI / 2, -inf), (2, nan, nan, nan), (-inf, 3, PI, -inf), (inf, 3, 0, -inf),
             (-inf, inf, 3 * PI / 4, -inf), (inf, inf, PI / 4, -inf), (inf, nan, nan, "inf"), (-inf, nan, nan, "inf"),
             (nan, 1, nan, nan), (nan, inf, nan, -inf), (nan, nan, nan, nan), (nan, 0, nan, nan)],
    "acosh": [(2, inf, inf, PI / 2), (2, nan, nan, nan), (-inf, 3, inf, PI), (inf, 3, inf, 0),
              (-inf, inf, inf, 3 * PI / 4), (inf, inf, inf, PI / 4), (inf, nan, inf, nan), (-inf, nan, inf, nan),
              (nan, 1, nan, nan), (nan, inf, inf, nan), (nan, nan, nan, nan)],
    "asinh": [(2, inf, inf, PI / 2), (2, nan, nan, nan), (inf, 3, inf, 0), (inf, inf, inf, PI / 4), (inf, nan, inf, nan),
              (nan, 0, nan, 0), (nan, 1, nan, nan), (nan, inf, "inf", nan), (nan, nan, nan, nan), (-inf, 3, -inf, 0)],
    "atanh": [(0, nan, 0, nan), (1, 0, inf, 0), (2, inf, 0, PI / 2), (2, nan, nan, nan), (inf, 3, 0, PI / 2),
              (inf, inf, 0, PI / 2), (inf, nan, 0, nan), (nan, 3, nan, nan), (nan, inf, "0", PI / 2),
              (nan, nan, nan, nan), (-inf, 3, -0.0, PI / 2), (1e30, nan, nan, nan), (nan, 1e30, nan, nan)],
    "expm1": [(0, 0, 0, 0), (2, inf, nan, nan), (2, nan, nan, nan), (inf, 0, inf, 0), (-inf, 2, -1, "0"),
              (inf, 2, -inf, inf), (inf, 1, inf, inf), (-inf, inf, -1, "0"), (inf, inf, "inf", nan),
              (-inf, nan, -1, "0"), (inf, nan, "inf", nan), (nan, 0, nan, 0), (nan, 1, nan, nan), (nan, nan, nan, nan)],
    "log1p": [(-1, 0, -inf, 0), (2, inf, inf, PI / 2), (2, nan, nan, nan), (-inf, 2, inf, PI), (inf, 2, inf, 0),
              (-inf, inf, inf, 3 * PI / 4), (inf, inf, inf, PI / 4), (inf, nan, inf, nan), (-inf, nan, inf, nan),
              (nan, 1, nan, nan), (nan, inf, inf, nan), (nan, nan, nan, nan)],
}
# asin(x + iy) is asinh(y + ix) with its parts exchanged (-i asinh(iz), by the symmetry of asinh); so for atan.
for name, of in (("asin", "asinh"), ("atan", "atanh")):
    SPECIAL[name] = [(y, x, v, u) for x, y, u, v in SPECIAL[of] if not x < 0]


def special(part, rows):
    flat = [float(v) for row in rows for v in row]
    either = ["[%d] = true" % (i + 1) for i, v in enumerate(v for row in rows for v in row) if isinstance(v, str)]
    return '{ "%s", { %s } }' % (text(part, flat), ", ".join(either))


lines = []
for part, name in ((np.float32, "complex64"), (np.float64, "complex128")):
    given = points(part)
    lines.append("%s = {" % name)
    lines.append('  points = "%s",' % text(part, [v for p in given for v in p]))
    for f in FUNCTIONS:
        values = []
        for x, y in given:
            w = VALUES[f](mpf(x), mpf(y))
            for v, sign in zip(w, signs(f, x)):
                v = number(part, v)
                values.append(np.copysign(v, part(sign)) if sign else v)
        lines.append('  %s = "%s",' % (f, text(part, values)))
    lines.append("  special = {")
    for f in FUNCTIONS:
        lines.append("    %s = %s," % (f, special(part, SPECIAL[f])))
    lines.append("  },\n},")
path = os.path.join(HERE, "complex_functions.lua")
with open(path, "w") as out:
    out.write("-- Made by complex_functions.py with mpmath %s.\nreturn {\n%s\n}\n" % (mpmath.__version__, "\n".join(lines)))
print(path, os.path.getsize(path), "bytes,", len(given), "points")
