"""Access tokens, the cluster's message and the master's log with both command lines."""

import json
import os
import pathlib
import re
import tempfile
import unittest

from stack import ENV, ROOT, det, run

DET_BIN = pathlib.Path(os.environ.get("DET_BIN", ROOT / "build" / "bin" / "det"))


def ours(*args, **options):
    return run(DET_BIN, *args, **options)


class Tokens(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        det("-u", "admin", "user", "whoami", stdin="\n")  # keeps a token of admin for what follows

    def made(self, client):
        said = client("-u", "admin", "token", "create", "determined", "-e", "2", "-d", "of a test").out
        found = re.fullmatch(r"TokenID: (\d+)\nAccess-Token: (\S+)\n", said)
        self.assertIsNotNone(found, said)
        return found.groups()

    def test_both_command_lines_make_list_edit_and_revoke_them(self):
        for client in (det, ours):
            with self.subTest(client=client.__name__):
                number, token = self.made(client)
                for command in (["list"], ["list", "determined"], ["list", "--json"], ["describe", number], ["describe", number, "--json"]):
                    theirs, mine = det("-u", "admin", "token", *command), ours("-u", "admin", "token", *command)
                    if "--json" in command:
                        self.assertEqual(json.loads(mine.out), json.loads(theirs.out))
                    else:
                        self.assertEqual(mine.out, theirs.out)
                    self.assertIn("of a test", mine.out)
                self.assertIn(f"Successfully updated token with ID: {number}.", client("-u", "admin", "token", "edit", number, "-d", "x").out)
                with tempfile.TemporaryDirectory() as home:
                    kept = ENV["XDG_CONFIG_HOME"]
                    ENV["XDG_CONFIG_HOME"] = home
                    try:
                        self.assertEqual(client("token", "login", token).out, "Authenticated as determined.\n")
                        self.assertIn("determined", client("user", "whoami").out)
                    finally:
                        ENV["XDG_CONFIG_HOME"] = kept
                self.assertIn(f"Successfully revoked token {number}.", client("-u", "admin", "token", "revoke", number).out)
                self.assertNotIn(f" {number} |", client("-u", "admin", "token", "list").out)
                failed = client("token", "login", token, check=False)
                self.assertNotEqual(failed.code, 0)

    def test_administrators_tell_everybody(self):
        det("-u", "admin", "master", "cluster-message", "set", "-m", "down at noon", "-d", "2h")
        theirs, mine = (client("-u", "admin", "master", "cluster-message", "get", "--json") for client in (det, ours))
        self.assertEqual(json.loads(mine.out), json.loads(theirs.out))
        self.assertEqual(json.loads(det("master", "info", "--json").out)["clusterMessage"]["message"], "down at noon")
        ours("-u", "admin", "master", "cluster-message", "clear")
        theirs, mine = (client("-u", "admin", "master", "cluster-message", "get", "--json") for client in (det, ours))
        self.assertEqual(json.loads(mine.out), json.loads(theirs.out))
        self.assertEqual(json.loads(mine.out), {"clusterMessage": None})
        ours("-u", "admin", "master", "cluster-message", "set", "-m", "again")
        det("-u", "admin", "master", "cluster-message", "clear")

    def test_both_command_lines_print_the_masters_log(self):
        for client in (det, ours):
            said = client("-u", "admin", "master", "logs", "--tail", "3").out.splitlines()
            self.assertEqual(len(said), 3)
            for line in said:
                self.assertRegex(line, r"^\d{4}-\d\d-\d\dT[\d:.]+Z \[\w+\]: ")


if __name__ == "__main__":
    unittest.main()
