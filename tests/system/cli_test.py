"""The binary as a person meets it: its words, its exit codes, and a server that comes and goes."""

import json
import os
import re
import signal
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

import suite

PETREL = os.environ["PETREL"]
DEADLINE = 30


def petrel(*arguments):
    return subprocess.run(
        [PETREL, *arguments], capture_output=True, text=True, timeout=DEADLINE, check=False
    )


class Words(unittest.TestCase):
    def test_help_and_version_succeed(self):
        self.assertEqual(petrel("--help").returncode, 0)
        self.assertIn("serve", petrel("--help").stdout)
        self.assertRegex(petrel("--version").stdout, r"^petrel \d+\.\d+\.\d+\n$")

    def test_a_wrong_command_line_exits_with_2_and_a_hint(self):
        for arguments in ([], ["fly"], ["serve", "--wings"], ["policy"], ["policy", "show"]):
            result = petrel(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertTrue(result.stderr.startswith("petrel: "), result.stderr)
            self.assertIn("hint: ", result.stderr)
            self.assertEqual(result.stdout, "")


class Policy(unittest.TestCase):
    def preview(self, *arguments):
        result = petrel("policy", "preview", *arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_every_listed_preset_can_be_shown_and_previewed(self):
        names = [line.split()[0] for line in petrel("policy", "list").stdout.splitlines()]
        self.assertEqual(len(names), 7)
        for name in names:
            shown = petrel("policy", "show", name)
            self.assertEqual(shown.returncode, 0)
            by_json = self.preview(shown.stdout, "--samples", "100")
            self.assertEqual(self.preview(name, "--samples", "100"), by_json)

    def test_preview_lists_the_waits(self):
        preview = self.preview('{"strategy": "linear", "baseDelay": "1m", "jitter": "none"}')
        rows = preview["attempts"][:3]
        self.assertEqual([row["n"] for row in rows], [1, 2, 3])
        self.assertEqual([row["minMs"] for row in rows], [0, 60000, 120000])
        self.assertEqual([row["cumulativeMeanMs"] for row in rows], [0, 60000, 180000])
        self.assertEqual(preview["ends"], "exhausted")

    def test_preview_reads_a_file_and_repeats_itself_by_its_seed(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write('{"jitter": "full"}')
            file.flush()
            once = self.preview("@" + file.name, "--seed", "7")
            self.assertEqual(self.preview("@" + file.name, "--seed", "7"), once)
            self.assertNotEqual(self.preview("@" + file.name, "--seed", "8"), once)

    def test_preview_limits_its_rows(self):
        self.assertEqual(len(self.preview("svix", "--failures", "3")["attempts"]), 3)

    def test_the_table_has_a_line_for_each_attempt(self):
        lines = petrel("policy", "preview", "gethook").stdout.splitlines()
        self.assertTrue(lines[0].lstrip().startswith("attempt"))
        self.assertTrue(lines[5].lstrip().startswith("5 "))

    def test_mistakes_name_the_field(self):
        for policy, words in (
            ('{"maxAttempts": 0}', "maxAttempts: must be between 1 and 1000"),
            ('{"rules": [{"on": "40x", "action": "fail"}]}', 'rules[0].on: "40x" is neither'),
            ("tempest", '"tempest" is not a preset'),
            ("@/nowhere/at/all", "cannot read the file"),
            ("{", "is not valid JSON"),
        ):
            result = petrel("policy", "preview", policy)
            self.assertEqual(result.returncode, 2, policy)
            self.assertIn(words, result.stderr)
        self.assertEqual(petrel("policy", "preview", "svix", "--samples", "0").returncode, 2)
        self.assertEqual(petrel("policy", "preview", "svix", "--samples", "9999999").returncode, 2)
        self.assertEqual(petrel("policy", "show", "tempest").returncode, 2)


class Serve(unittest.TestCase):
    def start(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        server = subprocess.Popen(
            [PETREL, "serve", "--listen", "127.0.0.1:0", "--store", folder.name],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        line = server.stdout.readline()
        return server, re.search(r"http://\S+", line).group(0)

    def test_it_answers_and_ends_with_0_when_told_to(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            server, url = self.start()
            with urllib.request.urlopen(url + "/api/v1/health/ping", timeout=DEADLINE) as answer:
                self.assertEqual(answer.status, 204)
            with self.assertRaises(urllib.error.HTTPError) as missing:
                urllib.request.urlopen(url + "/nowhere", timeout=DEADLINE)
            self.assertEqual(missing.exception.code, 404)
            self.assertEqual(json.load(missing.exception)["code"], "not_found")
            missing.exception.close()
            server.send_signal(number)
            self.assertEqual(server.wait(DEADLINE), 0)

    def test_a_taken_port_is_explained(self):
        _, url = self.start()
        address = url.removeprefix("http://")
        with tempfile.TemporaryDirectory() as folder:
            result = petrel("serve", "--listen", address, "--store", folder)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot listen on 127.0.0.1:", result.stderr)

    def test_a_wrong_address_is_explained(self):
        result = petrel("serve", "--listen", "here")
        self.assertEqual(result.returncode, 2)
        self.assertIn('--listen: "here" is not an address and port', result.stderr)


if __name__ == "__main__":
    suite.main()
