"""The binary as a person meets it: its words, its exit codes, and a server that comes and goes."""

import base64
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


def petrel(*arguments, **variables):
    return subprocess.run(
        [PETREL, *arguments],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
        env={**os.environ, **variables},
    )


class Words(unittest.TestCase):
    def test_help_and_version_succeed(self):
        self.assertEqual(petrel("--help").returncode, 0)
        self.assertIn("serve", petrel("--help").stdout)
        version = petrel("--version").stdout
        self.assertRegex(version, r"^petrel \d+\.\d+\.\d+( \([\w.+-]+\))?\n$")
        self.assertEqual(petrel("version").stdout, version)
        parts = json.loads(petrel("version", "--json").stdout)
        self.assertIn(parts["version"], version)
        self.assertIn(parts["commit"], version)

    def test_help_of_a_command_is_the_same_by_both_ways(self):
        for path in ([], ["serve"], ["policy"], ["policy", "preview"]):
            asked = petrel("help", *path)
            self.assertEqual(asked.returncode, 0, asked.stderr)
            self.assertEqual(asked.stdout.strip(), petrel(*path, "--help").stdout.strip())
        self.assertEqual(petrel("help", "wings").returncode, 2)

    def test_help_as_json_has_every_option_of_serve(self):
        tree = json.loads(petrel("help", "--json").stdout)
        serve = next(each for each in tree["commands"] if each["name"] == "serve")
        listen = next(each for each in serve["options"] if each["names"] == ["--listen"])
        self.assertTrue(listen["takesValue"] and listen["isSetting"])
        shown = petrel("serve", "--help").stdout
        for option in serve["options"]:
            self.assertIn(option["names"][-1], shown)

    def test_a_wrong_command_line_exits_with_2_and_a_hint(self):
        for arguments in ([], ["fly"], ["serve", "--wings"], ["policy"], ["policy", "show"]):
            result = petrel(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertTrue(result.stderr.startswith("petrel: "), result.stderr)
            self.assertIn("hint: ", result.stderr)
            self.assertEqual(result.stdout, "")

    def test_a_slip_of_the_finger_is_met_with_what_was_meant(self):
        for arguments, meant in (
            (["serv"], "serve"),
            (["help", "polcy"], "policy"),
            (["policy", "shwo"], "show"),
            (["serve", "--listn", "127.0.0.1:0"], "--listen"),
        ):
            self.assertIn(f"did you mean {meant}?", petrel(*arguments).stderr)

    def test_a_variable_that_is_no_setting_is_warned_of(self):
        with tempfile.TemporaryDirectory() as folder:
            result = petrel("token", "create", "--store", folder, PETREL_LISTN="127.0.0.1:0")
        self.assertIn('the variable "PETREL_LISTN" has no effect', result.stderr)
        self.assertIn("did you mean PETREL_LISTEN?", result.stderr)

    def test_nothing_in_a_pipe_is_coloured(self):
        for arguments in (["policy", "list"], ["help"], ["fly"]):
            result = petrel(*arguments)
            self.assertNotIn("\x1b", result.stdout + result.stderr)


class Completion(unittest.TestCase):
    def complete(self, *words):
        """What bash offers for the last of these words."""
        script = petrel("completion", "bash").stdout
        line = " ".join(f"'{word}'" for word in words)
        script += f"\nCOMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _petrel"
        script += '\nprintf "%s\\n" "${COMPREPLY[@]}"'
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
        )
        return done.stdout.split()

    def test_commands_and_options_are_offered_where_they_belong(self):
        self.assertEqual(self.complete("petrel", "serv"), ["serve"])
        self.assertEqual(self.complete("petrel", "policy", "sh"), ["show"])
        words = ("petrel", "serve", "--listen", "x", "--tls-c")
        self.assertEqual(self.complete(*words), ["--tls-cert"])
        self.assertEqual(self.complete("petrel", "serve", "--hard"), [])
        self.assertEqual(self.complete("petrel", "backup", "--hard"), ["--hard-links"])

    def test_a_value_is_left_to_the_shell(self):
        self.assertEqual(self.complete("petrel", "serve", "--store", ""), [])

    def test_an_unknown_shell_is_refused(self):
        self.assertEqual(petrel("completion", "tcsh").returncode, 2)
        for shell in ("zsh", "fish"):
            self.assertIn("serve", petrel("completion", shell).stdout)


class Tokens(unittest.TestCase):
    def create(self, *arguments):
        return petrel("token", "create", "--jwt-secret", "16 characters or more", *arguments)

    def lifetime_days(self, *arguments):
        made = self.create("--json", *arguments)
        self.assertEqual(made.returncode, 0, made.stderr)
        payload = json.loads(made.stdout)["token"].split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return (claims["exp"] - claims["iat"]) / 86400, made.stderr

    def test_they_last_a_year_and_longer_ones_are_warned_of(self):
        self.assertEqual(self.lifetime_days(), (365, ""))
        self.assertEqual(self.lifetime_days("--expires", "30d"), (30, ""))
        days, warning = self.lifetime_days("--expires", "3650d")
        self.assertEqual(days, 3650)
        self.assertIn("should it leak", warning)


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
                urllib.request.urlopen(url + "/api/v1/nowhere", timeout=DEADLINE)
            self.assertEqual(missing.exception.code, 404)
            self.assertEqual(json.load(missing.exception)["code"], "not_found")
            missing.exception.close()
            server.send_signal(number)
            self.assertEqual(server.wait(DEADLINE), 0)

    def test_a_taken_port_is_explained(self):
        _, url = self.start()
        address = url.removeprefix("http://")
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "store")
            result = petrel("serve", "--listen", address, "--store", store)
            self.assertFalse(os.path.exists(store), "a start that failed has made a store")
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot listen on 127.0.0.1:", result.stderr)

    def test_a_wrong_address_is_explained(self):
        result = petrel("serve", "--listen", "here")
        self.assertEqual(result.returncode, 2)
        self.assertIn('--listen: "here" is not an address and port', result.stderr)

    def test_a_wrong_setting_exits_with_2_before_anything_is_made(self):
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "store")
            for flag, value in (
                ("--allow-subnets", "here"),
                ("--proxy", "ftp://proxy"),
                ("--tls-cert", "/nowhere"),
                ("--config", folder),
            ):
                result = petrel("serve", "--listen", "127.0.0.1:0", "--store", store, flag, value)
                self.assertEqual(result.returncode, 2, (flag, result.stderr))
                self.assertFalse(os.path.exists(store), flag)

    def test_localhost_is_a_listener(self):
        with tempfile.TemporaryDirectory() as folder:
            server = subprocess.Popen(
                [PETREL, "serve", "--listen", "localhost:0", "--store", folder],
                stdout=subprocess.PIPE,
                text=True,
            )
            self.addCleanup(server.stdout.close)
            self.addCleanup(server.wait)
            self.addCleanup(server.kill)
            self.assertRegex(server.stdout.readline(), r"listens on http://127\.0\.0\.1:\d+")


if __name__ == "__main__":
    suite.main()
