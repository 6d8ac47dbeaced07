"""Claims on real volumes: model code that is copied from one, and a pod_spec that mounts it."""

import pathlib
import shutil
import tempfile
import unittest

import yaml

from stack import ROOT, kubectl, status_of, trial_status, wait_complete, wait_for

CODE = """
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import train

print("code in", pathlib.Path(__file__).parent, flush=True)
pathlib.Path("/data/seen").write_text(pathlib.Path("/data/rows").read_text().upper())
train.main()
"""


def volume(name, folder):
    claim = {"namespace": "default", "name": name}
    spec = {"accessModes": ["ReadWriteMany"], "storageClassName": "", "volumeName": name}
    return yaml.safe_dump_all([
        {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
         "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"], "storageClassName": "", "claimRef": claim,
                  "hostPath": {"path": folder}}},
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
         "spec": {**spec, "resources": {"requests": {"storage": "1Gi"}}}}])


class Claims(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp(prefix="det-claim-")
        self.addCleanup(shutil.rmtree, folder)
        self.folder = pathlib.Path(folder)
        (self.folder / "team/model").mkdir(parents=True)
        shutil.copy(ROOT / "examples/core_api/train.py", self.folder / "team/model")
        (self.folder / "team/model/start.py").write_text(CODE)
        (self.folder / "rows").write_text("rows of the volume")

    def experiment(self, name, claim):
        config = yaml.safe_load((ROOT / "examples/core_api/const.yaml").read_text())
        container = {"name": "determined-container", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
        volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]
        config.update(name=name, entrypoint="python3 start.py", environment={"pod_spec": {"spec": {"containers": [container], "volumes": volumes}}})
        return yaml.safe_dump({"apiVersion": "det-operator.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": name},
                               "spec": {"config": config, "context": {"pvc": {"claimName": claim, "path": "team/model"}}}})

    def test_code_and_data_come_from_a_volume_that_is_bound_later(self):
        kubectl("apply", "-f", "-", stdin=self.experiment("from-a-claim", "datasets"))
        wait_for("the trial says which claim is missing", lambda: "datasets" in trial_status("from-a-claim").get("message", ""))
        kubectl("apply", "-f", "-", stdin=volume("datasets", str(self.folder)))
        self.addCleanup(kubectl, "delete", "persistentvolumeclaim/datasets", "persistentvolume/datasets", "--wait=false")
        wait_complete("from-a-claim")
        self.assertEqual((self.folder / "seen").read_text(), "ROWS OF THE VOLUME")
        self.assertEqual(status_of("persistentvolumeclaim", "datasets")["phase"], "Bound")


if __name__ == "__main__":
    unittest.main()
