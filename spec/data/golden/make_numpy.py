#!/usr/bin/env python3
"""What NumPy says, for the specs to compare with: text of arrays, promotion, conversions, .npy and .npz files.

    python3 spec/data/golden/make_numpy.py          writes the files of spec/data/golden anew
    python3 spec/data/golden/make_numpy.py check    has NumPy read what this library writes

Needs NumPy and ml_dtypes (for bfloat16); `check` also needs luajit and the library on its paths (eval "$(./dev env)").
The suite needs none of them. The same version of NumPy writes the same bytes each time.
"""
import io
import os
import random
import struct
import subprocess
import sys
import tempfile
import zipfile
from fractions import Fraction

import ml_dtypes
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]


def write(name, data):
    path = os.path.join(HERE, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def lua_list(numbers):
    return "{ " + ", ".join(str(n) for n in numbers) + " }" if len(numbers) else "{}"


# ---- text -------------------------------------------------------------------------------------------------------

def notation(a):
    """NumPy's text as this library has it: true, false, i, and a complex number alone without parentheses."""
    text = str(a)
    if a.dtype.kind == "b":
        text = text.replace("True", "true").replace("False", "false")
    if a.dtype.kind == "c":
        text = text.replace("j", "i")
        if a.ndim == 0:
            text = text.strip("()")
    return text


FLOATS = """1 2 3|0|-0.0 0|1e-5 1|1e-4|9.9e-5|0.0001 0.05|1e3 1|1001 1|1000 1|999.5 0.5|1e-3 1|0.1 0.22 0.333|1.5 -2
-1|-1 1|1e8|99999999|1e7 0.1|123456.789|1234567|12345678|123456789|1e16|1e15 1|1e22|1e23|9007199254740993|65504|1e5
nan|nan 1.5|inf -1|-inf nan 1e10|inf|-inf|nan nan|inf nan 1|-inf 0.125|nan -0.5|-nan|-inf 12345678|inf 1e-7|nan 100
0.3333333333333333|0.6666666666666666 1|2.5e-1 1e-1|3.14159265358979|-3.14159265358979 2.718281828|5e-324|2.2e-308
1.7976931348623157e308|1.7976931348623157e308 5e-324|3.4028235e38|1e-45|6e-8|6.1e-5|1.17549435e-38|0 1e-8|0 1e9|0 0 0
0.1 100|0.001 0.5|0.0009 0.5|0.5 499.9|0.5 500.1|1e10 1e10|1e10 -1e10|-1e-10 1|1e100 1|1e-100 1|12 1.25 -100.5
1 10 100|1 10 100 1000|1.1 10.22 100.333 999.4444|0.05 0.5 5|1e-2 1e-1 1 10|2 0.00390625|65536 0.5|16777216 1
100000 0.5|1e6 1e3|1234.5678|-1234.5678 0.25|0.99999999 1|0.999999999 1|0.123456789|0.1234567891 10|1.00000001
9.5367431640625e-07|-9.5367431640625e-07 0|3e-5 3|4.999e-5 5|7.99609375|0.7812 0.7817|2049|4097 0.5|1e-7 1e7"""


def float_lists():
    lists = [[float(x) for x in item.split()] for line in FLOATS.split("\n") for item in line.split("|")]
    rng = random.Random(20)
    for i in range(80):
        size = 10 ** rng.uniform(0, 6 if i % 2 else 2)
        digits = rng.choice([1, 2, 3, 5, 17])
        lists.append([float("%.*g" % (digits, rng.uniform(-1, 1) * size ** rng.uniform(-1, 1)))
                      for _ in range(rng.randint(1, 14))])
    return lists


def text_cases():
    rng = random.Random(21)
    for dtype in ["float16", "float32", "float64"]:
        for values in float_lists():
            with np.errstate(over="ignore"):
                a = np.array(values, "float64").astype(dtype)
            yield a
            if len(values) == 1:
                yield a.reshape(())
        for exponent in range(-8, 20):  # alone, from where digits are written to where an exponent is
            with np.errstate(over="ignore"):
                yield np.array(1.2345678901234567 * 10.0 ** exponent).astype(dtype)
    for dtype in ["complex64", "complex128"]:
        for re, im in zip(float_lists(), reversed(float_lists())):
            n = min(len(re), len(im))
            a = np.empty(n, dtype)
            with np.errstate(over="ignore"):
                a.real, a.imag = re[:n], im[:n]
            yield a
            if n == 1:
                yield a.reshape(())
    for dtype in DTYPES[:9]:
        low, high = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        for n in [1, 2, 3, 30]:
            values = [rng.choice([0, 1, low, high, rng.randint(low, high)]) for _ in range(n)]
            yield np.array(values, dtype)
        for value in [0, 1, low, high]:
            yield np.array(value, dtype)
            yield np.array([value], dtype)
        yield np.array([low, high], dtype)
    for dtype in ["float32", "float64", "float16"]:
        for n in [10, 18, 19, 20, 25, 100]:  # where lines end
            yield np.array([round(rng.uniform(-10, 10), 2) for _ in range(n)], dtype)
            yield np.array([0.5] * n, dtype)
        yield np.array([[round(rng.uniform(-1, 1), 3) for _ in range(30)] for _ in range(3)], dtype)
    for dtype in ["float32", "int32", "bool", "complex64"]:
        for shape in [(0,), (0, 3), (2, 0), (1, 0, 2), (), (1,), (1, 1), (1, 1, 1), (2, 3), (3, 1), (2, 2, 2),
                      (2, 1, 3, 2), (1, 2, 1, 2, 1), (2, 0, 3, 1), (3, 40), (2, 2, 25)]:
            yield np.arange(int(np.prod(shape))).astype(dtype).reshape(shape)


# Arrays of the numbers from 0 on that are too long to be shown whole, and some that are just short enough.
LONG = [(1000,), (1001,), (10, 100), (7, 143), (6, 167), (1, 1001), (1001, 1), (2, 501), (501, 2), (2, 3, 400),
        (200, 3, 2), (3, 3, 3, 50), (8, 8, 8, 8), (1, 1, 1, 1001), (100, 100, 100), (9, 200, 2), (1002, 0, 3), (250, 4, 1)]


def text():
    out = ["-- Text of arrays as NumPy %s lays it out. Written by make_numpy.py.\n" % np.__version__,
           "-- dtype, shape, the elements' bytes in hex (or how to count them), the text.\nreturn {\n"]
    for a in text_cases():
        out.append('  { "%s", %s, "%s", [=[\n%s]=] },\n' % (a.dtype, lua_list(a.shape), a.tobytes().hex(), notation(a)))
    for shape in LONG:
        for dtype in ["int64", "float32", "complex64", "uint8", "bool"]:
            n = int(np.prod(shape))
            if n > 10000 and dtype != "int64":
                continue
            a = (np.arange(n) % 251).astype(dtype).reshape(shape)
            out.append('  { "%s", %s, 251, [=[\n%s]=] },\n' % (dtype, lua_list(shape), notation(a)))
    out.append("}\n")
    write("text.lua", "".join(out))


# ---- types ------------------------------------------------------------------------------------------------------

def promotion():
    out = ["-- What NumPy %s promotes two types to. Written by make_numpy.py.\nreturn {\n" % np.__version__]
    for a in DTYPES:
        for b in DTYPES:
            out.append('  { "%s", "%s", "%s" },\n' % (a, b, np.promote_types(a, b)))
    write("promotion.lua", "".join(out) + "}\n")


def nearest_bfloat16(x):
    """The bits, from the number itself: ml_dtypes goes by way of float32, and so rounds twice."""
    if x != x:
        return 0x7fc0
    sign = 0x8000 if np.signbit(x) else 0
    if np.isinf(x):
        return sign | 0x7f80
    exact = abs(Fraction(x))
    low, high = 0, 0x7f80  # the largest pattern that is not above it; 0x7f80 stands for 2^128
    value = lambda bits: Fraction(2) ** 128 if bits == 0x7f80 else Fraction(float(np.array(bits, "uint16").view(
        ml_dtypes.bfloat16)))
    if exact >= value(high):
        return sign | high
    while high - low > 1:
        middle = (low + high) // 2
        if value(middle) <= exact:
            low = middle
        else:
            high = middle
    below, above = exact - value(low), value(high) - exact
    return sign | (low if below < above or below == above and low % 2 == 0 else high)


def conversions():
    rng = random.Random(22)
    doubles = [0.0, -0.0, 1.0, float("inf"), float("-inf"), float("nan"), 65504.0, 65519.99, 65520.0, 65536.0, 2.0 ** -24,
               2.0 ** -25, 2.0 ** -25 * 1.0000001, 6.1e-5, 2.0 ** -14, 3.39e38, 3.3961775292304e38, 3.4e38, 1e300, 5e-324,
               1e-40, 9.2e-41, 4.6e-41, 1.00390625, 1.01171875, 1 + 2.0 ** -11, 1 + 2.0 ** -11 + 2.0 ** -40,
               1 + 3 * 2.0 ** -11, 1 + 2.0 ** -24, 1 + 2.0 ** -24 + 2.0 ** -50]
    doubles += [rng.uniform(-1, 1) * 2.0 ** rng.randint(-30, 20) for _ in range(200)]
    doubles += [rng.uniform(-1, 1) * 2.0 ** rng.randint(-150, 130) for _ in range(200)]
    out = ["-- float64 bits, and the float16, bfloat16 and float32 bits they round to. Written by make_numpy.py.\n",
           "return {\n"]
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for x in doubles:
            d = np.array(x, "float64")
            half, single = d.astype("float16").view("uint16"), d.astype("float32").view("uint32")
            out.append('  { "%s", 0x%04x, 0x%04x, 0x%08x },\n' % (struct.pack("<d", x).hex(), int(half),
                                                                 nearest_bfloat16(x), int(single)))
    write("conversion.lua", "".join(out) + "}\n")


# ---- files ------------------------------------------------------------------------------------------------------

def sample(dtype, shape):
    """Elements that every reader can check: number i is (i * 37 + 11) % 101, less 50 where there is a sign."""
    n = int(np.prod(shape))
    values = (np.arange(n) * 37 + 11) % 101
    if dtype == "bool":
        return (values % 2 == 0).reshape(shape)
    if not dtype.startswith("uint"):
        values = values - 50
    if dtype.startswith("complex"):
        return (values + 0.5j * values).astype(dtype).reshape(shape)
    if dtype == "bfloat16":
        return values.astype(ml_dtypes.bfloat16).reshape(shape)
    return values.astype(dtype).reshape(shape)


def npy(a, version=None):
    file = io.BytesIO()
    np.lib.format.write_array(file, a, version)
    return file.getvalue()


def swapped(dtype):
    return np.dtype(dtype).newbyteorder(">")


def npz(members, **options):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **options) as z:
        for name, data in members.items():
            z.writestr(zipfile.ZipInfo(name), data, options.get("compression"), options.get("compresslevel"))
    return file.getvalue()


