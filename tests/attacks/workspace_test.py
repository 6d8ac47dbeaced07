"""Workspaces and projects of other people, and what their owners could do to those who work in them."""

import json
import unittest

from server import setup

server = setup(globals(), config={"pod_policy": {"host_paths": ["/srv/checkpoints"]}})
ROUTES = [("POST", "/api/v1/workspaces"), ("PATCH", "/api/v1/workspaces/1"), ("DELETE", "/api/v1/workspaces/1"),
          ("POST", "/api/v1/workspaces/1/archive"), ("POST", "/api/v1/workspaces/1/unarchive"), ("POST", "/api/v1/workspaces/1/pin"),
          ("POST", "/api/v1/workspaces/1/unpin"), ("GET", "/api/v1/workspaces/1/available-resource-pools"),
          ("GET", "/api/v1/workspaces/1/projects"), ("POST", "/api/v1/workspaces/1/projects"), ("GET", "/api/v1/projects/1"),
          ("GET", "/api/v1/projects/key/ABC"), ("PATCH", "/api/v1/projects/1"), ("DELETE", "/api/v1/projects/1"),
          ("POST", "/api/v1/projects/1/archive"), ("POST", "/api/v1/projects/1/unarchive"), ("POST", "/api/v1/projects/1/move"),
          ("POST", "/api/v1/projects/1/notes"), ("PUT", "/api/v1/projects/1/notes"), ("POST", "/api/v1/projects/1/experiments/move"),
          ("POST", "/api/v1/experiments/1/move")]


