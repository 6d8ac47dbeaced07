"""Resource pools on fake nodes of a real control plane: ResourcePool objects are followed live, gangs stay on their pool's nodes, and
det agent list counts each pool's own."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from fake_cluster import FakeCluster, experiment, pods_of  # noqa: E402
from stack import CACHE, ENV, api, condition_of, delete_whole, get, kubectl, trial_status, wait_condition, wait_for, whole_condition  # noqa: E402


def pool(name, **spec):
    return json.dumps({"apiVersion": "det-operator.dev/v1alpha1", "kind": "ResourcePool", "metadata": {"name": name}, "spec": spec})


def bound_nodes(name):
    return sorted(pod["spec"]["nodeName"] for pod in pods_of(name) if pod["spec"].get("nodeName"))


class Pools(FakeCluster):
    def apply(self, kind, name, text):
        kubectl("apply", "-f", "-", stdin=text)
        if kind == "experiment":
            self.addCleanup(delete_whole, name)
        else:
            self.addCleanup(kubectl, "delete", kind, name, "--timeout=300s", "--ignore-not-found")

    def accepted(self, name):
        return wait_for(f"the operator has read pool {name}", lambda: condition_of("resourcepool", name, "Accepted"))

    @staticmethod
    def pools():
        """As the operator knows them, by name."""
        return {p["name"]: p for p in api("GET", "/api/v1/resource-pools")["resourcePools"]}

    def as_admin(self, *command):
        """The Python det; a folder of its own keeps its token from the other tests."""
        with tempfile.TemporaryDirectory() as home:
            program = pathlib.Path(os.environ.get("DET_CLI", CACHE / "venv-determined-0.38.1" / "bin" / "det"))
            env = {**ENV, "DET_USER": "admin", "DET_PASS": "", "XDG_CONFIG_HOME": home, "DETERMINED_CONFIG_DIR": home}
            done = subprocess.run([program, *command], env=env, capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_gangs_run_on_their_pools_nodes_in_pods_of_its_size(self):
        self.apply("resourcepool", "a40", pool("a40", nodeSelector={"gpu.nvidia.com/class": "A40"}, maxSlotsPerPod=4, description="small ones"))
        self.assertEqual(self.accepted("a40"), "True")
        self.apply("experiment", "in-a40", experiment("in-a40", 16, resources={"resource_pool": "a40"}))
        nodes = wait_for("four bound pods", lambda: len(bound_nodes("in-a40")) == 4 and bound_nodes("in-a40"))
        for node in nodes:
            self.assertEqual(get("node", node)["metadata"]["labels"]["gpu.nvidia.com/class"], "A40")
        for pod in pods_of("in-a40"):
            self.assertEqual(pod["metadata"]["labels"]["determined.ai/resource_pool"], "a40")
            (main,) = [c for c in pod["spec"]["containers"] if c["name"] == "determined-container"]
            self.assertEqual(main["resources"]["limits"]["nvidia.com/gpu"], "4")
        # Nodes that an earlier test took away come back to it one by one.
        found = wait_for("the pool has its four nodes", lambda: (all := self.pools())["a40"]["numAgents"] == 4 and all)
        self.assertEqual(found["a40"]["slotsAvailable"], 32)
        self.assertEqual(found["a40"]["slotsPerAgent"], 4)
        self.assertEqual(found["a40"]["description"], "small ones")
        self.assertGreater(found["default"]["numAgents"], 4)
        (job,) = [j for j in api("GET", "/api/v1/job-queues?resourcePool=a40")["jobs"]]
        self.assertEqual((job["resourcePool"], job["requestedSlots"]), ("a40", 16))
        agents = {a["id"]: a for a in api("GET", "/api/v1/agents")["agents"]}
        self.assertEqual(agents[nodes[0]]["resourcePools"], ["a40", "default"])

    def test_a_gang_waits_for_its_pool_although_other_nodes_are_free(self):
        self.apply("resourcepool", "few", pool("few", nodeSelector={"gpu.nvidia.com/class": "A40"}))
        self.accepted("few")
        self.apply("experiment", "too-large", experiment("too-large", 40, resources={"resource_pool": "few"}))
        def reason():
            trials = get("trials", "-l", "det-operator.dev/experiment=too-large")["items"]
            return trials and trials[0].get("status", {}).get("scheduling", {}).get("code")
        wait_for(lambda: f"it waits because its pool is too small, and not: {reason()}", lambda: reason() == "GangNeverFits")
        self.assertEqual(pods_of("too-large"), [])

    def test_an_experiment_applied_before_its_pool_starts_with_it(self):
        self.apply("experiment", "early", experiment("early", 8, resources={"resource_pool": "late"}))
        accepted = wait_condition("experiment", "early", "Accepted", "Unknown", "ResourcePoolNotFound")
        self.assertIn("resource pool late does not exist; there are: ", accepted["message"])
        self.apply("resourcepool", "late", pool("late", nodeSelector={"gpu.nvidia.com/class": "A40"}))
        wait_for("it runs", lambda: bound_nodes("early"))

    def test_a_trial_whose_pool_is_deleted_waits_for_it(self):
        self.apply("resourcepool", "gone", pool("gone", nodeSelector={"gpu.nvidia.com/class": "A40"}))
        self.accepted("gone")
        self.apply("experiment", "orphan", experiment("orphan", 8, resources={"resource_pool": "gone"}))
        (pod,) = wait_for("it runs", lambda: bound_nodes("orphan") and pods_of("orphan"))
        kubectl("delete", "resourcepool", "gone")
        wait_for("the operator knows that the pool is gone", lambda: "gone" not in self.pools())
        kubectl("delete", "pod", pod["metadata"]["name"], "--wait=false")
        def reason():
            trials = get("trials", "-l", "det-operator.dev/experiment=orphan")["items"]
            return trials and trials[0].get("status", {}).get("scheduling", {}).get("code") == "ResourcePoolNotFound"
        wait_for("it waits for its pool", reason)
        kubectl("apply", "-f", "-", stdin=pool("gone", nodeSelector={"gpu.nvidia.com/class": "A40"}))
        wait_for("it runs again", lambda: [p for p in pods_of("orphan") if p["metadata"]["labels"]["det-operator.dev/run"] == "2" and p["spec"].get("nodeName")])

    def test_a_wrong_pool_says_what_is_wrong_and_takes_nobody(self):
        self.apply("resourcepool", "broken", pool("broken", taskContainerDefaults={"image": {"cuda": 7}}))
        self.assertEqual(self.accepted("broken"), "False")
        self.assertIn("spec.taskContainerDefaults.image", whole_condition("resourcepool", "broken", "Accepted")["message"])
        self.apply("experiment", "in-broken", experiment("in-broken", 8, resources={"resource_pool": "broken"}))
        wait_for("it waits", lambda: condition_of("experiment", "in-broken", "Accepted") == "Unknown")

    def test_disabling_an_agent_moves_its_trial_elsewhere(self):
        self.apply("resourcepool", "moving", pool("moving", nodeSelector={"gpu.nvidia.com/class": "A40"}))
        self.accepted("moving")
        self.apply("experiment", "moves", experiment("moves", 8, resources={"resource_pool": "moving"}))
        (node,) = wait_for("it runs", lambda: bound_nodes("moves"))
        self.addCleanup(kubectl, "uncordon", node)
        self.as_admin("agent", "disable", node)
        moved = lambda: [p for p in pods_of("moves") if p["spec"].get("nodeName") not in (None, "", node)]
        (pod,) = wait_for("it runs elsewhere", moved)
        self.assertEqual(pod["metadata"]["labels"]["det-operator.dev/run"], "2")
        counts = lambda: [trial_status("moves").get(count) for count in ("run", "restarts", "infraRestarts")]
        wait_for("it is counted as the cluster's doing", lambda: counts() == [2, 0, 1])
        self.as_admin("agent", "enable", node)
        wait_for("pods may go there again", lambda: not get("node", node)["spec"].get("unschedulable"))


if __name__ == "__main__":
    unittest.main()
