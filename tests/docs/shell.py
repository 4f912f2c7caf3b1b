"""A shell that blocks of a page are pasted into, in a folder with `build/release/petrel` in it."""

import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

PETREL = os.path.abspath(os.environ.get("PETREL", "build/release/petrel"))

# The ports that pages name; each shell has others in their place.
_PORTS = ("8071", "9000", "9001")

# Nothing that a page shows takes this long, whatever else the machine is doing.
_DEADLINE = 60


def _is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            return True
        except OSError:
            return False


def free_ports(count):
    """Ports that are free, and that the system does not give away until they are taken."""
    ports = random.SystemRandom().sample(range(20000, 32000), 200)
    return [str(port) for port in ports if _is_free(port)][:count]


class Shell:
    """`program` reads from a pipe what a reader would paste."""

    def __init__(self, folder, program="bash"):
        self.folder = pathlib.Path(folder)
        self.ports = dict(zip(_PORTS, free_ports(len(_PORTS))))
        self.text = ""
        self._count = 0
        place = self.folder / "build/release"
        place.mkdir(parents=True)
        (place / "petrel").symlink_to(PETREL)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PETREL")}
        kept["PATH"] = f"{place}:{kept['PATH']}"
        kept.update(HOME=str(self.folder), GOCACHE=str(self.folder / "go-cache"), GO111MODULE="off")
        self._process = subprocess.Popen(
            [program],
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            bufsize=1,
            env=kept,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._process.stdout:
            self.text += line

    def adapted(self, text):
        """The text with this shell's ports in place of those that the page names."""
        return re.sub("|".join(_PORTS), lambda match: self.ports[match[0]], text)

    def write(self, text):
        try:
            self._process.stdin.write(text)
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # It has ended; whoever waits for what it says finds out.

    def paste(self, block, fails=False):
        """What was written meanwhile. Every command has to succeed; or the last one to fail."""
        self._count += 1
        before = len(self.text)
        end = f"end of block {self._count}:"
        block = self.adapted(block)
        if fails:
            self.write(f'{block}\necho "{end} $?"\n')
        else:
            self.write(f"STATUS=0; trap 'STATUS=$?' ERR\n{block}\ntrap - ERR\n")
            self.write(f'echo "{end} $STATUS"\n')
        written = self.wait_for(end + r" (\d+)\n", before)
        if (re.search(end + r" (\d+)", written)[1] == "0") == fails:
            raise AssertionError(f"{'succeeded' if fails else 'failed'}:\n{block}\n{written}")
        return written

    def wait_for(self, pattern, start=0):
        """All that was written from `start` on, once the pattern is in it."""
        end = time.monotonic() + _DEADLINE
        while not re.search(pattern, self.text[start:]):
            if time.monotonic() > end or (
                self._process.poll() is not None and not self._reader.is_alive()
            ):
                raise AssertionError(f"no {pattern} in:\n{self.text[start:]}")
            time.sleep(0.02)
        return self.text[start:]

    def close(self):
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
        self._reader.join()
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            pass
        self._process.stdout.close()
        shutil.rmtree(self.folder / "go-cache", ignore_errors=True)
