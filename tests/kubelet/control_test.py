"""What people and the cluster do to a trial that runs: pause, kill, delete, drain, cordon."""

import json
import unittest

from cluster import NODE, Case, kubectl
from objects import CODE, experiment

STEPS = 400  # more than any of these trials gets to do before it is stopped



class Control(Case):
    def start(self, name, **options):
        self.apply(CODE, experiment(name, **{"steps": STEPS, "sleep": 0.2, **options}))
        self.wait_running(name)
        self.wait_steps(name, 2)

    def stop(self, name, how="Kill"):
        self.kubectl("patch", "experiment", name, "--type=merge", "-p", json.dumps({"spec": {"stop": how}}))

    def pod(self, name, run=1):
        (pod,) = self.pods(name, run)
        return pod["metadata"]["name"]

    def uncordon(self):
        kubectl("uncordon", NODE)

    def wait_second_run(self, name):
        """Of a trial whose first run was stopped by somebody else."""
        self.wait_running(name, 2)
        self.wait_logged(name, "run 2 begins after step")
        self.wait_counts(name, run=2, restarts=0, infraRestarts=1)

    def test_pause_and_resume(self):
        self.start("pauses", steps=200)
        self.suspend("pauses", True)
        self.wait_state("pauses", "PAUSED")
        # It left by itself: the pod stays for its log, and holds nothing.
        over = lambda: (phases := {pod["status"].get("phase") for pod in self.pods("pauses")}) and phases <= {"Succeeded", "Failed"}
        self.wait("its pods are over", over, "pauses")
        done = int(self.wait_logged("pauses", "preempted after step")[-1].split("preempted after step ")[1].split()[0])
        self.suspend("pauses", False)
        self.wait_logged("pauses", f"run 2 begins after step {done}")
        self.assertCounts(self.wait_over("pauses"), state="COMPLETED", run=2, restarts=0, infraRestarts=0)

    def test_kill(self):
        self.start("killed")
        self.stop("killed")
        self.assertCounts(self.wait_over("killed"), state="CANCELED", run=1, restarts=0, infraRestarts=0)
        self.wait("it has no pods", lambda: not self.pods("killed"), "killed")

    def test_cancel_lets_it_checkpoint(self):
        self.start("canceled")
        self.stop("canceled", "Cancel")
        self.assertCounts(self.wait_over("canceled"), state="CANCELED", run=1, restarts=0, infraRestarts=0)
        self.wait_logged("canceled", "preempted after step")

    def test_kubectl_delete_pod(self):
        self.start("deleted")
        self.kubectl("delete", "pod", self.pod("deleted"), "--wait=false")
        self.wait_second_run("deleted")

    def test_a_pod_that_is_deleted_with_grace_may_end_by_itself(self):
        """A program that heeds SIGTERM ends with its own exit code while it is being deleted: that was the deletion's doing."""
        entrypoint = "exec sh -c 'trap \"echo told to stop; exit 5\" TERM; echo ready; while :; do sleep 0.1; done'"
        self.apply(experiment("graceful", entrypoint, code=None))
        self.wait_logged("graceful", "ready")
        self.kubectl("delete", "pod", self.pod("graceful"), "--grace-period=20", "--wait=false")
        self.wait_running("graceful", 2)
        self.wait_logged("graceful", "told to stop")
        self.wait_counts("graceful", run=2, restarts=0, infraRestarts=1)

    def test_drain_and_uncordon(self):
        self.start("drained")
        self.addCleanup(self.uncordon)
        # Only what belongs to this trial: the operator has no other node to go to.
        kubectl("drain", NODE, "--ignore-daemonsets", "--delete-emptydir-data", "--pod-selector=det-operator.dev/experiment=drained",
                "--timeout=300s")
        waits = lambda: self.status("drained").get("run") == 2 and not self.pods("drained", 1) and not any(
            p["spec"].get("nodeName") for p in self.pods("drained", 2))
        self.wait("the next run waits for a node", waits, "drained")
        self.uncordon()
        self.wait_second_run("drained")

    def test_a_cordoned_node_keeps_what_runs_and_takes_nothing_new(self):
        self.start("stays")
        self.addCleanup(self.uncordon)
        kubectl("cordon", NODE)
        self.apply(experiment("comes-later", steps=1))
        self.wait("it is queued", lambda: self.status("comes-later").get("state") == "QUEUED", "comes-later")
        before = len([line for line in self.log("stays") if "step " in line])
        self.wait("the first one goes on", lambda: len([line for line in self.log("stays") if "step " in line]) > before + 5, "stays")
        self.assertFalse([p for p in self.pods("comes-later") if p["spec"].get("nodeName")])
        self.assertCounts(self.status("stays"), run=1, restarts=0, infraRestarts=0)
        self.uncordon()
        self.assertCounts(self.wait_over("comes-later"), state="COMPLETED", run=1, infraRestarts=0)


if __name__ == "__main__":
    unittest.main()
