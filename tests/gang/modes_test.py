"""Two ways of our own scheduler that depend on how the operator is set up: a pool whose nodes an autoscaler has yet to make, and an operator
that may not read nodes. Each test starts the operator in its own way and puts it back."""

import base64
import os
import signal
import subprocess
import sys
import unittest
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import BACKEND, CORE, ROOT, STATE, Pool, call, stack, wait_for  # noqa: E402
from waiting import PATIENCE, is_alive  # noqa: E402

RBAC = "/apis/rbac.authorization.k8s.io/v1/namespaces/default"


def pin(pod):
    """The node that the pod is pinned to, or None."""
    required = pod["spec"].get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {})
    fields = [field for term in required.get("nodeSelectorTerms", []) for field in term.get("matchFields", [])]
    return fields[0]["values"][0] if fields else None


def is_seen_as_unschedulable(pod):
    """What a cluster autoscaler looks for."""
    return any(c["type"] == "PodScheduled" and c["status"] == "False" and c["reason"] == "Unschedulable" for c in pod["status"].get("conditions", []))


class Modes(unittest.TestCase):
    def setUp(self):
        self.pool = Pool(f"{BACKEND}mode{len(self._testMethodName)}")
        self.addCleanup(self.pool.tidy)

    def scheduler(self, settings):
        """The operator with other settings of `scheduler` in its master.yaml."""
        path = STATE / "master.yaml"
        before = path.read_text()

        def put(text):
            path.write_text(text)
            stack("restart", "operator")
            wait_for("the operator answers", self.is_ready)
        self.addCleanup(put, before)
        lines = [line for line in before.splitlines() if not line.startswith("scheduler:")]
        put("\n".join([*lines, f"scheduler: {settings}"]) + "\n")

    @staticmethod
    def is_ready():
        return subprocess.run(["curl", "-fsS", f"http://{(STATE / 'listen').read_text().strip()}/ready"], capture_output=True).returncode == 0

    def test_an_autoscaler_sees_the_pods_of_one_gang_at_a_time(self):
        self.scheduler("{type: own, bind_timeout: 8, scale_up: pendingPods, scale_up_timeout: 900}")  # longer than all of this takes
        self.pool.gang("a", 32)
        pods = wait_for("all pods of the gang are there, for the autoscaler to count",
                        lambda: len(self.pool.pods("a")) == 4 and all(map(is_seen_as_unschedulable, self.pool.pods("a"))) and self.pool.pods("a"))
        self.assertEqual([pin(pod) for pod in pods], [None] * 4, "where the nodes will be is for the autoscaler to say")
        self.pool.gang("b", 16)
        self.pool.waits("b")
        self.assertEqual(self.pool.pods("b"), [], "one gang at a time")
        # Longer than bind_timeout: new nodes take their time.
        self.pool.stays(10, "a", "b")
        self.pool.nodes(3)
        self.assertEqual(self.pool.pods("b"), [], "what has become free is kept for the first")
        self.pool.nodes(1)
        self.pool.runs("a")
        self.assertEqual((self.pool.status("a")["run"], self.pool.status("a")["infraRestarts"]), (1, 0))
        wait_for("the pods of the next gang", lambda: len(self.pool.pods("b")) == 2)
        self.pool.nodes(2)
        self.pool.runs("b")

    def test_a_gang_whose_nodes_do_not_come_is_withdrawn_whole(self):
        self.scheduler("{type: own, bind_timeout: 4, scale_up: pendingPods, scale_up_timeout: 12}")
        self.pool.gang("a", 32)
        wait_for("its pods", lambda: len(self.pool.pods("a")) == 4)
        self.pool.nodes(2)
        wait_for("half of it holds nodes", lambda: len(self.pool.bound("a")) == 2)
        wait_for(lambda: f"it is withdrawn whole: {self.pool.status('a')}", lambda: not self.pool.pods("a") and self.pool.status("a").get("infraRestarts") == 0)
        self.pool.nodes(2)
        self.pool.runs("a")

    def test_an_operator_that_may_not_read_nodes_starts_gangs_one_after_another(self):
        self.blind_operator()
        self.pool.nodes(4)
        self.pool.gang("a", 24)
        self.assertEqual(len(self.pool.runs("a")), 3)
        self.assertEqual([pin(pod) for pod in self.pool.pods("a")], [None] * 3)
        # One node is free: the next gang gets it, and gives it back.
        self.pool.gang("b", 24)
        wait_for("half of the next gang", lambda: len(self.pool.bound("b")) == 1)
        self.pool.gang("c", 24)
        # They take turns for as long as neither gets all of its nodes: whoever waits for the other has no pods.
        def waits_its_turn():
            pods = self.pool.pods("b", "c")
            self.assertLessEqual(len({pod["metadata"]["labels"]["det-operator.dev/experiment"] for pod in pods}), 1, "one gang at a time")
            return self.pool.status("c").get("scheduling", {}).get("code") == "OtherGangUnbound" and not self.pool.pods("c")
        wait_for(lambda: f"c waits for b: {self.pool.status('c')}", waits_its_turn)
        wait_for(lambda: f"it is withdrawn whole: {self.pool.status('b')}", lambda: not self.pool.pods("b"))
        self.assertEqual(self.pool.status("b").get("infraRestarts", 0), 0)
        self.assertEqual(len(self.pool.bound("a")), 3)
        self.pool.finish("a")
        self.pool.delete("c")
        self.pool.runs("b")

    def test_a_single_pod_waits_for_as_long_as_it_takes_where_nodes_cannot_be_read(self):
        self.scheduler("{type: own, bind_timeout: 3}")
        self.blind_operator()
        self.pool.gang("a", 8)
        pods = wait_for("its pod is in kube-scheduler's queue", lambda: all(map(is_seen_as_unschedulable, self.pool.pods("a"))) and self.pool.pods("a"))
        self.pool.stays(8, "a")
        self.assertEqual([pod["metadata"]["uid"] for pod in self.pool.pods("a")], [pod["metadata"]["uid"] for pod in pods], "it keeps its turn")
        self.pool.nodes(1)
        self.pool.runs("a")
        self.assertEqual(self.pool.status("a")["run"], 1)

    def blind_operator(self):
        """With all rights in one namespace and none beside."""
        everything = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]
        name = self.pool.name
        subject = {"kind": "ServiceAccount", "name": name, "namespace": "default"}
        self.pool.create(f"{CORE}/namespaces/default/serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}})
        self.pool.create(f"{RBAC}/roles", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": name}, "rules": everything})
        self.pool.create(f"{RBAC}/rolebindings", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": name}, "subjects": [subject],
                                                  "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}})
        made = call("POST", f"{CORE}/namespaces/default/serviceaccounts/{name}/token", {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
        token = made["status"]["token"]
        authority = base64.b64encode((STATE / "cluster/pki/ca.crt").read_bytes()).decode()
        kubeconfig = STATE / "blind.kubeconfig"
        kubeconfig.write_text(f"""apiVersion: v1
kind: Config
clusters: [{{name: c, cluster: {{server: "{(STATE / 'cluster/conf/url').read_text().strip()}", certificate-authority-data: {authority}}}}}]
users: [{{name: u, user: {{token: {token}}}}}]
contexts: [{{name: x, context: {{cluster: c, user: u, namespace: default}}}}]
current-context: x
""")
        kubeconfig.chmod(0o600)
        running = int((STATE / "operator.pid").read_text())
        os.kill(running, signal.SIGTERM)
        program = os.environ.get("DET_OPERATOR_BIN", str(ROOT / "build/bin/det-operator"))
        listen = (STATE / "listen").read_text().strip()
        # It stops answering before it lets go of its port.
        wait_for("the operator is gone", lambda: not is_alive(running))
        (STATE / "operator.pid").unlink()
        log = open(STATE / "operator.log", "ab")
        self.addCleanup(log.close)
        process = subprocess.Popen([program, "--kubeconfig", kubeconfig, "--database-url", (STATE / "database-url").read_text().strip(), "--listen", listen,
                                    "--task-url", f"http://{listen}", "--config", STATE / "master.yaml", "--namespace", "default"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

        def put_back():
            process.terminate()
            process.wait(PATIENCE)
            stack("restart", "operator")
        self.addCleanup(put_back)
        wait_for("the operator answers", self.is_ready)


def load_tests(_loader, tests, _pattern):
    """Other backends have no such ways."""
    return tests if BACKEND == "own" else unittest.TestSuite()


if __name__ == "__main__":
    unittest.main()
