"""The main secret, from outside: it is made, kept, backed up, changed and missed."""

import os
import pathlib
import stat
import subprocess
import tempfile
import unittest

from petrel_server import DEADLINE, PETREL, Server

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

        inspected = petrel(
            "inspect", "--store", self.store, environment={"PETREL_MAIN_SECRET": wrong}
        )

        self.assertEqual(inspected.returncode, 1)
        self.assertRegex(
            inspected.stderr,
            f"{self.endpoint}: sealed with key [0-9a-f]{{16}}, which this server does not have",
        )
        self.assertNotIn(wrong, inspected.stderr)


if __name__ == "__main__":
    unittest.main()
