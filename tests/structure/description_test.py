"""The description of the REST API (api/description) against the sources: every route has one, every argument that a handler reads is in it and
every argument in it is read, names are upstream's, and docs/rest-api.md is what it says. What routes answer is compared in tests/api."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

import rest_reference

ROOT = rest_reference.ROOT
API = ROOT / "api"
CACHE = pathlib.Path(os.environ.get("DET_OPERATOR_CACHE") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "det-operator")
# Reads that are not by a name in the source: these are built, or looked for in a table.
BUILT = {"timeSeriesFilter."}
# Said of what clients send and nobody reads.
UNREAD = ("Not looked at", "Not kept", "Refused", "The path says it", "Only empty", "Kept as it is")

QUERY_READ = re.compile(r'\b(?:query|arguments|QueryArguments\([^;]*?\))\.(?:text|texts|integer|integers|boolean|time|words)\(\s*"([^"]+)"')
BODY_READ = re.compile(r'\b\w+\.(?:string|integer|number|boolean|strings|object|any|require)\(\s*"(\w+)"')


def without_comments(text):
    return re.sub(r"^\s*//.*$", "", text, flags=re.M)


def sources(room):
    return "\n".join(without_comments(path.read_text()) for pattern in ("*.cc", "*.h") for path in sorted((API / room).glob(pattern)) if path.name != "routes.cc")


def text_of(written):
    return rest_reference.Value(written).text if isinstance(written, str) else ""


def type_names(written):
    """The forms that a value refers to."""
    if isinstance(written, str):
        return set(re.findall(r"\b[A-Z]\w*", rest_reference.Value(written).type))
    if isinstance(written, dict):
        return set().union(set(), *map(type_names, written.values()))
    return set().union(set(), *(type_names(one) for one in written if not isinstance(one, str) or " " in one or one in FORMS))


FILES = rest_reference.description()
FORMS = rest_reference.merged(FILES, "forms")
GROUPS = rest_reference.merged(FILES, "parameters")
ROUTES = rest_reference.merged(FILES, "routes")
ROOMS = rest_reference.routes_of_rooms()


def query_of(written):
    named = dict(written.get("query") or {})
    for group in written.get("with") or []:
        named |= GROUPS[group]
    return named


def members(written, seen=frozenset()):
    """(name, value) of a value and of all forms in it."""
    if isinstance(written, dict):
        for name, one in written.items():
            if name != "one of":
                yield name, one
            yield from members(one, seen)
    elif isinstance(written, list):
        for one in written:
            yield from members(one, seen)
    else:
        for form in type_names(written) - seen:
            if isinstance(FORMS.get(form), dict):
                yield from members(FORMS[form], seen | {form})


class Routes(unittest.TestCase):
    def test_are_all_described_and_no_others(self):
        self.assertGreater(len(ROUTES), 250)
        self.assertEqual(set(ROUTES), {route for room in ROOMS.values() for route in room})

    def test_say_what_they_take_and_give(self):
        known = {"rpc", "own", "id", "summary", "with", "query", "headers", "body", "answer", "stream", "file", "websocket", "errors", "refused", "who"}
        for route, written in ROUTES.items():
            with self.subTest(route):
                self.assertLessEqual(set(written), known)
                self.assertEqual(len({"rpc", "own", "id"} & set(written)), 1)
                self.assertEqual(len({"answer", "stream", "file", "websocket", "refused"} & set(written)), 1)
                self.assertTrue(written["summary"].endswith("."))

    def test_that_read_no_body_describe_none(self):
        for room in ROOMS.values():
            for route, row in room.items():
                if row[6] == "kNone":
                    self.assertNotIn("body", ROUTES[route], route)

    def test_have_the_names_that_upstreams_clients_know(self):
        found = sorted(CACHE.glob("venv-determined-0.38.1/lib/python3*/site-packages/determined/common/api/bindings.py"))
        if not found:
            self.skipTest("Not run: harness 0.38.1 is not installed")
        names = {}
        for part in re.split(r"^def (?=(?:get|post|put|patch|delete)_\w+\()", found[-1].read_text(), flags=re.M)[1:]:
            path, method = re.search(r'path=f?"([^"]+)"', part), re.search(r'method="(\w+)"', part)
            if path and method:
                names[f"{method[1]} {re.sub(r'{[^}]*}', '{}', path[1])}"] = re.match(r"[a-z]+_(\w+)", part)[1]
        self.assertGreater(len(names), 200)
        for route, written in ROUTES.items():
            name = names.get(re.sub(r"{[^}]*}", "{}", route))
            with self.subTest(route):
                if name:
                    self.assertEqual(written.get("rpc") or written.get("id"), name)
                elif "rpc" in written:
                    self.assertIn(written["rpc"], OLDER)


# RPCs of versions before 0.38.
OLDER = {"GetSearcherEvents", "PostSearcherOperations", "GetCurrentTrialSearcherOperation", "CompleteTrialSearcherValidation"}


class Forms(unittest.TestCase):
    def test_that_are_named_are_there(self):
        named = set()
        for written in [*FORMS.values(), *GROUPS.values(), *rest_reference.merged(FILES, "path").values()]:
            named |= type_names(written)
        for route in ROUTES.values():
            for key in ("query", "body", "answer", "stream"):
                named |= type_names(route.get(key) or {})
        self.assertEqual(named - set(FORMS), set())
        self.assertEqual(set(FORMS) - named - {"Error", "PlainError", "StreamError", "MetricValue"}, set(), "forms that nothing has")

    def test_parameters_that_are_there_are_used(self):
        self.assertEqual(set(GROUPS), {group for written in ROUTES.values() for group in written.get("with") or []})


class Arguments(unittest.TestCase):
    def test_of_queries_that_are_read_are_described(self):
        for room, routes in ROOMS.items():
            text = sources(room)
            read = set(QUERY_READ.findall(text))
            if ".page()" in text:
                read |= {"offset", "limit"}
            if ".order()" in text:
                read |= {"orderBy"}
            described = {name for route in routes for name in query_of(ROUTES[route])}
            with self.subTest(room):
                self.assertEqual(read - described, set())

    def test_of_queries_that_are_described_are_read(self):
        common = "\n".join(without_comments(path.read_text()) for path in sorted(API.glob("*.cc")))
        for room, routes in ROOMS.items():
            text = sources(room) + common
            for route in routes:
                for name, written in query_of(ROUTES[route]).items():
                    if text_of(written).startswith(UNREAD) or room == "pages":
                        continue
                    with self.subTest(f"{route} {name}"):
                        is_built = any(name.startswith(start) for start in BUILT)
                        words = name.split(".")[1:] if is_built else [name]
                        self.assertTrue(all(f'"{word}"' in text or f".{word}\"" in text for word in words))

    def test_of_bodies_that_are_read_are_described(self):
        for room, routes in ROOMS.items():
            described = {name for route in routes for name, _ in members(ROUTES[route].get("body") or {})}
            described |= {re.sub(r"[A-Z]", lambda m: "_" + m[0].lower(), name) for name in described}
            read = set(BODY_READ.findall(sources(room))) - {name for route in routes for name in query_of(ROUTES[route])}
            with self.subTest(room):
                self.assertEqual(read - described - FREE.get(room, set()), set())

    def test_of_bodies_that_are_described_are_read(self):
        text = "\n".join(sources(room) for room in ROOMS)
        for route, written in ROUTES.items():
            for name, value in members(written.get("body") or {}):
                if text_of(value).startswith(UNREAD):
                    continue
                with self.subTest(f"{route} {name}"):
                    self.assertRegex(text, rf'"{name}"|[.]{name}"')


class Answers(unittest.TestCase):
    def test_that_are_described_are_written(self):
        """Member by member; whether they are of the type that is said, and all that there are, is seen where tests get them."""
        text = "\n".join(sources(room) for room in ROOMS) + "\n".join(path.read_text() for path in [*API.glob("*.cc"), *sorted((ROOT / "wire").glob("*.cc"))])
        for route, written in ROUTES.items():
            for name, _ in members([written.get("answer") or {}, written.get("stream") or {}]):
                with self.subTest(f"{route} {name}"):
                    self.assertTrue(re.search(rf'"{name}"', text), f"no code writes \"{name}\"")


# Read from what is described as an object of any members, or from what is not a body.
FREE = {"checkpoints": {"size", "steps_completed"}}


class Page(unittest.TestCase):
    def test_is_what_the_description_says(self):
        done = subprocess.run([sys.executable, ROOT / "tests" / "structure" / "rest_reference.py", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
