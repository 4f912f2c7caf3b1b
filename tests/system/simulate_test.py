"""`petrel simulate` as a person meets it: its table, its files, and what it says to nonsense."""

import json
import os
import pty
import select
import subprocess
import tempfile
import time
import unittest

import suite

PETREL = os.environ["PETREL"]
DEADLINE = 60

# Small enough for a test: a thousand messages in a minute's outage.
SMALL = ("--events", "1000", "--outage", "1m", "--capacity", "20/s")


def simulate(*arguments):
    return subprocess.run(
        [PETREL, "simulate", *arguments],
        capture_output=True, text=True, timeout=DEADLINE, check=False,
    )


class Results(unittest.TestCase):
    def json_of(self, *arguments):
        result = simulate(*SMALL, *arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_the_json_has_the_scenario_and_a_score_for_each_run(self):
        answer = self.json_of("--policy", "storm-safe,fixed:5s:maxAttempts=50")
        self.assertEqual(answer["scenario"], {
            "events": 1000, "batch": 1, "spanMs": 60000, "outageAtMs": 0, "outageMs": 60000,
            "outageKind": "refuse", "capacityPerSecond": 20, "latencyMs": 50,
            "crashAfterMs": 2000, "crashForMs": 30000, "maxInFlight": 10, "timeoutMs": 15000,
            "durationMs": 86460000, "seed": 1,
        })
        runs = answer["runs"]
        self.assertEqual(
            [(run["policy"], run["guards"]) for run in runs],
            [("storm-safe", False), ("storm-safe", True),
             ("fixed:5s:maxAttempts=50", False), ("fixed:5s:maxAttempts=50", True)],
        )
        counts = ("delivered", "dead", "unfinished", "attempts", "wastedAttempts",
                  "peakPerSecond", "crashes")
        times = ("drainedAfterMs", "delayP50Ms", "delayP99Ms", "neighbourP99Ms", "neighbourMaxMs")
        for run in runs:
            self.assertEqual(set(run), {"policy", "retryPolicy", "guards", "score"})
            score = run["score"]
            self.assertEqual(set(score), {*counts, *times, "paused"})
            for name in counts:
                self.assertIsInstance(score[name], int)
                self.assertGreaterEqual(score[name], 0)
            for name in times:
                self.assertTrue(score[name] is None or score[name] >= 0, name)
            self.assertEqual(score["delivered"] + score["dead"] + score["unfinished"], 1000)
        self.assertEqual(runs[2]["retryPolicy"]["maxAttempts"], 50)

    def test_the_guards_save_the_receiver_and_the_messages(self):
        runs = self.json_of("--policy", "fixed:5s:maxAttempts=50")["runs"]
        alone, guarded = (run["score"] for run in runs)
        self.assertGreaterEqual(alone["crashes"], 3)
        self.assertEqual(guarded["crashes"], 0)
        self.assertEqual(guarded["dead"], 0)

    def test_no_breaker_and_guards_choose_the_runs(self):
        def chosen(*arguments):
            runs = self.json_of("--policy", "svix", *arguments)["runs"]
            return [run["guards"] for run in runs]

        self.assertEqual(chosen(), [False, True])
        self.assertEqual(chosen("--no-breaker"), [False])
        self.assertEqual(chosen("--guards", "off"), [False])
        self.assertEqual(chosen("--guards", "on"), [True])

    def test_an_outage_lies_in_the_middle_of_a_longer_span(self):
        scenario = self.json_of("--policy", "svix", "--span", "4m")["scenario"]
        self.assertEqual((scenario["spanMs"], scenario["outageAtMs"]), (240000, 90000))

    def test_a_policy_can_be_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"strategy": "fixed", "baseDelay": "7s", "jitter": "none"}')
            runs = self.json_of("--policy", "svix,@" + path)["runs"]
        self.assertEqual(runs[2]["retryPolicy"]["baseDelay"], "7s")

    def test_the_table_names_every_policy_and_a_verdict(self):
        result = simulate(*SMALL, "--policy", "storm-safe,gethook")
        self.assertEqual(result.returncode, 0, result.stderr)
        for words in ("storm-safe", "gethook", "peak/s", "neighbour p99", "away", "Best here"):
            self.assertIn(words, result.stdout)
        self.assertEqual(result.stderr, "")

    def test_the_same_seed_gives_the_same_bytes(self):
        def bytes_of(seed):
            with tempfile.TemporaryDirectory() as folder:
                html, svg = (os.path.join(folder, name) for name in ("a.html", "a.svg"))
                result = simulate(*SMALL, "--policy", "storm-safe,fixed:5s", "--seed", seed,
                                  "--html", html, "--svg", svg)
                self.assertEqual(result.returncode, 0, result.stderr)
                with open(html, "rb") as page, open(svg, "rb") as picture:
                    return result.stdout, page.read(), picture.read()

        once = bytes_of("7")
        self.assertEqual(bytes_of("7"), once)
        for one, other in zip(bytes_of("8"), once):
            self.assertNotEqual(one, other)

    def test_the_page_gives_the_command_that_makes_it_again(self):
        with tempfile.TemporaryDirectory() as folder:
            html = os.path.join(folder, "a.html")
            simulate(*SMALL, "--policy", "storm-safe,fixed:5s", "--seed", "7", "--html", html)
            with open(html, encoding="utf-8") as file:
                page = file.read()
            command = page.split("<pre>")[1].split("</pre>")[0].replace("\\\n", "").split()
            self.assertEqual(command[:2], ["petrel", "simulate"])
            again = os.path.join(folder, "b.html")
            self.assertEqual(simulate(*command[2:], "--html", again).returncode, 0)
            with open(again, encoding="utf-8") as file:
                self.assertEqual(file.read(), page)