def files():
    for dtype in DTYPES + ["bfloat16"]:
        write("npy/%s.npy" % dtype, npy(sample(dtype, (3, 5))))
        write("npy/%s_f.npy" % dtype, npy(np.asfortranarray(sample(dtype, (3, 5)))))
        if dtype not in ["bool", "int8", "uint8", "bfloat16"]:
            write("npy/%s_big.npy" % dtype, npy(sample(dtype, (3, 5)).astype(swapped(dtype))))
    for i, shape in enumerate([(), (0,), (7,), (2, 0, 3), (2, 3, 4), (1, 1, 1, 1, 2)]):
        write("npy/shape%d.npy" % i, npy(sample("int16", shape)))
    for version in [(1, 0), (2, 0), (3, 0)]:
        write("npy/version%d.npy" % version[0], npy(sample("float32", (4, 2)), version))
    for name, dtype in [("struct", [("a", "<i4"), ("b", "<f8", (2,))]), ("unicode", "<U3"), ("bytes", "S4"),
                        ("date", "M8[ns]"), ("long", "longdouble"), ("void3", "V3")]:
        write("npy/other_%s.npy" % name, npy(np.zeros(2, dtype)))
    file = io.BytesIO()
    np.lib.format.write_array(file, np.array([{}, None], object), allow_pickle=True)
    write("npy/other_object.npy", file.getvalue())

    arrays = {"big": sample("float32", (50, 40)), "empty": sample("int8", (0, 2)), "f": np.asfortranarray(
        sample("complex128", (3, 2))), "scalar": np.array(2.5)}
    for name, save in [("stored", np.savez), ("deflated", np.savez_compressed)]:
        file = io.BytesIO()
        save(file, **arrays)
        write("npz/%s.npz" % name, file.getvalue())
    rng = random.Random(23)
    noise = np.array([rng.randrange(256) for _ in range(3000)], "uint8")
    ramp = np.arange(40000, dtype="int32")  # several blocks, long distances
    words = np.frombuffer(b"".join(rng.choice([b"alpha ", b"beta ", b"gamma ", b"delta "]) for _ in range(5000)), "uint8")
    for level in [0, 1, 9]:
        write("npz/level%d.npz" % level, npz({"noise.npy": npy(noise), "ramp.npy": npy(ramp if level else ramp[:20000]),
                                              "words.npy": npy(words)},
                                             compression=zipfile.ZIP_DEFLATED, compresslevel=level))
    write("npz/fixed.npz", fixed_codes())
    write("npz/mixed.npz", npz({"a.npy": npy(sample("int32", (2, 2))), "readme.txt": b"no array",
                                "dir/b.npy": npy(sample("int32", (3,)))}, compression=zipfile.ZIP_STORED))
    write("npz/bzip2.npz", npz({"a.npy": npy(sample("int32", (2, 2)))}, compression=zipfile.ZIP_BZIP2))
    write("npz/none.npz", npz({}))
    write("npz/zip64.npz", zip64())


