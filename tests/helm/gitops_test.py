"""docs/gitops.md: the health of an Experiment as Argo CD would compute it, run by Lua."""

import json
import re
import subprocess
import unittest

import yaml

from chart import ROOT


def health_script():
    blocks = (ROOT / "docs" / "gitops.md").read_text().split("```yaml\n")[1:]
    (settings,) = [yaml.safe_load(block.split("```")[0]) for block in blocks if "resource.customizations.health" in block]
    return settings["data"]["resource.customizations.health.det-operator.dev_Experiment"]


def lua(value):
    """A Python value as a Lua expression."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"[{json.dumps(key)}] = {lua(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "{" + ", ".join(map(lua, value)) + "}"
    return json.dumps(value)


def health(status=None, spec=None, generation=2):
    obj = {"metadata": {"generation": generation}, "spec": spec or {}}
    if status is not None:
        obj["status"] = {"observedGeneration": 2, **status}
    script = f"obj = {lua(obj)}\nlocal function health()\n{health_script()}\nend\nlocal h = health()\nprint(h.status .. '|' .. (h.message or ''))"
    done = subprocess.run(["lua5.4", "-"], input=script, capture_output=True, text=True, timeout=330)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return tuple(done.stdout.rstrip("\n").split("|", 1))


def condition(kind, status, reason="R", message="M"):
    return {"type": kind, "status": status, "reason": reason, "message": message}


class Health(unittest.TestCase):
    def test_is_progressing_until_the_operator_has_seen_this_generation(self):
        self.assertEqual(health()[0], "Progressing")
        self.assertEqual(health({"conditions": [condition("Complete", "True")]}, generation=3)[0], "Progressing")

    def test_follows_the_conditions(self):
        accepted = condition("Accepted", "True")
        self.assertEqual(health({"state": "RUNNING", "progress": "40%", "conditions": [accepted, condition("Running", "True")]}), ("Progressing", "RUNNING 40%"))
        self.assertEqual(health({"conditions": [accepted, condition("Complete", "True")]}), ("Healthy", "complete"))
        self.assertEqual(health({"conditions": [accepted, condition("Failed", "True", "Canceled")]}), ("Degraded", "Canceled: M"))
        self.assertEqual(health({"conditions": [condition("Accepted", "False")]}), ("Degraded", "M"))
        self.assertEqual(health({"conditions": [accepted, condition("Stalled", "True", message="DatabaseReplaced")]}), ("Degraded", "DatabaseReplaced"))

    def test_a_paused_experiment_is_suspended(self):
        self.assertEqual(health({"conditions": [condition("Accepted", "True")]}, {"suspend": True})[0], "Suspended")


class Waiting(unittest.TestCase):
    def test_for_the_end_begins_with_acceptance_because_what_is_refused_never_ends(self):
        (block,) = [text for text in re.findall(r"```sh\n(.*?)```", (ROOT / "docs" / "gitops.md").read_text(), re.S) if "condition=Ended" in text]
        self.assertEqual(re.findall(r"--for=condition=(\w+)", block), ["Accepted", "Ended"])
        self.assertRegex(block, r"condition=Accepted --timeout=\d+m &&")


if __name__ == "__main__":
    unittest.main()
