"""Stamps remember which source files a slow check has passed, so that it runs on changes alone.

A stamp is a hash over everything that the answer depends on: the tool and its rules, how the file
is compiled, the file, and every header of ours that it includes, however far down.
"""

import hashlib
import json
import re
from pathlib import Path

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)


def compile_commands(root):
    """{source file: its compile command} of the release build."""
    path = root / "build/release/compile_commands.json"
    if not path.is_file():
        raise SystemExit("build/release is not configured yet: run `make lint` or `make build`")
    entries = json.loads(path.read_text(encoding="utf-8"))
    return {Path(entry["file"]): entry["command"] for entry in entries}


class Stamps:
    def __init__(self, root, check, settings):
        self._src = root / "src"
        self._folder = root / "build/lint" / check
        self._settings = settings
        self._contents = {}

    def hash(self, source, command):
        digest = hashlib.sha256()
        for part in (self._settings, command):
            digest.update(part.encode() + b"\0")
        for path in self._reach(source):
            digest.update(str(path).encode() + b"\0" + self._read(path) + b"\0")
        return digest.hexdigest()

    def has(self, source, value):
        stamp = self._stamp(source)
        return stamp.is_file() and stamp.read_text(encoding="utf-8") == value

    def put(self, source, value):
        stamp = self._stamp(source)
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(value, encoding="utf-8")

    def _stamp(self, source):
        return self._folder / (str(source.relative_to(self._src)) + ".stamp")

    def _read(self, path):
        if path not in self._contents:
            self._contents[path] = path.read_bytes()
        return self._contents[path]

    def _reach(self, source):
        """The file and our headers below it, in a steady order."""
        reached = set()
        waiting = [source]
        while waiting:
            path = waiting.pop()
            if path in reached:
                continue
            reached.add(path)
            for name in _INCLUDE.findall(self._read(path)):
                header = self._src / name.decode()
                if header.is_file():
                    waiting.append(header)
        return sorted(reached)
