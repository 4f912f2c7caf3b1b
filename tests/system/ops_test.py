"""What is in Containerfile and ops/ fits the binary and itself. No container is built here."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
import urllib.request

import suite
import yaml
from petrel_server import DEADLINE, PETREL, Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
PORT = 8071


def petrel(*arguments, **variables):
    return subprocess.run(
        [PETREL, *arguments],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
        env={**os.environ, **variables},
    )


def load(name):
    return yaml.safe_load((ROOT / name).read_text())


class Fits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.help = petrel("serve", "--help").stdout

    def check_command(self, words):
        """`serve` with flags that it has."""
        self.assertEqual(words[0], "serve")
        for flag in (word for word in words if word.startswith("--")):
            self.assertIn(f"  {flag} ", self.help)

    def check_variables(self, names):
        for name in names:
            if name.startswith("PETREL_"):
                self.assertIn(f"[{name}]", self.help)


class Containerfile(Fits):
    def setUp(self):
        text = (ROOT / "Containerfile").read_text()
        text = re.sub(r"(?m)^#.*\n", "", text).replace("\\\n", " ")
        self.lines = [line.split(None, 1) for line in text.splitlines() if line.strip()]

    def all(self, instruction):
        return [rest for name, rest in self.lines if name == instruction]

    def test_it_copies_what_there_is_and_names_no_registry(self):
        for rest in self.all("COPY"):
            for source in rest.split()[:-1]:
                self.assertTrue((ROOT / source).exists(), source)
        for rest in self.all("FROM"):
            self.assertNotIn("/", rest.split()[0])
        self.assertIn("make deb", self.all("RUN"))

    def test_its_settings_and_commands_are_those_of_the_binary(self):
        values = dict(word.split("=", 1) for rest in self.all("ENV") for word in shlex.split(rest))
        self.check_variables(values)
        self.assertEqual(values["PETREL_LISTEN"], f"0.0.0.0:{PORT}")
        self.assertEqual(self.all("EXPOSE"), [str(PORT)])
        self.assertEqual(self.all("VOLUME"), [values["PETREL_STORE"]])
        self.assertEqual(self.all("ENTRYPOINT") + self.all("CMD"), ['["petrel"]', '["serve"]'])
        command = re.search(r"CMD petrel (\w+)", self.all("HEALTHCHECK")[0]).group(1)
        self.assertEqual(petrel(command, "--help").returncode, 0)

    def test_it_does_not_run_as_root(self):
        user = self.all("USER")[-1].split(":")[0]
        self.assertTrue(any(f"--uid {user} " in rest for rest in self.all("RUN")))
        self.assertNotEqual(user, "0")


class Compose(Fits):
    def test_it_builds_and_runs_what_there_is(self):
        service = load("ops/compose.yaml")["services"]["petrel"]
        folder = ROOT / "ops" / service["build"]["context"]
        self.assertTrue((folder / service["build"]["dockerfile"]).is_file())
        self.check_command(service["command"])
        self.check_variables(service["environment"])
        self.assertTrue(service["ports"][0].endswith(f":{PORT}"))
        metrics = service["environment"]["PETREL_METRICS_LISTEN"].rpartition(":")[2]
        self.assertEqual(service["ports"][1], f"127.0.0.1:{metrics}:{metrics}")
        command = service["healthcheck"]["test"][1:]
        self.assertEqual(petrel(*command[1:], "--help").returncode, 0)
        volume, path = service["volumes"][0].split(":")
        self.assertIn(volume, load("ops/compose.yaml")["volumes"])
        self.assertIn(f"PETREL_STORE={path}", (ROOT / "Containerfile").read_text())


class Kubernetes(Fits):
    def setUp(self):
        self.set = load("ops/kubernetes/statefulset.yaml")["spec"]
        self.pod = self.set["template"]["spec"]
        self.container = self.pod["containers"][0]

    def test_every_file_is_listed_and_every_listed_one_is_there(self):
        folder = ROOT / "ops/kubernetes"
        listed = load("ops/kubernetes/kustomization.yaml")["resources"]
        there = {path.name for path in folder.glob("*.yaml")} - {"kustomization.yaml"}
        self.assertEqual(set(listed), there)

    def test_labels_ports_and_volumes_meet(self):
        service = load("ops/kubernetes/service.yaml")["spec"]
        labels = self.set["template"]["metadata"]["labels"]
        self.assertEqual(service["selector"], labels)
        self.assertEqual(self.set["selector"]["matchLabels"], labels)
        ports = {port["name"]: port["containerPort"] for port in self.container["ports"]}
        self.assertEqual(ports[service["ports"][0]["targetPort"]], PORT)
        annotations = self.set["template"]["metadata"]["annotations"]
        self.assertEqual(annotations["prometheus.io/port"], str(ports["metrics"]))
        self.assertIn(f"0.0.0.0:{ports['metrics']}", self.container["args"])
        self.assertNotIn("metrics", {port["targetPort"] for port in service["ports"]})
        volumes = {each["name"] for each in self.pod["volumes"]}
        volumes |= {each["metadata"]["name"] for each in self.set["volumeClaimTemplates"]}
        self.assertEqual({each["name"] for each in self.container["volumeMounts"]}, volumes)

    def test_its_settings_are_those_of_the_binary(self):
        self.check_command(self.container["args"])
        self.check_variables(each["name"] for each in self.container["env"])
        user = self.pod["securityContext"]["runAsUser"]
        self.assertIn(f"USER {user}:", (ROOT / "Containerfile").read_text())

    def test_there_is_one_process_for_one_store(self):
        self.assertEqual(self.set["replicas"], 1)


class Probes(Fits):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="petrel-ops-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.server = Server(self.folder)
        self.addCleanup(self.server.kill)
        self.server.start()

    def test_what_the_probes_ask_for_is_answered(self):
        template = load("ops/kubernetes/statefulset.yaml")["spec"]["template"]
        container = template["spec"]["containers"][0]
        probes = ("startupProbe", "readinessProbe", "livenessProbe")
        paths = {container[probe]["httpGet"]["path"] for probe in probes}
        self.assertEqual(
            [container[probe]["httpGet"]["path"].rpartition("/")[2] for probe in probes],
            ["ping", "ready", "live"],
        )
        paths.add(template["metadata"]["annotations"]["prometheus.io/path"])
        for path in paths:
            url = f"http://127.0.0.1:{self.server.port}{path}"
            with urllib.request.urlopen(url, timeout=DEADLINE) as answer:
                self.assertIn(answer.status, (200, 204))

    def test_petrel_health_says_how_the_server_is(self):
        address = f"127.0.0.1:{self.server.port}"
        asked = petrel("health", PETREL_LISTEN=address)
        self.assertEqual(asked.returncode, 0, asked.stderr)
        self.assertEqual(petrel("health", "--listen", f"0.0.0.0:{self.server.port}").returncode, 0)
        self.server.stop()
        gone = petrel("health", "--listen", address)
        self.assertEqual(gone.returncode, 1)
        self.assertIn(f"no answer from {address}", gone.stderr)


if __name__ == "__main__":
    suite.main()
