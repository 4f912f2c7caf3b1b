#!/usr/bin/env python3
"""Runs a linker's command with static libraries in the place of shared ones, where there are any.

    scripts/package/static_link.py g++ … libssl.so … libfmt.so.9.1.0 …

The C and C++ libraries stay shared, and so does what Debian has no static library of (fmt,
simdjson): those have to go along with the binary. So does libcurl, most of whose own libraries have
no static form; and OpenSSL with it, since two of them in one process would mix.
"""

import os
import pathlib
import re
import sys

_SHARED = re.compile(r"^(?P<folder>/.*)/(?P<name>lib[\w+.-]+?)\.so(\.[\d.]+)?$")

# What a static library needs, and its shared form names itself.
_BELOW = {"librocksdb": ["libsnappy", "liblz4", "libzstd", "libbz2", "libz"]}

_KEPT_SHARED = {"libcurl", "libssl", "libcrypto"}


def linked(command):
    """The command with each shared library that has a static form replaced by that."""
    result = []
    for word in command:
        match = _SHARED.match(word)
        static = match and pathlib.Path(match["folder"], match["name"] + ".a")
        is_kept = match and match["name"] in _KEPT_SHARED
        if not static or is_kept or not static.is_file():
            result.append(word)
            continue
        result.append(str(static))
        for name in _BELOW.get(match["name"], []):
            result.append(str(static.with_name(name + ".a")))
    return result


if __name__ == "__main__":
    command = linked(sys.argv[1:])
    sys.stdout.flush()
    os.execvp(command[0], command) if command else sys.exit("use: static_link.py LINKER …")
