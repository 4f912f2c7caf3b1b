"""A receiver is away for a while and comes back: few requests are wasted on it meanwhile, it is
found again soon, and what had failed arrives with the backlog, not when its backoff is over. A
kill -9 while it recovers changes none of it.

OUTAGE=full plays it at full size with every setting left as it is: 500 messages in five seconds to
a receiver that is away for a minute. What is always played is smaller: the steps are short, and
what failed would wait for an hour."""

import os
import statistics
import time

import suite
from petrel_server import wait_until
from receiver import OK, Reply
from storm_case import PATIENT, StormCase

IS_FULL = os.environ.get("OUTAGE") == "full"

SHORT_STEPS = {"openTime": "2s", "rampStep": "1s"}

# A machine that is busy with something else makes everything later.
SLACK = 30


class Outage(StormCase):
    def send_evenly(self, uid, count, seconds):
        """Some every tenth of a second."""
        start = time.monotonic()
        parts = int(seconds * 10)
        for part in range(parts):
            wait_until(lambda at=start + part / 10: time.monotonic() >= at, "the next tenth")
            self.send(uid, count * (part + 1) // parts - count * part // parts)
        return start

    def wasted(self, uid):
        return sum(request.status != 200 for request in self.receiver.of("/" + uid))

    def delivered(self, uid):
        """When each message was, in the order in which they were."""
        return sorted(
            request.answered_at_mono
            for request in self.receiver.of("/" + uid)
            if request.status == 200 and request.answered_at_mono is not None
        )

    def wait_until_delivered(self, uid, count, deadline):
        wait_until(
            lambda: len(self.receiver.successes["/" + uid]) == count,
            lambda: f"{count} delivered: {len(self.receiver.successes['/' + uid])}, "
            f"{self.health(uid)}",
            deadline,
        )

    def play(self, uid, count, seconds, outage):
        """How long after the recovery each message was delivered."""
        self.replies["/" + uid] = Reply(503)
        start = self.send_evenly(uid, count, seconds)
        wait_until(lambda: time.monotonic() >= start + outage, "the end of the outage", 2 * outage)
        recovered_at = time.monotonic()
        self.replies["/" + uid] = OK
        self.wait_until_delivered(uid, count, 120 + SLACK)
        return [at - recovered_at for at in self.delivered(uid)]

    def tell_and_check(self, uid, after, limits):
        wasted_max, first_max, half_max, all_max = limits
        half = statistics.median(after)
        print(
            f"{len(after)} messages: {self.wasted(uid)} requests wasted; after the recovery the "
            f"first came at {after[0]:.1f} s, half by {half:.1f} s, all by {after[-1]:.1f} s",
            flush=True,
        )
        self.assertLessEqual(self.wasted(uid), wasted_max)
        self.assertLessEqual(after[0], first_max)
        self.assertLessEqual(half, half_max)
        self.assertLessEqual(after[-1], all_max)
        self.assertEqual(set(self.receiver.successes["/" + uid].values()), {1}, "one each")

    if IS_FULL:

        def test_at_full_size_with_all_settings_as_they_are(self):
            self.endpoint("one", retryPolicy=None)
            after = self.play("one", 500, seconds=5, outage=60)
            self.tell_and_check("one", after, limits=(40, 20, 50, 60))

    def test_what_failed_arrives_with_the_backlog(self):
        self.endpoint("one", guards=SHORT_STEPS, retryPolicy=PATIENT)
        after = self.play("one", 100, seconds=1, outage=8)
        self.tell_and_check("one", after, limits=(40, 3 + SLACK, 10 + SLACK, 15 + SLACK))
        self.wait_for_health("one", lambda health: health["ramp"] is None, "the ramp is over")

    def test_a_kill_while_it_recovers_is_no_reason_to_wait(self):
        self.endpoint("one", guards=SHORT_STEPS, retryPolicy=PATIENT)
        self.replies["/one"] = Reply(503)
        self.send("one", 60)
        self.wait_for_health(
            "one",
            lambda health: health["circuit"]["state"] == "open" and health["inFlight"] == 0,
            "the circuit is not open",
        )
        self.replies["/one"] = OK
        wait_until(lambda: len(self.receiver.successes["/one"]) >= 5, "the first steps")

        self.restart()

        self.wait_until_delivered("one", 60, 30 + SLACK)

    def test_nothing_is_released_if_it_is_set_so(self):
        self.endpoint(
            "one", guards={**SHORT_STEPS, "releaseAfterOutage": False}, retryPolicy=PATIENT
        )
        self.replies["/one"] = Reply(503)
        self.send("one", 40)
        self.wait_for_health(
            "one",
            lambda health: health["circuit"]["state"] == "open" and health["inFlight"] == 0,
            "the circuit is not open",
        )
        self.replies["/one"] = OK
        self.wait_for_health("one", lambda health: health["ramp"], "the ramp")
        health = self.wait_for_health(
            "one",
            lambda health: not health["ramp"] and health["queue"]["fresh"] == 0,
            "the ramp is over",
        )
        self.assertGreater(health["queue"]["retrying"], 0)


if __name__ == "__main__":
    suite.main()
