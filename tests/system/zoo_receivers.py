"""Receivers that misbehave, each in its own way, on ports of their own and one event loop.

A beast is `async def beast(talk)`, run once per connection. It reads requests and says what it
likes; when it returns, the connection is closed. What it registers with says how it is reached and
what has to become of its deliveries: delivered, dead, or either where the network may decide.
"""

import asyncio
import socket
import ssl
import struct
import threading

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"

BEASTS = {}


class Kind:
    def __init__(self, beast, outcome, is_tls, is_kept):
        self.beast = beast
        self.outcome = outcome  # "delivered", "dead" or None.
        self.is_tls = is_tls
        self.is_kept = is_kept  # Whether it is about connections that are used again.
        # Where the deadline has to come it comes soon; elsewhere a slow machine must not bring it.
        self.timeout = "1s" if outcome == "dead" else "20s"


def register(name, beast, outcome, is_tls=False, is_kept=False):
    assert name not in BEASTS, name
    BEASTS[name] = Kind(beast, outcome, is_tls, is_kept)


def beast(outcome, **more):
    def take(function):
        register(function.__name__, function, outcome, **more)
        return function

    return take


class Talk:
    """One connection, as a beast sees it."""

    def __init__(self, zoo, name, number, reader, writer):
        self._zoo = zoo
        self._name = name
        self.number = number  # Of the connection; the first is 1.
        self._reader = reader
        self._writer = writer

    async def request(self):
        """Reads a whole request; False if the connection ends before."""
        try:
            head = await self._reader.readuntil(b"\r\n\r\n")
            length = 0
            for line in head.lower().split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    length = int(line.partition(b":")[2])
            await self._reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError, OSError):
            return False
        self._zoo.saw_request(self._name)
        return True

    async def read(self, size):
        """So many bytes of what comes, whatever it is."""
        try:
            data = await self._reader.readexactly(size)
        except (asyncio.IncompleteReadError, ConnectionError, OSError):
            return b""
        if data.startswith(b"POST"):
            self._zoo.saw_request(self._name)
        return data

    async def send(self, data):
        """False if the other side has gone."""
        try:
            self._writer.write(data)
            await self._writer.drain()
            return not self._writer.is_closing()
        except (ConnectionError, OSError):
            return False

    async def drip(self, data, pause=0.03):
        for byte in data:
            if not await self.send(bytes([byte])):
                return False
            await asyncio.sleep(pause)
        return True

    async def flood(self, data):
        while await self.send(data):
            await asyncio.sleep(0.001)

    async def hang(self):
        """Until the other side closes."""
        try:
            while await self._reader.read(65536):
                pass
        except (ConnectionError, OSError):
            pass

    def reset(self):
        raw = self._writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()


