"""Dead letters come back at the rate that was asked for, through a kill -9, none skipped.

DEAD_LETTERS=5000 makes more of them than the few that every run tries.
"""

import os
import shutil
import tempfile
import threading
import unittest

import suite
from petrel_server import Server, wait_until
from receiver import OK, Receiver, Reply

COUNT = int(os.environ.get("DEAD_LETTERS", "1000"))
RATE_PER_MINUTE = 6000
POSTERS = 4

# A delivery that is refused is dead at once, and the circuit does not open by it.
POLICY = {"maxAttempts": 1, "rules": [{"on": "404", "action": "fail"}]}


def rate_of(times):
    """Requests a minute between the first and the last of them."""
    return (len(times) - 1) / (times[-1] - times[0]) * 60


class Replay(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="petrel-replay-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.receiver = Receiver(lambda request: Reply(404) if b"refuse" in request.body else OK)
        self.addCleanup(self.receiver.close)
        self.server = Server(folder)
        self.addCleanup(self.server.kill)
        self.server.start()
        self.client = self.server.client()
        self.addCleanup(self.client.close)
        self.client.must(201, "POST", "/app", {"name": "A", "uid": "a"})
        body = {"url": self.receiver.url("/main"), "uid": "main", "retryPolicy": POLICY}
        self.client.must(201, "POST", "/app/a/endpoint", body)

    def post(self, count):
        client = self.server.client()
        for number in range(count):
            # A success now and then: refusals alone would pause the endpoint.
            kinds = [{"refuse": number}] if number % 20 else [{"refuse": number}, {"well": number}]
            for payload in kinds:
                body = {"eventType": "order.paid", "payload": payload}
                client.must(202, "POST", "/app/a/msg", body)
        client.close()

    def make_dead(self, count):
        share = count // POSTERS
        posters = [threading.Thread(target=self.post, args=(share,)) for _ in range(POSTERS)]
        for poster in posters:
            poster.start()
        for poster in posters:
            poster.join()
        wait_until(lambda: self.dead() == count, lambda: f"{count} dead letters: {self.dead()}")

    def dead(self):
        answer = self.client.must(200, "POST", "/app/a/replay", {"dryRun": True})
        return answer["matched"]

    def task(self, task):
        return self.client.must(200, "GET", f"/background-task/{task['id']}")

    def wait_for_end(self, task, deadline=180):
        wait_until(
            lambda: self.task(task)["status"] != "running",
            lambda: f"the end of {self.task(task)}",
            deadline,
        )
        return self.task(task)

    def arrivals(self):
        """When each of what was refused came again: (time, message)."""
        with self.receiver.lock:
            requests = list(self.receiver.requests[self.before :])
        return [(each.came_at, each.id) for each in requests]

    def start_replay(self, **fields):
        self.receiver.behave = lambda request: OK
        with self.receiver.lock:
            self.before = len(self.receiver.requests)
        return self.client.must(202, "POST", "/app/a/replay", fields)

    def test_at_a_constant_rate_through_a_kill(self):
        self.make_dead(COUNT)
        task = self.start_replay(ratePerMinute=RATE_PER_MINUTE, ramp=False)

        wait_until(lambda: len(self.arrivals()) >= COUNT // 2, "half of them", 120)
        first = self.arrivals()
        self.server.kill()
        killed = self.arrivals()
        self.server.start()
        ended = self.wait_for_end(task)

        self.assertEqual(ended["status"], "finished")
        self.assertEqual(ended["data"]["total"], COUNT)
        self.assertEqual(ended["data"]["done"], COUNT, "each is put back once")
        messages = [message for _, message in self.arrivals()]
        self.assertEqual(len(set(messages)), COUNT, "none is skipped")
        self.assertLessEqual(len(messages), COUNT + 10, "twice only what was out at the kill")
        self.assertEqual(self.dead(), 0)

        second = self.arrivals()[len(killed) :]
        for part in (first, second):
            rate = rate_of([time for time, _ in part])
            print(f"{len(part)} at {rate:.0f} a minute")
            self.assertLess(rate, RATE_PER_MINUTE * 1.05)
            # Slower only if the machine was: it makes up for a second at most.
            self.assertGreater(rate, RATE_PER_MINUTE * 0.5)

    def test_pause_resume_and_cancel(self):
        self.make_dead(100)
        task = self.start_replay(ratePerMinute=1200, ramp=False)
        wait_until(lambda: len(self.arrivals()) >= 10, "some of them")

        def tell(verb):
            return self.client.must(200, "POST", f"/background-task/{task['id']}/{verb}")

        paused = tell("pause")
        self.assertEqual(paused["state"], "paused")
        done = self.task(task)["data"]["done"]
        wait_until(lambda: len(self.arrivals()) == done, "what was put back arrives")
        self.assertEqual(self.task(task)["data"]["done"], done)
        # It is as paused as before after a restart.
        self.server.kill()
        self.server.start()
        self.assertEqual(self.task(task)["state"], "paused")
        tell("resume")
        wait_until(lambda: len(self.arrivals()) > done + 10, "more of them")
        self.assertEqual(tell("cancel")["state"], "cancelled")
        left = self.dead()
        self.assertGreater(left, 0)
        self.assertEqual(self.task(task)["data"]["done"] + left, 100)

    def test_it_stands_still_while_the_endpoint_is_paused(self):
        self.make_dead(20)
        self.client.must(200, "POST", "/app/a/endpoint/main/pause")
        task = self.start_replay(ratePerMinute=6000, ramp=False)
        wait_until(lambda: self.task(task)["data"]["waitsFor"], "that it says what it waits for")
        self.assertEqual(self.dead(), 20)
        self.client.must(200, "POST", "/app/a/endpoint/main/resume")
        ended = self.wait_for_end(task)
        self.assertEqual(ended["data"]["succeeded"], 20)
        self.assertEqual(len(self.arrivals()), 20)


if __name__ == "__main__":
    suite.main()
