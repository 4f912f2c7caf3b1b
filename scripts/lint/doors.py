#!/usr/bin/env python3
"""The rooms that live in the simulation reach sockets, threads and locks by the seams alone."""

import re

import tree

_ROOMS = ("engine", "intake", "replay", "notice", "node", "sim")

# Files that may have one of these after all, each with why.
_WAIVED = {
    # It is told of every attempt by all shards: a lock for each of its parts, beside the part.
    "src/engine/ongoing_attempts.h": "<mutex>",
}

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"][^>"\n]+[>"])', re.MULTILINE)
_SHUT = re.compile(
    r"<(boost/asio|boost/beast|sys/socket\.h|netinet/|arpa/|openssl/ssl\.h|thread>|mutex>|"
    r'shared_mutex>|future>|condition_variable>)|"(net|dispatch)/'
)


def uses(text):
    """The (line, header) of every include that is a door of its own."""
    found = []
    for match in _INCLUDE.finditer(text):
        if _SHUT.match(match.group(1)):
            found.append((tree.line_of(text, match.start(1)), match.group(1)))
    return found


def check(root):
    findings = []
    idle = set(_WAIVED)
    for path in tree.cpp_files(root, *(f"src/{room}" for room in _ROOMS)):
        name = str(path.relative_to(root))
        for line, header in uses(path.read_text(encoding="utf-8")):
            if _WAIVED.get(name) == header:
                idle.discard(name)
                continue
            message = f"includes {header}: reach it through a seam, or base/guarded.h for a lock"
            findings.append(tree.Finding(path, line, message))
    for name in sorted(idle):
        findings.append(tree.Finding(root / name, 1, "no longer needs its place in doors.py"))
    return findings


_BAD = """
#include <boost/asio/post.hpp>
#include <mutex>
#include "net/asio_loop.h"
#  include "dispatch/call.h"
#include <thread>
"""

_GOOD = """
#include <memory>
#include "base/guarded.h"
#include "engine/transport.h"
// #include in words: <mutex>
"""


def self_test():
    lines = [line for line, _ in uses(_BAD)]
    tree.expect(lines == [2, 3, 4, 5, 6], f"the bad lines found were {lines}")
    tree.expect(uses(_GOOD) == [], f"found in good code: {uses(_GOOD)}")
    with tree.made_up({"src/node/a.cpp": _BAD, "src/net/b.cpp": _BAD}) as name:
        found = [f for f in check(tree.Path(name)) if "includes" in f.message]
    tree.expect(len(found) == 5, f"{len(found)} findings in a room that is watched, and one not")


if __name__ == "__main__":
    tree.main("doors", check, self_test)
