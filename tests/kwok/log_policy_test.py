"""log_policies at work: a line that the pod's own log shipper delivers moves the trial to another node, and only that trial."""

import base64
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from fake_cluster import FakeCluster, experiment, pods_of  # noqa: E402
from stack import ROOT, api, delete_whole, get, kubectl, trial_status, wait_for  # noqa: E402

ECC = "RuntimeError: CUDA error: uncorrectable ECC error encountered"


class LogPolicies(FakeCluster):
    def start(self, name):
        body = json.loads(experiment(name, max_restarts=2))
        body["spec"]["config"]["log_policies"] = [{"name": "ecc", "pattern": ".*uncorrectable ECC error.*", "action": "exclude_node"}]
        kubectl("apply", "-f", "-", stdin=json.dumps(body))
        self.addCleanup(delete_whole, name)

    def running(self, name, run):
        found = lambda: [p for p in pods_of(name) if p["metadata"]["labels"]["det-operator.dev/run"] == str(run)
                         and p["status"].get("phase") == "Running" and not p["metadata"].get("deletionTimestamp")]
        return wait_for(f"run {run} of {name} runs", found)[0]

    def prints(self, pod, line):
        """What the pod would do: the shipper around a program that prints the line and fails. Fake nodes run no programs."""
        (main,) = [c for c in pod["spec"]["containers"] if c["name"] == "determined-container"]
        environment = {"PATH": os.environ["PATH"]}
        for source in main["envFrom"]:
            data = get("secret", source["secretRef"]["name"])["data"]
            environment.update({key: base64.b64decode(value).decode() for key, value in data.items()})
        for entry in main["env"]:
            field = entry.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath")
            environment[entry["name"]] = pod["spec"]["nodeName"] if field == "spec.nodeName" else entry.get("value", "")
        done = subprocess.run([sys.executable, "-B", ROOT / "harness" / "ship_logs.py", "sh", "-c", f"echo '{line}' >&2; exit 3"],
                              env=environment, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 3, done.stderr)
        kubectl("annotate", "pod", pod["metadata"]["name"], "fake.test/exit-code=3")

    def test_exclude_node_moves_the_trial_and_no_other(self):
        self.start("moves")
        first = self.running("moves", 1)
        node = first["spec"]["nodeName"]
        self.prints(first, ECC)
        second = self.running("moves", 2)
        self.assertNotEqual(second["spec"]["nodeName"], node)
        # The exclusion may be shown while the first run still ends.
        status = wait_for("the condition, with the second run", lambda: (s := trial_status("moves")).get("run") == 2
                          and any(c["type"] == "NodesExcluded" for c in s.get("conditions", [])) and s)
        (excluded,) = [c for c in status["conditions"] if c["type"] == "NodesExcluded"]
        self.assertEqual((excluded["status"], excluded["reason"]), ("True", "LogPolicyMatched"))
        self.assertIn(node, excluded["message"])
        self.assertIn("uncorrectable ECC error", excluded["message"])
        self.assertEqual((status["restarts"], status["infraRestarts"]), (1, 0))
        said = lambda: [line["message"] for line in api("GET", f"/api/v1/trials/{status['id']}/logs?limit=200", lines=True)]
        for part in (ECC, f"will not schedule on {node}"):
            wait_for(lambda: f"'{part}' in the log: {said()}", lambda: [m for m in said() if part in m])  # noqa: B023
        # Once more, there: both nodes stay excluded for the third run.
        self.prints(second, ECC)
        third = self.running("moves", 3)
        self.assertEqual(len({pod["spec"]["nodeName"] for pod in (first, second, third)}), 3)
        # The node is as good as any to others.
        self.start("beside")
        terms = self.running("beside", 1)["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
        self.assertNotIn("NotIn", json.dumps(terms))

    def test_a_line_that_does_not_match_moves_nothing(self):
        self.start("stays")
        self.prints(self.running("stays", 1), "RuntimeError: boom")
        self.running("stays", 2)
        wait_for("the trial says so", lambda: trial_status("stays").get("run") == 2)
        conditions = trial_status("stays")["conditions"]
        self.assertEqual([c for c in conditions if c["type"] == "NodesExcluded"], [])


if __name__ == "__main__":
    unittest.main()
