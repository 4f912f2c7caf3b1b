"""Takes webhooks, verifies them, and prints each order once. Needs SECRET (whsec_…) and PORT."""

import base64
import hashlib
import hmac
import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["SECRET"]
BODY_MAX = 1024 * 1024
seen = set()  # A real receiver keeps the ids with its data, for some days.
working = threading.Lock()


def verify(secret, headers, body):
    """Raises ValueError unless `body`, the raw bytes, was signed with `secret` just now."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not message_id or abs(time.time() - int(timestamp)) > 300:
        raise ValueError("the webhook is too old, or not one")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = headers.get("webhook-signature", "").encode().split(b" ")
    if not any(hmac.compare_digest(signature, expected) for signature in given):
        raise ValueError("the signature is wrong")


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        if length > BODY_MAX:
            self.close_connection = True
            return self.answer(413)
        body = self.rfile.read(length)
        try:
            verify(SECRET, self.headers, body)
        except ValueError as error:
            self.log_error("%s", error)
            return self.answer(400)
        with working:
            if self.headers["webhook-id"] not in seen:
                print("order", json.loads(body)["order"], flush=True)  # The work.
                seen.add(self.headers["webhook-id"])
        return self.answer(204)

    def answer(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("content-length", "0")
        self.end_headers()

    def log_request(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver)
print(f"listening on http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
