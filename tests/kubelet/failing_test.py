"""Programs, images and containers that fail, as a real kubelet reports them."""

import re
import unittest

from cluster import Case, get
from objects import CODE, experiment, main_container

LINES = 2000


class Fails(Case):
    def start(self, name, *arguments, **options):
        self.apply(CODE, experiment(name, *arguments, **options))

    def test_a_program_that_exits_with_3_ends_in_error(self):
        self.start("exits", "exit 3", code=None)
        status = self.wait_over("exits")
        self.assertCounts(status, state="ERROR", run=1, restarts=0, infraRestarts=0)
        self.assertIn("exit code 3", status["message"])

    def test_a_program_that_always_fails_runs_three_times(self):
        self.start("fails-thrice", "exit 3", code=None, max_restarts=2)
        status = self.wait_over("fails-thrice")
        self.assertCounts(status, state="ERROR", run=3, restarts=2, infraRestarts=0)

    def test_each_run_goes_on_from_its_checkpoint(self):
        self.start("unlucky", steps=3, fail_at=[1, 2], max_restarts=2)
        status = self.wait_over("unlucky")
        self.assertCounts(status, state="COMPLETED", run=3, restarts=2, infraRestarts=0)
        for run, step in ((1, 0), (2, 1), (3, 2)):
            self.wait_logged("unlucky", f"run {run} begins after step {step}")

    def test_more_memory_than_its_limit(self):
        eat = 'python3 -c "x = bytearray(900 * 1024 * 1024); print(len(x))"'
        self.start("eats", eat, code=None, pod_spec=main_container(resources={"limits": {"memory": "300Mi"}}))
        status = self.wait_over("eats")
        self.assertCounts(status, state="ERROR", run=1, restarts=0, infraRestarts=0)
        self.wait_logged("eats", "used more memory than its limit of 300Mi (OOMKilled)")

    def test_an_image_that_does_not_exist_is_named_while_it_waits(self):
        self.start("no-image", image="localhost/nothing:1")
        status = lambda: [pod for pod in self.status("no-image").get("pods", []) if pod.get("reason") in ("ErrImagePull", "ImagePullBackOff")]
        self.wait("the reason", status, "no-image")
        self.assertCounts(self.status("no-image"), run=1, restarts=0, infraRestarts=0)
        # It waits for minutes before it gives its slots back; somebody who sees the reason does not.
        self.kubectl("patch", "experiment", "no-image", "--type=merge", "-p", '{"spec":{"stop":"Kill"}}')
        self.assertCounts(self.wait_over("no-image"), state="CANCELED", restarts=0, infraRestarts=0)

    def test_a_volume_that_is_not_there_is_named_until_it_is(self):
        """A kubelet tells it in events alone, and tries for ever."""
        mount = {"name": "data", "mountPath": "/data"}
        pod_spec = {"volumes": [{"name": "data", "configMap": {"name": "late"}}], **main_container(volumeMounts=[mount])}
        self.start("no-volume", "cat /data/here", code=None, pod_spec=pod_spec)
        self.wait("the reason", lambda: [pod for pod in self.status("no-volume").get("pods", []) if pod.get("reason") == "FailedMount"], "no-volume")
        (said,) = self.wait_logged("no-volume", "cannot start (FailedMount)")
        self.assertIn('configmap "late" not found', said)
        conditions = lambda: get("experiment", "no-volume", namespace=self.namespace).get("status", {}).get("conditions", [])
        queued = lambda: [each for each in conditions() if each["type"] == "Queued" and each["reason"] == "FailedMount" and "late" in each["message"]]
        self.wait("its Experiment says so", queued, "no-volume")
        self.assertCounts(self.status("no-volume"), run=1, restarts=0, infraRestarts=0)
        self.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "late"}, "data": {"here": "it is there now"}})
        self.assertCounts(self.wait_over("no-volume"), state="COMPLETED", run=1, restarts=0, infraRestarts=0)
        self.wait_logged("no-volume", "it is there now")

    def test_an_image_with_an_impossible_name(self):
        self.start("bad-image", image="localhost/No:thing:1")
        self.assertCounts(self.wait_over("bad-image"), state="ERROR", restarts=0, infraRestarts=0)

    def test_an_entrypoint_that_does_not_exist(self):
        self.start("no-program", "/does/not/exist", code=None)
        status = self.wait_over("no-program")
        self.assertCounts(status, state="ERROR", run=1, restarts=0, infraRestarts=0)
        self.assertIn("exit code 127", status["message"])

    def test_a_command_that_the_image_does_not_have(self):
        """The container itself cannot be made: no image of ours has no /bin/sh but this one."""
        self.start("no-shell", image="localhost/pause:1")
        status = self.wait_over("no-shell")
        self.assertCounts(status, state="ERROR", run=1, restarts=0, infraRestarts=0)

    def test_an_init_container_that_crashes(self):
        init = {"name": "prepare", "image": "localhost/bare:1", "imagePullPolicy": "IfNotPresent", "command": ["/bin/sh", "-c", "echo no data; exit 9"]}
        self.start("no-data", pod_spec={"initContainers": [init]}, max_restarts=1)
        status = self.wait_over("no-data")
        self.assertCounts(status, state="ERROR", run=2, restarts=1, infraRestarts=0)
        self.assertIn("exit code 9", status["message"])

    def test_the_log_of_a_pod_that_dies_at_once_is_complete(self):
        self.start("short-lived", f"sh -c 'seq -f line-%g-end {LINES}; exit 4'", code=None)
        self.assertCounts(self.wait_over("short-lived"), state="ERROR", restarts=0, infraRestarts=0)
        self.wait_logged("short-lived", f"line-{LINES}-end")
        numbers = [int(found[1]) for line in self.log("short-lived") if (found := re.search(r"\bline-(\d+)-end$", line.strip()))]
        self.assertEqual(numbers, list(range(1, LINES + 1)))


if __name__ == "__main__":
    unittest.main()
