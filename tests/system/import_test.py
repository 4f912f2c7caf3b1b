"""`petrel import`: what is in one server comes into another, once, whatever happens on the way.

IMPORT_APPLICATIONS=1000 copies that many with five endpoints each instead of the few of every run.
"""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import unittest

import suite
from petrel_server import DEADLINE, PETREL, Server, wait_until
from strange_server import StrangeServer

APPLICATIONS = int(os.environ.get("IMPORT_APPLICATIONS", "30"))
ENDPOINTS = 5
KILLS = 2

# A big one takes a while.
RUN_DEADLINE = DEADLINE + APPLICATIONS

OWN = ("id", "createdAt", "updatedAt")

SCHEMA = {"1": {"type": "object", "properties": {"n": {"minimum": 1.5}}, "examples": [{"n": 2}]}}


def plain(record):
    """Without what each server makes by itself."""
    return {name: value for name, value in record.items() if name not in OWN}


class Copying(unittest.TestCase):
    """Two servers, and the command that copies from one to the other."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="petrel-import-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.source, self.old = self.start("source")
        self.target, self.new = self.start("target")

    def start(self, name):
        folder = os.path.join(self.folder, name)
        os.makedirs(folder)
        server = Server(folder)
        self.addCleanup(server.kill)
        server.start()
        client = server.client()
        self.addCleanup(client.close)
        return server, client

    def command(self, *arguments, url=None):
        return [
            PETREL,
            "import",
            "--from",
            url or f"http://127.0.0.1:{self.source.port}",
            "--from-token",
            "@" + self.token_file(),
            "--store",
            self.target.store,
            *arguments,
        ]

    def token_file(self):
        path = os.path.join(self.folder, "token")
        pathlib.Path(path).write_text(self.source.token(), encoding="utf-8")
        return path

    def run_import(self, *arguments, code=0, url=None):
        done = subprocess.run(
            self.command(*arguments, url=url),
            capture_output=True,
            text=True,
            timeout=RUN_DEADLINE,
            check=False,
            cwd=self.folder,
        )
        self.assertEqual(done.returncode, code, (arguments, done.stdout, done.stderr))
        self.assertNotIn("whsec_", done.stdout + done.stderr)
        return done

    def report(self, *arguments, code=0, url=None):
        return json.loads(self.run_import(*arguments, "--json", code=code, url=url).stdout)

    def journal(self):
        return os.path.join(self.folder, "petrel-import-127.0.0.1.jsonl")

    def journal_lines(self):
        try:
            return pathlib.Path(self.journal()).read_bytes().count(b"\n")
        except FileNotFoundError:
            return 0

    # What a server has, all of it.

    def pages(self, client, path):
        found, iterator = [], None
        while True:
            joint = "&" if "?" in path else "?"
            more = f"&iterator={iterator}" if iterator else ""
            page = client.must(200, "GET", f"{path}{joint}limit=250{more}")
            found += page["data"]
            if page["done"]:
                return found
            iterator = page["iterator"]

    def endpoint_of(self, client, path, record):
        headers = client.must(200, "GET", f"{path}/{record['id']}/headers")
        secret = client.must(200, "GET", f"{path}/{record['id']}/secret")
        pause = record.get("pause")
        return plain(record) | {
            "pause": pause and pause["reason"],
            "headers": headers,
            "secret": secret,
        }

    def everything(self, client):
        applications = []
        for record in self.pages(client, "/app?order=ascending"):
            path = f"/app/{record['id']}/endpoint"
            endpoints = self.pages(client, path + "?order=ascending")
            applications.append(
                (plain(record), [self.endpoint_of(client, path, each) for each in endpoints])
            )
        types = self.pages(client, "/event-type?include_archived=true&with_content=true")
        return applications, [plain(each) for each in types]

    # What is copied.

    def fill_types(self):
        for body in (
            {"name": "order.paid", "description": "Paid", "schemas": SCHEMA, "validate": True},
            {"name": "order.sent", "description": "", "deprecated": True, "groupName": "orders"},
            {"name": "order.old", "description": "Old", "featureFlags": ["beta", "gamma"]},
        ):
            self.old.must(201, "POST", "/event-type", body)

    def endpoint_body(self, number, dice):
        body = {"url": f"https://receiver-{dice.randrange(50)}.example/hook/{number % 3}"}
        if number % 2:
            body["uid"] = f"ep-{number}"
        if number % 3 == 0:
            body["eventTypes"] = ["order.paid", "order.old"]
        if number % 4 == 0:
            body |= {"channels": ["eu", "de"], "rateLimit": 7, "timeout": "5s", "maxInFlight": 3}
        if number % 5 == 0:
            body |= {"headers": {"X-Acme": f"v{number}"}, "metadata": {"n": str(number)}}
        if number % 7 == 0:
            body |= {"retryPolicy": "three-days", "guards": {"openAfter": 5}, "disabled": True}
        return body

    def fill(self, applications, archives=True):
        self.fill_types()
        dice = random.Random(1)
        for number in range(applications):
            body = {"name": f"Customer {number}", "metadata": {"plan": "ä"}}
            if number % 3:
                body |= {"uid": f"customer-{number}", "throttleRate": 100, "retention": "30d"}
            made = self.old.must(201, "POST", "/app", body)["id"]
            for each in range(ENDPOINTS):
                endpoint = self.endpoint_body(number * ENDPOINTS + each, dice)
                self.old.must(201, "POST", f"/app/{made}/endpoint", endpoint)
        if archives:
            self.old.must(204, "DELETE", "/event-type/order.old")


class Import(Copying):
    def test_every_record_is_the_same_after_kills_and_once(self):
        self.fill(APPLICATIONS)
        all_lines = APPLICATIONS * (ENDPOINTS + 1)
        for number in range(KILLS):
            cut = all_lines * (number + 1) // (KILLS + 1)
            process = subprocess.Popen(
                self.command(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=self.folder,
            )
            wait_until(lambda cut=cut: self.journal_lines() >= cut, "lines", RUN_DEADLINE)
            process.send_signal(signal.SIGKILL)
            self.assertEqual(process.wait(DEADLINE), -signal.SIGKILL)
        done = self.report()
        self.assertEqual(done["notTaken"], [])
        endpoints = done["endpoints"]
        self.assertEqual(endpoints["made"] + endpoints["madeBefore"], APPLICATIONS * ENDPOINTS)
        self.assertGreaterEqual(endpoints["madeBefore"], APPLICATIONS)
        before = self.everything(self.old)
        self.assertEqual(self.everything(self.new), before)
        self.assertEqual(len(before[0]), APPLICATIONS)

        again = self.report()
        for kind, count in (("applications", 1), ("endpoints", ENDPOINTS)):
            self.assertEqual(again[kind]["madeBefore"], APPLICATIONS * count)
            self.assertEqual(again[kind]["made"], 0)
        self.assertEqual(self.everything(self.new), before)
        self.assertEqual(self.everything(self.old), before)
        text = pathlib.Path(self.journal()).read_text(encoding="utf-8")
        self.assertNotIn("whsec_", text)
        self.assertEqual(os.stat(self.journal()).st_mode & 0o777, 0o600)

    def test_lines_that_a_crash_has_kept_from_the_journal_double_nothing(self):
        self.fill(4, archives=False)
        self.run_import()
        before = self.everything(self.new)
        path = pathlib.Path(self.journal())
        path.write_bytes(path.read_bytes().splitlines(keepends=True)[0] + b'{"kind":"appl')
        self.assertEqual(self.report()["notTaken"], [])
        self.assertEqual(self.everything(self.new), before)

    def test_without_the_journal_what_can_be_known_is_not_doubled(self):
        self.fill_types()
        self.old.must(201, "POST", "/app", {"name": "A", "uid": "a"})
        same = {"url": "https://receiver.example/", "headers": {"X-A": "1"}}
        same["secret"] = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        for body in (same, same, same | {"uid": "named"}, {"url": "https://other.example/"}):
            self.old.must(201, "POST", "/app/a/endpoint", body)
        self.run_import()
        os.unlink(self.journal())
        self.old.must(201, "POST", "/app/a/endpoint", {"url": "https://new.example/"})
        done = self.report()
        self.assertEqual(done["applications"]["thereAlready"], 1)
        self.assertEqual(done["endpoints"]["thereAlready"], 4)
        lines = map(json.loads, pathlib.Path(self.journal()).read_text().splitlines()[1:])
        landed = [line["to"] for line in lines if line["kind"] == "endpoint"]
        self.assertEqual(len(set(landed)), 5, landed)
        self.assertEqual(done["endpoints"]["made"], 1)
        self.assertEqual(self.everything(self.new), self.everything(self.old))

    def test_a_dry_run_says_what_would_be_done_and_does_nothing(self):
        self.fill(2)
        done = self.report("--dry-run")
        self.assertEqual(done["endpoints"]["made"], 2 * ENDPOINTS)
        self.assertEqual(done["applications"]["made"], 2)
        self.assertEqual(done["eventTypes"]["made"], 3)
        self.assertEqual(self.everything(self.new), ([], []))
        self.assertFalse(os.path.exists(self.journal()))
        self.assertIn("to make", self.run_import("--dry-run").stdout)

    def test_one_application_can_be_named(self):
        self.fill(3)
        self.run_import("--app", "customer-1")
        self.assertEqual([each[0]["uid"] for each in self.everything(self.new)[0]], ["customer-1"])
        self.run_import("--app", "nobody", code=1)

    def test_what_the_source_hides_is_reported_and_its_endpoint_waits(self):
        self.old.must(201, "POST", "/app", {"name": "A", "uid": "a"})
        for uid, more in (
            ("header", {"headers": {"Authorization": "hush", "X-A": "1"}}),
            ("paused", {}),
            ("plain", {}),
        ):
            body = {"url": "https://receiver.example/", "uid": uid} | more
            self.old.must(201, "POST", "/app/a/endpoint", body)
        self.old.must(200, "POST", "/app/a/endpoint/paused/pause", {"reason": "moving"})
        done = self.run_import(code=3)
        self.assertRegex(done.stdout, r'endpoint header \(ep_\w+\) of a \(app_\w+\): header "Auth')
        self.assertNotIn("hush", done.stdout + pathlib.Path(self.journal()).read_text())

        def seen(uid):
            return self.new.must(200, "GET", f"/app/a/endpoint/{uid}")["pause"]

        reason = "imported without the header Authorization"
        self.assertEqual(seen("header")["reason"], reason)
        self.assertEqual(seen("paused")["reason"], "moving")
        self.assertIsNone(seen("plain"))
        headers = self.new.must(200, "GET", "/app/a/endpoint/header/headers")
        self.assertEqual(headers, {"headers": {"X-A": "1"}, "sensitive": []})
        # The report is whole also if an earlier run took the record.
        self.assertEqual(len(self.report(code=3)["notTaken"]), 1)

    def test_what_the_target_refuses_is_reported_and_the_rest_goes_on(self):
        self.target.kill()
        self.target._allow_subnets = "10.9.9.0/24"
        self.target.start()
        self.old.must(201, "POST", "/app", {"name": "A", "uid": "a"})
        for uid, url in (("near", "http://127.0.0.1:1/"), ("far", "https://receiver.example/")):
            self.old.must(201, "POST", "/app/a/endpoint", {"url": url, "uid": uid})
        done = self.report(code=3)
        self.assertEqual(done["endpoints"]["refused"], 1)
        self.assertEqual(done["endpoints"]["made"], 1)
        self.assertIn("the target refuses it: url: ", done["notTaken"][0]["what"])

    def test_a_journal_is_of_one_import_alone(self):
        self.fill(1)
        self.run_import()
        other = f"http://localhost:{self.source.port}"
        said = self.run_import("--journal", self.journal(), code=2, url=other).stderr
        self.assertIn("--journal: ", said)
        wrong = self.token_file()
        before = pathlib.Path(wrong).read_bytes()
        said = self.run_import("--journal", wrong, code=2).stderr
        self.assertIn("is not the journal", said)
        self.assertEqual(pathlib.Path(wrong).read_bytes(), before)

    def test_an_organisation_is_not_copied_into_itself(self):
        self.fill(1)
        before = self.everything(self.old)
        self.target = self.source
        said = self.run_import(code=2).stderr
        self.assertIn("--from: is the organisation that is imported into", said)
        self.assertEqual(self.everything(self.old), before)

    def test_mistakes_name_the_flag(self):
        for arguments, words in (
            (["import"], "--from"),
            (["import", "--from", "http://127.0.0.1:1"], "--from-token: is missing"),
            (["import", "--from", "nonsense", "--from-token", "x"], "--from: "),
        ):
            done = subprocess.run(
                [PETREL, *arguments, "--store", self.target.store],
                capture_output=True,
                text=True,
                timeout=DEADLINE,
                check=False,
                cwd=self.folder,
            )
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)


class StrangeSource(Copying):
    """A source that is not Petrel: what Svix's servers answer, and what nobody should."""

    PAGE_END = '"iterator": null, "done": true}'

    def setUp(self):
        super().setUp()
        self.source.kill()
        self.asked = {}

    def token_file(self):
        path = os.path.join(self.folder, "token")
        pathlib.Path(path).write_text("token-of-the-source", encoding="utf-8")
        return path

    def run_at(self, answer, code, *arguments):
        server = StrangeServer(answer)
        self.addCleanup(server.close)
        done = self.run_import("--timeout", "2s", *arguments, code=code, url=server.url)
        self.assertNotIn("token-of-the-source", done.stdout + done.stderr)
        return done, server

    def hosted(self, request):
        path = request.path.partition("?")[0].removeprefix("/api/v1")
        answers = {
            "/event-type": '{"data": [], "iterator": null, "done": true}',
            "/app": '{"data": [{"id": "app_1", "name": "A", "uid": "a", "wings": 2}], '
            + self.PAGE_END,
            "/app/app_1/endpoint": '{"data": [{"id": "ep_1", "url": "https://a.example", '
            '"version": 1, "filterTypes": null, "description": "", "uid": "one"}, '
            '{"id": "ep_2", "url": "https://b.example", "uid": "two"}], ' + self.PAGE_END,
        }
        for name in ("ep_1", "ep_2"):
            base = f"/app/app_1/endpoint/{name}"
            answers[base + "/secret"] = '{"key": "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}'
            headers = '{"headers": {"Via": "me", "X-A": "1"}, "sensitive": []}'
            answers[base + "/headers"] = headers
            answers[base + "/transformation"] = '{"enabled": %s}' % (
                "true" if name == "ep_2" else "false"
            )
        # The first answer to each is that it is too much, or that something is broken.
        count = self.asked[path] = self.asked.get(path, 0) + 1
        if count == 1:
            return request.respond(429 if len(path) % 2 else 502, "", retry_after="0")
        return request.respond(200, answers[path])

    def test_a_source_that_limits_and_fails_is_asked_again(self):
        done, _ = self.run_at(self.hosted, 3, "--json")
        report = json.loads(done.stdout)
        self.assertEqual(report["endpoints"]["made"], 2)
        notes = [each["what"] for each in report["notTaken"]]
        self.assertIn('field "wings": is not known here', notes)
        self.assertTrue(any(note.startswith('header "Via": ') for note in notes), notes)
        self.assertTrue(any(note.startswith("transformation: ") for note in notes), notes)
        endpoint = self.new.must(200, "GET", "/app/a/endpoint/two")
        self.assertIn("its transformation", endpoint["pause"]["reason"])
        key = self.new.must(200, "GET", "/app/a/endpoint/one/secret")["key"]
        self.assertEqual(key, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")

    def test_a_source_that_lets_nobody_in_ends_it(self):
        done, server = self.run_at(lambda request: request.respond(401, "{}"), 2)
        self.assertIn("the import has not come to its end", done.stderr)
        self.assertEqual(len(server.requests), 1)

    def test_a_source_that_is_no_api_ends_it(self):
        done, _ = self.run_at(lambda request: request.respond(200, "<html>"), 1)
        self.assertIn("is it the URL of a Petrel server?", done.stderr)

    def test_records_of_any_shape_do_no_harm(self):
        for text in (
            '{"data": [{}], "done": true}',
            '{"data": [{"id": "../../x", "name": 7, "uid": []}], "done": true}',
            '{"data": [7], "done": true}',
            '{"data": [{"id": "app_1", "name": "\\u001b[2J", "uid": "\\u0000"}], "done": true}',
        ):
            server = StrangeServer(lambda request, text=text: request.respond(200, text))
            self.addCleanup(server.close)
            done = subprocess.run(
                self.command("--timeout", "2s", url=server.url),
                capture_output=True,
                text=True,
                timeout=DEADLINE,
                check=False,
                cwd=self.folder,
            )
            self.assertIn(done.returncode, (1, 2, 3), (text, done.stdout, done.stderr))
            self.assertNotIn("\x1b", done.stdout + done.stderr)
            if os.path.exists(self.journal()):
                os.unlink(self.journal())

    def test_ctrl_c_ends_it_in_order(self):
        def answer(request):
            if request.path.startswith("/api/v1/app?"):
                return request.respond(200, '{"data": [], "done": true}')
            request.is_over.wait(DEADLINE)
            return None

        server = StrangeServer(answer)
        self.addCleanup(server.close)
        process = subprocess.Popen(
            self.command("--timeout", "10m", url=server.url),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
        )
        wait_until(lambda: len(server.requests) == 2, lambda: server.requests)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=DEADLINE)[1]
        self.assertEqual(process.returncode, 1, said)
        self.assertIn("interrupted", said)
        self.assertIn("goes on where it was", said)


if __name__ == "__main__":
    suite.main()
