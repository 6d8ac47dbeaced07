"""Trials that run outside of the cluster and report with the real package's core_v2: the example, started as a person would."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
import uuid

from stack import ENV, ROOT, SETTINGS, api, det, sql, wait_for

TRAIN = ROOT / "examples" / "unmanaged" / "train.py"

# Prints a file name of other bytes and a NUL, more than a batch of the library's after them, then what must come last.
NO_TEXT = r"""
import os, sys
from determined.experimental import core_v2

core_v2.init(config=core_v2.Config(name="no text", external_experiment_id=sys.argv[1], external_trial_id="only"))
print(os.fsdecode(b"caf\xe9") + " a\0b")
for number in range(7000):
    print("line", number)
print("the last line")
core_v2.close()
"""


class Unmanaged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="det-unmanaged.")
        cls.addClassCleanup(cls.folder.cleanup)

    def train(self, *arguments):
        return self.run_program(str(TRAIN), "--storage", os.path.join(self.folder.name, "checkpoints"), *arguments)

    def run_program(self, *arguments):
        env = {**ENV, "DET_MASTER": SETTINGS["DET_MASTER"], "DET_USER": "determined", "DET_PASS": "", "XDG_CONFIG_HOME": self.folder.name,
               "HOME": self.folder.name, "PYTHONIOENCODING": "utf-8:surrogateescape"}
        return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, errors="surrogateescape", timeout=300, env=env)

    def experiment(self, name):
        return sql(f"SELECT id, state FROM experiments WHERE external_id = '{name}'")

    def test_a_program_that_fails_goes_on_where_it_was(self):
        name = f"e2e {uuid.uuid4()}"
        failed = self.train("--name", name, "--fail-at", "25")
        self.assertNotEqual(failed.returncode, 0, failed.stdout + failed.stderr)
        ((number, state),) = self.experiment(name)
        self.assertEqual(state, "ERROR", failed.stdout + failed.stderr)
        done = self.train("--name", name)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("going on from step 20", done.stdout)
        self.assertEqual(self.experiment(name), [[number, "COMPLETED"]])
        ((trial, run, metrics),) = sql(f"SELECT t.id, t.run, t.best_metric FROM trials t WHERE t.experiment_id = {number}")
        self.assertEqual((run, float(metrics)), ("2", 1 / 40))
        said = det("trial", "logs", trial).out
        for line in ("step 10", "failing at step 25, as asked", "going on from step 20", "step 40"):
            self.assertIn(line, said)
        self.assertIn("COMPLETED", det("e", "describe", number).out)
        listed = det("e", "list", "--all").out
        self.assertIn(number, listed)
        rows = sql(f"SELECT c.steps FROM checkpoints c JOIN trials t ON t.id = c.trial_id WHERE t.experiment_id = {number} ORDER BY 1")
        self.assertEqual(rows, [["10"], ["20"], ["30"], ["40"]])
        refused = det("e", "pause", number, check=False)
        self.assertIn("is unmanaged", refused.all)
        det("e", "delete", number, "--yes")
        self.assertEqual(sql(f"SELECT count(*) FROM removals WHERE experiment_id = {number}"), [["0"]])
        wait_for("its row is gone", lambda: sql(f"SELECT 1 FROM experiments WHERE id = {number}") == [])

    def test_output_that_is_no_text_is_kept_with_all_that_follows(self):
        name = f"e2e {uuid.uuid4()}"
        done = self.run_program("-c", NO_TEXT, name)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        ((trial,),) = sql(f"SELECT t.id FROM trials t JOIN experiments e ON e.id = t.experiment_id WHERE e.external_id = '{name}'")
        said = det("trial", "logs", trial).out
        self.assertIn("caf\ufffd a\0b\n", said)
        self.assertEqual(len(set(re.findall(r"\bline (\d+)$", said, re.MULTILINE))), 7000)
        self.assertIn("the last line\n", said)

    def test_without_a_name_each_is_new(self):
        before = int(sql("SELECT count(*) FROM experiments WHERE unmanaged")[0][0])
        for _ in range(2):
            done = self.train("--steps", "10")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(sql("SELECT count(*) FROM experiments WHERE unmanaged"), [[str(before + 2)]])
        listed = api("GET", "/api/v1/experiments?limit=-1")["experiments"]
        self.assertEqual({one["state"] for one in listed if one["unmanaged"] and one["name"] == "unmanaged"}, {"STATE_COMPLETED"})


if __name__ == "__main__":
    unittest.main()
