"""docs/rest-api.md, made from the description of the REST API and the tables of routes: rest_reference.py [--check]

Without --check the page is written anew; with it, a difference is an error. api/description/common.yaml says how the description is written."""

import pathlib
import re
import sys
import textwrap

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "rest-api.md"
WHO = {
    "kAnyone": "everybody, without a token",
    "kAnyToken": "any token; that of a run only for what is its own",
    "kPeople": "people, also by `DET_USER_TOKEN`",
    "kOwner": "the owner and admins, also by `DET_USER_TOKEN`",
    "kItsTask": "the tokens of its run, its owner and admins",
    "kOwnerLogin": "logins of the owner and of admins",
    "kAdminLogin": "logins of admins",
}
HEAD = """# REST API

<!-- Made by tests/structure/rest_reference.py from api/description/*.yaml: do not edit. -->

What clients of Determined speak, and what det-operator adds. A server tells the same at `/api/v1/openapi.json` (OpenAPI 3.0, for generated clients) and at `/docs`, where what is read can be tried with a token.

- The token of `POST /api/v1/auth/login` or an [access token](access-tokens.md) goes into the header `Authorization: Bearer TOKEN`.
- Names of query parameters and of members of bodies are taken in camelCase and in snake_case. What is not described is ignored; null stands for what is \
left out. Lists in a query repeat the name. Clients must expect further members in answers.
- Errors of `/api/v1/` are `{"error": {"code": 5, "reason": "NotFound", "error": "why"}}`, those of other paths `{"message": "why"}`. A stream is lines of \
`{"result": MESSAGE}`; one that breaks ends with `{"error": ...}`.
- `time` is RFC 3339, `int64` a whole number as text, `metric` a number or `"NaN"`, `"Infinity"`, `"-Infinity"`, `base64` bytes as text; `= 3` says what \
counts where it is left out, `0..10` what is allowed. **Bold** is needed.
- Who may call a route stands behind its name. Where roles rule, permissions take the place of owners and admins ([roles.md](roles.md)).
"""


class Value:
    """One value, as common.yaml says."""

    def __init__(self, written):
        rest, _, self.text = written.partition(" | ")
        rest, _, self.default = rest.partition(" = ")
        self.required = rest.startswith("required ")
        rest = rest.removeprefix("required ")
        head, _, last = rest.rpartition(" ")
        self.bounds = last if ".." in last else ""
        rest = head if self.bounds else rest
        self.type, _, self.unit = rest.partition(" in ")
        if self.unit:
            self.text = f"In {self.unit}. {self.text}".strip()


def description():
    """The files, by name."""
    return {path.name: yaml.safe_load(path.read_text()) for path in sorted((ROOT / "api" / "description").glob("*.yaml"))}


def merged(files, key):
    return {name: written for file in files.values() for name, written in (file.get(key) or {}).items()}


def table_rows(text):
    """Of a table of routes its rows, as lists of their columns."""
    found = re.search(r"to_array<RouteEntry>\(\{(.*?)\n\}\);", text, re.S)
    for row in re.findall(r'\{("[A-Z]+", .*?)\}(?=,\s*(?:\{|//|$))', found[1], re.S):
        yield [column.strip(' "\n') for column in row.split(",")]


def routes_of_rooms():
    """Room -> {route: columns of its row}."""
    return {path.parent.name: {f"{row[0]} {row[1]}": row for row in table_rows(path.read_text())} for path in sorted((ROOT / "api").glob("*/routes.cc"))}


def cell(text):
    return text.replace("|", "\\|")


def wrapped(line):
    """A paragraph or an item of a list in lines of 120 characters; a row of a table is one line."""
    if line.startswith(("|", "#", "<")):
        return line
    return textwrap.fill(line, 120, subsequent_indent="  " if line.startswith("- ") else "", break_long_words=False, break_on_hyphens=False)


