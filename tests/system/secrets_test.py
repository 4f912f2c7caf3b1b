"""Secrets, from outside: the main one is made, kept, backed up, changed and missed; and none of
those that the server is given shows in a file, in its logs or in an answer that is not for it."""

import base64
import http.client
import json
import os
import pathlib
import re
import secrets
import stat
import subprocess
import tempfile
import unittest

import suite
from petrel_server import DEADLINE, PETREL, Server, wait_until
from receiver import Receiver

HEADER_VALUE = "the value of a header that nobody may read"


def petrel(*arguments, environment=None):
    return subprocess.run(
        [PETREL, *arguments],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        env={**os.environ, **(environment or {})},
    )


class MainSecret(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        server = self.server()
        server.start()
        client = server.client()
        self.application = client.create_application("acme")
        self.endpoint = client.create_endpoint(
            self.application, "https://example.com/hook", headers={"x-api-key": HEADER_VALUE}
        )
        self.secret = client.secret(self.application, self.endpoint)
        client.close()
        self.store = server.store
        self.assertEqual(server.stop(), 0)

    def server(self, folder=None, **environment):
        server = Server(folder or self.folder, environment=environment)
        self.addCleanup(server.kill)
        return server

    def expect_the_endpoints_secret(self, server):
        server.start()
        client = server.client()
        self.assertEqual(client.secret(self.application, self.endpoint), self.secret)
        client.close()
        self.assertEqual(server.stop(), 0)

    def test_it_is_made_on_the_first_start_and_nobody_else_may_read_it(self):
        file = pathlib.Path(self.store, "main-secret")
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        self.expect_the_endpoints_secret(self.server())

    def test_no_secret_is_readable_in_the_folder(self):
        for file in pathlib.Path(self.store).iterdir():
            if file.is_file():
                self.assertNotIn(HEADER_VALUE.encode(), file.read_bytes(), file.name)
                self.assertNotIn(self.secret.encode(), file.read_bytes(), file.name)

    def test_it_belongs_to_a_backup(self):
        backup = os.path.join(self.folder, "backup")
        elsewhere = os.path.join(self.folder, "elsewhere")
        os.mkdir(elsewhere)
        self.assertEqual(petrel("backup", backup, "--store", self.store).returncode, 0)
        restored = os.path.join(elsewhere, "store")
        self.assertEqual(petrel("restore", backup, "--store", restored).returncode, 0)

        self.expect_the_endpoints_secret(self.server(elsewhere))
        inspected = petrel("inspect", "--store", restored)
        self.assertEqual(inspected.returncode, 0, inspected.stderr)

    def test_it_can_be_changed(self):
        first, second = "the first main secret", "the second main secret"
        self.expect_the_endpoints_secret(self.server(PETREL_MAIN_SECRET=first))
        os.remove(os.path.join(self.store, "main-secret"))
        self.expect_the_endpoints_secret(self.server(PETREL_MAIN_SECRET=f"{second},{first}"))
        self.expect_the_endpoints_secret(self.server(PETREL_MAIN_SECRET=second))

    def test_one_that_is_missing_or_cannot_be_read_is_never_replaced(self):
        file = pathlib.Path(self.store, "main-secret")
        kept = file.read_bytes()
        file.unlink()
        for command in (("inspect",), ("backup", os.path.join(self.store, "..", "copy"))):
            said = petrel(*command, "--store", self.store)
            self.assertEqual(said.returncode, 1)
            self.assertIn("put it back", said.stderr)
        self.assertFalse(file.exists())
        file.mkdir()  # Nobody can read that, not even root.
        said = petrel("inspect", "--store", self.store)
        self.assertEqual(said.returncode, 1)
        self.assertTrue(file.is_dir())
        file.rmdir()
        file.write_bytes(kept)
        self.expect_the_endpoints_secret(self.server())

    def test_a_damaged_backup_is_not_restored(self):
        backup = os.path.join(self.store, "..", "backup")
        self.assertEqual(petrel("backup", backup, "--store", self.store).returncode, 0)
        tables = sorted(pathlib.Path(backup).glob("*.sst"), key=lambda each: each.stat().st_size)
        self.assertTrue(tables, "what was written is in a table")
        content = bytearray(tables[-1].read_bytes())
        for at in range(20, 50):
            content[at] ^= 0xFF
        tables[-1].unlink()  # It is a link to the store's own.
        tables[-1].write_bytes(content)
        target = os.path.join(self.store, "..", "restored")
        said = petrel("restore", backup, "--store", target)
        self.assertEqual(said.returncode, 1, said.stdout)
        self.assertIn("is damaged", said.stderr)
        self.assertFalse(os.path.exists(target))

    def test_inspect_makes_no_store(self):
        folder = os.path.join(self.store, "..", "empty")
        os.mkdir(folder)
        self.assertEqual(petrel("inspect", "--store", folder).returncode, 1)
        self.assertEqual(os.listdir(folder), [])

    def test_without_it_nothing_opens_and_the_key_is_named(self):
        wrong = "another main secret"
        os.remove(os.path.join(self.store, "main-secret"))

        served = petrel(
            "serve",
            "--store",
            self.store,
            "--listen",
            "127.0.0.1:0",
            environment={"PETREL_MAIN_SECRET": wrong},
        )

        self.assertEqual(served.returncode, 1)
        self.assertRegex(
            served.stderr,
            f"{self.endpoint}: sealed with key [0-9a-f]{{16}}, which this server does not have",
        )
        self.assertNotIn(wrong, served.stderr)


def forms_of(secret):
    """Every form in which these bytes could be read, also in base64 behind other bytes."""
    yield secret
    yield secret.hex().encode()
    yield secret.hex().upper().encode()
    for others in range(3):
        padded = bytes(others) + secret
        padded = padded[: len(padded) // 3 * 3]
        first = others + 1 if others else 0
        yield base64.b64encode(padded)[first:]
        yield base64.urlsafe_b64encode(padded)[first:]


class Watch:
    """The secrets that were given away so far, by name. Only the bytes of a key are secret, not
    the form that it is written in."""

    def __init__(self):
        self._forms = {}

    def text(self, name):
        """A new secret text."""
        made = "hush-" + secrets.token_urlsafe(24)
        return self.keep(name, made)

    def key(self, name, size=32):
        """A new signing key."""
        raw = secrets.token_bytes(size)
        self.keep(name, raw)
        return "whsec_" + base64.b64encode(raw).decode()

    def keep(self, name, secret):
        raw = secret.encode() if isinstance(secret, str) else secret
        self._forms[name] = list(forms_of(raw))
        return secret

    def seen_in(self, data):
        """The names of those that can be read in this."""
        return {name for name, forms in self._forms.items() if any(form in data for form in forms)}


class NothingShows(unittest.TestCase):
    """P12. One server is given secrets wherever it takes one, and everything that comes out of it
    is searched: each answer as it comes, the logs and the files at the end."""

    # seed and public key, as published with the standard
    PAIR = (
        "6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg=="
    )

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.watch = Watch()
        self.receiver = Receiver()
        self.addCleanup(self.receiver.close)
        main_secret = self.watch.text("the main secret")
        self.server = Server(self.folder, environment={"PETREL_MAIN_SECRET": main_secret})
        self.addCleanup(self.server.kill)
        self.server.start()
        self.watch.keep("the token", self.server.token())
        self.give_secrets()

    def call(self, method, path, body, headers):
        """The status and the bytes of an answer, and the names of the secrets in it."""
        connection = http.client.HTTPConnection(
            self.server.host, self.server.port, timeout=DEADLINE
        )
        fields = {"authorization": "Bearer " + self.server.token()}
        fields.update({name.replace("_", "-"): value for name, value in headers.items()})
        if body is not None and not isinstance(body, str):
            body = json.dumps(body)
        if body is not None:
            fields["content-type"] = "application/json"
        try:
            connection.request(method, path, body, fields)
            answer = connection.getresponse()
            data = answer.read()
            return answer.status, data, self.watch.seen_in(str(answer.headers).encode() + data)
        finally:
            connection.close()

    def ask(self, method, path, body=None, status=200, shows=(), **headers):
        """The JSON of an answer that has this status, or one of these, and shows these secrets and
        no other."""
        got, data, seen = self.call(method, path, body, headers)
        self.assertIn(got, [status] if isinstance(status, int) else status, f"{path}: {data!r}")
        self.assertEqual(seen, set(shows), f"{method} {path} answered {data!r}")
        return json.loads(data) if data[:1] == b"{" else None

    def make_certificate(self):
        """A certificate and its key, in PEM."""
        files = [os.path.join(self.folder, name) for name in ("key.pem", "cert.pem")]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
            + ["-nodes", "-days", "1", "-subj", "/CN=client"]
            + ["-keyout", files[0], "-out", files[1]],
            check=True,
            capture_output=True,
            timeout=DEADLINE,
        )
        key, certificate = (pathlib.Path(file).read_text(encoding="ascii") for file in files)
        # The lines in it: the rest of the file is the same for all.
        self.watch.keep(f"the key of {certificate[60:90]}", "".join(key.split("\n")[1:-2])[40:])
        self.watch.keep(f"a line of {certificate[60:90]}", key.split("\n")[2])
        return certificate, key

    def give_secrets(self):
        watch = self.watch
        self.application = self.ask("POST", "/api/v1/app", {"name": "acme"}, 201)["id"]
        self.endpoints = f"/api/v1/app/{self.application}/endpoint"
        url = self.receiver.url("/hook")
        headers = {
            "x-api-key": watch.text("an API key"),
            "authorization": watch.text("a password"),
            "x-plain": watch.text("a plain header"),
        }
        new = {"url": url, "secret": watch.key("the first key"), "headers": headers}
        made = self.ask("POST", self.endpoints, new, 201, idempotency_key="once")
        again = self.ask("POST", self.endpoints, new, 201, idempotency_key="once")
        self.assertEqual(made, again)
        self.endpoint = made["id"]
        self.path = f"{self.endpoints}/{self.endpoint}"
        rotation = {"key": watch.key("the second key"), "gracePeriodSeconds": 3600}
        rotate = f"{self.path}/secret/rotate"
        shown = {"key": rotation["key"]}
        for _ in range(2):
            kept = self.ask(
                "POST", rotate, rotation, shows=["the second key"], idempotency_key="rotate once"
            )
            self.assertEqual(kept, shown)
        patch = {"headers": {"x-auth-token": watch.text("a patched token")}}
        self.ask("PATCH", f"{self.path}/headers", patch, 204)

        pair = base64.b64decode(self.PAIR)
        watch.keep("the seed of a pair", pair[:32])
        other = {"url": url, "secret": "whsk_" + self.PAIR, "uid": "paired"}
        other["clientCertificate"], other["clientKey"] = self.make_certificate()
        self.ask("POST", self.endpoints, other, 201)
        other["headers"] = {"x-api-key": watch.text("a header put")}
        del other["secret"]
        self.ask("PUT", f"{self.endpoints}/paired", other)
        self.ask("PATCH", f"{self.endpoints}/paired", {"description": "of two"})
        self.ask("PUT", f"{self.endpoints}/paired/headers", {"headers": other["headers"]}, 204)

        gone = {"url": url, "secret": watch.key("a key that is gone"), "uid": "gone"}
        self.ask("POST", self.endpoints, gone, 201)
        self.ask("DELETE", f"{self.endpoints}/gone", status=204)

        operational = "/api/v1/operational-webhook/endpoint"
        told = {"url": "https://example.com/", "secret": watch.key("an operational key")}
        self.operational = self.ask("POST", operational, told, 201)["id"]
        replay = f"/api/v1/app/{self.application}/replay"
        self.task = self.ask("POST", replay, {}, 202)["id"]

        portal = f"/api/v1/auth/app-portal-access/{self.application}"
        token = self.ask("POST", portal, {})["token"]
        watch.keep("a portal's token", token)
        self.ask("POST", "/api/v1/auth/logout", status=204, authorization="Bearer " + token)

        type_of = {"name": "order.paid", "description": "An order"}
        self.ask("POST", "/api/v1/event-type", type_of, 201)
        message = {"eventType": "order.paid", "payload": {"n": 1}}
        self.message = self.ask("POST", f"/api/v1/app/{self.application}/msg", message, 202)["id"]
        wait_until(lambda: len(self.receiver.of("/hook")) >= 2, "both endpoints have the message")
        sent = {request.headers.get("x-api-key") for request in self.receiver.of("/hook")}
        self.assertEqual(sent, {headers["x-api-key"], other["headers"]["x-api-key"]})
        self.attempts = f"/api/v1/app/{self.application}/attempt/msg/{self.message}"
        wait_until(lambda: len(self.ask("GET", self.attempts)["data"]) == 2, "recorded")
        self.attempt = self.ask("GET", self.attempts)["data"][0]["id"]

    def get_routes(self):
        """Every path that can be read, with its names filled in: "none" if there is none."""
        names = {
            "app_id": self.application,
            "endpoint_id": self.endpoint,
            "msg_id": self.message,
            "attempt_id": self.attempt,
            "event_type_name": "order.paid",
            "name": "storm-safe",
            "task_id": self.task,
        }
        operational = {"endpoint_id": self.operational}
        document = self.ask("GET", "/api/v1/openapi.json")
        for path, methods in document["paths"].items():
            if "get" in methods:
                own = {**names, **(operational if "/operational-" in path else {})}
                yield re.sub(r"{(\w+)}", lambda found, own=own: own.get(found[1], "none"), path)

    def test_no_answer_shows_a_secret_but_the_one_that_is_for_it(self):
        meant = {
            f"{self.path}/secret": {"the second key"},
            f"{self.path}/headers": {"a plain header"},
            f"/api/v1/operational-webhook/endpoint/{self.operational}/secret": {
                "an operational key"
            },
        }
        paths = list(self.get_routes())
        self.assertGreater(len(paths), 20)
        for path in paths:
            with self.subTest(path):
                good = [404] if "/none" in path else [200, 204, 302]
                self.ask("GET", path, status=good, shows=meant.get(path, ()))
        self.assertLessEqual(set(meant), set(paths))

    def bad_inputs(self):
        """Method, path, body and headers of calls that must fail, each with a secret of its own."""
        text, key = self.watch.text, self.watch.key
        url = self.receiver.url("/hook")
        certificate, _ = self.make_certificate()
        _, other_key = self.make_certificate()
        for secret in (
            key("a short key", 16),
            key("a long key", 90),
            "whsk_" + key("half a pair")[6:],
            "nothing_" + text("a wrong prefix"),
            "whsec_%" + text("no base64"),
            [text("in a list")],
            {"key": text("in an object")},
        ):
            yield "POST", self.endpoints, {"url": url, "secret": secret}
            yield "POST", f"{self.path}/secret/rotate", {"key": secret}
        good = key("with a bad period")
        yield "POST", f"{self.path}/secret/rotate", {"key": good, "gracePeriodSeconds": -1}
        yield "POST", self.endpoints, {"url": "ftp:nowhere", "secret": key("with a bad URL")}
        for value in (
            text("in two lines") + "\n",
            text("not ASCII") + "\u20ac",
            text("too long") * 200,
            [text("a list of headers")],
        ):
            headers = {"headers": {"x-api-key": value}}
            yield "POST", self.endpoints, {"url": url, **headers}
            yield "PUT", f"{self.path}/headers", headers
            yield "PATCH", f"{self.path}/headers", headers
        yield "PUT", f"{self.path}/headers", {"headers": {"host": text("of a forbidden header")}}
        yield "PUT", f"{self.path}/headers", {"headers": text("instead of headers")}
        for client_key in (other_key, text("no PEM"), [text("a list of keys")]):
            tls = {"clientCertificate": certificate, "clientKey": client_key}
            yield "POST", self.endpoints, {"url": url, **tls}
            yield "PATCH", self.path, tls
        yield "PATCH", self.path, {"clientKey": other_key}
        yield "POST", self.endpoints, '{"url": "x", "secret": "' + key("in broken JSON")
        yield "POST", self.endpoints, json.dumps(key("instead of an object"))
        yield "POST", self.endpoints, '{"secret": "' + text("before a bad byte") + '\x01"}'

    def test_no_error_shows_what_was_wrong_with_a_secret(self):
        for method, path, body in self.bad_inputs():
            with self.subTest(f"{method} {path} {str(body)[:60]}"):
                self.ask(method, path, body, status=range(400, 500))
        for authorization in ("Bearer " + self.watch.text("a wrong token"), self.server.token()):
            self.ask("GET", self.path, status=401, authorization=authorization)
        for path in ("/api/v1/nothing", self.endpoints + "/ep_none"):
            self.ask("GET", path, status=404)
        self.expect_silence()

    def expect_silence(self):
        self.assertEqual(self.server.stop(), 0)
        said = self.server.output() + self.server.errors()
        self.assertIn("petrel listens", said)
        self.assertEqual(self.watch.seen_in(said.encode()), set(), said)

    def test_neither_logs_nor_files_show_any(self):
        self.server.kill()
        self.server.start()  # What it says when it comes back counts too.
        self.expect_silence()
        plain = Watch()
        plain.keep("a name that is no secret", self.receiver.url("/hook"))
        found = set()
        for file in pathlib.Path(self.server.store).rglob("*"):
            if file.is_file():
                data = file.read_bytes()
                found |= plain.seen_in(data)
                self.assertEqual(self.watch.seen_in(data), set(), file.name)
        self.assertEqual(found, {"a name that is no secret"}, "the search must see something")


if __name__ == "__main__":
    suite.main()
