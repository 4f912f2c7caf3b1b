"""How the commands find a server, and what they say if it does not do as it should."""

import json
import os
import socket
import subprocess
import time
import unittest

import suite
from petrel_server import DEADLINE, PETREL
from strange_server import StrangeServer
from verbs_case import Running, Scratch, run

BIG = 40 * 1024 * 1024

# Answers whoever asks by the socket as a server would.
TRAP = """
import socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
print("up", flush=True)
visitor, _ = listener.accept()
visitor.recv(99)
visitor.sendall(b"ok http://127.0.0.1:1 x\\n")
"""


class Access(Running):
    def test_a_token_and_a_url_come_from_flags_variables_or_a_file(self):
        url = f"http://127.0.0.1:{self.server.port}"
        token = self.server.token()
        token_file = self.path("token", token + "\n")
        config = self.path(
            "petrel.toml", f'shards = 2\n[client]\nserver = "{url}"\ntoken = "@{token_file}"\n'
        )
        for arguments, variables in (
            (["--server", url, "--token", token], {}),
            (["--server", url + "/api/v1/", "--token", "@" + token_file], {}),
            ([], {"PETREL_URL": url, "PETREL_TOKEN": token}),
            (["--config", config], {}),
            ([], {"PETREL_CONFIG": config}),
        ):
            found = run("status", *arguments, cwd=self.folder, **variables)
            self.assertEqual(found.returncode, 0, found.stderr)
            self.assertIn("Nothing needs attention: 1 application, 1 endpoint.", found.stdout)
            self.assertEqual(found.stderr, "")

    def test_a_server_takes_a_file_with_a_table_for_clients(self):
        config = self.path("petrel.toml", '[client]\nserver = "http://127.0.0.1:1"\n')
        made = run("token", "create", "--store", self.server.store, "--config", config)
        self.assertEqual(made.returncode, 0, made.stderr)
        wrong = self.path("wrong.toml", '[client]\nservr = "http://127.0.0.1:1"\n')
        self.assertIn("did you mean server?", run("status", "--config", wrong).stderr)

    def test_on_the_same_machine_the_socket_is_enough(self):
        self.petrel("status")
        found = run("status", PETREL_STORE=self.server.store)
        self.assertEqual(found.returncode, 0, found.stderr)
        other = self.petrel("status", "--org", "org_00000000000000000000000000x")
        self.assertIn("0 applications", other.stdout)
        self.petrel("status", "--org", "nonsense", code=1)

    def test_another_token_is_shown_to_the_server_that_the_socket_names(self):
        refused = self.petrel("status", "--token", "wrong", code=2)
        self.assertIn("(401); make a token with `petrel token create`", refused.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "it becomes another user: run it as root")
    def test_another_user_gets_nothing_by_the_socket_whatever_its_rights(self):
        for path in (self.folder, self.server.store):
            os.chmod(path, 0o755)
        os.chmod(os.path.join(self.server.store, "petrel.sock"), 0o666)
        refused = subprocess.run(
            [PETREL, "status", "--store", self.server.store],
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
            user=65534,
            group=65534,
            extra_groups=[],
        )
        self.assertEqual(refused.returncode, 1, refused.stderr)
        self.assertEqual(refused.stdout, "")

    @unittest.skipUnless(os.geteuid() == 0, "it becomes another user: run it as root")
    def test_a_user_is_not_taken_in_by_the_socket_of_another(self):
        trap = self.path("trap")
        os.makedirs(trap)
        os.chown(trap, 65533, 65533)
        listener = subprocess.Popen(
            ["python3", "-c", TRAP, os.path.join(trap, "petrel.sock")],
            stdout=subprocess.PIPE,
            user=65533,
        )
        self.addCleanup(listener.stdout.close)
        self.addCleanup(listener.wait)
        self.addCleanup(listener.kill)
        os.chmod(self.folder, 0o755)
        os.chmod(trap, 0o755)
        self.assertEqual(listener.stdout.readline(), b"up\n")
        os.chmod(os.path.join(trap, "petrel.sock"), 0o666)
        refused = subprocess.run(
            [PETREL, "status", "--store", trap],
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
            user=65534,
            group=65534,
            extra_groups=[],
        )
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("is another user's", refused.stderr)


