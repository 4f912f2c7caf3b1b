"""A limit is one limit however many event loops share it: an endpoint's rate, an application's over
all its endpoints, and what an authority gets at once, as the receiver counts them."""

import contextlib
import shutil
import tempfile
import threading
import unittest

import suite
from petrel_server import Server, wait_until
from receiver import Receiver, Reply

SHARDS = (1, 8, 32)
POLICY = {"strategy": "fixed", "baseDelay": "1h", "jitter": "none"}
AUTHORITY_MAX = 32
POSTERS = 4

# A request that the receiver reads late makes the time between two shorter than it was.
LAG = 0.5


class Limits(unittest.TestCase):
    def world(self, shards):
        folder = tempfile.mkdtemp(prefix="petrel-limits-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.server = Server(folder, "--shards", str(shards))
        self.addCleanup(self.server.kill)
        self.server.start()
        self.client = self.server.client()
        self.addCleanup(self.client.close)

    def new_receiver(self):
        """One for each check, so that none is another's neighbour."""
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)

    def endpoints(self, application, count, **fields):
        for i in range(count):
            url = self.receiver.url(f"/{application}/{i}")
            fields = {"retryPolicy": POLICY, **fields}
            self.client.create_endpoint(application, url, uid=f"{application}-{i}", **fields)

    def send(self, application, count):
        """Over several connections, which the server spreads over its event loops."""

        def produce(share):
            with contextlib.closing(self.server.client()) as client:
                for _ in range(share):
                    self.assertEqual(client.post(application, {"n": 1}).status, 202)

        posters = [
            threading.Thread(target=produce, args=(count // POSTERS,)) for _ in range(POSTERS)
        ]
        for poster in posters:
            poster.start()
        for poster in posters:
            poster.join()

    def span(self, application, count):
        """Seconds from the first of so many requests to the last; they all have to come."""
        begins = f"/{application}/"

        def times():
            with self.receiver.lock:
                return [r.came_at_mono for r in self.receiver.requests if r.path.startswith(begins)]

        wait_until(lambda: len(times()) >= count, lambda: f"{len(times())} of {count} requests")
        came = sorted(times())
        return came[-1] - came[0]

    def check_rate(self, application, endpoints, **fields):
        rate, count = 40, 80
        self.client.create_application(application, uid=application, **fields.pop("whole", {}))
        self.endpoints(application, endpoints, **fields)
        self.send(application, count // endpoints)
        took = self.span(application, count)
        least = (count - 1) / rate
        print(f"{application}: {count} requests in {took:.2f} s, {least:.2f} s at the least")
        self.assertGreater(took, least - LAG)

    def check_authority(self, is_moved):
        """Forty endpoints of one receiver that hangs; `is_moved`: they came there by a PATCH."""
        name = "moved" if is_moved else "made"
        self.receiver.behave = lambda request: Reply(is_hanging=True)
        self.client.create_application(name, uid=name)
        elsewhere = Receiver()
        self.addCleanup(elsewhere.close)
        urls = [self.receiver.url(f"/{name}/{i}") for i in range(40)]
        for i, url in enumerate(urls):
            first = elsewhere.url(f"/{i}") if is_moved else url
            self.client.create_endpoint(name, first, uid=f"{name}-{i}", retryPolicy=POLICY)
            if is_moved:
                body = {"url": url}
                self.client.must(200, "PATCH", f"/app/{name}/endpoint/{name}-{i}", body)
        self.send(name, 8)

        def in_flight():
            with self.receiver.lock:
                return sum(self.receiver.in_flight.values())

        wait_until(lambda: in_flight() >= AUTHORITY_MAX, lambda: f"{in_flight()} in flight")
        # What comes too much comes at once: an endpoint elsewhere has its turn after all of them.
        other = self.client.create_endpoint(name, elsewhere.url("/last"), eventTypes=["last"])
        self.client.post(name, {}, event_type="last")
        wait_until(lambda: elsewhere.of("/last"), f"the delivery to {other}")
        with self.receiver.lock:
            most = len(self.receiver.requests)
        print(f"{name}: {most} in flight at once, {AUTHORITY_MAX} allowed")
        self.assertEqual(most, AUTHORITY_MAX)

    def test_limits_do_not_grow_with_the_number_of_event_loops(self):
        checks = {
            "an endpoint's rate": lambda: self.check_rate("one", 1, throttleRate=40),
            "an application's rate": lambda: self.check_rate(
                "all", 10, whole={"throttleRate": 40}
            ),
            "an authority, of endpoints made there": lambda: self.check_authority(False),
            "an authority, of endpoints moved there": lambda: self.check_authority(True),
        }
        for shards in SHARDS:
            self.world(shards)
            for what, check in checks.items():
                with self.subTest(shards=shards, what=what):
                    print(f"{shards} shards, {what}:", end=" ", flush=True)
                    self.new_receiver()
                    check()
            self.server.kill()


if __name__ == "__main__":
    suite.main()
