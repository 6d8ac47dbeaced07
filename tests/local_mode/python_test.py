"""det-operator local asks the Python of trials for their package before it starts anything."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

from local import PROGRAM


class PythonOfTrials(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="det-python-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def test_a_named_one_without_the_package_is_refused_with_what_to_do(self):
        program = self.folder / "env" / "bin" / "python"
        program.parent.mkdir(parents=True)
        program.write_text("#!/bin/sh\nexit 3\n")
        program.chmod(0o755)
        data = self.folder / "data"
        done = subprocess.run([PROGRAM, "local", "--data-dir", data, "--listen", "127.0.0.1:0", "--python", self.folder / "env"],
                              capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(f"--python: {program} has no package 'determined', which every trial needs. Make an environment that has it", done.stderr)
        self.assertIn("pip install determined==", done.stderr)
        self.assertFalse(data.exists(), "nothing was started")


if __name__ == "__main__":
    unittest.main()
