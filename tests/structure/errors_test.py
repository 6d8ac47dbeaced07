"""docs/errors.md is made of tests/structure/errors.yaml: texts that a user can meet, each with its cause and its cure.
Of every one the program says it (`says` stands in `source`) and a test shows it (`shows` stands in the test that is named).
UPDATE=1 writes the page anew."""

import os
import pathlib
import re
import textwrap
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
REGISTER = ROOT / "tests" / "structure" / "errors.yaml"
PAGE = ROOT / "docs" / "errors.md"
HEAD = """# Errors: what they mean and what to do

Texts that people meet, in the order in which they are met. Words in capitals stand for what is yours. What stands in
parentheses at the end of a text is often Determined's own text for the same, which scripts may look for.

This page is made of `tests/structure/errors.yaml`, and a test shows each text.
"""


def plain(text):
    """Source as it reads: neighbouring literals joined, quotation marks without their backslash."""
    text = re.sub(r'"\s*\n\s*(?:f|R)?"', "", text)
    return text.replace('\\"', '"').replace("\\n", "\n")


def body_of(test):
    """The text of one test, of C++ or Python: "file#name"."""
    file, name = test.split("#")
    text = (ROOT / file).read_text()
    begin = re.search(rf"^TEST(?:_F)?\(\w+,\s+{name}\)|^    def {name}\(", text, re.MULTILINE)
    if begin is None:
        raise AssertionError(f"{file} has no test {name}")
    end = re.compile(r"^TEST(?:_F)?\(|^    def |^class ", re.MULTILINE).search(text, begin.end())
    return plain(text[begin.start():end.start() if end else len(text)])


def entries():
    for section in yaml.safe_load(REGISTER.read_text()):
        for entry in section["texts"]:
            yield section["title"], entry


def page():
    text = HEAD
    for section in yaml.safe_load(REGISTER.read_text()):
        text += f"\n## {section['title']}\n"
        for entry in section["texts"]:
            said = textwrap.fill(f"{entry['cause'].strip()} **{entry['cure'].strip()}**", 118, break_on_hyphens=False, break_long_words=False)
            text += f"\n```text\n{entry['text'].strip()}\n```\n\n{said}\n"
    return text


class Errors(unittest.TestCase):
    def test_the_page_is_made_of_the_register(self):
        if os.environ.get("UPDATE") == "1":
            PAGE.write_text(page())
        self.assertEqual(PAGE.read_text(), page(), "UPDATE=1 writes it anew")

    def test_every_text_is_said_and_shown(self):
        for title, entry in entries():
            with self.subTest(f"{title}: {entry['text']}"):
                self.assertEqual(set(entry), {"text", "cause", "cure", "source", "says", "test", "shows"})
                self.assertIn(entry["says"], plain((ROOT / entry["source"]).read_text()), entry["source"])
                self.assertIn(entry["shows"], body_of(entry["test"]), entry["test"])

    def test_every_text_has_a_cause_and_a_cure(self):
        seen = set()
        for _, entry in entries():
            with self.subTest(entry["text"]):
                self.assertNotIn(entry["text"], seen)
                seen.add(entry["text"])
                for part in ("cause", "cure"):
                    self.assertTrue(entry[part].strip().endswith("."), entry[part])
                    self.assertGreaterEqual(len(entry[part].split()), 3)
                self.assertGreaterEqual(len(entry["says"]), 8)
        self.assertGreaterEqual(len(seen), 40)

    def test_notices_a_text_that_nothing_says_and_a_test_that_is_gone(self):
        self.assertNotIn("no such words here", plain((ROOT / "cli/master_client.cc").read_text()))
        with self.assertRaises(AssertionError):
            body_of("tests/cli/login_test.cc#ThatIsNotThere")
        self.assertEqual(plain('"one "\n    "two \\"three\\""'), '"one two "three""')


if __name__ == "__main__":
    unittest.main()
