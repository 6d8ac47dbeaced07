"""What the guides of CoreWeave and of HPE Ezmeral tell people to do, to the letter: the chart with their values, its own rendered
master.yaml and rights, the commands and experiments as they are printed there, on nodes labelled as theirs are."""

import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from chart import CHART, PROGRAM, ROOT, run
from cluster import Cluster, Operator, wait_for
from coreweave_guide import AFFINITY, POD_SPEC, RDMA  # noqa: E402

DET = pathlib.Path(os.environ.get("DET_BIN", PROGRAM.parent / "det"))
EXPERIMENT = "det-operator.dev/experiment"
# CoreWeave's guide, "Running a custom training job".
BASE = """name: fashion_mnist_tf_keras_distributed
hyperparameters:
  global_batch_size: {batch}
  dense1: 128
resources:
  slots_per_trial: {slots}
records_per_epoch: 600
environment:
{environment}searcher:
  name: single
  metric: val_accuracy
  smaller_is_better: false
  max_length:
    epochs: 5
entrypoint: model_def:FashionMNISTTrial
"""
DATA = """      volumes:
        - name: data
          persistentVolumeClaim:
            claimName: datasets
"""
MOUNT = """      containers:
        - name: determined-container
          volumeMounts:
            - mountPath: "/data" # Path inside the container where you want the volume to mount to
              name: data
"""
# As the guide prints it: the claim beside its volume's name, and containers that are no list.
DATA_AS_PRINTED = DATA.replace("          persistent", "        persistent").replace("            claim", "          claim")
MOUNT_AS_PRINTED = """      containers:
        volumeMounts:
          - mountPath: "/data" # Path inside the container where you want the volume to mount to
            name: data
"""
# The guide's, but for two words that the command line has shortened since ("Start Time", "End Time").
HEADER = r"ID +\| Owner +\| Name +\| Parent ID +\| State +\| Progress +\| Started +\| Ended +\| Resource Pool"


def config(slots, environment="", batch=256):
    return BASE.format(slots=slots, environment=environment, batch=batch)


class Guide(unittest.TestCase):
    """One release in one namespace, its operator, and a person with the command line."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster.get()

    def install(self, release, namespace, *values):
        self.namespace = namespace  # where experiments run
        self.cluster.try_kubectl("create", "namespace", namespace)
        self.cluster.definitions()
        self.cluster.must("psql", self.cluster.database_url, "-qc", f"CREATE DATABASE {release} OWNER postgres")
        own = f"crds.install=false,db.disablePVC=true,db.name={release},controllerClass={release}"
        notes = self.cluster.helm("helm", "install", release, CHART, "-n", namespace, *values, "--set", own)
        self.addCleanup(self.cluster.helm, "helm", "uninstall", release, "-n", namespace)
        self.operator = Operator(self.cluster, namespace, f"{release}-det-operator").start()
        self.addCleanup(self.operator.stop)
        wait_for("this replica leads", self.operator.leads)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="guide-", dir=self.cluster.folder))
        (self.folder / "model_def.py").write_text("class FashionMNISTTrial: pass\n")
        self.made = []
        return notes

    def nodes(self, count, gpus, gpu, first):
        made = self.cluster.must(ROOT / "scripts/cluster/nodes.sh", count, gpus, gpu, "ORD1", first)
        self.cluster.kubectl("apply", "--server-side", "-f", "-", stdin=made)
        self.addCleanup(self.cluster.kubectl, "delete", "--wait=false", "-f", "-", stdin=made)

    def det(self, *words, stdin=None):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "DET_MASTER": self.operator.url, "ASAN_OPTIONS": "detect_leaks=0",
                       "DET_USER": "determined", "DET_PASS": self.password}
        return run(DET, *words, stdin=stdin, env=environment)

    def create(self, text):
        """`det experiment create const.yaml .`; the object's name."""
        (self.folder / "const.yaml").write_text(text)
        done = self.det("experiment", "create", self.folder / "const.yaml", self.folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"Created experiment \d+")
        name = f"exp-{done.stdout.split('Created experiment ')[1].split()[0]}"
        self.made.append(name)
        return name

    def refused(self, text):
        (self.folder / "const.yaml").write_text(text)
        done = self.det("experiment", "create", self.folder / "const.yaml", self.folder)
        self.assertNotEqual(done.returncode, 0)
        return done.stdout + done.stderr

    def pods(self, name, bound=True):
        items = self.cluster.json("pods", "-n", self.namespace, "-l", f"{EXPERIMENT}={name}")["items"]
        return [pod for pod in items if not bound or pod["spec"].get("nodeName")]

    def runs(self, name, count, gpu):
        """Waits for all of its pods, and checks whose nodes they are on; then ends them, and returns them."""
        pods = wait_for(f"{count} bound pods of {name}", lambda: len(self.pods(name)) == count and self.pods(name))
        for pod in pods:
            labels = self.cluster.json("node", pod["spec"]["nodeName"])["metadata"]["labels"]
            self.assertEqual((labels["gpu.nvidia.com/class"], labels["topology.kubernetes.io/region"]), (gpu, "ORD1"))
        self.kill(name)
        return pods

    def kill(self, name):
        self.assertEqual(self.det("experiment", "kill", name.removeprefix("exp-")).returncode, 0)
        wait_for("its pods go", lambda: not self.pods(name, bound=False))
        ended = lambda: self.cluster.json("experiment", name, "-n", self.namespace).get("status", {}).get("state") == "CANCELED"
        wait_for("it is canceled", ended)

    def trial(self, name):
        items = self.cluster.json("trials", "-n", self.namespace, "-l", f"{EXPERIMENT}={name}")["items"]
        return items[0].get("status", {}) if items else {}


