"""Each producer and receiver of examples/ does what examples/README.md says, with a real server.

EXAMPLES is the folder with the C++ ones, built.
"""

import base64
import http.server
import json
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

from page import ROOT

sys.path.insert(0, str(ROOT / "tests/system"))
BUILT = os.environ.get("EXAMPLES", "")
import suite  # noqa: E402  pylint: disable=wrong-import-position
from petrel_server import (  # noqa: E402  pylint: disable=wrong-import-position
    DEADLINE,
    Server,
    wait_until,
)

_EXAMPLES = ROOT / "examples"

# What runs them; a Go program is built first.
_COMMANDS = {
    "python": [sys.executable, "-B", "{}.py"],
    "javascript": ["node", "{}.mjs"],
    "go": ["go", "{}/main.go"],
    "cpp": [os.path.join(BUILT, "example_{}"), ""],
}


class Busy:
    """In the place of a server: no answer, then 503, then 202. It keeps the keys that came."""

    def __init__(self):
        keys = self.keys = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                keys.append(self.headers["idempotency-key"])
                if len(keys) == 1:
                    return
                body = b"" if len(keys) == 2 else json.dumps({"id": "msg_1"}).encode()
                self.send_response(503 if len(keys) == 2 else 202)
                if len(keys) == 2:
                    self.send_header("retry-after", "0")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/api/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class Program:
    """An example that runs, and what it has printed."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
        )
        self.lines = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip())

    def url(self):
        wait_until(lambda: any("listening on" in line for line in self.lines), lambda: self.lines)
        return re.search(r"http://\S+", "\n".join(self.lines))[0]

    def orders(self):
        return sorted(int(line.split()[1]) for line in self.lines if line.startswith("order "))

    def close(self):
        self.process.kill()
        self.process.wait()
        self._reader.join()
        self.process.stdout.close()


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="petrel-examples-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def command(self, language, role):
        program, *rest = _COMMANDS[language]
        program = program.format(role)
        if not shutil.which(program):
            self.skipTest(f"install what has `{program}`; scripts/packages.txt says what")
        if language == "cpp":
            return [program]
        source = str(_EXAMPLES / language / rest[-1].format(role))
        if language != "go":
            return [program, *rest[:-1], source]
        binary = str(self.folder / role)
        cache = {"HOME": str(self.folder), "GOCACHE": str(self.folder / "cache")}
        subprocess.run(
            ["go", "build", "-o", binary, source],
            check=True,
            timeout=DEADLINE * 2,
            env={**os.environ, **cache, "GO111MODULE": "off"},
        )
        return [binary]

    def produce(self, language, api, token, *orders):
        ran = subprocess.run(
            [*self.command(language, "producer"), *map(str, orders)],
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
            env={**os.environ, "PETREL": api, "TOKEN": token},
        )
        return ran.returncode, ran.stdout.split(), ran.stderr

    def check(self, language):
        receive = self.command(language, "receiver")
        server = Server(str(self.folder)).start()
        self.addCleanup(server.kill)
        api = f"http://{server.host}:{server.port}/api/v1"
        client = server.client()
        self.addCleanup(client.close)
        secret = "whsec_" + base64.b64encode(secrets.token_bytes(25)).decode()
        receiver = Program(receive, {**os.environ, "SECRET": secret, "PORT": "0"})
        self.addCleanup(receiver.close)
        client.create_application("Acme", uid="acme")
        client.create_endpoint("acme", receiver.url(), uid="orders", secret=secret)

        code, said, errors = self.produce(language, api, server.token(), 17, 18)
        self.assertEqual(code, 0, errors)
        self.assertEqual((said[0], said[2]), ("17", "18"))
        wait_until(lambda: receiver.orders() == [17, 18], lambda: receiver.lines)

        # The same order again is the same message; a message that comes again is not worked on.
        self.assertEqual(self.produce(language, api, server.token(), 17)[1], said[:2])
        path = f"/app/acme/msg/{said[1]}/endpoint/orders/resend"
        client.must(202, "POST", path)
        wait_until(
            lambda: [a["responseStatusCode"] for a in client.attempts("acme", said[1], "orders")]
            == [204, 204],
            "the resent one answered",
        )
        self.check_forgeries(receiver, said[1])
        self.assertEqual(receiver.orders(), [17, 18])

        code, _, errors = self.produce(language, api, "not-a-token", 19)
        self.assertEqual((code, "refused" in errors), (1, True), errors)

    def check_forgeries(self, receiver, message):
        fields = {"id": message, "timestamp": "1", "signature": "v1,"}
        for headers in ({}, {"webhook-" + name: value for name, value in fields.items()}):
            request = urllib.request.Request(receiver.url(), b'{"order": 666}', headers)
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request, timeout=DEADLINE)
            self.assertEqual(refused.exception.code, 400)
            refused.exception.close()

    def check_patience(self, language):
        busy = Busy()
        self.addCleanup(busy.close)
        code, said, errors = self.produce(language, busy.url, "t", 17)
        self.assertEqual((code, said), (0, ["17", "msg_1"]), errors)
        self.assertEqual(busy.keys, ["order-17-paid"] * 3)


for _language in _COMMANDS:
    _once = f"test_{_language}_sends_and_takes_each_order_once"
    setattr(Examples, _once, lambda self, l=_language: self.check(l))
    _again = f"test_{_language}_repeats_what_got_no_answer_with_the_same_key"
    setattr(Examples, _again, lambda self, l=_language: self.check_patience(l))


if __name__ == "__main__":
    suite.main()
