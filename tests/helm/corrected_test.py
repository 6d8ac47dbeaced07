"""What was refused is corrected where it stands, on a real API server: it judges the rules of our definitions, with the rights and status
writes of the operator; what was accepted stays as it was."""

import json
import unittest

from cluster import Operator, wait_for
from namespaces_test import Release


class Corrected(Release):
    def object(self, kind, name, spec):
        return {"apiVersion": "det-operator.dev/v1alpha1", "kind": kind, "spec": spec,
                "metadata": {"name": name, "annotations": {"det-operator.dev/controller-class": "corrected"}}}

    def experiment(self, name, **config):
        return self.object("Experiment", name, {"suspend": True, "config": {"entrypoint": "python3 train.py", **config}})

    def apply(self, item):
        return self.cluster.kubectl("apply", "-n", "corrected", "-f", "-", stdin=json.dumps(item))

    def refuses(self, item, *words):
        done = self.cluster.try_kubectl("apply", "-n", "corrected", "-f", "-", stdin=json.dumps(item))
        self.assertNotEqual(done.returncode, 0, done.stdout)
        for word in words:
            self.assertIn(word, done.stderr)

    def status(self, item):
        return self.cluster.json(item["kind"].lower(), item["metadata"]["name"], "-n", "corrected").get("status", {})

    def accepted(self, item, status):
        """Once it is that of the object as it is now."""
        def found():
            seen = self.cluster.json(item["kind"].lower(), item["metadata"]["name"], "-n", "corrected")
            said = seen.get("status", {})
            is_new = said.get("observedGeneration") == seen["metadata"]["generation"]
            return is_new and next((c for c in said.get("conditions", []) if (c["type"], c["status"]) == ("Accepted", status)), None)
        return wait_for(lambda: f"{item['metadata']['name']} has Accepted={status}: {self.status(item)}", found)

    def setUp(self):
        cluster = self.cluster
        cluster.must("psql", cluster.database_url, "-qc", "CREATE DATABASE corrected OWNER postgres")
        cluster.kubectl("create", "namespace", "corrected")
        self.helm("install", "corrected", "--set", "taskNamespaces={corrected}")
        self.addCleanup(cluster.helm, "helm", "uninstall", "corrected", "-n", "corrected")
        operator = Operator(cluster, "corrected", "corrected-det-operator").start()
        self.addCleanup(operator.stop)
        wait_for("it leads", operator.leads)

    def test_what_was_refused_is_corrected_and_what_was_accepted_is_not(self):
        """9f72483: `searcher.name cannot change; create a new experiment` was the answer to doing what the condition said.
        now: the rules hold from acceptance on."""
        self.experiments()
        self.bare_ones()
        self.tasks()
        self.trials()

    def experiments(self):
        self.cluster.kubectl("create", "configmap", "code", "-n", "corrected", "--from-literal=train.py=pass")
        wrong = self.experiment("search", searcher={"name": "adaptive", "metric": "loss"}, resources={"slots_per_trial": 1})
        wrong["spec"] |= {"template": "nowhere", "context": {"configMap": {"name": "misspelt"}}}
        self.apply(wrong)
        # One after another, as somebody finds out who has only the conditions to go by.
        said = wait_for(lambda: f"it has no template: {self.status(wrong)}",
                        lambda: next((c for c in self.status(wrong).get("conditions", []) if c["reason"] == "TemplateNotFound"), None))
        self.assertIn("nowhere", said["message"])
        del wrong["spec"]["template"]
        self.apply(wrong)
        self.assertIn("write `adaptive_asha`", self.accepted(wrong, "False")["message"])
        right = self.experiment("search", searcher={"name": "random", "metric": "accuracy", "max_trials": 3}, resources={"slots_per_trial": 2})
        right["spec"]["context"] = {"configMap": {"name": "code"}}
        self.apply(right)
        self.accepted(right, "True")

        edits = {
            "searcher.name cannot change; create a new experiment": lambda spec: spec["config"]["searcher"].update(name="grid"),
            "searcher.metric cannot change": lambda spec: spec["config"]["searcher"].update(metric="loss"),
            "searcher.max_trials cannot change": lambda spec: spec["config"]["searcher"].update(max_trials=4),
            "spec.config.searcher cannot be added or removed": lambda spec: spec["config"].pop("searcher"),
            "resources.slots_per_trial cannot change; create a new experiment": lambda spec: spec["config"]["resources"].update(slots_per_trial=3),
            "spec.template cannot change; create a new experiment": lambda spec: spec.update(template="gpu"),
            "spec.context cannot change; create a new experiment": lambda spec: spec.update(context={"configMap": {"name": "other"}}),
            "spec.context cannot be added or removed": lambda spec: spec.pop("context"),
        }
        for words, edit in edits.items():
            edited = json.loads(json.dumps(right))
            edit(edited["spec"])
            self.refuses(edited, words)
        right["spec"]["config"] |= {"name": "renamed", "resources": {"slots_per_trial": 2, "priority": 9}}
        self.apply(right)
        wait_for("it has its new name", lambda: self.status(right).get("name") == "renamed")

    def trials(self):
        trial = self.object("Trial", "one", {"requestID": "r", "experimentID": 99, "trialID": 99, "seed": 1, "slots": 1, "pods": 1, "hparams": {"lr": 0.1, "of": {"a": 1}}})
        self.apply(trial)
        edits = {
            "a trial's identity, seed and slots cannot change": {"slots": 2},
            "a trial's number of pods cannot change": {"pods": 3},
            "a trial's hyperparameters cannot change": {"hparams": {"lr": 0.1, "of": {"a": 2}}},
        }
        for words, edit in edits.items():
            self.refuses(trial | {"spec": trial["spec"] | edit}, words)
        trial["spec"]["stop"] = "Kill"
        self.apply(trial)

    def bare_ones(self):
        """Where a rule asks for a field that is not there it fails, and no status could be written any more. `resources:` with nothing is null,
        which `kubectl create` keeps and `kubectl apply` removes with its second call."""
        bare = self.experiment("bare", resources=None)
        self.cluster.kubectl("create", "-n", "corrected", "-f", "-", stdin=json.dumps(bare))
        self.accepted(bare, "False")
        self.edit_bare({"name": "still without a searcher"})
        self.accepted(bare, "False")
        self.edit_bare({"searcher": {"name": "single", "metric": "loss"}})
        self.accepted(bare, "True")
        self.edit_bare({"name": "accepted"})
        wait_for("it has its new name", lambda: self.status(bare).get("name") == "accepted")
        self.edit_bare({"resources": {"priority": 9}})
        self.accepted(bare, "True")

    def edit_bare(self, config):
        stored = self.cluster.json("experiment", "bare", "-n", "corrected")["spec"]["config"]
        self.assertIsNone(stored.get("resources", "left out"))
        self.cluster.kubectl("patch", "experiment", "bare", "-n", "corrected", "--type=merge", "-p", json.dumps({"spec": {"config": config}}))

    def tasks(self):
        wrong = self.object("Task", "command", {"type": "Command", "workspace": "nowhere", "config": {"entrypoint": ["true"], "resources": None}})
        self.apply(wrong)
        said = wait_for(lambda: f"it has no workspace: {self.status(wrong)}",
                        lambda: next((c for c in self.status(wrong).get("conditions", []) if c["reason"] == "WorkspaceNotFound"), None))
        self.assertIn("nowhere", said["message"])
        right = self.object("Task", "command", {"type": "Generic", "config": {"entrypoint": ["true"], "resources": None}})
        self.apply(right)
        self.accepted(right, "True")
        self.assertTrue(self.status(right)["id"])
        self.refuses(wrong, "spec.type cannot change; create a new task", "spec.workspace cannot change; create a new task")
        right["spec"]["template"] = "gpu"
        self.refuses(right, "spec.template cannot change; create a new task")
        del right["spec"]["template"]
        right["spec"]["context"] = {"archive": "eA=="}
        self.refuses(right, "spec.context cannot be added or removed once the task exists; create a new task")
        del right["spec"]["context"]
        right["spec"]["suspend"] = True
        self.apply(right)
        wait_for(lambda: f"it is paused: {self.status(right)}", lambda: self.status(right).get("state") == "PAUSED")


if __name__ == "__main__":
    unittest.main()
