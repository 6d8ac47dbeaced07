"""Roles: what somebody tries who has some of them."""

import json
import unittest
import uuid

from server import PASSWORD, setup
from waiting import wait_for

server = setup(globals(), config={"security": {"initial_user_password": PASSWORD, "authz": {"type": "rbac"}},
                                  "resource_pools": [{"pool_name": "default"}, {"pool_name": "reef"}]})
ROLES = {"ClusterAdmin": 1, "WorkspaceAdmin": 2, "Viewer": 4, "Editor": 5}
ROUTES = [("POST", "/api/v1/groups"), ("POST", "/api/v1/groups/search"), ("GET", "/api/v1/groups/1"), ("PUT", "/api/v1/groups/1"),
          ("DELETE", "/api/v1/groups/1"), ("PATCH", "/api/v1/users/assignments"), ("GET", "/api/v1/permissions/summary"),
          ("GET", "/api/v1/roles/workspace/1"), ("POST", "/api/v1/roles/search"), ("POST", "/api/v1/roles/search/by-ids"),
          ("GET", "/api/v1/roles/search/by-user/1"), ("GET", "/api/v1/roles/search/by-group/1"),
          ("POST", "/api/v1/roles/search/by-assignability"), ("POST", "/api/v1/roles/add-assignments"),
          ("POST", "/api/v1/roles/remove-assignments")]


