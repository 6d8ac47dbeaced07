"""An HTTP server that takes task logs as the real one does and remembers them. It can refuse, stop and come back."""

import http.server
import json
import socket
import ssl
import threading


class FakeServer:
    """`answers` holds the status codes of the next requests for logs, `other_answers` of those for other things; with none left it is 200.
    The port is free and stays the same."""

    def __init__(self, tls=None):
        self.answers = []
        self.other_answers = []
        self.requests = []
        self.tls = tls
        self._changed = threading.Condition()
        self._server = None
        self._reserved = reserved(0)
        self.port = self._reserved.getsockname()[1]
        self.url = "%s://127.0.0.1:%d" % ("https" if tls else "http", self.port)

    def start(self):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "null")
                if self.path in ("/api/v1/task/logs", "/api/v1/task/logs?retry=true"):
                    self.reply(outer._record(self.path, dict(self.headers), body), {})
                else:
                    status = outer.other_answers.pop(0) if outer.other_answers else 200
                    self.reply(status, outer._other(self.command, self.path, body) if status == 200 else {"message": "no"})

            do_GET = do_PUT = do_PATCH = do_POST

            def reply(self, status, body):
                text = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self._reserved.close()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._server.daemon_threads = True
        if self.tls:
            self._server.socket = self.tls.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def stop(self):
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
            self._reserved = reserved(self.port)

    def close(self):
        self.stop()
        self._reserved.close()

    def answer(self, method, path, body):
        """What is not a task log; called on the thread of the request."""
        raise AssertionError("unexpected request: %s %s" % (method, path))

    def _other(self, method, path, body):
        answer = self.answer(method, path, body)
        with self._changed:
            self._changed.notify_all()
        return answer

    def _record(self, path, headers, body):
        with self._changed:
            status = self.answers.pop(0) if self.answers else 200
            self.requests.append((status, path, headers, body))
            self._changed.notify_all()
            return status

    def records(self):
        """The log records of all requests that were answered with 200, in order."""
        with self._changed:
            return [record for status, _, _, body in self.requests if status == 200 for record in body["logs"]]

    def lines(self):
        return [record["log"] for record in self.records()]

    def wait_until(self, predicate, what):
        """Waits until `predicate()` holds, looking again whenever a request has come in."""
        with self._changed:
            if not self._changed.wait_for(predicate, timeout=300):
                raise AssertionError("never happened: %s; got %r" % (what, self.lines()))

    def wait_for_line(self, line):
        self.wait_until(lambda: line in self.lines(), "line %r" % line)


def reserved(port):
    """A socket that keeps the port and does not listen: connections are refused, and nobody else gets it."""
    keeper = socket.socket()
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    keeper.bind(("127.0.0.1", port))
    return keeper


def server_context(cert, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return context
