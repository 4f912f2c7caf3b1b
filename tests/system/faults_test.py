"""When the world fails it: a full disk, a clock that jumps, an early end."""

import contextlib
import glob
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import suite
from petrel_server import DEADLINE, PETREL, Server, wait_until
from receiver import OK, Receiver, Reply

POLICY = {"strategy": "fixed", "baseDelay": "200ms", "jitter": "none", "maxAttempts": 1000}


def is_sanitized():
    """Whether the binary brings a runtime that has to be loaded before anything else."""
    told = subprocess.run(["ldd", PETREL], capture_output=True, text=True, check=False)
    return "libasan" in told.stdout or "libtsan" in told.stdout


class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="petrel-faults-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def receiver(self, behave=lambda request: OK):
        made = Receiver(behave)
        self.addCleanup(made.close)
        return made

    def server(self, *options, **more):
        made = Server(self.folder, *options, **more)
        self.addCleanup(made.kill)
        return made

    def client(self, server):
        made = server.client()
        self.addCleanup(made.close)
        return made

    def small_disk(self, megabytes, name="store"):
        """A file system of its own, in the folder."""
        path = os.path.join(self.folder, name)
        os.mkdir(path)
        size = f"size={megabytes}m"
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", size, "petrel-test", path],
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode != 0:
            self.skipTest(f"run it as root, and install `mount`: {made.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "--lazy", path], check=True)
        return path

    def refusal(self, server):
        """What a server says that does not come up; it ends with 1."""
        server.spawn()
        self.assertEqual(server.wait(), 1, server.errors())
        problems = server.problems()
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(" error server.failed: ", problems[0])
        return problems[0]

    # Starting.

    def test_a_store_that_cannot_be_written_is_explained(self):
        path = self.small_disk(16)
        os.chmod(path, 0o700)
        subprocess.run(["mount", "-o", "remount,ro", path], check=True)
        said = self.refusal(self.server())
        self.assertIn(path, said)
        self.assertIn("Read-only file system", said)

    def test_a_second_server_on_the_same_folder_is_explained(self):
        first = self.server().start()
        said = self.refusal(self.server())
        self.assertIn("another petrel process uses this folder: " + first.store, said)
        self.assertEqual(self.client(first).call("GET", "/health/ping").status, 204)

    # The disk.

    def test_a_full_disk_is_told_to_producers_and_passes(self):
        path = self.small_disk(96)
        receiver = self.receiver()
        server = self.server("--write-buffer-mib", "8", "--block-cache-mib", "8").start()
        client = self.client(server)
        application = client.create_application("one")
        client.create_endpoint(application, receiver.url("/a"), retryPolicy=POLICY)
        acknowledged, refusals = set(), []
        is_over = threading.Event()

        def produce():
            own = server.client()
            filling = "x" * 20_000
            while not is_over.is_set():
                answer = own.post(application, {"filling": filling})
                if answer.status == 202:
                    acknowledged.add(answer.json()["id"])
                else:
                    refusals.append(answer)
                    is_over.wait(0.05)
            own.close()

        producers = [threading.Thread(target=produce, daemon=True) for _ in range(3)]
        for producer in producers:
            producer.start()
        self.addCleanup(is_over.set)
        wait_until(lambda: len(acknowledged) >= 100, "the first messages")
        ballast = os.path.join(path, "ballast")
        self.fill_disk(ballast, lambda: len(refusals) >= 20)
        for answer in refusals:
            self.assertEqual(answer.status, 503, answer.body)
            self.assertIn("retry-after", answer.headers)
            self.assertEqual(answer.json()["code"], "unavailable")
        self.assertTrue(server.is_running())
        self.assertEqual(client.call("GET", "/health/ping").status, 204)
        # A restart would help nobody, and no request should come here meanwhile.
        self.assertEqual(client.must(200, "GET", "/health/live")["status"], "ok")
        wait_until(lambda: client.call("GET", "/health/ready").status == 503, "not ready")
        unready = client.must(503, "GET", "/health/ready")
        self.assertEqual(unready["status"], "error")
        self.assertIn("the store takes no writes", unready["problems"][0])

        os.remove(ballast)
        before = len(acknowledged)
        wait_until(lambda: len(acknowledged) >= before + 50, "messages accepted again")
        wait_until(lambda: client.call("GET", "/health/ready").status == 200, "ready again")
        is_over.set()
        for producer in producers:
            producer.join(DEADLINE)
        seen = receiver.successes["/a"]
        wait_until(
            lambda: acknowledged <= set(seen),
            lambda: f"{len(acknowledged - set(seen))} of {len(acknowledged)} lost",
        )
        self.assertEqual(max(seen.values()), 1, "a delivery was repeated without a crash")
        self.assertEqual(server.stop(), 0)

    def fill_disk(self, ballast, is_felt):
        """Takes what is left of the disk, again and again, until it is felt."""

        def take_the_rest():
            with open(ballast, "ab", buffering=0) as file:
                for size in (1 << 20, 1 << 16, 1 << 12):
                    try:
                        while file.write(b"\0" * size) == size:
                            pass
                    except OSError:
                        pass
            return is_felt()

        wait_until(take_the_rest, "producers told of the full disk")

    # The end.

    def test_attempts_that_are_out_at_the_end_are_waited_for(self):
        receiver = self.receiver(lambda request: Reply(delay=1))
        server = self.server().start()
        client = self.client(server)
        application = client.create_application("one")
        endpoint = client.create_endpoint(application, receiver.url("/a"), maxInFlight=5)
        messages = {client.post(application, {}).json()["id"] for _ in range(12)}
        client.close()
        wait_until(lambda: len(receiver.requests) >= 5, "five attempts out")
        self.assertEqual(server.stop(), 0)
        self.assertLess(len(receiver.requests), 12, "it has gone on starting attempts")

        receiver.behave = lambda request: OK
        server.start()
        seen = receiver.successes["/a"]
        wait_until(lambda: messages == set(seen), "the rest delivered")
        self.assertEqual(max(seen.values()), 1, "what had been delivered was delivered again")
        client = self.client(server)
        for message in messages:
            wait_until(
                lambda each=message: len(client.attempts(application, each, endpoint)) == 1,
                "one attempt recorded for each",
            )

    def test_an_attempt_that_outlasts_the_grace_costs_nothing(self):
        receiver = self.receiver(lambda request: Reply(is_hanging=True))
        server = self.server("--shutdown-grace", "1s").start()
        client = self.client(server)
        application = client.create_application("one")
        endpoint = client.create_endpoint(application, receiver.url("/a"))
        message = client.post(application, {}).json()["id"]
        client.close()
        wait_until(lambda: len(receiver.requests) == 1, "the attempt out")
        began = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - began, 8)

        receiver.behave = lambda request: OK
        server.start()
        wait_until(lambda: message in receiver.successes["/a"], "delivered after all")
        client = self.client(server)
        wait_until(lambda: client.attempts(application, message, endpoint), "recorded")
        (attempt,) = client.attempts(application, message, endpoint)
        self.assertEqual(attempt["responseStatusCode"], 200)

    def test_a_second_signal_does_not_break_the_drain(self):
        receiver = self.receiver(lambda request: Reply(delay=1))
        server = self.server().start()
        client = self.client(server)
        application = client.create_application("one")
        client.create_endpoint(application, receiver.url("/a"))
        client.post(application, {})
        client.close()
        wait_until(lambda: len(receiver.requests) == 1, "the attempt out")
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(receiver.requests[0].status, 200)

    # The clock.

    def test_uploads_that_go_on_through_the_end_do_not_break_it(self):
        server = self.server().start()
        token = server.token()
        application = self.client(server).create_application("one")
        body = b'{"eventType": "a", "payload": {"filling": "' + 900 * b"x" + b'"}}'
        request = (
            f"POST /api/v1/app/{application}/msg HTTP/1.1\r\nhost: a\r\n"
            f"authorization: Bearer {token}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\n\r\n"
        ).encode() + body
        producers = [socket.create_connection((server.host, server.port)) for _ in range(60)]
        sent = [17 * i for i in range(len(producers))]  # So that they end one after the other.
        for producer, ahead in zip(producers, sent):
            producer.sendall(request[:ahead])
        is_over = threading.Event()

        def drip():
            while not is_over.is_set():
                for i, producer in enumerate(producers):
                    at = sent[i] % len(request)
                    with contextlib.suppress(OSError):
                        sent[i] += producer.send(request[at : at + 16])

        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            wait_until(lambda: min(sent) > len(request), "all have sent one")
            self.assertEqual(server.stop(), 0, server.errors())
        finally:
            is_over.set()
            dripping.join()
            for producer in producers:
                producer.close()

    def test_a_step_of_the_clock_moves_no_retry(self):
        libraries = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
        if not libraries:
            self.skipTest("install `libfaketime`")
        if is_sanitized():
            self.skipTest("libfaketime and a sanitizer do not go together")
        offset = os.path.join(self.folder, "offset")

        def step(seconds):
            with open(offset + ".new", "w", encoding="utf-8") as file:
                file.write(f"{seconds:+d}\n")
            os.rename(offset + ".new", offset)

        step(0)
        receiver = self.receiver(lambda request: Reply(500 if request.number == 1 else 200))
        server = self.server(
            environment={
                "LD_PRELOAD": libraries[0],
                "FAKETIME_TIMESTAMP_FILE": offset,
                "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            }
        ).start()
        client = self.client(server)
        application = client.create_application("one")
        policy = {"strategy": "fixed", "baseDelay": "2s", "jitter": "none", "giveUpAfter": "24h"}
        client.create_endpoint(application, receiver.url("/a"), retryPolicy=policy)
        for seconds in (3600, 0, -3600):
            message = client.post(application, {}).json()["id"]
            wait_until(lambda: receiver.of("/a", message), "the first attempt")
            step(seconds)
            wait_until(lambda: message in receiver.successes["/a"], "the second attempt")
            first, second = receiver.of("/a", message)
            waited = second.came_at - first.came_at
            self.assertGreater(waited, 1.9, f"early, after a step to {seconds}")
            self.assertLess(waited, 10, f"late, after a step to {seconds}")
            stamp = int(second.headers["webhook-timestamp"])
            self.assertAlmostEqual(stamp, time.time() + seconds, delta=60)
        self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    suite.main()
