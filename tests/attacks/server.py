"""One `det-operator local` for the attacks of a test module: started on free loopback ports with passwords that are not blank, stopped by
its process id. Attackers get what a network gives them: HTTP, raw sockets, logins; `sql` and `kube` are for looking at what came of it.

    from server import Server, setup
    server = setup(globals())            # a module's setUpModule and tearDownModule
    class Attacks(unittest.TestCase):
        def test_something(self): server.http("GET", "/api/v1/me", token=server.user("alice"))
"""

import atexit
import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from leftovers import end_processes_of  # noqa: E402
from waiting import PATIENCE, PortTaken, free_port, said_port_taken, wait_for  # noqa: E402

PROGRAM = os.environ.get("DET_OPERATOR_BIN", str(ROOT / "build" / "bin" / "det-operator"))
PASSWORD = "Initial-Passw0rd"  # of admin and determined
SALT = "GubPEmmotfiK9TMD6Zdw"


class Answer:
    def __init__(self, status, headers, data):
        self.status, self.headers, self.data = status, headers, data

    @property
    def text(self):
        return self.data.decode(errors="replace")

    @property
    def json(self):
        return json.loads(self.data)

    @property
    def error(self):
        """The sentence that clients print."""
        found = self.json
        return found.get("error", {}).get("error") or found.get("message", "")

    def __repr__(self):
        return f"{self.status} {self.text[:500]}"


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirects)


