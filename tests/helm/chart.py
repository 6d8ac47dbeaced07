"""The chart as these tests use it: both Helms, the presets, what a rendering holds."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "helm" / "det-operator"
GOLDEN = ROOT / "tests" / "helm" / "golden"
TOOLS = pathlib.Path(os.environ.get("DET_OPERATOR_CACHE") or
                     pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "det-operator") / "tools"
PROGRAM = pathlib.Path(os.environ.get("DET_OPERATOR_BIN", ROOT / "build" / "bin" / "det-operator"))
UPDATE = os.environ.get("UPDATE") == "1"
HELMS = ("helm", "helm3")
# Name -> release, namespace and files of values.
PRESETS = {
    "default": ("det", "det-system", []),
    "coreweave": ("det", "tenant-acme", ["coreweave"]),
    "ezmeral": ("stagingdetai", "determinedai", ["ezmeral"]),
    "ha": ("det", "det-system", ["ha"]),
    "namespaced": ("det", "team", ["namespaced"]),
    "external-db": ("det", "det-system", ["external-db"]),
}


def run(*command, stdin=None, timeout=330, env=None):
    return subprocess.run([str(word) for word in command], input=stdin, capture_output=True, text=True, timeout=timeout, cwd=ROOT, env=env)


def template(helm, release, namespace, *arguments):
    """The process: its output is the rendering or why there is none."""
    return run(TOOLS / helm, "template", release, CHART, "-n", namespace, *arguments)


def values_of(preset):
    return [word for name in PRESETS[preset][2] for word in ("-f", ROOT / "examples" / "helm" / f"{name}.yaml")]


def rendered(preset, *arguments, helm="helm"):
    release, namespace, _ = PRESETS[preset]
    done = template(helm, release, namespace, *values_of(preset), *arguments)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


def namespaces_of(items):
    """Those that objects of a rendering are put into beside the release's own."""
    return {item["metadata"]["namespace"] for item in items if "namespace" in item["metadata"]}


def objects(text):
    return [item for item in yaml.safe_load_all(text) if item]


def find(items, kind, name_ends=""):
    found = [item for item in items if item["kind"] == kind and item["metadata"]["name"].endswith(name_ends)]
    if len(found) != 1:
        raise AssertionError(f"{len(found)} objects {kind} *{name_ends}: {[item['metadata']['name'] for item in found]}")
    return found[0]


def master_yaml(items):
    texts = [item["data"]["master.yaml"] for item in items if item["kind"] == "ConfigMap" and "master.yaml" in item["data"]]
    (text,) = texts
    return yaml.safe_load(text)


class SaidByEach(tuple):
    """What several programs said, one text each. In it is what all of them said."""

    def __contains__(self, words):
        return all(words in said for said in self)


class FromText(unittest.TestCase):
    """Tests of values that they write themselves."""

    def of_text(self, text, helm="helm"):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(text)
            file.flush()
            done = template(helm, "det", "det-system", "-f", file.name)
            self.assertEqual(done.returncode, 0, done.stderr)
            # `template` shows no notes, and a dry run of Helm 3 asks the cluster.
            notes = run(TOOLS / "helm", "install", "det", CHART, "-n", "det-system", "--dry-run=client", "-f", file.name)
            self.assertEqual(notes.returncode, 0, notes.stderr)
            return objects(done.stdout), notes.stdout
