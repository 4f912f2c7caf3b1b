"""kill -9 at any moment loses nothing that was acknowledged, and nothing that was changed.

Producers post without pause, a person changes endpoints, receivers answer with errors, delays and
resets, and the server is killed again and again at moments drawn from a printed seed. SEED repeats
a run; KILLS says how many times it is killed; SHARDS is how many event loops it has.
"""

import collections
import http.client
import os
import random
import tempfile
import threading
import unittest

import suite
from crash_person import Person
from petrel_server import DEADLINE, Server, wait_until
from receiver import OK, Receiver, Reply

KILLS = int(os.environ.get("KILLS", "10"))
SHARDS = os.environ.get("SHARDS", "8")
SEED = int(os.environ.get("SEED", str(random.SystemRandom().randrange(10**9))))
PRODUCERS = 4
IN_FLIGHT_MAX = 10
BACKLOG_MAX = 600  # Producers wait while so many acknowledged messages are not delivered yet.
SAMPLE = 60

POLICY = {
    "strategy": "fixed",
    "baseDelay": "200ms",
    "jitter": "full",
    "maxAttempts": 1000,
    "giveUpAfter": "1h",
}
EVENT_TYPES = ("order.paid", "order.sent")


class Destination:
    """An endpoint of an application, and what it wants."""

    def __init__(self, application, path, event_types=None):
        self.application = application
        self.path = path
        self.event_types = event_types
        self.id = self.secret = None

    def wants(self, application, event_type):
        if application != self.application:
            return False
        return self.event_types is None or event_type in self.event_types


