"""The Debian package: what is in it, and that the binary runs from where it puts it.

Needs DEB, a pattern that one package fits. It is unpacked into a scratch folder, not installed; for
that there is `make deb-check`.
"""

import configparser
import glob
import gzip
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest
import urllib.request

import suite

DEADLINE = 60

_HERE = pathlib.Path(__file__).resolve().parent
_SOURCE = _HERE.parent.parent


def deb():
    found = glob.glob(os.environ["DEB"])
    if len(found) != 1:
        raise AssertionError(f"one package fits {os.environ['DEB']}, not these: {found}")
    return found[0]


def run(*command, **variables):
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
        env={**os.environ, **variables},
    )


class Directives(dict):
    """A unit's lines: what appears twice is kept as a list."""

    def __setitem__(self, key, value):
        if key in self and isinstance(self[key], list) and isinstance(value, list):
            value = self[key] + value
        super().__setitem__(key, value)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.scratch.name, "root")
        subprocess.run(["dpkg-deb", "-x", deb(), cls.root], check=True, timeout=DEADLINE)
        cls.petrel = str(cls.root / "usr/bin/petrel")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def field(self, name):
        return run("dpkg-deb", "-f", deb(), name).stdout.strip()

    def unit(self):
        parser = configparser.RawConfigParser(dict_type=Directives, strict=False, delimiters="=")
        parser.optionxform = str
        parser.read(self.root / "lib/systemd/system/petrel.service")
        return parser

    def sample(self, with_defaults):
        text = (self.root / "etc/petrel/petrel.toml").read_text()
        if with_defaults:
            text = re.sub(r'(?m)^#([a-z-]+ = (?!"").+)$', r"\1", text)
        path = pathlib.Path(self.scratch.name, "petrel.toml")
        path.write_text(text)
        return str(path)

    def test_the_binary_serves_with_the_sample_configuration(self):
        for with_defaults in (False, True):
            store = tempfile.TemporaryDirectory(dir=self.scratch.name)
            server = subprocess.Popen(
                [self.petrel, "serve", "--config", self.sample(with_defaults)]
                + ["--store", store.name, "--listen", "127.0.0.1:0"],
                stdout=subprocess.PIPE,
                text=True,
            )
            self.addCleanup(server.stdout.close)
            self.addCleanup(server.wait)
            self.addCleanup(server.kill)
            url = re.search(r"http://\S+", server.stdout.readline()).group(0)
            with urllib.request.urlopen(url + "/api/v1/health/ping", timeout=DEADLINE) as answer:
                self.assertEqual(answer.status, 204)
            server.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(DEADLINE), 0)

    def test_the_sample_has_every_setting(self):
        text = (self.root / "etc/petrel/petrel.toml").read_text()
        named = set(re.findall(r"(?m)^#?([a-z-]+) = ", text))
        shown = run(self.petrel, "serve", "--help").stdout
        variables = re.findall(r"\[PETREL_([A-Z_]+)\]", shown)
        self.assertEqual(named, {name.lower().replace("_", "-") for name in variables})
        self.assertGreater(len(named), 15)

    def test_every_command_has_a_man_page(self):
        pages = sorted(path.name for path in (self.root / "usr/share/man/man1").iterdir())
        self.assertIn("petrel.1.gz", pages)
        shown = run(self.petrel, "--help").stdout.split("Subcommands:")[1]
        listed = re.findall(r"(?m)^  ([a-z]+) ", shown)
        self.assertGreater(len(listed), 5)
        for name in listed:
            self.assertIn(f"petrel-{name}.1.gz", pages)
            with gzip.open(self.root / f"usr/share/man/man1/petrel-{name}.1.gz", "rt") as page:
                self.assertTrue(page.read().startswith(".TH PETREL"))
        for path in ("usr/share/man/man5/petrel.toml.5.gz",
                     "usr/share/bash-completion/completions/petrel",
                     "usr/share/zsh/vendor-completions/_petrel",
                     "usr/share/fish/vendor_completions.d/petrel.fish",
                     "usr/share/doc/petrel/copyright"):
            self.assertTrue((self.root / path).is_file(), path)

    def test_the_unit_starts_what_is_installed_with_flags_that_there_are(self):
        service = self.unit()["Service"]
        words = service["ExecStart"].split()
        self.assertTrue((self.root / words[0].lstrip("/")).is_file())
        shown = run(self.petrel, words[1], "--help").stdout
        for flag in (word for word in words if word.startswith("--")):
            self.assertIn(flag + " ", shown)
        self.assertTrue((self.root / words[-1].lstrip("/")).is_file())
        store = re.search(r'(?m)^store = "(.*)"$', (self.root / words[-1][1:]).read_text()).group(1)
        self.assertEqual(store, "/var/lib/" + service["StateDirectory"])
        self.assertEqual(service["RestartPreventExitStatus"], "2")

    def test_the_unit_shuts_the_service_in(self):
        service = self.unit()["Service"]
        for name in ("NoNewPrivileges", "ProtectHome", "PrivateTmp", "PrivateDevices",
                     "MemoryDenyWriteExecute", "RestrictSUIDSGID", "LockPersonality"):
            self.assertEqual(service[name], "yes", name)
        self.assertEqual(service["ProtectSystem"], "strict")
        self.assertEqual(service["CapabilityBoundingSet"], "")
        self.assertEqual(service["User"], "petrel")

    def test_it_depends_on_the_libraries_that_the_binary_needs(self):
        depends = self.field("Depends")
        for library in ("libc6", "librocksdb", "libssl", "libsodium", "libfmt", "adduser"):
            self.assertIn(library, depends)
        self.assertNotIn(".debug_info", run("readelf", "--sections", self.petrel).stdout)

    def test_the_configuration_is_kept_as_it_was_edited(self):
        conffiles = run("dpkg-deb", "-I", deb(), "conffiles").stdout.split()
        self.assertEqual(conffiles, ["/etc/petrel/petrel.toml"])

    def test_its_scripts_are_well_formed_and_no_purge_deletes_messages(self):
        for name in ("postinst", "prerm", "postrm"):
            script = run("dpkg-deb", "-I", deb(), name).stdout
            self.assertTrue(script.startswith("#!/bin/sh\nset -e\n"), name)
            checked = subprocess.run(["sh", "-n"], input=script, text=True, check=False)
            self.assertEqual(checked.returncode, 0, name)
            self.assertNotRegex(script, r"(?m)^\s*rm -r")


if __name__ == "__main__":
    suite.main()
