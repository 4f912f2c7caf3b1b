"""After an outage or a pause traffic comes back step by step: a tenth of what it was, at least one
a second, and never more than twice as much in the next 5 s. A kill -9 changes none of it."""

import time

import suite
from petrel_server import wait_until
from receiver import OK, Reply
from storm_case import StormCase

STEP = 5.0


class Steps:
    """What a ramp allows from a moment on, if it begins with this rate and so many in flight."""

    def __init__(self, case, uid, since, rate, in_flight=1):
        self.case = case
        self.uid = uid
        self.since = since
        self.rate = rate
        self.in_flight = in_flight

    def end_of(self, step):
        return self.since + (step + 1) * STEP

    def measure(self, step):
        self.case.wait_for_time(self.end_of(step))
        return len(self.case.came(self.uid, self.since + step * STEP, self.end_of(step)))

    def check(self, steps):
        counts = [self.measure(step) for step in range(steps)]
        for step, count in enumerate(counts):
            allowed = self.rate * 2**step * STEP
            # A bucket holds a token or a hundredth of a second's, and what was out when the step
            # before ended may come in this one.
            slack = 2 + 0.02 * allowed + self.in_flight * 2**step
            told = f"step {step} of {counts}, begun with {self.rate}/s"
            self.case.assertLessEqual(count, allowed + slack, told)
            if step > 0:
                # A machine that stood still in the step before made its count too small.
                self.case.assertLessEqual(count, 2 * counts[step - 1] + 0.2 * allowed + slack, told)
        self.case.assertGreater(counts[-1], 0, "nothing comes at all")
        return counts


class Ramp(StormCase):
    def test_after_an_outage_it_begins_with_a_tenth_and_goes_on_after_a_kill(self):
        self.endpoint("one")
        self.send("one", 100)
        wait_until(lambda: len(self.receiver.successes["/one"]) == 100, "all well")
        self.replies["/one"] = Reply(500)
        began_at = self.receiver.of("/one")[0].came_at_mono
        self.send("one", 1500)
        self.wait_for_health(
            "one",
            lambda health: health["circuit"]["state"] == "open" and health["inFlight"] == 0,
            "the circuit is not open",
        )
        former = self.came("one")
        taken = former[-1] - began_at
        rate_max = max(len(former) / max(taken - 0.5, 1) / 10, 1)
        rate_min = max((len(former) - 9) / (taken + 1.5) / 10, 1)

        self.replies["/one"] = OK
        self.tell(202, "one", "circuit/probe")
        wait_until(lambda: len(self.receiver.successes["/one"]) > 100, "the probe")
        closed_at = self.came("one")[len(former)]
        ramp = self.wait_for_health("one", lambda health: health["ramp"], "no ramp")["ramp"]
        self.assertEqual(ramp["inFlightLimit"], 1)
        self.assertLessEqual(rate_min, ramp["ratePerSecond"])
        self.assertLessEqual(ramp["ratePerSecond"], rate_max)
        # The probe itself was not under the ramp, which begins with its answer.
        Steps(self, "one", closed_at + 0.001, ramp["ratePerSecond"]).check(1)
        self.wait_for_health(
            "one", lambda health: health["ramp"]["inFlightLimit"] == 2, "the second step"
        )
        second = self.wait_for_traffic_in_ramp("one")

        self.server.kill()
        killed_at = time.monotonic()
        self.server.start()

        self.wait_for_health("one", lambda health: health["ramp"] == second, f"still {second}")
        wait_until(lambda: self.came("one", killed_at), "traffic after the kill")
        first = min(self.came("one", killed_at))
        Steps(self, "one", first, second["ratePerSecond"], in_flight=2).check(2)

    def wait_for_traffic_in_ramp(self, uid):
        """The ramp as it is on disk by now: something was settled in its present step."""
        seen = len(self.receiver.successes["/" + uid])
        ramp = self.health(uid)["ramp"]
        wait_until(lambda: len(self.receiver.successes["/" + uid]) >= seen + 5, "traffic")
        return ramp


class Gone(StormCase):
    def test_a_410_pauses_and_what_was_sent_meanwhile_comes_under_the_ramp(self):
        self.endpoint("one")
        self.replies["/one"] = Reply(410)
        self.send("one", 1)
        self.wait_for_health("one", lambda health: health["paused"], "not paused")
        self.replies["/one"] = OK
        self.send("one", 200)
        self.assertEqual(len(self.receiver.of("/one")), 1)

        self.restart()
        health = self.health("one")
        self.assertTrue(health["paused"])
        self.assertEqual(health["queue"]["fresh"], 200)
        self.assertEqual(len(self.receiver.of("/one")), 1)

        # Killed before a single attempt of the ramp has ended.
        self.replies["/one"] = Reply(is_hanging=True)
        self.tell(200, "one", "resume")
        self.wait_for_requests("one", 2)
        self.replies["/one"] = OK
        self.restart()

        self.assertEqual(self.health("one")["ramp"], {"ratePerSecond": 1, "inFlightLimit": 1})
        wait_until(lambda: self.receiver.successes["/one"], "the first")
        Steps(self, "one", self.came("one")[2], 1).check(2)


if __name__ == "__main__":
    suite.main()
