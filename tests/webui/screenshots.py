"""Pictures of every page, light and dark, 1440 and 390 pixels wide, for people to look at:

    python3 tests/webui/screenshots.py FOLDER

Starts a det-operator local with a search, a failed trial, a fork, a trial that trains, a gang that waits, tasks, a model. Needs the web page built
(scripts/web-page.sh) and the release build. No suite: nothing of it is compared."""

import os
import sys
import unittest
from pathlib import Path

from experiments_test import ASHA, Experiments
from in_browser import wait_for
from sections_seed import Seed

SPACE = {"steps": 8, "lr": {"type": "log", "base": 10, "minval": -5, "maxval": 0}, "layers": {"type": "int", "minval": 1, "maxval": 8},
         "optimizer": {"type": "categorical", "vals": ["adam", "sgd", "lion"]}}


class Screenshots(Experiments):
    def admin(self, path, body):
        return self.post(path, body, self.seed.admin)

    def people(self):
        self.admin("/api/v1/users", {"user": {"username": "ada", "displayName": "Ada Byron", "active": True}})
        self.admin("/api/v1/groups", {"name": "vision"})
        self.admin("/api/v1/webhooks", {"url": "https://hooks.example.com/services/T0", "name": "failures", "webhookType": "WEBHOOK_TYPE_SLACK", "workspaceId": 0,
                                        "triggers": [{"triggerType": "TRIGGER_TYPE_EXPERIMENT_STATE_CHANGE", "condition": {"state": "ERROR"}}]})
        self.post("/api/v1/templates/four-gpus", {"name": "four-gpus", "config": {"resources": {"slots_per_trial": 4}, "max_restarts": 2}, "workspaceId": 1})

    def model(self, experiment):
        checkpoint = wait_for("a checkpoint is there", lambda: self.seed.checkpoint(experiment))
        self.post("/api/v1/models", {"name": "detector", "description": "Finds cars and people in pictures", "labels": ["vision"], "workspaceId": 1})
        self.post("/api/v1/models/detector/versions", {"checkpointUuid": checkpoint, "name": "first", "comment": "the base line", "labels": ["candidate"]})

    def test_pages(self):
        self.seed = Seed(self.local, self.token)
        search = self.make("detector-asha", labels=["vision", "nightly"], description="Learning rate, depth and optimizer of the detector", hyperparameters=SPACE, searcher=ASHA)
        failed = self.make("detector-large", max_restarts=1, hyperparameters={"steps": 8, "fail_at": 3})
        base = self.make("detector-base", labels=["vision"], hyperparameters={"steps": 8, "lr": 0.001})
        fork = self.make("detector-warm", parent=base, hyperparameters={"steps": 8, "lr": 0.01})
        workspace = self.post("/api/v1/workspaces", {"name": "Vision"})["workspace"]["id"]
        project = self.post(f"/api/v1/workspaces/{workspace}/projects", {"name": "Detectors", "description": "Cars and people"})["project"]["id"]
        self.people()
        trials = {one: wait_for(f"experiment {one} is over", lambda one=one: self.over(one)) for one in (search, failed, base, fork)}
        self.model(base)
        live = self.make("detector-long", hyperparameters={"steps": 20_000, "sleep": 0.2})
        running = wait_for("the last one has a trial", lambda: self.first_trial(live))
        self.make("detector-gang", hyperparameters={"steps": 8}, resources={"slots_per_trial": 4})
        task = self.seed.task("command", {"description": "prepare the data", "entrypoint": ["sh", "-c", "for i in 1 2 3; do echo part $i; done; sleep 3000"]})
        self.seed.task("shell", {"description": "a shell to look around"})
        wait_for("the command runs", lambda: self.seed.is_running("command", task))
        tabs = ["overview", "search", "hyperparameters", "trials", "logs", "code", "config", "checkpoints", "notes"]
        paths = ["sign-in", "", "experiments", "experiments?filter=state%20%3D%20ERROR", *[f"experiments/{search}/{tab}" for tab in tabs], f"experiments/{fork}/config?view=diff",
                 f"experiments/{failed}/overview", f"experiments/{live}/overview", f"compare?experiments=[{base},{fork},{search}]",
                 *[f"trials/{trials[failed][0]}/{tab}" for tab in ("metrics", "logs", "runs")], *[f"trials/{running[0]}/{tab}" for tab in ("metrics", "logs", "runs", "system", "hyperparameters")],
                 f"trials/{trials[base][0]}/checkpoints", "tasks", f"tasks/{task}/logs", "queue", "cluster", "workspaces", f"workspaces/{workspace}", f"projects/{project}", "projects/1",
                 "models", "models/detector", "templates", "settings", *[f"admin/{part}" for part in ("users", "groups", "roles", "tokens", "webhooks", "policies", "message")],
                 "experiments/999/overview", "nowhere"]
        self.play("screenshots.mjs", "DET_SCREENSHOTS", {"folder": FOLDER, "paths": paths})


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: screenshots.py FOLDER")
    FOLDER = str(Path(sys.argv.pop()).absolute())
    os.makedirs(FOLDER, exist_ok=True)
    unittest.main(defaultTest="Screenshots")
