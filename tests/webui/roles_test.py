"""The web page of somebody who may only look, against det-operator local with roles. Needs `npm ci && npm run build` in webui/."""

import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "local_mode"))
from local import Local  # noqa: E402

PASSWORD = "Only-looks-1"


class Roles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.local = Local(slots=2)
        config = cls.local.folder / "master.yaml"
        config.write_text("security: {authz: {type: rbac}}\n")
        cls.local.start("--blank-passwords", "--config", config)

    @classmethod
    def tearDownClass(cls):
        cls.local.stop()
        cls.local.remove()

    def post(self, path, body, token=None):
        answer = self.local.rest("POST", path, body, token)
        self.assertEqual(answer.status, 200, f"{path}: {answer}")
        return answer.json

    def test_viewer(self):
        admin = self.post("/api/v1/auth/login", {"username": "admin", "password": ""})["token"]
        workspace = self.post("/api/v1/workspaces", {"name": "Vision"}, admin)["workspace"]["id"]
        project = self.post(f"/api/v1/workspaces/{workspace}/projects", {"name": "Detectors"}, admin)["project"]["id"]
        user = self.post("/api/v1/users", {"user": {"username": "viewer", "active": True}, "password": PASSWORD}, admin)["user"]["id"]
        viewer = next(role["roleId"] for role in self.post("/api/v1/roles/search", {}, admin)["roles"] if role["name"] == "Viewer")
        self.post("/api/v1/roles/add-assignments", {"userRoleAssignments": [{"userId": user, "roleAssignment": {"role": {"roleId": viewer}, "scopeWorkspaceId": workspace}}]}, admin)
        self.post("/api/v1/models", {"name": "detector", "workspaceId": workspace}, admin)
        self.post("/api/v1/templates/two", {"config": {}, "workspaceId": workspace}, admin)
        command = {"description": "sleeps", "entrypoint": ["sh", "-c", "sleep 3000"], "resources": {"slots": 0}}
        self.post("/api/v1/commands", {"config": command, "workspaceId": workspace}, admin)
        facts = {"name": "viewer", "password": PASSWORD, "workspace": workspace, "project": project}
        ran = subprocess.run([shutil.which("node"), "--test", "roles.test.mjs"], cwd=ROOT / "tests" / "webui", capture_output=True, text=True, timeout=300,
                             env={**os.environ, "DET_SERVER": self.local.url, "DET_ROLES": json.dumps(facts)}, check=False)
        self.assertEqual(ran.returncode, 0, ran.stdout[-6000:] + ran.stderr[-2000:])


if __name__ == "__main__":
    unittest.main()
