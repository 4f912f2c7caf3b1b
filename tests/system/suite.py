"""Runs the tests of the script that calls main().

With PETREL_NO_SKIP set, as in CI, a test that skips itself is a failure: what is missing there
would otherwise never be noticed. So the reason of a skip says what to install.
"""

import os
import sys
import unittest


_NO_SKIP = os.environ.get("PETREL_NO_SKIP")

# What begins so is a setting of the servers that are started, or they would say that it is none.
for _name in [name for name in os.environ if name.startswith("PETREL_")]:
    if _name != "PETREL_PLANTED":  # Which program a test starts.
        del os.environ[_name]


def _refusals(skipped):
    return [f"{test.id()} was skipped, and must not be: {why}" for test, why in skipped]


def main():
    result = unittest.main("__main__", verbosity=2, exit=False).result
    refusals = _refusals(result.skipped) if _NO_SKIP else []
    print(*refusals, sep="\n", end="\n" if refusals else "", file=sys.stderr)
    sys.exit(0 if result.wasSuccessful() and not refusals else 1)
