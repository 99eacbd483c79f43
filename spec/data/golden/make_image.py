#!/usr/bin/env python3
"""Writes spec/data/golden/image.npz: filtered, resized and rotated pictures by SciPy, Pillow and OpenCV.

    python3 spec/data/golden/make_image.py

Needs NumPy 2, SciPy, Pillow and opencv-python; the suite does not. Inputs are stored beside the results. A result's name
is what image_reference.lua takes it apart into: function, input, and options.

Cubic filters without Pillow's widening for smaller pictures, and rotations with them, are computed here by their
definition, in double: Keys' kernel with a = -1/2.
"""
import os

import cv2
import numpy as np
from PIL import Image
from scipy import ndimage, signal

HERE = os.path.dirname(os.path.abspath(__file__))
rng = np.random.default_rng(20260917)
out = {}

# ---- convolutions ----

a = rng.standard_normal((7, 9))
c = rng.standard_normal((6, 5)) + 1j * rng.standard_normal((6, 5))
b = rng.integers(0, 256, (11, 13)).astype(np.uint8)
out["a"], out["c"], out["b"] = a, c, b
KERNELS = [(1, 1), (3, 3), (2, 4), (1, 5), (5, 1), (7, 9), (9, 12), (20, 3), (3, 70), (35, 34)]
for h, w in KERNELS:
    k = rng.standard_normal((h, w))
    out["k_%d_%d" % (h, w)] = k
    for mode in ["full", "same"] + (["valid"] if h <= 7 and w <= 9 else []):
        out["conv_%d_%d_%s_constant" % (h, w, mode)] = signal.convolve2d(a, k, mode)
        if h * w < 100 or mode != "full":
            out["conv_%d_%d_%s_fill" % (h, w, mode)] = signal.convolve2d(a, k, mode, "fill", 1.5)
    # SciPy's own boundaries do not go round more than once: a padded picture is convolved.
    for boundary in ["edge", "reflect", "symmetric", "wrap"]:
        padded = np.pad(a, ((h - 1, h - 1), (w - 1, w - 1)), boundary)
        full = signal.convolve2d(padded, k, "valid")
        if h * w < 100:
            out["conv_%d_%d_full_%s" % (h, w, boundary)] = full
        top, left = (h - 1) // 2, (w - 1) // 2
        out["conv_%d_%d_same_%s" % (h, w, boundary)] = full[top : top + 7, left : left + 9]
for name, mode in [("edge", "nearest"), ("reflect", "mirror"), ("symmetric", "reflect"), ("wrap", "wrap")]:
    assert np.allclose(ndimage.convolve(a, out["k_3_3"], mode=mode), out["conv_3_3_same_" + name])
for name, mode in [("symmetric", "symm"), ("wrap", "wrap")]:
    assert np.allclose(signal.convolve2d(a, out["k_2_4"], "full", mode), out["conv_2_4_full_" + name])
q = rng.standard_normal((3, 2)) + 1j * rng.standard_normal((3, 2))
out["q"] = q
out["complex"] = signal.convolve2d(c, q, "full")
out["complex_separable"] = signal.convolve2d(c, np.outer([1, 2], [1, -1, 3]))
sharp = np.array([[0, -1, 0.25], [-1, 5, -1], [0, -1.5, 0]])
out["sharp"] = sharp
full = signal.convolve2d(b.astype(np.float64), sharp, "same", "symm")
out["bytes"] = np.clip(np.rint(full), 0, 255).astype(np.uint8)
column, row = rng.standard_normal(5), rng.standard_normal(18)
out["column"], out["row"] = column, row
for mode in ["full", "same"]:
    out["sep_%s_fill" % mode] = signal.convolve2d(a, np.outer(column, row), mode, "fill", -0.5)
out["sep_valid_constant"] = signal.convolve2d(a, np.outer(column, row[:4]), "valid")

# ---- sizes ----


def keys(x):
    x = np.abs(x)
    near = 1.5 * x**3 - 2.5 * x**2 + 1
    far = -0.5 * x**3 + 2.5 * x**2 - 4 * x + 2
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def cubic_matrix(m, n):
    """Weights of n pixels for each of m, those outside left out."""
    at = (np.arange(m) + 0.5) * n / m - 0.5
    w = keys(at[:, None] - np.arange(n)[None, :])
    return w / w.sum(1, keepdims=True)


