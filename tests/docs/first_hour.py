"""The commands of docs/first-hour.md, run as a reader runs them, against a det-operator of their own.

The page's rule for what may differ stands in its second paragraph; `masked` is that rule. The substitutions that a reader does not make:
a port and a data folder of its own for the cluster, and ~/train is the environment that scripts/train-env.sh made."""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from waiting import PATIENCE, free_port, wait_for  # noqa: E402

PAGE = ROOT / "docs" / "first-hour.md"
CACHE = pathlib.Path(os.environ.get("DET_OPERATOR_CACHE") or
                     pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "det-operator")
ENVIRONMENT = CACHE / "venv-determined-0.38.1"
PROGRAMS = pathlib.Path(os.environ.get("DET_OPERATOR_BIN", ROOT / "build" / "bin" / "det-operator")).parent

FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
MASKS = (
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "ID"),
    (r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+\d{4})", "TIME"),
    (r"\bpid \d+", "pid N"),
    (r"localhost:\d+", "localhost:PORT"),
    (r"(?<![\w.])/[\w./-]*/(first|data)\b", r"FOLDER/\1"),
    (r"\bfrom [\w-]+ namespace", "from X namespace"),
    (r"(?<= )\d+[smh](?:\d+s)?$", "AGE"),
    (r"to master\.\.\. [\d.]+", "to master... SIZE"),
    (r"after step \d+", "after step N"),
    (r"-{3,}", "--"),
    (r" {2,}", " "),
)
# What `det experiment wait` prints each minute: on a fast machine never.
STILL_WAITS = re.compile(r"Waiting for Experiment \d+ to complete\. Elapsed [\d.]+ minutes$")


@dataclasses.dataclass
class Step:
    """A command with the lines that follow it on the page, or a file to write."""

    command: str = ""
    expected: tuple = ()
    file: str = ""
    text: str = ""


def parts(page):
    """The local one, and the one about clusters."""
    local, heading, cluster = page.partition("\n## On a cluster\n")
    assert heading
    return local, cluster


def steps(page):
    for kind, title, text in FENCE.findall(page):
        if title:
            yield Step(file=title, text=text)
        elif kind == "console":
            for block in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, *expected = block.splitlines()
                yield Step(command=command, expected=tuple(expected))


def masked(line):
    for pattern, word in MASKS:
        line = re.sub(pattern, word, line)
    return line.rstrip()


def matches(expected, printed):
    """Whether the lines are those of the page; its line `...` stands for any number of them."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "..." else re.escape(masked(line)) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(masked(line) + "\n" for line in printed if not STILL_WAITS.match(line))) is not None


class Reader:
    """Somebody who follows the page, in a home of their own."""

    def __init__(self):
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="det-first-hour-", dir="/var/tmp"))
        self.home.chmod(0o755)
        (self.home / "train").symlink_to(ENVIRONMENT)
        self.folder = self.home
        self.data = self.home / "data"
        self.port = free_port()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "DET_")) and name != "VIRTUAL_ENV"}
        self.environment = {**kept, "HOME": str(self.home), "PATH": f"{PROGRAMS}:{os.environ['PATH']}", "DET_MASTER": f"http://localhost:{self.port}"}

    def own(self, command):
        command = command.replace("cluster-up", f"cluster-up --port {self.port} --data-dir {self.data}")
        return command.replace("cluster-down", f"cluster-down --data-dir {self.data}")

    def run(self, command):
        """What it prints, standard output and errors as a terminal shows them."""
        self.wait_before(command)
        place = self.home / ".place"
        script = f"set -o pipefail\ncd {self.folder}\n{self.own(command)}\ncode=$?\npwd > {place}\nexit $code"
        done = subprocess.run(["bash", "-c", script], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}")
        self.folder = pathlib.Path(place.read_text().strip())
        return done.stdout.splitlines()

    def wait_before(self, command):
        """Where the page says "wait"."""
        if "pause 3" in command:
            wait_for("trial of experiment 3 takes a step", lambda: self.json("det experiment list --json")[-1].get("progress"))
        elif "going on" in command:
            wait_for("experiment 3 goes on", lambda: "going on after" in "\n".join(self.run("det experiment logs 3")))

    def json(self, command):
        found = json.loads("\n".join(self.run(command)))
        return sorted(found if isinstance(found, list) else found["experiments"], key=lambda one: one["id"])

    def write(self, file, text):
        (self.folder / file).write_text(text)

    def leave(self):
        subprocess.run([str(PROGRAMS / "det"), "deploy", "local", "cluster-down", "--data-dir", str(self.data)], env=self.environment,
                       capture_output=True, timeout=PATIENCE, check=False)
        shutil.rmtree(self.home, ignore_errors=True)


class ClusterReader(Reader):
    """The same somebody, on the control plane of scripts/stack.sh. There is no registry: what the chart installs gets no pods, and the
    operator of the stack, the same program, does the work. The definitions are there before the chart is."""

    def __init__(self):
        super().__init__()
        self.state = self.home / "stack"
        try:
            self.stack("up", "--slots", "2")
        except BaseException:
            self.leave()  # what it has started by then
            raise
        settings = dict(re.findall(r"^export (\w+)=(\S+)$", (self.state / "env").read_text(), re.MULTILINE))
        tools = CACHE / "tools"
        self.environment |= {"DET_MASTER": settings["DET_MASTER"], "KUBECONFIG": settings["KUBECONFIG"],
                             "PATH": f"{tools}:{self.environment['PATH']}"}
        self.folder = self.home / "first"
        self.folder.mkdir()

    def stack(self, verb, *arguments):
        environment = {**os.environ, "DET_OPERATOR_BIN": str(PROGRAMS / "det-operator")}
        done = subprocess.run([ROOT / "scripts" / "stack.sh", verb, "--state", self.state, *arguments], env=environment, capture_output=True,
                              text=True, timeout=PATIENCE * 2, check=False)
        if done.returncode != 0:
            raise AssertionError(f"stack.sh {verb} ended with {done.returncode}:\n{done.stderr}")

    def own(self, command):
        command = command.replace("helm/det-operator ", f"{ROOT}/helm/det-operator ")
        if command.startswith("helm install"):
            command += " --set crds.install=false --set nodeSelector.first-hour=nowhere"
        return command

    def wait_before(self, command):
        """A trial's status is written behind that of its experiment."""
        if command == "kubectl get experiments,trials":
            states = lambda: [trial.get("status", {}).get("state") for trial in json.loads("\n".join(self.run("kubectl get trials -o json")))["items"]]
            wait_for(lambda: f"trials are over: {states()}", lambda: set(states()) == {"COMPLETED"})

    def leave(self):
        self.stack("down")
        shutil.rmtree(self.home, ignore_errors=True)
