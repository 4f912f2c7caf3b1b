"""Runs the tests of the script that calls main().

With PETREL_NO_SKIP set, as in CI, a test that skips itself is a failure: what is missing there
would otherwise never be noticed. So the reason of a skip says what to install.
"""

import os
import sys
import unittest


def _refusals(skipped):
    return [f"{test.id()} was skipped, and must not be: {why}" for test, why in skipped]


def main():
    result = unittest.main("__main__", verbosity=2, exit=False).result
    refusals = _refusals(result.skipped) if os.environ.get("PETREL_NO_SKIP") else []
    print(*refusals, sep="\n", end="\n" if refusals else "", file=sys.stderr)
    sys.exit(0 if result.wasSuccessful() and not refusals else 1)
