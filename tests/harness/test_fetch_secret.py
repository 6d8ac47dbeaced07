"""Whom fetch_code.py gives what the Secret of spec.context.git holds."""

import base64
import http.server
import os
import sys
import threading
import unittest

from fetch_case import FetchCase
from shipper_case import HARNESS, PYTHON


class FetchSecretTest(FetchCase):
    def serve(self, handler):
        handler.log_message = lambda *_: None
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def closed_server(self):
        """One that wants a password and takes none; and the Authorization of each request."""
        seen = []

        class Closed(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                seen.append(self.headers.get("Authorization"))
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="x"')
                self.send_header("Content-Length", "0")
                self.end_headers()

        return self.serve(Closed), seen

    def test_gives_the_secret_to_git_and_to_nobody_else(self):
        secret = self.folder / "secret"
        secret.mkdir()
        (secret / "username").write_text("ann\n")
        (secret / "password").write_text("hun\\nter\\\\2\n")  # for a shell's echo these are more than letters
        server, seen = self.closed_server()
        err = self.refused({"git": {"url": "http://127.0.0.1:%d/a" % server.server_port}}, "Authentication failed", DET_GIT_SECRET_FOLDER=str(secret))
        self.assertIn("Basic " + base64.b64encode(b"ann:hun\\nter\\\\2").decode(), seen)
        self.assertNotIn("hun", err + self.message.read_text())

    def test_a_server_to_which_git_is_sent_gets_no_secret(self):
        secret = self.folder / "secret"
        secret.mkdir()
        (secret / "username").write_text("ann")
        (secret / "password").write_text("hunter2")
        other, seen = self.closed_server()

        class Sends(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(302)
                self.send_header("Location", "http://127.0.0.1:%d%s" % (other.server_port, self.path))
                self.send_header("Content-Length", "0")
                self.end_headers()

        first = self.serve(Sends)
        self.refused({"git": {"url": "http://127.0.0.1:%d/a" % first.server_port}}, "spec.context.git", DET_GIT_SECRET_FOLDER=str(secret))
        self.assertEqual(set(seen), {None})

    def test_the_secret_is_for_submodules_of_the_same_server(self):
        sys.path.insert(0, str(HARNESS))
        self.addCleanup(sys.path.remove, str(HARNESS))
        from fetch_code import is_for_same
        for url, parent in (("https://h/b", "https://ann@h:443/a"), ("git@h:b", "ssh://git@h/a"), ("https://h/b", "http://h/a"),
                            ("https://H:8/b", "https://h:8/a")):
            self.assertTrue(is_for_same(url, parent), (url, parent))
        for url, parent in (("http://h/b", "https://h/a"), ("https://h:8443/b", "https://h/a"), ("https://o/b", "https://h/a"),
                            ("ssh://h:2222/b", "git@h:a"), ("https://h:x/b", "https://h/a"), ("https://h/b", "http://h:8/a")):
            self.assertFalse(is_for_same(url, parent), (url, parent))

    def test_a_key_of_the_secret_opens_a_repository_over_ssh(self):
        """In ssh's place a program that notes how it was called, and then does what the far end would do."""
        programs, secret = self.folder / "programs", self.folder / "secret"
        programs.mkdir()
        secret.mkdir()
        (secret / "ssh-privatekey").write_text("-----BEGIN KEY-----\nabc\n-----END KEY-----")
        (secret / "known_hosts").write_text("git.example.com ssh-ed25519 AAAA\n")
        ssh = programs / "ssh"
        ssh.write_text("""#!%s
import os, stat, sys
words = sys.argv[1:]
options = dict(o.split("=", 1) for o in words if "=" in o)
key = words[words.index("-i") + 1]
with open(%r, "w") as note:
    note.write("\\n".join([words[-2], oct(stat.S_IMODE(os.stat(key).st_mode)), options["BatchMode"], options["StrictHostKeyChecking"]]))
assert open(key).read().endswith("END KEY-----\\n") and "ssh-ed25519" in open(options["UserKnownHostsFile"]).read()
os.execvp("sh", ["sh", "-c", words[-1]])
""" % (PYTHON, str(self.folder / "called")))
        ssh.chmod(0o755)
        url = "ssh://git@git.example.com%s" % self.origin
        code, _, err = self.fetch({"git": {"url": url}}, DET_GIT_SECRET_FOLDER=str(secret), PATH="%s:%s" % (programs, os.environ["PATH"]))
        self.assertEqual(code, 0, err)
        self.assertEqual((self.folder / "called").read_text().split("\n"), ["git@git.example.com", "0o600", "yes", "yes"])
        self.assertEqual(self.files()["train.py"], "print(1)\n")
        self.assertNotIn("BEGIN KEY", err)


if __name__ == "__main__":
    unittest.main()
