"""A store that the disk has changed, from outside: it is said by name, nothing damaged is served,
and what can go on goes on."""

import datetime
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import urllib.request

import suite
from petrel_server import DEADLINE, PETREL, Server, wait_until
from receiver import OK, Receiver


# Those that a starting server walks through.
FAMILIES = ("application", "endpoint", "event_type", "due", "tally")


def in_an_hour():
    later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
    return later.isoformat()


def petrel(*arguments):
    return subprocess.run([PETREL, *arguments], capture_output=True, text=True, timeout=DEADLINE)


class Damage(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="petrel-damage-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.receiver = Receiver(lambda request: OK)
        self.addCleanup(self.receiver.close)

    def server(self, *options):
        server = Server(self.folder, "--write-buffer-mib", "8", *options)
        self.addCleanup(server.kill)
        return server

    def body(self, size=20_000):
        return {"eventType": "a", "payload": {"pad": os.urandom(size // 2).hex()}}

    def fill(self, client, count, size=20_000):
        body = self.body(size)
        return [client.must(202, "POST", "/app/a/msg", body)["id"] for _ in range(count)]

    def wait_for_delivery(self, client, message):
        path = f"/app/a/delivery/{message}/main"
        wait_until(
            lambda: client.must(200, "GET", path)["status"] == "delivered",
            lambda: client.must(200, "GET", path),
        )

    def filled_store(self):
        """A stopped store with tables and logs."""
        server = self.server().start()
        client = server.client()
        client.must(201, "POST", "/app", {"name": "A", "uid": "a"})
        body = {"url": self.receiver.url("/main"), "uid": "main"}
        client.must(201, "POST", "/app/a/endpoint", body)
        self.messages = self.fill(client, 200)
        self.wait_for_delivery(client, self.messages[-1])
        client.close()
        self.assertEqual(server.stop(), 0)
        return server.store

    def files(self, store, pattern):
        return sorted(pathlib.Path(store).glob(pattern))

    def metrics(self, server):
        url = f"http://{server.host}:{server.port}/metrics"
        with urllib.request.urlopen(url, timeout=DEADLINE) as answer:
            return answer.read().decode()

    def test_a_store_that_is_whole_is_said_to_be(self):
        said = petrel("inspect", "--verify", "--store", self.filled_store())
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertIn("all whole", said.stdout)

    def test_a_missing_log_is_not_passed_over(self):
        store = self.filled_store()
        log = self.files(store, "*.log")[-1]
        log.unlink()

        server = self.server()
        server.spawn()
        self.assertEqual(server.wait(), 1)
        self.assertIn("has lost its latest commits", server.errors())
        self.assertIn("--accept-data-loss", server.errors())
        said = petrel("inspect", "--verify", "--store", store)
        self.assertEqual(said.returncode, 3)
        self.assertIn("damaged: the last log", said.stdout)

        server = self.server("--accept-data-loss").start()
        client = server.client()
        client.must(201, "POST", "/app", {"name": "B", "uid": "b"})
        self.assertIn("petrel_store_damaged_records_total 1\n", self.metrics(server))
        client.close()
        self.assertEqual(server.stop(), 0)
        self.server().start()

    def test_a_damaged_table_is_named_and_the_rest_goes_on(self):
        store = self.filled_store()
        server = self.server().start()  # What was in the log is in tables now.
        self.assertEqual(server.stop(), 0)
        # The largest is one with payloads.
        table = max(self.files(store, "*.sst"), key=lambda each: each.stat().st_size)
        content = bytearray(table.read_bytes())
        for place in range(len(content) // 4, len(content) * 3 // 4, 4096):
            content[place] ^= 0xFF
        table.write_bytes(content)

        said = petrel("inspect", "--verify", "--store", store)
        self.assertEqual(said.returncode, 3)
        self.assertIn(f"damaged: {table.name}", said.stdout)

        server = self.server().start()
        client = server.client()
        codes = [client.call("GET", f"/app/a/msg/{each}").status for each in self.messages]
        self.assertIn(500, codes)
        self.assertIn(200, codes)
        # A merge of the damaged table closes the store, which is open again in a moment: until then
        # a 503 is an answer of its own.
        accepted = []
        wait_until(
            lambda: accepted.append(client.call("POST", "/app/a/msg", self.body()))
            or accepted[-1].status == 202,
            lambda: accepted[-1].body,
        )
        self.wait_for_delivery(client, accepted[-1].json()["id"])
        self.assertIn(table.name, server.errors())
        self.assertRegex(self.metrics(server), r"petrel_store_damaged_records_total [1-9]")
        health = client.call("GET", "/health")
        health_text = json.dumps(health.json())
        self.assertEqual(health.status, 200, "it takes writes, and its loops turn")
        self.assertIn(table.name, health_text)
        self.assertNotIn(self.folder, health_text)
        client.close()

    def tables_by_family(self, store):
        """A table has its family's name among its properties, behind the name's length."""
        families = {}
        for table in self.files(store, "*.sst"):
            content = table.read_bytes()
            for family in FAMILIES:
                if bytes([len(family)]) + b"name" + family.encode() in content:
                    families.setdefault(family, []).append(table)
        return families

    def post(self, client, path, body):
        """Once the store takes it: if background work meets damage, it is opened again first."""
        answers = []

        def is_taken():
            answers.append(client.call("POST", path, body))
            return answers[-1].status in (201, 202)

        wait_until(is_taken, lambda: (path, answers[-1].status, answers[-1].body))
        return answers[-1].json()

    def test_a_server_starts_whatever_family_has_a_damaged_block(self):
        server = self.server().start()
        client = server.client()
        client.must(201, "POST", "/event-type", {"name": "a", "description": "An a"})
        client.must(201, "POST", "/app", {"name": "A", "uid": "a"})
        body = {"url": self.receiver.url("/main"), "uid": "main"}
        client.must(201, "POST", "/app/a/endpoint", body)
        (sent,) = self.fill(client, 1, size=100)
        self.wait_for_delivery(client, sent)
        # It is due in an hour, so it is in the due index.
        later = {"eventType": "a", "payload": {}, "deliverAt": in_an_hour()}
        client.must(202, "POST", "/app/a/msg", later)
        client.close()
        self.assertEqual(server.stop(), 0)
        server.start()  # What was in the log is in tables now.
        self.assertEqual(server.stop(), 0)
        whole = pathlib.Path(server.store)
        families = self.tables_by_family(whole)
        self.assertEqual(set(families), set(FAMILIES))
        for family, tables in families.items():
            with self.subTest(family=family):
                folder = pathlib.Path(self.folder) / family
                shutil.copytree(whole, folder / "store")
                for table in tables:
                    damaged = folder / "store" / table.name
                    content = bytearray(damaged.read_bytes())
                    content[4] ^= 0xFF  # In its first block.
                    damaged.write_bytes(content)
                server = Server(str(folder), "--write-buffer-mib", "8")
                self.addCleanup(server.kill)
                server.start()
                client = server.client()
                self.post(client, "/app", {"name": "B", "uid": "b"})
                body = {"url": self.receiver.url("/other"), "uid": "other"}
                self.post(client, "/app/b/endpoint", body)
                message = self.post(client, "/app/b/msg", {"eventType": "a", "payload": {}})["id"]
                path = f"/app/b/delivery/{message}/other"
                # The store may be on its way back meanwhile: a 503 is an answer of its own.
                wait_until(
                    lambda: b'"status":"delivered"' in client.call("GET", path).body,
                    lambda: client.call("GET", path).body,
                )
                self.assertIn(tables[0].name, server.errors())
                self.assertRegex(self.metrics(server), r"petrel_store_damaged_records_total [1-9]")
                client.close()
                self.assertEqual(server.stop(), 0)

    def test_a_missing_token_secret_is_not_replaced(self):
        store = self.filled_store()
        secret = pathlib.Path(store) / "jwt-secret"
        secret.unlink()
        server = self.server()
        server.spawn()
        self.assertEqual(server.wait(), 1)
        self.assertIn("--new-jwt-secret", server.errors())
        self.assertFalse(secret.exists())
        # What a link points to is not written.
        bait = pathlib.Path(self.folder) / "bait"
        bait.write_text("bait")
        (pathlib.Path(store) / "jwt-secret.new").symlink_to(bait)
        self.server("--new-jwt-secret").start()
        self.assertTrue(secret.exists())
        self.assertEqual(bait.read_text(), "bait")

    def test_a_look_writes_nothing_also_without_the_secret(self):
        store = pathlib.Path(self.filled_store())
        (store / "CURRENT").unlink()
        (store / "main-secret").unlink()
        before = sorted(store.iterdir())
        said = petrel("inspect", "--verify", "--store", str(store))
        self.assertEqual(said.returncode, 3)
        self.assertIn("damaged: CURRENT", said.stdout)
        self.assertEqual(petrel("inspect", "--store", str(store)).returncode, 1)
        self.assertEqual(sorted(store.iterdir()), before)

    def test_what_everybody_can_open_is_warned_of(self):
        server = self.server().start()
        self.assertEqual(server.stop(), 0)
        self.assertNotIn("every user", server.errors())
        os.chmod(pathlib.Path(server.store) / "jwt-secret", 0o644)
        os.chmod(server.store, 0o755)
        server.start()
        self.assertEqual(server.stop(), 0)
        self.assertIn(f"can look into {server.store}", server.errors())
        self.assertIn("jwt-secret: chmod", server.errors())

    def test_a_backup_says_what_it_did(self):
        server = self.server().start()
        made = petrel("backup", self.folder + "/backup", "--store", server.store)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertRegex(made.stdout, r"backed up to .*/backup: \d+ files, \d+\.\d MiB")
        inside = petrel("backup", server.store + "/inside", "--store", server.store)
        self.assertEqual(inside.returncode, 2)
        self.assertIn("must not be in the store's own folder", inside.stderr)
        running = petrel("inspect", "--verify", "--store", server.store)
        self.assertEqual(running.returncode, 1)
        self.assertIn("a server runs on this store", running.stderr)


if __name__ == "__main__":
    suite.main()
