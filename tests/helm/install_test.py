"""helm install, upgrade, uninstall and install again on a real kube-apiserver, with the operator running under exactly the rights
of the rendered ServiceAccount."""

import json
import unittest
import urllib.error

from chart import CHART, HELMS, ROOT
from cluster import Cluster, Operator, wait_for

NAMESPACE, TRAINING = "det-system", "training"
RELEASE = "det"
FULL = "det-det-operator"
VALUES = ["--set", f"db.disablePVC=true,resourceManager.defaultNamespace={TRAINING},clusterName=first"]
CONFIG = """name: {name}
entrypoint: python3 train.py
resources: {{slots_per_trial: {slots}}}
searcher: {{name: single, metric: loss}}
max_restarts: 0
"""
EXPERIMENT = "det-operator.dev/experiment"
# Granted and not used here, and why each is granted all the same: a resource with all its verbs, or one verb of it.
UNUSED_MAY_BE = {
    "nodes": "the scheduler's picture of the cluster",
    "persistentvolumes": "the scheduler's picture of the cluster",
    "persistentvolumeclaims": "the scheduler's picture of the cluster",
    "resourcequotas": "the scheduler's picture of the cluster, and quotas of workspaces",
    "experiments/finalizers": "OwnerReferencesPermissionEnforcement",
    "trials/finalizers": "OwnerReferencesPermissionEnforcement",
    "get pods": "whose the pod is that is already there after a crash",
    "get secrets": "whose the Secret is that is already there after a crash",
    "get trials": "whose the Trial is that is already there after a crash",
    "delete trials": "an experiment with more than a hundred trials that are over",
    "tasks/finalizers": "OwnerReferencesPermissionEnforcement",
    "delete tasks": "those that remove checkpoints, when they are over",
    "patch events": "a repeated event raises its count",
    "get namespaces": "whether that of an experiment is gone whose files are removed",
    "list events": "what a kubelet could not do for a pod, for half a minute and longer",
}


def experiment(name, slots=8):
    body = "\n".join("    " + line for line in CONFIG.format(name=name, slots=slots).splitlines())
    return f"apiVersion: det-operator.dev/v1alpha1\nkind: Experiment\nmetadata: {{name: {name}}}\nspec:\n  config:\n{body}\n"


TASK = """apiVersion: det-operator.dev/v1alpha1
kind: Task
metadata: {name: by-kubectl}
spec:
  type: Command
  config: {entrypoint: ["true"], resources: {slots: 0}}
"""


