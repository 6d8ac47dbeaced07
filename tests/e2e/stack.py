"""The stack that scripts/test.sh started, as these tests use it: kubectl, det, psql, REST, and bounded waiting."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from example_objects import example_object  # noqa: E402
from kube_reader import KubeReader  # noqa: E402
import waiting  # noqa: E402
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


def run(*command, stdin=None, check=True, timeout=330, cwd=ROOT):
    process = subprocess.run([str(c) for c in command], input=stdin, capture_output=True, text=True, timeout=timeout, env=ENV, cwd=cwd)
    if check and process.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {process.returncode}:\n{process.stdout}{process.stderr}")
    return Finished(process)


def kubectl(*args, **options):
    return run(CACHE / "tools" / "kubectl", *args, **options)


_reader = None


def get(*what):
    """The object, or the list."""
    global _reader
    if _reader is None:
        _reader = KubeReader(SETTINGS["KUBECONFIG"], lambda *words: kubectl(*words).out)
    return _reader.get(*what)


def det(*args, **options):
    return run(pathlib.Path(sys.executable).parent / "det", *args, **options)


def as_admin(*args, **options):
    """det of the user admin, with a login of its own."""
    with tempfile.TemporaryDirectory() as home:
        return run("env", "DET_USER=admin", "DET_PASS=", f"XDG_CONFIG_HOME={home}", pathlib.Path(sys.executable).parent / "det", *args, **options)


def sql(query):
    """Rows of text fields."""
    out = run("psql", SETTINGS["DET_DATABASE_URL"], "-At", "-F", "\t", "-c", query).out
    return [line.split("\t") for line in out.splitlines()]


def stack(*args):
    return run(ROOT / "scripts" / "stack.sh", *args, "--state", STATE)


def pid_of(name):
    return int((STATE / f"{name}.pid").read_text())


_token = None


def token():
    """That of a login of user determined."""
    global _token
    if _token is None:
        _token = api("POST", "/api/v1/auth/login", {"username": "determined", "password": "", "isHashed": True})["token"]
    return _token


def api(method, path, body=None, lines=False):
    """One call of the REST API as user determined; the parsed answer, or with `lines` the results of a stream."""
    if path != "/api/v1/auth/login":
        token()
    request = urllib.request.Request(SETTINGS["DET_MASTER"] + path, method=method, data=None if body is None else json.dumps(body).encode())
    if _token:
        request.add_header("Authorization", f"Bearer {_token}")
    with urllib.request.urlopen(request, timeout=waiting.PATIENCE) as answer:
        text = answer.read()
    if lines:
        return [json.loads(line)["result"] for line in text.splitlines() if line.strip()]
    return json.loads(text or b"{}")


def wait_for(what, condition, timeout=waiting.PATIENCE):
    """Five times a second: each look is mostly a kubectl."""
    return waiting.wait_for(what, condition, timeout, 0.2)


def status_of(kind, name):
    """What the object's status says by now; {} while it has none."""
    return get(kind, name).get("status", {})


def whole_condition(kind, name, condition):
    """The condition of an object; {} while it has none."""
    return next((entry for entry in status_of(kind, name).get("conditions", []) if entry["type"] == condition), {})


def condition_of(kind, name, condition):
    """Status of a condition of an object, or '' while it has none."""
    return whole_condition(kind, name, condition).get("status", "")


def wait_condition(kind, name, condition, status, reason=None):
    """The condition, once it has that status, and that reason if one is named."""
    right = lambda: (it := whole_condition(kind, name, condition)).get("status") == status and reason in (None, it["reason"]) and it
    return wait_for(lambda: f"{kind} {name} is {condition}={status} {reason or ''}: {whole_condition(kind, name, condition)}", right)


def wait_counts(experiment, **expected):
    """Waits until the status of the experiment's only trial has these values; the status. It is written behind what it tells of."""
    def right():
        status = trial_status(experiment)
        return all(status.get(field) == value for field, value in expected.items()) and status
    return wait_for(lambda: f"{experiment}: {expected}: {trial_status(experiment)}", right)


def wait_complete(experiment, condition="Complete"):
    kubectl("wait", f"--for=condition={condition}", "--timeout=300s", f"experiment/{experiment}")


def delete_whole(experiment):
    """Deletes it and waits until what belongs to it is gone, so that nothing of it is taken for a later one of its name, or in its way."""
    kubectl("delete", "experiment", experiment, "--timeout=300s", "--ignore-not-found")
    wait_for(lambda: f"nothing of {experiment}: {left_of(experiment)}", lambda: not left_of(experiment))


def left_of(experiment):
    """The names of what belongs to it."""
    return [f"{kind}/{one['metadata']['name']}" for kind in ("trials", "pods", "secrets")
            for one in get(kind, "-l", f"det-operator.dev/experiment={experiment}")["items"]]


def apply_example(example, name, **hyperparameters):
    kubectl("apply", "-f", "-", stdin=example_object(example, name, **hyperparameters))


def trial_of(experiment):
    """The experiment's only Trial object."""
    trials = get("trials", "-l", f"det-operator.dev/experiment={experiment}")["items"]
    return trials[0] if trials else None


def trial_status(experiment):
    """What its status says by now."""
    return (trial_of(experiment) or {}).get("status", {})
