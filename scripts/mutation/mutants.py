"""What can be changed in a source so that a good test would notice: one small change at a time.

    flip    a comparison, a logical operator, a truth value
    shift   a whole number by one
    drop    a statement that stands on a line of its own

Everything here is text in, values out. The sources are formatted by clang-format, so an operator
has a space on either side, and a template's angle has none before it.
"""

import dataclasses
import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lint"))

import tree  # noqa: E402

_FLIPS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "&&": "||", "||": "&&", "true": "false", "false": "true",
}  # fmt: skip

_OPERATOR = re.compile(r"(?<= )(<=|>=|==|!=|<|>|&&|\|\|)(?= |$)")
_TRUTH = re.compile(r"\b(true|false)\b")
_NOT = re.compile(r"(?<![\w!])!(?=[\w(])")
_NUMBER = re.compile(r"(?<![\w.'])(\d[\d']*)(?![\w.'])")

# A CHECK guards against mistakes in the program, which no test makes.
_LEFT_ALONE = ("#", "template <", "using ", "namespace ", "static_assert", "CHECK(")

# One line, whole: an assignment, a count, a call, or a guard with what it does.
_STATEMENT = re.compile(
    r"(?:if \(.*\) .+;|(?:\+\+|--)[\w.>\[\]()-]+;|[\w.>\[\]():*-]+ (?:[-+*/|&]?=) .+;"
    r"|[\w.:>\[\]()*-]+\(.*\);)\Z"
)
_NO_STATEMENT = re.compile(
    r"(?:return|throw|using|static_assert|CHECK|MARK|co_\w+|else|for|while|switch|case|default"
    r"|break|continue|delete|namespace|typedef|friend|explicit)\b"
)

# A declaration that calls a constructor or sets a value looks like a statement but for its type.
_DECLARATION = re.compile(
    r"(?:const|constexpr|static|auto|std::\w+(?:<.*>)?|[\w:<>]+[&*]?) +\w+[ ({=]"
)


@dataclasses.dataclass(frozen=True)
class Mutant:
    path: str  # Below the root.
    line: int  # The first is 1.
    start: int  # Columns of the line, and what stands there instead.
    end: int
    text: str
    kind: str

    def applied(self, source):
        lines = source.split("\n")
        old = lines[self.line - 1]
        lines[self.line - 1] = old[: self.start] + self.text + old[self.end :]
        return "\n".join(lines)

    def told(self, source):
        before = source.split("\n")[self.line - 1].strip()
        after = self.applied(source).split("\n")[self.line - 1].strip() or "(nothing)"
        return f"{self.path}:{self.line}: {before} → {after}"


def _shifted(number):
    return str(int(number.replace("'", "")) + 1)


def _is_statement(code, before):
    """Whether the line is a statement by itself and not the rest of the one before it."""
    if before and not before.endswith((";", "{", "}", ":")):
        return False
    if _NO_STATEMENT.match(code) or code.count("(") != code.count(")"):
        return False
    return bool(_STATEMENT.match(code)) and not _DECLARATION.match(code)


def _of_line(path, number, code, before):
    if code.lstrip().startswith(_LEFT_ALONE):
        return
    for pattern in (_OPERATOR, _TRUTH):
        for found in pattern.finditer(code):
            text = _FLIPS[found.group(1)]
            yield Mutant(path, number, found.start(1), found.end(1), text, "flip")
    for found in _NOT.finditer(code):
        yield Mutant(path, number, found.start(), found.end(), "", "flip")
    for found in _NUMBER.finditer(code):
        text = _shifted(found.group(1))
        yield Mutant(path, number, found.start(1), found.end(1), text, "shift")
    if _is_statement(code.strip(), before):
        indent = len(code) - len(code.lstrip())
        yield Mutant(path, number, indent, len(code.rstrip()), "", "drop")


def mutants_of(path, source):
    """Every mutant of a source, from its first line to its last."""
    found = []
    before = ""
    for number, code in enumerate(tree.code_only(source).split("\n"), start=1):
        found.extend(_of_line(path, number, code, before))
        before = code.strip() or before
    return found


def sample(mutants, count, seed):
    """So many of them, each kind in turn, so that numbers do not crowd out the statements."""
    draw = random.Random(seed)
    kinds = {}
    for mutant in mutants:
        kinds.setdefault(mutant.kind, []).append(mutant)
    for each in kinds.values():
        draw.shuffle(each)
    chosen = []
    while len(chosen) < count and any(kinds.values()):
        for kind in sorted(kinds):
            if kinds[kind] and len(chosen) < count:
                chosen.append(kinds[kind].pop())
    return chosen


def within(mutants, places):
    """Those at PATH:LINE or PATH:FIRST-LAST, if places are named."""

    def is_there(mutant, place):
        path, _, lines = place.rpartition(":")
        first, _, last = lines.partition("-")
        return mutant.path == path and int(first) <= mutant.line <= int(last or first)

    return [m for m in mutants if not places or any(is_there(m, place) for place in places)]
