#!/usr/bin/env python3
"""No file names a machine's path or a package registry, or keeps a note of work left undone."""

import re

import tree

# Written in two halves, so that this file keeps its own rule.
_WORDS = [
    (
        re.compile(r"(?<![\w.~-])/(?:wo" r"rk|ho" r"me|ro" r"ot|Us" r"ers)/[\w.-]"),
        "a path of one machine",
    ),
    (
        re.compile(
            r"\b(?:deb\.deb" r"ian\.org|archive\.ubu" r"ntu\.com|registry\.np" r"mjs\.org"
            r"|registry\.yarn" r"pkg\.com|py" r"pi\.org|pythonhos" r"ted\.org|crates" r"\.io"
            r"|docker" r"\.io|ghcr" r"\.io|quay" r"\.io|rubygems" r"\.org|proxy\.gol" r"ang\.org)\b"
        ),
        "a registry's host: scripts/packages.txt names packages, the machine knows where from",
    ),
    (
        re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b"),
        "work left undone: do it or drop it",
    ),
]

# Inputs that are hostile on purpose.
_EXEMPT = ("tests/fuzz/corpus/",)


def check(root):
    findings = []
    for path in tree.files(root):
        if str(path.relative_to(root)).startswith(_EXEMPT):
            continue
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, 1):
            for pattern, reason in _WORDS:
                match = pattern.search(line)
                if match:
                    findings.append(tree.Finding(path, number, f"'{match.group(0)}': {reason}"))
    return findings


def self_test():
    bad = {
        "a.md": "see /ho" "me/ann/notes",
        "b.sh": "fetch https://deb.deb" "ian.org/x",
        "c.cpp": "// TO" "DO: later",
    }
    good = {"d.md": "GET /api/home/x, ../work/x, a todo list", "build/e.md": "FIX" "ME"}
    with tree.made_up(bad | good) as name:
        found = {finding.path.name for finding in check(tree.Path(name))}
    tree.expect(found == set(bad), f"expected {sorted(bad)}, found {sorted(found)}")


if __name__ == "__main__":
    tree.main("words", check, self_test)
