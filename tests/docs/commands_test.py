"""docs/reference/cli.md has what the programs' --help prints. (The other pages of docs/reference/: tests/structure/reference_test.py.)"""

import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("DET_OPERATOR_BIN", ROOT / "build" / "bin" / "det-operator")).parent


class Commands(unittest.TestCase):
    def test_are_those_of_the_page(self):
        if not (PROGRAMS / "det").exists():
            self.skipTest(f"Not run: {PROGRAMS / 'det'} is not there")
        done = subprocess.run([sys.executable, ROOT / "scripts" / "docs" / "make_reference.py", "--check", "--programs", PROGRAMS],
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
