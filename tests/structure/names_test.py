"""Python code uses only names that there are: a suite of half an hour would find a missing import at its end."""

import ast
import builtins
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def unknown(text):
    """Names that a file reads and nothing in it makes, wherever in it."""
    made, read = {*dir(builtins), "__file__"}, set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            made.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            made |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.arg):
            made.add(node.arg)
        elif isinstance(node, ast.ExceptHandler):
            made.add(node.name)
        elif isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else made).add(node.id)
    return read - made


class Names(unittest.TestCase):
    def test_there_are_all_that_are_used(self):
        files = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
        self.assertGreater(len(files), 200)
        found = {name: names for name in files if (names := unknown((ROOT / name).read_text()))}
        self.assertEqual(found, {})

    def test_a_missing_import_is_noticed(self):
        self.assertEqual(unknown("from waiting import PATIENCE\ntime.sleep(PATIENCE)"), {"time"})
        self.assertEqual(unknown("import os.path as p\ndef f(a, *b):\n    try:\n        return p, a, b, len(c for c in b)\n    except OSError as e:\n        raise e"), set())


if __name__ == "__main__":
    unittest.main()
