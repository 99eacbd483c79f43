"""A host in C: states in threads with allocators of their own, with LuaJIT as a shared library and linked in statically."""
import os
import subprocess
import tempfile

from .common import PROGRAMS, Skipped, expect, need, run

SUM = 'local cuda = require "cudalua" assert((cuda.gpuarray.arange(%d) ^ 2):sum():item() == %d)'
PENDING = """local cuda = require "cudalua"
local spin = cuda.kernel "__global__ void spin(float *a, int n) { for (int i = 0; i < n; i++) a[0] = a[0] * 0.5f + 1; }"
local memory, stream = cuda.mem_alloc(4), cuda.Stream()
for i = 1, 10 do spin(memory, 1000, { block = 1, stream = stream }) end
stream:on_complete(function() error "the state is closed" end)"""
WRONG = 'require("cudalua").Device(99)'
GREEDY = "local kept = {} for i = 1, 1e9 do kept[i] = {} end"


def flags(name):
    asked = subprocess.run([need("pkg-config"), name, "luajit"], capture_output=True, text=True)
    if asked.returncode != 0:
        raise Skipped("pkg-config does not find LuaJIT's headers")
    return asked.stdout.split()


def check_program(host):
    run(host, *[SUM % (n, (n - 1) * n * (2 * n - 1) / 6) for n in range(5, 13)])
    _, err = run(host, *[PENDING] * 4)
    expect(err == "", "pending work at the end of a state:", err)
    _, err = run(host, SUM % (5, 30), WRONG, status=1)
    expect("cuDeviceGet failed: invalid device" in err and "hint: devices are numbered" in err, "the error is", err)
    _, err = run(host, SUM % (5, 30), GREEDY, status=1)
    expect(err == "not enough memory\n", "the error is", err)


def check():
    cc = need("cc")
    source = os.path.join(PROGRAMS, "host.c")
    with tempfile.TemporaryDirectory() as folder:
        shared, static = os.path.join(folder, "shared"), os.path.join(folder, "static")
        run(cc, "-o", shared, source, "-pthread", *flags("--cflags"), *flags("--libs"))
        check_program(shared)
        libraries = [flag for flag in flags("--libs") if flag.startswith("-L")]
        run(cc, "-o", static, source, "-pthread", *flags("--cflags"), *libraries, "-l:libluajit-5.1.a", "-lm", "-ldl",
            "-Wl,-E")
        expect("libluajit" not in run("ldd", static)[0], "the static program loads LuaJIT as a library")
        check_program(static)
    return "8 states in 8 threads, pending work, an error, a limit of memory; LuaJIT shared and static"