class Life(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster.get()
        for name in (NAMESPACE, TRAINING):
            cls.cluster.try_kubectl("create", "namespace", name)  # another test may have made it
        # The release's own pods must be admitted here.
        cls.cluster.kubectl("label", "namespace", NAMESPACE, "pod-security.kubernetes.io/enforce=restricted")

    def status(self, name):
        return self.cluster.json("experiment", name, "-n", TRAINING).get("status", {})

    def bound(self, name):
        pods = self.cluster.json("pods", "-n", TRAINING, "-l", f"{EXPERIMENT}={name}")["items"]
        return [pod for pod in pods if pod["spec"].get("nodeName")]

    def test_install_use_upgrade_uninstall_and_install_again(self):
        cluster = self.cluster
        # Other tests in this cluster may have applied them; here they are to come with the chart.
        cluster.kubectl("delete", "-f", ROOT / "crds", "--ignore-not-found", "--timeout=300s")
        notes = cluster.helm("helm", "install", RELEASE, CHART, "-n", NAMESPACE, *VALUES, "--wait", "--timeout", "5m")
        self.assertIn("export DET_MASTER=http://127.0.0.1:8080", notes)
        self.assertIn("det user login admin", notes)
        password = cluster.text_of(NAMESPACE, f"{FULL}-initial-password", "password")
        self.assertEqual(len(password), 24)
        # What Pod Security would have refused has no pods.
        for component in ("operator", "database"):
            self.assertEqual(len(cluster.json("pods", "-n", NAMESPACE, "-l", f"app.kubernetes.io/component={component}")["items"]), 1)

        operator = Operator(cluster, NAMESPACE, FULL).start()
        self.addCleanup(lambda: operator.stop())
        with self.assertRaises(urllib.error.HTTPError) as refused:
            operator.login("admin", "")
        self.assertEqual(refused.exception.code, 401)
        token = operator.login("determined", password)
        wait_for("this replica leads", operator.leads)
        self.assertEqual(operator.call("GET", "/api/v1/master")["clusterName"], "first")
        self.assertIn("determined-0.38.1-py3-none-any.whl", operator.call("GET", "/harness/wheels"))

        cluster.kubectl("apply", "-n", TRAINING, "-f", "-", stdin=experiment("by-kubectl"))
        wait_for("a bound pod", lambda: len(self.bound("by-kubectl")) == 1)
        made = operator.call("POST", "/api/v1/experiments", {"config": CONFIG.format(name="by-rest", slots=8), "activate": True}, token)["experiment"]
        rest = f"exp-{made['id']}"
        wait_for("a bound pod", lambda: len(self.bound(rest)) == 1)
        operator.call("POST", f"/api/v1/experiments/{made['id']}/pause", {}, token)
        wait_for("the pods of the paused one are gone", lambda: not self.bound(rest))
        operator.call("POST", f"/api/v1/experiments/{made['id']}/kill", {}, token)
        wait_for("it is canceled", lambda: self.status(rest).get("state") == "CANCELED")
        cluster.kubectl("apply", "-n", TRAINING, "-f", "-", stdin=experiment("refused", slots=12))
        wait_for("it is refused", lambda: any(c["type"] == "Accepted" and c["status"] == "False" for c in self.status("refused").get("conditions", [])))
        cluster.kubectl("delete", "experiment", "refused", "-n", TRAINING)
        cluster.kubectl("apply", "-f", ROOT / "examples" / "resource-pool.yaml")
        self.addCleanup(cluster.try_kubectl, "delete", "resourcepool", "a100")
        wait_for("the pool is accepted", lambda: any(c["status"] == "True" for c in cluster.json("resourcepool", "a100").get("status", {}).get("conditions", [])))
        task = operator.call("POST", "/api/v1/commands", {"config": {"entrypoint": ["true"], "resources": {"slots": 0}}}, token)["command"]["id"]
        ended = lambda: operator.call("GET", f"/api/v1/commands/{task}", token=token)["command"]["state"] == "STATE_TERMINATED"
        operator.call("POST", f"/api/v1/commands/{task}/kill", {}, token)
        wait_for("the command is over", ended)
        cluster.kubectl("apply", "-n", TRAINING, "-f", "-", stdin=TASK)  # whose files no cache keeps
        wait_for("it is accepted", lambda: "id" in cluster.json("task", "by-kubectl", "-n", TRAINING).get("status", {}))
        cluster.kubectl("delete", "task", "by-kubectl", "-n", TRAINING)
        operator.call("DELETE", f"/api/v1/experiments/{made['id']}", token=token)
        wait_for("its object is gone", lambda: cluster.try_kubectl("get", "experiment", rest, "-n", TRAINING).returncode == 1)

        cluster.helm("helm", "upgrade", RELEASE, CHART, "-n", NAMESPACE, *VALUES, "--set", "clusterName=second,replicas=2", "--wait", "--timeout", "5m")
        self.assertEqual(cluster.text_of(NAMESPACE, f"{FULL}-initial-password", "password"), password)
        self.assertEqual(cluster.json("pdb", FULL, "-n", NAMESPACE)["spec"]["minAvailable"], 1)
        operator.stop()
        operator = Operator(cluster, NAMESPACE, FULL).start()
        self.assertEqual(operator.call("GET", "/api/v1/master")["clusterName"], "second")

        before = cluster.json("experiment", "by-kubectl", "-n", TRAINING)
        account = f"system:serviceaccount:{NAMESPACE}:{FULL}"
        granted = self.granted()
        operator.stop()
        cluster.helm("helm", "uninstall", RELEASE, "-n", NAMESPACE, "--wait")
        self.assertEqual(cluster.try_kubectl("get", "deployment", FULL, "-n", NAMESPACE).returncode, 1)
        self.assertEqual(cluster.json("experiment", "by-kubectl", "-n", TRAINING)["metadata"]["uid"], before["metadata"]["uid"])

        cluster.helm("helm", "install", RELEASE, CHART, "-n", NAMESPACE, *VALUES, "--wait", "--timeout", "5m")
        self.assertEqual(cluster.text_of(NAMESPACE, f"{FULL}-initial-password", "password"), password)
        operator = Operator(cluster, NAMESPACE, FULL).start()
        token = operator.login("determined", password)
        after = self.status("by-kubectl")
        self.assertEqual((after["id"], after["configHash"]), (before["status"]["id"], before["status"]["configHash"]))
        cluster.kubectl("apply", "-n", TRAINING, "-f", "-", stdin=experiment("afterwards"))
        wait_for("a bound pod", lambda: len(self.bound("afterwards")) == 1)
        secrets = lambda: cluster.kubectl("get", "secrets", "-n", TRAINING, "-o", "name").split()
        (first,) = [name for name in secrets() if "afterwards" in name]
        cluster.kubectl("delete", "pod", "-n", TRAINING, "-l", f"{EXPERIMENT}=afterwards")
        wait_for("the next run has a pod", lambda: any("-2-" in pod["metadata"]["name"] for pod in self.bound("afterwards")))
        self.assertNotIn(first, secrets(), "what its first run was given is gone")
        (trial,) = cluster.json("trials", "-n", TRAINING, "-l", f"{EXPERIMENT}=afterwards")["items"]
        operator.call("POST", f"/api/v1/trials/{trial['spec']['trialID']}/kill", {}, token)
        wait_for("its pods go", lambda: not self.bound("afterwards"))
        cluster.kubectl("delete", "experiment", "by-kubectl", "-n", TRAINING)
        wait_for("its pods go", lambda: not self.bound("by-kubectl"))

        operator.stop()
        cluster.helm("helm", "uninstall", RELEASE, "-n", NAMESPACE, "--wait")
        unused = sorted(granted - self.used(account))
        print("granted and not used:", ", ".join(f"{verb} {resource}" for resource, verb in unused))
        self.assertEqual([f"{verb} {resource}" for resource, verb in unused if not {resource, f"{verb} {resource}"} & set(UNUSED_MAY_BE)], [])

    def test_namespaced_scope_needs_no_more_than_its_role(self):
        cluster, namespace = self.cluster, "team"
        cluster.try_kubectl("create", "namespace", namespace)
        cluster.definitions()
        cluster.kubectl("apply", "-f", ROOT / "helm" / "rights.yaml")
        cluster.must("psql", cluster.database_url, "-qc", "CREATE DATABASE team OWNER postgres")
        # Ann owns the namespace, and no more.
        cluster.kubectl("create", "rolebinding", "ann", "-n", namespace, "--clusterrole=admin", "--user=ann")
        as_ann = ["--kube-as-user", "ann", "-n", namespace]
        install = ["install", "det", CHART, *as_ann, "-f", "examples/helm/namespaced.yaml", "--set", "db.disablePVC=true,db.name=team,slotType=gpu", "--wait", "--timeout", "5m"]
        with self.assertRaisesRegex(AssertionError, "attempting to grant RBAC permissions not currently held"):
            cluster.helm("helm", *install)
        cluster.helm("helm", "uninstall", "det", *as_ann)
        cluster.kubectl("create", "rolebinding", "det-operator-owner", "-n", namespace, "--clusterrole=det-operator-owner", "--user=ann")
        may = lambda verb, what: cluster.try_kubectl("auth", "can-i", verb, what, "-n", namespace, "--as=ann").stdout.strip() == "yes"
        # `admin` has experiments by aggregation, which the controller manager does a moment later.
        wait_for("ann has her rights", lambda: may("create", "trials.det-operator.dev") and may("create", "experiments.det-operator.dev"))
        cluster.helm("helm", *install)
        operator = Operator(cluster, namespace, FULL).start()
        self.addCleanup(lambda: operator.stop())
        wait_for("this replica leads", operator.leads)
        cluster.kubectl("apply", "--as=ann", "-n", namespace, "-f", "-", stdin=experiment("small", slots=1))
        bound = lambda: [p for p in cluster.json("pods", "-n", namespace, "-l", f"{EXPERIMENT}=small")["items"] if p["spec"].get("nodeName")]
        wait_for("a bound pod", lambda: len(bound()) == 1)
        cluster.kubectl("delete", "--as=ann", "experiment", "small", "-n", namespace)
        wait_for("it is gone", lambda: not bound())
        operator.stop()
        # It asks once whether it may read nodes, volumes and all pods, and schedules by quota where it may not.
        self.used(f"system:serviceaccount:{namespace}:{FULL}", may_be_refused={("list", "nodes"), ("list", "pods"), ("list", "persistentvolumes"), ("list", "resourcepools")})
        cluster.helm("helm3", "upgrade", *install[1:-3])
        cluster.helm("helm", "uninstall", "det", *as_ann)

    def granted(self):
        """(resource, verb) of every rule of the release that is bound to its account."""
        rules = []
        for kind, namespaces in (("clusterrole", [[]]), ("role", [["-n", NAMESPACE], ["-n", TRAINING]])):
            for item in [item for each in namespaces for item in self.cluster.json(kind, *each, "-l", f"app.kubernetes.io/instance={RELEASE}")["items"]]:
                if not item["metadata"]["name"].endswith(("-edit", "-view")):
                    rules += item["rules"]
        return {(resource, verb) for rule in rules for resource in rule["resources"] for verb in rule["verbs"]}

    def used(self, account, may_be_refused=frozenset()):
        """(resource, verb) of what the account asked for; nothing else of it may have been refused."""
        used, refused = set(), []
        for event in self.cluster.audited(account):
            target = event.get("objectRef", {})
            resource = "/".join(filter(None, (target.get("resource"), target.get("subresource"))))
            if event["responseStatus"]["code"] == 403 and (event["verb"], resource) not in may_be_refused:
                refused.append((event["verb"], resource, target.get("namespace"), event["responseStatus"].get("message", "")))
            elif resource:
                used.add((resource, event["verb"]))
        self.assertGreater(len(used), 12, "the audit log has what the operator did")
        self.assertEqual(refused, [])
        return used

    def test_who_may_not_create_pods_may_not_create_experiments(self):
        cluster = self.cluster
        cluster.definitions()
        namespace = "policy"
        cluster.kubectl("create", "namespace", namespace)
        cluster.helm("helm3", "upgrade", "--install", "policy", CHART, "-n", namespace, "--set", "crds.install=false,db.disablePVC=true,controllerClass=policy", "--wait", "--timeout", "5m")
        self.addCleanup(cluster.helm, "helm3", "uninstall", "policy", "-n", namespace)
        cluster.kubectl("create", "role", "only-experiments", "-n", namespace, "--verb=create,get,patch,update", "--resource=experiments.det-operator.dev")
        cluster.kubectl("create", "rolebinding", "ann", "-n", namespace, "--role=only-experiments", "--user=ann")
        cluster.kubectl("create", "rolebinding", "bob", "-n", namespace, "--clusterrole=edit", "--user=bob")
        create = lambda user: cluster.try_kubectl("create", "--as", user, "-n", namespace, "-f", "-", stdin=experiment(f"of-{user}"))
        # The policy takes effect a moment after it was made; dry runs until then, so that nothing is created.
        dry = lambda: cluster.try_kubectl("create", "--dry-run=server", "--as", "ann", "-n", namespace, "-f", "-", stdin=experiment("of-ann"))
        refused = wait_for("the policy refuses", lambda: (done := dry()).returncode != 0 and done)
        self.assertIn("user ann may not create pods in namespace policy, and so no Experiments", refused.stderr.replace("\n", " "))
        self.assertNotEqual(create("ann").returncode, 0)
        # `edit` has experiments by aggregation, which the controller manager does a moment later.
        wait_for("bob, who has the role edit, creates one", lambda: create("bob").returncode == 0)
        label = cluster.try_kubectl("label", "--as", "ann", "-n", namespace, "experiment.det-operator.dev/of-bob", "a=b")
        self.assertIn("may not create pods", label.stderr.replace("\n", " "), label)
        # The garbage collector may not create pods either, and has to take its finalizer off.
        gone = cluster.try_kubectl("delete", "--as", "bob", "-n", namespace, "experiment.det-operator.dev/of-bob", "--cascade=foreground", "--timeout=5m")
        self.assertEqual(gone.returncode, 0, gone.stderr)

    def test_each_of_two_releases_removes_its_own_checkpoints(self):
        cluster = self.cluster
        cluster.definitions()
        namespace = "removals"
        cluster.kubectl("create", "namespace", namespace)
        for name in ("first", "second"):
            own = f"crds.install=false,db.disablePVC=true,controllerClass={name},taskNamespaces={{{namespace}}}"
            cluster.helm("helm", "install", name, CHART, "-n", namespace, "--set", own)
            self.addCleanup(cluster.helm, "helm", "uninstall", name, "-n", namespace)
        cluster.kubectl("create", "rolebinding", "bob", "-n", namespace, "--clusterrole=edit", "--user=bob")

        def task(kind, name, controller_class):
            annotations = {} if controller_class is None else {"det-operator.dev/controller-class": controller_class}
            return json.dumps({"apiVersion": "det-operator.dev/v1alpha1", "kind": "Task", "metadata": {"name": name, "annotations": annotations},
                               "spec": {"type": kind, "config": {"entrypoint": ["true"]} if kind == "Command" else {}}})

        def create(user, *given, dry=True):
            return cluster.try_kubectl("create", *(["--dry-run=server"] if dry else []), "--as", user, "-n", namespace, "-f", "-", stdin=task(*given))

        account = lambda name: f"system:serviceaccount:{namespace}:{name}-det-operator"
        refused = lambda done: done.returncode != 0 and "is made by the operator only" in done.stderr
        wait_for("bob may make tasks", lambda: create("bob", "Command", "any", "first").returncode == 0)
        for name, other in (("first", "second"), ("second", "first")):
            # The policies take effect a moment after they were made.
            wait_for(f"bob makes none of class {name}", lambda: refused(create("bob", "CheckpointGC", "of-bob", name)))
            wait_for(f"nor does the operator of {other}", lambda: refused(create(account(other), "CheckpointGC", "of-another", name)))
            made = create(account(name), "CheckpointGC", f"of-{name}", name, dry=False)
            self.assertEqual(made.returncode, 0, made.stderr)
        # Nor is one moved out of its class, or into another one.
        for name, to in (("first", "nobody"), ("first", "second"), ("first", "")):
            moved = cluster.try_kubectl("annotate", "--overwrite", "--as", "bob", "-n", namespace, f"tasks.det-operator.dev/of-{name}", f"det-operator.dev/controller-class={to}")
            self.assertTrue(refused(moved), moved)
        # Of a class that nobody has: nothing runs it, and it does not become anybody's.
        self.assertEqual(create("bob", "CheckpointGC", "of-nobody", "nobody", dry=False).returncode, 0)
        moved = cluster.try_kubectl("annotate", "--overwrite", "--as", "bob", "-n", namespace, "tasks.det-operator.dev/of-nobody", "det-operator.dev/controller-class=second")
        self.assertTrue(refused(moved), moved)
        # Without an annotation it is of the default class. (A release keeps its class.)
        cluster.helm("helm", "uninstall", "first", "-n", namespace, "--wait")
        cluster.helm("helm", "install", "first", CHART, "-n", namespace, "--set", f"crds.install=false,db.disablePVC=true,taskNamespaces={{{namespace}}}")
        for given in (None, "", "det-operator"):
            wait_for(f"bob makes none with {given!r}", lambda: refused(create("bob", "CheckpointGC", "of-bob", given)))

    def test_helm_3_installs_upgrades_and_uninstalls(self):
        cluster = self.cluster
        cluster.kubectl("create", "namespace", "three")
        given = ["-n", "three", "--set", "crds.install=false,db.disablePVC=true,controllerClass=three", "--wait", "--timeout", "5m"]
        notes = cluster.helm("helm3", "install", "three", CHART, *given)
        self.assertIn("det experiment list", notes)
        cluster.helm("helm3", "upgrade", "three", CHART, *given, "--set", "useNodePortForMaster=true")
        self.assertEqual(cluster.json("service", "determined-master-service-three", "-n", "three")["spec"]["type"], "NodePort")
        cluster.helm("helm3", "uninstall", "three", "-n", "three", "--wait")
        # What belongs to a Deployment goes behind it, by the garbage collector.
        left = lambda: cluster.kubectl("get", "all,cm,netpol,role,rolebinding,sa", "-n", "three", "-l", "app.kubernetes.io/instance=three", "-o", "name")
        wait_for(lambda: f"nothing is left: {left()}", lambda: left() == "")

    def test_the_commands_of_ezmerals_guide_work(self):
        cluster, namespace = self.cluster, "determinedai"
        cluster.try_kubectl("create", "namespace", namespace)
        install = ["install", "stagingdetai", CHART, "-n", namespace, "-f", ROOT / "examples/helm/ezmeral.yaml", "--set", "crds.install=false,db.disablePVC=true,controllerClass=ezmeral"]
        for helm in HELMS:
            self.assertIn("STATUS: pending-install", cluster.helm(helm, *install, "--dry-run"))
            notes = cluster.helm(helm, *install)
            self.assertIn("export NODE_PORT=$(kubectl get service determined-master-service-stagingdetai -n determinedai", notes)
            self.assertRegex(cluster.helm(helm, "list", "-n", namespace), r"stagingdetai\s+determinedai\s+1\s.*deployed\s+det-operator-")
            self.assertIn("STATUS: deployed", cluster.helm(helm, "status", "stagingdetai", "-n", namespace))
            shown = cluster.kubectl("get", "pod,services", "-n", namespace)
            self.assertRegex(shown, r"service/determined-master-service-stagingdetai\s+NodePort\s.*8080:3\d{4}/TCP")
            self.assertIn("service/determined-db-service-stagingdetai", shown)
            self.assertEqual(cluster.text_of(namespace, "stagingdetai-det-operator-initial-password", "password"), "change-me-please")
            cluster.helm(helm, "uninstall", "stagingdetai", "-n", namespace, "--wait")

    def test_a_release_of_determineds_own_chart_is_not_upgraded_by_accident(self):
        cluster, namespace = self.cluster, "old"
        cluster.kubectl("create", "namespace", namespace)
        given = ["-n", namespace, "--set", "crds.install=false,db.disablePVC=true,controllerClass=old"]
        cluster.helm("helm", "install", "old", CHART, *given)
        claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "determined-db-pvc-old"},
                 "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
        cluster.kubectl("create", "-n", namespace, "-f", "-", stdin=json.dumps(claim))
        with self.assertRaisesRegex(AssertionError, "this upgrade would delete its database volume determined-db-pvc-old"):
            cluster.helm("helm", "upgrade", "old", CHART, *given)
        cluster.helm("helm", "upgrade", "old", CHART, *given, "--set", "acceptLossOfDeterminedDatabase=true")
        cluster.helm("helm", "uninstall", "old", "-n", namespace)


if __name__ == "__main__":
    unittest.main()
