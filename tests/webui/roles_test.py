"""The web page of somebody who may only look, against det-operator local with roles. Needs `npm ci && npm run build` in webui/."""

import base64
import json
import unittest

from in_browser import InBrowser

PASSWORD = "Only-looks-1"


class Roles(InBrowser):
    @classmethod
    def arguments(cls):
        config = cls.local.folder / "master.yaml"
        config.write_text("security: {authz: {type: rbac}}\nresource_pools: [{pool_name: default}, {pool_name: spare}]\n")
        return ["--config", config]

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
        config = {"name": "only looked at", "entrypoint": "python3 train.py", "searcher": {"name": "single", "metric": "loss"}, "resources": {"slots_per_trial": 1}}
        files = [{"path": "train.py", "content": base64.b64encode(b"pass\n").decode()}]
        experiment = self.post("/api/v1/experiments", {"config": json.dumps(config), "activate": False, "projectId": project, "modelDefinition": files}, admin)["experiment"]["id"]
        facts = {"name": "viewer", "password": PASSWORD, "workspace": workspace, "project": project, "experiment": experiment}
        self.play("roles.test.mjs", "DET_ROLES", facts)


if __name__ == "__main__":
    unittest.main()
