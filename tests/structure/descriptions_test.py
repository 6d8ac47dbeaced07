"""`kubectl explain` says of every field of every definition what it means, in which unit, what it is by default, and an example."""

import pathlib
import re
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHART = ROOT / "helm" / "det-operator" / "files" / "crds"


def fields(schema, path):
    """(path, schema) of everything below: members, items of lists, values of maps."""
    for name, member in (schema.get("properties") or {}).items():
        yield f"{path}.{name}", member
        yield from fields(member, f"{path}.{name}")
    for key, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(schema.get(key), dict):
            yield path + mark, schema[key]
            yield from fields(schema[key], path + mark)


def definitions():
    for file in sorted((ROOT / "crds").glob("*.yaml")):
        crd = yaml.safe_load(file.read_text())
        for version in crd["spec"]["versions"]:
            yield crd["spec"]["names"]["kind"], version


def wrong(path, schema):
    """What the description of a field lacks; None: nothing."""
    text = schema.get("description") or ""
    if len(text.split()) < 2 or not text.endswith("."):
        return "a sentence"
    is_spec = ".spec." in path
    if is_spec and not re.search(r"Default: \S|Required", text):
        return "Default: or Required"
    if is_spec and not re.search(r"Example: \S", text):
        return "Example:"
    is_count = schema.get("type") in ("integer", "number")
    if is_spec and is_count and not re.search(r"Unit: \S", text):
        return "Unit:"
    return None


class Descriptions(unittest.TestCase):
    def test_every_field_has_meaning_unit_default_and_example(self):
        seen = 0
        for kind, version in definitions():
            for path, schema in fields(version["schema"]["openAPIV3Schema"], kind):
                seen += 1
                with self.subTest(path):
                    if path == f"{kind}.metadata":
                        # A real API server refuses the definition otherwise: "must not specify anything other than name".
                        self.assertEqual(schema, {"type": "object"})
                        continue
                    self.assertIsNone(wrong(path, schema), schema.get("description"))
        self.assertGreater(seen, 300)

    def test_a_word_that_a_field_allows_and_its_example_agree(self):
        for kind, version in definitions():
            for path, schema in fields(version["schema"]["openAPIV3Schema"], kind):
                example = re.search(r"Example: (\w+)\.$", schema.get("description") or "")
                words = [word for word in schema.get("enum", []) if isinstance(word, str)]
                if example and words:
                    with self.subTest(path):
                        self.assertIn(example[1], words)

    def test_notices_what_is_missing(self):
        good = {"type": "integer", "description": "How many. Unit: slots. Default: 1. Example: 8."}
        self.assertIsNone(wrong("Experiment.spec.a", good))
        for lacks in ("Unit: slots. ", "Default: 1. ", " Example: 8."):
            self.assertIsNotNone(wrong("Experiment.spec.a", {**good, "description": good["description"].replace(lacks, "")}), lacks)
        self.assertIsNotNone(wrong("Experiment.status.a", {"type": "string"}))

    def test_the_chart_has_the_same(self):
        for file in (ROOT / "crds").glob("*.yaml"):
            self.assertEqual((CHART / file.name).read_bytes(), file.read_bytes(), file.name)


if __name__ == "__main__":
    unittest.main()
