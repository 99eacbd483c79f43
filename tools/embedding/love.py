"""LÖVE draws pixels of a kernel on a virtual display."""
import os

from .common import PROGRAMS, expect, last_line, need, run


def check():
    love, xvfb = need("love"), need("xvfb-run")
    environment = dict(os.environ, ALSOFT_DRIVERS="null", SDL_AUDIODRIVER="dummy")
    out, _ = run(xvfb, "-a", love, os.path.join(PROGRAMS, "love"), env=environment)
    expect(last_line(out) == "love: drew 30 frames that a kernel computed", "printed", out)
    return last_line(out)[len("love: "):]
