"""Where experiments run, on a real API server: the operator reaches no further than its task namespaces, their pods are not taken for
the release's own, and a release of before keeps the namespace that its experiments are in."""

import json
import unittest
import urllib.error

import yaml

from chart import CHART, HELMS
from cluster import Cluster, Operator, wait_for

CONFIG = """name: {name}
entrypoint: python3 train.py
resources: {{slots_per_trial: 1}}
searcher: {{name: single, metric: loss}}
"""
EXPERIMENT = "det-operator.dev/experiment"


def experiment(name):
    body = "\n".join("    " + line for line in CONFIG.format(name=name).splitlines())
    return f"apiVersion: det-operator.dev/v1alpha1\nkind: Experiment\nmetadata: {{name: {name}, annotations: {{det-operator.dev/controller-class: apart}}}}\nspec:\n  config:\n{body}\n"


def pod(name, labels=None):
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels or {}}, "spec": {"containers": [
        {"name": "main", "image": "localhost/any", "ports": [{"name": "http", "containerPort": 8080}, {"name": "postgresql", "containerPort": 5432}]}]}})


class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster.get()
        cls.cluster.definitions()

    def helm(self, verb, name, *values):
        """Its objects are called NAME-det-operator, and so is its ServiceAccount."""
        own = ["--set", f"crds.install=false,db.disablePVC=true,db.name={name},controllerClass={name}"]
        self.cluster.helm("helm", verb, name, CHART, "-n", name, *own, *values, "--wait", "--timeout", "5m")

    def install(self, name, *values):
        self.cluster.kubectl("create", "namespace", name)
        self.helm("install", name, *values)
        self.addCleanup(self.cluster.try_kubectl, "delete", "clusterrole,clusterrolebinding", "-l", f"app.kubernetes.io/instance={name}")

    def task_namespaces(self, name):
        master = self.cluster.json("configmap", f"{name}-det-operator", "-n", name)["data"]["master.yaml"]
        return yaml.safe_load(master)["task_namespaces"]

    def has_binding(self, name, namespace):
        return self.cluster.try_kubectl("get", "rolebinding", f"{name}-det-operator-tasks", "-n", namespace).returncode == 0


