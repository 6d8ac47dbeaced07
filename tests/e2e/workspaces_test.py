"""Workspaces and projects as people make, fill and delete them with the real det and its Python library."""

import json
import pathlib
import re
import sys
import tempfile
import unittest
import uuid

from determined.common.api import authentication, bindings, errors
from determined.common.experimental.workspace import Workspace

from stack import ROOT, SETTINGS, delete_whole, det, example_object, kubectl, run, sql, stack, wait_condition, wait_for

EXAMPLE = ROOT / "examples" / "core_api"
DET = pathlib.Path(sys.executable).parent / "det"


def as_admin(*args, **options):
    with tempfile.TemporaryDirectory() as home:
        return run("env", "DET_USER=admin", "DET_PASS=", f"XDG_CONFIG_HOME={home}", DET, *args, **options)


def log_in():
    return authentication.login(SETTINGS["DET_MASTER"], "determined", "")


def state_of(number):
    rows = sql(f"SELECT state FROM experiments WHERE id = {number}")
    return rows[0][0] if rows else None


class Workspaces(unittest.TestCase):
    def setUp(self):
        self.name = f"team-{uuid.uuid4().hex[:6]}"
        self.made = json.loads(det("w", "create", self.name, "--json").out)
        det("p", "create", self.name, "ships", "--description", "all of them")
        self.addCleanup(self.clean)

    def clean(self):
        for number, in sql(f"SELECT e.id FROM experiments e JOIN projects p ON p.id = e.project_id JOIN workspaces w ON w.id = p.workspace_id "
                           f"WHERE w.name = '{self.name}'"):
            det("e", "kill", number, check=False)
            wait_for("the experiment's end", lambda: state_of(number) in (None, "CANCELED", "COMPLETED", "ERROR", "DELETING"))
        if sql(f"SELECT 1 FROM workspaces WHERE name = '{self.name}'"):
            det("w", "delete", self.name, "--yes")

    def create(self, *args, config="const.yaml", **options):
        return det("e", "create", config, ".", *args, cwd=EXAMPLE, **options)

    def number(self, created):
        return int(re.search(r"Created experiment (\d+)", created.all).group(1))

    def project_id(self, name="ships"):
        return json.loads(det("p", "describe", self.name, name, "--json").out)["id"]

    def in_ships(self, *args):
        return self.number(self.create("--paused", "--project_id", self.project_id(), *args))

    def test_det_makes_changes_and_lists_them(self):
        self.assertTrue(self.made["pinned"])
        listed = json.loads(det("w", "list", "--json").out)
        self.assertEqual([w["name"] for w in listed if w["name"] == self.name], [self.name])
        self.assertIn("ships", det("w", "list-projects", self.name).out)
        self.assertIn("all of them", det("p", "list", self.name).out)
        det("p", "edit", self.name, "ships", "--new_name", "boats", "--key", "boa")
        edited = json.loads(det("p", "describe", self.name, "boats", "--json").out)
        self.assertEqual((edited["name"], edited["key"], edited["numExperiments"]), ("boats", "BOA", 0))
        renamed = self.name + "-2"
        det("w", "edit", self.name, "--name", renamed)
        self.name = renamed
        self.assertIn("avoid names equal to other", det("w", "create", renamed.upper(), check=False).all)
        self.assertIn("default", det("w", "list-pools", renamed).out)
        det("w", "archive", renamed)
        self.assertIn("is archived and cannot add new projects", det("p", "create", renamed, "x", check=False).all)
        det("w", "unarchive", renamed)
        det("p", "archive", renamed, "boats")
        det("p", "unarchive", renamed, "boats")
        det("p", "delete", renamed, "boats", "--yes")
        self.assertIn("Successfully deleted workspace", det("w", "delete", renamed, "--yes").out)
        self.assertIn("not found", det("w", "describe", renamed, check=False).all)

    def test_experiments_land_and_move_where_people_say(self):
        number = self.in_ships()
        self.assertIn(str(number), det("p", "list-experiments", self.name, "ships").out)
        named = self.number(self.create("--paused", "--config", f"workspace={self.name}", "--config", "project=ships"))
        self.assertEqual(json.loads(det("p", "describe", self.name, "ships", "--json").out)["numExperiments"], 2)
        self.assertIn("Moved experiment", det("e", "move", named, "Uncategorized", "Uncategorized").out)
        self.assertEqual(sql(f"SELECT project_id FROM experiments WHERE id = {named}"), [["1"]])
        det("e", "kill", named)
        det("p", "archive", self.name, "ships")
        refused = self.create("--paused", "--config", f"workspace={self.name}", "--config", "project=ships", check=False)
        self.assertIn("project is archived and cannot add new experiments", refused.all)
        self.assertIn("cannot have experiments moved from it", det("e", "move", number, "Uncategorized", "Uncategorized", check=False).all)
        det("p", "unarchive", self.name, "ships")

    def test_kubectl_waits_for_the_project_and_lands_in_it(self):
        text = example_object("core_api", "placed", reports=1).replace("    resources:\n", f"    workspace: {self.name}\n    project: rafts\n    resources:\n")
        self.addCleanup(delete_whole, "placed")
        kubectl("apply", "-f", "-", stdin=text)
        wait_condition("experiment", "placed", "Accepted", "Unknown")
        det("p", "create", self.name, "rafts")
        wait_condition("experiment", "placed", "Accepted", "True")
        self.assertEqual(sql("SELECT p.name FROM experiments e JOIN projects p ON p.id = e.project_id WHERE object_name = 'placed'"), [["rafts"]])

    def test_what_a_workspace_says_acts(self):
        storage = {"type": "s3", "bucket": f"of-{self.name}"}
        det("w", "edit", self.name, "--checkpoint-storage-config", json.dumps(storage), "--default-compute-pool", "default")
        refused = det("w", "edit", self.name, "--default-compute-pool", "nowhere", check=False)
        self.assertIn("unable to bind a resource pool that does not exist", refused.all)
        rows = sql(f"SELECT config #>> '{{checkpoint_storage,bucket}}' FROM experiments WHERE id = {self.in_ships()}")
        self.assertEqual(rows, [[storage["bucket"]]])
        self.assertIn("only admin privileged users", det("w", "edit", self.name, "--agent-uid", 1234, "--agent-gid", 1234, check=False).all)
        as_admin("w", "edit", self.name, "--agent-uid", 1234, "--agent-gid", 1234, "--agent-user", "u", "--agent-group", "g")
        shown = json.loads(det("w", "describe", self.name, "--json").out)
        self.assertEqual(shown["agentUserGroup"]["agentUid"], 1234)
        det("cmd", "run", "-d", "-w", self.name, "sleep 1000")
        rows = wait_for("the command's run", lambda: sql(
            "SELECT a.plan -> 'account' ->> 'uid' FROM allocations a JOIN standalone_tasks s ON s.task_number = a.task_number "
            f"JOIN workspaces w ON w.id = s.workspace_id WHERE w.name = '{self.name}'"))
        self.assertEqual(rows, [["1234"]])

    def test_the_library_does_as_determineds_own_tests_do(self):
        session = log_in()
        workspace = Workspace(session, workspace_name=self.name)
        project = workspace.create_project("rafts", "d")
        project.add_note("Hello", "World")
        project.add_note("Again", "World")
        project.remove_note("Hello")
        self.assertEqual([n["name"] for n in project.notes], ["Again"])
        project.set_name("canoes")
        project.set_key("CANO")
        self.assertEqual({p.name for p in workspace.list_projects()}, {"ships", "canoes"})
        patch = bindings.v1PatchWorkspace.from_json(bindings.get_GetWorkspace(session, id=workspace.id).workspace.to_json())
        patch.name = self.name
        bindings.patch_PatchWorkspace(session, body=patch, id=workspace.id)
        bindings.post_UnpinWorkspace(session, id=workspace.id)
        self.assertNotIn(workspace.id, [w.id for w in bindings.get_GetWorkspaces(session, pinned=True).workspaces])
        bindings.post_PinWorkspace(session, id=workspace.id)
        with self.assertRaises(errors.ForbiddenException):
            bindings.post_ArchiveWorkspace(session, id=1)
        with self.assertRaises(errors.ForbiddenException):
            bindings.delete_DeleteProject(session, id=1)
        with self.assertRaises(errors.APIException):
            bindings.post_PostProject(session, workspaceId=1, body=bindings.v1PostProjectRequest(name="Nope", workspaceId=1))
        workspace.delete_project("canoes")
        self.assertEqual({p.name for p in workspace.list_projects()}, {"ships"})

    def test_a_deletion_goes_on_after_a_kill(self):
        number = self.in_ships()
        refused = det("w", "delete", self.name, "--yes", check=False)
        self.assertIn(f"not in a terminal state: {number}", refused.all)
        det("e", "kill", number)
        wait_for("its end", lambda: state_of(number) == "CANCELED")
        det("cmd", "run", "-d", "-w", self.name, "sleep 1000")
        det("template", "create", self.name, "/dev/stdin", "-w", self.name, stdin="description: x\n")
        workspace = self.made["id"]
        session = log_in()
        self.assertFalse(bindings.delete_DeleteWorkspace(session, id=workspace).completed)
        stack("restart", "operator", "--kill")
        wait_for("the end of the workspace", lambda: not sql(f"SELECT 1 FROM workspaces WHERE id = {workspace}"))
        self.assertIsNone(state_of(number))
        self.assertEqual(sql(f"SELECT 1 FROM standalone_tasks WHERE workspace_id = {workspace}"), [])


if __name__ == "__main__":
    unittest.main()
