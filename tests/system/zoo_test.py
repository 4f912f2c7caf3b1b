"""No receiver stops the server or an attempt's bookkeeping, whatever it sends and when it leaves.

Every receiver of the zoo is attacked by one server at once. It stays up; it is killed amid it all,
and stays up again; a receiver that is well gets everything; and there are as many requests on the
wire as there are attempts on record.
"""

import os
import shutil
import ssl
import subprocess
import tempfile
import threading
import unittest

import suite
from petrel_server import DEADLINE, Server, wait_until
from receiver import Receiver
from zoo_receivers import BEASTS, Zoo

POLICY = {"strategy": "fixed", "baseDelay": "50ms", "jitter": "none", "maxAttempts": 3}
KEPT_ROUNDS = 5


def is_reset(attempt):
    return attempt["responseStatusCode"] == 0 and "connection" in attempt["response"]


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=DEADLINE)


class Group:
    """An application with an endpoint for each of some beasts."""

    def __init__(self, server, zoo, names):
        self.names = names
        self.client = server.client()
        self.application = self.client.create_application("Zoo")
        self.endpoints = {
            name: self.client.create_endpoint(
                self.application, zoo.url(name), retryPolicy=POLICY, timeout=BEASTS[name].timeout
            )
            for name in names
        }
        self.messages = []

    def post(self):
        answer = self.client.post(self.application, {"number": len(self.messages)})
        assert answer.status == 202, answer.body
        self.messages.append(answer.json()["id"])

    def delivery(self, name, message):
        path = f"/app/{self.application}/delivery/{message}/{self.endpoints[name]}"
        return self.client.must(200, "GET", path)

    def wait_until_all_have_ended(self):
        live = {(name, message) for name in self.names for message in self.messages}

        def have_ended():
            for each in list(live):
                if self.delivery(*each)["status"] in ("delivered", "dead"):
                    live.discard(each)
            return not live

        wait_until(have_ended, lambda: f"ended: {live}", deadline=2 * DEADLINE)

    def attempts(self, name):
        """How many there were, and how many of them found their connection closed."""
        total = resets = 0
        for message in self.messages:
            attempts = self.client.attempts(self.application, message, self.endpoints[name])
            total += len(attempts)
            resets += sum(is_reset(each) for each in attempts)
        return total, resets if BEASTS[name].is_kept else 0


class ZooTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="petrel-zoo-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.zoo = Zoo(self.expired_certificate())
        self.addCleanup(self.zoo.close)
        self.healthy = Receiver()
        self.addCleanup(self.healthy.close)
        self.server = Server(self.folder)
        self.addCleanup(self.server.kill)
        self.server.start()
        self.pid = self.server.pid
        self.client = self.server.client()
        self.addCleanup(self.client.close)
        self.well = self.client.create_application("Well")
        self.client.create_endpoint(self.well, self.healthy.url("/"))

    def expired_certificate(self):
        request, key, certificate = (
            os.path.join(self.folder, name) for name in ("request.pem", "key.pem", "cert.pem")
        )
        curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")
        openssl("req", "-new", *curve, "-nodes", "-subj", "/CN=a", "-keyout", key, "-out", request)
        openssl("x509", "-req", "-days", "-1", "-in", request, "-signkey", key, "-out", certificate)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        return context

    def assert_delivers(self):
        before = self.healthy.success_count()
        self.assertEqual(self.client.post(self.well, {"a": 1}).status, 202)
        wait_until(lambda: self.healthy.success_count() > before, "the healthy one is served")

    def assert_up(self):
        self.assertTrue(self.server.is_running(), self.server.errors())
        self.assertEqual(self.server.pid, self.pid)

    def assert_one_request_per_attempt(self, group):
        self.assert_requests(group, lost_max=0)

    def assert_requests(self, group, lost_max):
        """As many on the wire as on record, but for those that a kill took.

        A request that crossed the close of its connection was never read: it shows as a reset.
        """
        wrong = {}
        for name in group.names:
            attempts, crossed_max = group.attempts(name)
            seen = self.zoo.seen(name)
            if not attempts - crossed_max <= seen <= attempts + lost_max:
                wrong[name] = (seen, attempts)
        self.assertEqual(wrong, {}, "requests on the wire and attempts on record")

    def assert_outcomes(self, group):
        wrong = {}
        for name in group.names:
            expected = BEASTS[name].outcome
            status = self.delivery_status(group, name)
            if expected is not None and status != {expected}:
                wrong[name] = (status, expected)
        self.assertEqual(wrong, {}, "what became of the deliveries")

    def delivery_status(self, group, name):
        return {group.delivery(name, message)["status"] for message in group.messages}

    def test_survives_them_all(self):
        names = list(BEASTS)
        self.assertGreater(len(names), 30)
        wild = Group(self.server, self.zoo, [n for n in names if not BEASTS[n].is_kept])
        kept = Group(self.server, self.zoo, [n for n in names if BEASTS[n].is_kept])
        self.addCleanup(wild.client.close)
        self.addCleanup(kept.client.close)

        wild.post()
        rounds = threading.Thread(target=self.play_rounds, args=(kept,))
        rounds.start()
        self.assert_delivers()
        rounds.join()
        wild.wait_until_all_have_ended()
        kept.wait_until_all_have_ended()

        self.assert_up()
        for group in (wild, kept):
            self.assert_one_request_per_attempt(group)
            self.assert_outcomes(group)
        self.assert_delivers()
        self.kill_amid_it_all(wild, kept)

    def play_rounds(self, group):
        """One message after the other, so that the next one finds the connections of the last."""
        for _ in range(KEPT_ROUNDS):
            group.post()
            group.wait_until_all_have_ended()

    def kill_amid_it_all(self, *groups):
        before = {name: self.zoo.seen(name) for group in groups for name in group.names}
        for group in groups:
            group.post()
        wait_until(
            lambda: all(self.zoo.seen(name) > count for name, count in before.items()),
            "every one has been sent something",
        )
        self.server.kill()
        self.server.start()
        self.pid = self.server.pid
        self.assert_delivers()
        for group in groups:
            group.wait_until_all_have_ended()
        self.assert_up()
        self.assert_delivers()
        for group in groups:
            self.assert_outcomes(group)
            self.assert_requests(group, lost_max=1)


if __name__ == "__main__":
    suite.main()
