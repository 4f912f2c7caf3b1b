"""What happens to endpoints and deliveries is told to the organisation's operational endpoints."""

import collections
import datetime
import json
import re
import shutil
import tempfile
import unittest
import urllib.request

import suite
from petrel_server import DEADLINE, Server, wait_until
from receiver import OK, Receiver, Reply

# Five failures are the end.
POLICY = {"strategy": "fixed", "baseDelay": "10ms", "jitter": "none", "maxAttempts": 5}
OPERATIONAL = "/operational-webhook/endpoint"


class Notices(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="petrel-notice-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.replies = {}  # What each path answers; 200 if it is not here.
        self.receiver = Receiver(self.behave)
        self.addCleanup(self.receiver.close)
        self.server = Server(folder)
        self.addCleanup(self.server.kill)
        self.server.start()
        self.client = self.server.client()
        self.addCleanup(self.client.close)
        self.application = self.client.must(201, "POST", "/app", {"name": "A", "uid": "a"})["id"]

    def behave(self, request):
        reply = self.replies.get(request.path)
        return reply(request) if reply else OK

    def listen(self, path="/ops", **fields):
        """An operational endpoint, with its id."""
        body = {"url": self.receiver.url(path), "retryPolicy": POLICY, **fields}
        return self.client.must(201, "POST", OPERATIONAL, body)["id"]

    def endpoint(self, uid="main", **fields):
        body = {"url": self.receiver.url("/" + uid), "uid": uid, "retryPolicy": POLICY, **fields}
        return self.client.must(201, "POST", "/app/a/endpoint", body)["id"]

    def message(self, event_id):
        body = {"eventType": "order.paid", "eventId": event_id, "payload": {}}
        return self.client.must(202, "POST", "/app/a/msg", body)["id"]

    def told(self, path="/ops"):
        """The notices that came, each once: [{type, data}]."""
        by_id = {each.id: json.loads(each.body) for each in self.receiver.of(path)}
        return list(by_id.values())

    def wait_for(self, *types, path="/ops"):
        """The data of the notices once exactly these have come, in the order that is asked for."""
        want = collections.Counter(types)
        wait_until(
            lambda: collections.Counter(each["type"] for each in self.told(path)) == want,
            lambda: f"{types}: {self.told(path)}",
        )
        rest = self.told(path)
        found = []
        for name in types:
            found.append(next(each for each in rest if each["type"] == name))
            rest.remove(found[-1])
        return [each["data"] for each in found]

    def count(self, result):
        root = f"http://{self.server.host}:{self.server.port}/metrics"
        with urllib.request.urlopen(root, timeout=DEADLINE) as page:
            text = page.read().decode()
        return int(re.search(rf'petrel_notices_total{{result="{result}"}} (\d+)', text).group(1))

    def test_the_life_of_an_endpoint_is_told(self):
        self.listen()
        one = "/app/a/endpoint/main"
        endpoint = self.endpoint()
        self.client.must(200, "PATCH", one, {"description": "new"})
        self.client.must(200, "POST", one + "/secret/rotate", {})
        self.client.must(204, "PUT", one + "/headers", {"headers": {"x-a": "1"}})
        self.client.must(200, "POST", one + "/pause", {"reason": "a holiday"})
        self.client.must(200, "POST", one + "/resume")
        self.client.must(204, "DELETE", one)

        told = self.wait_for(
            "endpoint.created",
            *["endpoint.updated"] * 3,
            "endpoint.disabled",
            "endpoint.enabled",
            "endpoint.deleted",
        )

        about = {
            "appId": self.application,
            "appUid": "a",
            "endpointId": endpoint,
            "endpointUid": "main",
        }
        disabled = {**about, "trigger": "manual", "failSince": None, "why": "a holiday"}
        self.assertEqual(told, [about] * 4 + [disabled] + [about] * 2)

    def test_a_notice_is_signed_with_the_operational_endpoints_secret(self):
        hook = self.listen()
        self.endpoint()
        self.wait_for("endpoint.created")

        secret = self.client.must(200, "GET", f"{OPERATIONAL}/{hook}/secret")["key"]
        self.assertTrue(self.receiver.of("/ops")[0].is_signed_with(secret))

    def test_a_delivery_that_fails_and_recovers_is_told(self):
        self.listen(eventTypes=["message.attempt.failing", "message.attempt.recovered"])
        self.replies["/main"] = lambda request: Reply(503) if request.number <= 4 else OK
        endpoint = self.endpoint()
        message = self.message("order-17")

        failing, recovered = self.wait_for("message.attempt.failing", "message.attempt.recovered")

        attempts = self.client.attempts(self.application, message, endpoint)
        for data, attempt, status in ((failing, attempts[3], 503), (recovered, attempts[4], 200)):
            self.assertEqual((data["msgId"], data["msgEventId"]), (message, "order-17"))
            self.assertEqual((data["appUid"], data["endpointUid"]), ("a", "main"))
            last = {
                "id": attempt["id"],
                "responseStatusCode": status,
                "timestamp": attempt["timestamp"],
            }
            self.assertEqual(data["lastAttempt"], last)

    def test_a_delivery_that_dies_is_told_with_the_reason(self):
        self.listen(eventTypes=["message.attempt.exhausted"])
        self.replies["/main"] = lambda request: Reply(500)
        self.endpoint()
        self.message("order-17")

        (data,) = self.wait_for("message.attempt.exhausted")

        self.assertEqual((data["msgEventId"], data["reason"]), ("order-17", "exhausted"))

    def test_an_endpoint_that_is_gone_is_told(self):
        self.listen(eventTypes=["endpoint.disabled", "endpoint.enabled"])
        self.replies["/main"] = lambda request: Reply(410)
        self.endpoint()
        self.message("order-17")
        (data,) = self.wait_for("endpoint.disabled")

        self.assertEqual((data["trigger"], data["why"]), ("automatic", "the receiver answered 410"))
        pause = self.client.must(200, "GET", "/app/a/endpoint/main")["pause"]
        self.assertEqual(data["failSince"], pause["since"])
        self.client.must(200, "POST", "/app/a/endpoint/main/resume")
        self.wait_for("endpoint.disabled", "endpoint.enabled")

    def test_a_task_that_has_ended_is_told(self):
        self.listen(eventTypes=["message.attempt.exhausted", "background_task.finished"])
        self.replies["/main"] = lambda request: Reply(500)
        self.endpoint()
        self.message("order-17")
        self.wait_for("message.attempt.exhausted")

        self.replies.clear()
        day_ago = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=1)
        since = {"since": day_ago.isoformat()}
        task = self.client.must(202, "POST", "/app/a/endpoint/main/recover", since)["id"]

        _, data = self.wait_for("message.attempt.exhausted", "background_task.finished")
        self.assertEqual(data["taskId"], task)
        self.assertEqual((data["task"], data["status"]), ("endpoint.recover", "finished"))

    def test_notices_are_not_told_about_themselves(self):
        hook = self.listen()
        self.replies["/ops"] = lambda request: Reply(410)
        self.endpoint()
        one = f"{OPERATIONAL}/{hook}"
        wait_until(lambda: self.client.must(200, "GET", one)["pause"], "its pause")

        # One more happens after it; what is told is what happened to customers.
        self.client.must(204, "DELETE", "/app/a/endpoint/main")
        wait_until(lambda: self.count("made") >= 2, "two notices")
        self.replies.clear()
        self.client.must(200, "POST", one + "/resume")

        def answers():
            attempts = self.client.must(200, "GET", one + "/attempt")["data"]
            return [each["responseStatusCode"] for each in attempts]

        wait_until(lambda: answers() == [200, 410], answers)
        self.assertEqual(self.count("made"), 2)
        self.assertEqual(self.count("lost"), 0)

    def test_a_notice_that_was_made_survives_a_crash(self):
        self.replies["/ops"] = lambda request: Reply(503)
        self.listen(retryPolicy={**POLICY, "baseDelay": "100ms", "maxAttempts": 1000})
        self.endpoint()
        wait_until(lambda: self.told(), "the first attempt")

        self.server.kill()
        self.replies.clear()
        self.server.start()

        wait_until(lambda: self.receiver.successes["/ops"], "the notice")
        self.wait_for("endpoint.created")

    def test_nothing_is_made_where_nobody_listens(self):
        self.endpoint("before")
        self.listen(eventTypes=["endpoint.deleted"])
        self.endpoint("after")
        self.client.must(204, "DELETE", "/app/a/endpoint/after")

        self.wait_for("endpoint.deleted")
        self.assertEqual(self.count("made"), 1)


if __name__ == "__main__":
    suite.main()
