#!/usr/bin/env python3
"""Only the doors to the world read a clock, sleep, draw randomness or look at the environment."""

import re

import tree

# The few files that are such a door, each with the one thing that it may do.
_ALLOWED = {
    "src/base/clock.cpp": "now",
    "src/base/secure_random.cpp": "random",
    "src/app/environment.cpp": "environment",
}

_NOW = re.compile(r"::\s*now\s*\(")
_DEVICE = re.compile(r"\brandom_device\b")

# Functions that are meant when they are called by their bare name, or from std or the global
# namespace; a member or a function of ours that has the same name is not.
_CALLS = {
    "time": "now",
    "gettimeofday": "now",
    "clock_gettime": "now",
    "timespec_get": "now",
    "sleep": "sleep",
    "usleep": "sleep",
    "nanosleep": "sleep",
    "sleep_for": "sleep",
    "sleep_until": "sleep",
    "rand": "random",
    "srand": "random",
    "rand_r": "random",
    "random": "random",
    "drand48": "random",
    "arc4random": "random",
    "getrandom": "random",
    "randombytes_buf": "random",
    "RAND_bytes": "random",
    "getenv": "environment",
    "secure_getenv": "environment",
}
_CALL = re.compile(r"(?<!\w)(" + "|".join(_CALLS) + r")\s*\(")

_ADVICE = {
    "now": "reads a clock: take `now` as an argument or hold a Clock&",
    "sleep": "sleeps: wait for a named signal with a deadline",
    "random": "draws randomness: take a Random& or a SecureRandom&",
    "environment": "reads the environment: settings are read once, in the app room",
}

_STATEMENT_WORDS = {"return", "co_return", "co_yield", "co_await", "else", "do", "throw", "case"}
_STD = {"", "std", "this_thread"}


def _is_call(code, start):
    """Whether the name at `start` is called, and not a member of something or being declared."""
    before = code[:start].rstrip()
    if before.endswith((".", "->")):
        return False
    if before.endswith("::"):
        qualifier = re.search(r"(\w*)\s*::$", before).group(1)
        return qualifier in _STD
    word = re.search(r"(\w+)$", before)
    if word:
        return word.group(1) in _STATEMENT_WORDS
    # `Result<T> time(`, `const Span& time(`: the end of a type, so a declaration.
    return not re.search(r"[\w>][>&*]$", before)


def uses(text):
    """The (line, kind, name) of every use of the world in the text of a C++ file."""
    code = tree.code_only(text)
    found = [(match.start(), "now", "::now(") for match in _NOW.finditer(code)]
    found += [(match.start(), "random", "random_device") for match in _DEVICE.finditer(code)]
    for match in _CALL.finditer(code):
        if _is_call(code, match.start(1)):
            found.append((match.start(1), _CALLS[match.group(1)], match.group(1) + "("))
    return [(tree.line_of(code, at), kind, name) for at, kind, name in sorted(found)]


def check(root):
    findings = []
    idle = set(_ALLOWED)
    for path in tree.cpp_files(root, "src", "tests"):
        name = str(path.relative_to(root))
        for line, kind, what in uses(path.read_text(encoding="utf-8")):
            if _ALLOWED.get(name) == kind:
                idle.discard(name)
            else:
                findings.append(tree.Finding(path, line, f"{what} {_ADVICE[kind]}"))
    for name in sorted(idle):
        findings.append(tree.Finding(root / name, 1, "no longer needs its place in clocks.py"))
    return findings


_BAD = """
auto a = std::chrono::steady_clock::now();
auto b = time(nullptr);
auto c = std::time(nullptr);
auto d = ::time(nullptr);
int f() { return rand(); }
std::random_device e;
void g() { std::this_thread::sleep_for(b); usleep(1); }
const char* h = std::getenv("HOME");
if (x) sleep(1);
"""

_GOOD = """
// time(nullptr) and rand() in words
auto a = wait_time(3); auto b = message.time(); auto c = message->time();
auto d = "getenv(x)"; auto e = 1'000'000; auto f = core.sleep_until(now);
class Message { WallTime time() const; Result<int> random(); const Span& time(int); };
WallTime Message::time() const { return time_; }
Random random(7); int brand(int); auto g = clock.now();
"""


def self_test():
    lines = [line for line, _, _ in uses(_BAD)]
    tree.expect(lines == [2, 3, 4, 5, 6, 7, 8, 8, 9, 10], f"the bad lines found were {lines}")
    tree.expect(uses(_GOOD) == [], f"found in good code: {uses(_GOOD)}")
    with tree.made_up({"src/a/a.cpp": _BAD}) as name:
        idle = [f for f in check(tree.Path(name)) if "no longer" in f.message]
    tree.expect(len(idle) == len(_ALLOWED), "an allowance that nobody uses was not reported")


if __name__ == "__main__":
    tree.main("clocks", check, self_test)
