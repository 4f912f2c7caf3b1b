#!/usr/bin/env python3
"""Files, functions, lines and parameter lists stay small enough to be taken in at a glance."""

import re

import tree

_FILE_LINES_MAX = 400
_TEST_LINES_MAX = 600
_FUNCTION_LINES_MAX = 70
_LINE_COLUMNS_MAX = 100
_PARAMETERS_MAX = 5

# (path, what is too large: file, function NAME, or parameters NAME): the reason it may be.
_WAIVERS = {
    ("tests/store/faulty_file.cpp", "parameters Read"): "RocksDB declares it so",
    ("tests/system/planted/planted_crash.cpp", "parameters real_write_head"): "a method",
    ("tests/system/planted/planted_crash.cpp", "parameters planted_write_head"): "likewise",
}

_FOLDERS = ("src", "tests", "bench", "examples", "scripts", "cmake")
_SUFFIXES = (".h", ".cpp", ".py", ".sh", ".cmake")

_SCOPE = re.compile(r"(?:^|\s)(?:namespace|class|struct|union)\b(?!.*\()|extern\s*\"")
_NOT_A_FUNCTION = re.compile(r"(?:^|\s)(?:enum|concept)\b")
_NOT_A_NAME = {"noexcept", "decltype", "alignas", "requires", "explicit", "throw", "static_assert"}
_OPERATOR = re.compile(r"\boperator\s*(?:\(\s*\)|\[\s*\]|[^\s\w(]+|\"\"\s*\w+)")

# What follows the brace that ends an initialiser; nothing of the kind follows a function.
_INITIALISER_END = re.compile(r"\s*[,{;]")


class Function:
    """A function's name, the line its head starts on, its length (0 if only declared)."""

    def __init__(self, name, line, lines, parameters):
        self.name = name
        self.line = line
        self.lines = lines
        self.parameters = parameters


def _without_preprocessor(code):
    return re.sub(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m[0]), code)


def _close(code, start):
    """The offset of the bracket that closes the one at `start`."""
    pairs = {"{": "}", "(": ")"}
    opened, closed = code[start], pairs[code[start]]
    depth = 0
    for at in range(start, len(code)):
        if code[at] == opened:
            depth += 1
        elif code[at] == closed:
            depth -= 1
            if depth == 0:
                return at
    return len(code) - 1


def _angles_blanked(text):
    """The text without template arguments, so that their commas and parentheses do not count."""
    text = text.replace("->", "  ")
    before = None
    while before != text:
        before = text
        text = re.sub(r"(?<=[\w:])\s*<[^<>;{}]*>", lambda m: " " * len(m[0]), text)
    return text


def _split_count(arguments):
    depth = 0
    commas = 0
    for character in arguments:
        depth += (character in "([{") - (character in ")]}")
        commas += character == "," and depth == 0
    stripped = arguments.strip()
    return 0 if stripped in ("", "void") else commas + 1


def _signature(head):
    """The name and number of parameters that a declaration's text starts, or None."""
    head = re.sub(r"\[\[.*?\]\]", "", head, flags=re.DOTALL)
    head = _angles_blanked(_OPERATOR.sub("operator_", head))
    if _NOT_A_FUNCTION.search(head):
        return None
    at = 0
    while True:
        opening = head.find("(", at)
        if opening < 0 or "=" in head[at:opening]:
            return None
        closing = _close(head, opening)
        name = re.search(r"([\w:~]+)\s*$", head[:opening])
        if name and name.group(1) not in _NOT_A_NAME:
            return name.group(1), _split_count(head[opening + 1 : closing])
        at = closing + 1


def functions(text):
    """Every function that the text of a C++ file declares or defines outside of another one."""
    code = _without_preprocessor(tree.code_only(text))
    found = []
    start = at = 0

    def note(end, has_body):
        head_start = start + len(code[start:end]) - len(code[start:end].lstrip())
        signature = _signature(code[head_start:at])
        if signature:
            line = tree.line_of(code, head_start)
            lines = tree.line_of(code, end) - line + 1 if has_body else 0
            found.append(Function(signature[0], line, lines, signature[1]))

    while at < len(code):
        character = code[at]
        if character == "(":
            at = _close(code, at)
        elif character == ";":
            note(at, False)
            start = at + 1
        elif character == "}":
            start = at + 1
        elif character == ":" and re.search(r"\b(public|private|protected)\s*$", code[start:at]):
            start = at + 1
        elif character == "{":
            if _SCOPE.search(_angles_blanked(code[start:at])):
                start = at + 1
            else:
                end = _close(code, at)
                if not _INITIALISER_END.match(code, end + 1):
                    note(end, True)
                    start = end + 1
                at = end
        at += 1
    return found


