"""The programs of this folder as users of PyTorch and of CuPy write them; their texts are frozen.

    peers.py cupy|torch|compile|numpy

Writes its version, or nothing where it does not work here, and then answers each line; with "failed" where that raised
an error, or took more than LIMIT seconds:
    device NAME LAUNCHES    microseconds of one run on the device, by events, of LAUNCHES in a row
    first NAME              seconds of the first run in this process: compile's has torch.compile's time in it
    check NAME              elements of a small run that were compared with NumPy's in float64
compile is PyTorch with torch.compile(). numpy runs CuPy's texts with NumPy, so that they can be checked without a GPU:
it answers only check.
"""
import math
import os
import signal
import sys
import time

import numpy

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
import libraries  # noqa: E402

LIMIT = 60

# Sizes as in the files of the programs: small, large.
SIZES = {
    "softmax": ((5, 37), (16384, 4096)),
    "layer_norm": ((5, 37), (16384, 4096)),
    "rms_norm": ((5, 37), (16384, 4096)),
    "black_scholes": ((101,), (2**24,)),
    "mandelbrot": ((9, 12), (2048, 2048)),
    "adam": ((101,), (2**24,)),
    "k_means": ((61, 4, 3), (2**20, 16, 4)),
    "attention": ((2, 7, 5), (32, 2048, 64)),
    "standardise": ((53, 6), (2**18, 256)),
    "leapfrog": ((33,), (2**22,)),
    "drawdown": ((4, 60), (4096, 4096)),
    "life": ((12, 15), (8192, 8192)),
    "mean_and_variance": ((53, 6), (2**18, 256)),
    "chain": ((100,), (1000,)),
    "wave": ((64,), (2**24,)),
}
# Of |x - y| <= tolerance * (1 + |y|), against NumPy in float64.
TOLERANCE = {"black_scholes": 2e-4, "life": 0}
SHARE = {"mandelbrot": 0.9}  # of the elements that have to be right: points on the edge double each error


def inputs(name, size):
    """The arguments, in float64 unless they are of another kind."""
    r = numpy.random.default_rng(20261124)
    normal, uniform = r.standard_normal, r.random
    if name == "softmax":
        return (normal(size) * 3,)
    if name == "layer_norm":
        return normal(size) * 2 + 1, uniform(size[1]) + 0.5, uniform(size[1]) - 0.5
    if name == "rms_norm":
        return normal(size) * 2, uniform(size[1]) + 0.5
    if name == "black_scholes":
        return uniform(size) * 90 + 10, uniform(size) * 90 + 10, uniform(size) * 2 + 0.1, 0.02, 0.3
    if name == "mandelbrot":
        y, x = numpy.linspace(-1.2, 1.2, size[0]), numpy.linspace(-2.1, 0.6, size[1])
        return (x + 1j * y[:, None],)
    if name == "adam":
        return normal(size), normal(size), normal(size) * 0.1, uniform(size) * 0.01, 3
    if name == "k_means":
        return uniform((size[0], size[2])), uniform((size[1], size[2]))
    if name == "attention":
        return normal(size), normal(size), numpy.tril(numpy.ones((size[1], size[1]), bool))
    if name in ("standardise", "mean_and_variance"):
        return (normal(size) * 4 + 10,)
    if name == "leapfrog":
        return uniform(size) + 1, uniform(size) - 0.5, uniform(size) - 0.5, uniform(size) + 0.5
    if name == "drawdown":
        return (normal(size) * 0.01,)
    if name == "life":
        return ((uniform(size) < 0.4).astype(numpy.uint8),)
    if name == "chain":
        return uniform(size), uniform(size)
    u = uniform(size)
    return u, u.copy()


