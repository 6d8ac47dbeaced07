"""The kubelet and containerd of the node go away and come back while a trial runs."""

import contextlib
import datetime
import json
import subprocess
import threading
import unittest

from cluster import Case, ctr, kubectl, node_is_ready, node_part
from objects import CODE, experiment
from waiting import wait_for


# Of trials that must outlive an outage however long this machine takes to end it: the cluster's own seconds are few.
PATIENT = {"tolerations": [{"key": f"node.kubernetes.io/{what}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 600}
                           for what in ("not-ready", "unreachable")]}


class Outage(Case):
    def start(self, name, **options):
        self.apply(CODE, experiment(name, **{"sleep": 0.2, **options}))
        self.wait_running(name)
        self.wait_steps(name, 2)

    def back(self, name="kubelet"):
        node_part("start", name)
        wait_for("the node is ready", node_is_ready)

    def steps(self, name):
        """How many steps its log tells of."""
        return sum(" of 4000" in line for line in self.log(name))

    def complete(self, name, **expected):
        self.assertCounts(self.wait_over(name), state="COMPLETED", restarts=0, **expected)

    def test_a_kubelet_that_restarts_is_not_noticed(self):
        self.start("kubelet-restarts", steps=60, pod_spec=PATIENT)
        node_part("stop", "kubelet", "--kill")
        self.back()
        self.complete("kubelet-restarts", run=1, infraRestarts=0)

    def test_containerd_that_restarts_is_not_noticed(self):
        self.start("containerd-restarts", steps=60, pod_spec=PATIENT)
        node_part("stop", "containerd", "--kill")
        self.back("containerd")
        self.complete("containerd-restarts", run=1, infraRestarts=0)

    def test_a_program_that_ends_while_the_kubelet_is_away(self):
        """Nobody says so until the kubelet is back; the pod is not given up so soon."""
        self.start("ends-unseen", steps=60, pod_spec=PATIENT)
        node_part("stop", "kubelet")
        self.addCleanup(self.back)
        self.wait_logged("ends-unseen", "step 60 of")
        self.assertEqual(self.status("ends-unseen").get("state"), "RUNNING")
        self.back()
        self.complete("ends-unseen", run=1, infraRestarts=0)

    def test_a_kubelet_that_is_away_for_longer_than_the_node_is_waited_for(self):
        """The cluster gives the node up and deletes its pods, which nobody carries out; the operator lets go of the lost one by force.
        Its container goes on until then; afterwards the operator refuses what it reports, and it may end of itself or be ended by the
        kubelet that comes back and finds it is no pod any more. The trial runs once more, once."""
        self.enterContext(another_node_answers())
        self.start("node-lost", steps=4000)
        (pod,) = self.pods("node-lost", 1)
        self.assertEqual(len(containers_of(pod)), 1)
        node_part("stop", "kubelet")
        self.addCleanup(self.back)
        seen = self.steps("node-lost")
        self.wait("what the kubelet started goes on without it", lambda: self.steps("node-lost") > seen + 10, "node-lost")
        wait_for("the node is given up", lambda: not node_is_ready())
        self.wait("its pod is removed by force", lambda: not self.pods("node-lost", 1), "node-lost")
        self.back()
        self.wait_running("node-lost", 2)
        self.wait_logged("node-lost", "run 2 begins after step")
        self.wait_counts("node-lost", run=2, restarts=0, infraRestarts=1)
        self.wait("the first run's container is ended", lambda: not containers_of(pod), "node-lost")


@contextlib.contextmanager
def another_node_answers():
    """A cordoned node whose status is kept fresh. When no node at all answers, Kubernetes takes itself for the broken part and evicts nothing."""
    kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "witness"}, "spec": {"unschedulable": True}}))
    ends = threading.Event()

    def answer():
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        ready = {"type": "Ready", "status": "True", "reason": "Fresh", "message": "", "lastHeartbeatTime": now, "lastTransitionTime": now}
        kubectl("patch", "node", "witness", "--subresource=status", "--type=merge", "-p", json.dumps({"status": {"conditions": [ready]}}))

    def go_on():
        while not ends.wait(2):
            with contextlib.suppress(AssertionError, subprocess.TimeoutExpired):  # it may be late once; the next one is as good
                answer()

    answer()
    heart = threading.Thread(target=go_on)
    heart.start()
    try:
        yield
    finally:
        ends.set()
        heart.join()
        kubectl("delete", "node", "witness")


def containers_of(pod):
    """The containers of that pod that run, by containerd."""
    uid = pod["metadata"]["uid"]
    tasks = {line.split()[0] for line in ctr("tasks", "list").out.splitlines() if "RUNNING" in line}
    mine = ctr("containers", "list", "--quiet", f"labels.\"io.kubernetes.pod.uid\"=={uid},labels.\"io.cri-containerd.kind\"==container").out.split()
    return tasks & set(mine)


if __name__ == "__main__":
    unittest.main()
