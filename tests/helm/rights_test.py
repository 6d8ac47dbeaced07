"""docs/rights.md against the chart: which verbs the operator has, where, and which call needs each."""

import re
import unittest

from chart import PRESETS, ROOT, find, objects, rendered

PAGE = (ROOT / "docs" / "rights.md").read_text()
CLUSTER, NAMESPACED = ("default", "ezmeral"), ("namespaced", "coreweave")
WHERE = ("everywhere", "tasks", "release", "one object")
# Read by the scheduler of ours alone.
OWN_ONLY = {"resourcequotas", "persistentvolumeclaims", "persistentvolumes"}
# Of those, what quotas of workspaces need with every scheduler.
KEPT = {("resourcequotas", verb, "tasks") for verb in ("list", "create", "patch")}
FOR_PEOPLE = ROOT / "helm" / "rights.yaml"


def rows(columns):
    """Cells of the page's table with that many columns."""
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line.startswith("| ")]
    return [row for row in found if len(row) == columns and row[0] not in ("resource", "value", "---")]


def written(table, column):
    """{(resource, verb, where)} of rows [resource, verb, cluster, namespaced, call]."""
    return {(row[0], row[1], row[column]) for row in table if row[column] != "-"}


def granted(items, release_namespace):
    """The same of a rendering: of the rules that a binding gives to the operator's account."""
    roles = {(item["kind"], item["metadata"].get("namespace", release_namespace), item["metadata"]["name"]): item for item in items if item["kind"] in ("Role", "ClusterRole")}
    found = set()
    for binding in items:
        if binding["kind"] not in ("RoleBinding", "ClusterRoleBinding"):
            continue
        assert [s["kind"] for s in binding["subjects"]] == ["ServiceAccount"] and binding["subjects"][0]["namespace"] == release_namespace
        is_everywhere = binding["kind"] == "ClusterRoleBinding"
        role = roles[binding["roleRef"]["kind"], binding["metadata"].get("namespace", release_namespace), binding["roleRef"]["name"]]
        for rule in role["rules"]:
            where = "everywhere" if is_everywhere else "tasks" if role["metadata"]["name"].endswith("-tasks") else "one object" if "resourceNames" in rule else "release"
            found |= {(resource, verb, where) for resource in rule["resources"] for verb in rule["verbs"]}
    return found


class Rights(unittest.TestCase):
    maxDiff = None

    def of(self, preset, *arguments):
        return granted(objects(rendered(preset, *arguments)), PRESETS[preset][1])

    def test_the_page_has_every_verb_of_the_chart_and_no_other(self):
        for presets, column in ((CLUSTER, 2), (NAMESPACED, 3)):
            for preset in presets:
                with self.subTest(preset):
                    self.assertEqual(sorted(self.of(preset)), sorted(written(rows(5), column)))

    def test_verbs_that_come_with_a_value_are_its_own(self):
        for value in {row[0].strip("`") for row in rows(6)}:
            table = [row[1:] for row in rows(6) if row[0].strip("`") == value]
            for presets, column in ((CLUSTER, 2), (NAMESPACED, 3)):
                with self.subTest(value=value, presets=presets):
                    before, after = self.of(presets[0]), self.of(presets[0], "--set", value)
                    self.assertEqual(sorted(after - before), sorted(written(table, column)))
                    gone = {right for right in before if "scheduler" in value and right[0] in OWN_ONLY} - KEPT
                    self.assertEqual(sorted(before - after), sorted(gone))

    def test_every_call_is_in_the_file_that_is_named(self):
        for row in rows(5) + [row[1:] for row in rows(6)]:
            self.assertTrue({row[2], row[3]} <= {*WHERE, "-"}, row)
            path = None
            for word in re.findall(r"`([^`]+)`", row[4]):
                if (ROOT / word).is_file():
                    path = ROOT / word
                elif not word.startswith(("det ", "scheduler.type")):
                    self.assertIn(word, path.read_text(), f"{path} has no {word}")
            self.assertIsNotNone(path, row)

    def test_nothing_is_written_outside_the_task_namespaces_but_a_status(self):
        for preset in CLUSTER:
            writes = {(resource, verb) for resource, verb, where in self.of(preset) if where == "everywhere" and verb not in ("get", "list", "watch")}
            self.assertEqual(writes, {(f"{resource}/status", "patch") for resource in ("experiments", "resourcepools", "tasks")})
            self.assertNotIn("secrets", {resource for resource, _, where in self.of(preset) if where != "tasks"})

    def test_people_have_the_same_rights_where_the_chart_does_not_bring_them(self):
        given = {item["metadata"]["name"]: item for item in objects(FOR_PEOPLE.read_text())}
        brought = objects(rendered("default"))
        for role in ("edit", "view"):
            own = find(brought, "ClusterRole", f"-{role}")
            aggregated = lambda item: {label for label in item["metadata"]["labels"] if "aggregate-to" in label}
            self.assertEqual(given[f"det-operator-{role}"]["rules"], own["rules"])
            self.assertEqual(aggregated(given[f"det-operator-{role}"]), aggregated(own))

    def test_an_owner_has_what_the_release_of_one_namespace_grants_of_ours(self):
        given = {item["metadata"]["name"]: item for item in objects(FOR_PEOPLE.read_text())}
        pairs = lambda rules: {(resource, verb) for rule in rules if "det-operator.dev" in rule["apiGroups"] for resource in rule["resources"] for verb in rule["verbs"]}
        owner = given["det-operator-owner"]
        self.assertFalse([label for label in owner["metadata"]["labels"] if "aggregate-to" in label])
        held = pairs(owner["rules"]) | pairs(given["det-operator-edit"]["rules"])
        for preset in NAMESPACED:
            granted_here = set().union(*(pairs(item["rules"]) for item in objects(rendered(preset)) if item["kind"] == "Role"))
            self.assertEqual(granted_here - held, set(), preset)
            self.assertEqual(pairs(owner["rules"]) - granted_here, set(), "no more than that")

    def test_each_task_namespace_has_the_same_role(self):
        items = objects(rendered("default", "--set", "taskNamespaces={one,two}"))
        tasks = [item for item in items if item["kind"] == "Role" and item["metadata"]["name"].endswith("-tasks")]
        self.assertEqual([item["metadata"]["namespace"] for item in tasks], ["one", "two"])
        # But for the names of what it may change there.
        shared = [[rule for rule in item["rules"] if "resourceNames" not in rule] for item in tasks]
        self.assertEqual(shared[0], shared[1])
        named = [[rule for rule in item["rules"] if "resourceNames" in rule] for item in tasks]
        self.assertEqual(named, [[{"apiGroups": [""], "resources": ["resourcequotas"], "resourceNames": [f"{name}-quota"], "verbs": ["patch"]}]
                                 for name in ("one", "two")])


if __name__ == "__main__":
    unittest.main()
