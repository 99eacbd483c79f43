"""Writes spec/data/golden/numpy_ops.lua: what NumPy computes, for spec/gpuarray/gpuarray_ops_spec.lua.

    python3 spec/data/golden/numpy_ops.py

Needs NumPy 2; the specs do not. Arrays are hexadecimal text of their bytes.
"""

import os
import numpy as np

np.seterr(all="ignore")

NAMES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
         "float64", "complex64", "complex128"]
inf, nan = np.inf, np.nan


def text(array):
    return np.ascontiguousarray(array).tobytes().hex()


def reals(name):
    info = np.finfo(name)
    values = [0.0, -0.0, 1, -1, 0.5, -1.5, 2.5, -3, 7.25, 0.1, 1e3, float(info.max), -float(info.tiny),
              float(info.smallest_subnormal), inf, -inf, nan]
    return np.array(values, dtype=name)


def integers(name):
    info = np.iinfo(name)
    values = [0, 1, 2, 3, 7, 8, 33, 100, info.max, info.max // 2]
    if info.min < 0:
        values += [-1, -2, -7, -100, info.min, info.min + 1]
    return np.array(values, dtype=name)


def complexes(name):
    part = np.float32 if name == "complex64" else np.float64
    big = float(np.finfo(part).max)
    small = float(np.finfo(part).tiny) / 8
    values = [0.0, -0.0, 1, -2.5, 20.25, -big / 2, small, inf, -inf, nan]
    z = np.empty(len(values) ** 2, dtype=name)
    x, y = np.meshgrid(np.array(values, dtype=part), np.array(values, dtype=part))
    z.real, z.imag = x.ravel(), y.ravel()
    more = np.array([0.6 + 0.8j, -0.8 + 0.6j, 0.8 - 0.6000001j, 1 + 1e-5j, 3 + 4j, -3 - 0.01j, 12.5 - 7j, 88.9 + 1j,
                     -89.1 - 2j, 1e-20 + 1e-20j, 1e19 + 2e19j, 1e-3 - 1e-4j], dtype=name)
    return np.concatenate([z, more])


rows = []


inputs = {}


def base(array):
    """The name of an array, which is written once."""
    key = "%s:%s" % (array.dtype.name, text(array))
    if key not in inputs:
        inputs[key] = "i%d" % (len(inputs) + 1)
    return inputs[key]


def case(op, function, *operands):
    """An operand is an array, repeated and rolled so that each element meets others: (array, each, roll) is the array
    whose element i is element (i / each + roll) modulo its size of the given one."""
    length = max(x.size * each for x, each, _ in operands)
    values = [np.roll(x, -roll)[(np.arange(length) // each) % x.size] for x, each, roll in operands]
    result = function(*values)
    fields = ", ".join('{ "%s", %d, %d }' % (base(x), each, roll) for x, each, roll in operands)
    rows.append('  { "%s", %d, { %s }, "%s:%s" },' % (op, length, fields, result.dtype.name, text(result)))


def outer(x, y):
    """All pairs of their elements."""
    return (x, y.size, 0), (y, 1, 0)


for name in ["float16", "float32", "float64"]:
    x = reals(name)
    for op, f in {"mod": np.remainder, "floordiv": np.floor_divide, "fmod": np.fmod, "pow": np.power,
                  "nextafter": np.nextafter, "heaviside": np.heaviside, "hypot": np.hypot,
                  "logaddexp": np.logaddexp}.items():
        case(op, f, *outer(x, x))
    for op, f in {"sign": np.sign, "rint": np.rint, "modf_fraction": lambda v: np.modf(v)[0],
                  "modf_integer": lambda v: np.modf(v)[1], "signbit": np.signbit, "reciprocal": np.reciprocal,
                  "degrees": np.degrees, "radians": np.radians, "angle": np.angle}.items():
        case(op, f, (x, 1, 0))
    exact = x[np.isfinite(x)]
    case("frexp_mantissa", lambda v: np.frexp(v)[0], (exact, 1, 0))
    case("frexp_exponent", lambda v: np.frexp(v)[1], (exact, 1, 0))
    e = np.array([0, 1, -1, 10, -10, 200, -200, 2000, -2000, 2**31 - 1, -2**31], dtype=np.int32)
    case("ldexp", np.ldexp, *outer(x, e))
    few = x[[0, 3, 6, 8, -3, -1]]
    case("clip", np.clip, (x, 36, 0), (few, 6, 0), (few, 1, 0))

for name in ["int8", "uint8", "int32", "int64", "uint64"]:
    x = integers(name)
    for op, f in {"add": np.add, "sub": np.subtract, "mul": np.multiply, "mod": np.remainder,
                  "floordiv": np.floor_divide, "fmod": np.fmod, "left_shift": np.left_shift,
                  "right_shift": np.right_shift, "gcd": np.gcd, "lcm": np.lcm}.items():
        case(op, f, *outer(x, x))
    case("pow", np.power, *outer(x, x[x >= 0]))
    for op, f in {"abs": np.abs, "neg": np.negative, "sign": np.sign, "square": np.square,
                  "bitwise_not": np.invert}.items():
        case(op, f, (x, 1, 0))

for name in ["complex64", "complex128"]:
    z = complexes(name)
    for op, f in {"abs": np.abs, "angle": np.angle, "exp": np.exp, "log": np.log, "log10": np.log10, "log2": np.log2,
                  "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tan": np.tan, "sinh": np.sinh, "cosh": np.cosh,
                  "tanh": np.tanh, "sign": np.sign, "reciprocal": np.reciprocal, "rint": np.rint,
                  "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite}.items():
        case(op, f, (z, 1, 0))
    # Not the product: NumPy fuses multiplications and additions of it, where the processor can.
    for op, f in {"div": np.divide, "eq": np.equal, "ne": np.not_equal}.items():
        for roll in [1, 30, 70]:
            case(op, f, (z, 1, 0), (z, 1, roll))
    ordinary = np.array([0, 1, -1, 2 + 1j, -0.5 + 3j, 0.1 - 0.2j, 4j, -3, 1e3 - 1j], dtype=name)
    case("pow", np.power, *outer(ordinary, ordinary))

KINDS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}


def comparable(a, b):
    """Where our rule is NumPy's: not for an integer with a float or a complex number, of which the latter decides."""
    kinds = sorted([KINDS[np.dtype(a).kind], KINDS[np.dtype(b).kind]])
    return kinds[0] == 0 or kinds[0] == kinds[1] or kinds[0] > 1


promotions = []
for op, f in {"add": np.add, "sub": np.subtract, "mul": np.multiply, "mod": np.remainder, "floordiv": np.floor_divide,
              "fmod": np.fmod, "pow": np.power, "bitwise_and": np.bitwise_and, "left_shift": np.left_shift,
              "minimum": np.minimum, "fmax": np.fmax, "gcd": np.gcd, "logical_or": np.logical_or, "eq": np.equal,
              "ne": np.not_equal}.items():
    for a in NAMES:
        line = []
        for b in NAMES:
            if not comparable(a, b):
                line.append("-")
                continue
            try:
                line.append(f(np.ones(1, dtype=a), np.ones(1, dtype=b)).dtype.name)
            except TypeError:
                line.append("error")
        promotions.append('  { "%s", "%s", "%s" },' % (op, a, " ".join(line)))

path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "numpy_ops.lua")
with open(path, "w") as out:
    out.write("-- Made by numpy_ops.py with NumPy %s.\nreturn {\ninputs = {\n" % np.__version__)
    for key, name in inputs.items():
        out.write('  %s = "%s",\n' % (name, key))
    out.write("},\nrows = {\n%s\n},\n" % "\n".join(rows))
    out.write('names = "%s",\npromotions = {\n%s\n},\n}\n' % (" ".join(NAMES), "\n".join(promotions)))
print(path, os.path.getsize(path), "bytes")
