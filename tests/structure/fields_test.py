"""Nothing that is accepted is ignored: tests/structure/fields.txt says for every field who acts on it or that a warning names it.
What the configurations and master.yaml have for fields only the program knows (tests/model, FieldRegister); here are the
custom resource definitions, the chart's values, and whether every row is true."""

import json
import os
import pathlib
import re
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
REGISTER = ROOT / "tests" / "structure" / "fields.txt"
CHART = ROOT / "helm" / "det-operator"
CACHE = pathlib.Path(os.environ.get("DET_OPERATOR_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "det-operator")
# They only say which fields there are.
SCHEMAS = re.compile(r"model/expconf/(section_\w+|experiment_schema|experiment_config|schema\w*|config_warnings)\.\w+$|model/cluster/master_fields\.\w+$|model/taskconf/task_(schema|config|warnings)\.\w+$|values\.(yaml|schema\.json)$|crds/")


def rows():
    for line in REGISTER.read_text().splitlines():
        if line and not line.startswith("#"):
            schema, path, consumer = line.split()
            yield schema, path, consumer


def paths(schema):
    return {path for name, path, _ in rows() if name == schema}


def leaves(schema, path, stop=()):
    """The fields of an OpenAPI or JSON schema that hold values; what is below those of `stop` is left out."""
    if path in stop:
        return
    properties = schema.get("properties")
    items = schema.get("items")
    if properties:
        for name, member in properties.items():
            yield from leaves(member, f"{path}.{name}" if path else name, stop)
    elif isinstance(items, dict) and items.get("properties"):
        yield from leaves(items, path + "[]", stop)
    else:
        yield path


def definitions():
    for file in sorted((ROOT / "crds").glob("*.yaml")):
        crd = yaml.safe_load(file.read_text())
        for version in crd["spec"]["versions"]:
            yield crd["spec"]["names"]["plural"], version["schema"]["openAPIV3Schema"]["properties"]["spec"]


class Register(unittest.TestCase):
    def test_has_every_field_of_the_definitions_and_no_other(self):
        found = set()
        for plural, spec in definitions():
            # Lists of Kubernetes' own objects are passed on whole.
            found.update(leaves(spec, f"{plural}.spec", stop=("experiments.spec.config", "tasks.spec.config")))
        found = {re.sub(r"\[\].*", "", path) for path in found}
        self.assertEqual(found, paths("crd"))

    def test_the_definition_takes_no_configuration_that_the_schema_has_not(self):
        for plural, schema in (("experiments", "experiment"), ("tasks", "task")):
            spec = dict(definitions())[plural]["properties"]["config"]
            known = paths(schema)
            for path in leaves(spec, ""):
                path = path.replace("[]", "")
                self.assertTrue(any(one == path or one.startswith(path + ".") for one in known), f"{plural}.spec.config.{path} is in no row")

    def test_has_every_value_of_the_chart_and_no_other(self):
        schema = json.loads((CHART / "values.schema.json").read_text())
        self.assertEqual(set(leaves(schema, "")), paths("chart"))

    def test_every_default_of_the_chart_is_a_known_value(self):
        def of(values, path):
            for name, value in values.items():
                own = f"{path}.{name}" if path else name
                if isinstance(value, dict) and value:
                    yield from of(value, own)
                else:
                    yield own

        known = paths("chart")
        for path in of(yaml.safe_load((CHART / "values.yaml").read_text()), ""):
            self.assertTrue(any(one == path or one.startswith((path + ".", path + "[]")) or path.startswith(one + ".") for one in known), path)

    def test_says_nothing_twice(self):
        seen = [(schema, path, consumer.split(":")[0]) for schema, path, consumer in rows()]
        self.assertEqual(len(seen), len(set(seen)))


class Consumers(unittest.TestCase):
    def mentions(self, file, schema, path, word):
        text = file.read_text()
        if not word and schema == "chart":
            word = ".Values." + path
        word = word or re.split(r"[.\[\]]+", path)[-1]
        edge = r"(?<![A-Za-z])" if word[0].isalpha() else ""
        self.assertTrue(re.search(edge + re.escape(word), text), f"{schema} {path}: {file} does not say {word}")

    def test_are_there_and_say_the_name(self):
        for schema, path, consumer in rows():
            kind, _, rest = consumer.partition(":")
            if kind in ("warning", "refused", "helm", "harness") or kind.startswith("harness-"):
                continue
            with self.subTest(f"{schema} {path}"):
                if kind == "alias":
                    self.assertIn(rest, paths(schema))
                    continue
                name, _, word = (rest if kind == "shown" else consumer).partition("#")
                self.assertIsNone(SCHEMAS.search(name), f"{name} only says that there is such a field")
                self.assertTrue((ROOT / name).is_file(), f"{name} is not there")
                self.mentions(ROOT / name, schema, path, word)

    def test_in_the_harness_are_there_and_say_the_name(self):
        versions = {}
        for schema, path, consumer in rows():
            kind, _, rest = consumer.partition(":")
            if kind == "harness" or kind.startswith("harness-"):
                versions.setdefault(kind[len("harness-"):] or "0.38.1", []).append((schema, path, rest))
        for version, fields in versions.items():
            found = sorted(CACHE.glob(f"venv-determined-{version}/lib/python3*/site-packages/determined"))
            with self.subTest(version):
                if not found:
                    self.skipTest(f"Not run: harness {version} is not installed")
                for schema, path, rest in fields:
                    name, _, word = rest.partition("#")
                    self.mentions(found[-1] / name, schema, path, word)

    def test_the_document_has_every_field_without_effect(self):
        text = (ROOT / "docs" / "configuration.md").read_text().split("## What is taken without effect")[1].split("\n## ")[0]
        for schema, path, consumer in rows():
            if schema in ("experiment", "crd") and consumer == "warning":
                with self.subTest(path):
                    # Of a section that has none with an effect, the section.
                    names = path.replace("experiments.spec", "spec").split(".")
                    self.assertTrue(any(name in text for name in (names[-1], f"`{names[0]}`", f"`{'.'.join(names[:2])}`")))

    def test_words_of_warnings_are_those_of_the_notes(self):
        """tests/helm proves that each is told; here, that the notes know it at all."""
        told = re.search(r'define "det.idleValues".*', (CHART / "templates" / "_validate.tpl").read_text(), re.S)[0]
        for schema, path, consumer in rows():
            if schema == "chart" and consumer == "warning":
                with self.subTest(path):
                    self.assertIn(path.split(".")[-1], told)


if __name__ == "__main__":
    unittest.main()
