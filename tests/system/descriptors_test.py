"""File descriptors: a server that may have few of them goes on accepting and delivering, whatever
keeps its connections open, and what it cannot open costs no attempt."""

import collections
import contextlib
import http.client
import os
import resource
import selectors
import shutil
import socket
import tempfile
import threading
import time
import unittest

import suite
from petrel_server import DEADLINE, Server, wait_until
from receiver import Receiver

# Each authority keeps connections of its own.
AUTHORITIES = int(os.environ.get("AUTHORITIES", "600"))
ENDPOINTS = int(os.environ.get("ENDPOINTS", "2000"))
ROUNDS = int(os.environ.get("ROUNDS", "3"))
POSTERS = 4
POLICY = {"strategy": "fixed", "baseDelay": "1s", "jitter": "none", "maxAttempts": 3}

# Idle connections stay for four seconds: who has to wait for that waits longer than this.
FREEZE_MAX = 2

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Crowd:
    """Many receivers, each on a port of its own, that answer 200 and keep their connections."""

    def __init__(self, count):
        self._selector = selectors.DefaultSelector()
        self._sockets = []
        for _ in range(count):
            listening = socket.create_server(("127.0.0.1", 0), backlog=64)
            listening.setblocking(False)
            self._sockets.append(listening)
            self._selector.register(listening, selectors.EVENT_READ, self._accept)
        self.ports = [each.getsockname()[1] for each in self._sockets]
        self.requests = collections.Counter()  # By path; written by the crowd's thread alone.
        self._is_over = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def url(self, number):
        return f"http://127.0.0.1:{self.ports[number % len(self.ports)]}/{number}"

    def _run(self):
        while not self._is_over:
            for key, _ in self._selector.select(0.1):
                key.data(key.fileobj)

    def _accept(self, listening):
        with contextlib.suppress(BlockingIOError):
            connection, _ = listening.accept()
            connection.setblocking(False)
            self._selector.register(connection, selectors.EVENT_READ, self._answer)

    def _answer(self, connection):
        # The messages are small: each request comes whole.
        try:
            request = connection.recv(65536)
        except OSError:
            request = b""
        if not request:
            self._selector.unregister(connection)
            connection.close()
            return
        self.requests[request.split(b" ", 2)[1].decode()] += 1
        with contextlib.suppress(OSError):
            connection.sendall(ANSWER)

    def close(self):
        self._is_over = True
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()
        self._selector.close()


