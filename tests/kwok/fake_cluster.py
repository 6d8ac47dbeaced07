"""Fake 8-GPU nodes and experiments for them, whose programs run for ever until a test ends them."""

import json
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from stack import ROOT, get, kubectl  # noqa: E402


def experiment(name, slots=8, max_restarts=0, searcher=None, resources=None, pod_spec=None, annotations=None, suspend=False):
    """The object as JSON text."""
    config = {"name": name, "entrypoint": "python3 train.py", "max_restarts": max_restarts,
              "hyperparameters": {"x": {"type": "double", "minval": 0, "maxval": 1}} if searcher else {"x": 1},
              "searcher": searcher or {"name": "single", "metric": "loss", "max_length": {"batches": 10}},
              "resources": {"slots_per_trial": slots, **(resources or {})}}
    if pod_spec or annotations:
        config["environment"] = {"pod_spec": {"metadata": {"annotations": annotations or {}}, "spec": pod_spec or {}}}
    return json.dumps({"apiVersion": "det-operator.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": name},
                       "spec": {"config": config, **({"suspend": True} if suspend else {})}})


def pods_of(name):
    return get("pods", "-l", f"det-operator.dev/experiment={name}")["items"]


class FakeCluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        nodes = subprocess.run([ROOT / "scripts/cluster/nodes.sh", "4", "8", "A40", "ORD1", "100"], capture_output=True, text=True, check=True).stdout
        kubectl("apply", "--server-side", "-f", "-", stdin=nodes)
        kubectl("wait", "--for=condition=Ready", "node", "-l", "type=kwok", "--timeout=300s")