class Nonsense(unittest.TestCase):
    def test_a_mistake_names_the_flag_and_the_reason(self):
        for arguments, words in (
            (["--events", "0"], "--events: must be between 1 and 1,000,000"),
            (["--events", "99999999999"], "--events: must be between 1 and 1,000,000"),
            (["--events", "many"], "--events"),
            (["--batch", "-1"], "--batch: must be between 1 and 10,000"),
            (["--outage", "ten minutes"], '--outage: "ten minutes" is not a duration'),
            (["--outage", "25h", "--duration", "24h"],
             "--span: the messages come over 25h, but the run ends after 1d"),
            (["--outage-at", "24h", "--duration", "24h"], "--outage: it ends 1d after the start"),
            (["--outage-kind", "explode"],
             '--outage-kind: "explode" is not one of refuse, 503, hang'),
            (["--capacity", "fast"], '--capacity: "fast" is not a rate'),
            (["--capacity", "0/s"], "--capacity: must be between 1 and 100,000"),
            (["--capacity", "5/m"], '--capacity: "5/m" is not a rate'),
            (["--latency", "20s"], "--latency: must be less than the timeout of 15s"),
            (["--duration", "8d"], "--duration: must be between 1s and 7d"),
            (["--crash-after", "10ms"], "--crash-after: must be between 1s and 10m"),
            (["--in-flight", "0"], "--in-flight: must be between 1 and 1,000"),
            (["--policy", "nonsense"], '--policy: "nonsense": "nonsense" is not a preset'),
            (["--policy", "svix,svix"], '--policy: "svix" is given twice'),
            (["--policy", "svix,"], '--policy: "": "" is not a preset'),
            (["--policy", "fixed:soon"], '"soon" is not a duration'),
            (["--policy", "fixed:1s:maxAttempts=0"], "maxAttempts: must be between 1 and 1000"),
            (["--policy", "@/nowhere.json"], "cannot read the file /nowhere.json"),
            (["--policy", ",".join(f"fixed:{n}s" for n in range(1, 14))],
             "--policy: at most 12 at a time"),
            (["--guards", "some"], "--guards"),
            (["--guards", "on", "--no-breaker"], "--no-breaker"),
            (["--seed", "-1"], "--seed"),
        ):
            with self.subTest(arguments=arguments):
                result = simulate(*arguments)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(words, result.stderr)
                self.assertIn("hint: ", result.stderr)
                self.assertEqual(result.stdout, "")

    def test_a_file_that_cannot_be_written_is_found_out_before_the_work(self):
        for flag in ("--html", "--svg"):
            result = simulate(flag, "/nowhere/report")
            self.assertEqual(result.returncode, 1)
            self.assertIn("cannot write the file /nowhere/report", result.stderr)
            self.assertEqual(result.stdout, "")

    def test_a_full_disk_is_said_so(self):
        result = simulate(*SMALL, "--policy", "svix", "--svg", "/dev/full")
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write the report", result.stderr)


class Waiting(unittest.TestCase):
    def test_a_long_run_shows_a_bar_on_a_terminal(self):
        # Far longer than any deadline of a test: it is ended as soon as the bar is seen.
        screen, terminal = pty.openpty()
        process = subprocess.Popen(
            [PETREL, "simulate", "--events", "1000000", "--no-breaker",
             "--policy", "fixed:1s:maxAttempts=1000"],
            stdout=subprocess.DEVNULL, stderr=terminal,
        )
        os.close(terminal)
        seen = b""
        deadline = time.monotonic() + DEADLINE
        try:
            while "%".encode() not in seen and time.monotonic() < deadline:
                if select.select([screen], [], [], 1)[0]:
                    seen += os.read(screen, 4096)
        finally:
            process.kill()
            process.wait()
            os.close(screen)
        self.assertIn("fixed:1s:maxAttempts=1000 alone", seen.decode())
        self.assertIn("░", seen.decode())


if __name__ == "__main__":
    suite.main()
