"""The web page in Chromium, against det-operator local with experiments of its own. Needs `npm ci && npm run build` in webui/."""

import base64
import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "local_mode"))
from local import Local, wait_for  # noqa: E402
from sections_seed import Seed  # noqa: E402

WEBUI = ROOT / "webui"
TRAIN = (ROOT / "examples" / "core_api" / "train.py").read_text()
FAIL = "print('\\x1b[31mred\\x1b[0m', flush=True)\nraise ValueError('no such <b>thing</b>')\n"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.local = Local(slots=2)
        cls.local.start("--blank-passwords")
        cls.token = cls.local.rest("POST", "/api/v1/auth/login", {"username": "determined", "password": ""}).json["token"]

    @classmethod
    def tearDownClass(cls):
        cls.local.stop()
        cls.local.remove()

    def make(self, name, code):
        config = {"name": name, "entrypoint": "python3 train.py", "hyperparameters": {"reports": 20, "sleep": 0.0}, "max_restarts": 0,
                  "searcher": {"name": "single", "metric": "validation_loss"}, "resources": {"slots_per_trial": 1}}
        body = {"config": json.dumps(config), "activate": True, "modelDefinition": [{"path": "train.py", "content": base64.b64encode(code.encode()).decode()}]}
        return self.local.rest("POST", "/api/v1/experiments", body, self.token).json["experiment"]["id"]

    def over(self, experiment, state):
        found = self.local.rest("GET", f"/api/v1/experiments/{experiment}", token=self.token).json["experiment"]
        return found["state"] == state and found["trialIds"][0]

    def test_types_are_those_that_the_server_describes(self):
        done = subprocess.run([shutil.which("node"), "scripts/types.mjs", self.local.url, "--check"], cwd=WEBUI, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_pages(self):
        done, failed = self.make("<img src=x onerror=alert(1)>", TRAIN), self.make("fails", FAIL)
        trial = wait_for("an experiment is completed", lambda: self.over(done, "STATE_COMPLETED"))
        failed_trial = wait_for("an experiment has failed", lambda: self.over(failed, "STATE_ERROR"))
        facts = {"done": done, "failed": failed, "trial": trial, "failedTrial": failed_trial}
        ran = subprocess.run([shutil.which("node"), "--test", "pages.test.mjs"], cwd=ROOT / "tests" / "webui", capture_output=True, text=True, timeout=300,
                             env={**os.environ, "DET_SERVER": self.local.url, "DET_EXPERIMENTS": json.dumps(facts)}, check=False)
        self.assertEqual(ran.returncode, 0, ran.stdout[-6000:] + ran.stderr[-2000:])

    def test_sections(self):
        facts = Seed(self.local, self.token).facts()
        ran = subprocess.run([shutil.which("node"), "--test", "sections.test.mjs"], cwd=ROOT / "tests" / "webui", capture_output=True, text=True, timeout=400,
                             env={**os.environ, "DET_SERVER": self.local.url, "DET_SECTIONS": json.dumps(facts)}, check=False)
        self.assertEqual(ran.returncode, 0, ran.stdout[-6000:] + ran.stderr[-2000:])


if __name__ == "__main__":
    unittest.main()