class Reach(Release):
    def condition(self, name, namespace, kind="Accepted"):
        status = self.cluster.json("experiment", name, "-n", namespace).get("status", {})
        return next((c for c in status.get("conditions", []) if c["type"] == kind), {})

    def bound(self, name, namespace):
        items = self.cluster.json("pods", "-n", namespace, "-l", f"{EXPERIMENT}={name}")["items"]
        return [item for item in items if item["spec"].get("nodeName")]

    def operator(self):
        operator = Operator(self.cluster, "apart", "apart-det-operator").start()
        self.addCleanup(operator.stop)
        wait_for("it leads", operator.leads)
        return operator

    def as_operator(self, namespace, *words, stdin=None):
        return self.cluster.try_kubectl(*words, "-n", namespace, "--as=system:serviceaccount:apart:apart-det-operator", stdin=stdin)

    def may_create_pods(self, namespace, answer):
        """Waits until the API server knows of roles that have come or gone."""
        asked = lambda: self.as_operator(namespace, "auth", "can-i", "create", "pods").stdout.strip()
        wait_for(f"whether it may create pods in {namespace}: {answer}", lambda: asked() == answer)

    def assertForbidden(self, namespace, *words, stdin=None):
        done = self.as_operator(namespace, *words, stdin=stdin)
        self.assertNotEqual(done.returncode, 0, f"{words} in {namespace}: {done.stdout}")
        self.assertIn("orbidden", done.stderr, f"{words} in {namespace}")

    def test_the_operator_writes_in_its_task_namespaces_only(self):
        """a620492: the operator's account could write pods, Secrets and ConfigMaps in every namespace.
        now: in those of `taskNamespaces`; elsewhere an Experiment waits and says `NamespaceNotEnabled` and the value to set."""
        cluster = self.cluster
        cluster.must("psql", cluster.database_url, "-qc", "CREATE DATABASE apart OWNER postgres")
        self.install("apart")
        made = cluster.json("namespace", "apart-tasks")
        self.assertEqual(made["metadata"]["annotations"]["helm.sh/resource-policy"], "keep")
        self.assertEqual(self.task_namespaces("apart"), ["apart-tasks"])
        operator = self.operator()
        token = operator.login("determined", cluster.text_of("apart", "apart-det-operator-initial-password", "password"))

        body = {"config": CONFIG.format(name="by-rest"), "activate": True}
        name = f"exp-{operator.call('POST', '/api/v1/experiments', body, token)['experiment']['id']}"
        wait_for("a bound pod beside no operator", lambda: len(self.bound(name, "apart-tasks")) == 1)
        self.assertEqual(cluster.json("pods", "-n", "apart", "-l", EXPERIMENT)["items"], [])

        cluster.kubectl("create", "namespace", "research")
        cluster.kubectl("create", "-n", "research", "-f", "-", stdin=experiment("elsewhere"))
        said = wait_for("it says why it waits", lambda: (it := self.condition("elsewhere", "research")).get("reason") == "NamespaceNotEnabled" and it)
        self.assertEqual(said["status"], "Unknown")
        self.assertIn("add research to that list", said["message"])
        told = lambda: [e for e in cluster.json("events", "-n", "apart")["items"] if e["reason"] == "NamespaceNotEnabled"]
        wait_for("administrators are told", told)

        # What a taken operator could try.
        for namespace in ("apart", "research", "kube-system"):
            self.assertForbidden(namespace, "get", "secrets")
            self.assertForbidden(namespace, "get", "secret", "apart-det-operator-db")
            self.assertForbidden(namespace, "create", "-f", "-", stdin=pod("mine"))
            self.assertForbidden(namespace, "create", "-f", "-", stdin=experiment("mine"))
            self.assertForbidden(namespace, "create", "secret", "generic", "mine")
            self.assertForbidden(namespace, "get", "configmap", "apart-det-operator")
            self.assertForbidden(namespace, "create", "rolebinding", "mine", "--clusterrole=admin", "--user=mine")
        self.assertForbidden("apart", "delete", "pod", "--all")
        self.assertForbidden("apart", "get", "lease", "of-another")
        self.assertForbidden("apart-tasks", "get", "secrets")
        self.assertForbidden("apart-tasks", "create", "rolebinding", "mine", "--clusterrole=admin", "--user=mine")
        # And that these are not the refusals of an account without any rights.
        for what, answer in ((["pods"], "yes"), (["pods", "--subresource=exec"], "no"), (["serviceaccounts", "--subresource=token"], "no")):
            self.assertEqual(self.as_operator("apart-tasks", "auth", "can-i", "create", *what).stdout.strip(), answer, what)

        operator.stop()
        self.helm("upgrade", "apart", "--set", "taskNamespaces={apart-tasks,research}")
        self.may_create_pods("research", "yes")
        operator = self.operator()
        wait_for("the one elsewhere runs", lambda: len(self.bound("elsewhere", "research")) == 1)

        # Taken out again: what runs there goes on, and its end waits for the namespace.
        operator.stop()
        self.helm("upgrade", "apart", "--set", "taskNamespaces={apart-tasks}")
        self.assertFalse(self.has_binding("apart", "research"))
        self.may_create_pods("research", "no")
        operator = self.operator()
        wait_for("it is stalled", lambda: self.condition("elsewhere", "research", "Stalled").get("reason") == "NamespaceNotEnabled")
        elsewhere = cluster.json("experiment", "elsewhere", "-n", "research")
        number = elsewhere["status"]["id"]
        with self.assertRaises(urllib.error.HTTPError) as refused:
            operator.call("POST", f"/api/v1/experiments/{number}/kill", {}, token)
        self.assertEqual(refused.exception.code, 400)
        self.assertIn("taskNamespaces", refused.exception.read().decode())
        self.assertEqual(len(self.bound("elsewhere", "research")), 1)
        self.assertEqual(operator.call("GET", f"/api/v1/experiments/{number}", token=token)["experiment"]["state"] in ("STATE_ERROR", "STATE_CANCELED"), False)

        mine = lambda event: not event.get("impersonatedUser")  # the test's own tries are the administrator's
        refusals = [e for e in cluster.audited("system:serviceaccount:apart:apart-det-operator") if e["responseStatus"]["code"] == 403 and mine(e)]
        self.assertEqual([(e["verb"], e.get("objectRef")) for e in refusals], [])
        operator.stop()
        cluster.helm("helm", "uninstall", "apart", "-n", "apart")
        self.assertEqual(cluster.json("experiment", name, "-n", "apart-tasks")["metadata"]["name"], name)


