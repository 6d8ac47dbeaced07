"""The table of attacks of docs/security.md, made from the tests' own words: table.py [--check]

Each test says in its docstring what commit a620492 did and what a client sees now. Without --check the table in the document is written
anew; with it, a difference is an error."""

import ast
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
DOCUMENT = HERE.parents[1] / "docs" / "security.md"
BEGIN, END = "<!-- attacks -->\n", "<!-- /attacks -->\n"


def rows():
    """Of this folder every test is an attack, of the chart's those that say so."""
    for path in sorted(HERE.glob("*_test.py")) + sorted((HERE.parent / "helm").glob("*_test.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.FunctionDef) and node.name.startswith("test_")):
                continue
            said = re.fullmatch(r"a620492: (.+?)\n\s*now: (.+)", ast.get_docstring(node) or "", re.S)
            if said is None and path.parent != HERE:
                continue
            if said is None:
                raise SystemExit(f"{path.name}: {node.name} does not say what a620492 did (\"a620492: ...\") and what is so now (\"now: ...\")")
            before, now = (" ".join(text.split()).replace("|", "\\|") for text in said.groups())
            yield f"| {node.name[5:].replace('_', ' ')} | {before} | {now} | `{path.stem}` |"


def document(text):
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    table = ["| attack | commit a620492 | now | test |", "| --- | --- | --- | --- |", *rows()]
    return head + BEGIN + "\n".join(table) + "\n" + END + tail


def main():
    old = DOCUMENT.read_text()
    new = document(old)
    if sys.argv[1:] == ["--check"]:
        if new != old:
            raise SystemExit("docs/security.md does not have the attacks as the tests tell them: run tests/attacks/table.py")
    else:
        DOCUMENT.write_text(new)


if __name__ == "__main__":
    main()
