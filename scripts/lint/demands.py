#!/usr/bin/env python3
"""An id at the front of a test's name (`B6_…`) is one of docs/demands.md."""

import re

import tree

_TEST = re.compile(r"^TEST(?:_[FP])?\(\s*\w+,\s*([A-E]\d{1,2})(?=[A-Z_])", re.MULTILINE)
_ROW = re.compile(r"^\|((?: ?[A-E]\d{1,2})+) \|", re.MULTILINE)


def listed(text):
    """The ids in the first column of the tables."""
    return {name for row in _ROW.findall(text) for name in row.split()}


def check(root):
    known = listed((root / "docs/demands.md").read_text(encoding="utf-8"))
    findings = []
    for path in tree.cpp_files(root, "src", "tests"):
        text = path.read_text(encoding="utf-8")
        for match in _TEST.finditer(text):
            if match.group(1) not in known:
                message = f"{match.group(1)} is not in docs/demands.md"
                findings.append(tree.Finding(path, tree.line_of(text, match.start()), message))
    return findings


def self_test():
    files = {
        "docs/demands.md": "| id | demand |\n|---|---|\n| A1 B12 | retries, not C3 |\n",
        "src/a_test.cpp": "TEST(A, A1_Retries) {}\nTEST_F(A,\n  B12Caps) {}\nTEST(A, Ab1) {}\n",
        "tests/b_test.cpp": "TEST(B, C3_Jitter) {}\n",
    }
    with tree.made_up(files) as name:
        found = [finding.text(tree.Path(name)) for finding in check(tree.Path(name))]
    tree.expect(found == ["tests/b_test.cpp:1: C3 is not in docs/demands.md"], f"found {found}")


if __name__ == "__main__":
    tree.main("demands", check, self_test)
