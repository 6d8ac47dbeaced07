"""The way to the programs of tasks: where it leads, what passes, and what a task's page or a stranger can make of it. Pods of local mode
share the loopback interface, so the program behind a service is a thread of the test."""

import base64
import contextlib
import re
import socket
import threading
import unittest
import urllib.parse

from server import setup, wait_for

server = setup(globals(), config={"proxy": {"host_suffix": "localhost"}})

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
PAGE = {"Accept": "text/html", "Sec-Fetch-Mode": "navigate"}


class Program:
    """Listens on a port; keeps what was sent to it. `answer(bytes so far)` gives what is said to it, or None while there is more to
    come."""

    def __init__(self, answer=lambda said: OK if said.endswith(b"\r\n\r\n") else None):
        self.answer, self.heard = answer, b""
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        pending = b""
        with contextlib.suppress(OSError), connection:
            while piece := connection.recv(65536):
                self.heard += piece
                pending += piece
                answer = self.answer(pending)
                if answer is not None:
                    pending = b""
                    connection.sendall(answer)


def publish(port, user="alice", **more):
    """The service of a command of the user's that opens `port`: "<task>:<port>"."""
    config = {"entrypoint": ["sleep", "600"], "resources": {"slots": 0}, "environment": {"proxy_ports": [{"proxy_port": port, **more}]}}
    made = server.http("POST", "/api/v1/commands", server.user(user), {"config": config})
    assert made.status == 200, made
    service = f"{made.json['command']['id']}:{port}"
    wait_for(f"service {service} is published", lambda: server.sql(f"SELECT 1 FROM proxy_services WHERE id = '{service}'"))
    return service


def copy_of(service, name, address, port):
    """As if the pod's status had said so."""
    task = service.split(":")[0]
    server.sql("INSERT INTO proxy_services (id, task_id, allocation_id, address, port, is_tcp, is_unauthenticated, is_tls, is_shared, owner_id) "
               f"SELECT '{task}:{name}', task_id, allocation_id, '{address}', {port}, false, false, false, false, owner_id "
               f"FROM proxy_services WHERE id = '{service}'")
    return f"{task}:{name}"


def origin_of(service):
    return f"http://{service.split(':')[0]}.localhost:{server.port}"


def head(line, *fields, token=None, host="127.0.0.1"):
    fields = [*fields, f"Authorization: Bearer {token}"] if token else fields
    return "\r\n".join([line, f"Host: {host}", *fields, "", ""]).encode()


