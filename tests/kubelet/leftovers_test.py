"""Twenty trials in a row leave nothing on the node and nothing in the cluster."""

import pathlib
import unittest

from cluster import Case, ctr, get
from objects import CODE, experiment

TRIALS, AT_A_TIME = 20, 4


class Leftovers(Case):
    def on_the_node(self):
        """(containers, mounts) that belong to pods of trials, by the pod's unique name."""
        containers = [line.split()[0] for line in ctr("containers", "list", "--quiet").out.splitlines()]
        mounts = [line.split()[4] for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()]
        return set(containers), {mount for mount in mounts if "/containerd/" in mount or "/kubelet/pods/" in mount}

    def test_twenty_trials(self):
        containers, mounts = self.on_the_node()
        search = {"name": "grid", "metric": "loss", "max_concurrent_trials": AT_A_TIME}
        name = "twenty"
        made = experiment(name, steps=1, sleep=0)
        made["spec"]["config"].update(searcher=search, hyperparameters={
            "steps": 1, "sleep": 0, "fail_at": {"type": "const", "val": []}, "x": {"type": "int", "minval": 1, "maxval": TRIALS, "count": TRIALS}})
        self.apply(CODE, made)
        status = lambda: get("experiment", name, namespace=self.namespace).get("status", {})
        self.wait("the search is over", lambda: status().get("state") in ("COMPLETED", "ERROR"), name, 600)
        number = status()["id"]
        trials = self.operator.call("GET", f"/api/v1/experiments/{number}/trials?limit=100")["trials"]
        self.assertEqual([trial["state"] for trial in trials], ["STATE_COMPLETED"] * TRIALS)
        of_trials = ["-l", f"det-operator.dev/experiment={name}"]
        # They ended by themselves and stay for their logs, without a slot, until the experiment goes.
        phases = lambda: [pod["status"].get("phase") for pod in get("pods", *of_trials)["items"]]
        self.wait("every pod is over", lambda: phases() == ["Succeeded"] * TRIALS, name)
        self.kubectl("delete", "experiment", name, "--timeout=300s")
        self.wait("no pod is left", lambda: not get("pods", *of_trials)["items"], name)
        self.wait("no Secret is left", lambda: not get("secrets", *of_trials)["items"], name)
        # Other tests' pods may have gone meanwhile: nothing may have come.
        left = lambda: (self.on_the_node()[0] - containers, self.on_the_node()[1] - mounts)
        self.wait("no container and no mount is left", lambda: left() == (set(), set()), name)


if __name__ == "__main__":
    unittest.main()
