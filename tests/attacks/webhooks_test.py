"""Webhooks and access tokens: attacks by ordinary users on what only the server reaches, and on each other."""

import json
import socket
import threading
import unittest

from server import setup, wait_for

server = setup(globals())
STATE = {"triggerType": "TRIGGER_TYPE_EXPERIMENT_STATE_CHANGE", "condition": {"state": "COMPLETED"}}


def hook(url, trigger=STATE, workspace=None, **more):
    return {"url": url, "webhookType": "WEBHOOK_TYPE_DEFAULT", "mode": "WEBHOOK_MODE_WORKSPACE", "name": "", "workspaceId": workspace,
            "triggers": [trigger], **more}


class Listener:
    """A port of this machine that counts who connects, and says nothing."""

    def __init__(self):
        self.socket = socket.create_server(("0.0.0.0", 0))  # a host's own name is another address of it
        self.port, self.connections = self.socket.getsockname()[1], []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                self.connections.append(self.socket.accept()[0])
            except OSError:
                return


class WebhookAttacks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mallory = server.user("mallory")
        made = server.http("POST", "/api/v1/workspaces", cls.mallory, {"name": "mallorys"})
        cls.workspace = made.json["workspace"]["id"]

    def test_nothing_inside_is_reached_by_an_address(self):
        """a620492: there were no webhooks.
        now: 400 for loopback, private, link-local and metadata addresses, however they are written in the URL."""
        for url in ("http://127.0.0.1:5432/", "http://localhost:8080/", "http://169.254.169.254/latest/meta-data", "http://10.0.0.1/", "http://[::1]/",
                    "http://[::ffff:127.0.0.1]/", "http://0.0.0.0/", "http://user@127.0.0.1/", "file:///etc/passwd", "gopher://x/", "http://a.localhost/"):
            with self.subTest(url=url):
                answer = server.http("POST", "/api/v1/webhooks", self.mallory, hook(url, workspace=self.workspace))
                self.assertEqual(answer.status, 400, answer)

    def test_nothing_inside_is_reached_by_a_name(self):
        """a620492: there were no webhooks.
        now: the address that is connected to is looked at, whatever stood for it before: nobody knocks at the port."""
        listener = Listener()
        self.addCleanup(listener.socket.close)
        for name in ("127.1", "0x7f.0.0.1", "2130706433", socket.gethostname()):
            with self.subTest(name=name):
                made = server.http("POST", "/api/v1/webhooks", self.mallory, hook(f"http://{name}:{listener.port}/", workspace=self.workspace))
                if made.status == 400:
                    continue
                self.assertEqual(made.status, 200, made)
                number = made.json["webhook"]["id"]
                tried = server.http("POST", f"/api/v1/webhooks/{number}/test", self.mallory, {})
                self.assertEqual(tried.status, 400, tried)
                self.assertEqual(server.http("DELETE", f"/api/v1/webhooks/{number}", self.mallory).status, 200)
        self.assertEqual(listener.connections, [])

    def test_nobody_reads_tries_or_changes_others_webhooks(self):
        """a620492: there were no webhooks.
        now: 403; of those of all workspaces others see the host only."""
        made = server.http("POST", "/api/v1/webhooks", server.admin(), hook("https://hooks.example.com/services/SECRET"))
        number = made.json["webhook"]["id"]
        for method, path, body in [("GET", "", None), ("GET", "/deliveries", None), ("PATCH", "", {"url": "https://evil.example.com"}), ("POST", "/test", {}),
                                   ("DELETE", "", None)]:
            with self.subTest(method=method, path=path):
                self.assertEqual(server.http(method, f"/api/v1/webhooks/{number}{path}", self.mallory, body).status, 403)
        listed = server.http("GET", "/api/v1/webhooks", self.mallory)
        self.assertNotIn("SECRET", listed.text)
        self.assertIn(number, [each["id"] for each in listed.json["webhooks"]])
        self.assertEqual(server.http("POST", "/api/v1/webhooks", self.mallory, hook("https://hooks.example.com/")).status, 403)
        self.assertEqual(server.http("DELETE", f"/api/v1/webhooks/{number}", server.admin()).status, 200)

    def test_an_expression_costs_no_time_but_its_own(self):
        """a620492: there were no webhooks.
        now: RE2, in time linear in the line, for a second at most, on a thread that serves nobody else; what cannot be so is 400."""
        hooks = {}
        for regex in ("^(a+)+$", "^(a|aa)+$", "(.*a){25}", "b$"):
            trigger = {"triggerType": "TRIGGER_TYPE_TASK_LOG", "condition": {"regex": regex}}
            made = server.http("POST", "/api/v1/webhooks", self.mallory, hook("https://hooks.example.com/", trigger, self.workspace))
            self.assertEqual(made.status, 200, made)
            hooks[regex] = made.json["webhook"]["id"]
        for regex in ("(", "(?=a)", "a" * 2000, "(a{1000}){1000}", ""):
            trigger = {"triggerType": "TRIGGER_TYPE_TASK_LOG", "condition": {"regex": regex}}
            self.assertEqual(server.http("POST", "/api/v1/webhooks", self.mallory, hook("https://hooks.example.com/", trigger, self.workspace)).status, 400)
        made = server.http("POST", f"/api/v1/workspaces/{self.workspace}/projects", self.mallory, {"name": "lines"})
        self.assertEqual(made.status, 200, made)
        run = server.waiting_run(self.mallory, {"workspace": "mallorys", "project": "lines"})
        line = {"task_id": run.task, "allocation_id": run.allocation, "log": "a" * 40 + "b\n", "timestamp": "2026-01-01T00:00:00Z"}
        self.assertEqual(server.http("POST", "/api/v1/task/logs", run.session, {"logs": [line] * 1000}).status, 200)
        matched = lambda: [int(row[0]) for row in server.sql("SELECT t.webhook_id FROM webhook_log_matches m JOIN webhook_triggers t ON t.id = m.trigger_id ORDER BY 1")]
        # An engine that tries all ways would go through 2^40 of them for each of the thousand lines.
        wait_for(lambda: f"the others are matched: {matched()}", lambda: matched() == sorted((hooks["(.*a){25}"], hooks["b$"])))
        server.kill(self.mallory, run.experiment)

    def test_tokens_are_ones_own(self):
        """a620492: there were no access tokens.
        now: 403 for others' and 404 for their numbers; a revoked one is 401 at once, and only a hash is kept."""
        made = server.http("POST", "/api/v1/tokens", server.admin(), {"userId": 1})
        number, token = made.json["tokenId"], made.json["token"]
        self.assertEqual(server.http("POST", "/api/v1/tokens", self.mallory, {"userId": 1}).status, 403)
        self.assertEqual(server.http("PATCH", f"/api/v1/tokens/{number}", self.mallory, {"setRevoked": True}).status, 404)
        self.assertEqual(server.http("GET", "/api/v1/tokens?username=admin", self.mallory).status, 403)
        self.assertEqual(server.http("GET", "/api/v1/me", token).status, 200)
        self.assertNotIn(token, json.dumps(server.sql("SELECT access_tokens::text FROM access_tokens")))
        self.assertEqual(server.http("PATCH", f"/api/v1/tokens/{number}", server.admin(), {"setRevoked": True}).status, 200)
        self.assertEqual(server.http("GET", "/api/v1/me", token).status, 401)


if __name__ == "__main__":
    unittest.main()
