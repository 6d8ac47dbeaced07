"""How the pages look that people read: lines of at most 120 characters, tables of at most five columns, no C++ on pages for users, every
page in the site's path, every relative link to something that is there. (The built site: tests/docs/site_test.py.)"""

import pathlib
import re
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *(DOCS / "reference").glob("*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"])
WIDTH, COLUMNS, CELL = 120, 5, 105
# Rows that are longer, or tables that are wider, each with its reason.
LONG_ROWS = {"rights.md": "a row is held against the chart and the source", "benchmarks.md": "figures side by side",
             "rest-api.md": "made from the API's description"}
# For those who work on the program.
OF_DEVELOPERS = {"architecture.md", "benchmarks.md", "development.md", "rights.md", "CHANGELOG.md"}
CPP = re.compile(r"\b[\w/]+\.(?:cc|h)\b|\bstd::|\bcoroutines?\b|\bASan\b")
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s]*)\)")


def lines(text):
    """(number, line, whether it is a row of a table) outside of fences, as it reads: without the targets of links."""
    in_fence = False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*```", line):
            in_fence = not in_fence
        elif not in_fence:
            yield number, re.sub(r"\]\([^)\s]*\)", "]", line), re.match(r"\s*\|", line) is not None


def cells(row):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def faults(name, text):
    for number, line, is_row in lines(text):
        if is_row and name in LONG_ROWS:
            continue
        if len(line) > WIDTH:
            yield f"{name}:{number}: {len(line)} characters"
        if is_row and len(cells(line)) > COLUMNS:
            yield f"{name}:{number}: {len(cells(line))} columns"
        if is_row and max(map(len, cells(line))) > CELL:
            yield f"{name}:{number}: a cell of {max(map(len, cells(line)))} characters"
        if name not in OF_DEVELOPERS and CPP.search(line):
            yield f"{name}:{number}: {CPP.search(line)[0]}, which is for developers"


def in_path(nav):
    """The pages that mkdocs.yml names."""
    for entry in nav:
        for place in [entry] if isinstance(entry, str) else entry.values():
            yield from [place] if isinstance(place, str) else in_path(place)


class Form(unittest.TestCase):
    def test_lines_and_tables_are_short_and_users_are_spared_the_source(self):
        for page in PAGES:
            with self.subTest(page.name):
                self.assertEqual(list(faults(page.name, page.read_text())), [])

    def test_every_page_is_in_the_path(self):
        text = re.sub(r"!!python/object/apply:\S+ ", "", (ROOT / "mkdocs.yml").read_text())
        named = set(in_path(yaml.safe_load(text)["nav"]))
        self.assertEqual({page.relative_to(DOCS).as_posix() for page in PAGES if page.is_relative_to(DOCS)} - named, set())

    def test_relative_links_lead_to_files(self):
        for page in [*PAGES, *ROOT.glob("*.md"), *(ROOT / "examples").rglob("*.md")]:
            for link in LINK.findall(page.read_text()):
                path = link.partition("#")[0]
                with self.subTest(f"{page.name}: {link}"):
                    self.assertTrue(not path or (page.parent / path).exists())

    def test_yaml_on_the_pages_can_be_read(self):
        seen = 0
        for page in PAGES:
            for indent, text in re.findall(r"^( *)```yaml[^\n]*\n(.*?)^ *```", page.read_text(), re.MULTILINE | re.DOTALL):
                seen += 1
                with self.subTest(f"{page.name}: {text[:60]}"):
                    list(yaml.safe_load_all(re.sub(f"^{indent}", "", text, flags=re.MULTILINE)))
        self.assertGreater(seen, 15)

    def test_notices_what_is_wrong(self):
        self.assertEqual(len(list(faults("x.md", "word " * 30))), 1)
        self.assertEqual(list(faults("x.md", "```\n" + "word " * 30 + "\n```\n")), [])
        self.assertEqual(list(faults("x.md", "word " * 20 + "[x](" + "a" * 50 + ")")), [])
        self.assertEqual(len(list(faults("x.md", "| a | b | c | d | e | f |"))), 1)
        self.assertEqual(len(list(faults("x.md", "see `pods/pod_builder.cc`"))), 1)
        self.assertEqual(list(faults("architecture.md", "see `pods/pod_builder.cc`")), [])


if __name__ == "__main__":
    unittest.main()
