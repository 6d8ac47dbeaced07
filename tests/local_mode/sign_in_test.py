"""Signing in with a real OpenID Connect provider (oidc-provider-mock, which is Authlib's): as a browser does it, and as both `det`s do."""

import http.cookiejar
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request

from local import CACHE, ROOT, Local
from waiting import PATIENCE, free_port, wait_for

PROVIDER = CACHE / "venv-sign-in" / "bin" / "oidc-provider-mock"
THEIR_DET = CACHE / "venv-determined-0.38.1" / "bin" / "det"
OUR_DET = pathlib.Path(os.environ.get("DET_BIN", ROOT / "build" / "bin" / "det"))
SECRET = "the client's own secret"


class WithProvider(Local):
    """`det-operator local` that has `issuer` as its provider. The file says its own address, which it chooses when it starts."""

    def __init__(self, issuer):
        self.issuer = issuer
        super().__init__()

    def choose_port(self):
        super().choose_port()
        oidc = {"enabled": True, "provider": "Lab", "client_id": "det", "idp_recipient_url": self.url, "idp_sso_url": self.issuer,
                "auto_provision_users": True, "groups_attribute_name": "groups", "display_name_attribute_name": "name", "exclude_groups_scope": True}
        # The mock does not know the scope "groups" and refuses it.
        (self.folder / "master.yaml").write_text(json.dumps({"oidc": oidc, "security": {"authz": {"type": "basic", "rbac_ui_enabled": True}}}))

    def environment(self):
        return {**super().environment(), "DET_OIDC_CLIENT_SECRET": SECRET}


class Browser:
    """Follows what it is sent to, with cookies, until it would leave for the command line's own port."""

    def __init__(self):
        class StopAtTheCommandLine(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, request, fp, code, msg, headers, url):
                return None if url.startswith("http://localhost:49176") else super().redirect_request(request, fp, code, msg, headers, url)

        self.cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(self.cookies), StopAtTheCommandLine)

    def open(self, url, form=None):
        """(status, where it is now or was sent to, text)"""
        data = urllib.parse.urlencode(form).encode() if form else None
        try:
            with self.opener.open(url, data, timeout=PATIENCE) as answer:
                return answer.status, answer.url, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers.get("Location", error.url), error.read().decode()

    def sign_in(self, url, subject):
        status, form_url, text = self.open(url)
        if status != 200 or "sub" not in text:
            raise AssertionError(f"the provider shows no form: {status} {form_url} {text[:1000]}")
        return self.open(form_url, {"sub": subject})

    def cookie(self, name):
        return next((one for one in self.cookies if one.name == name), None)


@unittest.skipUnless(PROVIDER.exists(), "not run: scripts/sign-in-env.sh has not been run")
class SignIn(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.issuer = f"http://127.0.0.1:{free_port()}"
        log = tempfile.TemporaryFile()
        cls.addClassCleanup(log.close)
        people = [{"sub": "ada", "email": "ada@example.com", "name": "Ada", "groups": ["research", "gpu"]}, {"sub": "bob", "email": "bob@example.com"}]
        words = [word for one in people for word in ("--user-claims", json.dumps(one))]
        provider = subprocess.Popen([PROVIDER, "-p", cls.issuer.rpartition(":")[2], "--require-nonce", "true", *words], stdout=log, stderr=log)
        cls.addClassCleanup(provider.wait)
        cls.addClassCleanup(provider.terminate)
        wait_for("the provider answers", cls.provider_answers)
        cls.local = WithProvider(cls.issuer)
        cls.addClassCleanup(cls.local.remove)
        cls.addClassCleanup(cls.local.stop)
        cls.local.start("--config", cls.local.folder / "master.yaml")

    @classmethod
    def provider_answers(cls):
        try:
            with urllib.request.urlopen(cls.issuer + "/.well-known/openid-configuration", timeout=10):
                return True
        except OSError:
            return False

    def me(self, token):
        return self.local.rest("GET", "/api/v1/me", token=token).json["user"]

    def test_a_browser_signs_in_and_comes_back_to_where_it_was(self):
        browser = Browser()
        page = browser.open(f"{self.local.url}/det/login?redirect=%2Finfo")[2]
        link = f"{self.local.url}/oidc/sso?relayState=%2Finfo"
        self.assertIn(f'<a href="{link}">Sign in with Lab</a>', page)
        status, where, text = browser.sign_in(link, "ada")
        self.assertEqual((status, where), (200, f"{self.local.url}/info"), text)
        cookie = browser.cookie("auth")
        self.assertTrue(cookie.has_nonstandard_attr("HttpOnly"))
        me = self.me(cookie.value)
        self.assertEqual((me["username"], me["displayName"], me["remote"], me["admin"]), ("ada@example.com", "Ada", True, False))
        groups = self.local.sql("SELECT g.name FROM user_groups g JOIN user_group_members m ON m.group_id = g.id "
                                "JOIN users u ON u.id = m.user_id WHERE u.username = 'ada@example.com' ORDER BY 1")
        self.assertEqual(groups, [["gpu"], ["research"]])
        self.assertNotIn(SECRET, self.local.log())

    def test_clients_are_told_of_the_provider(self):
        master = self.local.rest("GET", "/api/v1/master").json
        self.assertEqual(master["ssoProviders"], [{"name": "Lab", "ssoUrl": f"{self.local.url}/oidc/sso", "type": "OIDC", "alwaysRedirect": False}])
        shown = self.local.rest("GET", "/api/v1/master/config", token=self.local.token("admin")).text
        self.assertIn('"client_id":"det"', shown.replace(" ", ""))
        self.assertNotIn(SECRET, shown)

    def signs_in(self, program):
        """With a browser on another machine: the address that it ends at is copied."""
        config = pathlib.Path(tempfile.mkdtemp(dir=self.local.folder))
        environment = {**os.environ, "DET_MASTER": self.local.url, "DET_DEBUG_CONFIG_PATH": str(config), "XDG_CONFIG_HOME": str(config)}
        listed = subprocess.run([program, "auth", "list-providers"], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True)
        self.assertIn("Available providers: Lab.", listed.stdout)
        status, where, text = Browser().sign_in(f"{self.local.url}/oidc/sso?relayState=cli", "bob")
        self.assertEqual(status, 303, text)
        done = subprocess.run([program, "auth", "login", "--headless"], env=environment, input=where + "\n", capture_output=True, text=True,
                              timeout=PATIENCE, start_new_session=True, check=False)
        self.assertIn("Authenticated as bob@example.com.", done.stdout, done.stderr)
        self.assertIn(f"{self.local.url}/oidc/sso?relayState=cli", done.stdout)
        whoami = subprocess.run([program, "user", "whoami"], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True)
        self.assertIn("bob@example.com", whoami.stdout)

    def test_our_command_line_signs_in(self):
        self.signs_in(OUR_DET)

    def test_determineds_command_line_signs_in(self):
        self.signs_in(THEIR_DET)

    def test_who_declines_reads_it(self):
        browser = Browser()
        _, form_url, _ = browser.open(f"{self.local.url}/oidc/sso")
        status, _, text = browser.open(form_url, {"action": "deny"})
        self.assertEqual(status, 403)
        # The mock leaves the state out of a refusal, so that this is nobody's.
        self.assertIn("Signing in did not work", text)
        self.assertIsNone(browser.cookie("auth"))


if __name__ == "__main__":
    unittest.main()
