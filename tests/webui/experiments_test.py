"""The pages of experiments and trials in Chromium: a search with rungs, a trial that fails after restarts, a fork, one that trains on."""

import base64
import json
import subprocess
import unittest
from pathlib import Path

from in_browser import InBrowser, wait_for
from local import PROGRAM

TRAIN = (Path(__file__).parent / "train.py").read_text()
INJECTED = "<img src=x onerror=alert(1)>"
BASE = {"entrypoint": "python3 train.py", "max_restarts": 0, "resources": {"slots_per_trial": 1}, "searcher": {"name": "single", "metric": "validation_loss"}}
SPACE = {"steps": 8, "lr": {"type": "log", "base": 10, "minval": -5, "maxval": 0}, "layers": {"type": "int", "minval": 1, "maxval": 8},
         "optimizer": {"type": "categorical", "vals": ["adam", INJECTED]}, "<i>net</i>": {"width": {"type": "categorical", "vals": [32, 64]}}}
ASHA = {"name": "adaptive_asha", "metric": "validation_loss", "smaller_is_better": True, "max_trials": 12, "max_time": 8, "time_metric": "batches",
        "divisor": 2, "max_rungs": 3, "mode": "standard", "max_concurrent_trials": 4}


class Experiments(InBrowser):
    slots = 4

    def make(self, name, code=TRAIN, parent=None, **config):
        files = {"train.py": code, f"{INJECTED}.txt": "<script>alert(1)</script>\n", "lib/notes.md": "# notes\n"}
        packed = [{"path": path, "content": base64.b64encode(text.encode()).decode()} for path, text in files.items()]
        body = {"config": json.dumps({**BASE, "name": name, **config}), "activate": True, "modelDefinition": packed}
        if parent:
            body["parentId"] = parent
        return self.post("/api/v1/experiments", body)["experiment"]["id"]

    def over(self, experiment):
        found = self.local.rest("GET", f"/api/v1/experiments/{experiment}", token=self.token).json["experiment"]
        return found["state"] in ("STATE_COMPLETED", "STATE_ERROR") and found["trialIds"]

    def first_trial(self, experiment):
        return self.local.rest("GET", f"/api/v1/experiments/{experiment}", token=self.token).json["experiment"]["trialIds"]

    def test_pages(self):
        search = self.make(f"a search {INJECTED}", labels=["</script><script>alert(3)</script>"], description="<!--", hyperparameters=SPACE, searcher=ASHA)
        failed = self.make("fails", max_restarts=1, hyperparameters={"steps": 8, "fail_at": 3})
        base = self.make("base line", labels=["<b>label</b>"], hyperparameters={"steps": 8, "lr": 0.001, "amp": True})
        fork = self.make("a fork", TRAIN + "\n# forked\n", base, hyperparameters={"steps": 8, "lr": 0.01})
        workspace = self.post("/api/v1/workspaces", {"name": "others"})["workspace"]["id"]
        self.post(f"/api/v1/workspaces/{workspace}/projects", {"name": "elsewhere"})
        self.post("/api/v1/models", {"name": "a model"})
        trials = {one: wait_for(f"experiment {one} is over", lambda one=one: self.over(one)) for one in (search, failed, base, fork)}
        # It trains while the page is looked at.
        live = self.make("trains on", hyperparameters={"steps": 2000, "sleep": 0.2})
        running = wait_for("the last one has a trial", lambda: self.first_trial(live))
        report = self.local.folder / "report.html"
        done = subprocess.run([str(Path(PROGRAM).parent / "det"), "-m", self.local.url, "e", "report", str(search), "-o", str(report)],
                              capture_output=True, text=True, timeout=240, env={**self.local.environment(), "DET_USER": "determined", "DET_USER_TOKEN": self.token}, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        facts = {"report": report.as_uri(), "search": search, "failed": failed, "base": base, "fork": fork, "live": live, "failedTrial": trials[failed][0],
                 "baseTrial": trials[base][0], "liveTrial": running[0], "searchTrials": len(trials[search])}
        for script in ("experiments.test.mjs", "list.test.mjs"):
            with self.subTest(script):
                self.play(script, "DET_EXPERIMENTS", facts)


if __name__ == "__main__":
    unittest.main()
