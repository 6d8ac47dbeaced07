"""Data folders that cannot be used: said before anything is made."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

from local import PROGRAM


class DataFolder(unittest.TestCase):
    def refusal_of(self, folder):
        done = subprocess.run([PROGRAM, "local", "--data-dir", folder, "--listen", "127.0.0.1:0", "--no-gpu"], capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_an_empty_name_is_none(self):
        self.assertIn("--data-dir: the name of a folder is needed", self.refusal_of(""))

    def test_a_path_that_is_too_long_for_a_socket_is_refused(self):
        parent = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, parent)
        folder = parent / ("long" * 25)
        said = self.refusal_of(str(folder))
        over = len(f"{folder}/postgres/.s.PGSQL.5432") - 107
        self.assertIn(f"is too long by {over} characters for PostgreSQL's socket in it", said)
        self.assertFalse(folder.exists(), "nothing was made")


if __name__ == "__main__":
    unittest.main()
