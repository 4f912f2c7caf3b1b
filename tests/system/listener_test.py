"""The listener of the binary: how it shows who it is, whom it holds back, what never reaches it."""

import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import unittest

import suite
from petrel_server import DEADLINE, Server, wait_until


class Listener(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="petrel-listener-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def server(self, *options, **more):
        made = Server(self.folder, *options, **more)
        self.addCleanup(made.kill)
        return made

    def client(self, server):
        made = server.client()
        self.addCleanup(made.close)
        return made


class Tls(Listener):
    def path(self, name):
        return os.path.join(self.folder, name)

    def make_certificate(self, name):
        """A certificate for `name`, in the files that the server reads. Gives its bytes."""
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
            + ["-nodes", "-days", "1", "-subj", f"/CN={name}"]
            + ["-keyout", self.path("key.pem"), "-out", self.path("cert.pem")],
            check=True,
            capture_output=True,
            timeout=DEADLINE,
        )
        with open(self.path("cert.pem"), encoding="ascii") as file:
            return ssl.PEM_cert_to_DER_cert(file.read())

    def start(self):
        files = ("--tls-cert", self.path("cert.pem"), "--tls-key", self.path("key.pem"))
        return self.server(*files, "--shards", "2").start()

    def connect(self, server):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        made = http.client.HTTPSConnection(
            server.host, server.port, timeout=DEADLINE, context=context
        )
        made.connect()
        self.addCleanup(made.close)
        return made

    def shown(self, server):
        connection = self.connect(server)
        certificate = connection.sock.getpeercert(binary_form=True)
        connection.close()
        return certificate

    def ping(self, connection):
        connection.request("GET", "/api/v1/health/ping")
        answer = connection.getresponse()
        answer.read()
        return answer.status

    def test_a_new_certificate_is_taken_on_sighup_and_a_bad_one_is_not(self):
        first = self.make_certificate("first")
        server = self.start()
        old = self.connect(server)
        self.assertEqual(old.sock.getpeercert(binary_form=True), first)
        self.assertEqual(old.sock.version(), "TLSv1.3")
        self.assertEqual(self.ping(old), 204)

        second = self.make_certificate("second")
        server.send_signal(signal.SIGHUP)
        # On both shards: connections are spread over them.
        wait_until(
            lambda: all(self.shown(server) == second for _ in range(16)), "the new one is shown"
        )
        self.assertEqual(server.problems(), [])
        self.assertIn("tls.reloaded: SIGHUP: new connections get the certificate", server.errors())

        with open(self.path("key.pem"), "w", encoding="ascii") as file:
            file.write("no key at all")
        server.send_signal(signal.SIGHUP)
        wait_until(server.problems, "it complains")
        [problem] = server.problems()
        self.assertRegex(
            problem,
            r"tls\.kept: SIGHUP: nothing changes: tls-key: \S+ holds no key in PEM form",
        )
        self.assertEqual(self.shown(server), second)
        self.assertEqual(self.ping(old), 204)  # Since before all that.
        self.assertEqual(server.stop(), 0)

    def test_a_bad_certificate_keeps_it_from_starting(self):
        self.make_certificate("first")
        os.unlink(self.path("cert.pem"))
        server = self.server("--tls-cert", self.path("cert.pem"), "--tls-key", self.path("key.pem"))
        server.spawn()
        self.assertEqual(server.wait(), 2)
        self.assertIn("tls-cert: cannot read", server.errors())

    def test_sighup_without_tls_changes_nothing(self):
        server = self.server().start()
        server.send_signal(signal.SIGHUP)
        wait_until(lambda: "there is no tls-cert" in server.errors(), "it says so")
        self.assertEqual(self.client(server).call("GET", "/health/ping").status, 204)


class Limits(Listener):
    def test_a_token_is_held_to_its_rate_over_all_shards(self):
        server = self.server("--rate-limit", "5", "--shards", "2").start()
        answers = []
        for _ in range(20):  # Each on a connection of its own, so on either shard.
            client = server.client()
            answers.append(client.call("GET", "/app"))
            client.close()
        limited = [answer for answer in answers if answer.status == 429]
        self.assertEqual([answer.status for answer in answers[:5]], [200] * 5)
        self.assertGreater(len(limited), 0)
        self.assertEqual(limited[0].headers["Retry-After"], "1")
        self.assertEqual(limited[0].json()["code"], "rate_limited")


def own_address():
    """An address of this machine that is not loopback. Nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.255", 9))
        except OSError:
            return None
        return probe.getsockname()[0]


class OwnListener(Listener):
    def test_no_message_reaches_it_by_any_address_of_the_machine(self):
        server = self.server(listen="0.0.0.0:0", allow_subnets="0.0.0.0/0,::/0").start()
        server.host = "127.0.0.1"
        addresses = ["127.0.0.1", "127.1.2.3"]
        if (other := own_address()) is not None:
            addresses.append(other)
        client = self.client(server)
        for address in addresses:
            application = client.create_application(address)
            url = f"http://{address}:{server.port}/api/v1/health/ping"
            policy = {"strategy": "fixed", "baseDelay": "1s", "maxAttempts": 1}
            endpoint = client.create_endpoint(application, url, retryPolicy=policy)
            message = client.post(application, {"a": 1}).json()["id"]
            wait_until(
                lambda: client.attempts(application, message, endpoint), f"an attempt at {address}"
            )
            attempt = client.attempts(application, message, endpoint)[0]
            self.assertEqual(attempt["responseStatusCode"], 0, json.dumps(attempt))


if __name__ == "__main__":
    suite.main()
