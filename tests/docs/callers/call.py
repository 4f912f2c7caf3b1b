"""Calls verify() with the cases on stdin, and prints which of them it took."""

import base64
import json
import sys

from verify import verify


def is_taken(secret, headers, body):
    try:
        verify(secret, headers, base64.b64decode(body))
        return True
    except ValueError:
        return False


asked = json.load(sys.stdin)
print(json.dumps([is_taken(asked["secret"], *case) for case in asked["cases"]]))
