"""The walk of walk_test.py with an older `det`, in a Python environment of its own."""

import pathlib
import subprocess
import unittest

from local import CACHE

OLDER = CACHE / "venv-determined-0.26.7" / "bin" / "python"


class OlderDet(unittest.TestCase):
    @unittest.skipUnless(OLDER.exists(), f"not run: {OLDER} is not there; the suite e2e makes it")
    def test_each_leaf_of_it_works_or_is_refused_with_a_reason(self):
        done = subprocess.run([OLDER, "-m", "unittest", "walk_test"], cwd=pathlib.Path(__file__).parent, capture_output=True, text=True, timeout=2400,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(", 0 missing, ", done.stderr)
        print("\n" + next(line for line in done.stderr.splitlines() if line.startswith("leaves of det 0.26.7: ")))


if __name__ == "__main__":
    unittest.main()
