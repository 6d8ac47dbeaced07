"""One `det-operator local` of a test's own, in a data folder of its own: started, killed, stopped; kubectl and SQL on it."""

import atexit
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from example_objects import example_object  # noqa: E402, F401
from kube_reader import KubeReader  # noqa: E402
from leftovers import end_processes_of, processes_of  # noqa: E402
from waiting import PATIENCE, PortTaken, free_port, said_port_taken, wait_for  # noqa: E402
CACHE = pathlib.Path(os.environ.get("DET_OPERATOR_CACHE") or
                     pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "det-operator")
PROGRAM = os.environ.get("DET_OPERATOR_BIN", str(ROOT / "build" / "bin" / "det-operator"))
KUBECTL = CACHE / "tools" / "kubectl"


class Answer:
    def __init__(self, status, text):
        self.status, self.text = status, text

    @property
    def json(self):
        return json.loads(self.text)

    def __repr__(self):
        return f"{self.status} {self.text[:500]}"


class Local:
    def __init__(self, slots=2, folder=None):
        """`folder`: a fixed one, emptied first."""
        if folder:
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="det-local-", dir="/var/tmp"))
        self.folder.chmod(0o755)
        self.data = self.folder / "data"
        self.slots = slots
        self.process = self.reader = None
        self.choose_port()

    def choose_port(self):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self, *args):
        """`args`: further arguments of `det-operator local`. Only the first start may take another port: later ones have clients."""
        is_first = self.process is None
        if is_first:
            atexit.register(self.abandon)
        elif self.process.poll() is None:
            raise AssertionError("it was started before and has not ended")  # two of one folder would hide each other
        while True:
            self.spawn(*args)
            try:
                return wait_for(f"det-operator local answers; its log is {self.folder}/log", self.answers)
            except PortTaken:
                if not is_first:
                    raise
                self.choose_port()

    def spawn(self, *args):
        self.reader = None  # its Kubernetes API may have another port
        self.log_before = len(self.log())
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "local", "--data-dir", self.data, "--listen", f"127.0.0.1:{self.port}", "--slots", str(self.slots), "--no-gpu",
                 *map(str, args)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, env=self.environment())

    def environment(self):
        """Tokens go into a folder of the test's own, where both `det`s find them too."""
        return {**os.environ, "DET_DEBUG_CONFIG_PATH": str(self.folder / "config")}

    @contextlib.contextmanager
    def own_logins(self):
        """The Python client in this process: its logins and the keys of shells stay in the test's folder."""
        with mock.patch.dict(os.environ, {**self.environment(), "XDG_CACHE_HOME": str(self.folder / "cache")}):
            for name in ("DET_USER", "DET_PASS", "DET_USER_TOKEN", "DET_SESSION_TOKEN"):
                os.environ.pop(name, None)
            yield

    def token(self, user="determined"):
        """That of whoever started it."""
        masters = json.loads((self.folder / "config" / "auth.json").read_text())["masters"]
        return masters[self.url]["tokens"][user]

    def answers(self):
        if self.process.poll() is not None:
            said = self.log()[self.log_before:]
            raise (PortTaken if said_port_taken(said) else AssertionError)(f"det-operator local ended with {self.process.returncode}:\n{said[-3000:]}")
        try:
            with urllib.request.urlopen(self.url + "/ready", timeout=5):
                return True
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def rest(self, method, path, body=None, token=None):
        request = urllib.request.Request(self.url + path, data=None if body is None else json.dumps(body).encode(), method=method)
        if token:
            request.add_header("Authorization", "Bearer " + token)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return Answer(answer.status, answer.read().decode())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.read().decode())

    def log(self):
        file = self.folder / "log"
        return file.read_text(errors="replace") if file.exists() else ""

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(PATIENCE)
        elif self.process:
            end_processes_of(self.data)
        return self.process.returncode

    def abandon(self):
        """What is left of it when the tests are interrupted: nobody's tearDown runs then."""
        if self.process.poll() is None or self.folder.exists():
            self.stop()
            self.remove()

    def remove(self):
        """The folder, unless DET_KEEP is set to look at it."""
        if not os.environ.get("DET_KEEP"):
            shutil.rmtree(self.folder, ignore_errors=True)

    def kubectl(self, *args, stdin=None, check=True, timeout=PATIENCE):
        done = subprocess.run([str(KUBECTL), "--kubeconfig", str(self.data / "kubeconfig"), *map(str, args)], input=stdin,
                              capture_output=True, text=True, timeout=timeout, check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(map(str, args))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout if check else done

    def get(self, *what):
        """The object, or the list."""
        if self.reader is None:
            self.reader = KubeReader(self.data / "kubeconfig", self.kubectl)
        return self.reader.get(*what)

    def items(self, kind, *args):
        return self.get(kind, *args)["items"]

    def sql(self, query):
        done = subprocess.run(["psql", f"postgresql://det@/postgres?host={self.data}/postgres", "-At", "-F", "\t", "-c", query],
                              capture_output=True, text=True, timeout=PATIENCE, check=True)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def processes(self):
        """Process numbers and command lines of what has to do with the data folder, and of sandboxes below it."""
        return {f"{number} {command}" for number, command in processes_of(self.data)}

    def mounts(self):
        return [line for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines() if str(self.data) in line]


def pod_object(name, script, **spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"},
            "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "any", "command": ["/bin/sh", "-c", script],
                                                                "resources": {"requests": {"cpu": "100m"}}}], **spec}}
