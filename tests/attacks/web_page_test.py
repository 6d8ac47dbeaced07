"""The web page's files, the addresses that lead to it, and the stream that tells pages what changes."""

import atexit
import http.client
import json
import pathlib
import shutil
import socket
import tempfile
import unittest
import urllib.parse

from server import PATIENCE, Server, setup  # first: it says where tests/support is
from plain_websocket import Closed, WebSocket

PAGE = pathlib.Path(tempfile.mkdtemp(prefix="det-page-", dir="/var/tmp"))
atexit.register(shutil.rmtree, PAGE, True)
(PAGE / "ui" / "assets").mkdir(parents=True)
(PAGE / "ui" / "index.html").write_text('<!doctype html><head><base href="/ui/" /></head><body>the page</body>')
(PAGE / "ui" / "assets" / "main-1a2b.js").write_text("x" * 2_000_000)
(PAGE / "secret.txt").write_text("the secret")
(PAGE / "ui" / "assets" / "link.js").symlink_to(PAGE / "secret.txt")
(PAGE / "theirs" / "assets").mkdir(parents=True)
(PAGE / "theirs" / "index.html").write_text("<head><script>one()</script></head><body>their page</body>")
(PAGE / "theirs" / "assets" / "link.js").symlink_to(PAGE / "secret.txt")
(PAGE / "theirs" / "assets" / "picture.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script>two()</script></svg>")
server = setup(globals(), args=["--ui-dir", PAGE / "ui"])