def fixed_codes():
    """A member in deflate's fixed codes, which zlib uses where Z_FIXED tells it to."""
    import zlib
    data = npy(np.arange(300, dtype="int16") % 20)
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_FIXED)
    packed = deflate.compress(data) + deflate.flush()
    return archive(b"a.npy", packed, len(data), zlib.crc32(data), 8)


def zip64():
    """An archive all of whose sizes and offsets are in the fields of zip64, and which a streaming writer wrote: sizes
    behind the data."""
    import zlib
    data = npy(sample("float64", (5,)))
    name, crc = b"a.npy", zlib.crc32(data)
    local = struct.pack("<IHHHHHIIIHH", 0x04034b50, 45, 8, 0, 0, 0x21, 0, 0, 0, len(name), 0) + name
    body = local + data + struct.pack("<IIQQ", 0x08074b50, crc, len(data), len(data))
    extra = struct.pack("<HHHHQQQ", 0x7777, 0, 1, 24, len(data), len(data), 0)
    central = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 45, 45, 8, 0, 0, 0x21, crc, 0xffffffff, 0xffffffff, len(name),
                          len(extra), 0, 0, 0, 0, 0xffffffff) + name + extra
    end64 = struct.pack("<IQHHIIQQQQ", 0x06064b50, 44, 45, 45, 0, 0, 1, 1, len(central), len(body))
    locator = struct.pack("<IIQI", 0x07064b50, 0, len(body) + len(central), 1)
    end = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 7) + b"comment"
    return body + central + end64 + locator + end


