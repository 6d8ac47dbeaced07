"""Python tests wait for what they read, and for long enough: what a faster or slower machine would decide otherwise is found by looking at
their syntax."""

import ast
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
sys.path.insert(0, str(TESTS / "support"))
from waiting import PATIENCE, TEST_PORTS  # noqa: E402

# Where time itself is what is tested, or what waits. Everywhere else a pause stands for a condition that could be waited for.
SLEEPS = {
    "support/waiting.py": "between two looks at a condition",
    "gang/cluster.py": "between two looks that nothing happens; before a request that the API server asked to be repeated",
    "gang/coscheduling_player.py": "between two rounds of a program that plays a scheduler",
    "attacks/flood_test.py": "the attack itself is slow",
    "chaos/chaos.py": "faults come at random moments and last for a while",
    "chaos/event_driver.py": "between two looks at a log",
    "e2e/failures_test.py": "the outage itself",
    "local_mode/notebook_test.py": "a tab is open and nothing is sent, for longer than a notebook may idle",
    "webui/quick.py": "the server is away for as long as the test says",
    "webui/train.py": "it trains while a page is looked at, for as long as the test says",
    "e2e/tasks_test.py": "somebody looks at a page now and then, for longer than it may idle",
}
# A wait that must be over sooner: (file, seconds) -> why.
HASTE = {
    ("attacks/download_test.py", 1): "nobody is to come: longer would prove more",
    ("attacks/server.py", 1): "silence is the end of what is said",
    ("attacks/flood_test.py", 0.02): "between two bytes of an attack",
    ("attacks/flood_test.py", 14): "a timer of the server does the same after fifteen seconds",
    ("attacks/flood_test.py", 90): "before, a timer of the server did the same after two minutes",
    ("attacks/neighbour_test.py", 5): "one of many requests while a server starts; those that come to nothing are not counted",
    ("attacks/server.py", 5): "one look of many",
    ("e2e/s3_test.py", 10): "one look of many",
    ("kubelet/outage_test.py", 2): "between two looks of a thread",
    ("local_mode/local.py", 5): "one look of many",
    ("local_mode/sign_in_test.py", 10): "one look of many",
    ("local_mode/storage_downloads_test.py", 5): "one look of many",
}
CLOCKS = {"monotonic", "perf_counter", "time"}


def called(node):
    """The name of what a call calls, without what it belongs to."""
    return getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""


