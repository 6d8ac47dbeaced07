"""Roles and groups with both command lines against a server whose master.yaml switches them on."""

import json
import os
import pathlib
import re
import subprocess
import sys
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "attacks"))  # at the end: some of its modules have the names of modules here
from server import PASSWORD, setup  # noqa: E402

DET = pathlib.Path(sys.executable).parent / "det"
OURS = pathlib.Path(os.environ.get("DET_BIN", ROOT / "build" / "bin" / "det"))
# One of its own: the others' stack has no roles.
server = setup(globals(), config={"security": {"initial_user_password": PASSWORD, "authz": {"type": "rbac"}}})


def say(program, user, *args, check=True):
    """What a command line says to somebody who is logged in."""
    token = server.admin() if user == "admin" else server.user(user)
    env = {**os.environ, "DET_MASTER": server.url, "DET_USER": user, "DET_USER_TOKEN": token, "HOME": str(server.folder)}
    done = subprocess.run([program, *args], capture_output=True, text=True, timeout=330, env=env, stdin=subprocess.DEVNULL)
    if check and done.returncode != 0:
        raise AssertionError(f"{program} {' '.join(args)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return types.SimpleNamespace(out=done.stdout, err=done.stderr)


class Roles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for name in ("ann", "ben"):
            server.user(name)
        say(DET, "admin", "workspace", "create", "ships")
        say(DET, "admin", "project", "create", "ships", "fishers")

    def admin(self, *args, **options):
        return say(DET, "admin", *args, **options)

    def ours(self, *args, **options):
        return say(OURS, "admin", *args, **options)

    def as_user(self, name, *args, **options):
        return say(DET, name, *args, **options)

    def test_groups_are_made_changed_and_deleted(self):
        said = self.admin("user-group", "create", "crew", "--add-user", "ann").out
        self.assertRegex(said, r"user group with name crew and ID \d+ created\nann was added to the group\n")
        for command in (["list"], ["list", "--json"], ["list", "--groups-user-belongs-to", "ann"], ["describe", "crew"], ["describe", "crew", "--json"]):
            theirs, mine = self.admin("user-group", *command), self.ours("user-group", *command)
            if "--json" in command:
                self.assertEqual(json.loads(mine.out), json.loads(theirs.out))
            else:
                self.assertEqual(mine.out, theirs.out)
            self.assertIn("crew" if command[0] == "list" else "ann", theirs.out)
        self.assertIn("user added to group with username ben", self.admin("user-group", "add-user", "crew", "ben").out)
        self.assertIn("user removed from the group with username ben", self.ours("user-group", "remove-user", "crew", "ben").out)
        self.assertIn("name changed from crew to sailors", self.admin("user-group", "change-name", "crew", "sailors").out)
        refused = self.as_user("ben", "user-group", "create", "mine", check=False)
        self.assertIn("PERMISSION_TYPE_UPDATE_GROUP", refused.err)
        self.assertIn("user group with name sailors", self.admin("user-group", "delete", "sailors", "--yes").out)

    def test_roles_are_listed_described_assigned_and_taken_away(self):
        theirs, mine = self.admin("rbac", "list-roles"), self.ours("rbac", "list-roles")
        self.assertEqual(mine.out, theirs.out)
        self.assertEqual(len(re.findall(r"^role '", theirs.out, re.M)), 10)
        self.assertEqual(len(re.findall(r"^role '", self.admin("rbac", "list-roles", "--exclude-global-roles").out, re.M)), 6)
        hidden = self.as_user("ann", "project", "list", "ships", check=False)
        self.assertIn("No workspace found with name ships", hidden.err)
        said = self.admin("rbac", "assign-role", "Viewer", "-u", "ann", "-w", "ships").out
        self.assertRegex(said, r"assigned role 'Viewer' with ID 4 to user 'ann' with ID \d+ to workspace ships")
        try:
            self.assertIn("fishers", self.as_user("ann", "project", "list", "ships").out)
            refused = self.as_user("ann", "project", "create", "ships", "mine", check=False)
            self.assertIn("PERMISSION_TYPE_CREATE_PROJECT", refused.err)
            for command in (["list-users-roles", "ann"], ["list-users-roles", "ann", "--json"], ["describe-role", "Viewer"], ["describe-role", "Viewer", "--json"]):
                theirs, mine = self.admin("rbac", *command), self.ours("rbac", *command)
                if "--json" in command:
                    self.assertEqual(json.loads(mine.out), json.loads(theirs.out))
                else:
                    self.assertEqual(mine.out, theirs.out)
                    self.assertIn("ships", mine.out)
            mine = self.as_user("ann", "rbac", "my-permissions").out
            self.assertIn("permissions assigned over workspace 'ships'", mine)
            self.assertIn("PERMISSION_TYPE_VIEW_PROJECT", mine)
        finally:
            self.admin("rbac", "unassign-role", "Viewer", "-u", "ann", "-w", "ships")
        self.assertIn("no permissions assigned", self.as_user("ann", "rbac", "my-permissions").out)

    def test_a_group_has_roles_for_its_members(self):
        self.admin("user-group", "create", "fleet", "--add-user", "ben")
        try:
            self.assertIn("to group 'fleet'", self.admin("rbac", "assign-role", "Editor", "-g", "fleet", "-w", "ships").out)
            self.assertEqual(self.admin("rbac", "list-groups-roles", "fleet").out, self.ours("rbac", "list-groups-roles", "fleet").out)
            self.assertIn("netters", self.as_user("ben", "project", "create", "ships", "netters").out)
        finally:
            self.admin("user-group", "delete", "fleet", "--yes")
        self.assertIn("No workspace found with name ships", self.as_user("ben", "project", "list", "ships", check=False).err)

    def test_a_role_for_the_whole_cluster_is_not_assigned_to_a_workspace(self):
        refused = self.admin("rbac", "assign-role", "ClusterAdmin", "-u", "ann", "-w", "ships", check=False)
        self.assertIn("global-only", refused.err)


if __name__ == "__main__":
    unittest.main()
