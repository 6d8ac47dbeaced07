"""What a user asks for in the pod of an experiment, of what belongs to others: the operator makes that pod with its own rights."""

import signal
import unittest

from server import PATIENCE, Server, setup, wait_for

server = setup(globals())

EXPERIMENTS = "/apis/det-operator.dev/v1alpha1/namespaces/default/experiments"
CONFIG = {"name": "attack", "entrypoint": "sleep 600", "max_restarts": 0, "searcher": {"name": "single", "metric": "loss"}}


def volume(**source):
    return {"volumes": [{"name": "v", **source}]}


class PodSpecs(unittest.TestCase):
    def refused(self, pod, *words):
        """REST answers 400 and every one of `words`; nothing was made."""
        answer = server.try_create(server.user("mallory"), {"environment": {"pod_spec": pod}})
        self.assertEqual(answer.status, 400, answer)
        for word in words:
            self.assertIn(word, answer.error)

    def test_selinux_options(self):
        """a620492: 200; the pod ran with the type spc_t, outside the confinement of containers.
        now: 400 with the field and pod_policy.fields; container_t and a level need no leave."""
        self.refused({"spec": {"securityContext": {"seLinuxOptions": {"type": "spc_t"}}}},
                     "pod_spec.spec.securityContext.seLinuxOptions.type", "pod_policy.fields")
        server.create(server.user("mallory"), {"environment": {"pod_spec": {"spec": {"securityContext": {"seLinuxOptions": {"type": "container_t"}}}}}})

    def test_unsafe_sysctls(self):
        """a620492: 200; any sysctl went into the pod, in either spelling.
        now: 400 with the sysctl and pod_policy.sysctls; the safe ones need no leave."""
        for name in ("kernel.msgmax", "kernel/msgmax"):
            self.refused({"spec": {"securityContext": {"sysctls": [{"name": name, "value": "1"}]}}}, '"kernel.msgmax"', "pod_policy.sysctls")

    def test_apparmor_by_annotation(self):
        """a620492: 200; the annotation of old gave what the field may not.
        now: 400, the same answer as to the field."""
        self.refused({"metadata": {"annotations": {"container.apparmor.security.beta.kubernetes.io/determined-container": "unconfined"}}},
                     "determined-container: unconfined", "pod_policy.privileged")

    def test_apparmor_by_field(self):
        """a620492: 400 for the profile of the pod or of a container.
        now: the same."""
        self.refused({"spec": {"securityContext": {"appArmorProfile": {"type": "Unconfined"}}}}, "appArmorProfile.type: Unconfined", "pod_policy.privileged")

    def test_a_null_where_the_operator_says_no(self):
        """a620492: as its source reads, the pod had no word on the token of the namespace's account then, and Kubernetes mounted it.
        now: a null says nothing, and the operator says false."""
        number = server.create(server.user("mallory"), {"environment": {"pod_spec": {"spec": {"automountServiceAccountToken": None}}}}, activate=True)
        pods = lambda: [pod for pod in server.kube("GET", "/api/v1/namespaces/default/pods").json["items"]
                        if pod["metadata"]["labels"].get("det-operator.dev/experiment") == f"exp-{number}"]
        pod = wait_for("it has a pod", pods)[0]
        self.assertIs(pod["spec"]["automountServiceAccountToken"], False)

    def test_folders_of_the_clusters_that_are_for_reading(self):
        """a620492: as its source reads, a pod_spec could mount the volume of a read-only bind mount once more, for writing.
        now: 400 with the field."""
        container = {"name": "determined-container", "volumeMounts": [{"name": "det-host-volume-0", "mountPath": "/w"}]}
        self.refused({"spec": {"containers": [container]}}, "containers[0].volumeMounts[0].name", "those of bind_mounts")

    def test_flex_volume(self):
        """a620492: 200; the kubelet ran the driver's program as root with options of the attacker's.
        now: 400 with the field and why."""
        self.refused({"spec": volume(flexVolume={"driver": "example/any", "options": {"x": "y"}})}, "volumes[0].flexVolume", "as root", "pod_policy.fields")

    def test_git_repo_volume(self):
        """a620492: 200; the kubelet ran git as root on a repository of the attacker's.
        now: 400 with the field and why."""
        self.refused({"spec": volume(gitRepo={"repository": "https://example.com/hooks"})}, "volumes[0].gitRepo", "git as root", "pod_policy.fields")

    def test_pod_certificate(self):
        """a620492: 200; a signer of the cluster vouched for the attacker's pod.
        now: 400 with the field and why."""
        self.refused({"spec": volume(projected={"sources": [{"podCertificate": {"signerName": "example.com/any", "keyType": "ED25519"}}]})},
                     "projected.sources[0].podCertificate", "pod_policy.fields")

    def test_critical_priority_classes(self):
        """a620492: 200; the pod evicted whatever the node ran, the node's own daemons too.
        now: 400 with the class and pod_policy.priority_classes."""
        for name in ("system-node-critical", "system-cluster-critical"):
            self.refused({"spec": {"priorityClassName": name}}, f'"{name}"', "pod_policy.priority_classes")

    def test_finalizers(self):
        """a620492: 200; pod and namespace could not be deleted any more.
        now: 400 with the field and why."""
        self.refused({"metadata": {"finalizers": ["example.com/for-ever"]}}, "pod_spec.metadata.finalizers", "could not be deleted")

    def test_owner_references(self):
        """a620492: 200; they were overwritten without a word.
        now: 400 with the field and why."""
        self.refused({"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"}]}},
                     "pod_spec.metadata.ownerReferences", "goes with its trial")

    def test_labels_by_which_others_find_pods(self):
        """a620492: 200; keys of ours that the operator does not set itself, and all of Kubernetes', stood on the pod.
        now: 400 with the key and pod_policy.labels; labels of one's own need no leave."""
        for key in ("det-operator.dev/managed-by", "det-operator.dev/other", "determined.ai/user", "determined", "kubernetes.io/hostname",
                    "scheduling.x-k8s.io/pod-group"):
            self.refused({"metadata": {"labels": {key: "x"}}}, f'the label "{key}"', "pod_policy.labels")
        server.create(server.user("mallory"), {"environment": {"pod_spec": {"metadata": {"labels": {"team": "vision", "app.kubernetes.io/name": "mine"}}}}})

    def test_annotations_on_which_the_cluster_acts(self):
        """a620492: 200; a kubelet took a pod with this one for one of its own, static ones.
        now: 400 with the key and pod_policy.annotations."""
        self.refused({"metadata": {"annotations": {"kubernetes.io/config.mirror": "x"}}}, '"kubernetes.io/config.mirror"', "pod_policy.annotations")

    def test_unknown_fields(self):
        """a620492: 200; what no table knew, deep in a pod_spec, went to the API server unseen.
        now: 400 by name, with the field that was probably meant."""
        self.refused({"spec": {"securityContext": {"seLinuxOption": {"type": "spc_t"}}}},
                     'unknown field "spec.securityContext.seLinuxOption"', 'did you mean "seLinuxOptions"?')
        self.refused({"spec": {"volume": []}}, 'additionalProperties "volume" not allowed; did you mean "volumes"?')


