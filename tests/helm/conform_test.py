"""Every preset against the schemas of the API server itself: kubeconform -strict, and a server-side dry run."""

import json
import shutil
import tempfile
import pathlib
import unittest

import yaml

from chart import PRESETS, TOOLS, namespaces_of, objects, rendered, run
from cluster import Cluster

# Definitions of other projects, which this control plane has not.
FOREIGN = {"ServiceMonitor", "PrometheusRule"}


def strict(node):
    """An OpenAPI v2 definition as a JSON schema that refuses unknown fields. Quantities may be numbers, int-or-string either."""
    if isinstance(node, list):
        return [strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("format") == "int-or-string":
        return {"type": ["string", "integer"]}
    out = {key: strict(value) for key, value in node.items() if not key.startswith("x-kubernetes") and key not in ("description", "properties")}
    if "properties" in node:
        # An empty field is as good as none.
        out["properties"] = {key: {"anyOf": [strict(value), {"type": "null"}]} for key, value in node["properties"].items()}
        out.setdefault("additionalProperties", False)
    return out


def reachable(definitions, name, seen):
    if name in seen:
        return
    seen.add(name)
    def walk(node):
        if isinstance(node, dict):
            if isinstance(node.get("$ref"), str):
                reachable(definitions, node["$ref"].removeprefix("#/definitions/"), seen)
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for value in node:
                walk(value)
    walk(definitions[name])


class Conforms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster.get()
        cls.schemas = pathlib.Path(tempfile.mkdtemp(prefix="det-schemas-"))
        cls.addClassCleanup(shutil.rmtree, cls.schemas)
        document = json.loads(cls.cluster.kubectl("get", "--raw", "/openapi/v2"))["definitions"]
        definitions = {name: strict(value) for name, value in document.items()}
        quantity = "io.k8s.apimachinery.pkg.api.resource.Quantity"
        definitions[quantity] = {"type": ["string", "number"]}
        for name, value in document.items():
            for kind in value.get("x-kubernetes-group-version-kind", []):
                needed = set()
                reachable(document, name, needed)
                group = kind["group"].split(".")[0]
                file = f"{kind['kind']}-{group + '-' if group else ''}{kind['version']}.json".lower()
                schema = {"$ref": f"#/definitions/{name}", "definitions": {other: definitions[other] for other in needed}}
                (cls.schemas / file).write_text(json.dumps(schema))

    def conform(self, text):
        return run(TOOLS / "kubeconform", "-strict", "-summary", "-schema-location", f"{self.schemas}/{{{{.ResourceKind}}}}{{{{.KindSuffix}}}}.json",
                   "-skip", ",".join(sorted(FOREIGN)), "-", stdin=text)

    def test_every_object_is_valid(self):
        for preset in PRESETS:
            with self.subTest(preset):
                done = self.conform(rendered(preset))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertRegex(done.stdout, r"Invalid: 0, Errors: 0")

    def test_an_unknown_field_is_noticed(self):
        text = rendered("default").replace("serviceAccountName:", "serviceAcountName:")
        done = self.conform(text)
        self.assertEqual(done.returncode, 1)
        self.assertIn("serviceAcountName", done.stdout)

    def test_the_api_server_takes_every_object(self):
        for number, preset in enumerate(PRESETS):
            with self.subTest(preset):
                namespace = PRESETS[preset][1]
                items = [item for item in objects(rendered(preset)) if item["kind"] not in FOREIGN]
                for name in {namespace} | namespaces_of(items):
                    is_made = self.cluster.try_kubectl("create", "namespace", name).returncode == 0
                    if is_made and name.endswith("-tasks"):
                        # Releases of later tests make it: Helm 3's dry run would find it to be somebody else's.
                        self.addCleanup(self.cluster.kubectl, "delete", "namespace", name, "--timeout=300s")
                for item in items:
                    item["metadata"].setdefault("namespace", namespace)
                done = self.cluster.try_kubectl("apply", "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict", "-f", "-", stdin=yaml.safe_dump_all(items))
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
