"""The metrics of a running server: what is there, who may read it, and that it is true."""

import json
import pathlib
import re
import shutil
import tempfile
import unittest

import suite
import yaml
from metrics_page import ask, metrics_of
from name_server import SILENCE, NameServer
from petrel_server import Server, wait_until
from receiver import Receiver, Reply

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOKEN = "a token for the metrics"
POLICY = {"strategy": "fixed", "baseDelay": "100ms", "jitter": "none", "maxAttempts": 3}

_METRIC = re.compile(r"\b((?:petrel|process)_[a-z0-9_]+)\b")


class Metrics(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="petrel-metrics-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def start(self, *options, **more):
        server = Server(self.folder, *options, **more)
        self.addCleanup(server.kill)
        return server.start()

    def client(self, server):
        client = server.client()
        self.addCleanup(client.close)
        return client

    def receiver(self, behave):
        receiver = Receiver(behave)
        self.addCleanup(receiver.close)
        return receiver

    def wait_for(self, server, is_so, what, port=None):
        """The page of the first moment at which it is so."""
        pages = []

        def look():
            pages.append(metrics_of(server, port))
            return is_so(pages[-1])

        wait_until(look, lambda: f"{what}: {pages[-1].text}")
        return pages[-1]


class Families(Metrics):
    def documented(self):
        """The table in docs/operations.md: type and labels by name."""
        text = (ROOT / "docs/operations.md").read_text()
        table = {}
        for line in text.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if line.startswith("| `p") and len(cells) == 4 and cells[1] in KINDS:
                for name in re.findall(r"`([a-z0-9_]+)`", cells[0]):
                    table[name] = (cells[1], set(re.findall(r"`([a-z]+)`", cells[2])))
        return table

    def test_a_fresh_server_shows_all_that_the_documentation_names_and_nothing_else(self):
        page = metrics_of(self.start())
        documented = self.documented()
        self.assertEqual(set(page.families), set(documented))
        for name, family in page.families.items():
            kind, labels = documented[name]
            self.assertEqual(family.kind, kind, name)
            self.assertTrue(family.samples, f"{name} has no member")
            self.assertEqual(family.label_names(), labels, name)
            self.assertRegex(family.help, r"^[A-Z1].*\.$", name)

    def test_rules_and_dashboard_ask_only_for_what_there_is(self):
        families = set(metrics_of(self.start()).families)
        rules = yaml.safe_load((ROOT / "ops/prometheus/alerts.yml").read_text())
        asked = " ".join(rule["expr"] for group in rules["groups"] for rule in group["rules"])
        board = json.loads((ROOT / "ops/grafana/dashboard.json").read_text())
        for panel in board["panels"]:
            for target in panel.get("targets", []):
                asked += " " + target["expr"]
        for variable in board["templating"]["list"]:
            if variable["type"] == "query":
                asked += " " + variable["query"]["query"]
        for annotation in board["annotations"]["list"]:
            asked += " " + annotation["expr"]
        names = {re.sub("_(bucket|sum|count)$", "", name) for name in _METRIC.findall(asked)}
        self.assertGreater(len(names), 30)
        self.assertEqual(names - families, set())

    def test_every_alert_says_what_to_do_and_is_tested(self):
        rules = yaml.safe_load((ROOT / "ops/prometheus/alerts.yml").read_text())
        tests = (ROOT / "ops/prometheus/alerts_test.yml").read_text()
        for rule in (rule for group in rules["groups"] for rule in group["rules"]):
            self.assertIn(rule["labels"]["severity"], ("critical", "warning"))
            self.assertTrue(rule["annotations"]["summary"] and rule["annotations"]["description"])
            self.assertRegex(tests, rf'alertname="{rule["alert"]}"', "has no test")


KINDS = ("counter", "gauge", "histogram")


class Doors(Metrics):
    def test_on_loopback_they_are_open(self):
        self.assertEqual(ask(self.start().port)[0], 200)

    def test_beyond_loopback_they_are_closed_and_say_how_to_open_them(self):
        server = self.start(listen="0.0.0.0:0")
        for token in (None, server.token()):
            status, body = ask(server.port, token)
            self.assertEqual(status, 403)
            self.assertIn("metrics-token", body)
            self.assertIn("metrics-listen", body)
        self.assertEqual(ask(server.port, path="/api/v1/health/ready")[0], 200)

    def test_a_token_of_their_own_opens_them_and_the_apis_does_not(self):
        server = self.start(
            listen="0.0.0.0:0", environment={"PETREL_METRICS_TOKEN": TOKEN}
        )
        self.assertEqual(ask(server.port, TOKEN)[0], 200)
        for token in (None, TOKEN + "!", server.token()):
            self.assertEqual(ask(server.port, token)[0], 401)

    def test_a_listener_of_their_own_shows_them_and_nothing_else(self):
        server = self.start("--metrics-listen", "127.0.0.1:0", listen="0.0.0.0:0")
        server.stop()
        told = r"petrel shows its metrics on http://127.0.0.1:(\d+)/metrics"
        port = int(re.search(told, server.output())[1])
        server = self.start("--metrics-listen", f"127.0.0.1:{port}", listen="0.0.0.0:0")
        status, body = ask(port)
        self.assertEqual(status, 200)
        self.assertIn("petrel_build_info", body)
        self.assertEqual(ask(port, path="/api/v1/health")[0], 404)
        status, body = ask(server.port)
        self.assertEqual(status, 403)
        self.assertIn("metrics-listen", body)

    def test_no_message_reaches_the_metrics_listener(self):
        server = self.start("--metrics-listen", "127.0.0.1:0")
        server.stop()
        port = int(re.search(r"127.0.0.1:(\d+)/metrics", server.output())[1])
        server = self.start("--metrics-listen", f"127.0.0.1:{port}")
        client = self.client(server)
        application = client.create_application("one")
        client.create_endpoint(application, f"http://127.0.0.1:{port}/metrics")
        self.assertEqual(client.post(application, {"a": 1}).status, 202)
        self.wait_for(
            server,
            lambda page: page.value("petrel_attempts_total", outcome="blocked"),
            "blocked",
            port,
        )

    def test_an_address_that_is_taken_ends_the_start_with_a_sentence(self):
        first = self.start()
        pathlib.Path(self.folder, "other").mkdir()
        second = Server(f"{self.folder}/other", "--metrics-listen", f"127.0.0.1:{first.port}")
        self.addCleanup(second.kill)
        second.spawn()
        self.assertEqual(second.wait(), 1)
        self.assertIn("metrics-listen", second.errors())


class Truth(Metrics):
    def test_attempts_retries_and_phases_are_those_that_were_made(self):
        receiver = self.receiver(lambda request: Reply(200 if request.number == 3 else 503))
        server = self.start()
        client = self.client(server)
        application = client.create_application("one")
        client.create_endpoint(application, receiver.url("/a"), retryPolicy=POLICY)
        for number in range(4):
            client.post(application, {"n": number})
        page = self.wait_for(
            server,
            lambda page: page.value("petrel_deliveries_total", result="delivered") == 4,
            "delivered",
        )
        self.assertEqual(page.value("petrel_attempts_total", outcome="failure"), 8)
        self.assertEqual(page.value("petrel_attempts_total", outcome="success"), 4)
        self.assertEqual(page.value("petrel_retries_total"), 8)
        self.assertEqual(page.count("petrel_delivery_delay_seconds"), 4)
        # Two retries, a tenth of a second apart.
        self.assertEqual(page.value("petrel_delivery_delay_seconds", le="0.1"), 0)
        self.assertEqual(page.count("petrel_attempt_duration_seconds", phase="total"), 12)
        self.assertEqual(page.count("petrel_attempt_duration_seconds", phase="tls"), 0)
        self.assertGreater(page.count("petrel_timer_delay_seconds"), 0)
        self.assertGreater(page.count("petrel_store_commit_duration_seconds"), 0)
        self.assertGreater(page.count("petrel_store_commit_size", kind="settlements"), 0)
        self.wait_for(  # It is read now and then, and counts hundredths of a second.
            server, lambda page: page.value("process_cpu_seconds_total") > 0, "processor time"
        )
        self.assertGreater(page.value("process_start_time_seconds"), 1_700_000_000)

    def test_what_waits_is_counted_in_the_store_and_over_a_kill(self):
        server = self.start("--metrics-endpoints", "1")
        client = self.client(server)
        deep, shallow = (client.create_application(name) for name in ("deep", "shallow"))
        gone = "http://127.0.0.1:1/"
        endpoints = [
            client.create_endpoint(application, gone, disabled=False)
            for application in (deep, shallow)
        ]
        for application, endpoint in zip((deep, shallow), endpoints):
            client.must(200, "POST", f"/app/{application}/endpoint/{endpoint}/pause")
        for _ in range(60):  # More than a lane keeps in memory.
            self.assertEqual(client.post(deep, {}).status, 202)
        self.assertEqual(client.post(shallow, {}).status, 202)

        def check(server):
            page = self.wait_for(
                server,
                lambda page: page.value("petrel_endpoint_queue_depth", endpoint=endpoints[0]) == 60
                and page.value("petrel_endpoints", state="paused") == 2,
                "the queue",
            )
            self.assertEqual(page.value("petrel_queue_depth", **{"class": "fresh"}), 61)
            self.assertEqual(page.value("petrel_queue_depth", **{"class": "retry"}), 0)
            self.assertEqual(page.value("petrel_endpoint_queue_depth", endpoint="rest"), 1)
            self.assertIsNone(page.value("petrel_endpoint_queue_depth", endpoint=endpoints[1]))
            self.assertEqual(page.value("petrel_oldest_due_seconds", circuit="closed"), 0)

        check(server)
        server.kill()
        server.start()
        check(server)

        for application, endpoint in zip((deep, shallow), endpoints):
            client.must(204, "DELETE", f"/app/{application}/endpoint/{endpoint}")
        page = self.wait_for(
            server, lambda page: page.sum("petrel_queue_depth") == 0, "all of it cancelled"
        )
        self.assertEqual(page.value("petrel_dead_letters", reason="cancelled"), 61)

    def test_circuits_failures_and_what_is_overdue_behind_them(self):
        receiver = self.receiver(lambda request: Reply(503))
        server = self.start()
        client = self.client(server)
        application = client.create_application("one")
        client.create_endpoint(application, receiver.url("/a"), retryPolicy=POLICY)
        failing = client.must(200, "GET", f"/app/{application}/endpoint")["data"][0]["id"]
        for number in range(40):
            client.post(application, {"n": number})
        page = self.wait_for(
            server,
            lambda page: page.value("petrel_circuit_state", state="open") == 1
            and page.value("petrel_oldest_due_seconds", circuit="open") > 1,
            "an open circuit",
        )
        self.assertGreaterEqual(page.value("petrel_endpoint_failures", endpoint=failing), 20)
        self.assertEqual(page.value("petrel_circuit_state", state="closed"), 0)

    def test_a_fault_of_our_own_is_counted_by_its_cause(self):
        names = NameServer(lambda name, number: SILENCE)
        self.addCleanup(names.close)
        server = self.start("--nameservers", names.address)
        client = self.client(server)
        application = client.create_application("one")
        client.create_endpoint(application, "http://receiver.example/", timeout="1s")
        client.post(application, {})
        page = self.wait_for(
            server,
            lambda page: page.value("petrel_own_faults_total", cause="resolver") > 0,
            "the resolver's silence",
        )
        self.assertEqual(
            page.value("petrel_attempts_total", outcome="our_fault"),
            page.sum("petrel_own_faults_total"),
        )

    def test_requests_are_counted_by_the_pattern_of_their_route(self):
        server = self.start()
        client = self.client(server)
        application = client.create_application("one")
        client.must(200, "GET", f"/app/{application}")
        client.must(404, "GET", "/app/app_made_up")
        client.must(404, "GET", "/no/such/route?with=a+query")
        client.must(405, "DELETE", "/app")
        ask(server.port, path="/")
        page = metrics_of(server)
        name, pattern = "petrel_api_requests_total", "/api/v1/app/{app_id}"
        value = page.value
        self.assertEqual(value(name, method="GET", route=pattern, status="200"), 1)
        self.assertEqual(value(name, method="GET", route=pattern, status="404"), 1)
        self.assertEqual(value(name, method="POST", route="/api/v1/app", status="201"), 1)
        self.assertEqual(value(name, method="any", route="none", status="404"), 1)
        self.assertEqual(value(name, method="any", route="none", status="405"), 1)
        self.assertEqual(value(name, method="any", route="dashboard", status="200"), 1)
        for made_up in (application, "app_made_up", "no/such", "query"):
            self.assertNotIn(made_up, page.text)


if __name__ == "__main__":
    suite.main()
