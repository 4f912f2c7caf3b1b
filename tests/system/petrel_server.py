"""What the system tests share: a server in a scratch folder, and a client for it."""

import http.client
import json
import os
import re
import selectors
import signal
import subprocess
import time

PETREL = os.environ.get("PETREL", "build/release/petrel")

# Nothing that works takes this long, whatever else the machine is doing.
DEADLINE = 60

_LISTENS = re.compile(rb"petrel listens on https?://([\d.]+):(\d+)\n")


def wait_until(is_so, what, deadline=DEADLINE):
    """Comes back as soon as `is_so()`; fails with `what` (words or a function) if it never is."""
    end = time.monotonic() + deadline
    while not is_so():
        if time.monotonic() > end:
            raise AssertionError(f"not within {deadline} s: {what() if callable(what) else what}")
        time.sleep(0.02)


class Server:
    """`petrel serve` on a folder. It can be killed and started again; the folder stays.

    `files` are the soft and the hard limit on its descriptors; `stderr` is a descriptor for what it
    says there, which errors() knows nothing of then."""

    def __init__(
        self,
        folder,
        *options,
        listen="127.0.0.1:0",
        allow_subnets="127.0.0.0/8",
        files=None,
        environment=None,
        binary=PETREL,
        stderr=None,
    ):
        self.binary = binary
        self.store = os.path.join(folder, "store")
        self._errors = os.path.join(folder, f"stderr-{id(self)}.txt")
        self._options = options
        self._listen = listen
        self._allow_subnets = allow_subnets
        self._files = files
        self._environment = environment or {}
        self._stderr = stderr
        self._process = None
        self._said = b""
        self._token = None
        self.host = self.port = None

    @property
    def pid(self):
        return self._process.pid

    def spawn(self):
        """Starts the process and does not wait for it to be of use."""
        command = [self.binary, "serve", "--listen", self._listen, "--store", self.store]
        command += ["--allow-subnets", self._allow_subnets, *self._options]
        if self._files is not None:
            limits = "ulimit -Sn {} && ulimit -Hn {}".format(*self._files)
            command = ["sh", "-c", f'{limits} && exec "$@"', "sh", *command]
        with open(self._errors, "ab") as errors:
            self._process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=errors if self._stderr is None else self._stderr,
                env={**os.environ, **self._environment},
            )

    def wait_until_it_listens(self):
        output = self._process.stdout
        said = b""
        end = time.monotonic() + DEADLINE
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            while not (found := _LISTENS.search(said)):
                if not selector.select(end - time.monotonic()):
                    raise AssertionError(f"it does not listen; it said {said!r}, {self.errors()}")
                part = os.read(output.fileno(), 4096)
                if not part:
                    code = self._process.wait(DEADLINE)
                    raise AssertionError(f"it ended with {code}: {self.errors()}")
                said += part
        self._said += said
        self.host, self.port = found.group(1).decode(), int(found.group(2))

    def start(self):
        self.spawn()
        self.wait_until_it_listens()
        return self

    def errors(self):
        """What it has said on stderr, over all its lives."""
        with open(self._errors, encoding="utf-8", errors="replace") as file:
            return file.read()

    def problems(self):
        """The lines of that which are a warning or an error."""
        lines = self.errors().splitlines()
        return [line for line in lines if re.match(r"\S+ (info |debug) ", line) is None]

    def output(self):
        """What it has said on stdout, over all its lives that have ended."""
        return self._said.decode(errors="replace")

    def is_running(self):
        return self._process is not None and self._process.poll() is None

    def send_signal(self, number):
        self._process.send_signal(number)

    def wait(self, deadline=DEADLINE):
        """The exit code."""
        code = self._process.wait(deadline)
        if not self._process.stdout.closed:
            self._said += self._process.stdout.read()
            self._process.stdout.close()
        return code

    def kill(self):
        """kill -9, if it still runs."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.kill()
        self.wait()
        self._process = None

    def stop(self, deadline=DEADLINE):
        """Asks it to end, and gives the exit code."""
        self.send_signal(signal.SIGTERM)
        code = self.wait(deadline)
        self._process = None
        return code

    def token(self):
        if self._token is None:
            made = subprocess.run(
                [PETREL, "token", "create", "--store", self.store],
                capture_output=True,
                text=True,
                timeout=DEADLINE,
                check=True,
            )
            self._token = made.stdout.strip()
        return self._token

    def client(self, timeout=DEADLINE):
        return Client(self, timeout)


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def json(self):
        return json.loads(self.body)


class Client:
    """One connection to the API, kept alive; made anew after it broke or the server moved."""

    def __init__(self, server, timeout=DEADLINE):
        self._server = server
        self._timeout = timeout
        self._connection = None
        self._port = None

    def close(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def call(self, method, path, body=None, **headers):
        """Raises OSError or HTTPException if there is no answer."""
        if self._port != self._server.port:
            self.close()
        if self._connection is None:
            self._port = self._server.port
            self._connection = http.client.HTTPConnection(
                self._server.host, self._port, timeout=self._timeout
            )
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        fields.setdefault("authorization", "Bearer " + self._server.token())
        data = None
        if body is not None:
            data = body if isinstance(body, (str, bytes)) else json.dumps(body)
            fields["content-type"] = "application/json"
        try:
            self._connection.request(method, "/api/v1" + path, data, fields)
            answer = self._connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def must(self, status, method, path, body=None, **headers):
        """The JSON of an answer that has to have this status."""
        answer = self.call(method, path, body, **headers)
        if answer.status != status:
            raise AssertionError(f"{method} {path}: {answer.status} {answer.body!r}")
        return answer.json() if answer.body else None

    def create_application(self, name, **fields):
        return self.must(201, "POST", "/app", {"name": name, **fields})["id"]

    def create_endpoint(self, application, url, **fields):
        path = f"/app/{application}/endpoint"
        return self.must(201, "POST", path, {"url": url, **fields})["id"]

    def secret(self, application, endpoint):
        return self.must(200, "GET", f"/app/{application}/endpoint/{endpoint}/secret")["key"]

    def post(self, application, payload, event_type="order.paid", **headers):
        """The answer to a message sent."""
        body = {"eventType": event_type, "payload": payload}
        return self.call("POST", f"/app/{application}/msg", body, **headers)

    def attempts(self, application, message, endpoint):
        """All attempts of a delivery, the first one first."""
        path = f"/app/{application}/attempt/msg/{message}?endpoint_id={endpoint}&limit=250"
        page = self.must(200, "GET", path)
        assert page["done"], "more than one page of attempts"
        return page["data"][::-1]