class Page:
    def __init__(self, files, rows):
        self.files, self.rows = files, rows
        self.forms, self.groups = merged(files, "forms"), merged(files, "parameters")
        self.places = merged(files, "path")
        self.lines = [HEAD]

    def type_text(self, name):
        return re.sub(r"\b[A-Z]\w+", lambda m: f"[{m[0]}](#form-{m[0].lower()})" if m[0] in self.forms else m[0], name)

    def short(self, written):
        if isinstance(written, str):
            return self.type_text(Value(written).type)
        if isinstance(written, dict) and set(written) == {"one of"}:
            return " or ".join(map(self.short, written["one of"]))
        if isinstance(written, dict):
            return "{" + ", ".join(f"{name}: {self.short(one)}" for name, one in written.items()) + "}"
        return ", ".join(f"`{word}`" for word in written)

    def row(self, name, written):
        if not isinstance(written, str):
            return f"| {name} | {cell(self.short(written))} | |"
        value = Value(written)
        type_text = self.type_text(value.type) + (f" {value.bounds}" if value.bounds else "") + (f" = {value.default}" if value.default else "")
        shown = f"**{name}**" if value.required else name
        return f"| {shown} | {cell(type_text)} | {cell(value.text)} |"

    def table(self, title, members):
        if members:
            self.lines += ["", f"| {title} | | |", "| --- | --- | --- |", *members]

    def form(self, title, written):
        if isinstance(written, dict) and written and set(written) != {"one of"}:
            self.table(title, [self.row(name, one) for name, one in written.items()])
        elif written == {}:
            self.lines += ["", f"{title.capitalize()}: an empty object."]
        else:
            self.lines += ["", f"{title.capitalize()}: {self.short(written)}."]

    def path_names(self, route):
        segments = route.split(" ")[1].split("/")
        for before, segment in zip(segments, segments[1:]):
            if segment.startswith("{"):
                value = Value(self.places[f"{before}/{segment}"])
                yield f"**{segment.strip('{.}')}** {self.type_text(value.type)}{' ' + value.bounds if value.bounds else ''}: {value.text}"

    def route(self, route, written):
        row = self.rows[route]
        query = dict(written.get("query") or {})
        for group in written.get("with") or []:
            query |= self.groups[group]
        who = written["who"].rstrip(".") + "." if "who" in written else f"For {WHO[row[2]]}."
        name = written.get("rpc") or written.get("own") or written.get("id")
        self.lines += ["", f"### {route}", "", f"{written['summary']} `{name}`. {who}"]
        for text in self.path_names(route):
            self.lines += ["", text]
        self.table("query", [self.row(one, spec) for one, spec in sorted(query.items())])
        self.table("header", [self.row(one, spec) for one, spec in sorted((written.get("headers") or {}).items())])
        if "body" in written:
            self.form("body", written["body"])
        if "websocket" in written:
            self.lines += ["", f"101: {written['websocket']}"]
        elif "file" in written:
            types = written["file"] if isinstance(written["file"], list) else [written["file"]]
            self.lines += ["", "Answer: " + " or ".join(types) + "."]
        elif "stream" in written:
            self.form("messages", written["stream"])
        elif "refused" in written:
            self.lines += ["", f"Answer: 501. {written['refused']}"]
        else:
            self.form("answer", written["answer"])
        for status, text in (written.get("errors") or {}).items():
            self.lines += ["", f"{status}: {text}"]

    def make(self):
        tags = [file for file in self.files.values() if "tag" in file]
        self.lines += ["| tag | |", "| --- | --- |", *(f"| [{file['tag']}](#{file['tag'].lower()}) | {file['about']} |" for file in tags), "| [Forms](#forms) | What has a name. |"]
        for file in tags:
            self.lines += ["", f"## {file['tag']}", "", file["about"]]
            for route, written in file["routes"].items():
                self.route(route, written)
        self.lines += ["", "## Forms"]
        for name, written in sorted(self.forms.items()):
            self.lines += ["", f'<a id="form-{name.lower()}"></a>', "", f"### {name}"]
            self.form("member" if isinstance(written, dict) else "words", written)
        return "\n".join(map(wrapped, "\n".join(self.lines).split("\n"))) + "\n"


def page():
    rows = {route: row for room in routes_of_rooms().values() for route, row in room.items()}
    return Page(description(), rows).make()


def main():
    new = page()
    if sys.argv[1:] == ["--check"]:
        if not DOCUMENT.is_file() or DOCUMENT.read_text() != new:
            raise SystemExit("docs/rest-api.md is not what the description says: run tests/structure/rest_reference.py")
    else:
        DOCUMENT.write_text(new)


if __name__ == "__main__":
    main()
