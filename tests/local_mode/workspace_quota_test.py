"""A workspace's quota on det-operator local, where nobody but the operator's scheduler keeps to it: a gang that would go beyond it waits whole."""

import unittest

from local import Local, wait_for


class WorkspaceQuota(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.local = Local(slots=4)
        cls.local.start()
        cls.addClassCleanup(cls.local.remove)
        cls.addClassCleanup(cls.local.stop)
        cls.token = cls.local.token("admin")

    def ask(self, method, path, body=None):
        answer = self.local.rest(method, path, body, self.token)
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def start(self, workspace, slots):
        """An experiment of that many pods, each with a slot; it sleeps."""
        project = self.ask("POST", f"/api/v1/workspaces/{workspace}/projects", {"name": f"of {slots} slots"})["project"]["id"]
        config = (f"name: sleeps\nentrypoint: sleep 600\nresources: {{slots_per_trial: {slots}}}\nmax_restarts: 0\n"
                  "searcher: {name: single, metric: loss}\n")
        number = self.ask("POST", "/api/v1/experiments", {"config": config, "projectId": project, "activate": True})["experiment"]["id"]
        self.addCleanup(self.local.rest, "POST", f"/api/v1/experiments/{number}/kill", {}, self.token)
        return number

    def trial(self, number):
        return next((t.get("status", {}) for t in self.local.items("trials", "-n", self.namespace) if t["spec"]["experimentID"] == number), {})

    def queued(self, number):
        return next((c for c in self.trial(number).get("conditions", []) if c.get("reason") == "QuotaExceeded"), None)

    def pods(self, number):
        named = [p for p in self.local.items("pods", "-n", self.namespace) if p["metadata"]["labels"].get("det-operator.dev/experiment") == f"exp-{number}"]
        return [p for p in named if p.get("status", {}).get("phase") in ("Pending", "Running")]

    def test_a_gang_beyond_it_waits_whole_and_starts_when_it_grows(self):
        made = self.ask("POST", "/api/v1/workspaces", {"name": "bounded", "clusterNamespaceMeta": {"": {"autoCreateNamespace": True}},
                                                       "clusterQuotaPairs": {"": 2}})
        workspace = made["workspace"]["id"]
        self.namespace = made["namespaceBindings"][""]["namespace"]
        quotas = f"/api/v1/workspaces/{workspace}/get-k8s-resource-quotas"
        self.assertEqual(self.ask("GET", quotas)["resourceQuotas"], {"": 2})
        one = self.start(workspace, 1)
        wait_for("the one of one slot runs", lambda: len(self.pods(one)) == 1)
        two = self.start(workspace, 2)
        why = wait_for(lambda: f"the one of two slots waits for the quota: {self.trial(two)}", lambda: self.queued(two))
        self.assertIn("its 2 pods", why["message"])
        self.assertIn(f"quota {self.namespace}-quota: requests.cpu has", why["message"])
        self.assertEqual(self.pods(two), [])
        self.ask("POST", f"/api/v1/workspaces/{workspace}/set-resource-quota", {"clusterQuotaPairs": {"": 3}})
        wait_for("both pods of it run", lambda: len(self.pods(two)) == 2)


if __name__ == "__main__":
    unittest.main()
