#!/usr/bin/env python3
"""Every room includes and links only the rooms that its line in ARCHITECTURE.md allows."""

import re

import tree

_ROW = re.compile(r"^\|\s*`(?P<room>\w+)`\s*\|(?P<today>[^|]*)\|[^|]*\|(?P<uses>[^|]*)\|\s*$")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
_ROOM_CALL = re.compile(r"\broom\s*\(\s*(\w+)([^()]*)\)")
_KEYWORDS = {"SOURCES", "TESTS", "USES", "LIBRARIES"}


class Room:
    def __init__(self, line, exists, uses):
        self.line = line
        self.exists = exists
        self.uses = uses


def read_table(text):
    """The table of rooms: {name: Room}. A row is | `name` | yes or – | holds | may use |."""
    rooms = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = _ROW.match(line)
        if match:
            uses = [word for word in match["uses"].split() if word != "–"]
            rooms[match["room"]] = Room(number, match["today"].strip() == "yes", uses)
    return rooms


def _check_table(path, rooms):
    findings = []
    if not rooms:
        findings.append(tree.Finding(path, 1, "has no table of rooms"))
    above = set()
    for name, room in rooms.items():
        for used in room.uses:
            if used not in above:
                message = f"room {name} may use '{used}', which is not a room above it"
                findings.append(tree.Finding(path, room.line, message))
        above.add(name)
    return findings


def linked_rooms(name, text, rooms):
    """The rooms that a room's CMakeLists.txt links: its USES, or petrel_<room> by hand."""
    text = re.sub(r"#[^\n]*", "", text)
    linked = set(re.findall(r"\bpetrel_(\w+)", text)).intersection(rooms)
    for match in _ROOM_CALL.finditer(text):
        section = None
        for word in match.group(2).split():
            if word in _KEYWORDS:
                section = word
            elif section == "USES":
                linked.add(word)
    return linked - {name}


def _check_links(path, name, room, linked):
    findings = []
    for other in sorted(linked - set(room.uses)):
        message = f"room {name} links '{other}', which ARCHITECTURE.md does not let it use"
        findings.append(tree.Finding(path, 1, message))
    return findings


def _check_includes(root, name, rooms, linked):
    findings = []
    for path in tree.cpp_files(root, f"src/{name}"):
        text = path.read_text(encoding="utf-8")
        for match in _INCLUDE.finditer(text):
            line = tree.line_of(text, match.start(1))
            other = match.group(1).split("/")[0]
            if other == name and "/" in match.group(1):
                continue
            if "/" not in match.group(1) or other not in rooms:
                message = f'"{match.group(1)}" is not of the form "room/file.h"'
            elif other not in rooms[name].uses:
                message = f"room {name} may not use '{other}': see the table in ARCHITECTURE.md"
            elif linked is not None and other not in linked:
                message = f"room {name} includes '{other}' but does not list it under USES"
            else:
                continue
            findings.append(tree.Finding(path, line, message))
    return findings


def check(root):
    table = root / "ARCHITECTURE.md"
    rooms = read_table(table.read_text(encoding="utf-8"))
    findings = _check_table(table, rooms)
    present = {path.relative_to(root / "src").parts[0] for path in tree.cpp_files(root, "src")}
    for name in sorted(present - set(rooms)):
        findings.append(tree.Finding(table, 1, f"the table of rooms lacks src/{name}"))
    for name, room in rooms.items():
        if room.exists != (name in present):
            stands = "exists" if name in present else "does not exist"
            findings.append(tree.Finding(table, room.line, f"src/{name} {stands}, says the tree"))
        if name not in present:
            continue
        linked = None
        build = root / "src" / name / "CMakeLists.txt"
        if build.is_file():
            linked = linked_rooms(name, build.read_text(encoding="utf-8"), rooms)
            findings += _check_links(build, name, room, linked)
        findings += _check_includes(root, name, rooms, linked)
    return findings


_TABLE = """
| room | today | holds | may use |
|---|---|---|---|
| `base` | yes | the ground | – |
| `policy` | yes | rules | base |
| `lane` | yes | guards | base policy |
| `net` | – | sockets | base |
"""

_GOOD = {
    "ARCHITECTURE.md": _TABLE,
    "src/base/CMakeLists.txt": "room(base SOURCES a.cpp LIBRARIES fmt::fmt petrel_asio)",
    "src/base/a.h": "#include <vector>\n",
    "src/policy/CMakeLists.txt": "room(policy\n  SOURCES p.cpp\n  TESTS p_test.cpp\n  USES base)\n",
    "src/policy/p.cpp": '#include "policy/p.h"\n#include "base/a.h"\n',
    "src/lane/CMakeLists.txt": "room(lane SOURCES l.cpp USES base policy)",
    "src/lane/l.cpp": '#include "policy/p.h"\n',
}


def _messages(change):
    with tree.made_up(_GOOD | change) as name:
        return "\n".join(finding.message for finding in check(tree.Path(name)))


def self_test():
    tree.expect(_messages({}) == "", "a good tree was faulted: " + _messages({}))
    backwards = {"ARCHITECTURE.md": _TABLE.replace("| rules | base", "| rules | base lane")}
    cases = [
        ({"src/base/a.h": '#include "policy/p.h"\n'}, "may not use 'policy'"),
        ({"src/policy/q.h": '#include "p.h"\n'}, "not of the form"),
        ({"src/policy/CMakeLists.txt": "room(policy SOURCES p.cpp)"}, "under USES"),
        ({"src/base/CMakeLists.txt": "room(base SOURCES a.cpp USES lane)"}, "links 'lane'"),
        ({"src/base/CMakeLists.txt": "target_link_libraries(x petrel_policy)"}, "links 'policy'"),
        ({"src/attic/a.h": ""}, "lacks src/attic"),
        ({"src/net/a.h": ""}, "src/net exists"),
        ({"ARCHITECTURE.md": _TABLE.replace("`net` | –", "`net` | yes")}, "does not exist"),
        ({"ARCHITECTURE.md": "no table"}, "no table of rooms"),
        (backwards, "not a room above it"),
    ]
    for change, expected in cases:
        tree.expect(expected in _messages(change), f"missed '{expected}': {_messages(change)}")


if __name__ == "__main__":
    tree.main("rooms", check, self_test)
