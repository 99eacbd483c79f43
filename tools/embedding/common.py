"""What the checks of all hosts share: how they skip and fail, and how they run a program."""
import os
import re
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = os.path.join(ROOT, "examples", "embedding")

# Entry points of app.lua with arguments, and what has to be answered: the first is a result, the others are errors.
ANSWERS = [
    ("total?n=5", r"10\b"),
    ("total?n=5&dtype=flot32", r"app\.lua:\d+: gpuarray\.arange: unknown dtype 'flot32'; valid dtypes: bool, "),
    ("reserve?n=1125899906842624", r"app\.lua:\d+: cuMemAlloc failed: out of memory \(CUDA_ERROR_OUT_OF_MEMORY\)\n"),
    ("fill?n=100&count=101", r"app\.lua:\d+: illegal address [^\0]*\n  detail: kernel fill, .*kernel\.cu:4 "
     r".*thread \(100,0,0\): illegal store of 4 bytes .*allocation \d+ \(400 bytes .*app\.lua:\d+\)"),
]


class Skipped(Exception):
    """The host is not installed."""


class Failed(Exception):
    """The host does not do what the page says."""


def need(program):
    path = shutil.which(program) or shutil.which(program, path="/usr/sbin:/usr/games")
    if not path:
        raise Skipped(f"{program} is not installed")
    return path


def expect(condition, *text):
    if not condition:
        raise Failed(" ".join(str(part) for part in text)[:4000])


def run(*command, status=0, timeout=120, **options):
    """Runs a program; what it wrote to stdout and to stderr."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=ROOT, **options)
    expect(done.returncode == status, command[0], "ended with", done.returncode, "\n" + done.stdout + done.stderr)
    return done.stdout, done.stderr


def expect_in_order(patterns, text):
    position = 0
    for pattern in patterns:
        found = re.compile(pattern).search(text, position)
        expect(found, "no", pattern, "in:\n" + text[position:])
        position = found.end()


def last_line(text):
    return text.strip().splitlines()[-1] if text.strip() else "(nothing)"
