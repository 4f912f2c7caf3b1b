"""What the storm tests share: one server that is killed, and a receiver that has a bad time."""

import contextlib
import datetime
import shutil
import tempfile
import threading
import time
import unittest

from petrel_server import DEADLINE, Server, wait_until
from receiver import OK, Receiver

# A failure waits for longer than any test: what comes in meanwhile is fresh, or a probe.
PATIENT = {"strategy": "fixed", "baseDelay": "1h", "jitter": "none", "maxAttempts": 10}

_PRODUCERS = 4


def unix(text):
    """Seconds since 1970, of a time in JSON."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class StormCase(unittest.TestCase):
    """Each endpoint has a path of its own; `replies` says what the receiver answers there."""

    def setUp(self):
        folder = tempfile.mkdtemp(prefix="petrel-storm-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.replies = {}
        self.receiver = Receiver(self.reply_to)
        self.addCleanup(self.receiver.close)
        self.server = Server(folder)
        self.addCleanup(self.server.kill)
        self.server.start()
        self.client = self.server.client()
        self.addCleanup(self.client.close)
        self.client.must(201, "POST", "/app", {"name": "A", "uid": "a"})

    def reply_to(self, request):
        """`replies[path]` is a Reply, or a function of the request that gives one."""
        reply = self.replies.get(request.path, OK)
        return reply(request) if callable(reply) else reply

    def endpoint(self, uid, **fields):
        """It gets the messages of the event type of its own name."""
        body = {"url": self.receiver.url("/" + uid), "uid": uid, "eventTypes": [uid]}
        self.client.must(201, "POST", "/app/a/endpoint", {**body, "retryPolicy": PATIENT, **fields})

    def send(self, uid, count):
        """Comes back when all of them are acknowledged."""
        refusals = []

        def produce(share):
            with contextlib.closing(self.server.client()) as client:
                for _ in range(share):
                    answer = client.post("a", {"n": 1}, event_type=uid)
                    if answer.status != 202:
                        refusals.append(answer.body)

        shares = [count // _PRODUCERS] * _PRODUCERS
        shares[0] += count % _PRODUCERS
        threads = [threading.Thread(target=produce, args=(share,), daemon=True) for share in shares]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(DEADLINE)
            self.assertFalse(thread.is_alive(), "the messages are not acknowledged")
        self.assertEqual(refusals, [])

    def health(self, uid):
        return self.client.must(200, "GET", f"/app/a/endpoint/{uid}/health")

    def tell(self, status, uid, what):
        self.client.must(status, "POST", f"/app/a/endpoint/{uid}/{what}")

    def wait_for_health(self, uid, is_so, what):
        """The health of the first moment at which `is_so(health)`."""
        seen = []

        def look():
            seen.append(self.health(uid))
            return is_so(seen[-1])

        wait_until(look, lambda: f"{what}: {seen[-1]}")
        return seen[-1]

    def wait_for_requests(self, uid, count):
        wait_until(
            lambda: len(self.receiver.of("/" + uid)) >= count,
            lambda: f"{count} requests at {uid}, {len(self.receiver.of('/' + uid))} came",
        )

    def restart(self):
        """kill -9, and up again."""
        self.server.kill()
        self.server.start()

    def came(self, uid, since=0.0, until=float("inf")):
        """When requests came, by time.monotonic(), from `since` to before `until`."""
        moments = [each.came_at_mono for each in self.receiver.of("/" + uid)]
        return [moment for moment in moments if since <= moment < until]

    def wait_for_time(self, moment):
        """The passing of time itself is the signal: what is measured is what comes until then."""
        wait_until(lambda: time.monotonic() >= moment, "time does not pass")
