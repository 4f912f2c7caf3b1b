"""The rules in ops/prometheus, by the tools that they are for: promtool reads and tries them, and a
real Prometheus scrapes a server until they fire."""

import json
import os
import pathlib
import re
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

import suite
import yaml
from petrel_server import DEADLINE, Server, wait_until
from receiver import Receiver, Reply

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "ops/prometheus/alerts.yml"
TOKEN = "a token for the metrics"

# Each message is tried so often, which is too seldom for a circuit to open.
ATTEMPTS = 12
ENDPOINTS = 40
POLICY = {
    "strategy": "fixed",
    "baseDelay": "200ms",
    "jitter": "none",
    "maxAttempts": ATTEMPTS,
}


def find(name):
    path = shutil.which(name)
    if path is None:
        raise unittest.SkipTest(f"there is no {name}: install Debian's package `prometheus`")
    return path


class Promtool(unittest.TestCase):
    def run_promtool(self, *arguments):
        done = subprocess.run(
            [find("promtool"), *arguments],
            cwd=RULES.parent,
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_rules_are_well_formed(self):
        self.run_promtool("check", "rules", RULES.name)

    def test_the_rules_fire_when_they_should_and_not_before(self):
        self.run_promtool("test", "rules", "alerts_test.yml")


class Prometheus:
    """A Prometheus in a folder of its own, on loopback, that scrapes one server."""

    def __init__(self, folder, server, rules):
        self.port = None
        token_file = os.path.join(folder, "token")
        pathlib.Path(token_file).write_text(TOKEN)
        pathlib.Path(folder, "rules.yml").write_text(yaml.safe_dump(rules))
        config = {
            "global": {"scrape_interval": "250ms", "evaluation_interval": "250ms"},
            "rule_files": ["rules.yml"],
            "scrape_configs": [
                {
                    "job_name": "petrel",
                    "authorization": {"credentials_file": token_file},
                    "static_configs": [{"targets": [f"127.0.0.1:{server.port}"]}],
                }
            ],
        }
        pathlib.Path(folder, "prometheus.yml").write_text(yaml.safe_dump(config))
        self._process = subprocess.Popen(
            [
                find("prometheus"),
                "--config.file=prometheus.yml",
                "--storage.tsdb.path=data",
                "--web.listen-address=127.0.0.1:0",
                "--log.format=json",
            ],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        self._log = b""
        self._wait_until_it_listens()

    # Its log tells the port that the system gave it.
    def _wait_until_it_listens(self):
        end = time.monotonic() + DEADLINE
        output = self._process.stderr
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            while self.port is None:
                if not selector.select(end - time.monotonic()):
                    raise AssertionError(f"Prometheus does not listen: {self._log!r}")
                part = os.read(output.fileno(), 65536)
                if not part:
                    raise AssertionError(f"Prometheus ended: {self._log!r}")
                self._log += part
                found = re.search(rb'"address":"127\.0\.0\.1:([1-9]\d*)"', self._log)
                self.port = int(found[1]) if found else None
        # What it says later is not read: its pipe must not fill up.
        self._drain = subprocess.Popen(["cat"], stdin=output, stdout=subprocess.DEVNULL)
        wait_until(self._is_ready, "Prometheus is ready")

    def _is_ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/-/ready", timeout=DEADLINE):
                return True
        except urllib.error.HTTPError as error:
            error.close()
            return False

    def close(self):
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(DEADLINE)
        finally:
            self._process.kill()
            self._process.wait()
            self._drain.wait(DEADLINE)
            self._process.stderr.close()

    def ask(self, path, **query):
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=DEADLINE) as answer:
            return json.load(answer)["data"]

    def value(self, query):
        """Of the one series that the query gives; None if it gives none."""
        result = self.ask("query", query=query)["result"]
        return float(result[0]["value"][1]) if result else None

    def has_fired(self, alert):
        firing = f'ALERTS{{alertname="{alert}",alertstate="firing"}}'
        return self.value(f"max_over_time({firing}[10m])") == 1


def hurried():
    """The shipped rules, with windows of seconds in the place of minutes and hours."""
    rules = yaml.safe_load(RULES.read_text())
    for rule in (rule for group in rules["groups"] for rule in group["rules"]):
        rule["expr"] = re.sub(r"\[\d+[mh]\]", "[20s]", rule["expr"])
        rule["expr"] = re.sub(r"offset \d+[mh]", "offset 5s", rule["expr"])
        rule.pop("for", None)
    return rules


class Storm(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="petrel-prometheus-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.receiver = Receiver(lambda request: Reply(503))
        self.addCleanup(self.receiver.close)
        self.server = Server(self.folder, environment={"PETREL_METRICS_TOKEN": TOKEN})
        self.addCleanup(self.server.kill)
        self.server.start()
        self.prometheus = Prometheus(self.folder, self.server, hurried())
        self.addCleanup(self.prometheus.close)

    def fires(self, alert):
        wait_until(
            lambda: self.prometheus.has_fired(alert),
            lambda: f"{alert} fires: {self.prometheus.ask('alerts')}",
        )

    def test_a_storm_is_told_of_and_so_is_a_server_that_is_gone(self):
        # An increase needs a sample from before.
        wait_until(
            lambda: (self.prometheus.value("count_over_time(petrel_retries_total[1m])") or 0) >= 2,
            "the first scrapes",
        )
        self.assertEqual(self.prometheus.value("up"), 1)
        for alert in ("PetrelRetryStorm", "PetrelDeadLettersGrow", "PetrelDown"):
            self.assertFalse(self.prometheus.has_fired(alert))

        client = self.server.client()
        self.addCleanup(client.close)
        application = client.create_application("one")
        for number in range(ENDPOINTS):
            url = self.receiver.url(f"/{number}")
            client.create_endpoint(application, url, retryPolicy=POLICY)
        self.assertEqual(client.post(application, {}).status, 202)

        self.fires("PetrelRetryStorm")
        self.fires("PetrelDeadLettersGrow")
        wait_until(
            lambda: self.prometheus.value("petrel_retries_total") == ENDPOINTS * (ATTEMPTS - 1),
            "every retry counted",
        )
        wait_until(
            lambda: self.prometheus.value('petrel_dead_letters{reason="exhausted"}') == ENDPOINTS,
            "every dead letter counted",
        )
        self.server.kill()
        self.fires("PetrelDown")


if __name__ == "__main__":
    suite.main()
