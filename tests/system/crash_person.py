"""A person who changes things while the server is killed, and remembers what was answered.

What was answered has to be there after every kill. What was not answered is there wholly or not at
all: the person looks, and from then on that is what has to be there.

Each endpoint has an event type of its own name and a message that fails until the end, so something
goes to it several times a second: an endpoint that ought to be silent and is not gives itself away.
"""

import base64
import collections
import datetime
import http.client
import json
import random
import threading
import time

from crash_evidence import Evidence
from petrel_server import DEADLINE, wait_until
from receiver import OK, Receiver, Reply

ALIVE_MAX = 8
AUDIT_MAX = 12  # Things that are looked at after each kill; all of them at the end.
WATCHED = 6  # Requests to another endpoint, while what is silent is watched.
ROTATIONS_MAX = 8  # Of one endpoint; the server signs with ten old secrets at most.

POLICY = {
    "strategy": "fixed",
    "baseDelay": "200ms",
    "jitter": "none",
    "maxAttempts": 1000,
    "giveUpAfter": "1h",
    "rules": [{"on": "404", "action": "fail"}],
}
# Failures are all that most of them see, and no circuit is to be the reason for a silence.
GUARDS = {"openAfter": 10_000, "openWindowAttempts": 10_000, "openExhausted": 1000}


class NoAnswer(Exception):
    """The server died, or said that it cannot tell."""


class Thing:
    """An endpoint, as the person knows it."""

    def __init__(self, application, uid, url, secret):
        self.application = application
        self.uid = uid
        self.url = url
        self.secret = secret
        self.rotations = 0
        self.is_paused = False
        self.was_paused = False  # Then a ramp holds it back for as long as something fails.
        self.is_deleted = False
        self.messages = {}  # Acknowledged: the id and what the receiver is to do with it.

    def path(self):
        return f"/app/{self.application}/endpoint/{self.uid}"

    def told(self):
        """What the API has to say of it."""
        return None if self.is_deleted else (self.url, self.secret, self.is_paused)


