#!/usr/bin/env python3
"""Members are `Function`, which moves, and not `std::function`, which copies what it captured."""

import re

import tree

# Members that may, by file and name, each group with why.
_WAIVED = {
    # A part of what is copied: a plan is made again, settings are handed around.
    "src/api/http/change_call.h": {"decide"},
    "src/app/settings.h": {"set", "environment"},
    "src/store/rocksdb/rocks_settings.h": {"on_revived", "on_commit"},
    # Wired once where the parts are put together, and called from then on.
    "src/api/http/change_call.cpp": {"plan_"},
    "src/app/server.h": {"tell"},
    "src/engine/runner.h": {"settled", "refused", "paused", "on_drained_"},
    "src/replay/task_run.h": {"commit", "ask", "endpoint", "count", "ended", "over_"},
    "src/store/condition.h": {"damage", "writes"},
}

# The simulated world is built anew for each seed, and not in a hurry.
_EXEMPT = ("src/sim/",)

_MEMBER = re.compile(
    r"^[ \t]+(?:mutable |const |static )*std::function<[^;]*?>\s+(\w+)\s*(?:=[^;]*|\{[^;]*\})?;",
    re.MULTILINE,
)
_CLASS = re.compile(r"\b(?:class|struct)\s+(?:\[\[\w+\]\]\s*)?\w[^;{}()]*$")


def _is_in_class(code, offset):
    """Whether the innermost brace that is open at `offset` is that of a class."""
    depth = 0
    for at in range(offset - 1, -1, -1):
        if code[at] == "}":
            depth += 1
        elif code[at] == "{":
            if depth == 0:
                return bool(_CLASS.search(code[:at]))
            depth -= 1
    return False


def members(text):
    """The (line, name) of every member that is a std::function."""
    code = tree.code_only(text)
    return [
        (tree.line_of(code, match.start(1)), match.group(1))
        for match in _MEMBER.finditer(code)
        if _is_in_class(code, match.start())
    ]


def check(root):
    findings = []
    idle = {(file, name) for file, names in _WAIVED.items() for name in names}
    for path in tree.cpp_files(root, "src"):
        if path.stem.endswith("_test") or path.parent.name == "testing":
            continue
        file = str(path.relative_to(root))
        if file.startswith(_EXEMPT):
            continue
        for line, name in members(path.read_text(encoding="utf-8")):
            if name in _WAIVED.get(file, ()):
                idle.discard((file, name))
                continue
            message = f"{name} is a std::function: use Function (base/function.h)"
            findings.append(tree.Finding(path, line, message))
    for file, name in sorted(idle):
        message = f"{name} no longer needs its place in functions.py"
        findings.append(tree.Finding(root / file, 1, message))
    return findings


_BAD = """
class A {
  std::function<void()> done_;
  const std::function<Result<int>(const std::string&)> read;
};
struct B : C {
  std::function<bool(int,
                     int)>
      order = {};
};
"""

_GOOD = """
class A {
  Function<void()> done_;
  void run(std::function<void()> work);
  void go() {
    std::function<void()> step = [] {};
  }
};
using Ask = std::function<void()>;
"""


def self_test():
    names = [name for _, name in members(_BAD)]
    tree.expect(names == ["done_", "read", "order"], f"the members found were {names}")
    tree.expect(members(_GOOD) == [], f"found in good code: {members(_GOOD)}")
    files = {"src/lane/a.h": _BAD, "src/lane/a_test.cpp": _BAD, "src/lane/testing/b.h": _BAD}
    with tree.made_up(files) as name:
        found = [finding.path.name for finding in check(tree.Path(name))]
    tree.expect(found.count("a.h") == 3, f"looked at {found}")
    waivers = sum(len(names) for names in _WAIVED.values())
    tree.expect(len(found) == 3 + waivers, "a waiver that is not used was not reported")


if __name__ == "__main__":
    tree.main("functions", check, self_test)
