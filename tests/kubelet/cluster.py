"""The cluster of one real node that scripts/cluster/real-node.sh made, with the operator that the chart installs there, as these tests use
it. They run inside its namespaces: pods and Services are reached as from the node."""

import base64
import json
import os
import pathlib
import subprocess
import sys
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from kube_reader import KubeReader, NotFound  # noqa: E402
from waiting import PATIENCE, wait_for  # noqa: E402

STATE = pathlib.Path(os.environ.get("DET_KUBELET_STATE", "/nonexistent"))
if not STATE.exists():
    sys.exit("DET_KUBELET_STATE must name the state folder of scripts/cluster/real-node.sh, and this must run by its `enter`")
CACHE = pathlib.Path(os.environ.get("DET_OPERATOR_CACHE") or
                     pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "det-operator")
NODE = "node-1"
SYSTEM, TRAINING, RESTRICTED = "det-system", "training", "restricted"
VALUES = f"""
image: {{repository: localhost/det-operator, tag: test}}
defaultImages: {{postgreSQL: "localhost/postgres:15", cpuImage: "localhost/task:1"}}
db: {{disablePVC: true, cpuRequest: 50m}}
# There is no other node to go to, and with it the database would go.
tolerations: [{{operator: Exists}}]
slotType: cpu
slotResourceRequests: {{cpu: 0.1}}
maxSlotsPerPod: 1
checkpointStorage: {{type: shared_fs, hostPath: {STATE}/checkpoints}}
taskNamespaces: [{TRAINING}, {RESTRICTED}]
podPolicy: {{host_namespaces: [network]}}
"""


class Finished:
    def __init__(self, process):
        self.code, self.out, self.err = process.returncode, process.stdout, process.stderr
        self.all = self.out + self.err


def run(*command, stdin=None, check=True, timeout=330):
    process = subprocess.run([str(word) for word in command], input=stdin, capture_output=True, text=True, timeout=timeout, cwd=ROOT)
    if check and process.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {process.returncode}:\n{process.stdout}{process.stderr}")
    return Finished(process)


def kubectl(*arguments, namespace=TRAINING, **options):
    return run(CACHE / "tools" / "kubectl", "--namespace", namespace, *arguments, **options)


_reader = None


def get(*what, namespace=TRAINING):
    """The object, or the list."""
    global _reader
    if _reader is None:
        _reader = KubeReader(os.environ["KUBECONFIG"], lambda *words: kubectl(*words).out)
    return _reader.get(*what, namespace=namespace)


def find(*what, namespace=TRAINING):
    """The object, or None where there is none."""
    try:
        return get(*what, namespace=namespace)
    except NotFound:
        return None


def ctr(*arguments):
    return run("ctr", "--address", "/run/containerd/containerd.sock", "--namespace", "k8s.io", *arguments)


def node_part(verb, name, *options):
    """Stops or starts containerd or the kubelet."""
    run(ROOT / "scripts" / "cluster" / "node-parts.sh", verb, name, "--state", STATE, *options)


def node_is_ready():
    conditions = {c["type"]: c["status"] for c in get("node", NODE).get("status", {}).get("conditions", [])}
    return conditions.get("Ready") == "True"


class Operator:
    """The release. These tests dial its pod, because a Service has no addresses while its node is given up; tasks dial the Service."""

    _one = None

    @classmethod
    def get(cls):
        """Installed once for all tests of the process."""
        if cls._one is None:
            cls._one = cls()
        return cls._one

    def __init__(self):
        for namespace in (SYSTEM, TRAINING, RESTRICTED):
            if not find("namespace", namespace):
                kubectl("create", "namespace", namespace)
        # The release's own pods must be admitted where nothing else is.
        kubectl("label", "namespace", SYSTEM, "--overwrite", "pod-security.kubernetes.io/enforce=restricted")
        if not find("deployment", "det-det-operator", namespace=SYSTEM):
            run(CACHE / "tools" / "helm", "install", "det", ROOT / "helm" / "det-operator", "--namespace", SYSTEM, "--values", "-",
                "--wait", "--timeout", "10m", stdin=VALUES, timeout=660)
        secret = get("secret", "det-det-operator-initial-password", namespace=SYSTEM)
        password = base64.b64decode(secret["data"]["password"]).decode()
        (pod,) = get("pods", "-l", "app.kubernetes.io/component=operator", namespace=SYSTEM)["items"]
        self.url = f"http://{pod['status']['podIP']}:8080"
        self.token = None
        self.token = self.call("POST", "/api/v1/auth/login", {"username": "determined", "password": password, "isHashed": False})["token"]

    def call(self, method, path, body=None, lines=False):
        request = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode())
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            text = answer.read()
        if lines:
            return [json.loads(line)["result"] for line in text.splitlines() if line.strip()]
        return json.loads(text or b"{}")


