#!/usr/bin/env python3
"""The judge of the simulation shares no code with what it judges: it includes base and itself."""

import re

import tree

_FOLDER = "src/sim/judge"
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_LIBRARY = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>\n]+)>", re.MULTILINE)

# The headers of the standard library have neither a folder nor an ending.
_STANDARD = re.compile(r"^[a-z_0-9]+$")
_LIBRARIES = ("fmt/",)
_FOR_TESTS = ("gtest/", "rapidcheck")


def _is_ours(name):
    return name.startswith(("base/", "sim/judge/"))


def _is_library(name, is_test):
    allowed = _LIBRARIES + _FOR_TESTS if is_test else _LIBRARIES
    return _STANDARD.match(name) is not None or name.startswith(allowed)


def check(root):
    findings = []
    for path in tree.cpp_files(root, _FOLDER):
        text = path.read_text(encoding="utf-8")
        is_test = path.stem.endswith("_test")
        found = [(match, _is_ours(match.group(1))) for match in _INCLUDE.finditer(text)]
        found += [(match, _is_library(match[1], is_test)) for match in _LIBRARY.finditer(text)]
        for match, is_allowed in found:
            if not is_allowed:
                message = f"the judge may not include '{match.group(1)}': it would share its bugs"
                findings.append(tree.Finding(path, tree.line_of(text, match.start(1)), message))
    return findings


def self_test():
    files = {
        "src/sim/judge/good.cpp": '#include "sim/judge/a.h"\n#include <map>\n#include <fmt/a.h>\n',
        "src/sim/judge/good_test.cpp": '#include "base/time.h"\n#include <gtest/gtest.h>\n',
        "src/sim/judge/engine.cpp": '#include "engine/core.h"\n',
        "src/sim/judge/sim.h": '#include "sim/world.h"\n',
        "src/sim/judge/test.cpp": "#include <gtest/gtest.h>\n",
        "src/sim/world.cpp": '#include "engine/core.h"\n',
    }
    with tree.made_up(files) as name:
        found = sorted(finding.path.name for finding in check(tree.Path(name)))
    tree.expect(found == ["engine.cpp", "sim.h", "test.cpp"], f"found {found}")


if __name__ == "__main__":
    tree.main("judge", check, self_test)
