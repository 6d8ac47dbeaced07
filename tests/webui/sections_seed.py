"""What sections.test.mjs looks at: tasks, jobs that wait, workspaces, a model, each with texts of which none may become HTML."""

import base64
import json
from pathlib import Path

from local import wait_for

TRAIN = (Path(__file__).resolve().parents[2] / "examples" / "core_api" / "train.py").read_text()
EVIL = "<img src=x onerror=alert(1)>"
PASSWORD = "Only-looks-1"


class Seed:
    def __init__(self, local, token):
        self.local, self.token = local, token
        self.admin = local.rest("POST", "/api/v1/auth/login", {"username": "admin", "password": ""}).json["token"]

    def post(self, path, body, token=None):
        answer = self.local.rest("POST", path, body, token or self.token)
        assert answer.status == 200, f"{path}: {answer}"
        return answer.json

    def get(self, path):
        return self.local.rest("GET", path, token=self.token).json

    def experiment(self, name, project, slots, reports, sleep):
        config = {"name": name, "entrypoint": "python3 train.py", "hyperparameters": {"reports": reports, "sleep": sleep}, "max_restarts": 0,
                  "searcher": {"name": "single", "metric": "validation_loss"}, "resources": {"slots_per_trial": slots}}
        files = [{"path": "train.py", "content": base64.b64encode(TRAIN.encode()).decode()}]
        return self.post("/api/v1/experiments", {"config": json.dumps(config), "activate": True, "projectId": project, "modelDefinition": files})["experiment"]["id"]

    def task(self, kind, config):
        return next(value["id"] for name, value in self.post(f"/api/v1/{kind}s", {"config": {**config, "resources": {"slots": 0}}}).items() if name == kind)

    def checkpoint(self, experiment):
        found = self.get(f"/api/v1/experiments/{experiment}/checkpoints")["checkpoints"]
        return found and found[0]["state"] == "STATE_COMPLETED" and found[0]["uuid"]

    def is_running(self, kind, task):
        return self.get(f"/api/v1/{kind}s/{task}")[kind]["state"] == "STATE_RUNNING"

    def model(self, checkpoint, workspace):
        self.post("/api/v1/models", {"name": "detector", "description": EVIL, "labels": [EVIL], "workspaceId": workspace})
        self.post("/api/v1/models/detector/versions", {"checkpointUuid": checkpoint, "name": EVIL, "comment": EVIL, "labels": [EVIL], "notes": EVIL})

    def facts(self):
        looker = self.post("/api/v1/users", {"user": {"username": "looker", "displayName": EVIL, "active": True}, "password": PASSWORD}, self.admin)
        workspace = self.post("/api/v1/workspaces", {"name": f"Vision {EVIL}"})["workspace"]["id"]
        project = self.post(f"/api/v1/workspaces/{workspace}/projects", {"name": "Detectors", "description": EVIL})["project"]["id"]
        done = self.experiment("done", project, 1, 5, 0.0)
        self.model(wait_for("a checkpoint is there", lambda: self.checkpoint(done)), workspace)
        held = self.experiment("held", project, 1, 100_000, 1)
        wait_for("its trial has a slot", lambda: self.get(f"/api/v1/experiments/{held}")["experiment"]["state"] == "STATE_RUNNING")
        waiting = ["the first that waits", "the second that waits"]
        for name in waiting:
            self.experiment(name, project, 2, 5, 0.0)
        command = self.task("command", {"description": EVIL, "entrypoint": ["sh", "-c", "echo line 1 of it; echo line 2 of it; sleep 3000"]})
        shell = self.task("shell", {"description": "a shell"})
        wait_for("the command and the shell run", lambda: self.is_running("command", command) and self.is_running("shell", shell))
        self.post("/api/v1/webhooks", {"url": "https://example.com/secret", "name": EVIL, "webhookType": "WEBHOOK_TYPE_DEFAULT", "workspaceId": 0,
                                       "triggers": [{"triggerType": "TRIGGER_TYPE_TASK_LOG", "condition": {"regex": "<i>"}}]}, self.admin)
        return {"evil": EVIL, "workspace": workspace, "project": project, "model": "detector", "command": command, "shell": shell, "waiting": waiting, "held": held,
                "looker": looker["user"]["username"], "password": PASSWORD}
