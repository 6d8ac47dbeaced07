"""docs/reference/ is what crds/, the chart and tests/structure/fields.txt say, field by field (scripts/docs/make_reference.py). The page of
the commands needs the programs: tests/docs/commands_test.py."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "docs"))
import make_reference  # noqa: E402


class Reference(unittest.TestCase):
    def test_is_what_the_sources_say(self):
        for name, text in make_reference.pages(None).items():
            with self.subTest(name):
                self.assertEqual((make_reference.PAGES / name).read_text(), text, "run scripts/docs/make_reference.py")

    def test_has_every_field(self):
        for schema, fields in (("experiment", make_reference.configuration_fields()), ("master", make_reference.master_fields()),
                               ("chart", make_reference.chart_fields())):
            with self.subTest(schema):
                self.assertEqual(set(make_reference.register(schema)) - set(fields), set())

    def test_describes_nothing_that_is_not_there(self):
        for schema, fields in make_reference.written().items():
            with self.subTest(schema):
                self.assertEqual(set(fields) - set(make_reference.register(schema)), set())

    def test_notices_a_page_that_was_edited(self):
        self.assertNotEqual(make_reference.pages(None)["chart.md"], (make_reference.PAGES / "chart.md").read_text() + "x")
        self.assertIn("No effect here", make_reference.note_of(["warning"]))
        self.assertEqual(make_reference.note_of(["pods/pod_builder.cc"]), "")
        self.assertEqual(list(make_reference.told("How many. Unit: slots. Default: 1. Example: 8.")),
                         ["How many.", "Unit: slots.", "Default: `1`.", "Example: `8`."])


if __name__ == "__main__":
    unittest.main()
