"""The limits that a receiver relies on, measured by the receiver: in flight, Retry-After, 410. A
kill -9 in each of these states changes none of it."""

import collections

import suite
from petrel_server import wait_until
from receiver import OK, Reply
from storm_case import StormCase, unix


class InFlight(StormCase):
    MESSAGES = 3000

    def test_never_more_than_the_limit_with_a_backlog_of_thousands(self):
        slow = Reply(delay=0.5)  # Until the backlog is there, however long that takes.
        self.replies = {"/ten": slow, "/three": slow}
        self.endpoint("ten")
        self.endpoint("three", maxInFlight=3)
        self.send("three", 600)
        self.send("ten", self.MESSAGES)
        self.assertGreater(self.health("ten")["queue"]["fresh"], 2000)
        self.replies = {"/ten": Reply(delay=0.02), "/three": Reply(delay=0.05)}
        wait_until(lambda: len(self.receiver.successes["/ten"]) >= 500, "traffic")

        self.server.kill()
        first_life = dict(self.receiver.in_flight_most)
        wait_until(
            lambda: not any(self.receiver.in_flight.values()), "the broken connections' ends"
        )
        self.receiver.in_flight_most.clear()
        self.server.start()
        wait_until(
            lambda: len(self.receiver.successes["/ten"]) == self.MESSAGES,
            lambda: f"{len(self.receiver.successes['/ten'])} of {self.MESSAGES} came",
        )

        for most in (first_life, self.receiver.in_flight_most):
            self.assertEqual((most["/ten"], most["/three"]), (10, 3))
        self.assert_repeated_only_what_was_not_on_disk()

    def assert_repeated_only_what_was_not_on_disk(self):
        """A kill repeats what was in flight, and what was answered but not on disk yet: of both the
        attempt of the first life is on no record. How many those are, the disk's speed decides."""
        requests = collections.Counter(each.id for each in self.receiver.of("/ten"))
        repeated = [message for message, count in requests.items() if count > 1]
        for message in repeated:
            attempts = self.client.must(200, "GET", f"/app/a/attempt/msg/{message}")["data"]
            self.assertEqual((requests[message], len(attempts)), (2, 1), message)


class RetryAfter(StormCase):
    """One at a time, so that nothing else is out when the wish comes; and ten, for the bound."""

    WISH = 3.0

    def setUp(self):
        super().setUp()
        self.wishes = {}  # Path: the request that was answered with a wish.
        for status, in_flight in ((429, 1), (503, 1), (429, 10), (503, 10)):
            uid = f"{status}-{in_flight}"
            self.replies["/" + uid] = self.wish_once(status)
            self.endpoint(uid, maxInFlight=in_flight)

    def wish_once(self, status):
        def reply(request):
            if request.path in self.wishes:
                return OK
            self.wishes[request.path] = request
            return Reply(status, {"retry-after": "3"})

        return reply

    def test_holds_for_the_whole_endpoint_also_over_a_kill(self):
        uids = [path[1:] for path in self.replies]
        for uid in uids:
            self.send(uid, 20)
            wish = self.wait_for_wish(uid)
            held_until = self.health(uid)["heldUntil"]
            self.assertIsNotNone(held_until, uid)
            self.assertAlmostEqual(unix(held_until), wish + self.WISH, delta=1)
            self.wait_until_on_disk(uid)

        self.restart()

        for uid in uids:
            wait_until(
                lambda uid=uid: len(self.receiver.successes["/" + uid]) == 19,
                lambda uid=uid: f"{uid}: {self.health(uid)}",
            )
        for uid in uids:
            answered_at = self.wishes["/" + uid].answered_at_mono
            early = self.came(uid, answered_at, answered_at + self.WISH)
            self.assertLessEqual(len(early), 0 if uid.endswith("-1") else 9, uid)
            # It was this wish that was waited for, and not the hour of the policy or a circuit.
            first = min(self.came(uid, answered_at + self.WISH))
            self.assertLess(first, answered_at + self.WISH + 10, uid)

    def wait_until_on_disk(self, uid):
        """Health is told from memory; what a kill must not undo is what has been recorded."""
        path = f"/app/a/attempt/endpoint/{uid}?status=2"
        wait_until(
            lambda: self.client.must(200, "GET", path)["data"],
            lambda: f"{uid}: no failed attempt is on record",
        )

    def wait_for_wish(self, uid):
        """When it was answered, by the wall clock; its attempt is on disk."""
        wait_until(lambda: "/" + uid in self.wishes, f"a request at {uid}")
        request = self.wishes["/" + uid]
        path = f"/app/a/attempt/msg/{request.id}"
        wait_until(lambda: self.client.must(200, "GET", path)["data"], f"the attempt at {uid}")
        return request.came_at


if __name__ == "__main__":
    suite.main()
