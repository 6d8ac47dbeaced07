"""Gangs whose pods the API server changes before it stores them: a namespace's LimitRange, a mutating policy. A gang is placed by what its pods will ask for, not by what they were built with."""

import sys
import unittest
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import BACKEND, CORE, Pool, call, wait_for  # noqa: E402

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
# Only pods of this file's gangs: everybody's pods are in one namespace.
TOLERATES = """[
  JSONPatch{op: "add", path: "/spec/tolerations/-", value: Object.spec.tolerations{key: "team", operator: "Equal", value: "vision", effect: "NoSchedule"}},
  JSONPatch{op: "add", path: "/spec/nodeSelector/rack", value: "r2"}]"""


class Admission(unittest.TestCase):
    def setUp(self):
        self.pool = Pool(f"{BACKEND}adm{sum(map(ord, self._testMethodName)) % 1000}")
        self.addCleanup(self.pool.tidy)

    def create(self, collection, body):
        self.pool.create(collection, body)
        self.addCleanup(call, "DELETE", f"{collection}/{body['metadata']['name']}", missing_ok=True)

    def limit_range(self, cpu):
        limits = [{"type": "Container", "defaultRequest": {"cpu": cpu}, "default": {"cpu": "64"}}]
        body = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": f"{self.pool.name}-cpu"}, "spec": {"limits": limits}}
        # Admission learns a moment later that it is gone, and till then everybody's pods would ask for as much.
        self.addCleanup(wait_for, "the LimitRange counts no more", lambda: self.stored_cpu() is None)
        self.create(f"{CORE}/namespaces/default/limitranges", body)

    def stored_cpu(self):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "ask"}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
        made = call("POST", f"{CORE}/namespaces/default/pods?dryRun=All", pod)
        return made["spec"]["containers"][0].get("resources", {}).get("requests", {}).get("cpu")

    def test_requests_of_a_limit_range_count(self):
        # Built, both pods go on the one large node; stored, one of them does.
        large = self.pool.nodes(1, gpus=16)
        self.limit_range("40")
        wait_for("the LimitRange counts", lambda: self.stored_cpu() == "40")
        self.pool.gang("a", 16)
        self.pool.waits("a", "GangNeverFits")
        if BACKEND == "own":
            self.assertEqual(self.pool.pods("a"), [], "no pod is pinned to where its requests do not fit")
        self.pool.stays(2, "a")
        small = self.pool.nodes(1)
        self.assertEqual(self.pool.runs("a"), sorted(large + small))
        self.assertEqual(self.pool.status("a")["infraRestarts"], 0)

    def test_a_limit_range_made_while_a_gang_waits_counts(self):
        self.pool.nodes(1, gpus=16)
        self.pool.foreign("before", gpus=8)
        self.pool.gang("a", 16)
        self.pool.waits("a", "GangDoesNotFit")
        self.limit_range("40")
        wait_for("the LimitRange counts", lambda: self.stored_cpu() == "40")
        self.pool.remove_foreign("before")
        if BACKEND != "own":
            self.pool.runs("a")  # its pods have been stored before there was a LimitRange, and stay as they are
            return
        self.pool.waits("a", "GangNeverFits")
        self.pool.stays(2, "a")
        self.pool.nodes(1)
        self.pool.runs("a")

    def test_tolerations_and_node_selectors_of_a_policy_count(self):
        name = f"{self.pool.name}-vision"
        rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
        spec = {"reinvocationPolicy": "Never", "failurePolicy": "Fail",
                "matchConstraints": {"resourceRules": [rule], "objectSelector": {"matchLabels": {"team": self.pool.name}}},
                "mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": TOLERATES}}]}
        self.create(f"{ADMISSION}/mutatingadmissionpolicies", {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": name}, "spec": spec})
        self.create(f"{ADMISSION}/mutatingadmissionpolicybindings", {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": name}, "spec": {"policyName": name}})
        ask = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "ask", "labels": {"team": self.pool.name}}, "spec": {"nodeSelector": {"rack": "any"}, "containers": [{"name": "c", "image": "x"}]}}
        wait_for("the policy counts", lambda: call("POST", f"{CORE}/namespaces/default/pods?dryRun=All", ask)["spec"].get("nodeSelector") == {"rack": "r2"})
        tainted = [{"key": "team", "value": "vision", "effect": "NoSchedule"}]
        self.pool.nodes(2)
        self.pool.gang("a", 16, labels={"team": self.pool.name})
        self.pool.waits("a", "NodeSelectorMismatch")
        right = self.pool.nodes(2, labels={"rack": "r2"}, taints=tainted)
        self.assertEqual(self.pool.runs("a"), right)


if __name__ == "__main__":
    unittest.main()
