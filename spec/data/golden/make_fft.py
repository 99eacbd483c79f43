#!/usr/bin/env python3
"""Writes spec/data/golden/fft.npz: Fourier transforms by NumPy in long double, and roots of unity by mpmath.

    python3 spec/data/golden/make_fft.py

Needs NumPy 2 and mpmath; the suite does not. Inputs are made from whole numbers by input(), as fft_reference.lua does
it; all of them fit float32. A result in sampled() of more than MOST elements is stored as every so manyth of them.
"""
import os

import mpmath
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
LENGTHS = list(range(1, 33)) + [49, 97, 100, 128, 243, 1000, 1021, 4096, 8192]
MOST = 300
mpmath.mp.dps = 60


def numbers(count, seed):
    state, out = seed, []
    for _ in range(count):
        state = state * 16807 % 2147483647
        out.append(state % 1048576 / 1048576 - 0.5)
    return np.array(out)


def real(shape, seed):
    return numbers(int(np.prod(shape)), seed).reshape(shape).astype(np.longdouble)


def made(shape, seed):
    x = numbers(2 * int(np.prod(shape)), seed)
    return (x[0::2] + 1j * x[1::2]).reshape(shape).astype(np.clongdouble)


def sampled(x):
    x = x.astype(np.complex128 if np.iscomplexobj(x) else np.float64)
    if x.size <= MOST:
        return x
    return x.reshape(-1)[:: x.size // 64]


out = {}
for n in LENGTHS:
    out["fft_%d" % n] = sampled(np.fft.fft(made(n, n)))
    out["rfft_%d" % n] = sampled(np.fft.rfft(real(n, n)))
    out["irfft_%d" % n] = sampled(np.fft.irfft(made(n // 2 + 1, n), n))
for n in [12, 13, 97, 128]:
    out["ifft_%d" % n] = np.fft.ifft(made(n, n))
for norm in ["backward", "ortho", "forward"]:
    for n in [12, 13]:
        out["fft_%d_%s" % (n, norm)] = np.fft.fft(made(n, n), norm=norm)
        out["ifft_%d_%s" % (n, norm)] = np.fft.ifft(made(n, n), norm=norm)
        out["rfft_%d_%s" % (n, norm)] = np.fft.rfft(real(n, n), norm=norm)
        out["irfft_%d_%s" % (n, norm)] = np.fft.irfft(made(n // 2 + 1, n), n, norm=norm)
for n in [1, 7, 11, 20, 33]:
    out["fft_12_to_%d" % n] = np.fft.fft(made(12, 12), n)
    out["ifft_12_to_%d" % n] = np.fft.ifft(made(12, 12), n)
    out["rfft_12_to_%d" % n] = np.fft.rfft(real(12, 12), n)
    out["irfft_7_to_%d" % n] = np.fft.irfft(made(7, 12), n)
SHAPE = (6, 5, 8)
for axis in range(3):
    out["fft_axis_%d" % (axis + 1)] = np.fft.fft(made(SHAPE, 7), axis=axis)
    out["fft_axis_%d_to_11" % (axis + 1)] = np.fft.fft(made(SHAPE, 7), 11, axis=axis)
    out["rfft_axis_%d" % (axis + 1)] = np.fft.rfft(real(SHAPE, 7), axis=axis)
    out["irfft_axis_%d" % (axis + 1)] = np.fft.irfft(made(SHAPE, 7), axis=axis)
    out["irfft_axis_%d_to_7" % (axis + 1)] = np.fft.irfft(made(SHAPE, 7), 7, axis=axis)
for name in ["fft2", "ifft2", "fftn", "ifftn"]:
    f = getattr(np.fft, name)
    out[name] = f(made(SHAPE, 7))
    out[name + "_ortho"] = f(made(SHAPE, 7), norm="ortho")
    out[name + "_axes"] = f(made(SHAPE, 7), axes=(0, 2))
    out[name + "_s"] = f(made(SHAPE, 7), s=(4, 9), axes=(0, 1))
for key in out:
    if np.asarray(out[key]).dtype in (np.longdouble, np.clongdouble):
        out[key] = out[key].astype(np.complex128 if np.iscomplexobj(out[key]) else np.float64)

rows = []
for n in [3, 5, 7, 8, 12, 97, 1000, 1021, 4096, 65536, 1000003, 2**24, 3**20]:
    for k in sorted({k % n for k in [0, 1, 2, 3, n // 8, n // 8 + 1, n // 4, n // 3, n // 2, 5 * n // 8, 3 * n // 4,
                                     7 * n // 8, n - 1, 12345, 7654321]}):
        angle = -2 * mpmath.pi * mpmath.mpf(k) / n
        rows.append([n, k, float(mpmath.cos(angle)) if 4 * k % n or 4 * k // n % 2 == 0 else 0.0,
                     float(mpmath.sin(angle)) if 2 * k % n else 0.0])
out["roots"] = np.array(rows)
np.savez_compressed(os.path.join(HERE, "fft.npz"), **out)
