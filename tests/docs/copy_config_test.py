"""The script of docs/from-svix.md copies a server's configuration, also a second time."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from page import ROOT, Page

sys.path.insert(0, str(ROOT / "tests/system"))
import suite  # noqa: E402  pylint: disable=wrong-import-position
from petrel_server import DEADLINE, Server  # noqa: E402  pylint: disable=wrong-import-position


class CopyConfig(unittest.TestCase):
    def setUp(self):
        self.servers = []
        for name in ("old", "new"):
            folder = tempfile.TemporaryDirectory(prefix=f"petrel-{name}-")
            self.addCleanup(folder.cleanup)
            server = Server(folder.name).start()
            self.addCleanup(server.kill)
            self.servers.append(server)
        self.old, self.new = (server.client() for server in self.servers)
        self.addCleanup(self.old.close)
        self.addCleanup(self.new.close)

    def copy(self):
        page = Page(ROOT / "docs/from-svix.md")
        script = next(b.text for b in page.blocks() if b.notes.get("file") == "copy_config.py")
        path = pathlib.Path(self.servers[0].store).parent / "copy_config.py"
        path.write_text(script)
        told = dict(os.environ)
        for name, server in zip(("OLD", "NEW"), self.servers):
            told[name + "_URL"] = f"http://{server.host}:{server.port}"
            told[name + "_TOKEN"] = server.token()
        ran = subprocess.run(
            [sys.executable, "-B", path],
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=False,
            env=told,
        )
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def endpoint(self, client, path):
        shown = client.must(200, "GET", path)
        fields = ("url", "uid", "description", "disabled", "filterTypes", "channels", "metadata")
        return (
            {name: shown.get(name) for name in fields + ("throttleRate",)},
            client.must(200, "GET", path + "/secret"),
            client.must(200, "GET", path + "/headers")["headers"],
        )

    def test_what_is_copied_is_the_same_and_can_be_copied_again(self):
        old, new = self.old, self.new
        for name in ("order.paid", "order.lost"):
            described = {"name": name, "description": "", "schemas": {"1": {"type": "object"}}}
            old.must(201, "POST", "/event-type", described)
        old.must(204, "DELETE", "/event-type/order.lost")
        old.create_application("Acme", uid="acme", metadata={"plan": "gold"})
        old.create_endpoint(
            "acme",
            "https://a.example/",
            uid="orders",
            description="theirs",
            filterTypes=["order.paid"],
            channels=["north"],
            metadata={"a": "b"},
            throttleRate=7,
            headers={"X-Team": "blue", "Authorization": "Bearer secret"},
        )
        nameless = old.create_application("Nameless")
        bare = old.create_endpoint(nameless, "https://b.example/", disabled=True)

        said = self.copy()
        self.assertIn("set the header Authorization yourself", said)
        self.assertNotIn("Bearer secret", said)
        types = new.must(200, "GET", "/event-type?include_archived=true")["data"]
        self.assertEqual(
            {each["name"]: each["archived"] for each in types},
            {"order.paid": False, "order.lost": True},
        )
        self.assertEqual(new.must(200, "GET", "/app/acme")["metadata"], {"plan": "gold"})
        path = "/app/acme/endpoint/orders"
        self.assertEqual(self.endpoint(new, path), self.endpoint(old, path))
        copied = self.endpoint(new, f"/app/old-{nameless}/endpoint/old-{bare}")
        original = self.endpoint(old, f"/app/{nameless}/endpoint/{bare}")
        self.assertEqual(copied[1:], original[1:])
        self.assertTrue(copied[0]["disabled"])

        new.must(204, "PATCH", path + "/headers", {"headers": {"Authorization": "Bearer theirs"}})
        old.must(200, "POST", path + "/secret/rotate", {})
        old.must(200, "PATCH", path, {"url": "https://c.example/"})
        self.copy()
        self.assertEqual(self.endpoint(new, path), self.endpoint(old, path))
        sensitive = new.must(200, "GET", path + "/headers")["sensitive"]
        self.assertEqual(sensitive, ["Authorization"], "what was set by hand stays")
        self.assertEqual(len(new.must(200, "GET", "/app")["data"]), 2)


if __name__ == "__main__":
    suite.main()