class Lures(Release):
    def addresses(self, service):
        slices = self.cluster.json("endpointslices", "-n", "lure", "-l", f"kubernetes.io/service-name={service}")["items"]
        return {address for each in slices for endpoint in each.get("endpoints") or [] for address in endpoint["addresses"]}

    def names(self, selector):
        labels = ",".join(f"{key}={value}" for key, value in selector["matchLabels"].items())
        return {item["metadata"]["name"] for item in self.cluster.json("pods", "-n", "lure", "-l", labels)["items"]}

    def test_a_pod_with_the_releases_own_labels_is_not_taken_for_one_of_its_pods(self):
        """a620492: a pod with the release's `app.kubernetes.io` labels got the Service's traffic, logins among it, and passed the database's policy.
        now: Service and policies select by a label of ours, which no pod_spec may set."""
        cluster = self.cluster
        # The worst case: tasks in the release's own namespace.
        self.install("lure", "--set", "taskNamespaces={lure}")
        self.addCleanup(cluster.helm, "helm", "uninstall", "lure", "-n", "lure")
        for component in ("operator", "database"):
            labels = {"app.kubernetes.io/name": "det-operator", "app.kubernetes.io/instance": "lure", "app.kubernetes.io/component": component}
            cluster.kubectl("create", "-n", "lure", "-f", "-", stdin=pod(f"like-{component}", labels))
            # A Service that selects as ours did: once it has the pod, the controller has looked at all Services.
            decoy = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": f"decoy-{component}"}, "spec": {"selector": labels, "ports": [{"port": 80, "targetPort": 8080}]}}
            cluster.kubectl("create", "-n", "lure", "-f", "-", stdin=json.dumps(decoy))
        address = lambda name: cluster.json("pod", name, "-n", "lure").get("status", {}).get("podIP")
        for component, service in (("operator", "determined-master-service-lure"), ("database", "determined-db-service-lure")):
            lure = f"like-{component}"
            ip = wait_for("it has an address", lambda: address(lure))
            wait_for("the decoy has it", lambda: ip in self.addresses(f"decoy-{component}"))
            own = wait_for("the Service has a pod", lambda: self.addresses(service))
            self.assertEqual(len(own), 1)
            self.assertNotIn(ip, own)
        policies = {item["metadata"]["name"]: item["spec"] for item in cluster.json("networkpolicy", "-n", "lure")["items"]}
        database = policies["lure-det-operator-db"]
        selected = [database["podSelector"], policies["lure-det-operator"]["podSelector"], database["ingress"][0]["from"][0]["podSelector"]]
        selected += [peer["podSelector"] for peer in policies["lure-det-operator-tasks"]["ingress"][0]["from"] if "namespaceSelector" in peer]
        for selector in selected:
            names = self.names(selector)
            self.assertEqual(len(names), 1, selector)
            self.assertFalse({"like-operator", "like-database"} & names)


class Labels(Release):
    def test_of_a_namespace_of_somebody_elses_are_told_and_not_set(self):
        cluster, enforce = self.cluster, "pod-security.kubernetes.io/enforce"
        for name in ("told", "theirs"):
            cluster.kubectl("create", "namespace", name)
        entry = {"name": "theirs", "create": True, "labels": {enforce: "privileged", "team": "ml"}}
        values = ["--set", "crds.install=false,controllerClass=told", "--set-json", f"taskNamespaces={json.dumps([entry])}"]
        said = lambda helm: cluster.helm(helm, "install", "told", CHART, "-n", "told", "--dry-run=server", *values)
        words = f"label namespace theirs --overwrite {enforce}=privileged team=ml"
        for helm in HELMS:
            notes = said(helm)
            self.assertIn(f"The chart did not make the namespace theirs, and does not label it. To give it the labels of taskNamespaces:\n  kubectl {words}\n", notes)
            self.assertNotIn("kind: Namespace\n", notes)
        # As the notes say it is done.
        cluster.kubectl(*words.split())
        for helm in HELMS:
            self.assertNotIn("kubectl label", said(helm))


class Upgrade(Release):
    def test_a_release_of_before_keeps_its_own_namespace_until_somebody_removes_it(self):
        cluster = self.cluster
        self.install("older", "--set", "taskNamespaces={older}")
        # As it was before: one role for all namespaces, and pods without our label.
        cluster.kubectl("delete", "role,rolebinding", "older-det-operator-tasks", "-n", "older")
        gone = [{"op": "remove", "path": "/spec/template/metadata/labels/det-operator.dev~1component"}]
        cluster.kubectl("patch", "deployment", "older-det-operator", "-n", "older", "--type=json", "-p", json.dumps(gone))

        for _ in ("the first upgrade", "and the next, which finds what the first one made"):
            self.helm("upgrade", "older")
            self.assertEqual(self.task_namespaces("older"), ["older"])
            self.assertTrue(self.has_binding("older", "older"))
        self.assertNotEqual(cluster.try_kubectl("get", "namespace", "older-tasks").returncode, 0)
        self.helm("upgrade", "older", "--set", "resourceManager.defaultNamespace=kube-public")
        self.assertEqual(self.task_namespaces("older"), ["older", "kube-public"])

        self.helm("upgrade", "older", "--set", "taskNamespaces[0].name=older-work,taskNamespaces[0].create=true")
        self.assertEqual(self.task_namespaces("older"), ["older-work"])
        self.assertFalse(self.has_binding("older", "older"))
        self.assertTrue(self.has_binding("older", "older-work"))
        # Removed once, it does not come back.
        self.helm("upgrade", "older")
        self.assertEqual(self.task_namespaces("older"), ["older-tasks"])
        cluster.helm("helm", "uninstall", "older", "-n", "older", "--wait")
        for namespace in ("older-work", "older-tasks"):
            kept = cluster.json("namespace", namespace)
            self.assertEqual(kept["status"]["phase"], "Active")
        # A release of the same name takes the namespaces that were kept up again; one of another name leaves them alone.
        self.helm("install", "older")
        cluster.helm("helm", "uninstall", "older", "-n", "older", "--wait")
        values = "crds.install=false,db.disablePVC=true,controllerClass=other,taskNamespaces[0].name=older-tasks,taskNamespaces[0].create=true"
        cluster.helm("helm", "install", "other", CHART, "-n", "older", "--set", values)
        self.assertTrue(self.has_binding("other", "older-tasks"))
        cluster.helm("helm", "uninstall", "other", "-n", "older")


if __name__ == "__main__":
    unittest.main()
