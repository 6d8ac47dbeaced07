"""CoreWeave's three examples as people paste them, on fake 8-GPU nodes labelled as CoreWeave labels them: slots become pods, the
pod_spec is honoured, everything is owned, deletion leaves nothing."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import coreweave_guide  # noqa: E402
from fake_cluster import FakeCluster, pods_of  # noqa: E402
from stack import delete_whole, get, kubectl, wait_condition, wait_for  # noqa: E402

BASE = """
name: fashion_mnist_tf_keras_distributed
hyperparameters:
  global_batch_size: 256
  dense1: 128
resources:
  slots_per_trial: {slots}
records_per_epoch: 600
environment:{environment}
searcher:
  name: single
  metric: val_accuracy
  smaller_is_better: false
  max_length:
    epochs: 5
entrypoint: model_def:FashionMNISTTrial
"""
AFFINITY = "\n" + (coreweave_guide.POD_SPEC + coreweave_guide.AFFINITY).rstrip("\n")
RDMA = "\n" + coreweave_guide.RDMA.rstrip("\n")


def experiment(name, slots, environment=""):
    config = BASE.format(slots=slots, environment=environment).strip()
    body = "\n".join("    " + line for line in config.splitlines())
    return f"apiVersion: det-operator.dev/v1alpha1\nkind: Experiment\nmetadata: {{name: {name}}}\nspec:\n  config:\n{body}\n"


class SlotsBecomePods(FakeCluster):
    def run_it(self, name, slots, count, environment=""):
        """Applies, waits until all pods are bound, returns them; deletes at the end of the test, after which nothing may be left."""
        kubectl("apply", "-f", "-", stdin=experiment(name, slots, environment))
        self.addCleanup(delete_whole, name)
        bound = lambda: [pod for pod in pods_of(name) if pod["spec"].get("nodeName")]
        pods = wait_for(f"{count} bound pods of {name}", lambda: len(bound()) == count and bound())
        for pod in pods:
            (main,) = [c for c in pod["spec"]["containers"] if c["name"] == "determined-container"]
            self.assertEqual(main["resources"]["limits"]["nvidia.com/gpu"], "8")
            (owner,) = pod["metadata"]["ownerReferences"]
            self.assertEqual(owner["kind"], "Trial")
            self.assertEqual(get("trial", owner["name"])["metadata"]["ownerReferences"][0]["name"], name)
        ranks = sorted(int(pod["metadata"]["labels"]["det-operator.dev/rank"]) for pod in pods)
        self.assertEqual(ranks, list(range(count)))
        self.assertEqual(len({pod["spec"]["nodeName"] for pod in pods}), count)
        return pods

    def test_16_slots_are_2_pods(self):
        self.run_it("two-nodes", 16, 2)

    def test_32_slots_on_a40_are_4_pods_there(self):
        pods = self.run_it("a40", 32, 4, AFFINITY.format(gpu="A40"))
        for pod in pods:
            node = get("node", pod["spec"]["nodeName"])["metadata"]["labels"]
            self.assertEqual(node["gpu.nvidia.com/class"], "A40")

    def test_96_slots_with_rdma_are_12_pods(self):
        pods = self.run_it("rdma", 96, 12, AFFINITY.format(gpu="A100_NVLINK") + RDMA)
        for pod in pods:
            (main,) = [c for c in pod["spec"]["containers"] if c["name"] == "determined-container"]
            self.assertEqual(main["resources"]["limits"]["rdma/ib"], "1")
            terms = pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
            self.assertEqual(terms[0]["matchExpressions"][0], {"key": "gpu.nvidia.com/class", "operator": "In", "values": ["A100_NVLINK"]})

    def test_12_slots_of_8_are_refused_with_the_sizes_that_work(self):
        kubectl("apply", "-f", "-", stdin=experiment("twelve", 12))
        self.addCleanup(kubectl, "delete", "experiment", "twelve")
        accepted = wait_condition("experiment", "twelve", "Accepted", "False")
        self.assertIn("slots (12) must be < or a multiple of max_slots_per_pod (8)", accepted["message"])
        self.assertIn("16", accepted["message"])

    def test_a_gpu_class_that_does_not_exist_waits_and_says_so(self):
        kubectl("apply", "-f", "-", stdin=experiment("no-such-gpu", 8, AFFINITY.format(gpu="B999")))
        self.addCleanup(delete_whole, "no-such-gpu")
        def reason():
            trials = get("trials", "-l", "det-operator.dev/experiment=no-such-gpu")["items"]
            return trials and trials[0].get("status", {}).get("message", "")
        message = wait_for("a reason", lambda: "node affinity" in (reason() or "") and reason())
        self.assertIn("no node has room for its pod, even if the cluster were empty", message)
        self.assertIn("didn't match Pod's node affinity/selector (gpu.nvidia.com/class in (B999) and topology.kubernetes.io/region in (ORD1))", message)


if __name__ == "__main__":
    unittest.main()
