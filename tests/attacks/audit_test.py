"""What the audit log tells of attacks, and what an attacker can make it say."""

import json
import time
import unittest

from server import PASSWORD, setup, wait_for

server = setup(globals())


def events():
    """Of the lines that are written to their end."""
    return [json.loads(line) for line in server.log().rpartition("\n")[0].splitlines() if line.startswith('{"audit"')]


class Audit(unittest.TestCase):
    def since(self, count, action):
        return [event for event in events()[count:] if event["audit"] == action]

    def told(self, count, action, expected, *fields):
        """Waits for the event of which these are the fields."""
        seen = lambda: [tuple(event.get(field) for field in fields) for event in self.since(count, action)]
        wait_for(lambda: f"{action} {expected}: {seen()}", lambda: expected in seen())

    def test_who_tried_what_is_told(self):
        """a620492: nothing told who had logged in, been refused, or made a user.
        now: one line each, with user, object, address and status."""
        mallory = server.user("mallory")
        before = len(events())
        server.try_login("admin", "wrong")
        self.assertEqual(server.http("POST", "/api/v1/users", mallory, {"user": {"username": "evil", "admin": True}}).status, 403)
        self.assertEqual(server.http("GET", "/api/v1/users", "stolen-token").status, 401)
        self.told(before, "login", ("admin", 401), "user", "status")
        # Whom another test may have made.
        self.told(0, "login", ("mallory", 200), "user", "status")
        self.told(0, "user.create", ("admin", "users/mallory", 200), "user", "object", "status")
        self.told(before, "user.create", ("mallory", 403), "user", "status")
        self.told(before, "denied", ("GET /api/v1/users", 401, "127.0.0.1"), "object", "status", "from")

    def test_tokens_of_runs_are_told(self):
        """a620492: nobody could tell which tokens there were.
        now: "token.create" with owner and allocation."""
        before = len(events())
        waiting = server.waiting_run(server.user("mallory"))
        self.told(before, "token.create", ("mallory", f"allocations/{waiting.allocation}"), "user", "object")
        server.kill(server.admin(), waiting.experiment)

    def test_no_secret_is_in_it(self):
        """a620492: no audit log.
        now: neither passwords nor tokens, of right and of wrong logins."""
        token = server.login("admin")
        server.try_login("admin", "Wr0ng-Passw0rd")
        server.http("GET", "/api/v1/users", token + "x")
        text = "\n".join(json.dumps(event) for event in events())
        for secret in (PASSWORD, "Wr0ng-Passw0rd", token):
            self.assertNotIn(secret, text)

    def test_a_name_forges_no_line(self):
        """a620492: no audit log.
        now: line ends and control characters of a name are escaped, a long one is cut."""
        before = len(events())
        forged = 'x\n{"audit":"login","user":"admin","status":200}\n\x1b[2J' + "y" * 5000
        server.try_login(forged, "wrong")
        (event,) = wait_for("the login is told", lambda: [event for event in self.since(before, "login") if event["user"].startswith("x\n")])
        self.assertEqual(event["status"], 401)
        self.assertLessEqual(len(event["user"]), 300)
        self.assertNotIn("\x1b[2J", server.log())

    def test_a_flood_of_refusals_does_not_fill_it(self):
        """a620492: no audit log.
        now: sixty lines a minute and address, then a count; what others do is told all the while."""
        before = len(events())
        request = b"GET /api/v1/users HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer stolen\r\nConnection: close\r\n\r\n"
        start = time.monotonic()
        for _ in range(300):
            server.exchange(request, source="127.0.3.1")
        minutes = 1 + (time.monotonic() - start) // 60
        told = lambda: len([event for event in self.since(before, "denied") if event["from"] == "127.0.3.1"])
        wait_for("sixty lines", lambda: told() >= 60)
        self.assertLessEqual(told(), 60 * (minutes + 1))
        server.login("admin")
        self.told(before, "login", ("admin", 200), "user", "status")


if __name__ == "__main__":
    unittest.main()