class Page(unittest.TestCase):
    def raw(self, target, *headers):
        """The answer to a request line that no client would send."""
        return server.exchange(("\r\n".join((f"GET {target} HTTP/1.1", "Host: localhost", *headers, "Connection: close")) + "\r\n\r\n").encode("latin-1"), closes=True)

    def test_the_page_runs_nothing_that_is_not_its_own_and_is_framed_by_nobody(self):
        """a620492: there was no page.
        now: a policy without anything inline or from elsewhere on every file, nosniff, no referrer to others, no window of others."""
        for path in ("/ui/", "/ui/experiments/1", "/ui/assets/main-1a2b.js", "/ui/%3Cscript%3E"):
            with self.subTest(path):
                answer = server.http("GET", path)
                policy = dict(part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";"))
                self.assertEqual({name: policy.pop(name) for name in ("default-src", "script-src", "style-src", "connect-src", "frame-ancestors")},
                                 {"default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "connect-src": "'self'", "frame-ancestors": "'none'"})
                self.assertNotRegex(answer.headers["Content-Security-Policy"], r"unsafe|\*|https?:")
                self.assertEqual([answer.headers[name] for name in ("X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy")],
                                 ["nosniff", "same-origin", "same-origin", "same-origin"])
                self.assertNotIn("Set-Cookie", answer.headers)

    def test_no_path_below_the_page_is_a_path_of_a_file(self):
        """a620492: there was no page.
        now: names of files that were read at start; links were passed over; all else is the page or 404, whatever steps stand in it."""
        for path in ("/ui/assets/../../secret.txt", "/ui/../secret.txt", "/ui/assets/..%2f..%2fsecret.txt", "/ui/assets/%2e%2e/%2e%2e/secret.txt",
                     "/ui/assets/link.js", "/ui//etc/passwd", "/ui/%2fetc%2fpasswd", "/ui/assets/..\\..\\secret.txt", "/ui/assets/%5c..%5csecret.txt",
                     "/ui/" + "../" * 20 + "etc/passwd", "/ui/assets//etc/passwd", f"/ui/assets/{PAGE}/secret.txt"):
            with self.subTest(path):
                said = self.raw(path)
                self.assertNotIn(b"the secret", said)
                self.assertNotIn(b"root:", said)
                self.assertRegex(said, rb"^HTTP/1\.1 (200|404) ")
                self.assertEqual(b"the page" in said, b" 200 " in said[:20], said[:300])
        self.assertIn(b" 400 ", self.raw("/ui/assets/a%00.js")[:20])

    def test_no_address_leads_from_the_server_to_another_one(self):
        """a620492: there was no page.
        now: relative addresses within /ui/, made of words, digits and encoded names."""
        here, led = f"http://localhost:{server.port}", 0
        for path in ("//evil.example/", "/det//evil.example", "/det/experiments//evil.example/", "/det/%2f%2fevil.example", "/det/\\\\evil.example", "/\\evil.example",
                     "/det/%5c%5cevil.example", "/det/https:%2f%2fevil.example", "/det/javascript:alert(1)", "/det/trials/1%0d%0aLocation:%20%2f%2fevil.example",
                     "/det/models/%2f%2fevil.example", "/det/models/..%2f..%2f..", "/det/workspaces/@evil.example", "/det?redirect=//evil.example", "/ui?//evil.example",
                     "/det/experiments/1/trials/2/../../..//evil.example", "/ui//evil.example", "/det/login?redirect=//evil.example", "/det/login"):
            with self.subTest(path):
                head = self.raw(path, "Accept: text/html").split(b"\r\n\r\n")[0].decode("latin-1")
                locations = [line[10:].strip() for line in head.split("\r\n") if line.lower().startswith("location:")]
                self.assertLessEqual(len(locations), 1, head)
                led += len(locations)
                for location in locations:
                    leads = urllib.parse.urljoin(here + path, location)
                    self.assertEqual(urllib.parse.urlsplit(leads).netloc, f"localhost:{server.port}", location)
                    self.assertRegex(location, r"^(\.\./)*ui/[A-Za-z0-9/%._~:-]*$")
        self.assertGreater(led, 3, "most of them lead nowhere")

    def test_the_page_is_the_same_for_everybody_and_sets_nothing(self):
        """a620492: there was no page.
        now: the same bytes for strangers, users and admins; 404 for other methods; bodies are not read."""
        page = server.http("GET", "/ui/experiments").data
        for token in (server.user("mallory"), server.admin()):
            self.assertEqual(server.http("GET", "/ui/experiments", token).data, page)
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            self.assertEqual(server.http(method, "/ui/", server.admin(), body={}).status, 404, method)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        connection.request("GET", "/ui/", headers={"Content-Length": str(1 << 30)})
        self.assertEqual(connection.getresponse().status, 413)
        connection.close()

    def test_a_reader_of_the_page_who_does_not_read_holds_a_piece(self):
        """a620492: there was no page.
        now: long files go out in pieces of 32 KiB: hundreds who do not read hold neither the memory nor others up."""
        before = self.memory()
        readers = []
        try:
            for _ in range(200):
                reader = socket.socket()
                reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                reader.connect(("127.0.0.1", server.port))
                reader.sendall(b"GET /ui/assets/main-1a2b.js HTTP/1.1\r\nHost: localhost\r\n\r\n")
                readers.append(reader)
            for reader in readers:
                reader.settimeout(PATIENCE)
                self.assertEqual(reader.recv(12), b"HTTP/1.1 200")  # it is under way
            self.assertEqual(server.http("GET", "/ui/").status, 200)
            self.assertLess(self.memory() - before, 100 << 20)
        finally:
            for reader in readers:
                reader.close()

    @staticmethod
    def memory():
        """Of the server, in bytes."""
        status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) << 10

    def tearDown(self):
        self.assertIsNone(server.process.poll(), server.log()[-2000:])


class Live(unittest.TestCase):
    PATH = "/api/v1/live?watch=experiments"

    def open(self, token, path=PATH, **headers):
        """A stream and the status of its answer."""
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}", **headers} if token else headers)
        self.addCleanup(connection.close)
        return connection, connection.getresponse()

    def read(self, stream, text):
        """What it says until that has come. Signs of life alone, which come every 15 seconds, are not it."""
        said = b""
        while text not in said:
            line = stream.readline()
            self.assertTrue(line, said)
            said += line
            self.assertLess(said.count(b": alive"), PATIENCE / 15 + 1, said)
        return said

    def test_what_changes_is_told_to_people_who_are_logged_in(self):
        """a620492: there was no stream.
        now: 401 to strangers, 403 to a task's tokens of both kinds, and to pages of other origins."""
        theirs = server.waiting_run(server.user("alice"), {"name": "alices"})
        for token, status in ((None, 401), ("x" * 40, 401), (theirs.session, 403), (theirs.user, 403)):
            self.assertEqual(server.http("GET", self.PATH, token).status, status)
        for origin in ("http://evil.example", "null"):
            self.assertEqual(server.http("GET", self.PATH, server.admin(), headers={"Origin": origin}).status, 403, origin)
        self.assertEqual(self.open(server.admin())[1].status, 200)

    def test_what_is_told_of_a_change_is_no_more_than_its_number(self):
        """a620492: there was no stream.
        now: topics and ids; names, configurations and tokens are asked for over the routes that say who may see them."""
        _, stream = self.open(server.user("mallory"))
        number = server.create(server.user("alice"), {"name": "whales-of-the-north"})
        told, said = set(), b""
        while number not in told:  # experiments of other tests are told of, too
            said += self.read(stream, b"data: ")
            lines = [json.loads(line[6:]) for line in said.decode().splitlines() if line.startswith("data: ")]
            told = {int(each) for line in lines for each in line.get("ids", [])}
        self.assertNotIn(b"whales", said)
        self.assertLessEqual({key for line in lines for key in line}, {"server", "topic", "ids"})

    def test_a_stream_ends_with_its_login(self):
        """a620492: there was no stream.
        now: within seconds of the logout it ends."""
        server.user("bob")
        token = server.login("bob", "Abcdefg1")
        _, stream = self.open(token)
        self.assertEqual(stream.status, 200)
        self.assertEqual(server.http("POST", "/api/v1/auth/logout", token).status, 200)
        while piece := stream.read1(65536):
            self.assertNotIn(b": alive", piece)  # which comes after 15 seconds

    def test_one_user_does_not_take_all_streams(self):
        """a620492: there was no stream.
        now: 512 of one user, then 429 with the time to wait; others get theirs, and the server answers."""
        greedy = server.user("greedy")
        request = f"GET {self.PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {greedy}\r\n\r\n".encode()
        streams = []
        try:
            for _ in range(512):
                stream = server.raw_socket(request)
                streams.append(stream)
                self.assertIn(b" 200 ", stream.recv(20))
            refused = server.http("GET", self.PATH, greedy)
            self.assertEqual(refused.status, 429, refused)
            self.assertGreater(int(refused.headers["Retry-After"]), 0)
            self.assertEqual(self.open(server.admin())[1].status, 200)
            self.assertEqual(server.http("GET", "/api/v1/me", greedy).status, 200)
        finally:
            for stream in streams:
                stream.close()

    def test_topics_are_few_and_are_words(self):
        """a620492: there was no stream.
        now: 400 that names the topics; 64 of them at most; numbers that do not exist are never told of."""
        token = server.user("mallory")
        for topic in ("", "*", "experiment:", "experiment:0", "experiment:-1", "experiment:1e3", "experiment:" + "9" * 30, "trial:1%20OR%201=1", "logs:", "logs:" + "x" * 1000,
                      "users", "experiments%00"):
            self.assertEqual(server.http("GET", f"/api/v1/live?watch={topic}", token).status, 400, topic)
        self.assertEqual(server.http("GET", "/api/v1/live?" + "&".join(f"watch=trial:{i}" for i in range(1, 66)), token).status, 400)
        for claim in ("x", "-1", "99999999999999999999", "0-0", "\u00e9".encode().decode("latin-1"), "a" * 10_000):
            _, stream = self.open(token, **{"Last-Event-ID": claim})
            self.assertEqual(stream.status, 200, claim)
            self.read(stream, b"look-again")

    def tearDown(self):
        self.assertIsNone(server.process.poll(), server.log()[-2000:])


