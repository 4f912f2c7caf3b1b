#!/usr/bin/env python3
"""No two headers define a type of the same name: one word for one thing, in all rooms."""

import re
from collections import defaultdict

import tree

# Names that may stand twice, each with why.
_WAIVED = {
    "Author": "of a change (node) and of a notice (notice): the two never meet",
    "Call": "a request that came in (api) and one that goes out (dispatch)",
    "EndpointPtr": "the same type; dispatch may not use store",
    "Family": "of metrics, and of columns inside rocksdb",
    "Outage": "as a lane saw it, and as storm plays it",
    "Progress": "of a delivery, and of a run of storm",
    "Receiver": "the simulated one (sim) and the modelled one (storm)",
    "Scenario": "of the simulation and of storm",
}

# The judge shares nothing with what it judges, the words of the contract excepted.
_APART = ("src/sim/judge/",)

_TYPE = re.compile(
    r"^(?:template\s*<[^;{]*?>\s*)?(?:class|struct|enum(?:\s+class)?)\s+(?:\[\[\w+\]\]\s*)?"
    r"(?P<type>\w+)(?:\s+final)?\s*(?::[^;{:][^;{]*)?\{|^using\s+(?P<alias>\w+)\s*=",
    re.MULTILINE,
)


def types(text):
    """The (name, line) of every type that a header defines outside of other types."""
    code = tree.code_only(text)
    found = []
    for match in _TYPE.finditer(code):
        name = match["type"] or match["alias"]
        found.append((name, tree.line_of(code, match.start())))
    return found


def check(root):
    places = defaultdict(list)
    for path in tree.cpp_files(root, "src"):
        name = str(path.relative_to(root))
        if path.suffix != ".h" or path.parent.name == "testing" or name.startswith(_APART):
            continue
        for type_name, line in types(path.read_text(encoding="utf-8")):
            places[type_name].append((path, line))
    findings = []
    for name, found in sorted(places.items()):
        if len(found) == 1 or name in _WAIVED:
            continue
        first = found[0][0].relative_to(root)
        for path, line in found[1:]:
            findings.append(tree.Finding(path, line, f"{name} is a type of {first} already"))
    for name in sorted(_WAIVED):
        if len(places[name]) < 2:
            findings.append(tree.Finding(root, 1, f"{name} no longer needs its place in names.py"))
    return findings


_HEADER = """
namespace petrel::lane {
enum class Pass { Yes };
class [[nodiscard]] Lane final : public Base {
 public:
  struct Inner {};
};
template <typename T>
struct Box {
};
using Ptr = int;
struct Later;
}
template <>
struct std::hash<Id> {};
// class Words {
"""


def self_test():
    names = [name for name, _ in types(_HEADER)]
    tree.expect(names == ["Pass", "Lane", "Box", "Ptr"], f"the types found were {names}")
    files = {
        "src/lane/a.h": "struct Ticket {};",
        "src/model/b.h": "class Ticket {};\nusing Other = int;",
        "src/model/b.cpp": "struct Other {};",
        "src/model/testing/c.h": "struct Other {};",
        "src/sim/judge/d.h": "struct Other {};",
    }
    with tree.made_up(files) as name:
        found = check(tree.Path(name))
    twice = [finding.path.name for finding in found if "already" in finding.message]
    tree.expect(twice == ["b.h"], f"found twice in {twice}")
    idle = [finding for finding in found if "no longer" in finding.message]
    tree.expect(len(idle) == len(_WAIVED), "a waiver that is not used was not reported")


if __name__ == "__main__":
    tree.main("names", check, self_test)