class Roles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        admin = server.admin()
        cls.places = {name: cls.made(admin, "/api/v1/workspaces", {"name": name})["workspace"]["id"] for name in ("ships", "birds")}
        cls.projects = {name: cls.made(admin, f"/api/v1/workspaces/{place}/projects", {"name": name})["project"]["id"]
                        for name, place in cls.places.items()}
        cls.ship = server.create(admin, {"name": "ship"}, projectId=cls.projects["ships"])
        cls.bird = server.create(admin, {"name": "bird"}, projectId=cls.projects["birds"])
        for name in ("viewer", "editor", "nobody"):
            server.user(name)
        cls.give("viewer", "Viewer", "ships")
        cls.give("editor", "Editor", "ships")

    @staticmethod
    def made(token, path, body):
        answer = server.http("POST", path, token, body)
        assert answer.status == 200, answer
        return answer.json

    @staticmethod
    def number(user):
        return int(server.sql(f"SELECT id FROM users WHERE username = '{user}'")[0][0])

    @classmethod
    def assignment(cls, user, role, place=None):
        scope = {"role": {"roleId": ROLES[role]}, **({"scopeWorkspaceId": cls.places[place]} if place else {})}
        return {"userRoleAssignments": [{"userId": cls.number(user), "roleAssignment": scope}]}

    @classmethod
    def give(cls, user, role, place=None):
        cls.made(server.admin(), "/api/v1/roles/add-assignments", cls.assignment(user, role, place))

    @classmethod
    def take(cls, user, role, place=None):
        cls.made(server.admin(), "/api/v1/roles/remove-assignments", cls.assignment(user, role, place))

    def refused(self, status, method, path, token, body=None, says=""):
        answer = server.http(method, path, token, body)
        self.assertEqual(answer.status, status, answer)
        self.assertIn(says, answer.error)

    def test_strangers_learn_nothing_of_roles_and_groups(self):
        """a620492: there were no roles.
        now: 401."""
        for method, path in ROUTES:
            with self.subTest(method=method, path=path):
                self.refused(401, method, path, None, None if method == "GET" else {})

    def test_a_viewer_writes(self):
        """a620492: everybody could pause and kill.
        now: 403 with the permission that it takes, and of many at once each is refused for itself."""
        viewer = server.user("viewer")
        self.assertEqual(server.http("GET", f"/api/v1/experiments/{self.ship}", viewer).status, 200)
        for verb in ("pause", "activate", "cancel", "kill", "archive"):
            self.refused(403, "POST", f"/api/v1/experiments/{self.ship}/{verb}", viewer, {}, "access denied; required permissions")
        self.refused(403, "PATCH", f"/api/v1/experiments/{self.ship}", viewer, {"name": "mine"})
        self.refused(403, "DELETE", f"/api/v1/experiments/{self.ship}", viewer)
        self.refused(403, "POST", f"/api/v1/workspaces/{self.places['ships']}/projects", viewer, {"name": "mine"})
        many = server.http("POST", "/api/v1/projects/0/experiments/kill", viewer, {"experimentIds": [self.ship, self.bird]}).json["results"]
        self.assertIn("access denied", many[0]["error"])
        self.assertIn("not found", many[1]["error"])
        self.assertEqual(server.try_create(viewer, projectId=self.projects["ships"]).status, 403)
        self.assertEqual(server.sql(f"SELECT name FROM experiments WHERE id = {self.ship}"), [["ship"]])

    def test_ids_are_guessed(self):
        """a620492: everybody saw everything.
        now: 404 in the words for what there is not, and absent from lists and their totals."""
        viewer, nobody = server.user("viewer"), server.user("nobody")
        for token in (viewer, nobody):
            real = server.http("GET", f"/api/v1/experiments/{self.bird}", token)
            none = server.http("GET", "/api/v1/experiments/99999", token)
            self.assertEqual((real.status, none.status), (404, 404))
            self.assertEqual(real.error.replace(str(self.bird), "99999"), none.error)
        self.refused(404, "GET", f"/api/v1/workspaces/{self.places['birds']}", viewer)
        self.refused(404, "GET", f"/api/v1/projects/{self.projects['birds']}", viewer)
        self.refused(404, "GET", f"/api/v1/experiments/metrics-stream/metric-names?ids={self.bird}", viewer)
        there = int(server.sql(f"SELECT count(*) FROM experiments WHERE project_id = {self.projects['ships']}")[0][0])
        self.assertEqual(server.http("GET", "/api/v1/experiments", viewer).json["pagination"]["total"], there)
        self.assertEqual(server.http("POST", "/api/v1/experiments-search", viewer, {}).json["pagination"]["total"], there)
        self.assertEqual(server.http("GET", "/api/v1/experiments", server.admin()).json["pagination"]["total"], there + 1)
        self.assertEqual(server.http("GET", "/api/v1/experiments", nobody).json["pagination"]["total"], 0)
        self.assertEqual(server.http("GET", "/api/v1/workspaces", nobody).json["workspaces"], [])

    def test_an_editor_of_one_workspace_takes_something_to_another(self):
        """a620492: nothing moved.
        now: it takes the permission to create where it is to be."""
        editor = server.user("editor")
        there = {"destinationProjectId": self.projects["birds"]}
        self.refused(404, "POST", f"/api/v1/experiments/{self.ship}/move", editor, there)
        self.refused(404, "POST", f"/api/v1/projects/{self.projects['ships']}/experiments/move", editor, {**there, "experimentIds": [self.ship]})
        self.refused(404, "POST", "/api/v1/runs/move", editor, {**there, "sourceProjectId": self.projects["ships"], "runIds": []})
        self.made(server.admin(), "/api/v1/templates/sail", {"config": {}, "workspaceId": self.places["ships"]})
        moved = {"workspaceId": self.places["birds"]}
        self.refused(403, "PUT", "/api/v1/templates/sail", editor, moved, "PERMISSION_TYPE_CREATE_TEMPLATES")
        self.give("editor", "Viewer", "birds")
        try:
            self.refused(403, "POST", f"/api/v1/experiments/{self.ship}/move", editor, there, "PERMISSION_TYPE_CREATE_EXPERIMENT")
            self.refused(403, "POST", f"/api/v1/experiments/{self.bird}/move", editor, {"destinationProjectId": self.projects["ships"]})
        finally:
            self.take("editor", "Viewer", "birds")
        self.assertEqual(server.sql(f"SELECT project_id FROM experiments WHERE id = {self.ship}"), [[str(self.projects["ships"])]])

    def test_what_one_may_not_see_is_used_to_start_something(self):
        """a620492: everybody forked and warm-started from everything.
        now: 404 for the parent, the trial, the template and what a TensorBoard is to show, also when one's own experiment is continued."""
        editor = server.user("editor")
        self.assertEqual(server.try_create(editor, projectId=self.projects["ships"], parentId=self.bird).status, 404)
        self.made(server.admin(), "/api/v1/templates/secret", {"config": {"environment": {"image": "x"}}, "workspaceId": self.places["birds"]})
        self.assertEqual(server.try_create(editor, projectId=self.projects["ships"], template="secret").status, 404)
        self.refused(404, "POST", "/api/v1/tensorboards", editor, {"workspaceId": self.places["ships"], "experimentIds": [self.bird]})
        all_birds = {"projectId": self.projects["birds"]}
        self.refused(400, "POST", "/api/v1/tensorboards", editor, {"workspaceId": self.places["ships"], "filters": all_birds}, "no experiment that you may look at")
        own = server.create(editor, {"name": "own"}, projectId=self.projects["ships"])
        trials_of = lambda number: server.sql(f"SELECT id, task_number FROM trials WHERE experiment_id = {number}")
        mine = wait_for("one's own has a trial", lambda: trials_of(own))[0][0]
        server.kill(editor, own)
        trial, task = wait_for("the other has a trial", lambda: trials_of(self.bird))[0]
        of_bird = str(uuid.uuid4())
        server.sql("INSERT INTO checkpoints (uuid, task_number, trial_id, allocation_id, report_time, state, steps, metadata, resources, size) "
                   f"VALUES ('{of_bird}', {task}, {trial}, '', now(), 'COMPLETED', 1, '{{}}', '{{}}', 0)")
        for source in (f"source_trial_id: {trial}", f"source_checkpoint_uuid: {of_bird}"):
            with self.subTest(source=source):
                body = {"id": own, "overrideConfig": f"searcher: {{{source}}}"}
                self.refused(404, "POST", "/api/v1/experiments/continue", editor, body, "not found")
        link = {"trialSourceInfo": {"trialId": int(mine), "checkpointUuid": of_bird, "trialSourceInfoType": "TRIAL_SOURCE_INFO_TYPE_INFERENCE"}}
        self.refused(404, "POST", "/api/v1/trial-source-info", editor, link, f"checkpoint '{of_bird}' not found")

    def test_what_is_kept_for_others_is_a_pool_by_name(self):
        """a620492: everybody saw every pool.
        now: a pool that is kept for workspaces one does not see is in no list and no error, and 404 as one that there is not."""
        admin, editor = server.admin(), server.user("editor")
        bindings = "/api/v1/resource-pools/reef/workspace-bindings"
        self.made(admin, bindings, {"workspaceIds": [self.places["birds"]]})
        try:
            names = [pool["name"] for pool in server.http("GET", "/api/v1/resource-pools", admin).json["resourcePools"]]
            self.assertEqual(sorted(names), ["default", "reef"])
            for path in ("/api/v1/resource-pools", "/api/v1/resource-pools?unbound=true", "/api/v1/job-queues/stats",
                         f"/api/v1/workspaces/{self.places['ships']}/available-resource-pools"):
                with self.subTest(path=path):
                    answer = server.http("GET", path, editor)
                    self.assertEqual(answer.status, 200, answer)
                    self.assertNotIn("reef", answer.text)
                    self.assertIn("default", answer.text)
            real, none = server.http("GET", bindings, editor), server.http("GET", bindings.replace("reef", "none"), editor)
            self.assertEqual((real.status, none.status), (404, 404))
            self.assertEqual(real.error.replace("reef", "none"), none.error)
            mistaken = server.try_create(editor, {"resources": {"resource_pool": "defualt"}}, projectId=self.projects["ships"])
            self.assertEqual(mistaken.status, 400, mistaken)
            self.assertNotIn("reef", mistaken.text)
            taken = server.try_create(editor, {"resources": {"resource_pool": "reef"}}, projectId=self.projects["ships"])
            self.assertEqual(taken.status, 400, taken)
        finally:
            server.http("DELETE", bindings, admin, {"workspaceIds": [self.places["birds"]]})

    def test_a_workspace_goes_and_leaves_its_pool_to_everybody(self):
        """a620492: there were no bindings.
        now: 400 that names the pool, also to the workspace's administrator, who may delete it otherwise."""
        admin, lead = server.admin(), server.user("lead")
        self.places["divers"] = self.made(admin, "/api/v1/workspaces", {"name": "divers"})["workspace"]["id"]
        self.give("lead", "WorkspaceAdmin", "divers")
        path, bindings = f"/api/v1/workspaces/{self.places['divers']}", "/api/v1/resource-pools/reef/workspace-bindings"
        self.made(admin, bindings, {"workspaceIds": [self.places["divers"]]})
        self.refused(400, "DELETE", path, lead, says="is the only one that resource pool 'reef' is bound to")
        self.assertEqual(server.http("DELETE", bindings, admin, {"workspaceIds": [self.places["divers"]]}).status, 200)
        self.assertEqual(server.http("DELETE", path, lead).status, 200)

    def test_a_viewer_runs_a_program_as_a_tensorboard(self):
        """a620492: there were no TensorBoards.
        now: with an image, a hook, files or a template it takes the permission to start commands."""
        viewer, shown = server.user("viewer"), {"workspaceId": self.places["ships"], "experimentIds": [self.ship]}
        for own in ({"config": {"environment": {"image": "own"}}}, {"config": {"startup_hook": "id"}}, {"templateName": "own"},
                    {"files": [{"path": "run.sh", "type": 48, "content": "aWQ="}]}):
            self.refused(403, "POST", "/api/v1/tensorboards", viewer, {**shown, **own}, "PERMISSION_TYPE_CREATE_NSC")
        self.refused(404, "POST", "/api/v1/tensorboards", viewer, {**shown, "experimentIds": [self.bird]})

    def test_somebody_takes_the_name_of_who_has_not_signed_in_yet(self):
        """a620492: usernames did not change.
        now: 403; one's own username is changed by administrators only."""
        own = f"/api/v1/users/{self.number('editor')}"
        self.refused(403, "PATCH", own, server.user("editor"), {"username": "ann@example.com"}, "PERMISSION_TYPE_ADMINISTRATE_USER")

    def test_somebody_gives_themselves_a_role(self):
        """a620492: there were no roles.
        now: 403; who may assign roles in a workspace does so there, and never what is for the whole cluster."""
        for user in ("nobody", "viewer", "editor"):
            for place in (None, "ships", "birds"):
                self.refused(403, "POST", "/api/v1/roles/add-assignments", server.user(user), self.assignment(user, "WorkspaceAdmin", place))
        self.refused(403, "POST", "/api/v1/groups", server.user("editor"), {"name": "g", "addUsers": [self.number("editor")]})
        boss = server.user("boss")
        self.give("boss", "WorkspaceAdmin", "ships")
        self.refused(403, "POST", "/api/v1/roles/add-assignments", boss, self.assignment("boss", "WorkspaceAdmin", "birds"))
        self.refused(400, "POST", "/api/v1/roles/add-assignments", boss, self.assignment("boss", "ClusterAdmin", "ships"), "global-only")
        self.refused(403, "PATCH", f"/api/v1/users/{self.number('boss')}", boss, {"admin": True})

    def test_a_removed_member_of_a_group_keeps_a_token(self):
        """a620492: there were no groups.
        now: the token is worth what its owner may now: 404 at the next request."""
        member = server.user("member")
        number = self.number("member")
        group = self.made(server.admin(), "/api/v1/groups", {"name": "crew", "addUsers": [number]})["group"]["groupId"]
        scope = {"role": {"roleId": ROLES["Editor"]}, "scopeWorkspaceId": self.places["ships"]}
        self.made(server.admin(), "/api/v1/roles/add-assignments", {"groupRoleAssignments": [{"groupId": group, "roleAssignment": scope}]})
        self.give("member", "Viewer", "birds")
        self.assertEqual(server.http("GET", f"/api/v1/experiments/{self.ship}", member).status, 200)
        self.assertEqual(server.http("PUT", f"/api/v1/groups/{group}", server.admin(), {"removeUsers": [number]}).status, 200)
        self.refused(404, "GET", f"/api/v1/experiments/{self.ship}", member)
        self.assertEqual(server.http("GET", f"/api/v1/experiments/{self.bird}", member).status, 200)

    def test_a_task_of_somebody_who_lost_their_role_goes_on_with_their_token(self):
        """a620492: there were no roles; a task's token could do what its owner could.
        now: it reports for itself, and is worth nothing more than its owner is."""
        worker = server.user("worker")
        self.give("worker", "Editor", "ships")
        run = server.waiting_run(worker, {"workspace": "ships", "project": "ships"})
        self.assertEqual(server.http("GET", f"/api/v1/experiments/{self.ship}", run.user).status, 200)
        self.take("worker", "Editor", "ships")
        self.refused(404, "GET", f"/api/v1/experiments/{self.ship}", run.user)
        self.assertEqual(server.http("POST", f"/api/v1/trials/{run.trial}/progress", run.session, {"progress": 0.5, "is_raw": True}).status, 200)
        self.refused(403, "POST", "/api/v1/roles/add-assignments", run.user, self.assignment("worker", "Editor", "ships"), "log in")
        server.kill(server.admin(), run.experiment)

    def test_bodies_about_roles_are_bounded_and_named(self):
        """a620492: there were no such routes.
        now: 400 that names the field; more than 1,000 assignments or a body of more than 256 KiB are refused."""
        admin = server.admin()
        one = self.assignment("viewer", "Viewer", "ships")["userRoleAssignments"][0]
        for body, says in [({}, "at least one"), ({"userRoleAssignments": 5}, "userRoleAssignments"),
                           ({"userRoleAssignments": [7]}, "userRoleAssignments[0]"),
                           ({"userRoleAssignments": [{"userId": "x", "roleAssignment": {}}]}, "userId"),
                           ({"userRoleAssignments": [{"userId": 1, "roleAssignment": {"role": {"roleId": 99}}}]}, "roleId")]:
            with self.subTest(body=json.dumps(body)):
                self.refused(400, "POST", "/api/v1/roles/add-assignments", admin, body, says)
        self.refused(400, "POST", "/api/v1/roles/add-assignments", admin, {"userRoleAssignments": [one] * 1001}, "1000")
        self.refused(400, "POST", "/api/v1/groups", admin, {"name": "a\0b"})
        self.refused(400, "POST", "/api/v1/groups", admin, {"name": "x" * 300}, "255")
        self.refused(413, "POST", "/api/v1/groups", admin, {"name": "x" * (300 << 10)})
