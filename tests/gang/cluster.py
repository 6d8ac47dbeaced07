"""What gang scenarios need of the stack that scripts/test.sh started: the Kubernetes API, kept connections, bounded waiting, and a
pool of fake nodes per scenario, so that many scenarios run side by side in one cluster."""

import http.client
import json
import os
import pathlib
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import waiting  # noqa: E402
STATE = pathlib.Path(os.environ.get("DET_E2E_STATE", "/nonexistent"))
BACKEND = os.environ.get("DET_GANG_BACKEND", "own")
if not STATE.exists():
    sys.exit("DET_E2E_STATE must name the state folder of a running scripts/stack.sh")
CORE, APPS = "/api/v1", "/apis/det-operator.dev/v1alpha1"
EXPERIMENTS, TRIALS = f"{APPS}/namespaces/default/experiments", f"{APPS}/namespaces/default/trials"
PODS = f"{CORE}/namespaces/default/pods"

_local = threading.local()


def _connection():
    if getattr(_local, "connection", None) is None:
        url = urllib.parse.urlparse((STATE / "cluster/conf/url").read_text().strip())
        context = ssl.create_default_context(cafile=str(STATE / "cluster/pki/ca.crt"))
        context.load_cert_chain(STATE / "cluster/pki/admin.crt", STATE / "cluster/pki/admin.key")
        _local.connection = http.client.HTTPSConnection(url.hostname, url.port, context=context, timeout=waiting.PATIENCE)
    return _local.connection


def call(method, path, body=None, patch="application/merge-patch+json", missing_ok=False, accept="application/json"):
    """One request; the parsed answer, None for 404 if that is fine."""
    headers = {"Content-Type": patch if method == "PATCH" else "application/json", "Accept": accept}
    text = None if body is None else json.dumps(body)
    end = time.monotonic() + waiting.PATIENCE
    tries = 0
    while True:
        try:
            connection = _connection()
            connection.request(method, path, text, headers)
            answer = connection.getresponse()
            said = answer.read()
            # An API server with too much to do asks for another try; what it was asked for has not been done.
            if answer.status != 429 or time.monotonic() > end:
                break
            time.sleep(1)
        except (http.client.HTTPException, OSError):
            _local.connection = None  # an idle one may have been closed by the server
            tries += 1
            if tries == 2:
                raise
    if answer.status == 404 and missing_ok:
        return None
    if answer.status == 409 and tries and method == "POST" and b"AlreadyExists" in said:  # the first try had got through
        return call("GET", f"{path}/{body['metadata']['name']}")
    if answer.status >= 300:
        raise AssertionError(f"{method} {path}: {answer.status} {said.decode()[:600]}")
    return json.loads(said)


def wait_for(what, condition, timeout=waiting.PATIENCE):
    return waiting.wait_for(what, condition, timeout, 0.15)