class Case(unittest.TestCase):
    """One test's experiments; they are deleted after it."""

    namespace = TRAINING

    @classmethod
    def setUpClass(cls):
        cls.operator = Operator.get()

    def kubectl(self, *arguments, **options):
        return kubectl(*arguments, namespace=self.namespace, **options)

    def apply(self, *objects):
        self.kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
        for item in objects:
            if item["kind"] == "Experiment":
                self.addCleanup(self.delete, item["metadata"]["name"])

    def delete(self, name):
        """With its pods: they would write checkpoints and take room until they are gone."""
        self.kubectl("delete", "experiment", name, "--ignore-not-found", "--timeout=300s")
        wait_for(f"no pod of {name} is left", lambda: not self.pods(name), pause=0.2)

    def trial(self, name):
        """The experiment's only Trial, or None."""
        trials = get("trials", "-l", f"det-operator.dev/experiment={name}", namespace=self.namespace)["items"]
        return trials[0] if trials else None

    def status(self, name):
        return (self.trial(name) or {}).get("status", {})

    def pods(self, name, run=None):
        selector = f"det-operator.dev/experiment={name}" + (f",det-operator.dev/run={run}" if run else "")
        return get("pods", "-l", selector, namespace=self.namespace)["items"]

    def story(self, name):
        """What is to be read when a test gave up."""
        pods = [{"name": p["metadata"]["name"], "deleted": p["metadata"].get("deletionTimestamp"), "status": p["status"]} for p in self.pods(name)]
        log = "".join(self.log(name)[-30:])
        return f"{name}\ntrial: {json.dumps(self.status(name))}\npods: {json.dumps(pods)}\nlog:\n{log}"

    def wait(self, what, condition, name, timeout=PATIENCE):
        return wait_for(lambda: f"{what}: {self.story(name)}", condition, timeout, 0.2)

    def wait_running(self, name, run=1):
        """The pods of that run, once all of them are Running."""
        def running():
            pods = self.pods(name, run)
            wanted = self.status(name).get("pods", [])
            return pods and len(pods) == len(wanted) and all(p["status"].get("phase") == "Running" for p in pods) and pods
        return self.wait(f"run {run} runs", running, name)

    def wait_steps(self, name, steps):
        """Until its log says that this many steps are done."""
        self.wait(f"step {steps}", lambda: any(f"step {steps} of" in line for line in self.log(name)), name)

    def wait_state(self, name, *states):
        return self.wait(f"the trial is {' or '.join(states)}", lambda: self.status(name).get("state") in states and self.status(name), name)

    def wait_over(self, name):
        return self.wait_state(name, "COMPLETED", "ERROR", "CANCELED")

    def log(self, name):
        """The trial's log as `det trial logs` shows it."""
        number = self.status(name).get("id")
        if not number:
            return []
        return [line["message"] for line in self.operator.call("GET", f"/api/v1/trials/{number}/logs?limit=10000", lines=True)]

    def wait_logged(self, name, text):
        return self.wait(f"a log line with '{text}'", lambda: [line for line in self.log(name) if text in line], name)

    def wait_counts(self, name, **expected):
        """The status is written behind what it tells of."""
        self.wait(f"{expected}", lambda: {key: self.status(name).get(key) for key in expected} == expected, name)

    def assertCounts(self, status, **expected):
        self.assertEqual({key: status.get(key) for key in expected}, expected, status)

    def suspend(self, name, yes):
        self.kubectl("patch", "experiment", name, "--type=merge", "-p", json.dumps({"spec": {"suspend": yes}}))
