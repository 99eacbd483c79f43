"""Python with lupa: host.py shows errors as text, arrays.py hands arrays over."""
import os
import subprocess
import sys

from .common import ANSWERS, PROGRAMS, Skipped, expect, expect_in_order, run

PYTHON = os.environ.get("CUDALUA_PYTHON", sys.executable)  # one with lupa


def check():
    if subprocess.run([PYTHON, "-c", "from lupa import luajit21"], capture_output=True).returncode != 0:
        raise Skipped(f"{PYTHON} has no lupa with LuaJIT 2.1")
    out, _ = run(PYTHON, os.path.join(PROGRAMS, "host.py"))
    expect_in_order([pattern for _, pattern in ANSWERS], out)
    out, err = run(PYTHON, os.path.join(PROGRAMS, "arrays.py"))
    expect(out == "fine\n", "arrays.py printed", out + err)
    return f"{len(ANSWERS)} answers, arrays go over and back"
