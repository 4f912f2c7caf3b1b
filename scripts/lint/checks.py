#!/usr/bin/env python3
"""Where bytes come from outside, each CHECK says why they cannot break it: `// Ours: <why>`.

A CHECK stops the process. What a producer, a receiver, a resolver or a disk sends must never do
that, however impossible it looks; so every CHECK in the rooms that read such bytes gives the reason
why it is about us alone, on its own line or in the comment directly above.
"""

import re

import tree

# Rooms that read what others wrote.
_ROOMS = ("net", "dispatch", "api", "schema", "signature", "store")

_CHECK = re.compile(r"(?<!\w)CHECK\s*\(")
_REASON = re.compile(r"\bOurs: \S")
_COMMENT = re.compile(r"^\s*//")


def _has_reason(lines, number):
    """Whether line `number`, counted from 0, or the comment above it gives a reason."""
    if _REASON.search(lines[number].partition("//")[2]):
        return True
    above = number - 1
    while above >= 0 and _COMMENT.match(lines[above]):
        if _REASON.search(lines[above]):
            return True
        above -= 1
    return False


def bare(text):
    """The lines of every CHECK in the text of a C++ file that gives no reason."""
    lines = text.splitlines()
    code = tree.code_only(text)
    found = [tree.line_of(code, match.start()) for match in _CHECK.finditer(code)]
    return [line for line in found if not _has_reason(lines, line - 1)]


def check(root):
    findings = []
    for path in tree.cpp_files(root, *[f"src/{room}" for room in _ROOMS]):
        if path.stem.endswith("_test") or path.parent.name == "testing":
            continue
        for line in bare(path.read_text(encoding="utf-8")):
            findings.append(
                tree.Finding(path, line, "a CHECK without `// Ours: <why>`: what if it is not?")
            )
    return findings


_BAD = """
CHECK(size > 0);
CHECK(size > 0);  // Ours:
// A remark.
CHECK(is_good);
// Ours: not directly above.

CHECK(is_good);
"""

_GOOD = """
CHECK(size > 0);  // Ours: the settings were checked.
// Ours: a route answers once,
// and no more.
CHECK(respond != nullptr);
  // Nothing more to say. Ours: both tables are a part of the program.
  CHECK(one ==
        other);
// CHECK(in_words)
CHECKED(x); auto text = "CHECK(y)";
"""


def self_test():
    tree.expect(bare(_BAD) == [2, 3, 5, 8], f"the bad lines found were {bare(_BAD)}")
    tree.expect(bare(_GOOD) == [], f"found in good code: {bare(_GOOD)}")
    names = ["src/api/a.cpp", "src/api/a_test.cpp", "src/api/testing/c.cpp", "src/lane/b.cpp"]
    files = {name: "CHECK(a);" for name in names}
    with tree.made_up(files) as name:
        found = [finding.path.name for finding in check(tree.Path(name))]
    tree.expect(found == ["a.cpp"], f"looked at {found}")


if __name__ == "__main__":
    tree.main("checks", check, self_test)
