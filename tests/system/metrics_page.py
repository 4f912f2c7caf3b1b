"""What GET /metrics shows, read as Prometheus reads it."""

import re
import urllib.error
import urllib.request

from petrel_server import DEADLINE

_SAMPLE = re.compile(r"([a-z0-9_]+)(?:\{(.*)\})? (\S+)")
_LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')
_PARTS = ("_bucket", "_sum", "_count")


class Family:
    def __init__(self, name, kind, help_text):
        self.name = name
        self.kind = kind
        self.help = help_text
        self.samples = []  # Pairs of labels and value.

    def label_names(self):
        names = {name for labels, _ in self.samples for name in labels}
        return names - {"le"} if self.kind == "histogram" else names


class MetricsPage:
    def __init__(self, text):
        self.text = text
        self.families = {}
        helps = {}
        for line in text.splitlines():
            if line.startswith("# HELP "):
                _, _, name, words = line.split(" ", 3)
                helps[name] = words
            elif line.startswith("# TYPE "):
                _, _, name, kind = line.split(" ")
                assert name not in self.families, f"{name} is there twice"
                self.families[name] = Family(name, kind, helps[name])
            else:
                self._add(line)

    def _add(self, line):
        match = _SAMPLE.fullmatch(line)
        assert match, f"not a sample: {line!r}"
        name, labels, value = match.groups()
        family = self.families.get(name)
        if family is None:
            base = next(name.removesuffix(part) for part in _PARTS if name.endswith(part))
            family = self.families[base]
        part = name.removeprefix(family.name)
        if part in ("", "_bucket", "_count"):
            found = dict(_LABEL.findall(labels or ""))
            if part != "_count":
                family.samples.append((found, float(value)))
            else:
                family.samples.append(({**found, "le": "count"}, float(value)))

    def value(self, name, **labels):
        """Of the one member with these labels; None if there is none."""
        for found, value in self.families[name].samples:
            if found == labels:
                return value
        return None

    def sum(self, name, **labels):
        """Of all members that have these labels, whatever others they have."""
        return sum(
            value
            for found, value in self.families[name].samples
            if labels.items() <= found.items()
        )

    def count(self, name, **labels):
        """How many values a histogram has seen."""
        return self.value(name, le="count", **labels)


def ask(port, token=None, path="/metrics", host="127.0.0.1"):
    """The status and the body."""
    request = urllib.request.Request(f"http://{host}:{port}{path}")
    if token is not None:
        request.add_header("Authorization", "Bearer " + token)
    try:
        with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def metrics_of(server, port=None):
    """`port`: of the metrics' own listener, if there is one."""
    status, body = ask(port or server.port)
    assert status == 200, f"{status}: {body}"
    return MetricsPage(body)
