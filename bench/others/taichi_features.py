"""Features of Taichi on CUDA, each against NumPy: fields, atomics, reductions, matrices, random numbers, doubles,
derivatives, sparse fields, print, scan and sort."""
import numpy as np
import taichi as ti

ti.init(arch=ti.cuda, device_memory_GB=1)

N = 4096
values = np.random.default_rng(1).random(N, dtype=np.float32)
x, y = ti.field(ti.f32, N), ti.field(ti.f32, N)
bins = ti.field(ti.i32, 16)
weights = ti.field(ti.f32, 8, needs_grad=True)
loss = ti.field(ti.f32, (), needs_grad=True)
x.from_numpy(values)


@ti.kernel
def scale(factor: ti.f32):
    for i in x:
        y[i] = factor * x[i] + 1


@ti.kernel
def count():
    for i in x:
        ti.atomic_add(bins[ti.cast(x[i] * 16, ti.i32)], 1)


@ti.kernel
def total() -> ti.f32:
    sum = 0.0
    for i in x:
        sum += x[i]
    return sum


@ti.kernel
def largest() -> ti.f32:
    most = -1e9
    for i in x:
        ti.atomic_max(most, x[i])
    return most


@ti.kernel
def multiply(a: ti.types.ndarray(), b: ti.types.ndarray(), c: ti.types.ndarray()):
    for i, j in c:
        sum = 0.0
        for k in range(a.shape[1]):
            sum += a[i, k] * b[k, j]
        c[i, j] = sum


@ti.func
def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@ti.kernel
def fibonaccis(out: ti.types.ndarray()):
    for i in range(out.shape[0]):
        out[i] = fibonacci(i)


@ti.kernel
def randoms(out: ti.types.ndarray()):
    for i in range(out.shape[0]):
        out[i] = ti.random()


@ti.kernel
def scaled_length() -> ti.f32:
    vector = ti.Vector([1.0, 2.0, 3.0])
    matrix = ti.Matrix([[2.0, 0, 0], [0, 3.0, 0], [0, 0, 4.0]])
    return (matrix @ vector).norm_sqr()


@ti.kernel
def doubles(out: ti.types.ndarray()):
    for i in range(out.shape[0]):
        out[i] = ti.exp(ti.sin(ti.cast(i, ti.f64)))


@ti.kernel
def squares():
    for i in weights:
        loss[None] += weights[i] ** 2


def test_runs_on_cuda():
    assert ti.lang.impl.current_cfg().arch == ti.cuda


def test_field():
    scale(2)
    assert np.allclose(y.to_numpy(), 2 * values + 1)


def test_histogram():
    bins.fill(0)
    count()
    assert (bins.to_numpy() == np.histogram(values, 16, (0, 1))[0]).all()


def test_sum():
    assert abs(total() - values.sum(dtype=np.float64)) < 1e-2


def test_maximum():
    assert largest() == values.max()


def test_matrix_product():
    rng = np.random.default_rng(2)
    a, b = rng.random((40, 30), dtype=np.float32), rng.random((30, 20), dtype=np.float32)
    c = np.zeros((40, 20), np.float32)
    multiply(a, b, c)
    assert np.allclose(c, a @ b, rtol=1e-4)


def test_function():
    out = np.zeros(20, np.int32)
    fibonaccis(out)
    assert out[19] == 4181


def test_random():
    out = np.zeros(10000, np.float32)
    randoms(out)
    assert 0.48 < out.mean() < 0.52 and len(set(out)) > 9000


def test_vector():
    assert scaled_length() == 4 + 36 + 144


def test_double():
    out = np.zeros(100)
    doubles(out)
    assert np.allclose(out, np.exp(np.sin(np.arange(100.0))), rtol=1e-14)


def test_derivative():
    weights.from_numpy(np.arange(8, dtype=np.float32))
    with ti.ad.Tape(loss):
        squares()
    assert (weights.grad.to_numpy() == 2 * np.arange(8)).all()


def test_sparse_field():
    cell = ti.field(ti.i32)
    ti.root.pointer(ti.i, 16).dense(ti.i, 8).place(cell)

    @ti.kernel
    def activate():
        cell[3] = 1
        cell[100] = 2

    @ti.kernel
    def active() -> ti.i32:
        n = 0
        for _ in cell:
            n += 1
        return n

    activate()
    assert active() == 16


def test_print(capfd):
    @ti.kernel
    def hello():
        print("hello", 3)

    hello()
    ti.sync()
    assert "hello 3" in capfd.readouterr().out


def test_scan():
    ones = ti.field(ti.i32, 1024)
    ones.fill(1)
    ti.algorithms.PrefixSumExecutor(1024).run(ones)
    assert (ones.to_numpy() == np.arange(1, 1025)).all()


def test_sort():
    keys, order = ti.field(ti.f32, 257), ti.field(ti.f32, 257)
    unsorted = np.random.default_rng(3).random(257, dtype=np.float32)
    keys.from_numpy(unsorted)
    ti.algorithms.parallel_sort(keys, order)
    assert (keys.to_numpy() == np.sort(unsorted)).all()
