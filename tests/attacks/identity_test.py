"""Who may do what: attacks by people without a token, by ordinary users, and by programs inside pods."""

import unittest

from server import setup

server = setup(globals())

OPEN = {"/", "/info", "/health", "/ready", "/metrics", "/harness/wheels", "/api/v1/master"}


class Outsiders(unittest.TestCase):
    def test_nobody_without_a_token_reads_or_changes_anything(self):
        """a620492: 401.
        now: 401 with "token missing"."""
        for method, path in [("GET", "/api/v1/me"), ("GET", "/api/v1/users"), ("POST", "/api/v1/users"), ("PATCH", "/api/v1/users/1"),
                             ("GET", "/api/v1/experiments"), ("POST", "/api/v1/experiments"), ("POST", "/api/v1/experiments/continue"),
                             ("POST", "/api/v1/experiments/1/kill"), ("DELETE", "/api/v1/experiments/1"), ("GET", "/api/v1/tasks"),
                             ("GET", "/api/v1/trials/1"), ("GET", "/api/v1/trials/1/logs"), ("GET", "/api/v1/templates"),
                             ("POST", "/api/v1/templates/x"), ("PUT", "/api/v1/config-policies/global/EXPERIMENT"),
                             ("POST", "/api/v1/job-queues"), ("POST", "/api/v1/agents/local/disable"), ("POST", "/api/v1/task/logs"),
                             ("POST", "/api/v1/trials/1/metrics"), ("POST", "/api/v1/checkpoints")]:
            with self.subTest(method=method, path=path):
                answer = server.http(method, path, body=None if method == "GET" else {})
                self.assertEqual((answer.status, answer.error), (401, "token missing"))


if __name__ == "__main__":
    unittest.main()
