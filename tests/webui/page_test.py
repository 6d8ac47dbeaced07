"""The web page in Chromium, against det-operator local with experiments of its own. Needs `npm ci && npm run build` in webui/."""

import base64
import json
import shutil
import subprocess
import unittest

from in_browser import ROOT, InBrowser, wait_for
from sections_seed import Seed

WEBUI = ROOT / "webui"
TRAIN = (ROOT / "examples" / "core_api" / "train.py").read_text()
FAIL = "print('\\x1b[31mred\\x1b[0m', flush=True)\nraise ValueError('no such <b>thing</b>')\n"


class Page(InBrowser):
    def make(self, name, code):
        config = {"name": name, "entrypoint": "python3 train.py", "hyperparameters": {"reports": 20, "sleep": 0.0}, "max_restarts": 0,
                  "searcher": {"name": "single", "metric": "validation_loss"}, "resources": {"slots_per_trial": 1}}
        body = {"config": json.dumps(config), "activate": True, "modelDefinition": [{"path": "train.py", "content": base64.b64encode(code.encode()).decode()}]}
        return self.local.rest("POST", "/api/v1/experiments", body, self.token).json["experiment"]["id"]

    def over(self, experiment, state):
        found = self.local.rest("GET", f"/api/v1/experiments/{experiment}", token=self.token).json["experiment"]
        return found["state"] == state and found["trialIds"][0]

    def test_types_are_those_that_the_server_describes(self):
        done = subprocess.run([shutil.which("node"), "scripts/types.mjs", self.local.url, "--check"], cwd=WEBUI, capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_pages(self):
        done, failed = self.make("<img src=x onerror=alert(1)>", TRAIN), self.make("fails", FAIL)
        trial = wait_for("an experiment is completed", lambda: self.over(done, "STATE_COMPLETED"))
        failed_trial = wait_for("an experiment has failed", lambda: self.over(failed, "STATE_ERROR"))
        facts = {"done": done, "failed": failed, "trial": trial, "failedTrial": failed_trial}
        self.play("pages.test.mjs", "DET_EXPERIMENTS", facts)

    def test_sections(self):
        self.play("sections.test.mjs", "DET_SECTIONS", Seed(self.local, self.token).facts())


if __name__ == "__main__":
    unittest.main()
