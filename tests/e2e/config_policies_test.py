"""Config policies as an administrator sets them with the real det, and what they do to experiments of either road."""

import json
import pathlib
import re
import sys
import tempfile
import unittest

from stack import ROOT, delete_whole, det, example_object, get, kubectl, run, sql, wait_condition, wait_for, whole_condition

EXAMPLE = ROOT / "examples" / "core_api"
DET = pathlib.Path(sys.executable).parent / "det"


def as_admin(*args, **options):
    with tempfile.TemporaryDirectory() as home:
        return run("env", "DET_USER=admin", "DET_PASS=", f"XDG_CONFIG_HOME={home}", DET, "config-policies", *args, **options)


class ConfigPolicies(unittest.TestCase):
    def set(self, policy, *where):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(json.dumps(policy))
            file.flush()
            self.addCleanup(lambda: as_admin("delete", "experiment", *where))
            return as_admin("set", "experiment", file.name, *where).out

    def create(self, *args, **options):
        return det("e", "create", "const.yaml", ".", *args, cwd=EXAMPLE, **options)

    def text(self, **resources):
        """An experiment that takes its time."""
        lines = "".join(f"      {name}: {value}\n" for name, value in resources.items())
        return example_object("core_api", "over-limit", reports=2000, sleep=0.2).replace("    resources:\n", "    resources:\n" + lines)

    def apply(self, **resources):
        kubectl("apply", "-f", "-", stdin=self.text(**resources))

    def stalled(self, name):
        return whole_condition("experiment", name, "Stalled")

    def test_set_describe_and_delete(self):
        said = self.set({"constraints": {"resources": {"max_slots": 4}}}, "-w", "Uncategorized")
        self.assertIn("Set experiment config policies for workspace Uncategorized:", said)
        self.assertIn("max_slots: 4", det("config-policies", "describe", "experiment", "-w", "Uncategorized").out)
        refused = det("config-policies", "delete", "experiment", check=False)
        self.assertIn("user does not have permission", refused.all)
        self.assertIn("Successfully deleted", as_admin("delete", "experiment", "-w", "Uncategorized").out)
        self.assertEqual(det("config-policies", "describe", "experiment", "-w", "Uncategorized").out.strip(), "{}")

    def test_det_is_told_what_is_over_the_limit_and_what_is_fixed(self):
        self.set({"constraints": {"resources": {"max_slots": 1}, "priority_limit": 60}, "invariant_config": {"max_restarts": 3}})
        refused = self.create("--config", "resources.slots_per_trial=2", check=False)
        self.assertIn("requested resources.slots [2] exceeds limit set by admin [1]", refused.all)
        number = int(re.search(r"Created experiment (\d+)", self.create("--paused", "--config", "max_restarts=0").all).group(1))
        self.addCleanup(lambda: det("e", "kill", number))
        self.assertIn("max_restarts: 3", det("e", "config", number).out)
        self.assertEqual(get("experiment", f"exp-{number}")["spec"]["config"]["max_restarts"], 0, "the object is its author's")
        self.assertIn("priority exceeds task config policy's priority_limit", det("e", "set", "priority", number, 61, check=False).all)
        self.assertIn("requested slots is violates max slots constraint: 2 > 1", det("e", "set", "max-slots", number, 2, check=False).all)
        self.assertEqual(det("e", "set", "priority", number, 60).code, 0)

    def test_kubectl_is_told_in_conditions(self):
        self.set({"constraints": {"priority_limit": 60}, "invariant_config": {"description": "fixed"}})
        self.addCleanup(delete_whole, "over-limit")
        self.apply(priority=61)
        refusal = "requested priority [61] exceeds limit set by admin [60]"
        wait_for("a refusal", lambda: refusal in self.stalled("over-limit").get("message", ""))
        wait_condition("experiment", "over-limit", "Accepted", "False")
        self.apply(priority=55)
        wait_condition("experiment", "over-limit", "Accepted", "True")
        self.assertEqual(sql("SELECT description FROM experiments WHERE object_name = 'over-limit'"), [["fixed"]])
        self.assertEqual(kubectl("diff", "-f", "-", stdin=self.text(priority=55)).code, 0, "the object is as Git has it")
        self.apply(priority=70, max_slots=1)
        refused = wait_for("the edit's refusal", lambda: (it := self.stalled("over-limit")).get("reason") == "ConfigPolicy" and it)
        self.assertIn("spec.config.resources.priority: ", refused["message"])
        live = wait_for("the part that is allowed", lambda: [json.loads(row[0]) for row in sql(
            "SELECT live FROM experiments WHERE object_name = 'over-limit'") if "max_slots" in row[0]])
        self.assertEqual(live, [{"max_slots": 1}])


if __name__ == "__main__":
    unittest.main()