def overlap_matrix(m, n):
    """How much of each of n pixels each of m covers."""
    begin, end = np.arange(m) * n / m, (np.arange(m) + 1) * n / m
    at = np.arange(n)
    w = np.minimum(end[:, None], at[None, :] + 1) - np.maximum(begin[:, None], at[None, :])
    return np.maximum(w, 0) / (n / m)


f = rng.standard_normal((10, 13)).astype(np.float32)
out["f"] = f
picture = Image.fromarray(f)
for h, w in [(10, 13), (20, 26), (17, 31), (11, 13), (33, 14), (5, 6), (3, 4), (10, 1), (1, 29), (7, 20), (23, 5)]:
    size = "%d_%d" % (h, w)
    out["nearest_" + size] = np.asarray(picture.resize((w, h), Image.NEAREST))
    linear = cv2.resize(f.astype(np.float64), (w, h), interpolation=cv2.INTER_LINEAR)
    cubic = cubic_matrix(h, 10) @ f.astype(np.float64) @ cubic_matrix(w, 13).T
    if h >= 10 and w >= 13:  # Pillow widens its filters for smaller pictures
        assert np.abs(np.asarray(picture.resize((w, h), Image.BILINEAR)) - linear).max() < 1e-6
        assert np.abs(np.asarray(picture.resize((w, h), Image.BICUBIC)) - cubic).max() < 1e-6
    area = overlap_matrix(h, 10) @ f.astype(np.float64) @ overlap_matrix(w, 13).T
    if h <= 10 and w <= 13:  # where OpenCV enlarges, its INTER_AREA is another filter
        assert np.abs(cv2.resize(f, (w, h), interpolation=cv2.INTER_AREA) - area).max() < 1e-6
    out["linear_" + size], out["cubic_" + size], out["area_" + size] = linear, cubic, area
assert np.abs(np.asarray(Image.fromarray(f[:, :12]).reduce((3, 2))) - overlap_matrix(5, 10) @ f[:, :12] @
              overlap_matrix(4, 12).T).max() < 1e-6
photo = rng.integers(0, 256, (9, 8, 3)).astype(np.uint8)
out["photo"] = photo
out["photo_linear"] = cv2.resize(photo.astype(np.float64), (13, 5))
wide = np.einsum("ij,jkc,lk->ilc", cubic_matrix(14, 9), photo.astype(np.float64), cubic_matrix(11, 8))
out["photo_cubic"] = np.clip(wide, 0, 255)

# ---- rotations ----


def turned_cubic(x, degrees, fill):
    h, w = x.shape
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    result = np.zeros_like(x)
    for i in range(h):
        for j in range(w):
            right, down = j - (w - 1) / 2, i - (h - 1) / 2
            across, along = c * right - s * down + (w - 1) / 2, s * right + c * down + (h - 1) / 2
            for u in range(int(np.floor(along)) - 1, int(np.floor(along)) + 3):
                for v in range(int(np.floor(across)) - 1, int(np.floor(across)) + 3):
                    value = x[u, v] if 0 <= u < h and 0 <= v < w else fill
                    result[i, j] += keys(along - u) * keys(across - v) * value
    return result


for degrees in [30, -75, 200, 123.5]:
    for reshape in [0, 1]:
        for name, order in [("nearest", 0), ("linear", 1)]:
            for fill in [0, 2]:
                key = "turn_%s_%g_%d_%d" % (name, degrees, reshape, fill)
                out[key] = ndimage.rotate(f.astype(np.float64), degrees, reshape=bool(reshape), order=order,
                                          mode="grid-constant", cval=fill)
    out["turn_cubic_%g_0_2" % degrees] = turned_cubic(f.astype(np.float64), degrees, 2)
# Counterclockwise as Pillow's, whose linear filter does not mix with the fill.
inside = np.asarray(picture.rotate(30, Image.BILINEAR))[4:6, 4:8]
assert np.abs(inside - out["turn_linear_30_0_0"][4:6, 4:8]).max() < 1e-5

np.savez_compressed(os.path.join(HERE, "image.npz"), **out)
print(len(out), "arrays")