class Sources(unittest.TestCase):
    def test_the_secret_of_a_repository(self):
        """a620492: Accepted=True; any Secret of the namespace was mounted into the attacker's pod.
        now: Accepted=False, InvalidContext, in the words for a Secret in a volume."""
        made = server.kube("POST", EXPERIMENTS, {
            "apiVersion": "det-operator.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "steals", "namespace": "default"},
            "spec": {"config": CONFIG, "context": {"git": {"url": "https://example.com/a", "secretName": "somebody-elses"}}}})
        self.assertEqual(made.status, 201, made)

        def accepted():
            status = server.kube("GET", EXPERIMENTS + "/steals").json.get("status", {})
            return next((c for c in status.get("conditions", []) if c["type"] == "Accepted"), None)

        condition = wait_for("the operator has looked at it", accepted)
        self.assertEqual((condition["status"], condition["reason"]), ("False", "InvalidContext"), condition)
        self.assertEqual(condition["message"], 'spec.context.git.secretName: the secret "somebody-elses" may not be used here; allowed: none; an '
                                               "administrator can allow it with pod_policy.secrets of master.yaml")


    def test_credentials_of_another_namespace(self):
        """a620492: there were no TensorBoards; up to a44670f the pod was given the keys of the experiment's storage, which whoever
        reads Secrets in its own namespace could read.
        now: REJECTED, with the experiment's namespace and what works."""
        number = server.create(server.user("alice"), {"checkpoint_storage": {"type": "s3", "bucket": "b", "access_key": "A", "secret_key": "S"}})
        server.kube("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "theirs"}})
        tasks = "/apis/det-operator.dev/v1alpha1/namespaces/theirs/tasks"
        made = server.kube("POST", tasks, {
            "apiVersion": "det-operator.dev/v1alpha1", "kind": "Task", "metadata": {"name": "curves", "namespace": "theirs"},
            "spec": {"type": "TensorBoard", "tensorBoard": {"experimentIDs": [number]}, "config": {}}})
        self.assertEqual(made.status, 201, made)
        status = wait_for("the operator has looked at it", lambda: server.kube("GET", tasks + "/curves").json.get("status"))
        self.assertEqual(status["state"], "REJECTED", status)
        self.assertIn(f"experiment {number} belongs to namespace default and keeps its files with credentials of its own", status["message"])


class Stored(unittest.TestCase):
    """A policy that becomes stricter, as by an upgrade: the operator is started again with another master.yaml."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(config={"pod_policy": {"labels": ["kubernetes.io/team"]}})
        cls.addClassCleanup(cls.server.stop)
        cls.server.start()

    def start_again(self, policy, how=signal.SIGTERM):
        """SIGTERM ends the pods, SIGKILL leaves them to the next start."""
        self.server.process.send_signal(how)
        self.server.process.wait(PATIENCE)
        self.server.config["pod_policy"] = policy
        self.server.start()

    def items(self, kind):
        group = "/api/v1" if kind == "pods" else "/apis/det-operator.dev/v1alpha1"
        return self.server.kube("GET", f"{group}/namespaces/default/{kind}").json["items"]

    def stalled(self, kind):
        """The conditions Stalled that are true."""
        return [c for item in self.items(kind) for c in item.get("status", {}).get("conditions", []) if c["type"] == "Stalled" and c["status"] == "True"]

    def test_an_experiment_that_was_accepted_before(self):
        """a620492: the next run was made with what the policy did not allow any more.
        now: it waits, Stalled with the field and the list on Trial and Experiment, and goes on when the policy allows it."""
        labels = {"environment": {"pod_spec": {"metadata": {"labels": {"kubernetes.io/team": "x"}}}}}
        number = self.server.create(self.server.user("mallory"), {"entrypoint": "sleep 600", **labels})
        self.start_again({})
        token = self.server.login("mallory", "Abcdefg1")
        self.server.http("POST", f"/api/v1/experiments/{number}/activate", token)
        (trial,) = wait_for("the trial waits", lambda: self.stalled("trials"))
        self.assertEqual(trial["reason"], "PodPolicy")
        for word in ("spec.config.environment.pod_spec.metadata.labels.kubernetes.io/team", "pod_policy.labels of master.yaml"):
            self.assertIn(word, trial["message"])
        (experiment,) = wait_for("the experiment says so", lambda: self.stalled("experiments"))
        self.assertIn("pod_policy.labels of master.yaml", experiment["message"])
        self.assertEqual(self.items("pods"), [])
        self.assertEqual(self.server.sql(f"SELECT state FROM experiments WHERE id = {number}"), [["ACTIVE"]])
        self.assertEqual(self.server.sql(f"SELECT state, restarts FROM trials WHERE experiment_id = {number}"), [["ACTIVE", "0"]])
        self.start_again({"labels": ["kubernetes.io/team"]})
        (pod,) = wait_for("the trial's pod", lambda: self.items("pods"))
        self.assertEqual(pod["metadata"]["labels"]["kubernetes.io/team"], "x")
        wait_for("nothing is stalled", lambda: not self.stalled("trials") and not self.stalled("experiments"))
        self.runs(pod["metadata"]["uid"])
        self.start_again({}, signal.SIGKILL)
        wait_for("the operator leads", lambda: self.server.metric("det_operator_leader") == 1)
        # Whose turn comes after those of the trials that were there before.
        token = self.server.login("mallory", "Abcdefg1")
        other = self.server.create(token, activate=True)
        wait_for("another trial has had its turn", lambda: [t for t in self.items("trials") if t.get("status", {}).get("state")][1:])
        self.runs(pod["metadata"]["uid"])
        self.assertEqual(self.stalled("trials"), [])
        self.assertEqual(self.server.sql(f"SELECT state, restarts FROM trials WHERE experiment_id = {number}"), [["ACTIVE", "0"]])
        for each in (number, other):
            self.server.kill(token, each)

    def runs(self, uid):
        """Waits until that very pod runs."""
        def it_does():
            phases = {p["metadata"]["uid"]: p.get("status", {}).get("phase", "Pending") for p in self.items("pods")}
            self.assertNotIn(phases.get(uid), ("Failed", "Succeeded", None), phases)
            return phases[uid] == "Running"
        wait_for("the pod runs", it_does)


if __name__ == "__main__":
    unittest.main()