class Descriptors(unittest.TestCase):
    def server(self, *options, limits=None):
        folder = tempfile.mkdtemp(prefix="petrel-descriptors-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        server = Server(folder, "--shards", "2", *options, files=limits)
        self.addCleanup(server.kill)
        server.start()
        # A connection of its own, made while there are descriptors.
        self.scraper = http.client.HTTPConnection(server.host, server.port, timeout=DEADLINE)
        self.addCleanup(self.scraper.close)
        self.scraper.connect()
        return server

    def client(self, server):
        client = server.client()
        self.addCleanup(client.close)
        return client

    def receiver(self):
        receiver = Receiver()
        self.addCleanup(receiver.close)
        return receiver

    def metric(self, name):
        self.scraper.request("GET", "/metrics")
        for line in self.scraper.getresponse().read().decode().splitlines():
            each, _, value = line.rpartition(" ")
            if each == name:
                return int(value)
        raise AssertionError(f"no {name}")

    def open_files(self, server):
        return len(os.listdir(f"/proc/{server.pid}/fd"))

    # Many authorities.

    def check_many_authorities(self, soft, hard):
        """Endpoints of more authorities than there are descriptors: one message to each of them,
        again and again, beside an endpoint whose every message is watched."""
        crowd = Crowd(AUTHORITIES)
        self.addCleanup(crowd.close)
        receiver = self.receiver()
        server = self.server(limits=(soft, hard))
        client = self.client(server)
        application = client.create_application("crowd")
        self.in_parallel(
            server,
            [
                lambda own, n=n: own.create_endpoint(
                    application, crowd.url(n), retryPolicy=POLICY, eventTypes=["crowd"]
                )
                for n in range(ENDPOINTS)
            ],
        )
        probe = client.create_endpoint(application, receiver.url("/probe"), eventTypes=["probe"])

        slowest = 0
        for number in range(1, ROUNDS + 1):
            answer = client.post(application, {"n": number}, event_type="crowd")
            self.assertEqual(answer.status, 202, answer.body)
            while sum(crowd.requests.values()) < number * ENDPOINTS:
                slowest = max(slowest, self.probe(server, client, application, receiver))
        print(f"{soft} of {hard}: slowest probe {slowest:.2f} s,", end=" ")
        print(f"{self.metric('petrel_connections_evicted_total')} evicted,", end=" ")
        print(f"{self.metric('petrel_descriptor_shortages_total')} shortages")
        self.assertLess(slowest, FREEZE_MAX, "the probe stood still")
        self.assertEqual(set(crowd.requests.values()), {ROUNDS}, "some came late or twice")
        dead = client.must(200, "GET", f"/app/{application}/delivery?status=dead")
        self.assertEqual(dead["data"], [])
        self.assertEqual(self.metric("petrel_descriptor_shortages_total"), 0)
        self.assertLessEqual(self.open_files(server), hard)
        self.assertEqual(self.metric("petrel_descriptors_limit"), hard)
        last = self.last_probe
        wait_until(lambda: client.attempts(application, last, probe), "the attempt on record")
        self.assertEqual(len(client.attempts(application, last, probe)), 1)
        return server

    def in_parallel(self, server, calls):
        def work(share):
            with contextlib.closing(server.client()) as own:
                for call in share:
                    call(own)

        threads = [threading.Thread(target=work, args=(calls[n::POSTERS],)) for n in range(POSTERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def probe(self, server, client, application, receiver):
        """Seconds from posting a message over a new connection to its arrival."""
        began = time.monotonic()
        with contextlib.closing(server.client()) as fresh:
            answer = fresh.post(application, {}, event_type="probe")
        self.assertEqual(answer.status, 202, answer.body)
        self.last_probe = answer.json()["id"]
        wait_until(lambda: receiver.of("/probe", self.last_probe), "the probe")
        return receiver.of("/probe", self.last_probe)[0].came_at_mono - began

    def test_the_soft_limit_is_raised(self):
        server = self.check_many_authorities(1024, 4096)
        self.assertEqual(server.problems(), [])

    def test_a_low_hard_limit_is_told_and_is_enough(self):
        server = self.check_many_authorities(1024, 1024)
        self.assertIn("this process may open 1024 files only", server.errors())

    # The system has none.

    def leave_none(self, server):
        """Takes away all that is not open. The way back is the answer."""
        limits = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
        taken = {int(each) for each in os.listdir(f"/proc/{server.pid}/fd")}
        free = next(number for number in range(len(taken) + 1) if number not in taken)
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (free, limits[1]))
        return lambda: resource.prlimit(server.pid, resource.RLIMIT_NOFILE, limits)

    def test_attempts_that_find_no_descriptor_cost_nothing(self):
        receiver = self.receiver()
        server = self.server()
        client = self.client(server)
        application = client.create_application("one")
        endpoint = client.create_endpoint(application, receiver.url("/a"))
        give_back = self.leave_none(server)
        cpu, began = cpu_seconds(server.pid), time.monotonic()
        for _ in range(5):
            waiting = socket.create_connection((server.host, server.port), DEADLINE)
            self.addCleanup(waiting.close)  # Which is not accepted.
        messages = [client.post(application, {}).json()["id"] for _ in range(20)]
        wait_until(lambda: "have run out" in server.errors(), "a word on stderr")
        tried = 'petrel_attempts_total{outcome="our_fault"}'
        wait_until(lambda: self.metric(tried) >= 2 * len(messages), "two tries of each")
        spent = (cpu_seconds(server.pid) - cpu) / (time.monotonic() - began)
        self.assertLess(spent, 0.5, "it is busy with being unable")
        problems = client.call("GET", "/health").json()["problems"]
        self.assertTrue(any("file descriptors have run out" in each for each in problems), problems)
        self.assertEqual(receiver.requests, [])
        self.assertEqual(client.attempts(application, messages[0], endpoint), [])
        give_back()
        wait_until(lambda: set(messages) == set(receiver.successes["/a"]), "all delivered")
        for message in messages:
            wait_until(lambda m=message: client.attempts(application, m, endpoint), "the attempt")
            told = client.attempts(application, message, endpoint)
            self.assertEqual([each["responseStatusCode"] for each in told], [200])
        self.assertEqual(server.errors().count("have run out"), 1)

    def test_a_client_is_accepted_in_place_of_an_idle_connection(self):
        crowd = Crowd(100)
        self.addCleanup(crowd.close)
        server = self.server()
        client = self.client(server)
        application = client.create_application("one")
        for number in range(100):
            client.create_endpoint(application, crowd.url(number))
        self.assertEqual(client.post(application, {}).status, 202)
        wait_until(lambda: sum(crowd.requests.values()) == 100, "all delivered")
        give_back = self.leave_none(server)
        self.addCleanup(give_back)
        with contextlib.closing(server.client()) as other:
            self.assertEqual(other.call("GET", "/health/ping").status, 204)
        evicted = "petrel_connections_evicted_total"
        wait_until(lambda: self.metric(evicted) > 0, "room was not made, but waited for")


    # Clients.

    def test_a_crowd_of_idle_clients_takes_no_descriptor_from_deliveries(self):
        receiver = self.receiver()
        server = self.server(limits=(128, 128))
        client = self.client(server)
        application = client.create_application("one")
        client.create_endpoint(application, receiver.url("/a"))
        crowd = []
        self.addCleanup(lambda: [each.close() for each in crowd])
        for _ in range(200):
            crowd.append(socket.create_connection((server.host, server.port), DEADLINE))
        # Most are told that there are too many, or closed; the others wait.
        wait_until(lambda: self.metric('petrel_connections{use="accepted"}') >= 14, "the crowd")
        messages = {client.post(application, {}).json()["id"] for _ in range(20)}
        wait_until(lambda: messages == set(receiver.successes["/a"]), "all delivered")
        self.assertNotIn("have run out", server.errors())
        self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    suite.main()
