"""How many GPUs a workspace may have, set over REST and kept by a real API server, with the rights that the chart gives: what is beyond
waits whole, and goes on when it may."""

import json
import unittest
import urllib.error

from cluster import Operator, wait_for
from namespaces_test import EXPERIMENT, Release, experiment

GPUS = "requests.nvidia.com/gpu"


def pod_with_gpus(name, gpus):
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [
        {"name": "main", "image": "localhost/any", "resources": {"limits": {"nvidia.com/gpu": gpus}}}]}})


class WorkspaceQuota(Release):
    def call(self, method, path, body=None):
        return self.operator.call(method, path, body, self.token)

    def refused(self, method, path, body):
        with self.assertRaises(urllib.error.HTTPError) as said:
            self.call(method, path, body)
        return said.exception.code, json.loads(said.exception.read())["error"]["error"]

    def quota(self):
        return self.cluster.json("resourcequota", "shared-quota", "-n", "shared")

    def used(self):
        return self.quota().get("status", {}).get("used", {}).get(GPUS)

    def create(self, name):
        """Of one slot: other tests' experiments may hold most of the cluster."""
        made = experiment(name).replace("controller-class: apart", "controller-class: quotas")
        self.cluster.kubectl("create", "-n", "shared", "-f", "-", stdin=made)

    def bound(self, name):
        return [p for p in self.pods(name) if p["spec"].get("nodeName")]

    def pods(self, name):
        return self.cluster.json("pods", "-n", "shared", "-l", f"{EXPERIMENT}={name}")["items"]

    def condition(self, name):
        """Running, of the only trial."""
        trials = self.cluster.json("trials", "-n", "shared", "-l", f"{EXPERIMENT}={name}")["items"]
        conditions = trials[0].get("status", {}).get("conditions", []) if trials else []
        return next((c for c in conditions if c["type"] == "Running"), {})

    def waits(self, name):
        last = wait_for(lambda: f"{name} waits for the quota: {self.condition(name)}", lambda: (it := self.condition(name)).get("reason") == "QuotaExceeded" and it)
        self.assertIn(GPUS, last["message"])
        self.assertEqual(self.pods(name), [])

    def test_is_counted_by_the_api_server_and_waited_for(self):
        cluster = self.cluster
        cluster.must("psql", cluster.database_url, "-qc", "CREATE DATABASE quotas OWNER postgres")
        for name in ("shared", "of-others"):
            cluster.kubectl("create", "namespace", name)
        self.install("quotas", "--set", "taskNamespaces={quotas,shared,of-others}")
        self.operator = Operator(cluster, "quotas", "quotas-det-operator").start()
        self.addCleanup(self.operator.stop)
        wait_for("it leads", self.operator.leads)
        self.token = self.operator.login("admin", cluster.text_of("quotas", "quotas-det-operator-initial-password", "password"))

        # With the workspace, or not at all.
        cluster.kubectl("create", "quota", "of-others-quota", "-n", "of-others", f"--hard={GPUS}=4")
        wanted = lambda ns, gpus: {"name": ns, "clusterNamespaceMeta": {"": {"namespace": ns, "resourceQuota": gpus}}, "clusterQuotaPairs": {"": gpus}}
        code, said = self.refused("POST", "/api/v1/workspaces", wanted("of-others", 2))
        self.assertEqual((code, "was not made by this operator" in said), (400, True), said)
        self.assertNotIn("of-others", [w["name"] for w in self.call("GET", "/api/v1/workspaces?limit=0")["workspaces"]])
        number = self.call("POST", "/api/v1/workspaces", wanted("shared", 1))["workspace"]["id"]
        self.assertEqual(self.quota()["spec"]["hard"], {GPUS: "1"})
        self.assertEqual(self.call("GET", f"/api/v1/workspaces/{number}/get-k8s-resource-quotas"), {"resourceQuotas": {"": 1}})
        wait_for("the API server has counted", self.used)

        self.create("first")
        wait_for("the first has a node", lambda: len(self.bound("first")) == 1)
        self.create("second")
        self.waits("second")
        # The API server keeps to it, whoever asks.
        refusal = cluster.try_kubectl("create", "-n", "shared", "-f", "-", stdin=pod_with_gpus("mine", 1))
        self.assertIn(f"exceeded quota: shared-quota, requested: {GPUS}=1, used: {GPUS}=1, limited: {GPUS}=1", refusal.stderr)

        self.call("POST", f"/api/v1/workspaces/{number}/set-resource-quota", {"id": number, "clusterQuotaPairs": {"": 2}})
        wait_for("the second has a node", lambda: len(self.bound("second")) == 1)
        # What somebody else makes there counts, too.
        cluster.kubectl("delete", "experiment", "first", "-n", "shared", "--timeout=300s")
        wait_for("there is room again", lambda: self.used() == "1")
        cluster.kubectl("create", "-n", "shared", "-f", "-", stdin=pod_with_gpus("mine", 1))
        self.create("third")
        self.waits("third")
        cluster.kubectl("delete", "pod", "mine", "-n", "shared", "--grace-period=0", "--force")
        wait_for("the third has a node", lambda: len(self.bound("third")) == 1)
        for name in ("second", "third"):
            cluster.kubectl("delete", "experiment", name, "-n", "shared", "--timeout=300s")


if __name__ == "__main__":
    unittest.main()
