#!/usr/bin/env python3
"""Runs the programs of docs/embedding.md in their hosts, on the software device.

embedding_check.py [--all] [HOST...]    all hosts, or those named; each is a file in tools/embedding

cudalua is installed, or LUA_PATH and LUA_CPATH name its folders. A host that is not installed is skipped; with --all
that is a failure. release_check.sh runs this in a Debian that has all of them.
"""
import importlib
import os
import sys

from embedding.common import Failed, Skipped

HOSTS = ["c", "python", "nginx", "neovim", "love", "luv", "tarantool"]


def run(host):
    """The kind of result, and its text."""
    try:
        return "passed", importlib.import_module("embedding." + host).check()
    except Skipped as why:
        return "skipped", str(why)
    except Failed as why:
        return "failed", str(why)
    except Exception as error:  # also a host that hangs or answers nonsense is a failure of that host alone
        return "failed", f"{type(error).__name__}: {error}"


def main(arguments):
    everything = "--all" in arguments
    hosts = [name for name in arguments if name != "--all"] or HOSTS
    unknown = [name for name in hosts if name not in HOSTS]
    if unknown:
        sys.exit(f"embedding_check: unknown host {unknown[0]!r}; valid hosts: {', '.join(HOSTS)}")
    os.environ["CUDALUA_DRIVER"] = "soft"
    count = {"passed": 0, "failed": 0, "skipped": 0}
    for host in hosts:
        how, text = run(host)
        if everything and how == "skipped":
            how = "failed"
        count[how] += 1
        print(f"{host}: {'' if how == 'passed' else how + ': '}{text}", flush=True)
    print(", ".join(f"{number} {how}" for how, number in count.items()))
    sys.exit(count["failed"] != 0)


main(sys.argv[1:])
