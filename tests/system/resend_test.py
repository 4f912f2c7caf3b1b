"""What a person sends again arrives: one delivery, a retry before its time, all that died."""

import datetime
import shutil
import tempfile
import threading
import unittest
import urllib.request

import suite
from petrel_server import DEADLINE, Server, wait_until
from receiver import OK, Receiver, Reply

# One refusal is the end of a delivery; a 503 waits for an hour.
POLICY = {
    "strategy": "fixed",
    "baseDelay": "1h",
    "jitter": "none",
    "maxAttempts": 5,
    "rules": [{"on": "404", "action": "fail"}],
}


class Resend(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="petrel-resend-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.reply = OK
        self.receiver = Receiver(lambda request: self.reply)
        self.addCleanup(self.receiver.close)
        self.server = Server(folder)
        self.addCleanup(self.server.kill)
        self.server.start()
        self.client = self.server.client()
        self.addCleanup(self.client.close)
        self.client.must(201, "POST", "/app", {"name": "A", "uid": "a"})
        self.endpoint("main")

    def endpoint(self, uid, **fields):
        body = {"url": self.receiver.url("/" + uid), "uid": uid, "retryPolicy": POLICY, **fields}
        self.client.must(201, "POST", "/app/a/endpoint", body)

    def message(self, event_type="a", payload=None):
        body = {"eventType": event_type, "payload": payload or {"n": 1}}
        return self.client.must(202, "POST", "/app/a/msg", body)["id"]

    def delivery(self, message, endpoint="main"):
        return self.client.must(200, "GET", f"/app/a/delivery/{message}/{endpoint}")

    def wait_for(self, status, message, endpoint="main"):
        wait_until(
            lambda: self.delivery(message, endpoint)["status"] == status,
            lambda: f"{status}: {self.delivery(message, endpoint)}",
        )

    def resend(self, message, endpoint="main"):
        path = f"/app/a/msg/{message}/endpoint/{endpoint}/resend"
        self.assertEqual(self.client.must(202, "POST", path), {})

    def test_what_died_arrives_when_it_is_sent_again(self):
        self.reply = Reply(404)
        message = self.message()
        self.wait_for("dead", message)
        self.assertEqual(
            self.delivery(message)["why"], "the receiver answered 404, which is final"
        )

        self.reply = OK
        self.resend(message)

        self.wait_for("delivered", message)
        attempts = self.client.must(200, "GET", f"/app/a/attempt/msg/{message}")["data"]
        self.assertEqual([each["triggerType"] for each in attempts], [1, 0])
        self.assertEqual([each["status"] for each in attempts], [0, 2])

    def test_a_retry_is_brought_forward(self):
        self.reply = Reply(503)
        message = self.message()
        self.wait_for("retrying", message)

        self.reply = OK
        self.resend(message)

        self.wait_for("delivered", message)
        self.assertEqual(len(self.receiver.of("/main", message)), 2)

    def test_a_success_in_flight_ends_what_is_resent_meanwhile(self):
        # The circuit opens with the first failure, so a probe sends the retry before its time.
        # The probe is answered late, and a person resends while it is in flight.
        is_probed, release = threading.Event(), threading.Event()
        self.addCleanup(release.set)

        def behave(request):
            if request.path != "/probed" or release.is_set():
                return OK
            if request.number == 1:
                return Reply(500)
            is_probed.set()
            release.wait(DEADLINE)
            return OK

        self.endpoint("probed", eventTypes=["p"], guards={"openAfter": 1, "openTime": "1s"})
        self.receiver.behave = behave
        message = self.message("p")
        self.assertTrue(is_probed.wait(DEADLINE), "no probe came")
        self.resend(message, "probed")
        release.set()

        self.wait_for("delivered", message, "probed")
        self.server.kill()
        self.server.start()
        later = self.message("p")
        self.wait_for("delivered", later, "probed")
        self.assertEqual(self.delivery(message, "probed")["status"], "delivered")
        self.assertEqual(len(self.receiver.of("/probed", message)), 2)

    def test_a_message_goes_where_it_was_not_meant_for(self):
        self.endpoint("other", eventTypes=["b"])
        message = self.message("a")
        self.resend(message, "other")
        self.wait_for("delivered", message, "other")

    def test_a_recovery_brings_back_all_that_died(self):
        # Others succeed in between: refusals alone would pause the endpoint.
        self.receiver.behave = lambda request: Reply(404) if b"refuse" in request.body else OK
        refused = []
        for _ in range(120):
            refused.append(self.message(payload={"refuse": 1}))
            self.message()
        for message in refused:
            self.wait_for("dead", message)

        self.receiver.behave = lambda request: OK
        hour_ago = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)
        body = {"since": hour_ago.isoformat(), "ratePerMinute": 6000}
        task = self.client.must(202, "POST", "/app/a/endpoint/main/recover", body)

        self.assertEqual(task["task"], "endpoint.recover")
        for message in refused:
            self.wait_for("delivered", message)
        dead = self.client.must(200, "GET", "/app/a/delivery?status=dead")
        self.assertEqual(dead["data"], [])

    def test_a_raw_payload_arrives_to_the_byte_also_when_it_is_sent_again(self):
        raw = {"rawPayload": "<a>\u00e9</a>\n", "headers": {"content-type": "text/xml"}}
        body = {"eventType": "a", "payload": {}, "transformationsParams": raw}
        message = self.client.must(202, "POST", "/app/a/msg", body)["id"]
        self.wait_for("delivered", message)
        self.resend(message)

        wait_until(lambda: len(self.receiver.of("/main", message)) == 2, "the second request")
        for request in self.receiver.of("/main", message):
            self.assertEqual(request.body, "<a>\u00e9</a>\n".encode())
            self.assertEqual(request.headers["content-type"], "text/xml")

    def test_the_page_for_people_is_served(self):
        docs = f"http://{self.server.host}:{self.server.port}/docs"
        with urllib.request.urlopen(docs, timeout=DEADLINE) as page:
            self.assertIn(b"<title>Petrel API</title>", page.read())

if __name__ == "__main__":
    suite.main()