class Workspaces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mallory = server.user("mallory")
        cls.alice = server.user("alice")
        cls.workspace = cls.made(cls.alice, "/api/v1/workspaces", {"name": "alices"})["workspace"]["id"]
        cls.project = cls.made(cls.alice, f"/api/v1/workspaces/{cls.workspace}/projects", {"name": "ships"})["project"]["id"]
        cls.over = server.create(cls.alice, {"name": "alices"})
        server.kill(cls.alice, cls.over)

    @staticmethod
    def made(token, path, body):
        answer = server.http("POST", path, token, body)
        assert answer.status == 200, answer
        return answer.json

    def refused(self, status, method, path, token, body=None, says=""):
        answer = server.http(method, path, token, body)
        self.assertEqual(answer.status, status, answer)
        self.assertIn(says, answer.error)

    def test_strangers_see_and_change_no_workspaces(self):
        """a620492: there were two routes that read; 401.
        now: 401."""
        for method, path in ROUTES:
            with self.subTest(method=method, path=path):
                self.refused(401, method, path, None, None if method == "GET" else {})

    def test_somebody_elses_workspace_stays_as_it_is(self):
        """a620492: nobody could make one.
        now: 403; its owner and admins change, archive and delete it."""
        path = f"/api/v1/workspaces/{self.workspace}"
        self.refused(403, "PATCH", path, self.mallory, {"name": "mallorys"}, "only admins may set other user's workspaces names")
        self.refused(403, "PATCH", path, self.mallory, {"checkpointStorageConfig": {"type": "s3", "bucket": "mallorys"}})
        for verb in ["archive", "unarchive"]:
            self.refused(403, "POST", f"{path}/{verb}", self.mallory, {}, "other user's workspaces")
        self.refused(403, "DELETE", path, self.mallory, says="only admins may delete other user's workspaces")

    def test_somebody_elses_project_stays_where_and_as_it_is(self):
        """a620492: nobody could make one.
        now: 403; its owner, the workspace's and admins change it, and it moves with its own owner only."""
        mine = self.made(self.mallory, "/api/v1/workspaces", {"name": "mallorys"})["workspace"]["id"]
        path = f"/api/v1/projects/{self.project}"
        self.refused(403, "PATCH", path, self.mallory, {"name": "x"}, "need to own the project or workspace")
        self.refused(403, "PUT", f"{path}/notes", self.mallory, {"notes": []})
        self.refused(403, "POST", f"{path}/notes", self.mallory, {"name": "a", "contents": "b"})
        self.refused(403, "POST", f"{path}/move", self.mallory, {"destinationWorkspaceId": mine})
        self.refused(403, "POST", f"{path}/archive", self.mallory, {})
        self.refused(403, "DELETE", path, self.mallory)

    def test_somebody_elses_experiments_move_nowhere(self):
        """a620492: nothing moved.
        now: 403, and of many at once each is refused for itself."""
        body = {"destinationProjectId": self.project}
        self.refused(403, "POST", f"/api/v1/experiments/{self.over}/move", self.mallory, body)
        many = server.http("POST", "/api/v1/projects/1/experiments/move", self.mallory, {**body, "experimentIds": [self.over]})
        self.assertIn("only its owner and admins", many.json["results"][0]["error"])
        self.assertEqual(server.sql(f"SELECT project_id FROM experiments WHERE id = {self.over}"), [["1"]])

    def test_a_workspaces_owner_does_not_say_as_whom_tasks_run(self):
        """a620492: nobody could.
        now: 403; only the login of an admin does, so that nobody becomes another user of the nodes."""
        group = {"agentUid": 0, "agentGid": 0, "agentUser": "root", "agentGroup": "root"}
        self.refused(403, "PATCH", f"/api/v1/workspaces/{self.workspace}", self.alice, {"agentUserGroup": group}, "only admin privileged users")
        self.refused(403, "POST", "/api/v1/workspaces", self.alice, {"name": "roots", "agentUserGroup": group}, "only admin privileged users")

    def test_a_workspaces_storage_uses_of_the_nodes_what_people_may(self):
        """a620492: only master.yaml said where checkpoints go.
        now: a folder of the nodes is taken or refused as in a configuration, by the pod policy."""
        storage = {"type": "shared_fs", "host_path": "/etc"}
        config = {"entrypoint": "true", "searcher": {"name": "single", "metric": "x"}, "checkpoint_storage": storage}
        own = server.http("POST", "/api/v1/experiments", self.alice, {"config": json.dumps(config), "validateOnly": True})
        answer = server.http("PATCH", f"/api/v1/workspaces/{self.workspace}", self.alice, {"checkpointStorageConfig": storage})
        for refused in (own, answer):
            self.assertEqual(refused.status, 400, refused)
            self.assertIn("pod_policy.host_paths", refused.text)

    def test_keys_of_a_workspaces_storage_are_shown_to_nobody(self):
        """a620492: there were none.
        now: masks, and what was shown can be sent back only as a whole: a mask beside another bucket is refused."""
        storage = {"type": "s3", "bucket": "b", "access_key": "id", "secret_key": "very-secret-key"}
        number = self.made(self.alice, "/api/v1/workspaces", {"name": "keys", "checkpointStorageConfig": storage})["workspace"]["id"]
        for token in [self.alice, self.mallory, server.admin()]:
            self.assertNotIn("very-secret-key", server.http("GET", f"/api/v1/workspaces/{number}", token).text)
            self.assertNotIn("very-secret-key", server.http("GET", "/api/v1/workspaces", token).text)
        shown = server.http("GET", f"/api/v1/workspaces/{number}", self.alice).json["workspace"]["checkpointStorageConfig"]
        self.refused(400, "PATCH", f"/api/v1/workspaces/{number}", self.alice, {"checkpointStorageConfig": {**shown, "bucket": "other"}}, "********")

    def test_names_are_short_and_do_nothing_to_terminals(self):
        """a620492: nobody could give one.
        now: 400 for control characters, for what turns the direction of text, and for more than 80 bytes (projects: 255); 413 for a book."""
        projects = f"/api/v1/workspaces/{self.workspace}/projects"
        for path, longest in [("/api/v1/workspaces", 80), (projects, 255)]:
            for name in ["", "   ", "a\x00b", "a\x1b[2J", "a\nb", "a\x7f", "a\u202eb", "x" * (longest + 1)]:
                with self.subTest(path=path, name=name[:10]):
                    self.refused(400, "POST", path, self.alice, {"name": name})
            self.assertEqual(server.http("POST", path, self.alice, {"name": "x" * (300 << 10)}).status, 413)
        self.refused(400, "POST", projects, self.alice, {"name": "x", "key": "../.."}, "alphanumeric")

    def test_notes_of_a_project_do_not_fill_the_database(self):
        """a620492: there were none.
        now: 400 where all of a project's together are more than 1 MiB."""
        note = {"name": "a", "contents": "x" * (600 << 10)}
        path = f"/api/v1/projects/{self.project}/notes"
        self.assertEqual(server.http("POST", path, self.alice, note).status, 200)
        self.refused(400, "POST", path, self.alice, note, "at most 1 MiB")
        self.assertEqual(server.http("PUT", path, self.alice, {"notes": []}).status, 200)

    def test_quoting_ends_no_statement(self):
        """a620492: not tried.
        now: what looks like SQL is a name."""
        name = "x'; DROP TABLE workspaces; --"
        number = self.made(self.alice, "/api/v1/workspaces", {"name": name})["workspace"]["id"]
        found = server.http("GET", "/api/v1/workspaces?nameCaseSensitive=x%27%3B%20DROP%20TABLE%20workspaces%3B%20--", self.alice)
        self.assertEqual([w["id"] for w in json.loads(found.data)["workspaces"]], [number])


if __name__ == "__main__":
    unittest.main()
