"""The table of failures: each is provoked on fake nodes of a real control plane; what its condition, its event, the log of the trial and
the counters say, and what ran next. The table is printed, row by row (docs/failures.md shows it)."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from fake_cluster import FakeCluster, experiment, pods_of  # noqa: E402
from stack import api, condition_of, delete_whole, get, kubectl, status_of, trial_of, trial_status, wait_for  # noqa: E402

LONG_AGO = "2020-01-01T00:00:00Z"


def patch_status(kind, name, status):
    kubectl("patch", kind, name, "--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))


def waiting(reason, message):
    """The status of a pod whose training container has not started for a long time."""
    container = {"name": "determined-container", "image": "x", "imageID": "", "ready": False, "restartCount": 0,
                 "state": {"waiting": {"reason": reason, "message": message}}}
    return {"phase": "Pending", "startTime": LONG_AGO, "containerStatuses": [container]}


class Failures(FakeCluster):
    def start(self, name, **options):
        kubectl("apply", "-f", "-", stdin=experiment(name, **options))
        self.addCleanup(delete_whole, name)
        return self.pod(name, 1)

    def pod(self, name, run):
        """The pod of rank 0 of that run, bound to a node."""
        found = lambda: [p for p in pods_of(name) if p["metadata"]["labels"]["det-operator.dev/run"] == str(run)
                         and p["metadata"]["labels"]["det-operator.dev/rank"] == "0" and p["spec"].get("nodeName")]
        return wait_for(f"the pod of run {run} of {name}", found)[0]

    def running_pod(self, name, run):
        self.pod(name, run)
        return wait_for(f"run {run} of {name} runs", lambda: (pod := self.pod(name, run))["status"].get("phase") == "Running" and pod)

    def row(self, what, name, log_part, event=None, **expected):
        """Checks one row of the table and prints it."""
        def matches():
            status = trial_status(name)
            return all(status.get(field) == value for field, value in expected.items()) and status
        status = wait_for(lambda: f"{name}: {expected}: {trial_status(name)}", matches)
        trial = trial_of(name)["metadata"]["name"]
        number = status["id"]
        logs = lambda: [line["message"] for line in api("GET", f"/api/v1/trials/{number}/logs?limit=200", lines=True)]
        line = wait_for(f"a log line with '{log_part}'", lambda: [m for m in logs() if log_part in m])[-1].strip()
        shown = "-"
        if event:
            events = lambda: [e for e in get("events")["items"]
                              if e["involvedObject"]["name"] == trial and e["reason"] == event]
            shown = event + ": " + wait_for(f"an event {event} of {trial}", events)[-1]["message"]
        conditions = [f"{c['type']}={c['status']}({c['reason']})" for c in status["conditions"]
                      if c["type"] == "Running" or c["status"] == "True"]
        print(f"\n| {what} | {status['state']}, {' '.join(conditions)} | {shown} | {line} | restarts {status['restarts']}, "
              f"infraRestarts {status['infraRestarts']} | run {status['run']} |", file=sys.stderr)
        return status

    def end(self, pod, code, reason="Error"):
        kubectl("annotate", "pod", pod["metadata"]["name"], f"fake.test/exit-code={code}", f"fake.test/reason={reason}")

    def test_the_program_fails(self):
        self.end(self.start("fails", max_restarts=1), 7)
        self.running_pod("fails", 2)
        self.row("the program exits with 7, `max_restarts: 1`", "fails", "exit code 7", "TrialRestarted", run=2, restarts=1, infraRestarts=0)
        self.end(self.pod("fails", 2), 7)
        self.row("the same once more", "fails", "trial exceeded max restarts", "TrialFailed", state="ERROR", restarts=1, infraRestarts=0)

    def test_the_program_fails_and_may_not_run_again(self):
        self.end(self.start("once", max_restarts=0, annotations={"fake.test/phase-after": "1s"}), 3)
        self.row("the program exits with 3, `max_restarts: 0`, the phase comes a second later, as a kubelet has it", "once", "exit code 3",
                 "TrialFailed", state="ERROR", run=1, restarts=0, infraRestarts=0)

    def test_the_program_fails_while_a_sidecar_goes_on(self):
        sidecar = {"containers": [{"name": "sidecar", "image": "x", "command": ["sleep", "1000"]}]}
        pod = self.start("beside", max_restarts=0, pod_spec=sidecar, annotations={"fake.test/stays": "sidecar"})
        self.end(pod, 3)
        self.row("the program exits with 3, `max_restarts: 0`, and a sidecar goes on", "beside", "exit code 3", "TrialFailed",
                 state="ERROR", run=1, restarts=0, infraRestarts=0)

    def test_the_node_evicts_it(self):
        pod = self.running_pod_of_new("pressed")
        kubectl("annotate", "pod", pod["metadata"]["name"], "fake.test/evict=The node was low on resource: memory.")
        self.running_pod("pressed", 2)
        self.row("its node runs out of memory and evicts it", "pressed", "low on resource: memory", "InfrastructureFailure", run=2, restarts=0,
                 infraRestarts=1)

    def test_deleted_before_it_runs(self):
        pod = self.start("early", annotations={"fake.test/stuck": "true"})
        kubectl("delete", "pod", pod["metadata"]["name"])
        self.pod("early", 2)
        self.row("somebody deletes the pod before it runs", "early", "was deleted", "InfrastructureFailure", run=2, restarts=0, infraRestarts=1)

    def test_deleted_and_lost(self):
        pod = self.running_pod_of_new("lost", annotations={"fake.test/lost": "true"})
        kubectl("delete", "pod", pod["metadata"]["name"])
        self.running_pod("lost", 2)
        self.row("the pod is deleted, and nothing tells how it ended", "lost", "without leaving an exit code", "InfrastructureFailure", run=2,
                 restarts=0, infraRestarts=1)

    def test_out_of_memory(self):
        spec = {"containers": [{"name": "determined-container", "resources": {"limits": {"memory": "64Mi"}}}]}
        self.end(self.start("oom", max_restarts=0, pod_spec=spec), 137, "OOMKilled")
        self.row("more memory than its limit", "oom", "used more memory than its limit of 64Mi (OOMKilled)", "TrialFailed", state="ERROR")

    def test_image_cannot_be_pulled(self):
        pod = self.start("pull", annotations={"fake.test/stuck": "true"})
        patch_status("pod", pod["metadata"]["name"], waiting("ImagePullBackOff", "Back-off pulling image \"nowhere/none:1\""))
        self.pod("pull", 2)
        self.row("the image cannot be pulled for 3 minutes", "pull", "cannot start (ImagePullBackOff)", "InfrastructureFailure", run=2,
                 restarts=0, infraRestarts=1)

    def test_image_name_is_none(self):
        pod = self.start("name", annotations={"fake.test/stuck": "true"}, max_restarts=5)
        patch_status("pod", pod["metadata"]["name"], waiting("InvalidImageName", "couldn't parse image name"))
        self.row("the image's name is none", "name", "cannot start (InvalidImageName)", "TrialFailed", state="ERROR", restarts=0, infraRestarts=0)

    def test_evicted(self):
        pod = self.running_pod_of_new("evicted")
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod["metadata"]["name"], "namespace": "default"}}
        kubectl("create", "--raw", f"/api/v1/namespaces/default/pods/{pod['metadata']['name']}/eviction", "-f", "-", stdin=json.dumps(eviction))
        self.running_pod("evicted", 2)
        self.row("evicted (`kubectl drain`)", "evicted", "EvictionByEvictionAPI", "InfrastructureFailure", run=2, restarts=0, infraRestarts=1)

    def test_deleted(self):
        pod = self.running_pod_of_new("deleted")
        kubectl("delete", "pod", pod["metadata"]["name"])
        self.running_pod("deleted", 2)
        self.row("somebody deletes the pod", "deleted", "was deleted", "InfrastructureFailure", run=2, restarts=0, infraRestarts=1)

    def test_node_goes_away(self):
        pod = self.running_pod_of_new("away")
        node = pod["spec"]["nodeName"]
        manifest = get("node", node)
        for field in ("uid", "resourceVersion", "creationTimestamp"):
            manifest["metadata"].pop(field)
        kubectl("delete", "node", node)
        try:
            after = self.running_pod("away", 2)
        finally:
            kubectl("create", "-f", "-", stdin=json.dumps(manifest))
        self.assertNotEqual(after["spec"]["nodeName"], node)
        self.row("its node goes away", "away", "no longer exists", "InfrastructureFailure", run=2, restarts=0, infraRestarts=1)
        wait_for("the node is back", lambda: condition_of("node", node, "Ready") == "True")
        self.running_pod_of_new("after-away")  # by then the operator has seen the node
        self.assertEqual(trial_status("away")["run"], 2, "a node that returns starts nothing twice")

    def test_node_does_not_answer(self):
        pod = self.running_pod_of_new("silent", annotations={"fake.test/stop-takes": "1h"})
        name = pod["metadata"]["name"]
        kubectl("delete", "pod", name, "--wait=false", "--grace-period=1")
        second = self.running_pod("silent", 2)
        self.row("its node does not confirm the end of a deleted pod for 30 s", "silent", "does not answer", "InfrastructureFailure", run=2,
                 restarts=0, infraRestarts=1)
        wait_for("the lost pod is gone", lambda: name not in [p["metadata"]["name"] for p in pods_of("silent")])
        kubectl("annotate", "pod", second["metadata"]["name"], "fake.test/stop-takes-")  # when it is deleted, it goes at once

    def test_one_pod_of_a_gang(self):
        self.start("gang", slots=16, max_restarts=1)
        wait_for("two running pods", lambda: [p["status"].get("phase") for p in pods_of("gang")] == ["Running", "Running"])
        (second,) = [p for p in pods_of("gang") if p["metadata"]["labels"]["det-operator.dev/rank"] == "1"]
        self.end(second, 3)
        self.running_pod("gang", 2)
        self.row("one of two pods exits with 3", "gang", "exit code 3", "TrialRestarted", run=2, restarts=1)
        runs = lambda: {p["metadata"]["labels"]["det-operator.dev/run"] for p in pods_of("gang") if "deletionTimestamp" not in p["metadata"]}
        wait_for(lambda: f"the whole gang is one restart unit: {runs()}", lambda: runs() == {"2"})

    def test_infrastructure_fails_again_and_again(self):
        pod = self.start("storm")
        for run in range(1, 4):
            kubectl("delete", "pod", pod["metadata"]["name"], "--wait=false")
            pod = self.pod("storm", run + 1)
        self.row("the pod is deleted three times: back-off 0, 2, 4 s", "storm", "was deleted", "InfrastructureFailure",
                 restarts=0, infraRestarts=3, run=4)

    def running_pod_of_new(self, name, **options):
        self.start(name, **options)
        return self.running_pod(name, 1)


class LiveEdits(FakeCluster):
    def open_pods(self):
        return [p for p in pods_of("edited") if p["status"].get("phase") in ("Pending", "Running") and "deletionTimestamp" not in p["metadata"]]

    def logs_of(self, number):
        trials = [trial["id"] for trial in api("GET", f"/api/v1/experiments/{number}/trials")["trials"]]
        return "".join(line["message"] for trial in trials for line in api("GET", f"/api/v1/trials/{trial}/logs?limit=200", lines=True))

    def test_max_slots_and_concurrency_take_effect_at_once(self):
        searcher = {"name": "random", "metric": "loss", "max_trials": 7, "max_concurrent_trials": 4, "max_length": {"batches": 10}}
        kubectl("apply", "-f", "-", stdin=experiment("edited", searcher=searcher))
        self.addCleanup(delete_whole, "edited")
        wait_for("four pods", lambda: len(self.open_pods()) == 4)
        # The status is written behind what it tells of.
        number = wait_for("its number", lambda: status_of("experiment", "edited").get("id"))
        api("PATCH", f"/api/v1/experiments/{number}", {"id": number, "resources": {"maxSlots": 8}})
        wait_for("one pod", lambda: len(self.open_pods()) == 1)
        wait_for("their logs say why they wait", lambda: "Waiting to be scheduled: resources.max_slots is 8: 8 slots are in use, and this trial needs 8" in self.logs_of(number))
        states = sorted(t.get("status", {}).get("state", "") for t in get("trials", "-l", "det-operator.dev/experiment=edited")["items"])
        self.assertNotIn("ERROR", states)
        kubectl("patch", "experiment", "edited", "--type=merge", "-p",
                json.dumps({"spec": {"config": {"resources": {"max_slots": 32}, "searcher": {"max_concurrent_trials": 2}}}}))
        wait_for("two pods", lambda: len(self.open_pods()) == 2)
        api("PATCH", f"/api/v1/experiments/{number}", {"id": number, "resources": {"maxSlots": None}})
        wait_for("no limit", lambda: get("experiment", "edited")["spec"]["config"]["resources"]["max_slots"] == 2**31 - 1)
        wait_for("it is not stalled", lambda: condition_of("experiment", "edited", "Stalled") == "False")
        kubectl("patch", "experiment", "edited", "--type=merge", "-p", json.dumps({"spec": {"config": {"searcher": {"max_concurrent_trials": 4}}}}))
        wait_for("four pods again", lambda: len(self.open_pods()) == 4)
        for number_of_trials in (6, 4, 6):
            kubectl("patch", "experiment", "edited", "--type=merge", "-p",
                    json.dumps({"spec": {"config": {"resources": {"max_slots": 64}, "searcher": {"max_concurrent_trials": number_of_trials}}}}))
            wait_for(f"{number_of_trials} pods", lambda: len(self.open_pods()) == number_of_trials)  # noqa: B023
        wait_for("six trials are counted", lambda: status_of("experiment", "edited").get("trials", {}).get("total") == 6)

    def test_a_field_that_git_keeps_is_not_edited_by_rest(self):
        kubectl("apply", "--server-side", "--field-manager=argocd-controller", "-f", "-",
                stdin=experiment("from-git", resources={"max_slots": 8}, suspend=True))
        self.addCleanup(delete_whole, "from-git")
        number = wait_for("accepted", lambda: status_of("experiment", "from-git").get("id"))
        with self.assertRaises(Exception) as refused:
            api("PATCH", f"/api/v1/experiments/{number}", {"id": number, "resources": {"maxSlots": 16}})
        self.assertIn("409", str(refused.exception))
        self.assertEqual(get("experiment", "from-git")["spec"]["config"]["resources"]["max_slots"], 8)


if __name__ == "__main__":
    unittest.main()
