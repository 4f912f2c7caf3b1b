"""The commands that talk to a running server: what they do, and what they say."""

import json
import os
import pathlib
import pty
import re
import subprocess

import suite
from petrel_server import DEADLINE, PETREL, wait_until
from receiver import OK, Reply
from verbs_case import Running, Watching


class Send(Running):
    def received(self):
        return [request.body.decode() for request in self.receiver.requests]

    def test_a_payload_comes_from_the_command_line_a_file_or_stdin_to_the_byte(self):
        text = '{"n": 1.50,\n "big": 12345678901234567890}'
        self.send(text)
        self.petrel("send", "acme", "order.paid", "@" + self.path("p.json", text))
        self.petrel("send", "acme", "order.paid", "-", stdin=text)
        self.petrel("send", "acme", "order.paid")
        wait_until(lambda: len(self.receiver.requests) == 4, "four deliveries")
        self.assertEqual(sorted(self.received()), sorted([text, text, text, "{}"]))

    def test_what_is_said_of_a_message_arrives(self):
        flags = ["--event-id", "inv-1", "--channel", "eu", "--channel", "de", "--tag", "t"]
        made = self.parsed("send", "acme", "order.paid", "{}", *flags)
        self.assertEqual(made["eventId"], "inv-1")
        self.assertEqual(sorted(made["channels"]), ["de", "eu"])
        self.assertEqual(made["tags"], ["t"])
        again = self.petrel("send", "acme", "order.paid", "{}", "--event-id", "inv-1", code=1)
        self.assertIn("(409)", again.stderr)

    def test_a_mistake_is_named_by_its_field(self):
        said = self.petrel("send", "acme", "order paid", code=2).stderr
        self.assertIn("eventType: ", said)
        self.assertIn("(404)", self.petrel("send", "nobody", "a", code=1).stderr)


class StatusOfAServer(Running):
    def test_a_server_that_does_well_is_said_to(self):
        self.assertEqual(self.parsed("status")["concerns"], [])
        said = self.petrel("status").stdout
        self.assertEqual(said, "Well. Nothing needs attention: 1 application, 1 endpoint.\n")

    def test_what_needs_attention_is_said_with_its_remedy(self):
        self.make_dead(3)
        self.petrel("endpoint", "pause", "acme", "billing", "--reason", "they move house")
        said = self.petrel("status", code=3).stdout
        self.assertRegex(said, r"billing \(acme\) is paused for \S+: they move house\.")
        self.assertIn("  petrel endpoint resume acme billing\n", said)
        self.assertIn("acme has 3 dead letters: 3 permanent.", said)
        self.assertIn("2 things of 1 application, 1 endpoint need attention.", said)
        self.assertNotIn("\x1b", said)
        concerns = self.parsed("status", "--app", "acme", code=3)["concerns"]
        kinds = [each["kind"] for each in concerns]
        self.assertEqual(kinds, ["paused", "dead-letters"])

    def test_an_open_circuit_is_said_with_what_it_waits_for(self):
        self.receiver.behave = lambda request: Reply(503)
        policy = {"strategy": "fixed", "baseDelay": "1s", "maxAttempts": 50, "jitter": "none"}
        guards = {"openAfter": 2, "openTime": "60s"}
        self.client.must(
            200, "PATCH", "/app/acme/endpoint/billing", {"retryPolicy": policy, "guards": guards}
        )
        for _ in range(3):
            self.send()
        wait_until(lambda: self.health()["circuit"]["state"] == "open", "an open circuit")
        concern = self.parsed("status", code=3)["concerns"][0]
        self.assertEqual(concern["kind"], "circuit")
        self.assertEqual(concern["remedy"], "petrel endpoint probe acme billing")
        self.assertRegex(concern["text"], r"is open for .+ It is tried again in .+\.")
        self.receiver.behave = lambda request: OK
        self.assertIn("is tried now", self.petrel("endpoint", "probe", "acme", "billing").stdout)
        wait_until(lambda: self.health()["circuit"]["state"] == "closed", "a closed circuit")

    def test_on_a_terminal_it_has_colours(self):
        leader, follower = pty.openpty()
        self.addCleanup(os.close, leader)
        environment = {**os.environ, "TERM": "xterm"}
        environment.pop("NO_COLOR", None)
        command = [PETREL, "status", "--store", self.server.store]
        shown = subprocess.Popen(command, stdout=follower, stderr=follower, env=environment)
        os.close(follower)
        self.assertEqual(shown.wait(DEADLINE), 0)
        self.assertIn(b"\x1b[32mWell.\x1b[0m", os.read(leader, 4096))


