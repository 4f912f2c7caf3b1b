"""Our own name servers cost no delivery anything; that a name does not exist is asked each time."""

import shutil
import tempfile
import unittest
import urllib.request

import suite
from name_server import FAILURE, NO_ERROR, NO_SUCH_NAME, REFUSED, SILENCE, NameServer
from petrel_server import DEADLINE, Server, wait_until
from receiver import Receiver

POLICY = {
    "strategy": "fixed",
    "baseDelay": "50ms",
    "jitter": "none",
    "maxAttempts": 3,
    "rules": [{"on": "dns", "action": "retry"}],
}


class Dns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="petrel-dns-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.names = NameServer(lambda name, number: NO_ERROR)
        self.addCleanup(self.names.close)
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)
        self.server = Server(folder, "--nameservers", self.names.address)
        self.addCleanup(self.server.kill)
        self.server.start()
        self.client = self.server.client()
        self.addCleanup(self.client.close)
        self.application = self.client.create_application("A")

    def endpoint(self, name, **policy):
        return self.client.create_endpoint(
            self.application,
            f"http://{name}:{self.receiver.port}/{name}",
            retryPolicy={**POLICY, **policy},
            timeout="1s",
        )

    def post(self):
        answer = self.client.post(self.application, {"a": 1})
        self.assertEqual(answer.status, 202)
        return answer.json()["id"]

    def delivery(self, message, endpoint):
        path = f"/app/{self.application}/delivery/{message}/{endpoint}"
        return self.client.must(200, "GET", path)

    def wait_for(self, status, message, endpoint):
        wait_until(
            lambda: self.delivery(message, endpoint)["status"] == status,
            lambda: f"{status}: {self.delivery(message, endpoint)}",
        )

    def waits_for(self, endpoint):
        path = f"/app/{self.application}/endpoint/{endpoint}/health"
        return self.client.must(200, "GET", path)["waitsFor"] or ""

    def test_a_name_server_that_is_wrong_once_costs_one_attempt(self):
        self.names.answer = lambda name, number: NO_SUCH_NAME if number == 1 else NO_ERROR
        endpoint = self.endpoint("once.test")
        message = self.post()
        self.wait_for("delivered", message, endpoint)
        self.assertEqual(self.delivery(message, endpoint)["attemptsTotal"], 2)

    def test_a_name_that_does_not_exist_is_asked_for_at_every_attempt(self):
        self.names.answer = lambda name, number: NO_SUCH_NAME
        endpoint = self.endpoint("none.test")
        message = self.post()
        self.wait_for("dead", message, endpoint)
        delivery = self.delivery(message, endpoint)
        self.assertEqual((delivery["reason"], delivery["lastError"]), ("exhausted", "dns"))
        self.assertEqual(delivery["attemptsTotal"], 3)
        self.assertEqual(self.names.asked("none.test"), 3)

    def test_name_servers_that_fail_cost_nothing_also_across_a_restart(self):
        is_well = False
        codes = {"fails.test": FAILURE, "refuses.test": REFUSED, "silent.test": SILENCE}
        self.names.answer = lambda name, number: NO_ERROR if is_well else codes[name]
        endpoints = {name: self.endpoint(name) for name in codes}
        message = self.post()
        for name, endpoint in endpoints.items():
            words = f"our DNS resolver does not answer for {name}; next try in "
            wait_until(
                lambda words=words, endpoint=endpoint: words in self.waits_for(endpoint),
                f"{name} is waited for",
            )
        wait_until(
            lambda: all(self.delivery(message, each)["giveUpAt"] for each in endpoints.values()),
            "the time to give up has begun",
        )
        give_up = {each: self.delivery(message, each)["giveUpAt"] for each in endpoints.values()}
        self.assertGreaterEqual(self.our_faults(), 3)
        self.server.kill()
        self.server.start()
        wait_until(lambda: self.our_faults() >= 3, "they are tried again")
        for endpoint in endpoints.values():
            delivery = self.delivery(message, endpoint)
            self.assertIn(delivery["status"], ("pending", "sending"))
            self.assertEqual(delivery["attemptsTotal"], 0)
            self.assertEqual(delivery["giveUpAt"], give_up[endpoint])

        is_well = True
        for endpoint in endpoints.values():
            self.wait_for("delivered", message, endpoint)
            self.assertEqual(self.delivery(message, endpoint)["attemptsTotal"], 1)

    def our_faults(self):
        root = f"http://{self.server.host}:{self.server.port}/metrics"
        with urllib.request.urlopen(root, timeout=DEADLINE) as answer:
            text = answer.read().decode()
        for line in text.splitlines():
            if line.startswith("petrel_attempts_total") and "our_fault" in line:
                return float(line.split()[-1])
        return 0

    def test_what_they_never_answer_for_expires(self):
        self.names.answer = lambda name, number: REFUSED
        endpoint = self.endpoint("never.test", giveUpAfter="3s")
        message = self.post()
        wait_until(lambda: self.delivery(message, endpoint)["giveUpAt"], "it was tried")
        self.server.kill()
        self.server.start()
        self.wait_for("dead", message, endpoint)
        delivery = self.delivery(message, endpoint)
        self.assertEqual((delivery["reason"], delivery["attemptsTotal"]), ("expired", 0))


if __name__ == "__main__":
    suite.main()
