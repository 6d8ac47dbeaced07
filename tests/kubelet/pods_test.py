"""What a pod is given: shared memory, volumes, users, networks; and where its output can be read."""

import json
import pathlib
import re
import tempfile
import unittest

from cluster import RESTRICTED, STATE, Case, find, kubectl
from objects import CODE, experiment, main_container

CLAIM = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
         "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "", "volumeName": "data", "resources": {"requests": {"storage": "1Gi"}}}}


def volume(namespace, folder):
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "data"},
            "spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "hostPath": {"path": str(folder)}, "storageClassName": "",
                     "claimRef": {"name": "data", "namespace": namespace}}}


class WithClaim(Case):
    def make_claim(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="volume-", dir=STATE))
        self.folder.chmod(0o777)
        kubectl("apply", "-f", "-", stdin=json.dumps(volume(self.namespace, self.folder)))
        self.addCleanup(kubectl, "delete", "pv", "data", "--timeout=300s")
        self.apply(CLAIM)
        self.addCleanup(self.kubectl, "delete", "pvc", "data", "--timeout=300s")

    def done(self, name, **expected):
        self.assertCounts(self.wait_over(name), state="COMPLETED", run=1, restarts=0, infraRestarts=0, **expected)


class Pods(WithClaim):
    def test_the_size_of_shared_memory(self):
        entrypoint = "sh -c 'df -B1 --output=size /dev/shm | tail -1 | xargs echo shm-bytes; python3 train.py'"
        self.apply(CODE, experiment("shared-memory", entrypoint, steps=1, resources={"shm_size": 33554432}))
        self.done("shared-memory")
        self.wait_logged("shared-memory", "shm-bytes 33554432")

    def test_shared_fs_holds_the_checkpoint(self):
        before = set((STATE / "checkpoints").glob("*"))
        self.apply(CODE, experiment("shared-fs", steps=2))
        self.done("shared-fs")
        (made,) = set((STATE / "checkpoints").glob("*")) - before
        self.assertEqual((made / "step").read_text(), "2")

    def test_a_claim_as_volume_and_as_checkpoint_storage(self):
        self.make_claim()
        (self.folder / "input").write_text("from the volume")
        spec = main_container(volumeMounts=[{"name": "data", "mountPath": "/data"}])
        spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
        self.apply(CODE, experiment("claims", "cat /data/input; python3 train.py", steps=2, pod_spec=spec,
                                    checkpoint_storage={"type": "directory", "container_path": "/data"}))
        self.done("claims")
        self.wait_logged("claims", "from the volume")
        self.assertEqual([path.read_text() for path in self.folder.glob("*/step")], ["2"])

    def test_the_log_is_the_same_for_the_shipper_and_for_kubectl(self):
        self.apply(CODE, experiment("talks", steps=20, sleep=0.3))
        (pod,) = self.wait_running("talks")
        self.wait_steps("talks", 3)
        shown = lambda: self.kubectl("logs", pod["metadata"]["name"]).out
        self.wait("kubectl shows it while it runs", lambda: "step 3 of 20" in shown(), "talks")
        self.done("talks")
        self.wait_logged("talks", "step 20 of 20")
        steps = lambda lines: [re.search(r"step \d+ of 20", line)[0] for line in lines if "of 20" in line]
        self.assertEqual(steps(shown().splitlines()), [f"step {step} of 20" for step in range(1, 21)])
        self.assertEqual(steps(self.log("talks")), steps(shown().splitlines()))

    def test_an_image_without_determined_gets_the_wheel(self):
        self.apply(CODE, experiment("bare", image="localhost/bare:1", steps=2))
        self.done("bare")
        self.wait_logged("bare", "is missing in this image; installing 0.38.1")


class Restricted(WithClaim):
    """A namespace where Pod Security admits only pods without rights; host paths, too, are refused there."""

    namespace = RESTRICTED

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        kubectl("label", "namespace", cls.namespace, "--overwrite", "pod-security.kubernetes.io/enforce=restricted")

    def spec(self):
        spec = main_container(volumeMounts=[{"name": "data", "mountPath": "/data"}],
                              securityContext={"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}})
        return {**spec, "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
                "securityContext": {"runAsNonRoot": True, "runAsUser": 4711, "runAsGroup": 4711, "seccompProfile": {"type": "RuntimeDefault"}}}

    def test_a_user_without_a_name_trains_with_a_claim(self):
        self.make_claim()
        self.apply(CODE, experiment("unprivileged", "id; python3 train.py", steps=2, pod_spec=self.spec(),
                                    checkpoint_storage={"type": "directory", "container_path": "/data"}))
        self.done("unprivileged")
        self.wait_logged("unprivileged", "uid=4711")

    def test_what_pod_security_refuses_is_said_before_anything_runs(self):
        self.apply(CODE, experiment("privileged"))
        accepted = lambda: [c for c in find("experiment", "privileged", namespace=self.namespace).get("status", {}).get("conditions", [])
                            if c["type"] == "Accepted" and c["reason"] == "PodRejected"]
        (condition,) = self.wait("the refusal", accepted, "privileged")
        self.assertIn("restricted", condition["message"])


if __name__ == "__main__":
    unittest.main()
