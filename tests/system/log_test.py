"""What a server says on stderr, and that nothing waits for those who should read it."""

import json
import os
import re
import shutil
import tempfile
import time
import unittest
import urllib.request

import suite
from petrel_server import DEADLINE, Server, wait_until
from receiver import OK, Receiver, Reply

LINE = re.compile(r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z (debug|info |warn |error) [a-z_.]+: ")

# Each of them makes as many lines of the log, at level debug.
ENDPOINTS = 10


class Log(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="petrel-log-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.reply = OK
        self.receiver = Receiver(lambda request: self.reply)
        self.addCleanup(self.receiver.close)

    def start(self, *options, **more):
        self.server = Server(self.folder, *options, **more)
        self.addCleanup(self.server.kill)
        self.server.start()
        self.client = self.server.client()
        self.addCleanup(self.client.close)

    def make_application(self, endpoints=1):
        self.client.must(201, "POST", "/app", {"name": "A", "uid": "a"})
        for number in range(endpoints):
            body = {"url": self.receiver.url(f"/{number}"), "uid": f"e{number}"}
            self.client.must(201, "POST", "/app/a/endpoint", body)

    def post(self):
        return self.client.must(202, "POST", "/app/a/msg", {"eventType": "a", "payload": {}})["id"]

    def lines(self, kind):
        return [line for line in self.server.errors().splitlines() if f" {kind}: " in line]

    def metric(self, name):
        url = f"http://{self.server.host}:{self.server.port}/metrics"
        with urllib.request.urlopen(url, timeout=DEADLINE) as answer:
            text = answer.read().decode()
        return int(re.search(rf"^{name} (\d+)$", text, re.MULTILINE).group(1))

    def test_says_at_its_start_what_it_is_and_what_was_set(self):
        self.start("--timeout", "30s", environment={"PETREL_SHARDS": "2"})
        [starting] = self.lines("server.starting")
        self.assertIn(f"store={self.server.store} ", starting)
        self.assertRegex(starting, r" version=\d+\.\d+\.\d+ ")
        settings = self.lines("server.setting")
        self.assertTrue(settings[-1].endswith("setting=timeout value=30s from=--timeout"), settings)
        self.assertTrue(any("value=2 from=PETREL_SHARDS" in line for line in settings), settings)
        url = f"http://127.0.0.1:{self.server.port}"
        wait_until(lambda: self.lines("server.listening"), "it listens")
        self.assertIn(f"requests are taken at {url}  url={url} shards=2", self.server.errors())

        self.assertEqual(self.server.stop(), 0)
        said = self.server.errors()
        self.assertIn("server.stopping: SIGTERM: ", said)
        self.assertTrue(said.endswith("server.stopped: the store is closed\n"), said)
        for line in said.splitlines():
            self.assertRegex(line, LINE)

    def test_every_line_is_json_if_that_is_asked_for(self):
        slip = {"PETREL_LISTN": "127.0.0.1:0"}  # Which is warned of as early as anything is.
        self.start("--log-format", "json", "--log-level", "debug", environment=slip)
        self.make_application()
        self.reply = Reply(400)
        message = self.post()
        wait_until(lambda: "delivery.dead" in self.server.errors(), "a dead letter")
        self.assertEqual(self.server.stop(), 0)
        lines = [json.loads(line) for line in self.server.errors().splitlines()]
        for line in lines:
            self.assertRegex(line["time"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\Z")
            self.assertIn(line["level"], ("debug", "info", "warn", "error"))
            self.assertTrue(line["message"])
        [warning] = [line for line in lines if line["kind"] == "server.warning"]
        self.assertIn("did you mean PETREL_LISTEN?", warning["message"])
        [dead] = [line for line in lines if line["kind"] == "delivery.dead"]
        self.assertEqual((dead["msgId"], dead["reason"]), (message, "permanent"))
        [ended] = [line for line in lines if line["kind"] == "attempt.ended"]
        self.assertEqual((ended["msgId"], ended["outcome"]), (message, "400"))

    def test_names_the_subnet_that_a_blocked_receiver_needs(self):
        # By name: an address is refused when the endpoint is made.
        self.start(allow_subnets="10.0.0.0/8")
        self.client.must(201, "POST", "/app", {"name": "A", "uid": "a"})
        url = f"http://localhost:{self.receiver.port}/"
        self.client.must(201, "POST", "/app/a/endpoint", {"url": url})
        message = self.post()
        wait_until(lambda: self.lines("receiver.blocked"), "the remedy")
        [line] = self.lines("receiver.blocked")
        self.assertRegex(
            line,
            r"(127\.0\.0\.1 is loopback, and nothing is sent there; allow it with --allow-subnets "
            r"127\.0\.0\.0/8|::1 is .* --allow-subnets ::1/128)  endpointId=ep_\S+ "
            + f"msgId={message}",
        )

    def test_says_why_it_does_not_start_in_its_form(self):
        self.start()
        second = Server(self.folder, "--log-format", "json")
        second.spawn()
        self.assertEqual(second.wait(), 1)
        last = json.loads(second.errors().splitlines()[-1])
        self.assertEqual(last["kind"], "server.failed")
        self.assertIn("another petrel process uses this folder", last["message"])

    def fill(self, messages):
        """So many messages, each for all endpoints; back when all have arrived."""
        for _ in range(messages):
            self.post()
        wait_until(
            lambda: sum(len(ids) for ids in self.receiver.successes.values())
            == messages * ENDPOINTS,
            "everything is delivered",
        )

    def test_a_pipe_that_nobody_reads_holds_no_delivery_up(self):
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        self.start("--log-level", "debug", stderr=writing)
        os.close(writing)
        self.make_application(ENDPOINTS)
        # More than the pipe and the queue hold.
        self.fill(300)
        wait_until(lambda: self.metric("petrel_log_lines_dropped_total") > 0, "lines are dropped")

        # What is read again goes on, with a word of what is missing.
        said = b""
        os.set_blocking(reading, False)
        end = time.monotonic() + DEADLINE
        while b"lines were dropped, as stderr did not take them" not in said:
            self.assertLess(time.monotonic(), end, "it says nothing of the lines")
            try:
                said += os.read(reading, 65536)
            except BlockingIOError:
                time.sleep(0.01)
        for line in said.decode().splitlines()[:-1]:
            self.assertRegex(line, LINE)

    def test_neither_does_one_hold_up_the_end(self):
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        self.start("--log-level", "debug", stderr=writing)
        os.close(writing)
        self.make_application(ENDPOINTS)
        self.fill(100)
        began = time.monotonic()
        self.assertEqual(self.server.stop(), 0)
        self.assertLess(time.monotonic() - began, 10)

    def test_a_disk_that_is_full_costs_lines_only(self):
        full = os.open("/dev/full", os.O_WRONLY)
        self.start("--log-level", "debug", stderr=full)
        os.close(full)
        self.make_application(ENDPOINTS)
        self.fill(20)
        wait_until(lambda: self.metric("petrel_log_lines_dropped_total") >= 200, "all are dropped")
        self.assertEqual(self.server.stop(), 0)

    def test_a_reader_that_went_away_costs_lines_only(self):
        reading, writing = os.pipe()
        self.start("--log-level", "debug", stderr=writing)
        os.close(writing)
        os.close(reading)
        self.make_application(ENDPOINTS)
        self.fill(20)
        self.assertEqual(self.server.stop(), 0)

    def test_shows_no_secret_at_any_level(self):
        secrets = {"PETREL_MAIN_SECRET": "sesame-main-secret-sesame"}
        self.start("--log-level", "debug", environment=secrets)
        with open(os.path.join(self.server.store, "jwt-secret"), encoding="ascii") as file:
            jwt_secret = file.read().strip()
        self.client.must(201, "POST", "/app", {"name": "A", "uid": "a"})
        key = "whsec_c2VzYW1lLXNlc2FtZS1zZXNhbWUtc2VzYW1l"
        body = {
            "url": self.receiver.url("/sesame-path?token=sesame-query"),
            "uid": "e",
            "secret": key,
            "headers": {"X-Key": "sesame-header"},
        }
        self.client.must(201, "POST", "/app/a/endpoint", body)
        self.reply = Reply(400, {"X-Other": "sesame-response"})
        body = {"eventType": "a", "payload": {"card": "sesame-payload"}}
        self.client.must(202, "POST", "/app/a/msg", body)
        wait_until(lambda: self.lines("delivery.dead"), "a dead letter")
        self.client.must(200, "PATCH", "/app/a/endpoint/e", {"disabled": True})
        self.assertEqual(self.server.stop(), 0)
        said = self.server.errors()
        self.assertEqual(len(self.lines("endpoint.disabled")), 1)
        for line in said.splitlines():
            self.assertNotIn("sesame", line)
            self.assertNotIn(key, line)
            self.assertNotIn(jwt_secret, line)
            self.assertNotIn(self.server.token(), line)


if __name__ == "__main__":
    suite.main()
