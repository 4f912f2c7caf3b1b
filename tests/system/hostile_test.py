"""A server among clients that mean it ill. It answers each or hangs up, and does not grow.

HOSTILE=1000000, as `make hostile` sets it, sends that many requests; SEED picks others.
"""

import collections
import json
import multiprocessing
import os
import random
import re
import selectors
import shutil
import socket
import struct
import tempfile
import threading
import time
import unittest

import suite
from petrel_server import DEADLINE, Server, wait_until

REQUESTS = int(os.environ.get("HOSTILE", "20000"))
SEED = int(os.environ.get("SEED", "1"))
WORKERS = 4
SLICE = 500  # Requests that a worker sends before it is asked for its count.
SLOW_CLIENTS = 100

# What the server may take on top of its size after the first tenth of the requests: buffers that
# the allocator keeps, and the metrics of more routes. A leak of 100 bytes a request would show in
# a million.
GROWTH_MAX_BYTES = 64 * 1024 * 1024

HEAD = b"POST /api/v1/app HTTP/1.1\r\nHost: x\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"

# What ends a connection, each with the status that says so.
ENDINGS = {
    "not HTTP": (b"rubbish\r\n\r\n", 400),
    "binary": (bytes(range(256)), 400),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 500, 400),
    "NUL in a header": (HEAD + b"A: b\0c\r\n\r\n", 400),
    "bare LF": (b"GET / HTTP/1.1\nHost: x\n\n" + b"\r\n\r\n", 400),
    "bare LF in a header": (HEAD + b"A: b\nContent-Length: 5\r\n\r\n", 400),
    "folded header": (HEAD + b"A: b\r\n c\r\n\r\n", 400),
    "space before the colon": (HEAD + b"Content-Length : 5\r\n\r\nhello", 400),
    "length and chunks": (HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    "two lengths": (HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400),
    "one length twice": (HEAD + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400),
    "length with a sign": (HEAD + b"Content-Length: +5\r\n\r\nhello", 400),
    "gzip, chunked": (HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400),
    "bad chunk size": (CHUNKED + b"zz\r\n", 400),
    "chunk longer than it says": (CHUNKED + b"1\r\nxyz\r\n0\r\n\r\n", 400),
    "chunk with bare LF": (CHUNKED + b"1\nx\n0\n\n", 400),
    "endless chunk extension": (CHUNKED + b"1;" + b"a" * 100_000, 400),
    "endless trailer": (CHUNKED + b"0\r\nA: " + b"a" * 100_000, 400),
    "no host": (b"GET / HTTP/1.1\r\n\r\n", 400),
    "two hosts": (HEAD + b"Host: y\r\n\r\n", 400),
    "target with a host": (b"GET http://other/ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "CONNECT": (b"CONNECT other:443 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    "huge length": (HEAD + b"Content-Length: 99999999999999999999\r\n\r\n", 413),
    "huge, waiting": (HEAD + b"Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n", 413),
    "huge chunk": (CHUNKED + b"ffffffffffffffff\r\n", 413),
    "too large a body": (HEAD + b"Content-Length: 1048577\r\n\r\n" + b"x" * 200_000, 413),
    "long target": (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
    "odd expectation": (HEAD + b"Expect: gifts\r\n\r\n", 417),
    "large headers": (HEAD + b"A: " + b"a" * 100_000, 431),
    "many headers": (HEAD + b"A: b\r\n" * 200 + b"\r\n", 431),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
}


def well_formed(rng, token):
    """A request that is good HTTP and bad in every other way; the connection stays."""
    method = rng.choice(("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW"))
    path = rng.choice(
        (
            "/api/v1/app",
            "/api/v1/app/%00/msg",
            "/api/v1/app/app_1/msg?limit=" + "9" * rng.randrange(1, 40),
            "/api/v1/app/app_1/endpoint/" + "..%2f" * rng.randrange(1, 20),
            "/" + "/" * rng.randrange(200),
            "/api/v1/health/ping",
            "/metrics?" + "&" * rng.randrange(300),
        )
    )
    credential = rng.choice((token, token[:-1], "x" * rng.randrange(5000), "a.b.c", ".."))
    body = rng.choice(
        (
            b"",
            b"{",
            b"[" * rng.randrange(1, 5000),
            b'{"name":"' + b"\\u0000" * rng.randrange(100),
            b'{"name":{"name":[]}}',
            rng.randbytes(rng.randrange(1, 3000)),
        )
    )
    lines = [f"{method} {path} HTTP/1.1", "Host: x", f"Authorization: Bearer {credential}"]
    lines += [f"X-Forwarded-For: {rng.random()}, ,"] * rng.randrange(20)
    if rng.random() < 0.5:
        lines.append(f"Content-Length: {len(body)}")
    else:
        lines.append("Transfer-Encoding: chunked")
        body = (f"{len(body):x};x\r\n".encode() + body + b"\r\n" if body else b"") + b"0\r\n\r\n"
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def damaged(rng, request):
    """The request with a few bytes changed, lost or doubled."""
    broken = bytearray(request)
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(broken))
        broken[at : at + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
    return bytes(broken)


def last_answer(received):
    """The status and the JSON of what was said last."""
    *_, start = re.finditer(rb"HTTP/1\.1 (\d{3}) ", received)
    return int(start.group(1)), json.loads(received[start.end() :].partition(b"\r\n\r\n")[2])


def receive_all(connection):
    received = bytearray()
    try:
        while part := connection.recv(65536):
            received += part
    except ConnectionResetError:
        pass
    return bytes(received)


def send(connection, data):
    """Sends what the server is willing to take."""
    try:
        connection.sendall(data)
    except (BrokenPipeError, ConnectionResetError):
        pass


def visit(address, rng, token):
    """One connection with a row of hostile requests. Gives their number, and what was answered."""
    requests = [well_formed(rng, token) for _ in range(rng.randrange(16))]
    ending, status = rng.choice(list(ENDINGS.values()))
    if rng.random() < 0.3:
        ending, status = damaged(rng, well_formed(rng, token)), None
    requests.append(ending)
    # From all over 127.0.0.0/8, or the ports would run out.
    origin = (f"127.{rng.randrange(1, 250)}.{rng.randrange(250)}.{rng.randrange(1, 250)}", 0)
    with socket.create_connection(address, DEADLINE, source_address=origin) as connection:
        manner = rng.random()
        send(connection, b"".join(requests))
        if manner < 0.1:  # Gone, without a look at the answers.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return len(requests), "reset"
        if manner < 0.2:
            return len(requests), "closed"
        if manner < 0.5 or status is None:  # Or a damaged length would have us both wait.
            try:
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass
        received = receive_all(connection)
    if status is None:
        return len(requests), "damaged"
    if not received:
        raise AssertionError(f"no answer to {ending[:80]!r}")
    told, why = last_answer(received)
    if told != status or not why["code"] or not why["detail"]:
        raise AssertionError(f"{ending[:80]!r}: {told} {why}")
    return len(requests), str(status)


def attack(job):
    address, token, seed = job
    rng = random.Random(seed)
    seen = collections.Counter()
    while seen["requests"] < SLICE:
        count, manner = visit(address, rng, token)
        seen.update({"requests": count, "connections": 1, manner: 1})
    return seen


class SlowClients(threading.Thread):
    """Connections that drip their headers, until the server has had enough of them."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self._address = address
        self.received = []

    def run(self):
        selector = selectors.DefaultSelector()
        for _ in range(SLOW_CLIENTS):
            connection = socket.create_connection(self._address, DEADLINE)
            connection.setblocking(False)
            connection.send(HEAD)
            selector.register(connection, selectors.EVENT_READ)
        end = time.monotonic() + DEADLINE
        while len(self.received) < SLOW_CLIENTS and time.monotonic() < end:
            for key, _ in selector.select(1):
                self.received.append(key.fileobj.recv(65536))
                selector.unregister(key.fileobj)
                key.fileobj.close()
            for key in selector.get_map().values():
                send(key.fileobj, b"a")


def resident_bytes(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return int(re.search(r"VmRSS:\s+(\d+) kB", file.read()).group(1)) * 1024


class Hostile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="petrel-hostile-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.server = Server(folder).start()
        self.addCleanup(self.server.kill)
        self.address = (self.server.host, self.server.port)

    def test_each_hostile_request_is_told_what_is_wrong_and_hung_up_on(self):
        for name, (request, status) in ENDINGS.items():
            with self.subTest(name), socket.create_connection(self.address, DEADLINE) as client:
                send(client, request)
                told, why = last_answer(receive_all(client))
                self.assertEqual(told, status)
                self.assertEqual(set(why), {"code", "detail"})

    def test_it_stays_up_and_does_not_grow(self):
        slow = SlowClients(self.address)
        seen = collections.Counter()
        began = time.monotonic()
        slices = -(-REQUESTS // SLICE)
        jobs = [(self.address, self.server.token(), f"{SEED}-{n}") for n in range(slices)]
        resident = None
        with multiprocessing.get_context("fork").Pool(WORKERS) as pool:
            slow.start()
            for part in pool.imap_unordered(attack, jobs):
                seen += part
                if resident is None and seen["requests"] >= REQUESTS / 10:
                    resident = resident_bytes(self.server.pid)
        seconds = time.monotonic() - began
        slow.join(DEADLINE)
        told = collections.Counter(part[:12] for part in slow.received)
        self.assertEqual(told, {b"HTTP/1.1 408": SLOW_CLIENTS}, "of the slow clients")

        client = self.server.client()
        self.addCleanup(client.close)
        application = client.create_application("Still there")
        self.assertEqual(client.post(application, {"a": 1}).status, 202)
        self.assertEqual(self.server.problems(), [])
        descriptors = f"/proc/{self.server.pid}/fd"
        wait_until(lambda: len(os.listdir(descriptors)) < 100, "the connections end")
        growth = resident_bytes(self.server.pid) - resident
        print(
            f"hostile: {dict(seen)} in {seconds:.1f} s; resident {resident >> 10} KiB after a"
            f" tenth, {growth >> 10} KiB more at the end"
        )
        self.assertLess(growth, GROWTH_MAX_BYTES)


if __name__ == "__main__":
    suite.main()
