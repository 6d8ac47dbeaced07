"""What a pod_spec may not use is refused at acceptance, with the same sentence from kubectl and from det; pods are never made of it."""

import json
import sys
import pathlib
import unittest
import urllib.error

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from fake_cluster import FakeCluster, experiment, pods_of  # noqa: E402
from stack import api, delete_whole, kubectl, wait_condition, wait_for  # noqa: E402

ETC = {"volumes": [{"name": "etc", "hostPath": {"path": "/etc"}}]}
SENTENCE = ('environment.pod_spec.spec.volumes[0].hostPath.path: the host path "/etc" may not be used here; allowed, with what is below: '
            '"/dev/shm". Use a persistentVolumeClaim, or an administrator can allow it with pod_policy.host_paths of master.yaml')


class PodPolicy(FakeCluster):
    def test_kubectl_gets_the_condition(self):
        kubectl("apply", "-f", "-", stdin=experiment("policy-etc", pod_spec=ETC))
        self.addCleanup(delete_whole, "policy-etc")
        accepted = wait_condition("experiment", "policy-etc", "Accepted", "False")
        self.assertEqual((accepted["reason"], accepted["message"]), ("InvalidConfig", "spec.config." + SENTENCE))
        self.assertEqual(pods_of("policy-etc"), [])

    def test_rest_answers_400(self):
        config = json.loads(experiment("policy-rest", pod_spec=ETC))["spec"]["config"]
        with self.assertRaises(urllib.error.HTTPError) as refused:
            api("POST", "/api/v1/experiments", {"config": json.dumps(config), "activate": True})
        self.assertEqual(refused.exception.code, 400)
        self.assertIn(SENTENCE, json.loads(refused.exception.read())["error"]["error"].replace(" (line 1)", ""))

    def test_shared_memory_of_the_node_is_mounted(self):
        shm = {"volumes": [{"name": "shm", "hostPath": {"path": "/dev/shm"}}],
               "containers": [{"name": "determined-container", "volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}]}]}
        kubectl("apply", "-f", "-", stdin=experiment("policy-shm", pod_spec=shm))
        self.addCleanup(delete_whole, "policy-shm")
        (pod,) = wait_for("the pod", lambda: pods_of("policy-shm"))
        (main,) = [c for c in pod["spec"]["containers"] if c["name"] == "determined-container"]
        self.assertEqual([m["name"] for m in main["volumeMounts"] if m["mountPath"] == "/dev/shm"], ["shm"])


if __name__ == "__main__":
    unittest.main()