def is_fresh(node):
    """Whether an expression is a part of what a call has just returned."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return isinstance(node, ast.Call)


def reads_clock(node):
    return any(isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and getattr(each.func.value, "id", "") == "time"
               and each.func.attr in CLOCKS for each in ast.walk(node))


def faults(name, text):
    """Sentences about a file, `name` below tests/."""
    for node in ast.walk(ast.parse(text)):
        said = fault(name, node)
        if said:
            yield f"{name}:{node.lineno}: {said}"


def fault(name, node):
    if isinstance(node, ast.Subscript) and getattr(node.slice, "value", None) == "status" and is_fresh(node.value):
        return 'an object that has just been read may have no status yet: .get("status", {}), and wait for what it is to say'
    if isinstance(node, ast.FunctionDef) and node.name in ("wait_for", "free_port") and name != "support/waiting.py":
        if not any(called(each) == node.name for each in ast.walk(node)):
            return f"{node.name} is in tests/support/waiting.py"
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        found = re.search(r"--timeout=(\d+)s", node.value)
        if found and int(found[1]) < PATIENCE:
            return f"{found[0]} is short for a loaded machine"
    return fault_of_call(name, node) if isinstance(node, ast.Call) else None


def limit_of(node):
    """The seconds that a call waits at most, where they are written down: timeout=5, wait_for(what, condition, 5), process.wait(5)."""
    what = called(node)
    places = {"wait_for": 2, "wait": 0, "join": 0, "settimeout": 0}
    place = places.get(what)
    limit = next((word.value for word in node.keywords if word.arg == "timeout"), None)
    if limit is None and place is not None and len(node.args) > place:
        limit = node.args[place]
    return limit.value if isinstance(limit, ast.Constant) and isinstance(limit.value, (int, float)) else None


def fault_of_call(name, node):
    what = called(node)
    if what == "sleep" and getattr(node.func.value, "id", "") == "time" and name not in SLEEPS:
        return "a pause stands for no condition: wait_for it, or say in SLEEPS why time itself is meant"
    seconds = limit_of(node)
    if seconds is not None and seconds < PATIENCE and (name, seconds) not in HASTE:
        return f"a wait for {seconds} s is short for a loaded machine, and a longer one costs nothing"
    if what.startswith("assert") and any(reads_clock(each) for each in node.args):
        return "how long something takes is for bench/, not for a test"
    return None


class Waiting(unittest.TestCase):
    def test_tests_wait_for_what_they_read(self):
        files = sorted(TESTS.rglob("*.py"))
        self.assertGreater(len(files), 80)
        found = [each for path in files for each in faults(str(path.relative_to(TESTS)), path.read_text())]
        self.assertEqual(found, [])

    def test_browsers_wait_as_long(self):
        """How long a page is waited for is said once, for all waits."""
        scripts = sorted(TESTS.rglob("*.mjs"))
        self.assertGreater(len(scripts), 8)
        found = [f"{path.name}: {each}" for path in scripts for each in re.findall(r"(?:timeout: |setDefaultTimeout\()[\d_]+", path.read_text())]
        self.assertEqual(found, [f"chromium.mjs: setDefaultTimeout({PATIENCE:_}_000"])

    def test_no_server_of_a_test_takes_the_port_of_a_trial(self):
        """A trial opens its ports when its program has started; whoever has one by then makes it fail."""
        blocks = (ROOT / "operator/gang/port_blocks.h").read_text()
        first = int(re.search(r"kTrialPorts = \{\.first = ([\d']+)", blocks)[1].replace("'", ""))
        self.assertLess(first, int(re.search(r"kTaskPorts = \{\.first = ([\d']+)", blocks)[1].replace("'", "")))
        self.assertLessEqual(TEST_PORTS[1], first)
        for script in ("scripts/stack.sh", "scripts/cluster/up.sh", "scripts/quickstart.sh"):
            ((low, count, width),) = re.findall(r"\$\(\((\d+) \+ RANDOM % (\d+)(?: \* (\d+))?\)\)", (ROOT / script).read_text())
            self.assertLessEqual(int(low) + int(count) * int(width or 1), first, script)

    def test_what_is_allowed_is_there(self):
        for name in [*SLEEPS, *(file for file, _ in HASTE)]:
            self.assertTrue((TESTS / name).exists(), name)
        for name in SLEEPS:
            self.assertIn("time.sleep(", (TESTS / name).read_text(), name)
        for name, seconds in HASTE:
            limits = {limit_of(node) for node in ast.walk(ast.parse((TESTS / name).read_text())) if isinstance(node, ast.Call)}
            self.assertIn(seconds, limits, name)

    def test_each_fault_is_noticed(self):
        for text in ('get("trial", "a")["status"]["state"]', 'wait_for("x", lambda: get("a")["items"][0]["status"]["phase"] == "Running")',
                     "time.sleep(1)", 'wait_for("x", condition, 30)', "urlopen(request, timeout=10)", 'wait_for("x", condition, timeout=60)', "process.wait(5)", "connection.settimeout(5)", "thread.join(5)", 'kubectl("wait", "--timeout=%ds")' % 30,
                     "def wait_for(what, condition):\n    pass", "self.assertLess(time.monotonic() - start, 5)"):
            self.assertEqual(len(list(faults("some_test.py", text))), 1, text)
        for text in ('get("trial", "a").get("status", {}).get("state")', 'for pod in pods:\n    pod["status"]["phase"]', 'wait_for("x", condition, 600)',
                     'kubectl("wait", "--timeout=300s")', "self.assertLess(count, 5)", '", ".join(names)', "process.wait()", "def wait_for(what, condition):\n    return waiting.wait_for(what, condition)"):
            self.assertEqual(list(faults("some_test.py", text)), [], text)


if __name__ == "__main__":
    unittest.main()
