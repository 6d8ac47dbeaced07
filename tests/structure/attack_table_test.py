"""docs/security.md tells the attacks as the tests tell them."""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class AttackTable(unittest.TestCase):
    def test_the_document_has_every_attack(self):
        done = subprocess.run([sys.executable, ROOT / "tests" / "attacks" / "table.py", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
