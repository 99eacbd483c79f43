"""luv's event loop is woken by a completion."""
import os
import subprocess

from .common import PROGRAMS, Skipped, expect, last_line, need, run


def check():
    luajit = need("luajit")
    if subprocess.run([luajit, "-e", "require 'luv'"], capture_output=True).returncode != 0:
        raise Skipped("luajit does not find the module luv")
    out, _ = run(luajit, os.path.join(PROGRAMS, "luv.lua"))
    expect(last_line(out).startswith("luv: "), "printed", out)
    return last_line(out)[len("luv: "):]