class Theirs(unittest.TestCase):
    """Determined's own pages, with --webui-dir."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(args=["--webui-dir", PAGE / "theirs"])
        cls.server.start()
        cls.addClassCleanup(cls.server.stop)

    def test_no_path_below_det_is_a_path_of_a_file(self):
        """a620492: there were no such pages.
        now: names of files that were read at start; links were passed over; all else is the index or 404."""
        for path in ("/det/assets/../../secret.txt", "/det/../secret.txt", "/det/assets/..%2f..%2fsecret.txt", "/det/assets/link.js", "/det//etc/passwd", "/det/%2fetc%2fpasswd",
                     "/det/assets/..\\..\\secret.txt", "/det/" + "../" * 20 + "etc/passwd", f"/det/assets/{PAGE}/secret.txt"):
            with self.subTest(path):
                said = self.server.exchange(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode("latin-1"), closes=True)
                self.assertNotIn(b"the secret", said)
                self.assertNotIn(b"root:", said)
                self.assertRegex(said, rb"^HTTP/1\.1 (200|404) ")

    def test_they_run_what_the_administrator_put_there_and_nothing_else(self):
        """a620492: there were no such pages.
        now: scripts of the folder and those that stand in index.html, by their hashes, also for files that are opened by themselves; no frames, no evaluation."""
        for path in ("/det/", "/det/%3Cscript%3E", "/det/assets/picture.svg", "/det/login?x=%3Cscript%3E"):
            with self.subTest(path):
                answer = self.server.http("GET", path)
                policy = answer.headers["Content-Security-Policy"]
                self.assertIn("default-src 'none';", policy)
                self.assertRegex(policy, r"script-src 'self' 'sha256-[A-Za-z0-9+/]{43}='$")
                self.assertIn("frame-ancestors 'none'", policy)
                self.assertNotRegex(policy, r"unsafe-eval|\*|https?:")
                self.assertNotIn("Set-Cookie", answer.headers)

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), self.server.log()[-2000:])


class Stream(unittest.TestCase):
    """GET /stream, a websocket."""

    def open(self, token, *headers):
        stream = WebSocket(server.port, "/stream", [*([f"Cookie: auth={token}"] if token else []), *headers], timeout=PATIENCE)
        self.addCleanup(stream.close)
        return stream

    def end(self, stream):
        """Why it ends."""
        with self.assertRaises(Closed) as closed:
            while True:
                stream.receive()
        return closed.exception.status

    def test_pages_of_other_origins_open_no_stream_with_the_cookies_of_this_one(self):
        """a620492: there was no stream.
        now: 403 for an Origin that is not this server, also where a cookie is sent with it; 401 to strangers, 403 to both tokens of a task."""
        admin = server.admin()
        for origin in ("http://evil.example", "null", "http://localhost.evil.example", "https://127.0.0.1:1", "http://localhost:1"):
            self.assertEqual(self.open(admin, f"Origin: {origin}").status, 403, origin)
        self.assertEqual(self.open(admin, "Origin: http://localhost").status, 101)
        theirs = server.waiting_run(server.user("ida"), {"name": "idas"})
        for token, status in ((None, 401), ("x" * 40, 401), (theirs.session, 403), (theirs.user, 403)):
            self.assertEqual(self.open(token).status, status)

    def test_who_says_nothing_or_too_much_is_hung_up_on(self):
        """a620492: there was no stream.
        now: 10 seconds for the first message, 256 KiB a message, 8 messages ahead, frames that are masked and texts: then Close with the reason."""
        token = server.user("mallory")
        self.assertEqual(self.end(self.open(token)), 1008)
        for opcode, payload, is_masked, status in ((2, b"x", True, 1003), (1, b'{"a": "unmasked"}', False, 1002), (0, b"x", True, 1002), (1, b"[" * 60_000, True, 1008), (1, b"{", True, 1008),
                                                   (1, b'{"subscribe": {"projects": {"workspace_ids": [0]}}}', True, 1008),
                                                   (1, b'{"known": {"projects": "9-1"}, "subscribe": {"projects": {}}}', True, 1008)):
            with self.subTest(payload[:60]):
                stream = self.open(token)
                stream.send_frame(opcode, payload, is_masked)
                self.assertEqual(self.end(stream), status)
        stream = self.open(token)
        for _ in range(5):
            stream.socket.sendall(bytes([0x01 if _ == 0 else 0x00, 0xfe, 0xff, 0xff]) + bytes(4) + b"x" * 65535)  # one message of many frames
        self.assertEqual(self.end(stream), 1009)

    def test_ranges_without_end_cost_nothing(self):
        """a620492: there was no stream.
        now: known ids are kept as ranges: what is gone of 9 * 10^18 of them is two numbers."""
        stream = self.open(server.user("mallory"))
        stream.send({"sync_id": "1", "known": {"projects": "1-9223372036854775806"}, "subscribe": {"projects": {"project_ids": [1]}}})
        said = [stream.receive() for _ in range(4)]
        self.assertEqual(said[1], {"projects_deleted": "2-9223372036854775806"})
        self.assertEqual(said[2]["project"]["id"], 1)

    def test_one_user_does_not_take_all_of_them(self):
        """a620492: there was no stream.
        now: 64 of one user, then 429; others get theirs."""
        greedy = server.user("greedier")
        for _ in range(64):
            self.assertEqual(self.open(greedy).status, 101)
        self.assertEqual(self.open(greedy).status, 429)
        self.assertEqual(self.open(server.admin()).status, 101)

    def tearDown(self):
        self.assertIsNone(server.process.poll(), server.log()[-2000:])


if __name__ == "__main__":
    unittest.main()
