#!/usr/bin/env python3
"""Runs the programs of docs/embedding.md as they stand: examples/embedding in Python with lupa and in nginx.

embedding_check.py lupa|nginx, in the tree's root, on a machine with an installed cudalua; nginx also needs root and
the folder /srv/app. Each error of app.lua must come out as its text. release_check.sh runs both in a bare Debian.
"""
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request

EXPECTED = [
    ("total?n=5", r"10\b"),
    ("total?n=5&dtype=flot32", r"app\.lua:\d+: gpuarray\.arange: unknown dtype 'flot32'; valid dtypes: bool, "),
    ("reserve?n=1125899906842624", r"app\.lua:\d+: cuMemAlloc failed: out of memory \(CUDA_ERROR_OUT_OF_MEMORY\)\n"),
    ("fill?n=100&count=101", r"app\.lua:\d+: illegal address [^\0]*\n  detail: kernel fill, .*kernel\.cu:4 "
     r".*thread \(100,0,0\): illegal store of 4 bytes .*allocation \d+ \(400 bytes .*app\.lua:\d+\)"),
]


def run_lupa():
    host = subprocess.run([sys.executable, "examples/embedding/host.py"], capture_output=True, text=True)
    if host.returncode != 0:
        sys.exit(f"host.py ends with {host.returncode}:\n{host.stdout}{host.stderr}")
    position = 0
    for what, pattern in EXPECTED:
        found = re.compile(pattern).search(host.stdout, position)
        if not found:
            sys.exit(f"host.py: {what} is not answered by {pattern}:\n{host.stdout}")
        position = found.end()
    arrays = subprocess.run([sys.executable, "examples/embedding/arrays.py"], capture_output=True, text=True)
    if arrays.stdout != "fine\n":
        sys.exit(f"arrays.py ends with {arrays.returncode}:\n{arrays.stdout}{arrays.stderr}")


def answer(path):
    for attempt in range(100):
        try:
            with urllib.request.urlopen("http://127.0.0.1:8080/" + path) as response:
                return response.read().decode()
        except urllib.error.HTTPError as error:
            return error.read().decode()
        except urllib.error.URLError:  # nginx has not started yet
            time.sleep(0.1)
    sys.exit("nginx does not answer")


def run_nginx():
    # The workers read /root, where a bare machine has the tree with its compiler.
    with open("/tmp/embedding-nginx.log", "w+") as log:
        server = subprocess.Popen(["nginx", "-c", "/srv/app/nginx.conf", "-g", "user root;"], stderr=log)
        try:
            for path, pattern in EXPECTED:
                text = answer(path)
                if not re.search(pattern, text):
                    sys.exit(f"nginx: {path} is not answered by {pattern}:\n{text}")
        finally:
            server.terminate()
            server.wait()
            log.seek(0)
            logged = log.read()
        for path, pattern in EXPECTED[1:]:
            if not re.search(pattern, logged):
                sys.exit(f"nginx does not log {pattern}:\n{logged}")


os.environ["CUDALUA_DRIVER"] = "soft"
{"lupa": run_lupa, "nginx": run_nginx}[sys.argv[1]]()
print(f"{sys.argv[1]}: {len(EXPECTED)} answers as expected")
