"""What a receiver asks for with `webhook-delivery` is done, and outlives a kill -9."""

import shutil
import tempfile
import unittest

import suite
from petrel_server import Server, wait_until
from receiver import OK, Receiver, Reply

# What is tried again is tried again at once, so a test that sees one request has seen them all.
POLICY = {"strategy": "fixed", "baseDelay": "10ms", "jitter": "none", "maxAttempts": 3}


class ReceiverWish(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="petrel-wish-")
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
        body = {"url": self.receiver.url("/"), "uid": "e", "retryPolicy": POLICY}
        self.client.must(201, "POST", "/app/a/endpoint", body)

    def message(self):
        return self.client.must(
            202, "POST", "/app/a/msg", {"eventType": "a", "payload": {"n": 1}}
        )["id"]

    def delivery(self, message):
        return self.client.must(200, "GET", f"/app/a/delivery/{message}/e")

    def wait_for(self, status, message):
        wait_until(
            lambda: self.delivery(message)["status"] == status,
            lambda: f"{status}: {self.delivery(message)}",
        )

    def restart(self):
        self.server.kill()
        self.server.start()

    def test_abort_message_ends_this_delivery_and_no_other(self):
        self.reply = Reply(503, {"Webhook-Delivery": "Abort-Message"})
        aborted = self.message()
        self.wait_for("dead", aborted)
        self.reply = OK
        self.restart()

        delivery = self.delivery(aborted)
        self.assertEqual(delivery["reason"], "cancelled")
        self.assertEqual(
            delivery["why"], "the receiver answered 503 and asked that it not be tried again"
        )
        other = self.message()
        self.wait_for("delivered", other)
        self.assertEqual(len(self.receiver.of("/", aborted)), 1)
        self.assertEqual(len(self.receiver.of("/", other)), 1)

    def test_disable_holds_everything_until_somebody_resumes(self):
        self.reply = Reply(400, {"webhook-delivery": "later, disable"})
        held = [self.message()]
        self.wait_for("held", held[0])
        self.reply = OK
        held.append(self.message())
        self.restart()

        for message, attempts in zip(held, (1, 0)):
            delivery = self.delivery(message)
            self.assertEqual(delivery["status"], "held")
            self.assertEqual(
                delivery["why"],
                "its endpoint is paused: the receiver asked for it (webhook-delivery: disable)",
            )
            self.assertEqual((delivery["attempt"], delivery["attemptsTotal"]), (0, attempts))
        self.assertEqual(len(self.receiver.of("/")), 1)

        self.client.must(200, "POST", "/app/a/endpoint/e/resume")
        for message in held:
            self.wait_for("delivered", message)
        self.assertEqual(len(self.receiver.of("/")), 3)


if __name__ == "__main__":
    suite.main()
