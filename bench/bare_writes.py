"""What a search writes to Kubernetes for one trial, as templates: the objects as det-operator sent them, under other names. A client that
makes the same writes and decides nothing sends these."""

import json

CORE, OURS = "/api/v1/namespaces/default", "/apis/det-operator.dev/v1alpha1/namespaces/default"
MANAGED_BY = "det-operator.dev/managed-by"
SET_BY_SERVER = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "deletionTimestamp", "deletionGracePeriodSeconds")
SET_IN_POD = ("nodeName", "priority", "preemptionPolicy", "serviceAccount", "tolerations")


def difference(before, after):
    """The merge patch that makes `after` of `before`."""
    patch = {key: None for key in before if key not in after}
    for key, value in after.items():
        if isinstance(value, dict) and isinstance(before.get(key), dict):
            value = difference(before[key], value)
            if not value:
                continue
        elif before.get(key) == value:
            continue
        patch[key] = value
    return patch


def as_sent(seen):
    """The object without what the API server, the scheduler and the kubelet added; det-operator does not take it for its own."""
    meta = {key: value for key, value in seen["metadata"].items() if key not in SET_BY_SERVER}
    meta["labels"] = {key: value for key, value in meta.get("labels", {}).items() if key != MANAGED_BY} | {"bare": "yes"}
    sent = {key: value for key, value in seen.items() if key != "status"} | {"metadata": meta}
    if seen["kind"] == "Pod":
        sent["spec"] = {key: value for key, value in seen["spec"].items() if key not in SET_IN_POD}
    return sent


class Templates:
    """One trial's Trial, Secret and pod, and what its status was while it ran and in the end."""

    def __init__(self, trial, running_status, secret, pod):
        self.name, self.uid = trial["metadata"]["name"], trial["metadata"]["uid"]
        self.objects = {"trials": as_sent(trial), "secrets": as_sent(secret), "pods": as_sent(pod)}
        self.statuses = running_status, difference(running_status, trial["status"])

    @classmethod
    async def of(cls, link, experiment, running_status):
        """From a finished trial of the experiment that still has all of it."""
        trials = (await link.call("GET", f"{OURS}/trials?labelSelector=det-operator.dev/experiment%3D{experiment}"))["items"]
        for trial in reversed(trials):
            name = trial["metadata"]["name"]
            label = f"labelSelector=det-operator.dev/trial%3D{name}"
            secrets, pods = [(await link.call("GET", f"{CORE}/{what}?{label}"))["items"] for what in ("secrets", "pods")]
            if trial["status"].get("state") == "COMPLETED" and secrets and pods:
                for kind, one in (("Secret", secrets[0]), ("Pod", pods[0])):
                    one.update({"apiVersion": "v1", "kind": kind})
                trial.update({"apiVersion": "det-operator.dev/v1alpha1", "kind": "Trial"})
                return cls(trial, running_status, secrets[0], pods[0])
        raise AssertionError(f"no trial of {experiment} has a Secret and a pod")

    def named(self, what, trial_name, trial_uid=""):
        """The object `what` for a trial of this name, whose dependents belong to `trial_uid`."""
        return json.loads(json.dumps(self.objects[what]).replace(self.name, trial_name).replace(self.uid, trial_uid))

    def pod_on(self, node, trial_name, trial_uid):
        """The pod, bound to the node in the way that the scheduler of gangs binds it."""
        pod = self.named("pods", trial_name, trial_uid)
        wanted = pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
        for field in [field for term in wanted for field in term["matchFields"]]:
            field["values"] = [node]
        return pod
