"""A server whose answers are written by the test: huge, hanging, no JSON, whatever is wanted."""

import http.server
import threading


class StrangeServer:
    """Listens on a free port of 127.0.0.1. `answer(request)` writes the answer to each request: it
    gets the handler, with `.path`, `.headers`, `.body` and `.respond(status, body, **headers)`."""

    def __init__(self, answer):
        self.requests = []
        self.is_over = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_one(self):
                size = int(self.headers.get("content-length") or 0)
                self.body = self.rfile.read(size)
                self.is_over = outer.is_over
                outer.requests.append(f"{self.command} {self.path}")
                try:
                    answer(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one

            def respond(self, status, body=b"", **headers):
                data = body.encode() if isinstance(body, str) else body
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *words):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self):
        self.is_over.set()
        self._server.shutdown()
        self._server.server_close()
