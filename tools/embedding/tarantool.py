"""In Tarantool a fiber waits for a kernel while other fibers go on."""
import os

from .common import PROGRAMS, expect, last_line, need, run


def check():
    out, _ = run(need("tarantool"), os.path.join(PROGRAMS, "tarantool.lua"))
    expect(last_line(out).startswith("tarantool: "), "printed", out)
    return last_line(out)[len("tarantool: "):]
