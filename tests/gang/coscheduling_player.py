#!/usr/bin/env python3
"""Plays the coscheduling plugin of scheduler-plugins, which cannot be had here: a kube-scheduler for the pods that name it, whose
decisions all pass through this process as its extender.
    DET_E2E_STATE=DIR tests/gang/coscheduling_player.py        (runs until it is ended; prints "ready" once it schedules)

What the plugin is documented to do, and this does: a pod with the label scheduling.x-k8s.io/pod-group is bound only once minMember
pods of its group (scheduling.x-k8s.io/v1alpha1) have found a node; until then its place is kept for scheduleTimeoutSeconds, and when
that is over the places of all are given back; a pod whose group is missing, or has too few pods, waits; older groups go first. What it
does not do: give places back early (podGroupRejectPercentage), and write the status of the group, which nobody here reads."""

import http.server
import json
import signal
import subprocess
import sys
import threading
import time

from cluster import CORE, STATE, call, tool

SCHEDULER = "scheduler-plugins-scheduler"
LABEL = "scheduling.x-k8s.io/pod-group"
GROUPS = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/{}/podgroups/{}"
CONFIG = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {{kubeconfig: "{kubeconfig}", qps: 200, burst: 400}}
leaderElection: {{leaderElect: false}}
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 2
profiles: [{{schedulerName: {name}}}]
extenders:
- {{urlPrefix: "http://127.0.0.1:{port}", filterVerb: filter, bindVerb: bind, nodeCacheCapable: true, httpTimeout: 120s}}
"""


class Group:
    def __init__(self, born):
        self.born = born  # creationTimestamp, name
        self.held = {}    # pod name -> node, of pods whose binding is waited for
        self.is_open = False
        self.is_refused = False


class Permit:
    """Which pods may be bound: whole groups only."""

    def __init__(self):
        self.changed = threading.Condition()
        self.groups = {}  # (namespace, group) -> Group while it holds places

    def older_holds(self, key, born):
        with self.changed:
            return any(each.born < born for other, each in self.groups.items() if other != key and each.held and not each.is_open)

    def wait(self, key, born, size, bound, timeout, pod, node):
        """Blocks the pod until its group is whole; what went wrong, or None."""
        with self.changed:
            group = self.groups.setdefault(key, Group(born))
            group.held[pod] = node
            if len(group.held) + bound >= size:
                group.is_open = True
                self.changed.notify_all()
            self.changed.wait_for(lambda: group.is_open or group.is_refused, timeout)
            group.held.pop(pod)
            if not group.is_open:
                group.is_refused = True
                self.changed.notify_all()
            if not group.held and self.groups.get(key) is group:
                del self.groups[key]
            return None if group.is_open else f"pod group {key[1]}: {size} pods have to start together and not all of them found a node"

    def refuse(self, key):
        with self.changed:
            group = self.groups.get(key)
            if group and not group.is_open:
                group.is_refused = True
                self.changed.notify_all()

    def waiting(self):
        with self.changed:
            return [key for key, group in self.groups.items() if not group.is_open]


PERMIT = Permit()


def group_of(pod):
    """The PodGroup of a pod: None if it names none, {} if there is none of that name."""
    name = pod["metadata"].get("labels", {}).get(LABEL)
    return name and (call("GET", GROUPS.format(pod["metadata"]["namespace"], name), missing_ok=True) or {})


def born(group):
    return group["metadata"]["creationTimestamp"], group["metadata"]["name"]


def members(ns, name):
    items = call("GET", f"{CORE}/namespaces/{ns}/pods?labelSelector={LABEL}={name}")["items"]
    return [p for p in items if p["status"].get("phase") not in ("Succeeded", "Failed") and not p["metadata"].get("deletionTimestamp")]


def filter_nodes(args):
    pod, nodes = args["Pod"], args.get("NodeNames") or []
    group = group_of(pod)
    why = ""
    if group == {}:
        why = f"pod group {pod['metadata']['labels'][LABEL]} not found"
    elif group:
        ns, name = group["metadata"]["namespace"], group["metadata"]["name"]
        if len(members(ns, name)) < group["spec"]["minMember"]:
            why = f"pod group {name} has not all of its pods yet"
        elif PERMIT.older_holds((ns, name), born(group)):
            why = "a pod group that came first is being placed"
    if why:
        return {"NodeNames": [], "FailedNodes": {node: why for node in nodes}}
    return {"NodeNames": nodes, "FailedNodes": {}}


def bind(args):
    ns, name, node = args["PodNamespace"], args["PodName"], args["Node"]
    pod = call("GET", f"{CORE}/namespaces/{ns}/pods/{name}", missing_ok=True)
    if not pod or pod["metadata"]["uid"] != args["PodUID"]:
        return {"Error": "the pod is gone"}
    group = group_of(pod)
    if group == {}:
        return {"Error": "its pod group is gone"}
    if group:
        key, spec = (ns, group["metadata"]["name"]), group["spec"]
        bound = len([p for p in members(*key) if p["spec"].get("nodeName")])
        why = PERMIT.wait(key, born(group), spec["minMember"], bound, spec.get("scheduleTimeoutSeconds", 60), name, node)
        if why:
            return {"Error": why}
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    call("POST", f"{CORE}/namespaces/{ns}/pods/{name}/binding",
         {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name, "uid": args["PodUID"]}, "target": target})
    return {}


class Extender(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        args = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            answer = {"/filter": filter_nodes, "/bind": bind}[self.path](args)
        except Exception as error:  # the scheduler tries the pod again
            answer = {"Error": str(error)}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def give_back_places():
    """Of groups that are gone, or whose pods are: nobody else will come."""
    while True:
        for ns, name in PERMIT.waiting():
            group = call("GET", GROUPS.format(ns, name), missing_ok=True)
            if not group or len(members(ns, name)) < group["spec"]["minMember"]:
                PERMIT.refuse((ns, name))
        time.sleep(0.5)


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Extender)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    threading.Thread(target=give_back_places, daemon=True).start()
    config = STATE / "coscheduling.yaml"
    config.write_text(CONFIG.format(kubeconfig=STATE / "cluster/conf/kube-scheduler.kubeconfig", name=SCHEDULER, port=server.server_port))
    with open(STATE / "coscheduling.log", "w") as log:
        scheduler = subprocess.Popen([tool("kube-scheduler"), "--config", config, "--secure-port", "0"], stdout=log, stderr=log)
    print("ready", flush=True)
    try:
        sys.exit(scheduler.wait())
    finally:
        scheduler.kill()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    main()