def status_of(said):
    return int(said.split(b" ", 2)[1]) if said.startswith(b"HTTP/") else 0


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = Program()
        cls.service = publish(cls.program.port)
        cls.alice, cls.mallory = server.user("alice"), server.user("mallory")
        cls.path = f"/proxy/{cls.service}/"

    def setUp(self):
        self.program.heard = b""

    def get(self, path=None, token=None, **headers):
        return server.http("GET", path or self.path, token, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def ask(self, line, *fields, token=None, host="127.0.0.1"):
        return server.exchange(head(line, *fields, token=token, host=host))

    def unheard(self):
        self.assertEqual(self.program.heard, b"", "the program was asked")


class Targets(Case):
    def refused(self, service):
        answer = self.get(f"/proxy/{service}/", self.alice)
        self.assertEqual(answer.status, 502, answer)
        self.assertIn("address of no pod", answer.error)

    def test_a_port_of_a_task_cannot_be_the_api(self):
        """a620492: there was no proxy.
        now: 502: this program's own ports are no task's."""
        self.refused(publish(server.port))

    def test_a_port_of_a_task_cannot_be_the_kubernetes_api(self):
        """a620492: there was no proxy.
        now: 502."""
        url = re.search(r"https://127\.0\.0\.1:(\d+)", (server.data / "kubeconfig").read_text())
        self.refused(publish(int(url[1])))

    def test_an_address_that_no_pod_has_is_not_asked(self):
        """a620492: there was no proxy.
        now: 502 for link-local and metadata addresses, in whatever way they are written, for broadcast and for "here"."""
        addresses = ("169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "fd00:ec2::254", "168.63.129.16", "0.0.0.0", "::",
                     "255.255.255.255", "224.0.0.1", "::ffff:0.0.0.0")
        for number, address in enumerate(addresses):
            with self.subTest(address=address):
                self.refused(copy_of(self.service, f"1000{number}", address, 80))

    def test_a_path_names_services_and_no_addresses(self):
        """a620492: there was no proxy.
        now: 404 or 400: what is asked for is looked up, never dialled."""
        port = self.program.port
        for path in (f"/proxy/127.0.0.1:{port}/", f"/proxy/localhost:{port}/", f"/proxy/x@127.0.0.1:{port}/", "/proxy/169.254.169.254/latest/",
                     f"/proxy/http:%2f%2f127.0.0.1:{port}/", f"/proxy/..%2f{self.service}/", f"/proxy/{self.service}%00/", "/proxy//",
                     f"/proxy/{self.service}'--/", f"http://127.0.0.1:{port}/"):
            with self.subTest(path=path):
                self.assertIn(status_of(self.ask(f"GET {path} HTTP/1.1", token=self.alice)), (400, 404))
        self.unheard()

    def test_one_tasks_host_does_not_serve_another_task(self):
        """a620492: there was no proxy.
        now: 404: pages of two tasks never share an origin."""
        other = publish(Program().port, "mallory")
        said = self.ask(f"GET {self.path} HTTP/1.1", token=self.alice, host=origin_of(other).removeprefix("http://"))
        self.assertEqual(status_of(said), 404, said)
        self.unheard()


class Rights(Case):
    def test_other_peoples_tasks_are_not_there(self):
        """a620492: there was no proxy.
        now: 404 for another user, 401 for a stranger, on both origins."""
        self.assertEqual(self.get(token=self.mallory).status, 404)
        self.assertEqual(self.get().status, 401)
        for token, expected in ((self.mallory, 404), (None, 401)):
            said = self.ask(f"GET {self.path} HTTP/1.1", token=token, host=origin_of(self.service).removeprefix("http://"))
            self.assertEqual(status_of(said), expected, said)
        self.assertEqual(self.get(Cookie=f"auth={self.mallory}", **PAGE).status, 404)
        self.unheard()

    def test_the_token_of_a_run_opens_nothing(self):
        """a620492: there was no proxy.
        now: 404: what a pod reports with is no key to other pods."""
        run = server.waiting_run(self.alice)
        self.assertEqual(self.get(token=run.session).status, 404)
        server.kill(self.alice, run.experiment)
        self.unheard()

    def test_an_ended_login_ends_the_page(self):
        """a620492: there was no proxy.
        now: 401 with the cookie that the page has: whether its login is still good is asked with each request."""
        token = server.login("alice", "Abcdefg1")
        cookie = self.cookie(token)
        asked = lambda: status_of(self.ask(f"GET {self.path} HTTP/1.1", f"Cookie: {cookie}", host=origin_of(self.service).removeprefix("http://")))
        self.assertEqual(asked(), 200)
        self.assertEqual(server.http("POST", "/api/v1/auth/logout", token).status, 200)
        wait_for("the cookie is refused", lambda: asked() == 401)

    def cookie(self, token):
        host = origin_of(self.service).removeprefix("http://")
        sent = self.get(Cookie=f"auth={token}", **PAGE)
        self.assertEqual(sent.status, 303, sent)
        path = sent.headers["Location"].removeprefix(origin_of(self.service))
        said = self.ask(f"GET {path} HTTP/1.1", "Accept: text/html", host=host)
        self.assertEqual(status_of(said), 303, said)
        return re.search(rb"Set-Cookie: (det_proxy=[^;]+)", said)[1].decode()

    def test_a_ticket_is_good_once_and_for_one_service(self):
        """a620492: there was no proxy.
        now: 401 the second time, for another service, and when a letter of it was changed."""
        host = origin_of(self.service).removeprefix("http://")
        sent = self.get(Cookie=f"auth={self.alice}", **PAGE)
        path = sent.headers["Location"].removeprefix(origin_of(self.service))
        changed = path[:-1] + ("0" if path[-1] != "0" else "1")
        self.assertEqual(status_of(self.ask(f"GET {changed} HTTP/1.1", "Accept: text/html", host=host)), 401)
        other = publish(Program().port)
        for_other = path.replace(self.service, other)
        self.assertEqual(status_of(self.ask(f"GET {for_other} HTTP/1.1", "Accept: text/html", host=origin_of(other).removeprefix("http://"))), 401)
        self.assertEqual(status_of(self.ask(f"GET {path} HTTP/1.1", "Accept: text/html", host=host)), 303)
        self.assertEqual(status_of(self.ask(f"GET {path} HTTP/1.1", "Accept: text/html", host=host)), 401)
        self.unheard()


class Smuggling(Case):
    INNER = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"

    def refused(self, *fields, body=b"", path=None):
        said = server.exchange(head(f"POST {path or self.path} HTTP/1.1", *fields, token=self.alice) + body, closes=True)
        self.assertEqual(status_of(said), 400, said)
        self.assertEqual(said.count(b"HTTP/1.1 "), 1, "one answer, then the connection is closed")

    def test_a_folded_header_is_one_line_for_the_program_too(self):
        """a620492: there was no proxy.
        now: the fold is a space before it goes on (RFC 9112, 5.2)."""
        said = self.ask(f"GET {self.path} HTTP/1.1", "X: a\r\n Transfer-Encoding: chunked", token=self.alice)
        self.assertEqual(status_of(said), 200, said)
        self.assertRegex(self.program.heard, rb"\r\nX: a +Transfer-Encoding: chunked\r\n")

    def test_a_request_that_two_readers_could_end_differently_is_refused(self):
        """a620492: there was no proxy.
        now: 400, and the connection is closed."""
        for fields in (("Content-Length: 4", "Transfer-Encoding: chunked"), ("Content-Length: 4", "Content-Length: 40"),
                       ("Content-Length: 4", "Content-Length: 4"), ("Content-Length: 4, 4",), ("Content-Length: +4",),
                       ("Transfer-Encoding: xchunked",), ("Transfer-Encoding: chunked, identity",), ("Transfer-Encoding : chunked",),
                       ("X: a\rTransfer-Encoding: chunked",), ("X: a\x00b",)):
            with self.subTest(fields=fields):
                self.refused(*fields, body=b"0\r\n\r\n" + self.INNER)
        self.unheard()

    def test_chunks_that_are_none_are_not_passed_on(self):
        """a620492: there was no proxy.
        now: 400; what follows them is not another request to the program."""
        program = Program(lambda said: OK if said.endswith(b"\r\n0\r\n\r\n") else None)
        path = f"/proxy/{publish(program.port)}/"
        for chunks in (b"0x4\r\nabcd\r\n0\r\n\r\n", b"4 \r\nabcd\r\n0\r\n\r\n", b"4\nabcd\n0\n\n", b"4\r\nabcdX0\r\n\r\n", b"-1\r\n\r\n",
                       b"ffffffffffffffff1\r\n", b"4;a=\nb\r\nabcd\r\n0\r\n\r\n", b"\r\n0\r\n\r\n", b"4\r\nabcd\r\n0\r\nX: \x00\r\n\r\n"):
            with self.subTest(chunks=chunks):
                self.refused("Transfer-Encoding: chunked", body=chunks + self.INNER, path=path)
        self.assertNotIn(b"/smuggled", program.heard)

    def test_a_header_that_only_connects_goes_no_further(self):
        """a620492: there was no proxy.
        now: the program sees none of them, nor who the client says that it is."""
        said = self.ask(f"GET {self.path} HTTP/1.1", "Connection: X-Secret, close", "X-Secret: 1", "TE: trailers", "Keep-Alive: 5", "Upgrade: h2c",
                        "Proxy-Authorization: Basic eA==", "X-Forwarded-For: 6.6.6.6", "Forwarded: for=6.6.6.6", "X-Real-IP: 6.6.6.6", token=self.alice)
        self.assertEqual(status_of(said), 200, said)
        for word in (b"x-secret", b"\nte:", b"\nkeep-alive:", b"proxy-authorization", b"h2c", b"6.6.6.6"):
            self.assertNotIn(word, self.program.heard.lower())

    def test_an_answer_that_two_readers_could_end_differently_is_none(self):
        """a620492: there was no proxy.
        now: 502; nothing of it reaches the client."""
        for fields in (b"Content-Length: 2\r\nTransfer-Encoding: chunked", b"Content-Length: 2\r\nContent-Length: 3", b"Content-Length: 2, 3",
                       b"Transfer-Encoding: gzip, chunked", b"X: a\r\n Set-Cookie: auth=1\r\nContent-Length: 2", b"X : 1\r\nContent-Length: 2",
                       b"X: a\rSet-Cookie: auth=1\r\nContent-Length: 2", b"Content-Length: -2"):
            with self.subTest(fields=fields):
                answer = b"HTTP/1.1 200 OK\r\n" + fields + b"\r\n\r\nevil" + OK
                service = publish(Program(lambda said, answer=answer: answer).port)
                said = self.ask(f"GET /proxy/{service}/ HTTP/1.1", token=self.alice)
                self.assertEqual(status_of(said), 502, said)
                self.assertNotIn(b"evil", said)
                self.assertNotIn(b"auth=1", said)

    def test_a_websocket_that_the_program_did_not_take_is_none(self):
        """a620492: there was no proxy.
        now: 502: bytes pass unread only where both sides have agreed to a websocket."""
        service = publish(Program(lambda said: b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n").port)
        for fields in ((), ("Upgrade: h2c", "Connection: Upgrade"), WEBSOCKET):
            with self.subTest(fields=fields):
                said = self.ask(f"GET /proxy/{service}/ HTTP/1.1", *fields, token=self.alice)
                self.assertEqual(status_of(said), 502, said)


KEY = base64.b64encode(b"0123456789abcdef").decode()
WEBSOCKET = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {KEY}")


class Pages(Case):
    """The attacker wrote the page that the program shows, or another site."""

    def test_a_program_sees_no_login(self):
        """a620492: there was no proxy.
        now: it sees its own cookies only; neither ours nor the token that let in reach it."""
        said = self.ask(f"GET {self.path} HTTP/1.1", f"Cookie: own=1; auth={self.alice}; det_proxy=x", f"Cookie: auth={self.alice}; more=2",
                        f"Grpc-Metadata-x-allocation-token: Bearer {self.alice}", token=self.alice)
        self.assertEqual(status_of(said), 200, said)
        self.assertNotIn(self.alice.encode(), self.program.heard)
        self.assertNotIn(b"det_proxy", self.program.heard)
        self.assertIn(b"Cookie: own=1; more=2\r\n", self.program.heard)

    def test_a_program_gives_no_cookie_to_others(self):
        """a620492: there was no proxy.
        now: the cookie stays with the task's own host, and none passes for ours."""
        answer = (b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Domain=localhost; Path=/\r\nSet-Cookie: auth=evil; Path=/\r\nSet-Cookie: det_proxy=evil\r\n"
                  b"Set-Cookie: =auth=evil\r\nClear-Site-Data: \"*\"\r\nContent-Length: 2\r\n\r\nok")
        service = publish(Program(lambda said: answer).port)
        said = self.ask(f"GET /proxy/{service}/ HTTP/1.1", token=self.alice)
        self.assertEqual(re.findall(rb"Set-Cookie: (.*)\r", said), [b"a=1; Path=/"])
        self.assertNotIn(b"evil", said)
        self.assertNotIn(b"Clear-Site-Data", said)

    def test_a_page_is_never_shown_under_the_apis_origin(self):
        """a620492: there was no proxy.
        now: a browser is sent to the task's own host; programs with a token get the bytes, in a sandbox should one show them."""
        answer = self.get(Cookie=f"auth={self.alice}", **PAGE)
        self.assertEqual(answer.status, 303)
        self.assertTrue(answer.headers["Location"].startswith(origin_of(self.service) + self.path))
        for headers in ({"Sec_Fetch_Mode": "no-cors", "Sec_Fetch_Dest": "script"}, {"Sec_Fetch_Mode": "cors"}, {"Accept": "*/*"}):
            self.assertEqual(self.get(Cookie=f"auth={self.alice}", **headers).status, 403)
        two = self.get(Cookie=f"auth={self.alice}; auth={self.mallory}", **PAGE)
        self.assertTrue(two.headers["Location"].startswith("/det/login"), "nobody can tell whose page it is to be")
        self.unheard()
        self.assertEqual(self.get(token=self.alice).headers["Content-Security-Policy"], "sandbox")

    def test_a_tasks_page_cannot_ask_the_api(self):
        """a620492: there was no proxy.
        now: 403 by its Origin, whatever it shows; and under the task's host there is no API."""
        asked = server.http("POST", "/api/v1/experiments", self.alice, {}, {"Origin": origin_of(self.service)})
        self.assertEqual(asked.status, 403, asked)
        said = self.ask("GET /api/v1/me HTTP/1.1", token=self.alice, host=origin_of(self.service).removeprefix("http://"))
        self.assertEqual(status_of(said), 404, said)

    def test_another_site_cannot_open_a_websocket(self):
        """a620492: there was no proxy.
        now: 403, with the cookie or without."""
        for origin in ("http://evil.example", "null", f"http://127.0.0.1:{server.port + 1}", origin_of(publish(Program().port))):
            with self.subTest(origin=origin):
                said = self.ask(f"GET {self.path} HTTP/1.1", *WEBSOCKET, f"Origin: {origin}", token=self.alice,
                                host=origin_of(self.service).removeprefix("http://"))
                self.assertEqual(status_of(said), 403, said)
        self.unheard()

    def test_another_site_cannot_send_forms(self):
        """a620492: there was no proxy.
        now: 403: it may link here and nothing else."""
        for fields in (("Origin: http://evil.example",), ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate")):
            said = self.ask(f"POST {self.path} HTTP/1.1", *fields, "Content-Length: 0", token=self.alice,
                            host=origin_of(self.service).removeprefix("http://"))
            self.assertEqual(status_of(said), 403, said)
        self.unheard()

    def test_signing_in_leads_back_to_us_only(self):
        """a620492: there was no proxy.
        now: what comes back after the login begins with /proxy/ and a service that exists."""
        for path in (self.path, self.path + "/evil.example", self.path + "?next=//evil.example", self.path + "..//evil.example/"):
            with self.subTest(path=path):
                said = self.ask(f"GET {path} HTTP/1.1", "Accept: text/html")
                self.assertEqual(status_of(said), 303, said)
                place = re.search(rb"Location: (\S+)", said)[1].decode()
                self.assertTrue(place.startswith("/det/login?redirect=%2Fproxy%2F"), place)
                self.assertTrue(urllib.parse.unquote(place).split("redirect=")[1].startswith(f"/proxy/{self.service}/"), place)
        for path in ("//evil.example/", "/proxy//evil.example/", "/proxy/%2f%2fevil.example/", "//proxy/" + self.service + "/"):
            said = self.ask(f"GET {path} HTTP/1.1", "Accept: text/html")
            self.assertNotIn(b"Location", said)

    def test_trace_shows_nothing(self):
        """a620492: there was no proxy.
        now: 405."""
        self.assertEqual(status_of(self.ask(f"TRACE {self.path} HTTP/1.1", token=self.alice)), 405)
        self.unheard()


class Load(Case):
    def test_who_does_not_read_costs_no_memory(self):
        """a620492: there was no proxy.
        now: the program waits too: less than 32 MiB for ten readers that stopped at the first byte of 1 GiB each."""
        piece = b"x" * (1 << 20)

        def stream(_):
            return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (1 << 30) + piece * 32

        service = publish(Program(stream).port)
        before = server.resident()
        with contextlib.ExitStack() as stack:
            for _ in range(10):
                connection = stack.enter_context(server.raw_socket(head(f"GET /proxy/{service}/ HTTP/1.1", token=self.alice)))
                self.assertEqual(connection.recv(8), b"HTTP/1.1")
            asked = [self.get(token=self.alice).status for _ in range(20)]
            self.assertEqual(asked, [200] * 20, "others are served meanwhile")
            self.assertLess(server.resident() - before, 32)

    def test_a_body_that_never_comes_holds_nobody_up(self):
        """a620492: there was no proxy.
        now: it waits by itself; others are served."""
        with contextlib.ExitStack() as stack:
            for _ in range(50):
                stack.enter_context(server.raw_socket(head(f"POST {self.path} HTTP/1.1", "Content-Length: 1000", token=self.alice) + b"x"))
            self.assertEqual([self.get(token=self.alice).status for _ in range(20)], [200] * 20)

    def test_a_head_without_end_of_a_program_ends(self):
        """a620492: there was no proxy.
        now: 502 beyond 64 KiB, not all that it can say."""
        service = publish(Program(lambda said: b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000).port)
        before = server.resident()
        self.assertEqual(self.get(f"/proxy/{service}/", self.alice).status, 502)
        self.assertLess(server.resident() - before, 16)


if __name__ == "__main__":
    unittest.main()