class Person:
    OPERATIONS = (
        "create", "delete", "patch", "rotate", "pause", "resume",
        "resend", "replay", "expunge", "revoke", "watch",
    )  # fmt: skip

    def __init__(self, server, seed):
        self._server = server
        self._random = random.Random(seed)
        self._client = server.client(timeout=DEADLINE)
        self._count = 0
        self._deck = []
        self._life = None
        self._is_fine = False
        self._revived = set()  # What was refused, and is no longer.
        self._application = None
        self._owned = set()  # Applications of a single endpoint.
        self._tokens = []  # Revoked.
        self._expunged = []
        self.is_asking = threading.Event()  # A change is under way.
        self.steps = 0
        self.things = []
        self.evidence = Evidence()
        self.answered = collections.Counter()
        self.doubts = collections.Counter()
        self.receiver = Receiver(self._behave)

    def close(self):
        self._client.close()
        self.receiver.close()

    def _behave(self, request):
        plan = json.loads(request.body)["plan"]
        if plan == "refuse" and request.id not in self._revived:
            return Reply(404)
        return Reply(500) if plan == "stuck" and not self._is_fine else OK

    # Asking.

    def _call(self, method, path, body=None, **headers):
        try:
            answer = self._client.call(method, path, body, **headers)
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswer from error
        if answer.status == 503:
            raise NoAnswer
        return answer

    def _must(self, status, method, path, body=None, **headers):
        answer = self._call(method, path, body, **headers)
        if answer.status != status:
            raise AssertionError(f"{method} {path}: {answer.status} {answer.body!r}")
        return answer.json() if answer.body else None

    def _is_done(self, kind, status, method, path, body=None, **headers):
        """Whether it was answered; False if that has to be found out."""
        self.is_asking.set()
        try:
            self._must(status, method, path, body, **headers)
        except NoAnswer:
            self.doubts[kind] += 1
            return False
        finally:
            self.is_asking.clear()
        self.answered[kind] += 1
        return True

    def _found_out(self, look):
        """What `look` says, however many lives of the server that takes."""
        while True:
            try:
                return look()
            except NoAnswer:
                threading.Event().wait(0.02)

    def _told(self, thing):
        """What the API says of it now; None if there is no such endpoint."""

        def look():
            answer = self._call("GET", thing.path())
            if answer.status == 404:
                return None
            assert answer.status == 200, answer.body
            shown = answer.json()
            key = self._must(200, "GET", thing.path() + "/secret")["key"]
            return (shown["url"], key, shown["pause"] is not None)

        return self._found_out(look)

    def _changes(self, thing, before, is_done):
        """Since when the change holds; None if it never happened. Anything between is a fault."""
        if is_done:
            return self._now_at_receiver()
        told, after = self._told(thing), thing.told()
        self.evidence.expect(told in (before, after), f"{thing.uid}: {told}: {before} or {after}")
        return self._now_at_receiver() if told == after else None

    def _now_at_receiver(self):
        """A time by which it has seen all that had reached its sockets."""
        connection = http.client.HTTPConnection("127.0.0.1", self.receiver.port, timeout=DEADLINE)
        connection.request("POST", "/now", json.dumps({"plan": "well"}))
        connection.getresponse().read()
        connection.close()
        return time.monotonic()

    # The changes.

    def _name(self, letter):
        self._count += 1
        return f"{letter}{self._count}"

    def _key(self):
        return "whsec_" + base64.b64encode(self._random.randbytes(24)).decode()

    def _alive(self, *conditions):
        fit = [t for t in self.things if not t.is_deleted and all(is_so(t) for is_so in conditions)]
        return self._random.choice(fit) if fit else None

    def _send(self, thing, plan):
        """The id of a message for it, once that is acknowledged."""
        key = self._name("k")

        def post():
            body = {"eventType": thing.uid, "payload": {"plan": plan, "key": key}}
            path = f"/app/{thing.application}/msg"
            return self._must(202, "POST", path, body, idempotency_key=key)["id"]

        message = self._found_out(post)
        thing.messages[message] = plan
        return message

    def create(self):
        if sum(not thing.is_deleted for thing in self.things) >= ALIVE_MAX:
            self.delete()
        uid = self._name("e")
        application = self._application
        if self._random.random() < 0.3:
            application = self._name("a")
            body = {"name": application, "uid": application}
            self._found_out(lambda: self._call("PUT", f"/app/{application}", body))
            self._owned.add(application)
        thing = Thing(application, uid, self.receiver.url(f"/{uid}/0"), self._key())
        body = {"url": thing.url, "uid": uid, "secret": thing.secret, "eventTypes": [uid]}
        body |= {"retryPolicy": POLICY, "guards": GUARDS}
        is_done = self._is_done("create", 201, "POST", f"/app/{application}/endpoint", body)
        if self._changes(thing, None, is_done):
            self.things.append(thing)
            self._send(thing, "stuck")
            self._send(thing, "well")

    def delete(self):
        thing = self._alive()
        if thing is None:
            return
        before, thing.is_deleted = thing.told(), True
        path = thing.path()
        if thing.application in self._owned and self._random.random() < 0.5:
            path = f"/app/{thing.application}"
        is_done = self._is_done("delete", 204, "DELETE", path)
        if since := self._changes(thing, before, is_done):
            self.evidence.silent(f"/{thing.uid}/", since, "is deleted")
        else:
            thing.is_deleted = False

    def patch(self):
        thing = self._alive()
        if thing is None:
            return
        before, old = thing.told(), thing.url
        thing.url = self.receiver.url(f"/{thing.uid}/{self._name('u')}")
        is_done = self._is_done("patch", 200, "PATCH", thing.path(), {"url": thing.url})
        if since := self._changes(thing, before, is_done):
            self.evidence.silent(old.removeprefix(self.receiver.url("")), since, "has moved")
        else:
            thing.url = old

    def rotate(self):
        thing = self._alive(lambda thing: thing.rotations < ROTATIONS_MAX)
        if thing is None:
            return
        before, old = thing.told(), thing.secret
        thing.secret = self._key()
        thing.rotations += 1
        path = thing.path() + "/secret/rotate"
        is_done = self._is_done("rotate", 200, "POST", path, {"key": thing.secret})
        if since := self._changes(thing, before, is_done):
            self.evidence.signed(f"/{thing.uid}/", since, thing.secret)
        else:
            thing.secret = old

    def pause(self):
        thing = self._alive(lambda thing: not thing.is_paused)
        if thing is None:
            return
        before = thing.told()
        thing.is_paused = thing.was_paused = True
        is_done = self._is_done("pause", 200, "POST", thing.path() + "/pause", {})
        if since := self._changes(thing, before, is_done):
            self.evidence.silent(f"/{thing.uid}/", since, "is paused")
        else:
            thing.is_paused = False

    def resume(self):
        if self._alive(lambda thing: thing.is_paused) is None:
            self.pause()
        thing = self._alive(lambda thing: thing.is_paused)
        if thing is None:
            return
        before, thing.is_paused = thing.told(), False
        self.evidence.end_silence(f"/{thing.uid}/", time.monotonic())
        is_done = self._is_done("resume", 200, "POST", thing.path() + "/resume")
        if not self._changes(thing, before, is_done):
            thing.is_paused = True
            self.evidence.silent(f"/{thing.uid}/", self._now_at_receiver(), "is paused")

    def resend(self):
        thing = self._alive(lambda thing: "well" in thing.messages.values())
        if thing is None:
            return
        message = self._random.choice([m for m, plan in thing.messages.items() if plan == "well"])
        path = f"/app/{thing.application}/msg/{message}/endpoint/{thing.uid}/resend"
        since = time.monotonic()
        if self._is_done("resend", 202, "POST", path):
            self.evidence.arrives(thing, message, since, "resent")

    def replay(self):
        thing = self._alive(lambda thing: not thing.was_paused)
        if thing is None:
            return
        dead = [self._send(thing, "refuse") for _ in range(3)]
        while not all(self._is_dead(thing, message) for message in dead):
            threading.Event().wait(0.02)
        self._revived.update(dead)
        hour_ago = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)
        body = {"since": hour_ago.isoformat(), "ratePerMinute": 6000}
        key = self._name("k")
        since = time.monotonic()
        path = thing.path() + "/recover"
        # The same key until it is answered: that is one task, however often it is asked for.
        while not self._is_done("replay", 202, "POST", path, body, idempotency_key=key):
            threading.Event().wait(0.02)
        for message in dead:
            thing.messages[message] = "replayed"
            self.evidence.arrives(thing, message, since, "replayed")

    def _is_dead(self, thing, message):
        path = f"/app/{thing.application}/delivery/{message}/{thing.uid}"
        return self._found_out(lambda: self._must(200, "GET", path))["status"] == "dead"

    def expunge(self):
        thing = self._alive()
        if thing is None:
            return
        message = self._send(thing, "stuck")
        path = f"/app/{thing.application}/msg/{message}"
        is_done = self._is_done("expunge", 204, "DELETE", path + "/content")
        if is_done or self._is_expunged(path):
            self.evidence.silent(message, self._now_at_receiver(), "is expunged")
            self._expunged.append((thing, path))
            thing.messages[message] = "expunged"

    def _is_expunged(self, path):
        payload = self._found_out(lambda: self._must(200, "GET", path))["payload"]
        whole = payload.get("plan") == "stuck" and "key" in payload
        self.evidence.expect(whole or payload == {"expired": True}, f"{path}: {payload}")
        return not whole

    def revoke(self):
        path = f"/auth/app-portal-access/{self._application}"
        token = "Bearer " + self._found_out(lambda: self._must(200, "POST", path, {}))["token"]
        assert self._status(token) == 200
        is_done = self._is_done("revoke", 204, "POST", "/auth/logout", authorization=token)
        if is_done or self._status(token) == 401:
            self._tokens.append(token)

    def _status(self, token):
        path = f"/app/{self._application}"
        return self._found_out(lambda: self._call("GET", path, authorization=token)).status

    def watch(self):
        """Until another was sent something often: what is silent has had time to show itself."""
        thing = self._alive(lambda thing: not thing.was_paused)
        if thing is None:
            return

        def count():
            with self.receiver.lock:
                requests = self.receiver.requests
                return sum(request.path.startswith(f"/{thing.uid}/") for request in requests)

        goal = count() + WATCHED
        wait_until(lambda: count() >= goal, f"requests to {thing.uid}")
        self.answered["watch"] += 1

    # What the person does.

    def begin(self):
        self._application = self._must(201, "POST", "/app", {"name": "person"})["id"]
        for _ in range(ALIVE_MAX // 2):
            self.create()

    def step(self):
        """One change; after each kill first a look at what was changed before."""
        life = self._server.port
        if life != self._life:
            self._life = life
            self.audit(AUDIT_MAX)
        if not self._deck:
            self._deck = list(self.OPERATIONS)
            self._random.shuffle(self._deck)
        getattr(self, self._deck.pop())()
        self.steps += 1

    def is_through(self):
        """Every kind of change was answered at least once."""
        return all(self.answered[each] for each in self.OPERATIONS)

    def audit(self, most=None):
        """Everything that was answered is there."""

        def some(things):
            return things if most is None else self._random.sample(things, min(most, len(things)))

        for thing in some(self.things):
            told = self._told(thing)
            self.evidence.expect(told == thing.told(), f"{thing.uid}: {told}, not {thing.told()}")
        for token in some(self._tokens):
            self.evidence.expect(self._status(token) == 401, "a revoked token is good again")
        for thing, path in some(self._expunged):
            if not thing.is_deleted:  # Its application may be gone with it, and the message too.
                self.evidence.expect(self._is_expunged(path), f"{path} has its payload again")

    def finish(self):
        """The receiver is well, and everything goes on."""
        self._is_fine = True
        for thing in self.things:
            if thing.is_paused and not thing.is_deleted:
                self.evidence.end_silence(f"/{thing.uid}/", time.monotonic())
                self._must(200, "POST", thing.path() + "/resume")
                thing.is_paused = False
        self._revived.update(m for thing in self.things for m in thing.messages)
        self.audit()

    def missing(self):
        """What was promised to arrive and has not."""
        return self.evidence.missing(self.receiver, self.things)

    def complaints(self):
        return self.evidence.complaints(self.receiver)
