"""A bug that crashes the server over one delivery costs that delivery, and not all.

The server with the planted bug (planted/planted_crash.cpp) is started again after each crash, as
systemd would. SHARDS is how many event loops it has.
"""

import http.client
import os
import shutil
import signal
import tempfile
import unittest

import suite
from petrel_server import Server, wait_until
from receiver import OK, Receiver, Reply

PLANTED = os.environ["PETREL_PLANTED"]
SHARDS = os.environ.get("SHARDS", "8")
LIVES_MAX = 12
POLICY = {"strategy": "fixed", "baseDelay": "1s", "jitter": "none", "giveUpAfter": "1h"}


class Quarantine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="petrel-quarantine-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.reply = OK
        self.receiver = Receiver(lambda request: self.reply)
        self.addCleanup(self.receiver.close)
        self.server = self.on(PLANTED)
        self.server.start()
        self.client = self.server.client()
        self.addCleanup(self.client.close)
        self.client.must(201, "POST", "/app", {"name": "A", "uid": "a"})
        self.ends = []  # How the server ended, each time.
        self.endpoint("one")
        for uid in ("two", "three"):
            self.endpoint(uid, filterTypes=["harmless"])

    def on(self, binary):
        options = ["--shards", SHARDS, "--shutdown-grace", "1s"]
        server = Server(self.folder, *options, binary=binary)
        self.addCleanup(server.kill)
        return server

    def endpoint(self, uid, **fields):
        body = {"url": self.receiver.url("/" + uid), "uid": uid, "retryPolicy": POLICY, **fields}
        self.client.must(201, "POST", "/app/a/endpoint", body)

    def post(self, payload, uid, event_type="harmless"):
        """It is on disk, whether the server lived to say so or not."""
        body = {"eventType": event_type, "payload": payload, "eventId": uid}
        try:
            self.client.must(202, "POST", "/app/a/msg", body)
        except (OSError, http.client.HTTPException):
            pass

    def live_on(self):
        """It has crashed, or is about to: starts it until it stays up and has nothing to do."""
        while True:
            self.ends.append(self.server.wait())
            self.assertLess(len(self.ends), LIVES_MAX, self.server.errors())
            self.server.spawn()
            try:
                self.server.wait_until_it_listens()
                self.wait_for_rest()
                return
            except (OSError, http.client.HTTPException, AssertionError):
                self.server.wait(10)  # Or it is something else that is wrong.

    def waiting(self):
        """Deliveries that are neither held for good nor at an end."""
        page = self.client.must(200, "GET", "/app/a/delivery?limit=250")
        return [
            each
            for each in page["data"]
            if each["status"] not in ("delivered", "dead")
            and not (each["status"] == "held" and "until a person releases it" in each["why"])
        ]

    def wait_for_rest(self):
        wait_until(
            lambda: not self.server.is_running() or not self.waiting(),
            lambda: f"rest: {self.waiting()}",
        )
        if not self.server.is_running():
            raise ConnectionError("it has crashed")

    def crash(self, number=signal.SIGABRT):
        self.server.send_signal(number)
        self.assertEqual(self.server.wait(), -number)
        self.server.start()

    def delivery(self, message, endpoint="one"):
        return self.client.must(200, "GET", f"/app/a/delivery/{message}/{endpoint}")

    def message(self, uid):
        page = self.client.must(200, "GET", "/app/a/msg?limit=250")
        return next(each["id"] for each in page["data"] if each["eventId"] == uid)

    def release(self, message, endpoint="one", status=202):
        path = f"/app/a/delivery/{message}/{endpoint}/release"
        return self.client.must(status, "POST", path)

    def metric(self, state):
        answer = http.client.HTTPConnection(self.server.host, self.server.port, timeout=10)
        answer.request("GET", "/metrics")
        text = answer.getresponse().read().decode()
        answer.close()
        name = f'petrel_deliveries_quarantined{{state="{state}"}} '
        return next(int(line[len(name) :]) for line in text.splitlines() if line.startswith(name))

    def problems(self):
        return " ".join(self.client.must(200, "GET", "/health").get("problems", []))

    def run_into(self, plant, ends_by):
        for number in range(20):
            self.post({"n": number}, f"n{number}")
        self.post({"plant": plant}, "poison", "poisonous")
        self.live_on()
        self.assertEqual(self.ends, [-ends_by] * 3, self.server.errors())
        poison = self.message("poison")
        shown = self.delivery(poison)
        self.assertEqual(shown["status"], "held")
        self.assertRegex(shown["why"], "in flight at 3 crashes of the server in a row")
        self.assertIsNone(shown["nextAttemptAt"])
        for number in range(20):
            message = self.message(f"n{number}")
            for uid in ("one", "two", "three"):
                self.assertEqual(self.delivery(message, uid)["status"], "delivered")
        return poison

    def release_into_the_bug(self, message):
        try:
            self.release(message)
        except (OSError, http.client.HTTPException):
            pass

    def test_an_abort_over_one_payload_ends_and_everything_else_arrives(self):
        poison = self.run_into("abort", signal.SIGABRT)
        self.assertEqual(self.metric("held"), 1)
        self.assertEqual(self.metric("suspected"), 0)
        self.assertIn("deliveries held after crashes of the server: 1", self.problems())
        said = self.server.errors()
        self.assertIn("the last run crashed (SIGABRT)", said)
        self.assertRegex(said, f"{poison} to ep_.* held: POST /api/v1/app/.*/release sends it")
        page = self.client.must(200, "GET", "/app/a/delivery?status=held")
        self.assertEqual([each["msgId"] for each in page["data"]], [poison])

        # While the bug is there a released one crashes the server once more, and is held again.
        self.ends.clear()
        self.release_into_the_bug(poison)
        self.live_on()
        self.assertEqual(self.ends, [-signal.SIGABRT])
        self.assertEqual(self.delivery(poison)["status"], "held")

        # Without it, it is delivered, and nothing is remembered.
        self.server.stop()
        self.server.binary = os.environ["PETREL"]
        self.server.start()
        self.assertEqual(self.delivery(poison)["status"], "held")
        self.release(poison)
        self.wait_for_rest()
        self.assertEqual(self.delivery(poison)["status"], "delivered")
        self.release(poison, status=404)
        wait_until(lambda: self.metric("held") + self.metric("suspected") == 0, "a clean sheet")

    def test_so_does_an_exception_that_nobody_catches(self):
        self.run_into("throw", signal.SIGABRT)

    def test_and_a_stack_that_overflows(self):
        self.run_into("deep", signal.SIGSEGV)

    def test_twenty_kills_with_hanging_receivers_quarantine_nothing(self):
        self.reply = Reply(is_hanging=True)
        for number in range(10):
            self.post({"n": number}, f"n{number}")
        wait_until(lambda: self.receiver.requests, "a request")
        for _ in range(20):
            self.server.kill()
            before = len(self.receiver.requests)
            self.server.start()
            wait_until(lambda: len(self.receiver.requests) > before, "a request, once more")
        self.assertEqual(self.metric("held") + self.metric("suspected"), 0)
        self.reply = OK
        self.server.kill()
        self.server.start()
        self.wait_for_rest()
        self.assertNotIn("in flight at", self.server.errors())

    def test_crashes_with_nothing_in_flight_suspect_nobody(self):
        self.post({"n": 1}, "n1")
        self.wait_for_rest()
        for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL):
            self.crash(number)
        self.assertEqual(self.metric("held") + self.metric("suspected"), 0)
        self.assertIn("the last run crashed (SIGSEGV)", self.server.errors())

    def test_a_note_that_is_damaged_stops_no_start(self):
        self.reply = Reply(is_hanging=True)
        self.post({"n": 1}, "n1")
        for content in (b"", b"PETRELIF", os.urandom(100_000)):
            self.server.kill()
            with open(os.path.join(self.server.store, "in-flight"), "wb") as note:
                note.write(content)
            self.server.start()
        self.assertEqual(self.metric("held") + self.metric("suspected"), 0)


if __name__ == "__main__":
    suite.main()