class Weather:
    """How the receivers behave: mostly well, and fine at the end."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self.is_fine = False

    def __call__(self, request):
        if self.is_fine:
            return OK
        draw = self._random.random()
        if draw < 0.10:
            return Reply(500)
        if draw < 0.12:
            return Reply(503, {"retry-after": "0"})
        if draw < 0.16:
            return Reply(is_reset=True)
        if draw < 0.26:
            return Reply(delay=self._random.uniform(0.01, 0.2))
        return OK


class Ledger:
    """What producers were promised."""

    def __init__(self):
        self.lock = threading.Lock()
        self.acknowledged = {}  # The message's id: (number, application, event type).
        self.by_number = {}
        self.reposts = 0
        self.surprises = []

    def add(self, number, application, event_type, message):
        with self.lock:
            known = self.by_number.setdefault(number, message)
            if known != message:
                self.surprises.append(f"{number} was acknowledged as {known}, then {message}")
            self.acknowledged[message] = (number, application, event_type)

    def count(self):
        with self.lock:
            return len(self.acknowledged)


class Crash(unittest.TestCase):
    def setUp(self):
        print(f"SEED={SEED} KILLS={KILLS} SHARDS={SHARDS}", flush=True)
        scratch = tempfile.TemporaryDirectory(prefix="petrel-crash-")
        self.addCleanup(scratch.cleanup)
        self.random = random.Random(SEED)
        self.weather = Weather(SEED + 1)
        self.receivers = [Receiver(self.weather) for _ in range(2)]
        for receiver in self.receivers:
            self.addCleanup(receiver.close)
        self.server = Server(scratch.name, "--shards", SHARDS)
        self.addCleanup(self.server.kill)
        self.ledger = Ledger()
        self.person = Person(self.server, SEED + 2)
        self.addCleanup(self.person.close)
        self.is_over = threading.Event()
        self.is_up = threading.Event()

    # The set-up: two applications, five endpoints, two receivers.

    def populate(self):
        client = self.server.client()
        one, two = (client.create_application(name) for name in ("one", "two"))
        self.applications = (one, two)
        self.destinations = [
            Destination(one, "/one/a"),
            Destination(one, "/one/b", ["order.paid"]),
            Destination(one, "/one/c"),
            Destination(two, "/two/a"),
            Destination(two, "/two/b", ["order.sent"]),
        ]
        for i, each in enumerate(self.destinations):
            fields = {"retryPolicy": POLICY, "maxInFlight": IN_FLIGHT_MAX}
            if each.event_types:
                fields["eventTypes"] = each.event_types
            url = self.receivers[i % 2].url(each.path)
            each.id = client.create_endpoint(each.application, url, **fields)
            each.secret = client.secret(each.application, each.id)
            each.receiver = self.receivers[i % 2]
        client.close()

    # Producers: each message has a number, and its number is its idempotency key.

    def produce(self, index):
        draw = random.Random(SEED * 31 + index)
        client = self.server.client(timeout=DEADLINE)
        n = 0
        while not self.is_over.is_set():
            if self.backlog() > BACKLOG_MAX:
                self.is_over.wait(0.02)
                continue
            n += 1
            order = (f"{index}-{n}", draw.choice(self.applications), draw.choice(EVENT_TYPES))
            while not self.is_over.is_set() and not self.post(client, *order):
                self.is_up.wait(0.05)
            if draw.random() < 0.05 and self.post(client, *order):
                self.ledger.reposts += 1
        client.close()

    def post(self, client, number, application, event_type):
        payload = {"number": number, "filling": "x" * 200}
        try:
            answer = client.post(application, payload, event_type, idempotency_key=number)
        except (OSError, http.client.HTTPException):
            return False
        if answer.status == 503:
            return False
        if answer.status != 202:
            self.ledger.surprises.append(f"{number}: {answer.status} {answer.body!r}")
            return False
        self.ledger.add(number, application, event_type, answer.json()["id"])
        return True

    def backlog(self):
        wanted = self.ledger.count()
        least = min(len(self.receivers[0].successes["/one/a"]), wanted)
        other = min(len(self.receivers[1].successes["/two/a"]), wanted)
        return wanted - least - other

    def change(self):
        try:
            while not self.is_over.is_set():
                if self.is_up.wait(0.05):
                    self.person.step()
                    self.is_over.wait(0.005)
        except Exception as error:  # Told by the test, which is on another thread.
            self.ledger.surprises.append(f"changes: {error!r}")

    # The killing.

    def run_and_kill(self):
        if self.random.random() < 0.2:
            self.server.spawn()
            self.is_over.wait(self.random.uniform(0, 0.1))  # Also while it is starting.
            self.server.kill()
            return
        self.server.start()
        self.is_up.set()
        goal = self.progress() + self.random.randint(1, 500)
        steps = self.person.steps + self.random.randint(1, 8)
        wait_until(
            lambda: self.progress() >= goal and self.person.steps >= steps
            or self.ledger.surprises,
            self.standing,
        )
        if self.random.random() < 0.7:
            self.person.is_asking.wait(1)
        self.is_over.wait(self.random.uniform(0, 0.005))
        self.is_up.clear()
        self.server.kill()

    def progress(self):
        return sum(receiver.success_count() for receiver in self.receivers)

    def standing(self):
        said = self.server.errors()[-2000:]
        return f"{self.ledger.count()} acknowledged, {self.progress()} delivered; stderr: {said}"

    # What must hold.

    def missing(self):
        lost = []
        with self.ledger.lock:
            promised = list(self.ledger.acknowledged.items())
        for each in self.destinations:
            seen = each.receiver.successes[each.path]
            for message, (_, application, event_type) in promised:
                if each.wants(application, event_type) and message not in seen:
                    lost.append((each.path, message))
        return lost

    def duplicates(self):
        return sum(
            count - 1
            for each in self.destinations
            for count in each.receiver.successes[each.path].values()
        )

    def check_contents(self):
        numbers = collections.defaultdict(set)
        promised = self.ledger.acknowledged
        for each in self.destinations:
            for request in each.receiver.of(each.path):
                self.assertTrue(request.is_signed_with(each.secret), request.headers)
                self.assertEqual(request.headers["webhook-id"], request.headers["svix-id"])
                numbers[request.body].add(request.id)
                if request.id in promised:
                    _, application, event_type = promised[request.id]
                    self.assertTrue(each.wants(application, event_type), request.path)
        doubled = {body: ids for body, ids in numbers.items() if len(ids) > 1}
        self.assertEqual(doubled, {}, "one idempotency key made several messages")

    def check_attempts(self):
        """What the API tells about a delivery is what its receiver saw."""
        client = self.server.client()
        promised = sorted(self.ledger.acknowledged.items())
        lost = 0
        for message, (_, application, event_type) in self.random.sample(
            promised, min(SAMPLE, len(promised))
        ):
            for each in self.destinations:
                if not each.wants(application, event_type):
                    continue
                told = [
                    attempt["responseStatusCode"]
                    for attempt in client.attempts(application, message, each.id)
                ]
                seen = [request.status for request in each.receiver.of(each.path, message)]
                rest = iter(seen)
                story = f"{each.path} {message}: told {told}, seen {seen}"
                self.assertTrue(all(status in rest for status in told), story)
                self.assertEqual(told.count(200), 1, story)
                self.assertEqual(told[-1], 200, story)
                lost += len(seen) - len(told)
        client.close()
        return lost

    def test_nothing_acknowledged_is_lost(self):
        self.server.start()
        self.populate()
        self.person.begin()
        self.server.kill()
        actors = [
            threading.Thread(target=self.produce, args=(i,), daemon=True) for i in range(PRODUCERS)
        ]
        actors.append(threading.Thread(target=self.change, daemon=True))
        for actor in actors:
            actor.start()
        for _ in range(KILLS):
            self.run_and_kill()
        in_flight_at_kills = KILLS * IN_FLIGHT_MAX * len(self.destinations)

        self.server.start()
        self.is_up.set()
        # A short run may have been killed before each kind of change had its turn.
        wait_until(lambda: self.person.is_through() or self.ledger.surprises, self.standing)
        self.is_over.set()
        for actor in actors:
            actor.join(DEADLINE)
        self.assertEqual(self.ledger.surprises, [])
        self.weather.is_fine = True
        self.person.finish()
        for missing in (self.missing, self.person.missing):
            wait_until(
                lambda missing=missing: not missing(),
                lambda missing=missing: f"{len(missing())} missing, such as {missing()[:3]}; "
                + self.standing(),
            )

        # Once settled it stays settled: after a restart only what is new is sent.
        self.wait_until_settled()
        duplicates = self.duplicates()
        self.assertEqual(self.server.stop(), 0)
        self.server.start()
        client = self.server.client()
        for application in self.applications:
            for event_type in EVENT_TYPES:
                order = (f"last-{event_type}-{application}", application, event_type)
                self.assertTrue(self.post(client, *order))
        client.close()
        wait_until(lambda: not self.missing(), lambda: f"missing {self.missing()[:3]}")
        self.assertEqual(self.duplicates(), duplicates)

        self.assertEqual(self.ledger.surprises, [])
        self.assertEqual(self.person.complaints(), [])
        self.check_contents()
        unrecorded = self.check_attempts()
        print(
            f"{self.ledger.count()} messages acknowledged, {self.ledger.reposts} posted twice; "
            f"{self.progress()} deliveries in {sum(len(r.requests) for r in self.receivers)} "
            f"requests; {duplicates} duplicates, {in_flight_at_kills} allowed; "
            f"{unrecorded} attempts of {SAMPLE} messages seen but not recorded",
            f"changes answered: {dict(self.person.answered)}",
            f"changes cut off: {dict(self.person.doubts)}",
            sep="\n",
            flush=True,
        )
        self.assertLessEqual(duplicates, in_flight_at_kills)

    def wait_until_settled(self):
        """The receivers have answered; the server has to have written all of it down too."""
        client = self.server.client()
        for each in self.destinations:
            wait_until(
                lambda each=each: set(each.receiver.successes[each.path])
                == set(self.recorded_successes(client, each)),
                f"the deliveries to {each.path} recorded",
            )
            for message, count in self.recorded_successes(client, each).items():
                self.assertEqual(count, 1, f"{message} was delivered {count} times, by the record")
        client.close()

    def recorded_successes(self, client, destination):
        """How many attempts of each message the API calls a success."""
        recorded = collections.Counter()
        path = f"/app/{destination.application}/attempt/endpoint/{destination.id}"
        path += "?status=0&limit=250&with_content=false"
        page = client.must(200, "GET", path)
        recorded.update(attempt["msgId"] for attempt in page["data"])
        while not page["done"]:
            page = client.must(200, "GET", f"{path}&iterator={page['iterator']}")
            recorded.update(attempt["msgId"] for attempt in page["data"])
        return recorded


if __name__ == "__main__":
    suite.main()
