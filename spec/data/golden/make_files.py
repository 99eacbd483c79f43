#!/usr/bin/env python3
"""Writes the files that spec/files reads: PNG pictures by an encoder of its own over Python's zlib, and tables of text
with what NumPy's loadtxt and savetxt make of them.

    python3 spec/data/golden/make_files.py    from the project's root; made with NumPy 2.4.6
"""
import io
import os
import struct
import warnings
import zlib

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH, HEIGHT = 11, 9
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def sample(y, x, k, depth):
    return (y * 37 + x * 11 + k * 101 + x * y * 3 + y * x * x * 251) % 2 ** depth


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def packed_row(samples, depth):
    if depth == 16:
        return b"".join(struct.pack(">H", s) for s in samples)
    bits = "".join(format(s, "0%db" % depth) for s in samples)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def filtered(kind, row, up, unit):
    out = []
    for i, x in enumerate(row):
        a = row[i - unit] if i >= unit else 0
        b = up[i]
        c = up[i - unit] if i >= unit else 0
        p = a + b - c
        paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
        out.append((x - [0, a, b, (a + b) // 2, paeth][kind]) % 256)
    return bytes([kind]) + bytes(out)


def image(width, height, colour, depth, interlaced=False, palette=None, clear=None):
    channels = CHANNELS[colour]
    unit = max(1, channels * depth // 8)
    data = b""
    for x0, y0, dx, dy in PASSES if interlaced else [(0, 0, 1, 1)]:
        columns, rows = range(x0, width, dx), range(y0, height, dy)
        if not columns:
            continue
        up = None
        for number, y in enumerate(rows):
            row = packed_row([sample(y, x, k, depth) for x in columns for k in range(channels)], depth)
            data += filtered(number % 5, row, up or bytes(len(row)), unit)
            up = row
    out = b"\x89PNG\r\n\x1a\n"
    out += chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, int(interlaced)))
    out += chunk(b"gAMA", struct.pack(">I", 45455)) + chunk(b"tEXt", b"Title\0a test")
    if palette:
        out += chunk(b"PLTE", bytes(palette))
    if clear is not None:
        out += chunk(b"tRNS", clear)
    packed = zlib.compress(data, 9)
    half = len(packed) // 2
    return out + chunk(b"IDAT", packed[:half]) + chunk(b"IDAT", b"") + chunk(b"IDAT", packed[half:]) + chunk(b"IEND", b"")


def palette(n):
    return [(i * m + 5) % 256 for i in range(n) for m in (3, 5, 7)]


def pictures():
    for colour, name, depths in [(0, "gray", (1, 2, 4, 8, 16)), (2, "rgb", (8, 16)), (3, "palette", (1, 2, 4, 8)),
                                 (4, "graya", (8, 16)), (6, "rgba", (8, 16))]:
        for depth in depths:
            for interlaced in (False, True):
                colours = palette(2 ** depth) if colour == 3 else None
                yield ("%s%d%s" % (name, depth, "_i" if interlaced else ""),
                       image(WIDTH, HEIGHT, colour, depth, interlaced, colours))
    yield "gray4_t", image(WIDTH, HEIGHT, 0, 4, clear=struct.pack(">H", 11))
    yield "rgb16_t", image(WIDTH, HEIGHT, 2, 16, clear=struct.pack(">HHH", *(sample(2, 3, k, 16) for k in range(3))))
    yield "palette4_t", image(WIDTH, HEIGHT, 3, 4, palette=palette(16), clear=bytes([0, 50, 100]))
    for height in (1, 2, 5):
        for width in (1, 3):
            yield "small%dx%d_i" % (height, width), image(width, height, 2, 8, True)


def number(i):
    return ((i * 37 + 11) % 101 - 50) / 7


def tables():
    square = np.array([[number(5 * i + j) for j in range(5)] for i in range(4)])
    special = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1e-310, 1.7976931348623157e308, 0.1, -1 / 3])
    wide = np.array([[2 ** 63 - 1, -2 ** 63], [2 ** 53 + 1, 0]], dtype=np.int64)
    complexes = square[:2, :2] + 1j * square[2:, 2:4]
    yield "default", square, {}
    yield "float32", square.astype(np.float32), {}
    yield "special", special, {}
    yield "integers", wide, {"fmt": "%d", "delimiter": ","}
    yield "bools", square > 0, {"fmt": "%d"}
    yield "columns", square, {"fmt": ["%d", "%.3f", "%10.2e", "%-8g|", "%+.1f"], "delimiter": "; "}
    yield "row", square[:, :2], {"fmt": "x=%.2f y=%6.1f|", "newline": "\r\n"}
    yield "header", square, {"fmt": "%.4g", "header": "one\ntwo", "footer": "end", "comments": "% "}
    yield "complex", complexes, {}
    yield "complex_columns", complexes, {"fmt": ["%.2f %.2f", "%.3f%+.3fj"], "delimiter": "\t"}
    yield "strided", square.T[::2], {"fmt": "%.17g"}