def archive(name, packed, size, crc, method):
    local = struct.pack("<IHHHHHIIIHH", 0x04034b50, 20, 0, method, 0, 0x21, crc, len(packed), size, len(name), 0) + name
    central = struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 20, 20, 0, method, 0, 0x21, crc, len(packed), size, len(name),
                          0, 0, 0, 0, 0, 0) + name
    end = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 1, 1, len(central), len(local) + len(packed), 0)
    return local + packed + central + end


# ---- NumPy reads what the library writes ------------------------------------------------------------------------

WRITER = r"""
local ndarray, dtype = require "cudalua.ndarray", require "cudalua.dtype"
local folder = ...
local function sample(t, shape)
  local n = -1
  return ndarray.from_function(shape, function()
    n = n + 1
    local x = (n * 37 + 11) % 101
    if t.kind == "bool" then return x % 2 == 0 end
    if t.kind ~= "uint" then x = x - 50 end
    if t.kind == "complex" then return t.ctype(x, 0.5 * x) end
    return x
  end, t)
end
local all = {}
for _, t in ipairs(dtype.list) do
  for i, shape in ipairs { {}, { 0 }, { 7 }, { 3, 5 }, { 2, 3, 4 } } do
    local a = sample(t, shape)
    ndarray.save(("%s/%s_%d.npy"):format(folder, t.name, i), a)
    ndarray.save(("%s/%s_%d_f.npy"):format(folder, t.name, i), a:copy "F")
    all[t.name .. "_" .. i] = a
  end
end
ndarray.save(folder .. "/view.npy", sample(dtype.int32, { 6, 5 }):slice({ 6, 1, -2 }, { 2, 4 }))
ndarray.savez(folder .. "/all.npz", all)
"""


def check():
    shapes = [(), (0,), (7,), (3, 5), (2, 3, 4)]
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "write.lua"), "w") as file:
            file.write(WRITER)
        subprocess.run(["luajit", file.name, folder], check=True)
        archive_ = np.load(os.path.join(folder, "all.npz"))
        assert zipfile.ZipFile(os.path.join(folder, "all.npz")).testzip() is None
        checked = 0
        for dtype in DTYPES + ["bfloat16"]:
            for i, shape in enumerate(shapes):
                want = sample(dtype, shape)
                for a, order in [(np.load("%s/%s_%d.npy" % (folder, dtype, i + 1)), "C"),
                                 (np.load("%s/%s_%d_f.npy" % (folder, dtype, i + 1)), "F"),
                                 (archive_["%s_%d" % (dtype, i + 1)], "C")]:
                    if dtype == "bfloat16":
                        assert a.dtype == np.dtype("V2"), a.dtype
                        a = a.view(ml_dtypes.bfloat16)
                    assert a.dtype == want.dtype and a.shape == shape and (a == want).all(), (dtype, shape)
                    assert len(shape) < 2 or a.flags["F_CONTIGUOUS" if order == "F" else "C_CONTIGUOUS"]
                    checked += 1
        assert (np.load(folder + "/view.npy") == sample("int32", (6, 5))[5::-2, 1:4]).all()
        print("NumPy %s read %d arrays, all right" % (np.__version__, checked + 1))


if sys.argv[1:] == ["check"]:
    check()
else:
    text()
    promotion()
    conversions()
    files()
