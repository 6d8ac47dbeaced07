"""What an Experiment object says of itself, on det-operator local: edits of a resting one, a place that is not there yet, and what a
refused object, also a Task, becomes when it is corrected."""

import unittest

from local import Local, wait_for

OBJECT = """apiVersion: det-operator.dev/v1alpha1
kind: Experiment
metadata: {{name: {name}, namespace: default}}
spec:
  suspend: true
  config:
    name: first
    entrypoint: python3 train.py
    searcher: {{name: single, metric: loss}}
    {more}
"""

REFUSED = """apiVersion: det-operator.dev/v1alpha1
kind: Experiment
metadata: {name: refused, namespace: default}
spec:
  config:
    name: refused
    entrypoint: [python3, -c, pass]
    resources:
    searcher: {name: adaptive, metric: loss}
"""
TASK = """apiVersion: det-operator.dev/v1alpha1
kind: Task
metadata: {name: refused, namespace: default}
spec:
  type: Command
  workspace: nowhere
  config: {entrypoint: [echo, done], resources: {slots: 0}}
"""


class ExperimentObject(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.local = Local(slots=1)
        cls.local.start()

    @classmethod
    def tearDownClass(cls):
        cls.local.stop()
        cls.local.remove()

    def status(self, name, kind="experiment"):
        return self.local.get(kind, name).get("status", {})

    def accepted(self, name, kind="experiment"):
        return next((one for one in self.status(name, kind).get("conditions", []) if one["type"] == "Accepted"), {})

    def ends(self, name, kind):
        wait_for(lambda: f"{kind} {name} completes: {self.status(name, kind)}", lambda: self.status(name, kind).get("state") == "COMPLETED")

    def refuses(self, words, text):
        refused = self.local.kubectl("apply", "-f", "-", stdin=text, check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn(words, refused.stderr)

    def test_the_status_of_a_paused_experiment_follows_its_new_name(self):
        self.local.kubectl("apply", "-f", "-", stdin=OBJECT.format(name="rests", more=""))
        shown = lambda: (self.status("rests").get("state"), self.status("rests").get("name"))
        wait_for(lambda: f"it is paused under its name: {shown()}", lambda: shown() == ("PAUSED", "first"))
        self.local.kubectl("patch", "experiment", "rests", "--type", "merge", "-p", '{"spec": {"config": {"name": "second"}}}')
        wait_for("its new name is shown", lambda: shown() == ("PAUSED", "second"))

    def test_an_experiment_waits_for_the_project_that_it_names(self):
        self.local.kubectl("apply", "-f", "-", stdin=OBJECT.format(name="placed", more="workspace: vision\n    project: ships"))
        said = wait_for(lambda: f"it waits for its project: {self.accepted('placed')}",
                        lambda: (it := self.accepted("placed")).get("reason") == "ProjectNotFound" and it)
        self.assertEqual(said["status"], "Unknown")
        self.assertIn("workspace/project 'vision/ships' not found", said["message"])
        self.local.sql("INSERT INTO workspaces (name, owner_id) VALUES ('vision', 1)")
        self.local.sql("INSERT INTO projects (name, workspace_id, owner_id) SELECT 'ships', id, 1 FROM workspaces WHERE name = 'vision'")
        wait_for("it is accepted", lambda: self.accepted("placed").get("status") == "True")
        placed = self.local.sql("SELECT p.name FROM experiments e JOIN projects p ON p.id = e.project_id WHERE e.object_name = 'placed'")
        self.assertIn("ships", str(placed))

    def test_what_cannot_change_is_refused_with_its_name(self):
        self.local.kubectl("apply", "-f", "-", stdin=OBJECT.format(name="fixed", more=""))
        wait_for("it is accepted", lambda: self.status("fixed").get("id"))
        refused = self.local.kubectl("patch", "experiment", "fixed", "--type", "merge", "-p", '{"spec": {"config": {"searcher": {"metric": "other"}}}}', check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("searcher.metric cannot change; create a new experiment", refused.stderr)

    def test_a_refused_experiment_runs_once_it_is_corrected(self):
        """9f72483: `searcher.name cannot change; create a new experiment` was the answer to doing what the condition said.
        now: what was never accepted may be corrected everywhere."""
        self.local.kubectl("apply", "-f", "-", stdin=REFUSED)
        wait_for(lambda: f"it is refused: {self.accepted('refused')}", lambda: self.accepted("refused").get("status") == "False")
        self.assertIn("write `adaptive_asha`", self.accepted("refused")["message"])
        corrected = REFUSED.replace("name: adaptive, metric: loss", "name: adaptive_asha, metric: loss, max_trials: 2, time_metric: epochs, max_time: 1")
        self.local.kubectl("apply", "-f", "-", stdin=corrected)
        self.ends("refused", "experiment")
        self.refuses("searcher.name cannot change; create a new experiment", REFUSED)

    def test_a_refused_task_runs_once_it_is_corrected(self):
        self.local.kubectl("apply", "-f", "-", stdin=TASK)
        wait_for(lambda: f"it is refused: {self.accepted('refused', 'task')}", lambda: self.accepted("refused", "task").get("reason") == "WorkspaceNotFound")
        self.local.kubectl("apply", "-f", "-", stdin=TASK.replace("  workspace: nowhere\n", ""))
        self.ends("refused", "task")
        self.refuses("spec.workspace cannot change; create a new task", TASK)

    def test_a_folder_that_is_not_there_is_refused_and_not_made(self):
        folder = self.local.data / "nowhere"
        storage = f"checkpoint_storage: {{type: shared_fs, host_path: {folder}}}"
        self.local.kubectl("apply", "-f", "-", stdin=OBJECT.format(name="homeless", more=storage))
        wait_for(lambda: f"it is refused: {self.accepted('homeless')}", lambda: self.accepted("homeless").get("status") == "False")
        self.assertIn(f'spec.config.checkpoint_storage.host_path: "{folder}" does not exist on this machine', self.accepted("homeless")["message"])
        self.assertFalse(folder.exists())

    def test_what_has_no_effect_is_said_by_the_object_and_by_an_event(self):
        text = OBJECT.format(name="vain", more="resources: {weight: 2}").replace("suspend: true", "suspend: true\n  project: ships")
        self.local.kubectl("apply", "-f", "-", stdin=text)
        wait_for("it is accepted", lambda: self.accepted("vain").get("status") == "True")
        said = ("resources.weight has no effect here: it is only shown, slots are not shared out by weight; resources.priority says who goes first.\n"
                "spec.project has no effect here: name the project in spec.config.project, beside spec.config.workspace.")
        self.assertIn("was accepted\n" + said, self.accepted("vain")["message"])
        events = lambda: [one for one in self.local.get("events")["items"] if one["reason"] == "ConfigIgnored"]
        wait_for("an event says so", lambda: events())
        self.assertEqual([(one["type"], one["involvedObject"]["name"], one["message"]) for one in events()], [("Warning", "vain", said)])


if __name__ == "__main__":
    unittest.main()
