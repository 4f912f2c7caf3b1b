"""A server keeps to its `memory-max` whatever producers, receivers and readers do at once, a tenant
that does nothing of this goes on as if it were alone, and what was accepted is delivered.

SCALE=full is the run of `make memory`, with more of everything and 1 GiB.
"""

import concurrent.futures
import contextlib
import http.client
import json
import os
import re
import shutil
import socket
import tempfile
import threading
import time
import unittest

import suite
from petrel_server import Server, wait_until
from receiver import OK, Receiver, Reply

MIB = 1 << 20
FULL = os.environ.get("SCALE") == "full"

MEMORY = 1024 if FULL else 192  # MiB
SLOW_ENDPOINTS = 1000 if FULL else 200
SLOW_REPLY = 5 if FULL else 1.5  # Seconds.
HANGING_ENDPOINTS = 5000 if FULL else 0
UPLOADS = 240 if FULL else 120
MESSAGES = 5
READERS = 10
PAYLOAD = {"text": "x" * 1_000_000}
DEADLINE = 600 if FULL else 60

# What must be back when it is over: everything that was in flight. The rest is the store's cache
# and write buffers, and what the allocator has in holes.
AFTERWARDS = MEMORY * 3 // 4


def resident(pid, field="VmRSS"):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(rf"{field}:\s+(\d+) kB", status.read()).group(1)) // 1024


def behave(request):
    """Bodies are large, and only their number matters."""
    request.body = None
    if request.path.startswith("/hanging"):
        return Reply(is_hanging=True)
    return Reply(delay=SLOW_REPLY) if request.path.startswith("/slow") else OK


