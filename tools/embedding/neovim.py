"""Neovim: notices go to vim.notify, and nothing is written over the screen of a full-screen session."""
import os
import pty
import select
import tempfile
import time

from .common import PROGRAMS, expect, last_line, need, run

HERE = os.path.dirname(os.path.abspath(__file__))


def on_terminal(nvim, notices):
    """Runs neovim.lua full-screen; what the terminal got, and what arrived in Neovim."""
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result")
        environment = dict(os.environ, TERM="xterm", EMBEDDING_RESULT=result, EMBEDDING_NOTICES=notices,
                           CUDALUA_CACHE_DIR=os.path.join(folder, "cache"), XDG_STATE_HOME=folder)
        pid, fd = pty.fork()
        if pid == 0:
            os.execve(nvim, [nvim, "-u", "NONE", "-n", "-c", "luafile " + os.path.join(HERE, "neovim.lua")], environment)
        screen, deadline = b"", time.monotonic() + 60
        while time.monotonic() < deadline:
            if not select.select([fd], [], [], 1)[0]:
                continue
            try:
                part = os.read(fd, 65536)
            except OSError:  # Neovim has ended
                break
            if not part:
                break
            screen += part
        else:
            os.kill(pid, 9)
        os.waitpid(pid, 0)
        os.close(fd)
        expect(os.path.exists(result), "Neovim ended without a result; its screen was", screen[-500:])
        with open(result) as file:
            return screen.decode(errors="replace"), file.read()


def check():
    nvim = need("nvim")
    out, err = run(nvim, "--headless", "-u", "NONE", "-c", "luafile " + os.path.join(PROGRAMS, "neovim.lua"))
    expect("neovim: the notice went to vim.notify" in out + err, "printed", last_line(out + err))
    screen, arrived = on_terminal(nvim, "own")
    expect("notice: " in arrived and "unused" in arrived, "the warning did not arrive:", arrived)
    expect("error: " in arrived and "illegal store of 4 bytes" in arrived, "the report did not arrive:", arrived)
    expect("failed: " not in arrived, arrived)
    for text in ("unused", "cudalua:", "softgpu", "illegal"):
        expect(text not in screen, text, "was written over the screen:", repr(screen))
    screen, _ = on_terminal(nvim, "default")  # the check of the screen can fail
    expect("unused" in screen, "the default notice is not on the terminal:", repr(screen))
    return "headless; on a terminal, a notice and a report of the device left the screen alone"
