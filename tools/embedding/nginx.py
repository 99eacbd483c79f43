"""nginx with four workers: concurrent requests that compute, errors in the log, a reload under load, workers' memory."""
import concurrent.futures
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from .common import ANSWERS, PROGRAMS, Skipped, expect, need

WORKERS, REQUESTS, AT_ONCE = 4, 2000, 16
WARM = 4  # times REQUESTS, until heaps and compiled Lua have their size
GROWTH = 2048  # KiB that a warm worker may grow by during REQUESTS: 4 KiB for each that it answers


class Server:
    """nginx with the configuration of the page, in a folder of its own and at a port of its own."""

    def __init__(self, nginx, folder):
        shutil.copytree(PROGRAMS, folder, dirs_exist_ok=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.configuration, self.log_path = os.path.join(folder, "nginx.conf"), os.path.join(folder, "error.log")
        with open(self.configuration) as file:
            text = file.read()
        for old, new in (("/srv/app", folder), ("127.0.0.1:8080", f"127.0.0.1:{self.port}"),
                         ("/tmp/cudalua-nginx.pid", os.path.join(folder, "pid"))):
            expect(old in text, "nginx.conf has no", old)
            text = text.replace(old, new)
        with open(self.configuration, "w") as file:
            file.write(text)
        # The workers read /root, where a bare machine has the tree with its compiler.
        root = "user root;" if os.getuid() == 0 else ""
        self.process = subprocess.Popen([nginx, "-c", self.configuration, "-g", root], stderr=open(self.log_path, "w"))

    def log(self):
        with open(self.log_path) as file:
            return file.read()

    def ask(self, path):
        """The answer's text and the number of the worker's process."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", "/" + path, headers={"Connection": "close"})
            response = connection.getresponse()
            return response.read().decode(), int(response.getheader("X-Worker"))
        finally:
            connection.close()

    def wait(self):
        for _ in range(200):
            try:
                return self.ask("total?n=1")
            except ConnectionRefusedError:
                expect(self.process.poll() is None, "nginx ended:\n" + self.log())
                time.sleep(0.05)
        expect(False, "nginx does not answer:\n" + self.log())

    def workers(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as file:
            return [int(pid) for pid in file.read().split()]


def resident(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])


def load(server, requests, at=None, then=None):
    """Concurrent requests whose every answer is compared; `then` is called when `at` of them are answered. Who answered."""
    done, lock = [], threading.Lock()

    def one(number):
        n = 2 + number * 37 % 4000
        text, worker = server.ask(f"total?n={n}")
        with lock:
            done.append(worker)
            if len(done) == at:
                then()
        expect(float(text) == n * (n - 1) / 2, f"total({n}) is {text}")

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(one, range(requests)))
    return set(done)


def gone(pid):
    return not os.path.exists(f"/proc/{pid}")


def until(condition, text):
    for _ in range(300):
        if condition():
            return
        time.sleep(0.1)
    expect(False, text)


def check_errors(server):
    for path, pattern in ANSWERS:
        text, _ = server.ask(path)
        expect(re.search(pattern, text), path, "is not answered by", pattern, "but by\n" + text)
    for path, pattern in ANSWERS[1:]:
        expect(re.search(pattern, server.log()), "the log lacks", pattern, "\n" + server.log())


def check_server(server):
    server.wait()
    first = set(server.workers())
    expect(len(first) == WORKERS, "nginx has", len(first), "workers")
    load(server, WARM * REQUESTS)
    before = {pid: resident(pid) for pid in first}
    answered = load(server, REQUESTS)
    growth = max(resident(pid) - before[pid] for pid in first)
    expect(growth < GROWTH, "a worker grew by", growth, "KiB")
    expect(answered == first, "of the workers", first, "answered", answered)

    check_errors(server)  # the last of these takes its worker's device away; new workers have it
    reload = lambda: server.process.send_signal(signal.SIGHUP)
    reload()
    until(lambda: all(map(gone, first)), "old workers do not end after a reload")
    second = set(server.workers())
    answered = load(server, REQUESTS, REQUESTS // 4, reload)
    until(lambda: all(map(gone, second)), "old workers do not end after a reload under load")
    expect(answered & second and answered - second, "the reload was not under load")
    third = server.workers()

    server.process.send_signal(signal.SIGQUIT)
    expect(server.process.wait(30) == 0, "nginx ended with", server.process.returncode)
    expect(all(map(gone, third)), "workers are left")
    for line in server.log().splitlines():
        expect("exited on signal" not in line and "[alert]" not in line, line)
    return growth


def check():
    nginx = need("nginx")
    if not os.path.exists("/etc/nginx/modules-enabled"):
        raise Skipped("nginx has no folder of modules")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(nginx, folder)
        try:
            growth = check_server(server)
        finally:
            if server.process.poll() is None:
                server.process.terminate()
                server.process.wait()
    return (f"{WORKERS} workers, {(WARM + 2) * REQUESTS} answers, 3 errors logged, 2 reloads, one under load; "
            f"a warm worker grew by {growth} KiB at most")