def main_of(pod):
    (main,) = [c for c in pod["spec"]["containers"] if c["name"] == "determined-container"]
    return main


class CoreWeave(Guide):
    def test_the_guide(self):
        self.password = "chosen-by-a-test"
        cluster = self.cluster
        cluster.try_kubectl("create", "namespace", "tenant-acme")
        cluster.kubectl("create", "secret", "generic", "checkpoints", "-n", "tenant-acme", "--from-literal=accessKey=A", "--from-literal=secretKey=S")
        claim = "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: datasets}, spec: {accessModes: [ReadWriteMany], storageClassName: \"\", volumeName: datasets, resources: {requests: {storage: 1Gi}}}}"
        volume = "{apiVersion: v1, kind: PersistentVolume, metadata: {name: datasets}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteMany], storageClassName: \"\", hostPath: {path: /tmp}, claimRef: {namespace: tenant-acme, name: datasets}}}"
        cluster.kubectl("apply", "-n", "tenant-acme", "-f", "-", stdin=f"{volume}\n---\n{claim}\n")
        for count, gpu, first in ((2, "RTX_A5000", 100), (4, "A40", 110), (12, "A100_NVLINK", 120)):
            self.nodes(count, 8, gpu, first)
        notes = self.install("acme", "tenant-acme", "-f", ROOT / "examples/helm/coreweave.yaml", "--set", f"defaultPassword={self.password}")
        self.assertIn("export DET_MASTER=https://acme.tenant-acme.ord1.ingress.coreweave.cloud\n", notes)

        listed = self.det("experiment", "list")
        self.assertRegex(listed.stdout, HEADER, listed.stderr)

        with self.subTest("16 slots on the default GPU"):
            pods = self.runs(self.create(config(16)), 2, "RTX_A5000")
            for pod in pods:
                main = main_of(pod)
                self.assertEqual(main["resources"]["requests"] | {"nvidia.com/gpu": "8"}, main["resources"]["requests"])
                self.assertEqual((main["resources"]["requests"]["cpu"], main["resources"]["requests"]["memory"]), ("8", "32Gi"))
                self.assertIn("/mnt/datasets", [m["mountPath"] for m in main["volumeMounts"]])
        with self.subTest("32 slots on A40"):
            self.runs(self.create(config(32, POD_SPEC + AFFINITY.format(gpu="A40"), 512)), 4, "A40")
        with self.subTest("96 slots on A100 with Infiniband"):
            for pod in self.runs(self.create(config(96, POD_SPEC + AFFINITY.format(gpu="A100_NVLINK") + RDMA, 1536)), 12, "A100_NVLINK"):
                self.assertEqual(main_of(pod)["resources"]["limits"]["rdma/ib"], "1")
                self.assertEqual(main_of(pod)["resources"]["limits"]["nvidia.com/gpu"], "8")
        with self.subTest("16 slots with a claim"):
            for pod in self.runs(self.create(config(16, POD_SPEC + DATA + AFFINITY.format(gpu="A100_NVLINK") + MOUNT)), 2, "A100_NVLINK"):
                self.assertIn({"mountPath": "/data", "name": "data"}, main_of(pod)["volumeMounts"])
        with self.subTest("the claim as the guide prints it"):
            said = self.refused(config(16, POD_SPEC + DATA_AS_PRINTED + AFFINITY.format(gpu="A100_NVLINK") + MOUNT_AS_PRINTED))
            self.assertRegex(said, r"line \d+")
            said = self.refused(config(16, POD_SPEC + DATA + AFFINITY.format(gpu="A100_NVLINK") + MOUNT_AS_PRINTED))
            self.assertIn("environment.pod_spec.spec.containers", said)
        with self.subTest("12 slots of 8"):
            said = self.refused(config(12))
            self.assertIn("slots (12) must be < or a multiple of max_slots_per_pod (8)", said)
            self.assertIn("16", said)
        with self.subTest("a GPU class that there is not"):
            name = self.create(config(8, POD_SPEC + AFFINITY.format(gpu="B999")))
            wait_for(lambda: f"a reason that names the label: {self.trial(name)}",
                     lambda: "gpu.nvidia.com/class in (B999) and topology.kubernetes.io/region in (ORD1)" in self.trial(name).get("message", ""))
            wait_for("it is queued", lambda: self.trial(name).get("state") == "QUEUED")
            self.kill(name)
        self.assertEqual(self.unexpected(), [])

    def unexpected(self):
        # It asks once whether it may read nodes and all pods, and schedules by quota where it may not.
        may_be = {("list", "nodes"), ("list", "pods"), ("list", "persistentvolumes"), ("list", "resourcepools")}
        account = "system:serviceaccount:tenant-acme:acme-det-operator"
        return [each for each in self.cluster.refused(account) if each[:2] not in may_be]