class Server:
    """config: what master.yaml says besides the initial password; args: further arguments of `det-operator local`."""

    def __init__(self, config=None, args=(), slots=2):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="det-attack-", dir="/var/tmp"))
        self.folder.chmod(0o755)
        self.data = self.folder / "data"
        self.choose_port()
        self.config = {"security": {"initial_user_password": PASSWORD}, **(config or {})}
        self.args = ["--slots", str(slots), "--no-gpu", *map(str, args)]
        self.process = None
        self.tokens = {}
        atexit.register(self.stop)  # nobody's tearDown runs when the tests are interrupted

    # Life

    def choose_port(self):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self):
        """Only the first start may take another port: later ones have clients."""
        is_first = self.process is None
        if not is_first and self.process.poll() is None:
            raise AssertionError("it was started before and has not ended")  # two of one folder would hide each other
        while True:
            self.spawn()
            try:
                wait_for(f"det-operator local answers; its log is {self.folder}/log", self.answers)
                return self
            except PortTaken:
                if not is_first:
                    raise
                self.choose_port()

    def spawn(self):
        self.log_before = len(self.log())
        config = self.folder / "master.yaml"
        config.write_text(json.dumps(self.config))
        config.chmod(0o600)
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [PROGRAM, "local", "--data-dir", self.data, "--listen", f"127.0.0.1:{self.port}", "--config", config, *self.args],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                env={**os.environ, "DET_DEBUG_CONFIG_PATH": str(self.folder / "config")})

    def answers(self):
        if self.process.poll() is not None:
            said = self.log()[self.log_before:]
            raise (PortTaken if said_port_taken(said) else AssertionError)(f"det-operator local ended with {self.process.returncode}:\n{said[-3000:]}")
        try:
            return self.http("GET", "/ready", timeout=5).status == 200
        except OSError:
            return False

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(PATIENCE)
        end_processes_of(self.data)
        if not os.environ.get("DET_KEEP"):
            shutil.rmtree(self.folder, ignore_errors=True)

    def log(self):
        file = self.folder / "log"
        return file.read_text(errors="replace") if file.exists() else ""

    # What anybody on the network can do

    def http(self, method, path, token=None, body=None, headers=None, timeout=PATIENCE):
        """body: bytes and str as they are, anything else as JSON."""
        data = body if isinstance(body, bytes) or body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=dict(headers or {}))
        if token:
            request.add_header("Authorization", "Bearer " + token)
        try:
            with OPENER.open(request, timeout=timeout) as answer:
                return Answer(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.headers, error.read())

    def try_login(self, user, password, timeout=PATIENCE):
        hashed = hashlib.sha512((SALT + password).encode()).hexdigest() if password else ""
        return self.http("POST", "/api/v1/auth/login", body={"username": user, "password": hashed, "isHashed": True}, timeout=timeout)

    def login(self, user, password=PASSWORD):
        answer = self.try_login(user, password)
        if answer.status != 200:
            raise AssertionError(f"login of {user}: {answer}")
        return answer.json["token"]

    def raw_socket(self, data=b"", timeout=PATIENCE, source=None):
        """A connection to the REST port, `data` sent; from `source`, an address like 127.0.0.9, where one is given."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout, (source, 0) if source else None)
        if data:
            connection.sendall(data)
        return connection

    def exchange(self, data, timeout=PATIENCE, source=None, closes=False):
        """Everything the server says to `data` until it closes or is silent for a second after its first words; with `closes` until it
        closes, or TimeoutError."""
        said = b""
        with self.raw_socket(data, timeout, source) as connection:
            try:
                while piece := connection.recv(65536):
                    said += piece
                    if not closes:
                        connection.settimeout(1)
            except ConnectionError:
                pass
            except TimeoutError:
                if closes:
                    raise
        return said

    # Users

    def admin(self):
        """A token of the user admin, the same every time."""
        if "admin" not in self.tokens:
            self.tokens["admin"] = self.login("admin")
        return self.tokens["admin"]

    def make_user(self, name, password="Abcdefg1", admin=False):
        """Makes the user and returns its number."""
        made = self.http("POST", "/api/v1/users", self.admin(), {"user": {"username": name, "admin": admin, "active": True}, "password": password})
        if made.status != 200:
            raise AssertionError(f"make user {name}: {made}")
        return made.json["user"]["id"]

    def user(self, name):
        """A token of the ordinary user `name`, who is made at the first call; the same every time."""
        if name not in self.tokens:
            self.make_user(name)
            self.tokens[name] = self.login(name, "Abcdefg1")
        return self.tokens[name]

    # Work

    def create(self, token, config=None, activate=False, **more):
        """An experiment's number. `config` is laid over one that trains nothing."""
        made = self.try_create(token, config, activate, **more)
        if made.status != 200:
            raise AssertionError(f"create experiment: {made}")
        return made.json["experiment"]["id"]

    def try_create(self, token, config=None, activate=False, **more):
        whole = {"name": "attack", "entrypoint": "sleep 600", "max_restarts": 0, "searcher": {"name": "single", "metric": "loss"}, **(config or {})}
        return self.http("POST", "/api/v1/experiments", token, {"config": json.dumps(whole), "activate": activate, **more})

    def waiting_run(self, token, config=None):
        """An experiment whose trial has an allocation and tokens and waits for slots that never come: no pod is needed to hold
        what a pod holds. Returns Run."""
        wanted = {"resources": {"slots_per_trial": 64}, **(config or {})}
        number = self.create(token, wanted, activate=True)
        found = wait_for(f"experiment {number} has a run", lambda: self.sql(
            "SELECT t.id, k.id, a.id FROM trials t JOIN tasks k ON k.number = t.task_number JOIN allocations a ON a.trial_id = t.id "
            f"WHERE t.experiment_id = {number} AND a.ended_at IS NULL"))
        trial, task, allocation = found[0]
        def secret():
            for one in self.kube("GET", "/api/v1/namespaces/default/secrets").json["items"]:
                data = {key: base64.b64decode(value).decode() for key, value in one.get("data", {}).items()}
                config = json.loads(data.get("DET_EXPERIMENT_CONFIG", "{}"))
                if "DET_SESSION_TOKEN" in data and one["metadata"]["name"].startswith(f"exp-{number}-") and config:
                    return data
            return None
        data = wait_for(f"the Secret of experiment {number}'s run", secret)
        return Run(number, int(trial), task, allocation, data["DET_SESSION_TOKEN"], data["DET_USER_TOKEN"], data)

    def kill(self, token, number):
        self.http("POST", f"/api/v1/experiments/{number}/kill", token)
        over = lambda: self.sql(f"SELECT 1 FROM experiments WHERE id = {number} AND end_time IS NOT NULL")
        wait_for(f"experiment {number} is over", over)

    # Looking behind the scenes

    def sql(self, query):
        done = subprocess.run(["psql", f"postgresql://det@/postgres?host={self.data}/postgres", "-At", "-F", "\t", "-c", query],
                              capture_output=True, text=True, timeout=PATIENCE, check=True)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def kube(self, method, path, body=None, content_type="application/json"):
        """The Kubernetes API with the administrator's kubeconfig."""
        text = (self.data / "kubeconfig").read_text()
        value = lambda key: (re.search(rf'"?{key}"?: *"?([^"\s,}}]+)', text) or [None, ""])[1]
        context = ssl.create_default_context()
        if authority := value("certificate-authority-data"):
            context.load_verify_locations(cadata=base64.b64decode(authority).decode())
        request = urllib.request.Request(value("server") + path, data=None if body is None else json.dumps(body).encode(), method=method,
                                         headers={"Authorization": "Bearer " + value("token"), "Content-Type": content_type})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
        try:
            with opener.open(request, timeout=PATIENCE) as answer:
                return Answer(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.headers, error.read())

    def spooled(self):
        """The files without a name that it holds open: bodies on disk."""
        found = []
        for link in pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir():
            try:
                found.append(str(link.readlink()))
            except FileNotFoundError:
                pass  # closed meanwhile
        return [name for name in found if name.endswith("(deleted)")]

    def resident(self):
        """Megabytes of the process."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s*(\d+)", status)[1]) / 1024

    def most_resident(self):
        """The most megabytes that the process ever had."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s*(\d+)", status)[1]) / 1024

    def metric(self, name):
        """The sum of a metric's samples on /metrics."""
        lines = self.http("GET", "/metrics").text.splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if re.match(rf"{name}[ {{]", line))


class Run:
    def __init__(self, experiment, trial, task, allocation, session, user, secret):
        self.experiment, self.trial, self.task, self.allocation = experiment, trial, task, allocation
        self.session, self.user, self.secret = session, user, secret


def setup(module, **options):
    """The module's server, started before its first test and stopped after its last."""
    server = Server(**options)

    def start():
        try:
            server.start()
        except BaseException:
            server.stop()
            raise

    module["setUpModule"], module["tearDownModule"] = start, server.stop
    return server


def timed(call):
    """(seconds, result)."""
    start = time.monotonic()
    result = call()
    return time.monotonic() - start, result