def tool(name):
    """A program that scripts/build-tools.sh made."""
    cache = os.environ.get("DET_OPERATOR_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "det-operator"
    return pathlib.Path(cache) / "tools" / name


def stack(*args):
    subprocess.run([ROOT / "scripts/stack.sh", *args, "--state", STATE], check=True, capture_output=True, timeout=330)


class Pool:
    """One scenario's nodes and gangs. Its gangs select its nodes; nothing else may use them."""

    def __init__(self, name):
        self.name, self.gangs, self.made, self.next_node = name, {}, [], 0

    # --- nodes -----------------------------------------------------------------------------------------------------------
    def nodes(self, count=1, gpus=8, labels=None, taints=None, cpu="64", memory="512Gi", pods="110", **more):
        names, is_broken = [], "fake.test/broken" in (labels or {})
        # The fake kubelet leaves a broken node as it is.
        broken = [{"type": "Ready", "status": "False", "reason": "KubeletNotReady", "message": "broken"}]
        for _ in range(count):
            name = f"{self.name}-{self.next_node}"
            self.next_node += 1
            size = {"cpu": cpu, "memory": memory, "pods": pods, "rdma/ib": "1", "ephemeral-storage": "100Gi", **more}
            if gpus:
                size["nvidia.com/gpu"] = str(gpus)
            meta = {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake", "node.alpha.kubernetes.io/ttl": "0"},
                    "labels": {"type": "kwok", "kubernetes.io/hostname": name, "pool": self.name, **(labels or {})}}
            body = {"apiVersion": "v1", "kind": "Node", "metadata": meta, "spec": {"taints": taints or []},
                    "status": {"allocatable": size, "capacity": size, "conditions": broken if is_broken else []}}
            self.create(f"{CORE}/nodes", body)
            names.append(name)
        for name in names:
            wait_for(f"node {name} is {'tainted' if is_broken else 'ready'}", lambda: self.is_tainted(name) if is_broken else self.is_ready(name))
        return names

    def is_ready(self, name):
        node = call("GET", f"{CORE}/nodes/{name}")
        taints = [t["key"] for t in node["spec"].get("taints", []) if t["key"].startswith("node.kubernetes.io/")]
        ready = [c["status"] for c in node["status"].get("conditions", []) if c["type"] == "Ready"]
        return ready == ["True"] and not taints

    def is_tainted(self, name):
        return "node.kubernetes.io/not-ready" in [t["key"] for t in call("GET", f"{CORE}/nodes/{name}")["spec"].get("taints", [])]

    def patch_node(self, name, patch):
        call("PATCH", f"{CORE}/nodes/{name}", patch)

    def remove_node(self, name):
        call("DELETE", f"{CORE}/nodes/{name}")
        for pod in call("GET", f"{CORE}/pods?fieldSelector=spec.nodeName={name}")["items"]:
            self.remove(f"{CORE}/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}", force=True)

    # --- other people's pods ---------------------------------------------------------------------------------------------
    def foreign(self, name, node=None, gpus=8):
        spec = {"containers": [{"name": "c", "image": "x", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}],
                "nodeSelector": {"pool": self.name}}
        if node:
            spec["nodeName"] = node
        elif BACKEND == "coscheduling":  # two schedulers over the same nodes do not see the places that each other keeps
            spec["schedulerName"] = "scheduler-plugins-scheduler"
        self.create(PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"{self.name}-{name}"}, "spec": spec})

    def foreign_phase(self, name):
        return call("GET", f"{PODS}/{self.name}-{name}").get("status", {}).get("phase")

    def remove_foreign(self, name):
        self.remove(f"{PODS}/{self.name}-{name}", force=True)

    # --- gangs -----------------------------------------------------------------------------------------------------------
    def gang(self, name, slots, priority=None, spec=None, container=None, labels=None, searcher=None, hyperparameters=None, **config):
        pod_spec = {"spec": {"nodeSelector": {"pool": self.name}, **(spec or {})}}
        if container:
            pod_spec["spec"]["containers"] = [{"name": "determined-container", **container}]
        if labels:
            pod_spec["metadata"] = {"labels": labels}
        resources = {"slots_per_trial": slots, **({"priority": priority} if priority else {})}
        body = {"apiVersion": "det-operator.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": f"{self.name}-{name}"},
                "spec": {"config": {"name": name, "entrypoint": "python3 train.py", "hyperparameters": hyperparameters or {}, "resources": resources,
                                    "searcher": searcher or {"name": "single", "metric": "loss", "max_length": {"batches": 100}},
                                    "environment": {"pod_spec": pod_spec}, **config}}}
        self.create(EXPERIMENTS, body)
        self.gangs[name] = max(1, slots // 8 if slots > 8 else 1)

    def edit(self, name, spec):
        call("PATCH", f"{EXPERIMENTS}/{self.name}-{name}", {"spec": spec})

    def delete(self, name):
        self.remove(f"{EXPERIMENTS}/{self.name}-{name}")

    def trials(self, name):
        return call("GET", f"{TRIALS}?labelSelector=det-operator.dev/experiment={self.name}-{name}")["items"]

    def trial(self, name):
        return (self.trials(name) or [{}])[0]

    def status(self, name):
        return self.trial(name).get("status", {})

    def pods(self, *names):
        """Those that are neither over nor being deleted, all at one moment."""
        wanted = ",".join(f"{self.name}-{name}" for name in names)
        items = call("GET", f"{PODS}?labelSelector=det-operator.dev/experiment%20in%20({wanted})")["items"]
        return [p for p in items if p["status"].get("phase") not in ("Succeeded", "Failed") and not p["metadata"].get("deletionTimestamp")]

    def bound(self, name):
        return [p for p in self.pods(name) if p["spec"].get("nodeName")]

    def hosts(self, name):
        return sorted(p["spec"]["nodeName"] for p in self.bound(name))

    def runs(self, name):
        """Waits until the whole gang runs; its pods' nodes."""
        size = self.gangs[name]
        wait_for(lambda: f"{size} bound pods of {self.name}-{name}: {self.hosts(name)}; {json.dumps(self.status(name))[:900]}",
                 lambda: len(self.bound(name)) == size and self.status(name).get("state") == "RUNNING")
        return self.hosts(name)

    def waits(self, name, *words):
        """Waits until the trial says why its gang does not run; no pod may be bound."""
        def said():
            status = self.status(name)
            message = status.get("message", "")
            right = status.get("state") == "QUEUED" and message and (BACKEND != "own" or all(w in json.dumps(status) for w in words))
            return right and message
        message = wait_for(lambda: f"{self.name}-{name} waits for {words}: {json.dumps(self.status(name))[:900]}", said)
        assert not self.bound(name), f"{self.name}-{name} waits and has bound pods: {self.hosts(name)}"
        return message

    def stays(self, seconds, *names):
        """No pod of these gangs gets bound meanwhile: for expectations that something does not happen."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for name in names:
                assert not self.bound(name), f"{self.name}-{name} must not run yet: {self.hosts(name)}"
            time.sleep(0.2)

    def finish(self, name):
        for pod in self.pods(name):
            call("PATCH", f"{PODS}/{pod['metadata']['name']}", {"metadata": {"annotations": {"fake.test/exit-code": "0"}}})
        wait_for(f"{name} is over", lambda: self.status(name).get("state") == "COMPLETED")

    # --- objects ---------------------------------------------------------------------------------------------------------
    def create(self, collection, body):
        made = call("POST", collection, body)
        self.made.append(f"{collection}/{body['metadata']['name']}")
        return made

    def remove(self, path, force=False):
        call("DELETE", path, {"gracePeriodSeconds": 0} if force else None, missing_ok=True)

    def tidy(self):
        for path in reversed(self.made):
            self.remove(path, force="/pods/" in path)
        for name in self.gangs:
            for pod in self.pods(name):
                self.remove(f"{PODS}/{pod['metadata']['name']}", force=True)