class WithCuPy:
    """xp is cupy, or numpy; special has erf."""

    def __init__(self, xp, special):
        self.xp, self.special = xp, special

    def softmax(self, x):
        e = self.xp.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def layer_norm(self, x, weight, bias):
        mean = x.mean(axis=1, keepdims=True)
        variance = x.var(axis=1, keepdims=True)
        return (x - mean) / self.xp.sqrt(variance + 1e-5) * weight + bias

    def rms_norm(self, x, weight):
        return x / self.xp.sqrt((x**2).mean(axis=1, keepdims=True) + 1e-6) * weight

    def black_scholes(self, price, strike, years, rate, volatility):
        xp = self.xp

        def cdf(x):
            return 0.5 * (1 + self.special.erf(x / math.sqrt(2)))

        spread = volatility * xp.sqrt(years)
        d1 = (xp.log(price / strike) + (rate + 0.5 * volatility**2) * years) / spread
        d2 = d1 - spread
        discounted = strike * xp.exp(-rate * years)
        call = price * cdf(d1) - discounted * cdf(d2)
        put = discounted * cdf(-d2) - price * cdf(-d1)
        return call, put

    def mandelbrot(self, c):
        xp = self.xp
        z = xp.zeros_like(c)
        count = xp.zeros(c.shape, xp.int32)
        for _ in range(50):
            inside = abs(z) <= 2
            z = xp.where(inside, z * z + c, z)
            count = count + inside
        return z, count

    def adam(self, p, gradient, m, v, step):
        rate, beta1, beta2 = 1e-3, 0.9, 0.999
        m = beta1 * m + (1 - beta1) * gradient
        v = beta2 * v + (1 - beta2) * gradient**2
        mean, square = m / (1 - beta1**step), v / (1 - beta2**step)
        p = p - rate * mean / (self.xp.sqrt(square) + 1e-8)
        return m, v, p

    def k_means(self, points, centres):
        xp = self.xp
        distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
        nearest = distances.argmin(axis=1)
        members = (nearest[:, None] == xp.arange(len(centres))).astype(points.dtype)
        sums = members.T @ points
        counts = members.sum(axis=0)
        return sums / counts[:, None], nearest

    def attention(self, queries, keys, mask):
        xp = self.xp
        scores = queries @ keys.swapaxes(1, 2) / math.sqrt(keys.shape[2])
        scores = xp.where(mask, scores, -xp.inf)
        e = xp.exp(scores - scores.max(axis=2, keepdims=True))
        return e / e.sum(axis=2, keepdims=True)

    def standardise(self, x):
        return (x - x.mean(axis=0)) / x.std(axis=0)

    def leapfrog(self, x, y, vx, vy):
        def acceleration(x, y):
            cube = (x**2 + y**2) ** 1.5
            return -x / cube, -y / cube

        dt = 0.01
        ax, ay = acceleration(x, y)
        for _ in range(10):
            vx, vy = vx + 0.5 * dt * ax, vy + 0.5 * dt * ay
            x, y = x + dt * vx, y + dt * vy
            ax, ay = acceleration(x, y)
            vx, vy = vx + 0.5 * dt * ax, vy + 0.5 * dt * ay
        return x, y, vx, vy

    def drawdown(self, returns):
        wealth = self.xp.cumprod(1 + returns, axis=1)
        drawdown = wealth / self.running_max(wealth) - 1
        return drawdown, drawdown.min(axis=1)

    def running_max(self, x):
        """CuPy has no running maximum along an axis: by doubling, as its users do."""
        step = 1
        while step < x.shape[1]:
            x = self.xp.concatenate([x[:, :step], self.xp.maximum(x[:, step:], x[:, :-step])], axis=1)
            step *= 2
        return x

    def life(self, alive):
        roll = self.xp.roll
        up, down = roll(alive, -1, 0), roll(alive, 1, 0)
        neighbours = up + down
        for row in (up, alive, down):
            neighbours = neighbours + roll(row, -1, 1) + roll(row, 1, 1)
        return ((neighbours == 3) | (neighbours == 2) & (alive != 0)).astype(self.xp.uint8)

    def mean_and_variance(self, x):
        return x.mean(axis=0), x.var(axis=0)

    def chain(self, x, y):
        for _ in range(100):
            x = x * 0.99 + y
        return x.sum()

    def wave(self, now, before):
        now, before = now.copy(), before.copy()
        for _ in range(8):
            inner = now[1:-1]
            before[1:-1] = 2 * inner - before[1:-1] + 0.25 * (now[:-2] - 2 * inner + now[2:])
            now, before = before, now
        return now, before


