"""The fake nodes tell of a pod what a kubelet tells, in its order: the stages of scripts/cluster/kwok-stages.yaml without the operator."""

import json
import pathlib
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from fake_cluster import FakeCluster  # noqa: E402
from stack import CACHE, ENV, kubectl, wait_for  # noqa: E402

PODS = "/api/v1/namespaces/default/pods"


def condition(pod, kind):
    return next((c for c in pod["status"].get("conditions", []) if c["type"] == kind), {})


def ends(pod):
    """By container: the exit code, or the state it is in."""
    return {c["name"]: c["state"].get("terminated", {}).get("exitCode", next(iter(c["state"])))
            for c in pod["status"].get("containerStatuses", [])}


def step(pod):
    """What one status says: phase, containers, and why it is not ready."""
    return pod["status"]["phase"], ends(pod), condition(pod, "Ready").get("reason", "")


class Stages(FakeCluster):
    def pod(self, name, containers=("main",), **annotations):
        """A pod on a fake node: the list of its states, which grows as a watch tells them."""
        spec = {"nodeName": "gpu-100", "restartPolicy": "Never", "terminationGracePeriodSeconds": 300,
                "tolerations": [{"operator": "Exists"}], "containers": [{"name": c, "image": "x"} for c in containers]}
        meta = {"name": name, "annotations": {f"fake.test/{key.replace('_', '-')}": value for key, value in annotations.items()}}
        made = json.loads(kubectl("create", "-o", "json", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec})).out)
        self.addCleanup(kubectl, "delete", "pod", name, "--ignore-not-found", "--force", "--grace-period=0")
        since = f"resourceVersion={made['metadata']['resourceVersion']}&fieldSelector=metadata.name%3D{name}"
        watch = subprocess.Popen([CACHE / "tools" / "kubectl", "get", "--raw", f"{PODS}?watch=1&{since}"], stdout=subprocess.PIPE, text=True, env=ENV)
        seen = [{"type": "ADDED", "object": made}]
        reader = threading.Thread(target=lambda: [seen.append(json.loads(line)) for line in watch.stdout])
        reader.start()
        self.addCleanup(watch.stdout.close)
        self.addCleanup(reader.join)
        self.addCleanup(watch.wait)
        self.addCleanup(watch.kill)
        return seen

    def steps(self, seen):
        """The different steps that were told so far, in order; "gone" at the end."""
        told = []
        for event in list(seen):
            now = "gone" if event["type"] == "DELETED" else step(event["object"])
            if told[-1:] != [now]:
                told.append(now)
        return told

    def tells(self, seen, *expected):
        """Waits for the last of these steps; they must be the last that were told."""
        wait_for(lambda: f"{expected[-1]}, told was {self.steps(seen)}", lambda: expected[-1] in self.steps(seen))
        self.assertEqual(self.steps(seen)[-len(expected):], list(expected))

    def is_running(self, seen, *containers):
        wait_for("it runs", lambda: ("Running", {c: "running" for c in containers}, "") in self.steps(seen))

    def last(self, seen):
        return [event["object"] for event in seen if event["type"] != "DELETED"][-1]

    def test_the_exit_code_is_told_before_the_phase(self):
        seen = self.pod("stages-fails", exit_code="3")
        self.tells(seen, ("Running", {"main": "running"}, ""), ("Running", {"main": 3}, "PodFailed"), ("Failed", {"main": 3}, "PodFailed"))
        pod = self.last(seen)
        end = pod["status"]["containerStatuses"][0]["state"]["terminated"]
        self.assertEqual((end["reason"], bool(end["startedAt"]), bool(end["finishedAt"])), ("Error", True, True))
        self.assertEqual({c["type"]: c["status"] for c in pod["status"]["conditions"]},
                         {"PodReadyToStartContainers": "False", "Initialized": "True", "Ready": "False", "ContainersReady": "False",
                          "PodScheduled": "True"})

    def test_success_has_the_same_steps(self):
        seen = self.pod("stages-succeeds", run_for="100ms")
        self.tells(seen, ("Running", {"main": "running"}, ""), ("Running", {"main": 0}, "PodCompleted"), ("Succeeded", {"main": 0}, "PodCompleted"))

    def test_a_sidecar_that_stays_keeps_the_pod_running_until_it_is_deleted(self):
        seen = self.pod("stages-sidecar", containers=("main", "sidecar"), exit_code="3", stays="sidecar")
        self.tells(seen, ("Running", {"main": 3, "sidecar": "running"}, "ContainersNotReady"))
        self.assertEqual(condition(self.last(seen), "ContainersReady")["message"], "containers with unready status: [main]")
        kubectl("delete", "pod", "stages-sidecar", "--wait=false")
        self.tells(seen, ("Running", {"main": 3, "sidecar": "running"}, "ContainersNotReady"), ("Failed", {"main": 3, "sidecar": 143}, "PodFailed"), "gone")

    def test_a_deleted_pod_tells_how_it_ended_before_it_goes(self):
        seen = self.pod("stages-deleted", stop_takes="1s")
        self.is_running(seen, "main")
        kubectl("delete", "pod", "stages-deleted", "--wait=false")
        self.tells(seen, ("Running", {"main": "running"}, ""), ("Failed", {"main": 143}, "PodFailed"), "gone")
        told = self.last(seen)
        self.assertGreaterEqual(told["metadata"]["deletionTimestamp"], told["status"]["containerStatuses"][0]["state"]["terminated"]["finishedAt"])

    def test_a_deleted_pod_may_tell_its_exit_code_before_its_phase(self):
        seen = self.pod("stages-slow", phase_after="1s", stop_code="0")
        self.is_running(seen, "main")
        kubectl("delete", "pod", "stages-slow", "--wait=false")
        self.tells(seen, ("Running", {"main": 0}, "PodCompleted"), ("Succeeded", {"main": 0}, "PodCompleted"), "gone")

    def test_deleted_before_it_ran_it_counts_as_failed_and_has_no_time_of_its_end(self):
        seen = self.pod("stages-waits", stuck="true")
        kubectl("delete", "pod", "stages-waits", "--wait=false")
        self.tells(seen, ("Failed", {"main": 137}, "PodFailed"), "gone")
        pod = self.last(seen)
        end = pod["status"]["containerStatuses"][0]["state"]["terminated"]
        self.assertEqual((end["reason"], end["finishedAt"]), ("ContainerStatusUnknown", None))

    def test_a_pod_that_its_node_evicts_tells_all_at_once(self):
        seen = self.pod("stages-evicted", evict="The node was low on resource: memory.")
        self.tells(seen, ("Running", {"main": "running"}, ""), ("Failed", {"main": 137}, "PodFailed"))
        pod = self.last(seen)
        self.assertEqual((pod["status"]["reason"], condition(pod, "DisruptionTarget")["reason"]), ("Evicted", "TerminationByKubelet"))

    def test_a_lost_pod_goes_without_a_word(self):
        seen = self.pod("stages-lost", lost="true")
        self.is_running(seen, "main")
        kubectl("delete", "pod", "stages-lost", "--wait=false")
        self.tells(seen, ("Running", {"main": "running"}, ""), "gone")


if __name__ == "__main__":
    unittest.main()
