"""A circuit opens at the twentieth failure in a row, and then nothing but probes is sent. A kill -9
before it opens, and while it is open, changes none of it."""

import time

import suite
from petrel_server import wait_until
from receiver import OK, Reply
from storm_case import StormCase, unix

FAILURES_TO_OPEN = 20


def is_open(health):
    return health["circuit"]["state"] == "open"


class Circuit(StormCase):
    def setUp(self):
        super().setUp()
        self.replies = {"/one": Reply(500), "/ten": Reply(503, delay=0.01)}
        self.endpoint("one", maxInFlight=1)
        self.endpoint("ten")

    def wait_until_open(self, uid):
        return self.wait_for_health(uid, is_open, f"the circuit of {uid} is not open")

    def test_opens_at_the_twentieth_failure_stays_open_over_a_kill_and_is_probed_in_time(self):
        self.send("ten", 100)
        self.send("one", 100)
        opened = {uid: self.wait_until_open(uid) for uid in ("one", "ten")}
        self.assertEqual(opened["one"]["circuit"]["why"], "20 failures in a row")
        # Those that were out may end.
        wait_until(lambda: self.health("ten")["inFlight"] == 0, "what was out has ended")
        counts = {uid: len(self.receiver.of("/" + uid)) for uid in opened}
        self.assertEqual(counts["one"], FAILURES_TO_OPEN)
        self.assertLessEqual(counts["ten"], FAILURES_TO_OPEN + 9)
        self.wait_until_settled(counts)

        self.restart()

        wait_until(lambda: self.held("one") == 50, "its deliveries are shown as held")
        for uid, before in opened.items():
            health = self.health(uid)
            self.assertEqual(health["circuit"]["state"], "open")
            self.assertEqual(health["circuit"]["why"], before["circuit"]["why"])
            self.assertAlmostEqual(
                unix(health["circuit"]["nextProbeAt"]),
                unix(before["circuit"]["nextProbeAt"]),
                delta=0.05,
            )
        self.replies["/ten"] = OK
        for uid, before in opened.items():
            self.assert_probed_in_time(uid, counts[uid], before)
        # The probe of the one failed: that is all, and the circuit stays open.
        again = self.wait_until_open("one")
        self.assertEqual(len(self.receiver.of("/one")), counts["one"] + 1)
        self.assertGreater(unix(again["circuit"]["nextProbeAt"]), time.time() + 10)

    def held(self, uid):
        """How many of the first fifty deliveries are shown as held by the open circuit."""
        page = self.client.must(200, "GET", f"/app/a/delivery?status=held&endpoint_id={uid}")
        why = "the circuit of its endpoint is open: 20 failures in a row"
        return sum(each["why"] == why for each in page["data"])

    def wait_until_settled(self, counts):
        """What a kill must not forget is on disk."""
        for uid, count in counts.items():
            self.wait_for_health(
                uid,
                lambda health, count=count: health["queue"]["retrying"] == count,
                f"{count} attempts on disk",
            )

    def assert_probed_in_time(self, uid, count, opened):
        self.wait_for_requests(uid, count + 1)
        probe = self.receiver.of("/" + uid)[count]
        due_at = unix(opened["circuit"]["nextProbeAt"])
        self.assertGreater(probe.came_at, due_at - 0.05, "nothing comes before the probe")
        self.assertLess(probe.came_at, due_at + 2)

    def test_counts_failures_over_a_kill(self):
        hangs = Reply(is_hanging=True)
        self.replies["/one"] = lambda request: (
            hangs if len(self.receiver.of("/one")) == 11 else Reply(500)
        )
        self.send("one", 100)
        self.wait_for_requests("one", 11)  # The last one has no answer: it costs nothing.
        self.wait_until_settled({"one": 10})

        self.restart()

        self.wait_until_open("one")
        self.assertEqual(len(self.receiver.of("/one")), FAILURES_TO_OPEN + 1)


if __name__ == "__main__":
    suite.main()
