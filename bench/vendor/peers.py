"""The works of bench/vendor.lua through CuPy or PyTorch: "WORK TYPE N LAUNCHES" is answered with microseconds a call."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
from libraries import CuPy, PyTorch, make, on_device, serve  # noqa: E402


class Peer:
    def __init__(self, ns, tensor):
        self.ns, self.tensor = ns, tensor

    def time(self, f, launches):
        result = on_device(self.ns, f, launches)
        self.ns.forget()
        return result


class ForCuPy(Peer):
    def __init__(self):
        super().__init__(CuPy(), False)
        self.cp = self.ns.cupy

    def array(self, shape, dtype):
        x = self.cp.random.rand(*shape, dtype=self.cp.float32) - 0.5
        return x.astype("float32" if dtype == "tf32" else dtype)

    def run(self, work, dtype, n, launches):
        cp, n, launches = self.cp, int(n), int(launches)
        if dtype == "tf32":
            raise NotImplementedError("an environment variable chooses it")
        if work == "matmul":
            a, b = self.array((n, n), dtype), self.array((n, n), dtype)
            return self.time(lambda _: cp.matmul(a, b), launches)
        if work == "batch":
            a, b = self.array((64, n, n), dtype), self.array((64, n, n), dtype)
            return self.time(lambda _: cp.matmul(a, b), launches)
        if work == "solve":
            a, b = self.array((n, n), dtype), self.array((n,), dtype)
            return self.time(lambda _: cp.linalg.solve(a, b), launches)
        if work == "cholesky":
            a = self.array((n, n), dtype)
            a = a + a.T + 2 * n * cp.eye(n, dtype=dtype)
            return self.time(lambda _: cp.linalg.cholesky(a), launches)
        if work == "svd":
            a = self.array((n, n), dtype)
            return self.time(lambda _: cp.linalg.svd(a, full_matrices=False), launches)
        if work in ("fft", "fft2"):
            a = self.array((n,) if work == "fft" else (n, n), dtype)
            f = cp.fft.fft if work == "fft" else cp.fft.fft2
            return self.time(lambda _: f(a), launches)
        import cupyx.scipy.sparse as sparse

        one = sparse.diags([cp.ones(n - 1), cp.ones(n - 1)], [1, -1])
        m = (sparse.kron(one, sparse.identity(n)) + sparse.kron(sparse.identity(n), one) + sparse.identity(n * n))
        m, x = m.tocsr().astype("float32"), self.array((n * n,), dtype)
        return self.time(lambda _: m @ x, launches)


class ForPyTorch(Peer):
    def __init__(self):
        super().__init__(PyTorch(), True)
        self.torch = self.ns.torch

    def array(self, shape, dtype):
        x = self.torch.rand(*shape, device="cuda") - 0.5
        return x.to(getattr(self.torch, "float32" if dtype == "tf32" else dtype))

    def run(self, work, dtype, n, launches):
        torch, n, launches = self.torch, int(n), int(launches)
        torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32"
        if work in ("matmul", "batch"):
            shape = (64, n, n) if work == "batch" else (n, n)
            a, b = self.array(shape, dtype), self.array(shape, dtype)
            return self.time(lambda _: torch.matmul(a, b), launches)
        if work == "solve":
            a, b = self.array((n, n), dtype), self.array((n,), dtype)
            return self.time(lambda _: torch.linalg.solve(a, b), launches)
        if work == "cholesky":
            a = self.array((n, n), dtype)
            a = a + a.T + 2 * n * torch.eye(n, device="cuda")
            return self.time(lambda _: torch.linalg.cholesky(a), launches)
        if work == "svd":
            a = self.array((n, n), dtype)
            return self.time(lambda _: torch.linalg.svd(a, full_matrices=False), launches)
        if work in ("fft", "fft2"):
            a = self.array((n,) if work == "fft" else (n, n), dtype)
            f = torch.fft.fft if work == "fft" else torch.fft.fft2
            return self.time(lambda _: f(a), launches)
        at = torch.arange(n * n, device="cuda")
        i, j = at // n, at % n
        rows, columns = [], []
        for di, dj in ((-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)):
            inside = (i + di >= 0) & (i + di < n) & (j + dj >= 0) & (j + dj < n)
            rows.append(at[inside])
            columns.append((at + di * n + dj)[inside])
        places = torch.stack([torch.cat(rows), torch.cat(columns)])
        m = torch.sparse_coo_tensor(places, torch.ones(places.shape[1], device="cuda"), (n * n, n * n)).to_sparse_csr()
        x = self.array((n * n,), dtype)
        return self.time(lambda _: m @ x, launches)


serve(make(ForCuPy if sys.argv[1] == "cupy" else ForPyTorch))