class Zoo:
    """All of them at once."""

    def __init__(self, tls_context):
        self._tls_context = tls_context
        self._lock = threading.Lock()
        self._requests = {name: 0 for name in BEASTS}
        self._connections = {name: 0 for name in BEASTS}
        self._ports = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._is_ready = threading.Event()
        self._thread.start()
        self._is_ready.wait()

    def _run(self):
        asyncio.set_event_loop(self._loop)
        for name in BEASTS:
            serving = asyncio.start_server(self._on_connection(name), "127.0.0.1", 0, limit=2**22)
            server = self._loop.run_until_complete(serving)
            self._ports[name] = server.sockets[0].getsockname()[1]
        self._is_ready.set()
        self._loop.run_forever()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))

    def _on_connection(self, name):
        async def take(reader, writer):
            with self._lock:
                self._connections[name] += 1
                number = self._connections[name]
            talk = Talk(self, name, number, reader, writer)
            talk.tls_context = self._tls_context
            talk.reader, talk.writer = reader, writer
            try:
                await BEASTS[name].beast(talk)
            finally:
                writer.close()

        return take

    def close(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def url(self, name):
        scheme = "https" if BEASTS[name].is_tls else "http"
        return f"{scheme}://127.0.0.1:{self._ports[name]}/{name}"

    def saw_request(self, name):
        with self._lock:
            self._requests[name] += 1

    def seen(self, name):
        """Requests on the wire. One that was not read whole shows as its connection."""
        with self._lock:
            return max(self._requests[name], self._connections[name])


# Those that say something else than an HTTP response.


def speaker(name, data, outcome, is_hanging=False):
    """Reads a request and says `data`; then it closes, or waits for the other side to."""

    async def speak(talk):
        if await talk.request() and await talk.send(data) and is_hanging:
            await talk.hang()

    register(name, speak, outcome)


INTERIM = b"HTTP/1.1 103 E\r\nlink: " + 30000 * b"x" + b"\r\n\r\n"
speaker("interims_that_are_long", 4 * INTERIM + INTERIM[:20000], "dead", is_hanging=True)
speaker("interims_by_the_thousand", 1000 * b"HTTP/1.1 102 P\r\n\r\n", "dead", is_hanging=True)
speaker("interims_and_then_nothing", b"HTTP/1.1 100 Continue\r\n\r\n", "dead", is_hanging=True)
speaker("interims_and_then_the_end", 3 * b"HTTP/1.1 103 E\r\n\r\n", "dead")
speaker("interims_before_the_response", 5 * b"HTTP/1.1 103 E\r\n\r\n" + OK, "delivered")
speaker("interim_with_a_length", b"HTTP/1.1 100 C\r\ncontent-length: 9\r\n\r\n" + OK, "delivered")
speaker("switching_protocols", b"HTTP/1.1 101 S\r\nupgrade: x\r\n\r\n", "dead", is_hanging=True)
speaker("http_0_9", b"<html>ok</html>", "dead")
speaker("http_2_preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", "dead")
speaker("http_2_settings", b"\0\0\0\4\0\0\0\0\0", "dead")
speaker("http_1_2", b"HTTP/1.2 200 OK\r\ncontent-length: 0\r\n\r\n", "dead")
speaker("smtp", b"220 mail.example ESMTP\r\n", "dead", is_hanging=True)
speaker("zeros", 100000 * b"\0", "dead")
speaker("nothing_but_line_ends", 50000 * b"\r\n", "dead")
speaker("bare_line_feeds", b"HTTP/1.1 200 OK\ncontent-length: 0\n\n", "dead", is_hanging=True)
speaker("nul_in_a_header", HEAD + b"x: a\0b\r\ncontent-length: 0\r\n\r\n", "dead")
speaker("controls_in_a_header", HEAD + b"x: \x01\x7f\r\ncontent-length: 0\r\n\r\n", "dead")
speaker("space_before_the_colon", HEAD + b"x : y\r\ncontent-length: 0\r\n\r\n", "dead")
speaker("header_without_a_colon", HEAD + b"rubbish\r\n\r\n", "dead")
speaker("folded_header", HEAD + b"x: a\r\n b\r\ncontent-length: 0\r\n\r\n", "delivered")
speaker("no_reason", b"HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n", "delivered")
for _status in ("99", "000", "1000", "abc", "-20", "2 0", "20", ""):
    _line = f"HTTP/1.1 {_status} So\r\ncontent-length: 0\r\n\r\n".encode()
    speaker("status_" + (_status.replace(" ", "_") or "none"), _line, "dead")

# Those that lie about their body. A complete 2xx header is a success whatever follows.

for _name, _length in {
    "too_long": b"100",
    "too_short": b"1",
    "negative": b"-1",
    "not_a_number": b"two",
    "huge": b"99999999999999999999999",
    "just_huge": b"9223372036854775807",
    "empty": b"",
    "twice": b"2\r\ncontent-length: 3",
}.items():
    speaker(f"length_{_name}", HEAD + b"content-length: " + _length + b"\r\n\r\nok", "delivered")
speaker("length_and_chunks", CHUNKED[:-2] + b"content-length: 2\r\n\r\n0\r\n\r\n", "delivered")
speaker("chunk_size_bad", CHUNKED + b"zz\r\nok\r\n0\r\n\r\n", "delivered")
speaker("chunk_size_huge", CHUNKED + 40 * b"f" + b"\r\nok", "delivered")
speaker("chunk_without_its_end", CHUNKED + b"2\r\nokok\r\n0\r\n\r\n", "delivered")
speaker("chunk_cut_short", CHUNKED + b"10\r\nok", "delivered")
speaker("chunks_in_an_error", b"HTTP/1.1 500 No" + CHUNKED[15:] + b"zz\r\n", "dead")
speaker("error_cut_short", b"HTTP/1.1 500 No\r\ncontent-length: 10\r\n\r\nok", "dead")
for _name, _value in {
    "huge": b"99999999999999999999999",
    "negative": b"-5",
    "rubbish": b"\xff\xfe soon",
    "long": 30000 * b"9",
    "past": b"Thu, 01 Jan 1970 00:00:00 GMT",
}.items():
    _head = b"HTTP/1.1 400 So\r\nretry-after: " + _value + b"\r\ndate: 99999999\r\n"
    speaker(f"retry_after_{_name}", _head + b"content-length: 0\r\n\r\n", "dead")


# Those that never come to an end.


@beast("dead")
async def endless_headers(talk):
    if await talk.request() and await talk.send(HEAD):
        await talk.flood(b"x: " + 1000 * b"y" + b"\r\n")


@beast("dead")
async def endless_header_line(talk):
    if await talk.request() and await talk.send(HEAD + b"x: "):
        await talk.flood(1000 * b"y")


@beast("dead")
async def endless_interims(talk):
    if await talk.request():
        await talk.flood(100 * b"HTTP/1.1 102 P\r\n\r\n")


@beast("delivered")
async def endless_body(talk):
    if await talk.request() and await talk.send(HEAD + b"\r\n"):
        await talk.flood(10000 * b"x")


@beast("delivered")
async def endless_chunks(talk):
    if await talk.request() and await talk.send(CHUNKED):
        await talk.flood(1000 * b"1;a=b\r\nx\r\n")


@beast("delivered")
async def endless_trailer(talk):
    if await talk.request() and await talk.send(CHUNKED + b"0\r\n"):
        await talk.flood(1000 * b"x: y\r\n")


@beast("delivered")
async def endless_chunk_extension(talk):
    if await talk.request() and await talk.send(CHUNKED + b"1;"):
        await talk.flood(10000 * b"x")


@beast("dead")
async def silence(talk):
    if await talk.request():
        await talk.hang()


@beast("dead")
async def drip_in_the_status_line(talk):
    if await talk.request():
        await talk.drip(b"HTTP/1.1 200 " + 1000 * b"O")


@beast("dead")
async def drip_in_the_headers(talk):
    if await talk.request() and await talk.send(HEAD):
        await talk.drip(1000 * b"x: y\r\n")


@beast("dead")
async def drip_of_interims(talk):
    if await talk.request():
        await talk.drip(100 * b"HTTP/1.1 102 P\r\n\r\n")


@beast("delivered")
async def drip_in_the_body(talk):
    if await talk.request() and await talk.send(HEAD + b"content-length: 9999\r\n\r\n"):
        await talk.drip(9999 * b"x")


@beast("dead")
async def drip_in_the_body_of_an_error(talk):
    if await talk.request() and await talk.send(b"HTTP/1.1 500 No\r\n\r\n"):
        await talk.drip(9999 * b"x")


BEASTS["drip_in_the_body"].timeout = "5s"

# Those that leave early.


@beast("dead")
async def close_after_accept(talk):
    pass


@beast("dead")
async def reset_after_accept(talk):
    talk.reset()


@beast("dead")
async def close_in_the_request_line(talk):
    await talk.read(5)


@beast("dead")
async def reset_in_the_request(talk):
    await talk.read(50)
    talk.reset()


@beast("dead")
async def close_after_the_request(talk):
    await talk.request()


@beast("dead")
async def reset_after_the_request(talk):
    await talk.request()
    talk.reset()


@beast("dead")
async def close_in_the_status_line(talk):
    if await talk.request():
        await talk.send(b"HTTP/1.1 20")


@beast("dead")
async def close_in_the_headers(talk):
    if await talk.request():
        await talk.send(HEAD + b"content-len")


@beast("dead")
async def reset_in_the_headers(talk):
    if await talk.request():
        await talk.send(HEAD + b"content-len")
        talk.reset()


@beast("delivered")
async def close_in_the_body(talk):
    if await talk.request():
        await talk.send(HEAD + b"content-length: 10\r\n\r\nok")


@beast(None)  # The reset may overtake what was said before.
async def reset_in_the_body(talk):
    if await talk.request():
        await talk.send(HEAD + b"content-length: 10\r\n\r\nok")
        talk.reset()


@beast("delivered")
async def response_before_the_request(talk):
    await talk.send(OK)
    await talk.request()


# Those that break TLS.


@beast("dead", is_tls=True)
async def tls_that_never_answers(talk):
    await talk.hang()


@beast("dead", is_tls=True)
async def tls_of_rubbish(talk):
    await talk.flood(1000 * b"\x16\x03\x03rubbish")


@beast("dead", is_tls=True)
async def tls_that_is_plain_http(talk):
    await talk.read(20)
    await talk.send(OK)


@beast("dead", is_tls=True)
async def tls_that_closes(talk):
    await talk.read(20)


@beast("dead", is_tls=True)
async def tls_that_resets(talk):
    await talk.read(20)
    talk.reset()


@beast("dead", is_tls=True)
async def tls_that_drips(talk):
    await talk.drip(b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc" + 9999 * b"\0")


@beast("dead", is_tls=True)
async def tls_of_an_expired_stranger(talk):
    loop = asyncio.get_event_loop()
    try:
        await loop.start_tls(
            talk.writer.transport, talk.writer.transport.get_protocol(), talk.tls_context,
            server_side=True, ssl_handshake_timeout=5,
        )
    except (ssl.SSLError, ConnectionError, OSError):
        pass


# Those that keep connections badly. Each answers its first request.


def keeper(outcome):
    return beast(outcome, is_kept=True)


@keeper("delivered")
async def kept_and_closed_at_once(talk):
    if await talk.request():
        await talk.send(OK)


@keeper("delivered")
async def kept_and_reset_at_once(talk):
    if await talk.request():
        await talk.send(OK)
        await asyncio.sleep(0.02)  # So that the response is not lost with it.
        talk.reset()


@keeper("delivered")
async def kept_and_closed_after_a_while(talk):
    if await talk.request() and await talk.send(OK):
        await asyncio.sleep(0.1)


@keeper("delivered")
async def kept_and_closed_after_the_second_request(talk):
    if await talk.request() and await talk.send(OK):
        await talk.request()


@keeper("delivered")
async def kept_and_closed_some_time_after_the_second_request(talk):
    if await talk.request() and await talk.send(OK) and await talk.request():
        await asyncio.sleep(0.3)


@keeper("delivered")
async def kept_and_reset_after_the_second_request(talk):
    if await talk.request() and await talk.send(OK) and await talk.request():
        talk.reset()


@keeper("delivered")
async def kept_and_closed_half_way_through_the_second_request(talk):
    if await talk.request() and await talk.send(OK):
        await talk.read(30)


@keeper("delivered")
async def kept_and_closed_half_way_through_the_second_response(talk):
    if await talk.request() and await talk.send(OK) and await talk.request():
        await talk.send(b"HTTP/1.1 20")


@keeper("delivered")
async def kept_with_a_second_response_unasked(talk):
    second = b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n"
    if await talk.request() and await talk.send(OK + second):
        while await talk.request() and await talk.send(OK):
            pass


@keeper("delivered")
async def kept_with_a_second_response_later(talk):
    if await talk.request() and await talk.send(OK):
        await asyncio.sleep(0.05)
        await talk.send(b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n")
        while await talk.request() and await talk.send(OK):
            pass


@keeper("delivered")
async def kept_with_rubbish_behind_every_response(talk):
    while await talk.request() and await talk.send(OK + b"\r\n\r\n\0"):
        pass


@keeper("delivered")
async def kept_for_one_second(talk):
    answer = HEAD + b"keep-alive: timeout=1\r\ncontent-length: 0\r\n\r\n"
    if await talk.request() and await talk.send(answer):
        await asyncio.sleep(1)


@keeper("delivered")
async def kept_for_an_absurd_time(talk):
    answer = HEAD + b"keep-alive: timeout=99999999999999999999\r\ncontent-length: 0\r\n\r\n"
    while await talk.request() and await talk.send(answer):
        pass


@keeper("delivered")
async def kept_as_it_should_be(talk):
    while await talk.request() and await talk.send(OK):
        pass
