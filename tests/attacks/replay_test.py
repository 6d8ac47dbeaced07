"""The replay of a search, for which the server decides it all again."""

import socket
import unittest

from server import PATIENCE, setup, wait_for

server = setup(globals())
TRIALS = 2000  # so that what is told of them fits into no buffer of a connection


class Replays(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mallory = server.user("mallory")
        cls.search = server.create(cls.mallory, {"resources": {"slots_per_trial": 64}, "hyperparameters": {"a" * 200: {"type": "double", "minval": 0, "maxval": 1}},
                                                 "searcher": {"name": "random", "metric": "loss", "max_trials": TRIALS, "max_concurrent_trials": TRIALS}})
        cls.path = f"/api/v1/experiments/{cls.search}/searcher/replay"
        wait_for("the search has begun", lambda: f'"create":{TRIALS}' in server.http("GET", cls.path, cls.mallory).text.replace(" ", ""))

    def unread(self, token):
        """The replay is asked for, and only the status is read of it."""
        connection = socket.socket()
        self.addCleanup(connection.close)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(PATIENCE)
        connection.connect(("127.0.0.1", server.port))
        connection.sendall(f"GET {self.path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        return int(connection.recv(12).split()[1])

    def test_the_points_of_a_grid_are_not_made_to_be_thrown_away(self):
        """a620492: there was no such route (a later commit, never released: each point was written out, constants and all, for nothing: 1.2 GB here).
        now: the search's rungs are asked for alone, and a grid has none."""
        axis = lambda count: {"type": "int", "minval": 1, "maxval": count, "count": count}
        number = server.create(self.mallory, {"resources": {"slots_per_trial": 64}, "searcher": {"name": "grid", "metric": "loss"},
                                              "hyperparameters": {"a": axis(200), "b": axis(100), "c": "x" * 60_000}}, activate=False)
        before = server.most_resident()
        answer = server.http("GET", f"/api/v1/experiments/{number}/searcher/replay", self.mallory)
        self.assertEqual(answer.status, 200, answer)
        self.assertNotIn("brackets", answer.text)
        self.assertLess(server.most_resident() - before, 150)

    def test_clients_that_do_not_read_take_four_at_most(self):
        """a620492: there was no such route.
        now: four of a user, then 429; others get theirs, and the server answers."""
        self.assertEqual([self.unread(self.mallory) for _ in range(4)], [200] * 4)
        refused = server.http("GET", self.path, self.mallory)
        self.assertEqual(refused.status, 429, refused)
        self.assertIn("4 replays of searches of yours are under way", refused.text)
        self.assertEqual(server.http("GET", self.path, server.admin()).status, 200)
        self.assertEqual(server.http("GET", "/api/v1/me", self.mallory).status, 200)


if __name__ == "__main__":
    unittest.main()
