#!/usr/bin/env python3
"""clang-tidy over the sources that changed since they last passed; .clang-tidy has the checks.

  tidy.py                   all of them
  tidy.py --since COMMIT    only those that differ from what this branch and COMMIT have in common

Tests are left to the compilers: the analyser spends most of its time in their macros, and faults
tests that break a rule on purpose.
"""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import stamps
import tree

_JOBS = 2
_COMMANDS = "build/lint/tidy-commands"


# What of the release's commands is g++'s own: its precompiled header, above all.
_OF_GCC = re.compile(r"-fpch-preprocess|-Winvalid-pch|-include \S+cmake_pch\.hxx")


def _write_commands(root, folder):
    """The release's compile commands, as clang can read them."""
    text = (root / "build/release/compile_commands.json").read_text(encoding="utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "compile_commands.json").write_text(_OF_GCC.sub("", text), encoding="utf-8")


def _tidy(root, source):
    command = ["clang-tidy", "--quiet", "--extra-arg=-Wno-unknown-warning-option"]
    command += ["-p", str(root / _COMMANDS), str(source)]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def _changed_since(root, commit):
    """What this branch changed."""

    def git(*words):
        run = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
        return run.stdout.split()

    base = git("merge-base", commit, "HEAD")[0]
    return {root / name for name in git("diff", "--name-only", base, "--", "src")}


def check(root, since=None):
    changed = _changed_since(root, since) if since else None
    version = subprocess.run(
        ["clang-tidy", "--version"], capture_output=True, text=True, check=True
    ).stdout
    settings = version + (root / ".clang-tidy").read_text(encoding="utf-8")
    passed = stamps.Stamps(root, "tidy", settings)
    waiting = []
    for source, command in sorted(stamps.compile_commands(root).items()):
        is_ours = source.is_relative_to(root / "src") and source.is_file()
        if not is_ours or source.name.endswith("_test.cpp"):
            continue
        if changed is not None and source not in changed:
            continue
        value = passed.hash(source, command)
        if not passed.has(source, value):
            waiting.append((source, value))

    _write_commands(root, root / _COMMANDS)
    failed = 0
    with ThreadPoolExecutor(_JOBS) as pool:
        answers = pool.map(lambda item: _tidy(root, item[0]), waiting)
        for (source, value), answer in zip(waiting, answers):
            if answer.returncode == 0:
                passed.put(source, value)
            else:
                failed += 1
                print(answer.stdout or answer.stderr, end="")
    print(f"tidy: {len(waiting)} changed files looked at, {failed} faulted")
    return failed == 0


def _faults(root, text):
    """Whether clang-tidy, under the project's own settings, faults this text."""
    with tree.made_up({"src/a.cpp": text}) as name:
        scratch = tree.Path(name)
        (scratch / ".clang-tidy").write_bytes((root / ".clang-tidy").read_bytes())
        command = ["clang-tidy", "--quiet", str(scratch / "src/a.cpp"), "--", "-std=c++20"]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
    return answer.returncode != 0


def self_test():
    bad = "int f() { int* p = 0; return *p; }\n"
    tree.expect(_faults(tree.ROOT, bad), "a null dereference passed")
    tree.expect(not _faults(tree.ROOT, "int f() { return 1; }\n"), "good code was faulted")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    elif sys.argv[1:2] == ["--since"] and len(sys.argv) == 3:
        sys.exit(0 if check(tree.ROOT, sys.argv[2]) else 1)
    else:
        sys.exit(0 if check(tree.ROOT) else 1)
