"""What README.md shows happens as it says: the tour pasted in one go, the snippets, the picture."""

import datetime
import pathlib
import re
import shutil
import socket
import sys
import tempfile
import unittest

import suite
from petrel_server import wait_until

ROOT = pathlib.Path(__file__).resolve().parents[2]

sys.path.insert(0, str(ROOT / "tests/docs"))
from page import Page  # noqa: E402  pylint: disable=wrong-import-position
from shell import Shell  # noqa: E402  pylint: disable=wrong-import-position


def is_listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", int(port))) == 0


class Readme(unittest.TestCase):
    def setUp(self):
        self.page = Page(ROOT / "README.md")
        start = self.line_of("## Five minutes\n")
        end = self.line_of("## Send and verify\n")
        blocks = self.page.blocks()
        self.tour = [b.text for b in blocks if start < b.line < end and b.language == "sh"]
        self.files = {b.notes["file"]: b.text for b in blocks if "file" in b.notes}
        self.assertEqual(len(self.tour), 6)

    def line_of(self, heading):
        return self.page.text[: self.page.text.index(heading)].count("\n")

    def shell(self, program="bash"):
        for name in (program, "curl", "python3"):
            if not shutil.which(name):
                self.skipTest(f"install `{name}`")
        folder = tempfile.TemporaryDirectory(prefix="petrel-tour-")
        self.addCleanup(folder.cleanup)
        shell = Shell(folder.name, program)
        self.addCleanup(shell.close)
        return shell

    def test_the_tour_does_what_it_says_in_sh(self):
        self.check_tour("sh")

    def test_the_tour_does_what_it_says_in_bash(self):
        self.check_tour("bash")

    def check_tour(self, program):
        shell = self.shell(program)
        shell.write(shell.adapted("".join(self.tour)) + "\necho the tour is over\n")
        shell.wait_for("the tour is over")
        self.assertIn('"uid":"acme-orders"', shell.text)
        told = re.findall(r"^(\S+Z) (\d+) (\w+)$", shell.text, re.MULTILINE)
        self.assertEqual(
            [row[1:] for row in told],
            [("503", "fail"), ("503", "fail"), ("200", "success")],
            shell.text,
        )
        times = [datetime.datetime.fromisoformat(row[0]) for row in told]
        for wait, expected in zip([b - a for a, b in zip(times, times[1:])], (1, 3)):
            self.assertGreaterEqual(wait.total_seconds(), expected)
            self.assertLess(wait.total_seconds(), expected + 2)
        # It cleans up: nothing that it started or wrote is left.
        wait_until(lambda: not any(map(is_listening, shell.ports.values())), "the ports closed")
        self.assertEqual([path.name for path in shell.folder.iterdir()], ["build"])

    def test_what_sends_in_other_languages_is_accepted_as_it_is(self):
        shell = self.shell()
        for block in self.tour[:-1]:
            shell.paste(block)
        for name, text in self.files.items():
            path = shell.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(shell.adapted(text))
        for command in ("node send.mjs", "python3 send.py", "go run send/main.go"):
            program = command.partition(" ")[0]
            with self.subTest(program):
                if not shutil.which(program):
                    self.skipTest(f"install what has `{program}`; scripts/packages.txt says what")
                self.assertRegex(shell.paste(command), r"\bmsg_\w{27}\b")

    def test_the_picture_and_the_table_are_what_the_command_makes(self):
        self.check_simulation(self.page, "storm.svg", rows=6)

    def test_those_of_the_page_on_simulations_are_too(self):
        self.check_simulation(Page(ROOT / "docs/simulate.md"), "outage.svg", rows=16)

    def check_simulation(self, page, picture, rows):
        """`rows` are how many the table has."""
        shell = self.shell()
        picture = f"docs/images/{picture}"
        command = next(b.text for b in page.blocks() if f"--svg {picture}" in b.text)
        (shell.folder / picture).parent.mkdir(parents=True)
        written = shell.paste(command)
        self.assertEqual(
            (shell.folder / picture).read_bytes(),
            (ROOT / picture).read_bytes(),
            f"make the picture anew:\n{command}",
        )
        made = []
        for line in re.findall(r"^(\S*) +(off|on) +(.*?) +\S+ms$", written, re.MULTILINE):
            name = f"`{line[0]}`" if line[0] else ""
            cells = re.split(r" {2,}", line[2])
            made.append(" | ".join([f"| {name}", line[1], *cells]) + " |")
        self.assertEqual(len(made), rows, written)
        table = "\n".join(made)
        self.assertIn(table, page.text, f"the table should be:\n{table}")


if __name__ == "__main__":
    suite.main()