class WithPyTorch:
    def __init__(self, torch):
        self.torch = torch

    def softmax(self, x):
        e = (x - x.amax(dim=1, keepdim=True)).exp()
        return e / e.sum(dim=1, keepdim=True)

    def layer_norm(self, x, weight, bias):
        mean = x.mean(dim=1, keepdim=True)
        variance = x.var(dim=1, keepdim=True, correction=0)
        return (x - mean) / (variance + 1e-5).sqrt() * weight + bias

    def rms_norm(self, x, weight):
        return x / ((x**2).mean(dim=1, keepdim=True) + 1e-6).sqrt() * weight

    def black_scholes(self, price, strike, years, rate, volatility):
        def cdf(x):
            return 0.5 * (1 + (x / math.sqrt(2)).erf())

        spread = volatility * years.sqrt()
        d1 = ((price / strike).log() + (rate + 0.5 * volatility**2) * years) / spread
        d2 = d1 - spread
        discounted = strike * (-rate * years).exp()
        call = price * cdf(d1) - discounted * cdf(d2)
        put = discounted * cdf(-d2) - price * cdf(-d1)
        return call, put

    def mandelbrot(self, c):
        torch = self.torch
        z = torch.zeros_like(c)
        count = torch.zeros(c.shape, dtype=torch.int32, device=c.device)
        for _ in range(50):
            inside = z.abs() <= 2
            z = torch.where(inside, z * z + c, z)
            count = count + inside
        return z, count

    def adam(self, p, gradient, m, v, step):
        rate, beta1, beta2 = 1e-3, 0.9, 0.999
        m = beta1 * m + (1 - beta1) * gradient
        v = beta2 * v + (1 - beta2) * gradient**2
        mean, square = m / (1 - beta1**step), v / (1 - beta2**step)
        p = p - rate * mean / (square.sqrt() + 1e-8)
        return m, v, p

    def k_means(self, points, centres):
        distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(dim=2)
        nearest = distances.argmin(dim=1)
        members = (nearest[:, None] == self.torch.arange(len(centres), device=points.device)).to(points.dtype)
        sums = members.T @ points
        counts = members.sum(dim=0)
        return sums / counts[:, None], nearest

    def attention(self, queries, keys, mask):
        scores = queries @ keys.transpose(1, 2) / math.sqrt(keys.shape[2])
        scores = scores.masked_fill(~mask, -math.inf)
        e = (scores - scores.amax(dim=2, keepdim=True)).exp()
        return e / e.sum(dim=2, keepdim=True)

    def standardise(self, x):
        return (x - x.mean(dim=0)) / x.std(dim=0, correction=0)

    def leapfrog(self, x, y, vx, vy):
        def acceleration(x, y):
            cube = (x**2 + y**2) ** 1.5
            return -x / cube, -y / cube

        dt = 0.01
        ax, ay = acceleration(x, y)
        for _ in range(10):
            vx, vy = vx + 0.5 * dt * ax, vy + 0.5 * dt * ay
            x, y = x + dt * vx, y + dt * vy
            ax, ay = acceleration(x, y)
            vx, vy = vx + 0.5 * dt * ax, vy + 0.5 * dt * ay
        return x, y, vx, vy

    def drawdown(self, returns):
        wealth = (1 + returns).cumprod(dim=1)
        drawdown = wealth / wealth.cummax(dim=1).values - 1
        return drawdown, drawdown.amin(dim=1)

    def life(self, alive):
        torch = self.torch
        up, down = torch.roll(alive, -1, 0), torch.roll(alive, 1, 0)
        neighbours = up + down
        for row in (up, alive, down):
            neighbours = neighbours + torch.roll(row, -1, 1) + torch.roll(row, 1, 1)
        return ((neighbours == 3) | (neighbours == 2) & (alive != 0)).to(torch.uint8)

    def mean_and_variance(self, x):
        return x.mean(dim=0), x.var(dim=0, correction=0)

    def chain(self, x, y):
        for _ in range(100):
            x = x * 0.99 + y
        return x.sum()

    def wave(self, now, before):
        now, before = now.clone(), before.clone()
        for _ in range(8):
            inner = now[1:-1]
            before[1:-1] = 2 * inner - before[1:-1] + 0.25 * (now[:-2] - 2 * inner + now[2:])
            now, before = before, now
        return now, before


