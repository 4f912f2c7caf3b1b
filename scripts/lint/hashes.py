#!/usr/bin/env python3
"""`std::hash` is asked only by specialisations of it: what it gives may differ from build to build.

Nothing that is kept, sent, or decides an order may depend on it. A map that hashes its keys is no
matter; a hash that is computed in our own code has its reason here.
"""

import re

import tree

# Files that may, each with why.
_WAIVED = {
    # Which of some thousand moments a token shares: any spread will do.
    "src/api/http/rate_limit.cpp",
    # Which lock a delivery is behind.
    "src/engine/ongoing_attempts.h",
    # A hash for a map, handed to it by name.
    "src/store/rocksdb/tally_key.h",
}

_HASH = re.compile(r"\bstd::hash\s*<")
_SPECIALISATION = re.compile(r"\bstruct\s+(?:std::)?hash\s*<")


def _bodies(code):
    """The spans of all specialisations."""
    spans = []
    for match in _SPECIALISATION.finditer(code):
        begin = code.find("{", match.start())
        depth, end = 0, begin
        while end < len(code):
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            if depth == 0:
                break
            end += 1
        spans.append((match.start(), end))
    return spans


def uses(text):
    """The lines that ask std::hash outside of a specialisation."""
    code = tree.code_only(text)
    spans = _bodies(code)
    return [
        tree.line_of(code, match.start())
        for match in _HASH.finditer(code)
        if not any(begin <= match.start() <= end for begin, end in spans)
    ]


def check(root):
    findings = []
    idle = set(_WAIVED)
    for path in tree.cpp_files(root, "src"):
        if path.stem.endswith("_test"):
            continue
        lines = uses(path.read_text(encoding="utf-8"))
        name = str(path.relative_to(root))
        if name in _WAIVED:
            if lines:
                idle.discard(name)
            continue
        for line in lines:
            message = "std::hash: what it gives is not specified; use a hash of our own"
            findings.append(tree.Finding(path, line, message))
    for name in sorted(idle):
        findings.append(tree.Finding(root / name, 1, "no longer needs its place in hashes.py"))
    return findings


_BAD = """
const auto part = std::hash<std::string>()(name) % parts;
struct Hash {
  std::size_t operator()(Id id) const { return std::hash<Key>{}(id.key); }
};
"""

_GOOD = """
template <>
struct std::hash<Id> {
  std::size_t operator()(Id id) const { return std::hash<Key>{}(id.key); }
};
// std::hash<Id> in words
std::unordered_map<Id, int> map;
"""


def self_test():
    tree.expect(uses(_BAD) == [2, 4], f"the bad lines found were {uses(_BAD)}")
    tree.expect(uses(_GOOD) == [], f"found in good code: {uses(_GOOD)}")
    with tree.made_up({"src/lane/a.cpp": _BAD, "src/lane/a_test.cpp": _BAD}) as name:
        found = [finding.path.name for finding in check(tree.Path(name))]
    tree.expect(found.count("a.cpp") == 2 and "a_test.cpp" not in found, f"looked at {found}")
    tree.expect(len(found) == 2 + len(_WAIVED), "a waiver that is not used was not reported")


if __name__ == "__main__":
    tree.main("hashes", check, self_test)
