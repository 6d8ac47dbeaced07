"""docs/security.md tells the attacks as the tests tell them, and the mutants follow the code."""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class AttackTable(unittest.TestCase):
    def test_the_document_has_every_attack(self):
        done = subprocess.run([sys.executable, ROOT / "tests" / "attacks" / "table.py", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_each_mutant_finds_the_defence_that_it_breaks(self):
        sys.path.insert(0, str(ROOT / "tests" / "attacks"))
        from mutants import MUTANTS
        for file, whole, _, _ in MUTANTS:
            self.assertEqual((ROOT / file).read_text().count(whole), 1, f"{file}: {whole}")


if __name__ == "__main__":
    unittest.main()