READS = [
    ("1 2 3\n4 5 6\n", {}),
    ("# a comment\n1.5  -2e3\t.25 # and one more\n\n 1. +3 1e-320\n", {}),
    ("1,2,3\n4, 5 ,6\n", {"delimiter": ","}),
    ("1;;2;;3\n".replace(";;", ";"), {"delimiter": ";"}),
    ("1\n2\n3\n", {}),
    ("1\n2\n3\n", {"ndmin": 2}),
    ("1 2 3\n", {}),
    ("1 2 3\n", {"ndmin": 2}),
    ("7\n", {}),
    ("7\n", {"ndmin": 1}),
    ("7\n", {"ndmin": 2}),
    ("", {}),
    ("# nothing\n", {"ndmin": 2}),
    ("a b\nc d\n1 2\n3 4\n", {"skiprows": 2}),
    ("1 2 3\n4 5 6\n7 8 9\n", {"usecols": [2, 0]}),
    ("1 2 3\n4 5 6\n7 8 9\n", {"usecols": -1}),
    ("1 2 3\n4 5 6 7\n7 8 9\n", {"usecols": [0, 1]}),
    ("1 2\n\n# x\n3 4\n5 6\n", {"max_rows": 2}),
    ("1 2 % x\n3 4 // y\n", {"comments": ["%", "//"]}),
    ("nan inf -inf Infinity -NAN +Inf\n", {}),
    ("0.1 0.30000000000000004 1.7976931348623157e308 4.9e-324 123456789012345678901234567890\n", {}),
    ("9007199254740993 -9223372036854775808 9223372036854775807\n", {"dtype": "int64"}),
    ("18446744073709551615 0 9223372036854775808\n", {"dtype": "uint64"}),
    ("-128 127 +5 007\n", {"dtype": "int8"}),
    ("0.1 16777217 1e39\n", {"dtype": "float32"}),
    ("0.1 65504 1e-8\n", {"dtype": "float16"}),
    ("1 0\n0 5\n", {"dtype": "bool"}),
    ("1+2j (3-4j)\n5 -6j\n1e2-3e-1j (1.5)\n", {"dtype": "complex128"}),
    ("1\r\n2\r\n", {}),
    ("1 2\n3 4", {}),
]


def lua(x):
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, int):
        return str(x)
    if isinstance(x, (list, tuple)):
        return "{ %s }" % ", ".join(map(lua, x)) if x else "{}"
    return '"%s"' % x.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")


def reads():
    rows = []
    for text, options in READS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            a = np.loadtxt(io.StringIO(text), **options)
        named = {{"skiprows": "skip_rows", "usecols": "use_cols"}.get(k, k): v for k, v in options.items()}
        if "use_cols" in named:
            columns = named["use_cols"]
            from_one = lambda c: c + 1 if c >= 0 else c
            named["use_cols"] = [from_one(c) for c in columns] if isinstance(columns, list) else from_one(columns)
        listed = "{ %s }" % ", ".join("%s = %s" % (k, lua(v)) for k, v in named.items()) if named else "{}"
        rows.append('  { %s, %s, "%s", %s, "%s" },' % (lua(text), listed, a.dtype.name, lua(list(a.shape)),
                                                       a.tobytes().hex()))
    return "\n".join(rows)


def main():
    for folder in ("png", "tables"):
        os.makedirs(os.path.join(HERE, folder), exist_ok=True)
    for name, data in pictures():
        with open(os.path.join(HERE, "png", name + ".png"), "wb") as f:
            f.write(data)
    for name, a, options in tables():
        np.savetxt(os.path.join(HERE, "tables", name + ".txt"), a, **options)
    with open(os.path.join(HERE, "tables.lua"), "w") as f:
        f.write("-- What NumPy's loadtxt makes of texts: text, options, dtype, shape, bytes. Written by make_files.py.\n"
                "return {\n%s\n}\n" % reads())


main()
