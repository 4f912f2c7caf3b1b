"""What a person was promised, held against what the receiver saw."""

# Changes count from their answer; what was in flight by then may still arrive. Nothing takes this
# long from its start to the receiver's socket, and what ought to be silent and is not goes on.
GRACE = 0.5


class _Silence:
    """Nothing comes to these paths, or of this message."""

    def __init__(self, what, since, why):
        self.what = what
        self.since = since
        self.until = None
        self.why = why

    def is_broken_by(self, request):
        came_at = request.came_at_mono
        if came_at <= self.since + GRACE or (self.until is not None and came_at >= self.until):
            return False
        return request.id == self.what or request.path.startswith(self.what)


class Evidence:
    def __init__(self):
        self._wrong = []
        self._silences = []
        self._signed = []  # (what the paths begin with, since, secret)
        self._arrivals = []  # (thing, message, since, why)

    def expect(self, is_so, what):
        if not is_so:
            self._wrong.append(what)

    def silent(self, what, since, why):
        """`what` is a message's id, or what paths begin with."""
        self._silences.append(_Silence(what, since, why))

    def end_silence(self, what, until):
        for silence in self._silences:
            if silence.what == what and silence.until is None:
                silence.until = until

    def signed(self, paths, since, secret):
        self._signed.append((paths, since, secret))

    def arrives(self, thing, message, since, why):
        self._arrivals.append((thing, message, since, why))

    def missing(self, receiver, things):
        """What was promised to arrive and has not."""
        with receiver.lock:
            came = {each.id: each.came_at_mono for each in receiver.requests if each.status == 200}
        lost = [
            f"{message} for {thing.uid} ({plan})"
            for thing in things
            for message, plan in thing.messages.items()
            if not thing.is_deleted and plan in ("stuck", "well") and message not in came
        ]
        return lost + [
            f"{message} for {thing.uid} ({why})"
            for thing, message, since, why in self._arrivals
            if not thing.is_deleted and came.get(message, since - 1) < since
        ]

    def complaints(self, receiver):
        wrong = list(self._wrong)
        with receiver.lock:
            requests = list(receiver.requests)
        for silence in self._silences:
            late = [r.came_at_mono - silence.since for r in requests if silence.is_broken_by(r)]
            if late:
                wrong.append(
                    f"{silence.what} {silence.why}, and {len(late)} requests came, "
                    f"{late[0]:.1f} to {late[-1]:.1f} s later"
                )
        for paths, since, secret in self._signed:
            later = [r for r in requests if r.path.startswith(paths)]
            later = [r for r in later if r.came_at_mono > since + GRACE]
            if not all(request.is_signed_with(secret) for request in later):
                wrong.append(f"{paths} is not signed with its new secret")
        return wrong