class Erf:
    erf = staticmethod(numpy.vectorize(math.erf))


def narrow(x):
    """float32 and complex64, as everything else here."""
    if not isinstance(x, numpy.ndarray):
        return x
    return x.astype({"f": numpy.float32, "c": numpy.complex64}.get(x.dtype.kind, x.dtype))


class NumPy:
    version = numpy.__version__

    def __init__(self):
        self.programs = WithCuPy(numpy, Erf)

    def program(self, name):
        return getattr(self.programs, name)

    def bring(self, x):
        return x

    def host(self, x):
        return numpy.asarray(x)


class CuPy(libraries.CuPy):
    def __init__(self):
        super().__init__()
        import cupyx.scipy.special as special

        self.programs = WithCuPy(self.cupy, special)

    def program(self, name):
        return getattr(self.programs, name)

    def bring(self, x):
        return self.cupy.asarray(x)


class PyTorch(libraries.PyTorch):
    def __init__(self):
        super().__init__()
        self.programs = WithPyTorch(self.torch)

    def program(self, name):
        return getattr(self.programs, name)

    def bring(self, x):
        return self.torch.from_numpy(x).cuda()


class Compiled(PyTorch):
    def __init__(self):
        super().__init__()
        self.compiled = {}

    def program(self, name):
        if name not in self.compiled:
            self.compiled[name] = self.torch.compile(super().program(name))
        return self.compiled[name]


def arguments(peer, name, size):
    return [peer.bring(narrow(x)) if isinstance(x, numpy.ndarray) else x for x in inputs(name, size)]


def results(x):
    return x if isinstance(x, tuple) else (x,)


def check(peer, name):
    size, count = SIZES[name][0], 0
    exact = results(NumPy().program(name)(*inputs(name, size)))
    got = results(peer.program(name)(*arguments(peer, name, size)))
    assert len(got) == len(exact), name
    for x, y in zip(got, exact):
        x = peer.host(x)
        assert x.shape == y.shape, (name, x.shape, y.shape)
        error = abs(x.astype(complex) - y) / (1 + abs(y))
        right = numpy.mean(error <= TOLERANCE.get(name, 1e-5))
        assert right >= SHARE.get(name, 1), (name, right, error.max())
        count += x.size
    return count


def device(peer, name, launches):
    given, f = arguments(peer, name, SIZES[name][1]), peer.program(name)
    return libraries.on_device(peer, lambda _: f(*given), launches, 3)


def first(peer, name):
    given = arguments(peer, name, SIZES[name][1])
    peer.wait()
    start = time.perf_counter()
    peer.program(name)(*given)
    peer.wait()
    return time.perf_counter() - start


def late(number, frame):
    raise TimeoutError("more than %d seconds" % LIMIT)


def answer(peer, what, name, *rest):
    signal.alarm(LIMIT)
    try:
        return {"check": check, "device": device, "first": first}[what](peer, name, *map(int, rest))
    except Exception as e:  # of a library, of whatever class
        print("%s %s: %s: %s" % (what, name, type(e).__name__, str(e).split("\n")[0]), file=sys.stderr)
        return "failed"
    finally:
        signal.alarm(0)


def main():
    signal.signal(signal.SIGALRM, late)
    peer = libraries.make({"cupy": CuPy, "torch": PyTorch, "compile": Compiled, "numpy": NumPy}[sys.argv[1]])
    print(peer.version, flush=True)
    for line in sys.stdin:
        print(answer(peer, *line.split()), flush=True)


main()
