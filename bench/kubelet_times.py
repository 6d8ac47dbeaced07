"""How long things take between kubectl, the operator and a real kubelet: python3 bench/kubelet_times.py [--rounds N], run by
`scripts/cluster/real-node.sh enter --state DIR env DET_KUBELET_STATE=DIR` (docs/development.md). Each round is an experiment of its own;
medians and the slowest are printed. The program says itself when it began and when it was about to end; all clocks are this machine's."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "kubelet"))
from cluster import CACHE, TRAINING, Operator, get, kubectl  # noqa: E402
from objects import experiment  # noqa: E402
from waiting import wait_for  # noqa: E402

PROGRAM = '''
import time
import determined as det
from determined import core
print("began-at", time.time(), flush=True)
with core.init(tensorboard_mode=core.TensorboardMode.MANUAL) as context:
    took = []
    for step in range(1, 51):
        start = time.monotonic()
        context.train.report_training_metrics(steps_completed=step, metrics={"loss": 1.0 / step})
        took.append(time.monotonic() - start)
    start = time.monotonic()
    context.train.report_validation_metrics(steps_completed=50, metrics={"loss": 0.1})
    print("validation-took", time.monotonic() - start, flush=True)
    print("report-took", sorted(took)[len(took) // 2], flush=True)
print("ends-at", time.time(), flush=True)
'''
CODE = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "times"}, "data": {"train.py": PROGRAM}}


class Watch:
    """What changes about the objects of one kind, with the time at which a client hears of it."""

    def __init__(self, kind, selector):
        command = [CACHE / "tools" / "kubectl", "-n", TRAINING, "get", kind, "-l", selector, "--watch", "--output-watch-events", "-o", "json"]
        self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
        self.seen = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        decoder, text = json.JSONDecoder(), ""
        for line in self.process.stdout:
            text += line
            if line.rstrip() != "}":
                continue
            try:
                event, _ = decoder.raw_decode(text.strip())
            except ValueError:
                continue
            self.seen.append((time.time(), event["type"], event["object"]))
            text = ""

    def first(self, condition):
        return next((at for at, kind, item in list(self.seen) if condition(kind, item)), None)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def container(pod):
    statuses = pod.get("status", {}).get("containerStatuses") or [{}]
    return statuses[0].get("state", {})


def one_round(operator, number):
    name = f"times-{number}"
    selector = f"det-operator.dev/experiment={name}"
    pods, trials = Watch("pods", selector), Watch("trials.det-operator.dev", selector)
    try:
        made = experiment(name, code="times")
        made["spec"]["config"]["hyperparameters"] = {}
        text = json.dumps(made)
        applied = time.time()
        kubectl("apply", "-f", "-", stdin=text)
        over = lambda: trials.first(lambda kind, t: t.get("status", {}).get("state") in ("COMPLETED", "ERROR"))
        wait_for(f"{name} is over", over, 180, 0.05)
        wait_for("its pod is gone or kept without a slot", lambda: pods.first(lambda kind, p: kind == "DELETED") or
                 pods.first(lambda kind, p: p["status"].get("phase") == "Succeeded"), 60, 0.05)
        (trial,) = get("trials", "-l", selector)["items"]
        lines = [line["message"] for line in operator.call("GET", f"/api/v1/trials/{trial['status']['id']}/logs?limit=1000", lines=True)]
        said = lambda word: float(next(line for line in lines if word in line).split(word)[1].split()[0])
        running = pods.first(lambda kind, p: "running" in container(p))
        ends, terminated = said("ends-at"), pods.first(lambda kind, p: "terminated" in container(p))
        phase = pods.first(lambda kind, p: p["status"].get("phase") in ("Succeeded", "Failed"))
        deleted = pods.first(lambda kind, p: "deletionTimestamp" in p["metadata"])
        released = phase if deleted is None else min(phase or deleted, deleted)
        return {
            "kubectl apply -> pod object": pods.first(lambda kind, p: True) - applied,
            "kubectl apply -> bound": pods.first(lambda kind, p: p["spec"].get("nodeName")) - applied,
            "kubectl apply -> container running (pod status)": running - applied,
            "kubectl apply -> first line of the program": said("began-at") - applied,
            "one training report (median of 50)": said("report-took"),
            "one validation report": said("validation-took"),
            "last line of the program -> container terminated (pod status)": terminated - ends,
            "last line of the program -> trial COMPLETED": over() - ends,
            "last line of the program -> slot free": released - ends,
            "container terminated -> phase of the pod": phase - terminated if phase else float("nan"),
            "container terminated -> trial COMPLETED": over() - terminated,
        }
    finally:
        pods.stop()
        trials.stop()
        kubectl("delete", "experiment", name, "--timeout=90s", "--ignore-not-found")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    operator = Operator.get()
    kubectl("apply", "-f", "-", stdin=json.dumps(CODE))
    rounds = [one_round(operator, number) for number in range(arguments.rounds)]
    for what in rounds[0]:
        values = [one[what] for one in rounds]
        print(f"| {what} | {statistics.median(values):.3f} s | {max(values):.3f} s |")


if __name__ == "__main__":
    main()