class Endpoints(Running):
    def test_one_is_paused_and_resumed(self):
        self.assertIn("is paused", self.petrel("endpoint", "pause", "acme", "billing").stdout)
        self.assertTrue(self.health()["paused"])
        self.assertEqual(self.parsed("endpoint", "resume", "acme", "billing")["pause"], None)
        self.assertFalse(self.health()["paused"])

    def test_one_that_is_not_there_is_named(self):
        said = self.petrel("endpoint", "pause", "acme", "nobody", code=1).stderr
        self.assertIn("POST /app/acme/endpoint/nobody/pause: there is no such endpoint", said)
        self.assertIn("(404)", self.petrel("endpoint", "pause", "../acme", "b", code=1).stderr)


class Tail(Running):
    def tail(self, *arguments):
        watching = Watching("tail", "--store", self.server.store, "--rate", "50", *arguments)
        self.addCleanup(watching.process.wait)
        self.addCleanup(watching.process.kill)
        return watching

    def test_attempts_are_shown_once_each_until_ctrl_c(self):
        self.send('{"old": 1}')
        wait_until(lambda: len(self.receiver.requests) == 1, "the first delivery")
        watching = self.tail("--since", "1h")
        wait_until(lambda: len(watching.lines) == 1, lambda: watching.lines)
        good = self.send()
        bad = self.send('{"refuse": 1}')
        wait_until(lambda: len(watching.lines) == 3, lambda: watching.lines)
        text = "\n".join(watching.lines)
        self.assertRegex(text, rf"(?m)^[\dT:-]+  +200  +\S+  acme/billing  {good}$")
        self.assertRegex(text, rf"(?m)^[\dT:-]+  +404  +\S+  acme/billing  {bad}")
        self.assertEqual(watching.interrupt(self), "")
        self.assertEqual(len(watching.lines), 3)

    def test_filters_hold_and_json_is_a_line_each(self):
        self.add_endpoint("other")
        failures = self.tail("--status", "fail", "--since", "1h", "--json")
        others = self.tail("--app", "acme", "--endpoint", "other", "--since", "1h", "--json")
        self.send()
        refused = self.send('{"refuse": 1}')
        wait_until(
            lambda: len(failures.lines) == 2 and len(others.lines) == 2,
            lambda: (failures.lines, others.lines),
        )
        attempts = [json.loads(line) for line in failures.lines]
        self.assertEqual({each["msgId"] for each in attempts}, {refused})
        self.assertEqual(len({json.loads(line)["endpointId"] for line in others.lines}), 1)
        failures.interrupt(self)
        others.interrupt(self)

    def test_it_goes_on_over_a_restart_of_the_server_on_its_port(self):
        address = f"127.0.0.1:{self.server.port}"
        watching = self.tail("--app", "acme", "--since", "1h")
        self.send()
        wait_until(lambda: len(watching.lines) == 1, lambda: watching.lines)
        self.server.kill()
        self.server._listen = address
        self.server.start()
        self.send()
        wait_until(lambda: len(watching.lines) == 2, lambda: watching.lines)
        watching.interrupt(self)


