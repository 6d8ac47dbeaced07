"""The API's description of itself: what strangers learn by it, and what a page of the server's lets others do."""

import http.client
import re
import unittest

from server import PASSWORD, PATIENCE, setup

server = setup(globals())
PATHS = ["/api/v1/openapi.json", "/docs", "/docs/docs.js", "/docs/docs.css"]


class Description(unittest.TestCase):
    def test_the_description_of_the_api_tells_strangers_nothing_of_the_cluster(self):
        """a620492: 404 and 501; there was none.
        now: the same bytes for everybody, made of the program alone: no user, token, path, address or setting is in them."""
        token = server.user("mallory")
        server.create(token, {"name": "whales-of-the-north"})
        for path in PATHS:
            with self.subTest(path):
                answer = server.http("GET", path)
                self.assertEqual(answer.status, 200, answer)
                self.assertEqual(answer.data, server.http("GET", path, server.admin()).data)
                for secret in (PASSWORD, token, server.admin(), "mallory", "whales-of-the-north", str(server.folder), str(server.port), "postgres"):
                    self.assertNotIn(secret, answer.text)
                self.assertNotIn("Set-Cookie", answer.headers)

    def test_the_page_of_the_description_runs_nothing_but_its_own_script(self):
        """a620492: 404; there was none.
        now: a policy without inline scripts or styles, own files only; no page frames it; the script puts in texts, never HTML, and asks without cookies."""
        for path in PATHS[1:]:
            with self.subTest(path):
                answer = server.http("GET", path)
                policy = dict(part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";"))
                self.assertEqual({name: policy.get(name) for name in ("default-src", "script-src", "style-src", "connect-src", "frame-ancestors", "base-uri", "form-action")},
                                 {"default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "connect-src": "'self'",
                                  "frame-ancestors": "'none'", "base-uri": "'none'", "form-action": "'none'"})
                self.assertEqual((answer.headers["X-Content-Type-Options"], answer.headers["Referrer-Policy"]), ("nosniff", "no-referrer"))
                self.assertNotRegex(answer.text, r"https?://(?!www\.w3\.org)")
        page, script = (server.http("GET", path).text for path in PATHS[1:3])
        self.assertNotRegex(page, r"<script>|<style|\sstyle=|\son\w+=|javascript:")
        self.assertNotRegex(script, r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\(|localStorage|sessionStorage|document\.cookie")
        self.assertEqual(len(re.findall(r"fetch\(", script)), len(re.findall(r'credentials: "omit"', script)))

    def test_the_page_of_the_description_puts_in_nothing_that_a_link_brings(self):
        """a620492: 404; there was none.
        now: the same bytes, whatever stands behind the path; other paths below it are errors as JSON."""
        page = server.http("GET", "/docs").data
        for link in ("/docs?x=%3Cscript%3Ealert(1)%3C/script%3E", "/docs/?redirect=//evil.example", "/docs?token=secret"):
            self.assertEqual(server.http("GET", link).data, page, link)
        answer = server.http("GET", "/docs/%3Cscript%3Ealert(1)%3C/script%3E")
        self.assertEqual(answer.status, 404)
        self.assertTrue(answer.headers["Content-Type"].startswith("application/json"), answer.headers)
        for path in ("/docs/../etc/passwd", "/docs/%2e%2e/docs_page.cc", "/docs/docs.html"):
            self.assertEqual(server.http("GET", path).status, 404, path)

    def test_the_description_is_read_only_and_takes_no_bodies(self):
        """a620492: 404 and 501; there was none.
        now: other methods are refused as unknown, bodies of more than 1 KiB unread."""
        for path in PATHS:
            for method in ("POST", "PUT", "PATCH", "DELETE"):
                with self.subTest(path=path, method=method):
                    answer = server.http(method, path, server.admin(), body={})
                    self.assertEqual(answer.status, 501 if path.startswith("/api/") else 404, answer)
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
            connection.request("GET", path, headers={"Content-Length": str(1 << 30)})
            self.assertEqual(connection.getresponse().status, 413, path)
            connection.close()

    def test_what_somebody_claims_to_have_of_the_description_costs_no_more(self):
        """a620492: 501; there was none.
        now: 304 for the ETag that it has, 200 for whatever else stands there; a head of more than 64 KiB is refused."""
        first = server.http("GET", PATHS[0])
        etag = first.headers["ETag"]
        again = server.http("GET", PATHS[0], headers={"If-None-Match": etag})
        self.assertEqual((again.status, again.data), (304, b""))
        for claim in ('"x"', "*" * 1000, "W/", '"' * 60_000, "\u00e9".encode().decode("latin-1")):
            self.assertEqual(server.http("GET", PATHS[0], headers={"If-None-Match": claim}).data, first.data)
        self.assertEqual(server.http("GET", PATHS[0], headers={"If-None-Match": "x" * 70_000}).status, 431)
        head = server.http("HEAD", PATHS[0])
        self.assertEqual((head.status, head.data), (200, b""))

    def test_the_description_says_of_every_route_whether_it_needs_a_token(self):
        """a620492: 501; there was none.
        now: what it says needs a token answers 401 without one, and what it says needs none does not."""
        paths = server.http("GET", PATHS[0]).json["paths"]
        self.assertGreater(sum(map(len, paths.values())), 250)
        asks_itself = {"/prom/det-state-metrics"}
        for path, methods in paths.items():
            for method, operation in methods.items():
                with self.subTest(path=path, method=method):
                    where = re.sub(r"{[^}]*}", "1", path)
                    answer = server.http(method.upper(), where, body=None if method == "get" else {})
                    is_refused = answer.status == 401 and "token missing" in answer.text
                    self.assertEqual(is_refused, "security" in operation or path in asks_itself, answer)

    def tearDown(self):
        self.assertIsNone(server.process.poll(), server.log()[-2000:])


if __name__ == "__main__":
    unittest.main()