def _check_file(name, path, text):
    findings = []
    lines = text.splitlines()
    is_test = name.endswith("_test.cpp") or name.startswith("tests/")
    lines_max = _TEST_LINES_MAX if is_test else _FILE_LINES_MAX
    if len(lines) > lines_max and (name, "file") not in _WAIVERS:
        message = f"{len(lines)} lines; {lines_max} is the limit: which second noun does it hide?"
        findings.append(tree.Finding(path, lines_max + 1, message))
    for number, line in enumerate(lines, 1):
        if len(line) > _LINE_COLUMNS_MAX:
            message = f"{len(line)} columns; {_LINE_COLUMNS_MAX} is the limit"
            findings.append(tree.Finding(path, number, message))
    return findings


def _check_functions(name, path, text):
    findings = []
    for function in functions(text):
        limits = [
            ("function", function.lines, _FUNCTION_LINES_MAX, "lines"),
            ("parameters", function.parameters, _PARAMETERS_MAX, "parameters"),
        ]
        for what, size, size_max, unit in limits:
            if size > size_max and (name, f"{what} {function.name}") not in _WAIVERS:
                message = f"{function.name} has {size} {unit}; {size_max} is the limit"
                findings.append(tree.Finding(path, function.line, message))
    return findings


def check(root):
    findings = []
    for path in tree.files(root, *_FOLDERS):
        name = str(path.relative_to(root))
        if path.suffix not in _SUFFIXES and path.name != "CMakeLists.txt":
            continue
        text = path.read_text(encoding="utf-8")
        findings += _check_file(name, path, text)
        if path.suffix in (".h", ".cpp"):
            findings += _check_functions(name, path, text)
    return findings


_SAMPLE = """
#define CHECK(a, b, c, d, e, f) { a; b; }
namespace petrel {
constexpr std::array<Unit, 2> kUnits = {{{"d", days(1)}, {"h", hours(1)}}};
enum class Kind { A, B };
struct Error {
  int a = f(1, 2, 3, 4, 5, 6);
  friend bool operator==(const Error&, const Error&) = default;
  bool operator()(int a, int b) const { return a < b; }
  Error() : a{1}, b(2) { use(a); }
  ~Error();
};
template <typename T, typename U>
[[nodiscard]] std::map<T, std::function<void(int, int)>> many(std::pair<int, int> a,
                                                              int b = g(1, 2), T c, U d, int e,
                                                              int f);
void long_one() {
  auto x = [](int a) { return a; };
%s}
}  // namespace petrel
TEST(Error, IsShown) { EXPECT_EQ(1, 1); }
""" % ("  step();\n" * 80)


def self_test():
    found = {f.name: (f.lines, f.parameters) for f in functions(_SAMPLE)}
    expected = {
        "Error": (1, 0),
        "operator_": (1, 2),
        "~Error": (0, 0),
        "many": (0, 6),
        "long_one": (83, 0),
        "TEST": (1, 2),
    }
    tree.expect(found == expected, f"read {found}, expected {expected}")
    bad = {
        "src/a/a.cpp": _SAMPLE,
        "src/a/b.cpp": "//\n" * 401,
        "src/a/c.cpp": "// " + "…" * 98 + "\n",
    }
    good = {"src/a/b_test.cpp": "//\n" * 600, "src/a/d.cpp": "// " + "…" * 97 + "\n"}
    with tree.made_up(bad | good) as name:
        found = [(f.path.name, f.line) for f in check(tree.Path(name))]
    wanted = [("a.cpp", 13), ("a.cpp", 17), ("b.cpp", 401), ("c.cpp", 1)]
    tree.expect(sorted(found) == wanted, f"found {sorted(found)}, expected {wanted}")


if __name__ == "__main__":
    tree.main("size", check, self_test)
