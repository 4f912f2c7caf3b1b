"""What the tests of the commands that talk to a server share."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import unittest

from petrel_server import DEADLINE, PETREL, Server, wait_until
from receiver import OK, Receiver, Reply

# A delivery that is refused is dead at once, and the circuit does not open by it.
DEAD_AT_ONCE = {"maxAttempts": 1, "rules": [{"on": "404", "action": "fail"}]}

def run(*arguments, stdin=None, cwd=None, **variables):
    return subprocess.run(
        [PETREL, *arguments],
        capture_output=True,
        text=True,
        input=stdin,
        timeout=DEADLINE,
        check=False,
        cwd=cwd,
        env={**os.environ, **variables},
    )


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="petrel-verbs-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            pathlib.Path(path).write_text(text, encoding="utf-8")
        return path


class Running(Scratch):
    """A server with an application, and an endpoint that refuses what says so."""

    def setUp(self):
        super().setUp()
        self.receiver = Receiver(lambda request: Reply(404) if b"refuse" in request.body else OK)
        self.addCleanup(self.receiver.close)
        self.server = Server(self.folder)
        self.addCleanup(self.server.kill)
        self.server.start()
        self.client = self.server.client()
        self.addCleanup(self.client.close)
        self.client.must(201, "POST", "/app", {"name": "Acme", "uid": "acme"})
        self.endpoint = self.add_endpoint("billing")

    def add_endpoint(self, uid, **fields):
        body = {"url": self.receiver.url("/" + uid), "uid": uid, "retryPolicy": DEAD_AT_ONCE}
        return self.client.must(201, "POST", "/app/acme/endpoint", body | fields)["id"]

    def petrel(self, *arguments, code=0, **more):
        """At the server by its socket, and it has to end so."""
        result = run(*arguments, "--store", self.server.store, **more)
        self.assertEqual(result.returncode, code, (arguments, result.stdout, result.stderr))
        return result

    def parsed(self, *arguments, code=0):
        return json.loads(self.petrel(*arguments, "--json", code=code).stdout)

    def send(self, payload="{}"):
        return self.petrel("send", "acme", "order.paid", payload).stdout.split()[1]

    def health(self):
        return self.client.must(200, "GET", "/app/acme/endpoint/billing/health")

    def make_dead(self, count):
        before = self.health()["deadLetters"]["total"]
        for number in range(count):
            self.client.post("acme", {"refuse": number})
        wait_until(
            lambda: self.health()["deadLetters"]["total"] == before + count, "dead letters"
        )


class Watching:
    """A command in the background, its lines as they come."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [PETREL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.lines = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def interrupt(self, case):
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(DEADLINE)
        self._reader.join(DEADLINE)
        errors = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        case.assertEqual(code, 0, errors)
        return errors
