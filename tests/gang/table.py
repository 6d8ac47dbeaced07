"""The table of scenarios, and small pieces of pod specs."""

from cluster import CORE, call, wait_for

TABLE = []


def scenario(*backends, alone=False):
    """A scenario for these backends; for all where none is named. `alone`: no other is played meanwhile."""
    def add(function):
        TABLE.append((function.__name__, function, backends or ("own", "native", "coscheduling"), alone))
        return function
    return add


def requirement(key, operator, *values):
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


def node_affinity(*terms):
    terms = [{"matchExpressions": list(term)} for term in terms]
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}}


def volume(pool, name, node=None):
    """A claim, bound by hand to a volume that only `node` reaches."""
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"], "storageClassName": "", "hostPath": {"path": "/tmp"},
            "claimRef": {"namespace": "default", "name": name}}
    if node:
        terms = [{"matchExpressions": [requirement("kubernetes.io/hostname", "In", node)]}]
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    pool.create(f"{CORE}/persistentvolumes", {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec})
    claim = {"accessModes": ["ReadWriteMany"], "storageClassName": "", "volumeName": name, "resources": {"requests": {"storage": "1Gi"}}}
    pool.create(f"{CORE}/namespaces/default/persistentvolumeclaims",
                {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": claim})
    wait_for("the claim is bound", lambda: claim_phase(name) == "Bound")


def claim_phase(name):
    return call("GET", f"{CORE}/namespaces/default/persistentvolumeclaims/{name}").get("status", {}).get("phase")


def mounting(claim):
    return {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]}