class Ezmeral(Guide):
    def test_the_guide(self):
        self.password = "change-me-please"
        self.nodes(2, 1, "T4", 140)
        self.install("staging", "determinedai-runs", "-f", ROOT / "examples/helm/ezmeral.yaml")
        self.namespace = "determinedai-runs-tasks"
        listed = self.det("experiment", "list")
        self.assertRegex(listed.stdout, HEADER, listed.stderr)
        self.assertEqual(self.operator.call("GET", "/api/v1/master")["clusterName"], "stagingdetai")
        text = config(2)
        text = text.replace("environment:\n", "environment:\n" + POD_SPEC + "      nodeSelector: {gpu.nvidia.com/class: T4}\n")
        # maxSlotsPerPod: 1, one GPU in each node.
        pods = self.runs(self.create(text), 2, "T4")
        self.assertEqual(len({pod["spec"]["nodeName"] for pod in pods}), 2)
        for pod in pods:
            self.assertEqual(main_of(pod)["resources"]["limits"]["nvidia.com/gpu"], "1")
            (path,) = [v["hostPath"]["path"] for v in pod["spec"]["volumes"] if "hostPath" in v]
            self.assertRegex(path, r"^/opt/bluedata/mapr/mnt/.*/checkpoints$")


if __name__ == "__main__":
    unittest.main()