class Memory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="petrel-memory-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        options = ["--memory-max", f"{MEMORY}MiB", "--shards", "2"]
        self.server = Server(folder, *options)
        self.addCleanup(self.server.kill)
        self.server.start()
        self.client = self.server.client()
        self.addCleanup(self.client.close)
        self.receiver = Receiver(behave)
        self.addCleanup(self.receiver.close)
        self.raw = []
        self.addCleanup(lambda: [each.close() for each in self.raw])
        self.stop = threading.Event()
        self.addCleanup(self.stop.set)

    def metrics(self):
        scraper = http.client.HTTPConnection(self.server.host, self.server.port)
        with contextlib.closing(scraper) as one:
            one.request("GET", "/metrics")
            return one.getresponse().read().decode()

    def total(self, name):
        lines = re.findall(rf"^{name}(?:{{[^}}]*}})? (\d+)$", self.metrics(), re.MULTILINE)
        return sum(int(each) for each in lines)

    def application(self, name, kind, endpoints, **fields):
        application = self.client.create_application(name)
        for i in range(endpoints):
            url = self.receiver.url(f"/{kind}/{i}")
            self.client.create_endpoint(application, url, **fields)
        return application

    def connect(self, receive_buffer=None):
        made = socket.socket()
        self.raw.append(made)
        if receive_buffer:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        made.settimeout(DEADLINE)
        made.connect((self.server.host, self.server.port))
        return made

    def head(self, method, path, *fields):
        lines = [f"{method} /api/v1{path} HTTP/1.1", "Host: x", *fields]
        lines.append(f"Authorization: Bearer {self.server.token()}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def begin_upload(self, application):
        """All of it but the last byte, which never comes."""
        body = json.dumps({"eventType": "a", "payload": PAYLOAD}).encode()
        length = f"Content-Length: {len(body)}"
        upload = self.connect()
        upload.sendall(self.head("POST", f"/app/{application}/msg", length))
        # A refusal may close it while we are sending.
        with contextlib.suppress(OSError):
            upload.sendall(body[:-1])
        return upload

    def begin_reading(self, application):
        """Asks for page after page and reads nothing."""
        reader = self.connect(receive_buffer=4096)
        reader.sendall(self.head("GET", f"/app/{application}/msg?limit=250") * 20)

    def send_healthy(self, application, seconds_taken, statuses):
        with contextlib.closing(self.server.client()) as client:
            while not self.stop.wait(0.02):
                begun = time.monotonic()
                statuses.append(client.post(application, {"n": len(statuses)}).status)
                seconds_taken.append(time.monotonic() - begun)

    def test_everything_at_once_stays_within_the_memory_there_is(self):
        healthy = self.application("healthy", "healthy", 1)
        greedy = self.application("greedy", "slow", SLOW_ENDPOINTS, maxInFlight=SLOW_ENDPOINTS)
        hanging = self.application("hanging", "hanging", HANGING_ENDPOINTS)
        alone, alone_statuses = [], []
        self.while_healthy_sends(healthy, alone, alone_statuses, lambda: time.sleep(2))
        taken, statuses = [], []
        self.while_healthy_sends(healthy, taken, statuses, lambda: self.storm(greedy, hanging))
        everything = MESSAGES * SLOW_ENDPOINTS + len(statuses) + len(alone_statuses)
        wait_until(
            lambda: self.receiver.success_count() >= everything,
            lambda: f"{self.receiver.success_count()} of {everything} deliveries",
            DEADLINE,
        )
        peak = resident(self.server.pid, "VmHWM")
        self.report(alone, taken, peak)
        self.assertEqual(set(statuses), {202}, "the healthy tenant was refused")
        self.assertLess(peak, MEMORY)
        self.assertIn("memory is short: ", self.server.errors())
        self.assertGreater(self.total("petrel_memory_refused_total"), 0)
        for each in self.raw:
            each.close()
        in_flight_rest = 8 * MIB  # Whole MiB that loops keep.
        wait_until(
            lambda: HANGING_ENDPOINTS or self.total("petrel_memory_used_bytes") < in_flight_rest,
            self.metrics,
        )
        wait_until(
            lambda: resident(self.server.pid) < AFTERWARDS,
            lambda: f"{resident(self.server.pid)} MiB are still resident",
        )
        print(f"afterwards: {resident(self.server.pid)} MiB")

    def while_healthy_sends(self, application, taken, statuses, act):
        self.stop.clear()
        sender = threading.Thread(target=self.send_healthy, args=(application, taken, statuses))
        sender.start()
        try:
            act()
        finally:
            self.stop.set()
            sender.join()

    def storm(self, greedy, hanging):
        """Comes back when it has ended: refused, answered, or given up by the server."""
        for _ in range(2 if HANGING_ENDPOINTS else 0):
            self.assertEqual(self.client.post(hanging, {"n": 1}).status, 202)
        for _ in range(MESSAGES):
            self.post_until_accepted(greedy)
        for _ in range(READERS):
            self.begin_reading(greedy)
        with concurrent.futures.ThreadPoolExecutor(max_workers=16) as pool:
            uploads = list(pool.map(lambda _: self.begin_upload(greedy), range(UPLOADS)))
        wait_until(
            lambda: self.total("petrel_memory_refused_total") > 0,
            "nothing was refused, so this shows nothing",
        )
        served = MESSAGES * SLOW_ENDPOINTS
        wait_until(
            lambda: self.receiver.success_count() >= served,
            lambda: f"{self.receiver.success_count()} of {served} slow deliveries",
            DEADLINE,
        )
        for each in uploads:
            each.close()

    def post_until_accepted(self, application):
        wait_until(lambda: self.client.post(application, PAYLOAD).status == 202, "always refused")

    def report(self, alone, taken, peak):
        def p99(values):
            return sorted(values)[int(len(values) * 0.99)] * 1000

        print(
            f"peak {peak} MiB of {MEMORY}; healthy p99 {p99(taken):.1f} ms over {len(taken)} posts,"
            f" alone {p99(alone):.1f} ms; refused {self.total('petrel_memory_refused_total')}"
        )


if __name__ == "__main__":
    suite.main()