class Failures(Scratch):
    """Whatever the server is, a command ends in time, with words, and with 1 or 2."""

    COMMANDS = (
        ("status",),
        ("send", "acme", "order.paid"),
        ("tail",),
        ("dead-letter", "list"),
        ("dead-letter", "replay", "acme"),
        ("dead-letter", "discard", "acme", "--all"),
        ("replay", "acme"),
        ("replay", "--list"),
        ("endpoint", "pause", "acme", "billing"),
    )

    def fails(self, url, arguments, code=1, timeout="2s"):
        begin = time.monotonic()
        result = run(*arguments, "--server", url, "--token", "t", "--timeout", timeout)
        self.assertEqual(result.returncode, code, (arguments, result.stdout, result.stderr))
        self.assertTrue(result.stderr.startswith("petrel: "), result.stderr)
        self.assertLess(len(result.stderr), 2000)
        self.assertNotIn("\x1b", result.stdout + result.stderr)
        self.assertLess(time.monotonic() - begin, 50)
        return result.stderr

    def strange(self, answer):
        server = StrangeServer(answer)
        self.addCleanup(server.close)
        return server

    def test_without_a_server_they_say_how_to_name_one(self):
        for arguments in self.COMMANDS:
            result = run(*arguments, cwd=self.folder)
            self.assertEqual(result.returncode, 1, arguments)
            self.assertIn("name one by --server and --token", result.stderr)

    def test_a_server_that_is_away_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        for arguments in (("status",), ("send", "acme", "a"), ("endpoint", "pause", "a", "b")):
            said = self.fails(f"http://127.0.0.1:{port}", arguments)
            self.assertIn(f"no answer from http://127.0.0.1:{port}", said)

    def test_wrong_words_are_refused_before_anything_is_asked(self):
        url = "http://127.0.0.1:1"
        for arguments, words in (
            (("status", "--timeout", "soon"), "--timeout"),
            (("send", "acme", "a", "{"), "PAYLOAD: is not valid JSON"),
            (("send", "acme", "a", "[]"), "PAYLOAD: must be a JSON object"),
            (("send", "acme", "a", '{"a":1}}, "eventId": "x"'), "PAYLOAD: is not valid JSON"),
            (("send", "acme", "a", "@/nowhere/at/all"), "cannot read the file"),
            (("tail", "--status", "6xx"), "--status"),
            (("tail", "--endpoint", "b"), "--app: is needed"),
            (("replay",), "APP: is missing"),
            (("replay", "acme", "--what", "missing"), "--endpoint: is needed"),
            (("replay", "acme", "--since", "yesterday"), "--since: must be a time"),
            (("dead-letter", "discard", "acme"), "--all: is needed"),
        ):
            result = run(*arguments, "--server", url, "--token", "t")
            self.assertEqual(result.returncode, 2, (arguments, result.stderr))
            self.assertIn(words, result.stderr)
        for url in ("ftp://host", "http://me:secret@host", "host", "http://host/?a=b"):
            result = run("status", "--server", url, "--token", "t")
            self.assertEqual(result.returncode, 2, url)
            self.assertIn("--server: ", result.stderr)
        missing = run("status", "--server", "http://127.0.0.1:1")
        self.assertIn("token: is missing for http://127.0.0.1:1", missing.stderr)

    def test_answers_that_are_no_json_are_met_with_words(self):
        page = self.strange(lambda request: request.respond(200, "<html>\x1b[2J</html>"))
        for arguments in self.COMMANDS:
            self.assertIn("is it the URL of a Petrel server?", self.fails(page.url, arguments))

    def test_answers_of_another_shape_are_met_with_words(self):
        for text in ("{}", "[]", "null", '{"data": 7}', '{"data": [7]}', '{"data": {"a": []}}'):
            odd = self.strange(lambda request, text=text: request.respond(200, text))
            for arguments in (("status",), ("tail",), ("dead-letter", "list")):
                result = run(*arguments, "--server", odd.url, "--token", "t", "--timeout", "2s")
                self.assertIn(result.returncode, (0, 1, 2), (text, arguments, result.stderr))

    def test_a_huge_answer_is_cut_off(self):
        def answer(request):
            request.send_response(200)
            request.send_header("content-length", str(BIG))
            request.end_headers()
            for _ in range(BIG // 65536):
                request.wfile.write(b" " * 65536)

        self.assertIn("larger than 32MiB", self.fails(self.strange(answer).url, ("status",)))

    def test_huge_headers_are_cut_off(self):
        def answer(request):
            request.send_response(200)
            for number in range(5000):
                request.send_header(f"x-{number}", "y" * 80)
            request.end_headers()

        self.fails(self.strange(answer).url, ("status",))

    def test_an_answer_that_never_ends_is_given_up_at_the_deadline(self):
        def answer(request):
            request.send_response(200)
            request.send_header("content-length", "1000")
            request.end_headers()
            while not request.is_over.wait(0.1):
                request.wfile.write(b" ")
                request.wfile.flush()

        server = self.strange(answer)
        for arguments in (("status",), ("endpoint", "pause", "a", "b")):
            self.assertIn("no answer within 2s", self.fails(server.url, arguments))

    def test_a_list_without_an_end_is_given_up(self):
        same = '{"data": [{"id": "app_1"}], "iterator": "app_1", "done": false}'
        server = self.strange(lambda request: request.respond(200, same))
        self.assertIn("without an end", self.fails(server.url, ("status",)))

    def test_a_redirect_is_not_followed_with_the_token(self):
        other = self.strange(lambda request: request.respond(200, "{}"))
        server = self.strange(lambda request: request.respond(302, location=other.url))
        self.fails(server.url, ("status",))
        self.assertEqual(other.requests, [])

    def test_what_a_server_says_cannot_steer_a_terminal(self):
        text = json.dumps({"code": "x", "detail": "\x1b]0;owned\x07" + "y" * 100_000})
        server = self.strange(lambda request: request.respond(404, text))
        for arguments in self.COMMANDS:
            self.fails(server.url, arguments)

    def test_a_busy_server_is_asked_again_and_a_message_is_sent_once(self):
        keys = []

        def answer(request):
            keys.append(request.headers["idempotency-key"])
            if len(keys) < 3:
                return request.respond(503, "{}", retry_after="1" if len(keys) == 1 else "0")
            return request.respond(202, '{"id": "msg_1"}')

        server = self.strange(answer)
        sent = run("send", "acme", "a", "--server", server.url, "--token", "t")
        self.assertEqual(sent.returncode, 0, sent.stderr)
        self.assertEqual(sent.stdout, "accepted msg_1\n")
        self.assertEqual(len(set(keys)), 1)


if __name__ == "__main__":
    suite.main()
