"""The list of attacks of docs/security.md, made from the tests' own words: table.py [--check]

Each test says in its docstring what commit a620492 did and what a client sees now. Without --check the list in the document is written
anew; with it, a difference is an error."""

import ast
import pathlib
import re
import sys
import textwrap

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
            before, now = (" ".join(text.split()) for text in said.groups())
            attack = node.name[5:].replace("_", " ").capitalize()
            yield wrapped(f"- **{attack}.** Before: {before} Now: {now} (`{path.stem}`)")


def wrapped(text):
    lines = textwrap.wrap(text, 118, break_long_words=False, break_on_hyphens=False)
    for i in range(1, len(lines)):
        while re.match(r"(?:\d+[.)]|[-+*#>]+)(?:\s|$)", lines[i]):  # would begin a list, a heading or a quotation
            lines[i - 1], _, word = lines[i - 1].rpartition(" ")
            lines[i] = f"{word} {lines[i]}"
    return "\n  ".join(lines)


def document(text):
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    return head + BEGIN + "\n" + "\n".join(rows()) + "\n\n" + END + tail  # Markdown ends a comment's block with an empty line


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
