"""The stack that scripts/test.sh started, as these tests use it: kubectl, det, psql, REST, and bounded waiting."""

import json
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from example_objects import example_object  # noqa: E402
STATE = pathlib.Path(os.environ.get("DET_E2E_STATE", "/nonexistent"))


def _settings():
    text = (STATE / "env").read_text()
    return {name: value.strip("'") for name, value in re.findall(r"^export (\w+)=(.*)$", text, re.M)}


if not STATE.exists():
    sys.exit("DET_E2E_STATE must name the state folder of a running scripts/stack.sh")
SETTINGS = _settings()
ENV = {**os.environ, **SETTINGS, "XDG_CONFIG_HOME": str(STATE / "config"), "DET_CLI_COLORIZE": "0"}
CACHE = pathlib.Path(os.environ.get("DET_OPERATOR_CACHE") or
                     pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "det-operator")


class Finished:
    def __init__(self, process):
        self.code, self.out, self.err = process.returncode, process.stdout, process.stderr
        self.all = self.out + self.err


def run(*command, stdin=None, check=True, timeout=180, cwd=ROOT):
    process = subprocess.run([str(c) for c in command], input=stdin, capture_output=True, text=True, timeout=timeout, env=ENV, cwd=cwd)
    if check and process.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {process.returncode}:\n{process.stdout}{process.stderr}")
    return Finished(process)


def kubectl(*args, **options):
    return run(CACHE / "tools" / "kubectl", *args, **options)


def get(kind, name):
    return json.loads(kubectl("get", kind, name, "-o", "json").out)


def det(*args, **options):
    return run(pathlib.Path(sys.executable).parent / "det", *args, **options)


def sql(query):
    """Rows of text fields."""
    out = run("psql", SETTINGS["DET_DATABASE_URL"], "-At", "-F", "\t", "-c", query).out
    return [line.split("\t") for line in out.splitlines()]


def stack(*args):
    return run(ROOT / "scripts" / "stack.sh", *args, "--state", STATE)


def pid_of(name):
    return int((STATE / f"{name}.pid").read_text())


_token = None


def api(method, path, body=None, lines=False):
    """One call of the REST API as user determined; the parsed answer, or with `lines` the results of a stream."""
    global _token
    if _token is None and path != "/api/v1/auth/login":
        _token = api("POST", "/api/v1/auth/login", {"username": "determined", "password": "", "isHashed": True})["token"]
    request = urllib.request.Request(SETTINGS["DET_MASTER"] + path, method=method, data=None if body is None else json.dumps(body).encode())
    if _token:
        request.add_header("Authorization", f"Bearer {_token}")
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read()
    if lines:
        return [json.loads(line)["result"] for line in text.splitlines() if line.strip()]
    return json.loads(text or b"{}")


def wait_for(what, condition, timeout=90):
    """The first true value of condition(); asks five times a second, gives up with a sentence."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.2)
    raise AssertionError(f"after {timeout} s still not: {what}")


def condition_of(kind, name, condition):
    """Status of a condition of an object, or '' while it has none."""
    for entry in get(kind, name).get("status", {}).get("conditions", []):
        if entry["type"] == condition:
            return entry["status"]
    return ""


def apply_example(example, name, **hyperparameters):
    kubectl("apply", "-f", "-", stdin=example_object(example, name, **hyperparameters))


def trial_of(experiment):
    """The experiment's only Trial object."""
    trials = json.loads(kubectl("get", "trials", "-l", f"det-operator.dev/experiment={experiment}", "-o", "json").out)["items"]
    return trials[0] if trials else None
