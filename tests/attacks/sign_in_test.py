"""Signing in with OpenID Connect: attacks by outsiders, by people with an account at the provider, and by a provider that has gone bad."""

import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import pathlib
import shutil
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse

from server import Server, setup, timed
from waiting import PATIENCE, wait_for

# RFC 7515, A.2: everybody knows both halves of it, so that what is signed with it proves nothing; here nobody needs the private one.
PUBLIC = {"kty": "RSA", "kid": "k1", "use": "sig", "e": "AQAB",
          "n": "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2"
               "jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-"
               "DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}


def coded(data):
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(text).rstrip(b"=").decode()


class Provider:
    """Answers what the test says it does."""

    def __init__(self, certificate=None):
        """certificate: a PEM file with its key; the provider speaks TLS then."""
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                provider.answer(self)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"{'https' if certificate else 'http'}://127.0.0.1:{self.server.server_port}"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.token = lambda nonce: "x"
        self.ways = {}  # path -> function of the handler, in place of the answer
        self.asked = []
        self.nonces = {}  # of codes

    def answer(self, handler):
        path = urllib.parse.urlsplit(handler.path).path
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0))).decode()
        self.asked.append(path)
        if path in self.ways:
            return self.ways[path](handler)
        form = dict(urllib.parse.parse_qsl(body))
        said = {"/.well-known/openid-configuration": lambda: {
                    "issuer": self.url, "authorization_endpoint": self.url + "/authorize", "token_endpoint": self.url + "/token", "jwks_uri": self.url + "/keys"},
                "/keys": lambda: {"keys": [PUBLIC]},
                "/token": lambda: {"id_token": self.token(self.nonces.get(form.get("code"), "")), "access_token": "a", "token_type": "Bearer"}}[path]()
        self.send(handler, json.dumps(said).encode())

    @staticmethod
    def send(handler, data, length=None):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(length or len(data)))
        handler.end_headers()
        with contextlib.suppress(ConnectionError):  # who has read enough of it closes
            handler.wfile.write(data)


provider = Provider()


def configured(by):
    return {"oidc": {"enabled": True, "client_id": "det", "client_secret": "the-secret", "idp_recipient_url": "http://127.0.0.1:1", "idp_sso_url": by.url,
                     "auto_provision_users": True}}


server = setup(globals(), config=configured(provider))


class Browser:
    def __init__(self, of=None, by=None):
        self.server, self.provider, self.cookie = of or server, by or provider, ""

    def begin(self, relay="", cookie=""):
        """The callback that the provider would send this browser to."""
        query = "?" + urllib.parse.urlencode({"relayState": relay}) if relay else ""
        answer = self.server.http("GET", "/oidc/sso" + query, headers={"Cookie": cookie} if cookie else {})
        assert answer.status == 303, answer
        self.cookie = answer.headers["Set-Cookie"].split(";")[0]
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.headers["Location"]).query))
        code = f"code-{len(self.provider.nonces)}"
        self.provider.nonces[code] = asked["nonce"]
        return "/oidc/callback?" + urllib.parse.urlencode({"code": code, "state": asked["state"]})

    def end(self, target):
        return self.server.http("GET", target, headers={"Cookie": self.cookie} if self.cookie else {})


