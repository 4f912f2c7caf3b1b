"""A receiver that does as it is told, and remembers every request."""

import asyncio
import base64
import collections
import hashlib
import hmac
import socket
import struct
import threading
import time


class Reply:
    """What to do with one request: answer it, after a while, or not at all."""

    def __init__(self, status=200, headers=None, delay=0, is_reset=False, is_hanging=False):
        self.status = 0 if is_reset or is_hanging else status
        self.headers = headers or {}
        self.delay = delay
        self.is_reset = is_reset
        self.is_hanging = is_hanging

    def head(self):
        fields = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
        return f"HTTP/1.1 {self.status} So\r\ncontent-length: 0\r\n{fields}\r\n".encode()


OK = Reply()


class Request:
    """One request as it came. `status` is what was answered: 0 for none."""

    def __init__(self, path, headers, body):
        self.path = path
        self.headers = headers
        self.body = body
        self.id = headers.get("webhook-id", "")
        self.came_at = time.time()
        self.came_at_mono = time.monotonic()
        self.answered_at_mono = None  # Just before the answer was written.
        self.number = 0  # The first of this id on this path is 1.
        self.status = None

    def is_signed_with(self, secret):
        key = base64.b64decode(secret.removeprefix("whsec_"))
        signed = f"{self.id}.{self.headers['webhook-timestamp']}.".encode() + self.body
        right = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
        return "v1," + right in self.headers["webhook-signature"].split(" ")


class Receiver:
    """Listens on a free port of 127.0.0.1. `behave(request)` gives the Reply to each request."""

    def __init__(self, behave=lambda request: OK):
        self.behave = behave
        self.lock = threading.Lock()  # Held while something is written to what follows.
        self.requests = []
        self.successes = collections.defaultdict(collections.Counter)  # By path and id.
        self.in_flight = collections.Counter()  # By path: come, and not answered or broken off.
        self.in_flight_most = collections.Counter()
        self.connections = set()
        self._numbers = collections.Counter()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._is_ready = threading.Event()
        self.port = None
        self._thread.start()
        self._is_ready.wait()

    def url(self, path="/"):
        return f"http://127.0.0.1:{self.port}{path}"

    def _run(self):
        asyncio.set_event_loop(self._loop)
        listening = self._loop.create_server(
            lambda: _Connection(self), "127.0.0.1", 0, backlog=1024
        )
        server = self._loop.run_until_complete(listening)
        self.port = server.sockets[0].getsockname()[1]
        self._is_ready.set()
        self._loop.run_forever()
        server.close()
        for connection in list(self.connections):
            connection.transport.abort()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    def close(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def reset_all(self):
        """Breaks every connection, also those that hang."""

        def act():
            for connection in list(self.connections):
                connection.reset()

        self._loop.call_soon_threadsafe(act)

    def came(self, request):
        with self.lock:
            self._numbers[request.path, request.id] += 1
            request.number = self._numbers[request.path, request.id]
            self.requests.append(request)
            self.in_flight[request.path] += 1
            self.in_flight_most[request.path] = max(
                self.in_flight_most[request.path], self.in_flight[request.path]
            )

    def ended(self, request):
        with self.lock:
            self.in_flight[request.path] -= 1

    def answered(self, request, status):
        with self.lock:
            request.status = status
            if 200 <= status < 300:
                self.successes[request.path][request.id] += 1

    def of(self, path, message=None):
        with self.lock:
            return [
                each
                for each in self.requests
                if each.path == path and (message is None or each.id == message)
            ]

    def success_count(self):
        with self.lock:
            return sum(len(ids) for ids in self.successes.values())


class _Connection(asyncio.Protocol):
    def __init__(self, receiver):
        self._receiver = receiver
        self._buffer = b""
        self._request = None  # The one that is in flight.
        self.transport = None

    def connection_made(self, transport):
        self.transport = transport
        self._receiver.connections.add(self)

    def connection_lost(self, error):
        self._receiver.connections.discard(self)
        self._end()

    def data_received(self, data):
        self._buffer += data
        self._take()

    def _take(self):
        end = self._buffer.find(b"\r\n\r\n")
        if self._request is not None or end < 0:
            return
        first, *lines = self._buffer[:end].decode("latin-1").split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        whole = end + 4 + int(headers.get("content-length", 0))
        if len(self._buffer) < whole:
            return
        body, self._buffer = self._buffer[end + 4 : whole], self._buffer[whole:]
        request = Request(first.split(" ")[1], headers, body)
        self._receiver.came(request)
        self._request = request
        reply = self._receiver.behave(request)
        if reply.is_hanging:
            self._receiver.answered(request, 0)
        elif reply.delay:
            asyncio.get_event_loop().call_later(reply.delay, self._reply, request, reply)
        else:
            self._reply(request, reply)

    def _reply(self, request, reply):
        self._end()
        request.answered_at_mono = time.monotonic()
        self._receiver.answered(request, reply.status)
        if reply.is_reset:
            self.reset()
            return
        self.transport.write(reply.head())
        self._take()

    def _end(self):
        if self._request is not None:
            self._receiver.ended(self._request)
            self._request = None

    def reset(self):
        """With RST, not FIN: to leave with bytes unsaid is what a dying process does."""
        raw = self.transport.get_extra_info("socket")
        if raw is not None and raw.fileno() >= 0:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()
