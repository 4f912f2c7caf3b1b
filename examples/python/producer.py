"""Sends a message for each order that is given: producer.py 17 18

Needs PETREL (such as http://127.0.0.1:8071/api/v1) and TOKEN in the environment.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

ATTEMPTS = 10


def send(application, message, key):
    """The message's id. The key makes it one message, however often the request is repeated."""
    request = urllib.request.Request(
        f"{os.environ['PETREL']}/app/{application}/msg",
        json.dumps(message).encode(),
        {"authorization": f"Bearer {os.environ['TOKEN']}", "idempotency-key": key},
    )
    for attempt in range(ATTEMPTS):
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)["id"]
        except urllib.error.HTTPError as error:
            if error.code != 429 and error.code < 500:
                sys.exit(f"refused: {error.code} {error.read().decode()}")
            wait = error.headers.get("retry-after", "")
        except OSError:  # No connection, or no answer: it may have been accepted all the same.
            wait = ""
        time.sleep(int(wait) if wait.isdigit() else min(2**attempt / 10, 30))
    sys.exit(f"not accepted after {ATTEMPTS} attempts; run it again")


for order in sys.argv[1:]:
    paid = {"eventType": "order.paid", "payload": {"order": int(order)}}
    print(order, send("acme", paid, f"order-{order}-paid"))
