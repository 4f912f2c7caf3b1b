"""`petrel doctor` says what a server lacks, each time with what to do; and backups are copies."""

import fcntl
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import unittest

import suite
from name_server import NO_SUCH_NAME, REFUSED, NameServer
from petrel_server import DEADLINE, PETREL, Server


def petrel(*arguments):
    return subprocess.run(
        [PETREL, *arguments], capture_output=True, text=True, timeout=DEADLINE, check=False
    )


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="petrel-doctor-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.server = Server(self.folder)
        self.addCleanup(self.server.kill)
        self.store = self.server.store

    def client(self, server):
        client = server.client()
        self.addCleanup(client.close)
        return client


class Doctor(Case):
    def setUp(self):
        super().setUp()
        self.names = NameServer(lambda name, number: NO_SUCH_NAME)
        self.addCleanup(self.names.close)

    def findings(self, *arguments, code=0):
        asked = petrel(
            *("doctor", "--json", "--store", self.store, "--nameservers", self.names.address),
            *arguments,
        )
        self.assertEqual(asked.returncode, code, asked.stdout + asked.stderr)
        said = json.loads(asked.stdout)
        self.assertEqual(said["ok"], code == 0)
        return {each["about"]: each for each in said["findings"]}

    def assert_problem(self, finding, words):
        self.assertEqual(finding["verdict"], "problem")
        self.assertIn(words, finding["what"])
        self.assertNotEqual(finding["remedy"], "")

    def test_before_the_first_start_nothing_is_wrong_and_nothing_is_made(self):
        found = self.findings("--listen", "127.0.0.1:0")
        self.assertEqual(found["store"]["what"], "is made on the first start")
        self.assertEqual(found["dns"]["verdict"], "ok")
        self.assertFalse(os.path.exists(self.store))
        self.assertEqual(os.listdir(self.folder), [])

    def test_beside_a_running_server_its_port_and_store_are_no_problem(self):
        self.server.start()
        found = self.findings("--listen", f"127.0.0.1:{self.server.port}")
        self.assertEqual(found["listener"]["what"], "a server runs on this store")
        self.assertEqual(found["store"]["what"], "a server has it open")
        self.assertTrue(self.server.is_running())

    def test_a_port_that_somebody_else_has_is_a_problem(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            address = "127.0.0.1:%d" % other.getsockname()[1]
            found = self.findings("--listen", address, code=3)
        self.assert_problem(found["listener"], f"cannot listen on {address}")

    def test_name_servers_that_do_not_answer_are_a_problem(self):
        self.names.answer = lambda name, number: REFUSED
        found = self.findings("--listen", "127.0.0.1:0", code=3)
        self.assert_problem(found["dns"], "the name servers do not answer")

    def test_a_wrong_setting_is_a_problem(self):
        found = self.findings("--timeout", "1h", code=3)
        self.assert_problem(found["settings"], "--timeout: must be between")

    def test_a_store_without_its_secrets_is_a_problem(self):
        self.server.start()
        self.client(self.server).create_application("A")
        self.server.stop()
        for name in ("jwt-secret", "main-secret"):
            os.unlink(os.path.join(self.store, name))
        found = self.findings("--listen", "127.0.0.1:0", code=3)
        self.assert_problem(found["secrets"], "jwt-secret")
        self.assert_problem(found["store"], "main-secret")
        self.assertFalse(os.path.exists(os.path.join(self.store, "main-secret")))

    def test_in_a_pipe_it_is_plain_text_with_a_line_for_each(self):
        asked = petrel("doctor", "--store", self.store, "--nameservers", self.names.address)
        self.assertNotIn("\x1b", asked.stdout)
        lines = [line.split()[0] for line in asked.stdout.splitlines() if not line.startswith(" ")]
        self.assertEqual(
            lines,
            "settings secrets listener disk store dns trust clock files".split(),
        )


class Backup(Case):
    def setUp(self):
        super().setUp()
        self.target = os.path.join(self.folder, "backups", "one")
        self.server.start()
        self.application = self.client(self.server).create_application("A")

    def back_up(self, *arguments, code=0):
        done = petrel("backup", self.target, "--store", self.store, *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def links(self):
        return {path.stat().st_nlink for path in pathlib.Path(self.target).iterdir()}

    def test_it_is_a_copy_of_its_own_and_a_server_runs_on_it(self):
        said = json.loads(self.back_up("--json").stdout)
        self.assertEqual(said["folder"], self.target)
        self.assertEqual(said["files"], len(os.listdir(self.target)))
        self.assertEqual(said["hardLinks"], 0)
        self.assertEqual(self.links(), {1})
        self.assertNotIn("backup.staging", os.listdir(self.store))
        self.assertEqual(os.listdir(os.path.dirname(self.target)), ["one"])

        os.makedirs(os.path.join(self.folder, "other"))
        copy = Server(os.path.join(self.folder, "other"))
        self.addCleanup(copy.kill)
        shutil.move(self.target, copy.store)
        copy.start()
        listed = self.client(copy).must(200, "GET", "/app")["data"]
        self.assertEqual([each["id"] for each in listed], [self.application])

    def test_links_are_made_only_if_they_are_asked_for(self):
        said = self.back_up("--hard-links").stdout
        self.assertIn("hard links", said)
        self.assertIn(2, self.links())

    def test_one_backup_at_a_time(self):
        folder = os.open(self.store, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        fcntl.flock(folder, fcntl.LOCK_EX)
        refused = self.back_up(code=1)
        self.assertIn("another backup of this store is under way", refused.stderr)
        self.assertFalse(os.path.exists(self.target))

    def test_it_writes_over_nothing(self):
        os.makedirs(self.target)
        self.assertIn("is there already", self.back_up(code=1).stderr)

    def test_what_a_backup_that_was_killed_left_goes_with_the_next_start(self):
        self.server.stop()
        staging = os.path.join(self.store, "backup.staging")
        os.makedirs(staging)
        self.server.start()
        self.assertFalse(os.path.exists(staging))

    @unittest.skipUnless(os.geteuid() == 0, "it gives files away: run it as root")
    def test_root_leaves_nothing_of_its_own_in_the_store_of_a_service(self):
        self.server.stop()
        for path in [self.store, *pathlib.Path(self.store).iterdir()]:
            os.chown(path, 65534, 65534)
        os.chmod(self.folder, 0o755)
        self.back_up()
        for command in (["inspect"], ["inspect", "--verify"], ["doctor"]):
            petrel(*command, "--store", self.store)
        owners = {path.stat().st_uid for path in pathlib.Path(self.store).iterdir()}
        self.assertEqual(owners, {65534})

    def test_it_works_without_a_server_and_is_restored_with_a_word(self):
        self.server.stop()
        self.back_up()
        restored = os.path.join(self.folder, "restored")
        said = petrel("restore", self.target, "--store", restored)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertRegex(said.stdout, r"restored .* to .*: \d+ files, .*every block of it read")


if __name__ == "__main__":
    suite.main()