class SignInAttacks(unittest.TestCase):
    def refused(self, answer, status=403, says=""):
        self.assertEqual(answer.status, status, answer)
        self.assertIn(says, answer.text)
        self.assertNotIn("Set-Cookie", answer.headers)
        self.assertNotIn("the-secret", answer.text)
        self.assertEqual(server.sql("SELECT username FROM users WHERE username LIKE '%@%'"), [])

    def claims(self, nonce, **more):
        now = int(time.time())
        return {"iss": provider.url, "sub": "1", "aud": "det", "iat": now, "exp": now + 60, "nonce": nonce, "email": "admin@example.com", **more}

    def test_a_sign_in_begun_by_an_attacker_is_not_ended_in_the_victims_browser(self):
        """a620492: there was no single sign-on.
        now: 403: the state is sealed for the browser's own cookie, which is HttpOnly, SameSite=Lax and good for ten minutes; the code is not even asked about."""
        attackers = Browser().begin()
        asked = provider.asked.count("/token")
        self.refused(server.http("GET", attackers), says="not begun in this browser")
        victim = Browser()
        victim.begin()
        self.refused(victim.end(attackers), says="not begun in this browser")
        self.assertEqual(provider.asked.count("/token"), asked)

    def test_no_state_is_made_up(self):
        """a620492: there was no single sign-on.
        now: 403; an HMAC seals it, with a key that is made of the client's secret, and what it holds is not believed before."""
        browser = Browser()
        state = urllib.parse.parse_qs(urllib.parse.urlsplit(browser.begin()).query)["state"][0]
        payload, seal = state.split(".")
        made_up = coded({"id": "x", "at": int(time.time()), "to": "https://evil.example"})
        for bad in ("", ".", payload, payload + ".", made_up + "." + seal, payload + "." + "0" * 64, "A" * 10000):
            with self.subTest(bad[:40]):
                self.refused(browser.end("/oidc/callback?" + urllib.parse.urlencode({"code": "c", "state": bad})))

    def test_a_cookie_that_an_attacker_chose_is_no_state(self):
        """a620492: there was no single sign-on.
        now: what has not the form of our cookie is replaced; one with it fits no state but its own, and behind TLS it is called __Host-, which no neighbour sets."""
        for planted in ("det_sign_in=x", "det_sign_in=" + "." * 43, "det_sign_in="):
            browser = Browser()
            browser.begin(cookie=planted)
            self.assertNotEqual(browser.cookie, planted)

    def test_a_callback_is_good_once(self):
        """a620492: there was no single sign-on.
        now: 403 for the second, from whomever it comes; the provider's own rule for codes is not the only one."""
        browser = Browser()
        callback = browser.begin()
        browser.end(callback)
        asked = provider.asked.count("/token")
        self.refused(browser.end(callback), says="it is good once")
        self.assertEqual(provider.asked.count("/token"), asked)

    def test_nobody_is_led_elsewhere_after_signing_in(self):
        """a620492: there was no single sign-on.
        now: relayState and redirect are paths of this server, or "cli", which is loopback at upstream's port; anything else is the front page."""
        for evil in ("https://evil.example", "//evil.example", "/\\evil.example", "/\t/evil.example", "javascript:alert(1)", "redirect=https://evil.example",
                     "http://localhost:1/", "@evil.example"):
            with self.subTest(evil):
                callback = Browser().begin(evil)
                payload = urllib.parse.parse_qs(urllib.parse.urlsplit(callback).query)["state"][0].split(".")[0]
                self.assertEqual(json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))["to"], "")
                page = server.http("GET", "/det/login?" + urllib.parse.urlencode({"redirect": evil})).text
                self.assertNotIn("evil", page)

    def test_an_unsigned_token_is_nobody(self):
        """a620492: there was no single sign-on.
        now: 403 for "alg": "none" in every spelling, with and without something in the signature's place."""
        for algorithm in ("none", "None", "NONE", "nOnE"):
            for signature in ("", coded(b"x")):
                with self.subTest(algorithm=algorithm, signature=signature):
                    provider.token = lambda nonce: f"{coded({'alg': algorithm})}.{coded(self.claims(nonce))}.{signature}"
                    browser = Browser()
                    self.refused(browser.end(browser.begin()), says=algorithm)

    def test_the_public_key_is_no_shared_secret(self):
        """a620492: there was no single sign-on.
        now: 403: HS256 is not known, and which algorithm a key is for the key says, not the token."""
        def forged(nonce):
            text = f"{coded({'alg': 'HS256', 'kid': 'k1'})}.{coded(self.claims(nonce))}"
            return f"{text}.{coded(hmac.new(PUBLIC['n'].encode(), text.encode(), hashlib.sha256).digest())}"
        provider.token = forged
        browser = Browser()
        self.refused(browser.end(browser.begin()), says="HS256")

    def test_a_token_names_a_key_and_nothing_else(self):
        """a620492: there was no single sign-on.
        now: 403; kid is compared with the names of published keys (no file, no query), jwk, jku and x5u are not looked at, and made-up names make nobody ask
        the provider for its keys more than twice a minute."""
        asked = provider.asked.count("/keys")
        for more in ({"kid": "../../../../dev/null"}, {"kid": "' UNION SELECT 'x"}, {"kid": "http://127.0.0.1:1/"}, {"kid": "k1", "jku": "http://127.0.0.1:1/"},
                     {"kid": "k1", "jwk": PUBLIC}, {"kid": ["k1"]}, {"kid": "k1", "crit": ["exp"]}):
            with self.subTest(more):
                provider.token = lambda nonce: f"{coded({'alg': 'RS256', **more})}.{coded(self.claims(nonce))}.{coded(b'x' * 256)}"
                browser = Browser()
                self.refused(browser.end(browser.begin()))
        self.assertLessEqual(provider.asked.count("/keys") - asked, 2)

    def test_a_token_of_any_shape_ends_nothing(self):
        """a620492: there was no single sign-on.
        now: 403 or 503 as a page, and the server goes on."""
        for token in ("", "x", "..", "a.b.c", "." * 1000, "A" * 100_000, coded(b"[" * 2000) + ".e30.eA", coded({"alg": "RS256"}) + "." + coded(b"\xff") + ".eA"):
            with self.subTest(token[:40]):
                provider.token = lambda nonce: token
                browser = Browser()
                answer = browser.end(browser.begin())
                self.assertIn(answer.status, (403, 503), answer)
        self.assertEqual(server.http("GET", "/ready").status, 200)

    def test_the_providers_words_are_no_markup(self):
        """a620492: there was no single sign-on.
        now: they are escaped and cut, and stand there only where the state is this browser's; the page runs no script of theirs."""
        browser = Browser()
        state = urllib.parse.urlsplit(browser.begin()).query.split("state=")[1]
        answer = browser.end("/oidc/callback?error=access_denied&error_description=" + urllib.parse.quote("<script>alert(1)</script>" * 50) + "&state=" + state)
        self.refused(answer, says="&lt;script&gt;")
        self.assertNotIn("<script>alert", answer.text)
        self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])
        self.refused(server.http("GET", "/oidc/callback?error=call-0900-EVIL"))
        self.assertNotIn("EVIL", server.http("GET", "/oidc/callback?error=call-0900-EVIL").text)

    def test_a_provider_that_sends_too_much_or_too_slowly_holds_up_nobody(self):
        """a620492: there was no single sign-on.
        now: 256 KiB and ten seconds are read of an answer, then the browser gets a page that says so; everybody else is served meanwhile."""
        browser = Browser()
        self.addCleanup(provider.ways.clear)
        provider.ways["/token"] = lambda handler: Provider.send(handler, b'{"id_token":"' + b"A" * (64 << 20))
        seconds, answer = timed(lambda: browser.end(browser.begin()))
        self.refused(answer, 503, "does not give tokens")
        released = threading.Event()
        self.addCleanup(released.set)
        provider.ways["/token"] = lambda handler: released.wait(PATIENCE)
        answers, alice = [], server.user("alice")  # made before: passwords take their time
        waiting = threading.Thread(target=lambda: answers.append(browser.end(browser.begin())))
        asked = provider.asked.count("/token")
        waiting.start()
        wait_for("the slow one is asked", lambda: provider.asked.count("/token") > asked)
        self.assertEqual(server.http("GET", "/api/v1/me", alice).status, 200)
        self.assertEqual(answers, [], "others were served while it waited")
        waiting.join(PATIENCE)
        self.refused(answers[0], 503, "does not give tokens")

    def test_a_provider_that_is_away_or_describes_itself_without_end_is_said(self):
        """a620492: there was no single sign-on.
        now: 503 with a page that leads to the login by password; nobody asks it again for five seconds, and the server starts and serves without it."""
        other = Provider()
        self.addCleanup(other.server.server_close)
        self.addCleanup(other.server.shutdown)
        path = "/.well-known/openid-configuration"
        other.ways[path] = lambda handler: Provider.send(handler, b"[" * (8 << 20))
        own = Server(config=configured(other))
        self.addCleanup(own.stop)
        own.start()
        page = lambda: own.http("GET", "/oidc/sso")
        self.refused(page(), 503, "/det/login?hard_logout=true")
        for _ in range(20):
            self.assertEqual(page().status, 503)
        self.assertLessEqual(other.asked.count(path), 3)
        other.ways[path] = lambda handler: Provider.send(handler, json.dumps({"issuer": "https://evil.example"}).encode())
        says = lambda text: wait_for(f"the page says {text}", lambda: text in page().text)
        says("another name")
        other.ways[path] = lambda handler: handler.connection.close()
        says("does not give its description")
        self.assertEqual(own.http("GET", "/api/v1/me", own.admin()).status, 200)
        other.ways.clear()
        wait_for("it is back", lambda: page().status == 303)

    def test_a_provider_whom_nobody_vouches_for_is_not_believed(self):
        """a620492: there was no single sign-on.
        now: 503 unless the system's authorities, or those of oidc.ca_file, signed its certificate; without TLS a provider is one on this machine, or the start
        ends with the line and why."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="det-attack-"))
        self.addCleanup(shutil.rmtree, folder)
        pem = folder / "both.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=sso", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2",
                        "-keyout", folder / "key.pem", "-out", folder / "ca.pem"], check=True, capture_output=True, timeout=PATIENCE)
        pem.write_text((folder / "key.pem").read_text() + (folder / "ca.pem").read_text())
        theirs = Provider(pem)
        self.addCleanup(theirs.server.server_close)
        self.addCleanup(theirs.server.shutdown)
        own = Server(config=configured(theirs))
        self.addCleanup(own.stop)
        own.start()
        self.refused(own.http("GET", "/oidc/sso"), 503, "does not give its description")
        own.process.terminate()
        own.process.wait(PATIENCE)
        own.config["oidc"]["ca_file"] = str(folder / "ca.pem")
        own.start()
        self.assertEqual(own.http("GET", "/oidc/sso").status, 303)
        own.process.terminate()
        own.process.wait(PATIENCE)
        own.config["oidc"]["idp_sso_url"] = "http://sso.example.com"
        with self.assertRaisesRegex(AssertionError, "does not begin with https://"):
            own.start()

    def test_a_flood_of_callbacks_asks_the_provider_a_few_at_a_time(self):
        """a620492: there was no single sign-on.
        now: four at once, 32 of an address, the others 429; who logs in by password is not held up."""
        released = threading.Event()
        self.addCleanup(provider.ways.clear)
        self.addCleanup(released.set)
        provider.ways["/token"] = lambda handler: released.wait(PATIENCE)
        asked = provider.asked.count("/token")
        answers = []

        def attack():
            browser = Browser()
            answers.append(browser.end(browser.begin()).status)

        begun = time.monotonic()
        threads = [threading.Thread(target=attack) for _ in range(60)]
        for thread in threads:
            thread.start()
        wait_for("those that are too many are told", lambda: answers.count(429) >= 20)
        # Each is given up after ten seconds, and others have their turn.
        turns = 1 + (time.monotonic() - begun) // 10
        self.assertLessEqual(provider.asked.count("/token") - asked, 4 * turns)
        self.assertEqual(server.try_login("admin", "Initial-Passw0rd").status, 200)
        released.set()
        provider.ways.clear()
        for thread in threads:
            thread.join(PATIENCE)


if __name__ == "__main__":
    unittest.main()