class DeadLetters(Running):
    def test_they_are_listed_replayed_and_discarded(self):
        self.assertEqual(self.petrel("dead-letter", "list").stdout, "no dead letters\n")
        self.make_dead(6)
        table = self.petrel("dead-letter", "list", "acme").stdout.splitlines()
        self.assertEqual(len(table), 7)
        self.assertRegex(table[0], r"^died +application +endpoint +message +event type +reason")
        self.assertRegex(table[1], r" order\.paid +permanent +1 +404$")
        cut = self.petrel("dead-letter", "list", "--limit", "2").stdout
        self.assertIn("There are more", cut)
        listed = self.parsed("dead-letter", "list", "acme", "--reason", "permanent", "--limit", "2")
        self.assertEqual((len(listed["data"]), listed["done"]), (2, False))
        self.assertEqual(self.parsed("dead-letter", "list", "--reason", "gone")["data"], [])

        one = listed["data"][0]["msgId"]
        which = ["--endpoint", "billing", "--message", one]
        self.petrel("dead-letter", "discard", "acme", *which)
        self.assertEqual(self.health()["deadLetters"]["total"], 5)

        dry = self.petrel("dead-letter", "replay", "acme", "--dry-run").stdout
        self.assertRegex(dry, r"^5 deliveries would be sent again, in \S+ if all goes well\n$")
        self.receiver.behave = lambda request: OK
        done = self.petrel("dead-letter", "replay", "acme", "--rate", "6000")
        self.assertRegex(done.stdout, r"^finished: 5 sent again")
        wait_until(lambda: self.health()["deadLetters"]["total"] == 0, "no dead letters")

        self.receiver.behave = lambda request: Reply(404)
        self.make_dead(2)
        dry = self.petrel("dead-letter", "discard", "acme", "--all", "--dry-run").stdout
        self.assertIn("2 deliveries would be discarded", dry)
        done = self.petrel("dead-letter", "discard", "acme", "--since", "1h").stdout
        self.assertEqual(done, "finished: 2 discarded\n")

    def test_a_replay_goes_on_when_ctrl_c_ends_the_watching(self):
        self.make_dead(30)
        pace = ["--rate", "60", "--no-ramp"]
        watching = Watching("replay", "acme", *pace, "--store", self.server.store)
        self.addCleanup(watching.process.wait)
        self.addCleanup(watching.process.kill)

        def tasks():
            return self.client.must(200, "GET", "/app/acme/background-task")["data"]

        wait_until(lambda: tasks() and tasks()[0]["data"]["done"] > 0, "a replay under way")
        said = watching.interrupt(self)
        task = re.search(r"petrel replay --watch acme (qtask_\w+)", said)
        self.assertIsNotNone(task, said)
        self.assertEqual(tasks()[0]["state"], "running")
        self.assertIn("running", self.petrel("replay", "acme", "--list").stdout)
        ended = self.petrel("replay", "acme", "--cancel", task.group(1)).stdout
        self.assertRegex(ended, r"^cancelled: \d+ sent again")
        again = self.petrel("replay", "acme", "--watch", task.group(1), code=1)
        self.assertRegex(again.stdout, r"^cancelled: ")

    def test_what_an_endpoint_has_missed_is_sent(self):
        self.client.must(200, "PATCH", "/app/acme/endpoint/billing", {"disabled": True})
        self.send()
        self.client.must(200, "PATCH", "/app/acme/endpoint/billing", {"disabled": False})
        flags = ["--what", "missing", "--endpoint", "billing", "--since", "1h", "--rate", "6000"]
        said = self.parsed("replay", "acme", *flags, "--detach")
        self.assertEqual(said["kind"], "replay-missing")
        self.petrel("replay", "acme", "--watch", said["id"])
        wait_until(lambda: len(self.receiver.requests) == 1, "the missed message")


class Documentation(Running):
    """The examples of docs/cli.md, in the order in which they stand there."""

    def test_the_examples_do_what_they_say(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        text = (root / "docs" / "cli.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        self.assertEqual(len(blocks), 5)
        self.path("payload.json", '{"id": 19}')
        bin_folder = self.path("bin")
        os.makedirs(bin_folder)
        os.symlink(os.path.abspath(PETREL), os.path.join(bin_folder, "petrel"))
        variables = {
            "PATH": bin_folder + os.pathsep + os.environ["PATH"],
            "PETREL_STORE": self.server.store,
        }
        self.make_dead(3)
        for block in blocks:
            for line in block.splitlines():
                done = subprocess.run(
                    ["bash", "-c", line],
                    capture_output=True,
                    text=True,
                    timeout=DEADLINE,
                    check=False,
                    cwd=self.folder,
                    env={**os.environ, **variables},
                )
                # With dead letters, `status` exits so.
                code = 3 if line.startswith("petrel status") else 0
                self.assertEqual(done.returncode, code, (line, done.stdout, done.stderr))
                self.assertEqual(done.stderr, "", line)


if __name__ == "__main__":
    suite.main()
