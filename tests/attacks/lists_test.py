"""What people name, in the lists that everybody gets."""

import unittest

from server import setup

server = setup(globals())
LONG = "x" * 50_000
KEY = "x" * 900  # the longest of YAML are 1,024 characters; what is in it has a longer name


class Lists(unittest.TestCase):
    def test_names_too_long_to_show_stay_out_of_the_lists_of_all(self):
        """a620492: there were no such lists.
        now: labels of experiments and models, and names of columns, of more than 1,000 bytes are left out; the others are there."""
        mallory = server.user("mallory")
        server.create(mallory, {"labels": [LONG, "short"], "hyperparameters": {KEY: {KEY: 1}, "short": 1}})
        made = server.http("POST", "/api/v1/models", mallory, {"name": "mallory's", "labels": [LONG, "short"]})
        self.assertEqual(made.status, 200, made)
        for path in ("/api/v1/experiment/labels", "/api/v1/model/labels", "/api/v1/projects/1/columns?tableType=TABLE_TYPE_EXPERIMENT"):
            with self.subTest(path=path):
                answer = server.http("GET", path, server.user("ann"))
                self.assertEqual(answer.status, 200, answer)
                self.assertIn("short", answer.text)
                self.assertNotIn(KEY, answer.text)


if __name__ == "__main__":
    unittest.main()
