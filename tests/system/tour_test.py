"""The tour in README.md, run as it is written."""

import datetime
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unittest

import suite
from petrel_server import PETREL, wait_until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def tour():
    """The shell blocks of the README's first five minutes, up to where policies are explained."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        text = file.read()
    section = text.partition("## Five minutes\n")[2].partition("**Which policies")[0]
    return re.findall(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


class Terminal:
    """A shell that blocks are pasted into, and everything that was written to it."""

    def __init__(self, folder):
        self._shell = subprocess.Popen(
            ["bash"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            bufsize=1,
            start_new_session=True,
        )
        self.text = ""
        self._count = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self._shell.stdout:
            self.text += line

    def wait_for(self, pattern):
        wait_until(
            lambda: re.search(pattern, self.text), lambda: f"{pattern} in:\n{self.text}", 30
        )
        return self.text

    def paste(self, block):
        """What was written while the block ran; it has to succeed."""
        self._count += 1
        before = len(self.text)
        end = f"end of block {self._count}:"
        self._shell.stdin.write(f'{block}\necho "{end} $?"\n')
        self._shell.stdin.flush()
        written = self.wait_for(end + r" \d+\n")[before:]
        if end + " 0\n" not in written:
            raise AssertionError(f"failed:\n{block}\n{written}")
        return written

    def close(self):
        try:
            os.killpg(self._shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._shell.wait()
        self._reader.join()
        self._shell.stdin.close()
        self._shell.stdout.close()


class Tour(unittest.TestCase):
    def test_the_tour_does_what_it_says(self):
        for program in ("bash", "curl"):
            if not shutil.which(program):
                self.skipTest(f"install `{program}`")
        folder = tempfile.TemporaryDirectory(prefix="petrel-tour-")
        self.addCleanup(folder.cleanup)
        terminal = Terminal(folder.name)
        self.addCleanup(terminal.close)
        server, receiver = str(free_port()), str(free_port())
        blocks = [
            block.replace("build/release/petrel", os.path.abspath(PETREL))
            .replace("8071", server)
            .replace("9000", receiver)
            for block in tour()
        ]
        self.assertEqual(len(blocks), 6)
        serve, receive, set_up, send, look, clean_up = blocks

        terminal.paste(serve)
        terminal.wait_for("petrel listens on http://127.0.0.1:" + server)
        terminal.paste(receive)
        wait_until(lambda: self.is_listening(int(receiver)), "the receiver")
        made = terminal.paste(set_up)
        self.assertIn('"uid":"acme"', made)
        self.assertIn('"uid":"acme-orders"', made)
        self.assertIn('"eventId":"order-17"', terminal.paste(send))
        terminal.wait_for(r'"POST / HTTP/1.1" 503(.|\n)* 503(.|\n)* 200')

        wait_until(lambda: "success" in terminal.paste(look), "the success recorded")
        told = re.findall(r"^(\S+Z) (\d+) (\w+)$", terminal.paste(look), re.MULTILINE)
        self.assertEqual(
            [row[1:] for row in told], [("503", "fail"), ("503", "fail"), ("200", "success")]
        )
        times = [datetime.datetime.fromisoformat(row[0]) for row in told]
        for wait, expected in zip([b - a for a, b in zip(times, times[1:])], (1, 3)):
            self.assertGreaterEqual(wait.total_seconds(), expected)
            self.assertLess(wait.total_seconds(), expected + 2)

        terminal.paste(clean_up)
        self.assertEqual(os.listdir(folder.name), [])

    @staticmethod
    def is_listening(port):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0


if __name__ == "__main__":
    suite.main()
