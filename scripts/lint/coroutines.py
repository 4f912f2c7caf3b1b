#!/usr/bin/env python3
"""No capturing lambda and no aggregate is written between a co_await and its semicolon.

g++ 12 destroys such temporaries twice; co_await_temporaries.query says which.
"""

import re
import subprocess
import sys

import stamps
import tree

_QUERY = tree.Path(__file__).resolve().parent / "co_await_temporaries.query"
_CO_AWAIT = re.compile(r"\bco_await\b")
_MATCHES = re.compile(r"^(\d+) match(?:es)?\.$", re.MULTILINE)


def _query(source, arguments):
    """clang-query's words about one file, and the number of matches (None if it did not parse)."""
    command = ["clang-query", "-f", str(_QUERY), *arguments]
    command.insert(1, str(source))
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    words = answer.stdout + answer.stderr
    counts = _MATCHES.findall(answer.stdout)
    if answer.returncode != 0 or len(counts) != 2 or re.search(r"\b(?:fatal )?error: ", words):
        return words, None
    return words, sum(int(count) for count in counts)


def check(root):
    sources = [
        path
        for path in tree.cpp_files(root, "src")
        if _CO_AWAIT.search(tree.code_only(path.read_text(encoding="utf-8")))
    ]
    if not sources:
        print("coroutines: no source file has a co_await, so there was nothing to look at")
        return True
    commands = stamps.compile_commands(root)
    passed = stamps.Stamps(root, "coroutines", _QUERY.read_text(encoding="utf-8"))
    failed = looked = 0
    for source in sources:
        value = passed.hash(source, commands.get(source, ""))
        if passed.has(source, value):
            continue
        looked += 1
        words, count = _query(source, ["-p", str(root / "build/release")])
        if count == 0:
            passed.put(source, value)
            continue
        failed += 1
        what = "clang-query could not read it" if count is None else "name it, then move it in"
        print(f"{words}\n{source.relative_to(root)}:1: {what} [coroutines]")
    print(f"coroutines: {looked} changed files of {len(sources)} looked at, {failed} faulted")
    return failed == 0


_COROUTINE = """
#include <coroutine>
#include <string>
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  bool await_ready() { return true; }
  void await_suspend(std::coroutine_handle<>) {}
  void await_resume() {}
};
struct Options { std::string name; int n = 0; };
Task send(Options) { return {}; }
template <typename F> Task run(F) { return {}; }
Task test(std::string x) {
  %s
}
"""


def _count(statement):
    with tree.made_up({"a.cpp": _COROUTINE % statement}) as name:
        words, count = _query(tree.Path(name) / "a.cpp", ["--", "-std=c++20"])
    tree.expect(count is not None, "clang-query could not read the sample:\n" + words)
    return count


def self_test():
    lambda_in_place = "co_await run([x] { return x.size(); });"
    aggregate_in_place = "co_await send(Options{x, 1});"
    named_first = "Options o{x, 1}; auto f = [x] {}; co_await send(std::move(o)); co_await run(f);"
    tree.expect(_count(lambda_in_place) > 0, "a capturing lambda in place passed")
    tree.expect(_count(aggregate_in_place) > 0, "an aggregate in place passed")
    tree.expect(_count(named_first) == 0, "named temporaries were faulted")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        sys.exit(0 if check(tree.ROOT) else 1)
