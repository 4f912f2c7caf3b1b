"""The source tree as the lint rules see it: its files, C++ with comments blanked, and findings."""

import argparse
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Built, fetched or written at run time: nobody's source.
_SKIPPED = {".git", "build", "node_modules", "petrel-data", "__pycache__"}

_CPP = (".h", ".cpp")

# Strings first, so that a // inside one is not taken for a comment. A quote between digits is a
# separator (1'000) and not a character.
_LITERAL_OR_COMMENT = re.compile(
    r'R"(?P<tag>[^\s()\\]{0,16})\((?P<raw>.*?)\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"
    r"|//[^\n]*"
    r"|/\*.*?\*/",
    re.DOTALL,
)


def files(root, *folders):
    """Every file under the folders (the whole tree if none are named), in a steady order."""
    tops = [root / folder for folder in folders] if folders else [root]
    found = []
    for top in tops:
        for path in top.rglob("*"):
            if not _SKIPPED.intersection(path.relative_to(root).parts) and path.is_file():
                found.append(path)
    return sorted(found)


def cpp_files(root, *folders):
    return [path for path in files(root, *folders) if path.suffix in _CPP]


def code_only(text):
    """The text with comments and the insides of literals blanked; lines and columns stay."""

    def blank(match):
        whole = match.group(0)
        if whole.startswith("/"):
            return re.sub(r"[^\n]", " ", whole)
        return '"' + re.sub(r"[^\n]", " ", whole[1:-1]) + '"'

    return _LITERAL_OR_COMMENT.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


class Finding:
    """One breach of a rule, at a place that an editor can jump to."""

    def __init__(self, path, line, message):
        self.path = path
        self.line = line
        self.message = message

    def text(self, root):
        return f"{self.path.relative_to(root)}:{self.line}: {self.message}"


def expect(condition, what):
    if not condition:
        raise SystemExit(f"self-test: {what}")


def made_up(contents):
    """A scratch tree from {path: text}; keep the answer for as long as the tree is needed."""
    scratch = tempfile.TemporaryDirectory(prefix="petrel-lint-")
    for name, text in contents.items():
        path = Path(scratch.name) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return scratch


def main(rule, check, self_test):
    """Runs one rule: `check(root)` gives its findings, `self_test()` shows that it can fail."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="the tree to check")
    parser.add_argument("--self-test", action="store_true", help="show that the rule can fail")
    arguments = parser.parse_args()
    if arguments.self_test:
        self_test()
        return
    root = arguments.root.resolve()
    findings = check(root)
    for finding in findings:
        print(f"{finding.text(root)} [{rule}]")
    sys.exit(1 if findings else 0)
