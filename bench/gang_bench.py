#!/usr/bin/env python3
"""Whole gangs on a real control plane with fake nodes: 100 gangs of 4 pods of 8 GPUs.
    scripts/stack.sh up --state DIR --no-agent --fake-nodes 1 --gang --master-config tests/gang/master.yaml
    DET_E2E_STATE=DIR bench/gang_bench.py [NODES...]          (default: 400 200)
On 400 nodes all of them run; on 200 exactly 50 run whole and 50 wait whole. Beside it, a bare client that makes the same pods and
Secrets, with the nodes already chosen, in as many connections as the operator has workers. One JSON line per measurement."""

import concurrent.futures
import json
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "gang"))
from cluster import BACKEND, CORE, PODS, Pool, call, wait_for  # noqa: E402

GANGS, SIZE, WORKERS = 100, 4, 8
SECRETS = f"{CORE}/namespaces/default/secrets"


def make_nodes(pool, count):
    def make(i):
        name = f"{pool.name}-{i:03}"
        size = {"cpu": "64", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": "8"}
        meta = {"name": name, "annotations": {"kwok.x-k8s.io/node": "fake"},
                "labels": {"type": "kwok", "kubernetes.io/hostname": name, "pool": pool.name}}
        call("POST", f"{CORE}/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": meta, "status": {"allocatable": size, "capacity": size}})
        return name
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as threads:
        names = list(threads.map(make, range(count)))
    ready = lambda: sum(pool_node_ready(n) for n in call("GET", f"{CORE}/nodes?labelSelector=pool={pool.name}")["items"])
    wait_for("all nodes ready", lambda: ready() == count, 180)
    return names


def pool_node_ready(node):
    return any(c["type"] == "Ready" and c["status"] == "True" for c in node["status"].get("conditions", [])) and not [
        t for t in node["spec"].get("taints", []) if t["key"].startswith("node.kubernetes.io/not-ready")]


def bound_by_gang(selector):
    """As a table of names and nodes: whole pods would be megabytes each time, at the cost of what is measured."""
    table = call("GET", f"{PODS}?labelSelector={selector}&includeObject=None", accept="application/json;as=Table;v=v1;g=meta.k8s.io")
    node = [column["name"] for column in table["columnDefinitions"]].index("Node")
    counts = {}
    for row in table["rows"] or []:
        gang = re.match(r"bare-\d+|.*?-g\d+", row["cells"][0]).group()
        counts[gang] = counts.get(gang, 0) + (row["cells"][node] not in ("", "<none>"))
    return counts


def operator_run(nodes):
    pool = Pool(f"bench{nodes}")
    names = make_nodes(pool, nodes)
    whole = min(GANGS, nodes // SIZE)
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as threads:
        list(threads.map(lambda i: pool.gang(f"g{i}", SIZE * 8), range(GANGS)))
    selector = "det-operator.dev/managed-by=det-operator"
    mine = lambda: {g: n for g, n in bound_by_gang(selector).items() if g.startswith(pool.name + "-")}
    wait_for(lambda: f"{whole} whole gangs: {mine()}", lambda: sum(mine().values()) == whole * SIZE, 600)
    took = time.monotonic() - start
    time.sleep(3)
    counts = list(mine().values())
    print(json.dumps({"what": f"{GANGS} gangs of {SIZE}x8 by {BACKEND}", "nodes": nodes, "seconds": round(took, 2),
                      "whole": counts.count(SIZE), "half": len([c for c in counts if 0 < c < SIZE]),
                      "waiting": GANGS - counts.count(SIZE)}), flush=True)
    pool.tidy()
    wait_for("no pods", lambda: not mine(), 300)
    return names


def bare_run(names):
    def gang(i):
        call("POST", SECRETS, {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": f"bare-{i}"}, "stringData": {"token": "x" * 40, "config": "y" * 4000}})
        for rank in range(SIZE):
            pin = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [names[i * SIZE + rank]]}]}
            spec = {"containers": [{"name": "c", "image": "x", "resources": {"limits": {"nvidia.com/gpu": "8"}}}],
                    "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [pin]}}}}
            call("POST", PODS, {"apiVersion": "v1", "kind": "Pod", "spec": spec,
                                "metadata": {"name": f"bare-{i}-{rank}", "labels": {"gang": f"bare-{i}", "bare": "yes"}}})
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as threads:
        list(threads.map(gang, range(GANGS)))
    wait_for("all bound", lambda: sum(bound_by_gang("bare=yes").values()) == GANGS * SIZE, 600)
    print(json.dumps({"what": "a bare client, pods and Secrets only", "nodes": len(names), "seconds": round(time.monotonic() - start, 2)}), flush=True)
    for collection, selector in ((PODS, "bare=yes"),):
        call("DELETE", f"{collection}?labelSelector={selector}&gracePeriodSeconds=0")
    for i in range(GANGS):
        call("DELETE", f"{SECRETS}/bare-{i}", missing_ok=True)


def main():
    for nodes in [int(a) for a in sys.argv[1:]] or [400, 200]:
        names = operator_run(nodes)
        if nodes >= GANGS * SIZE:
            bare_run(names)
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as threads:
            list(threads.map(lambda name: call("DELETE", f"{CORE}/nodes/{name}", missing_ok=True), names))


if __name__ == "__main__":
    main()
