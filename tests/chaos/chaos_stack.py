"""PostgreSQL, the embedded Kubernetes API, a spoiling proxy, a fake node and det-operator, each of which can be hurt apart from the others."""

import asyncio
import json
import os
import pathlib
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from fake_harness import FakeHarness, FreeTiming, Reports  # noqa: E402
from fake_kubelet import FakeKubelet  # noqa: E402
from fake_removal import FakeRemoval  # noqa: E402
from http_wire import Connection, Refused  # noqa: E402
from kube_proxy import KubeProxy, Weather  # noqa: E402
from waiting import PATIENCE, PortTaken, free_port, said_port_taken, wait_for  # noqa: E402

EXPERIMENTS = "/apis/det-operator.dev/v1alpha1/namespaces/default/experiments"


def program(name, variable):
    """The environment's, else the release build's, else the test build's."""
    places = [os.environ.get(variable, ""), ROOT / "build/bin" / name, ROOT / "build/asan/bin" / name]
    return next((str(place) for place in places if place and pathlib.Path(place).exists()), None)


OPERATOR = program("det-operator", "DET_OPERATOR_BIN")
KUBE_API = program("kube_api_server", "DET_KUBE_API_BIN")


class Stack:
    """`validates`: steps at which every trial validates. `seed`: of what the proxy does by chance. `without`: names of files in crds/
    that are not applied."""

    def __init__(self, seed, validates, timing=None, without=()):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="det-chaos-", dir="/var/tmp"))
        self.folder.chmod(0o755)
        self.port = free_port()
        self.operator = self.api = None
        self.reports = Reports()
        self.validates = validates
        self.without = without
        self.timing = timing or FreeTiming(0.2)
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        try:
            self.start(seed)
        except BaseException:
            self.close(keep=True)
            raise

    def start(self, seed):
        # The database of the Kubernetes API is its own: what is restarted is the operator's.
        for name in ("kube", "det"):
            self.postgres(name, "start")
            self.sql(f"CREATE DATABASE {name}", name, "postgres")
        self.start_api()
        self.on_loop(self.connect_world(seed))
        while True:
            self.start_operator()
            try:
                return self.wait_ready()
            except PortTaken:
                self.port = free_port()

    def on_loop(self, coroutine, timeout=PATIENCE):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(timeout)

    def postgres(self, name, verb):
        done = subprocess.run([ROOT / "scripts/postgres.sh", verb, "--dir", self.folder / name], check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    def url(self, name, database=None):
        return f"postgresql://det@/{database or name}?host={self.folder}/{name}"

    def sql(self, query, name="det", database=None):
        done = subprocess.run(["psql", self.url(name, database), "-v", "ON_ERROR_STOP=1", "-qAt", "-F", "\t"], input=query, capture_output=True,
                              text=True, timeout=PATIENCE, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def spawn(self, name, *command):
        with open(self.folder / f"{name}.log", "ab") as log:
            return subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def start_api(self):
        path = self.folder / "kubeconfig.api"
        crds = [file for file in sorted((ROOT / "crds").glob("*.yaml")) if file.name not in self.without]
        self.api = self.spawn("kube-api", KUBE_API, "--database-url", self.url("kube"), "--kubeconfig", path, *crds)
        wait_for("the Kubernetes API serves", path.exists, pause=0.02)
        self.kubeconfig = json.loads(path.read_text())

    async def connect_world(self, seed):
        cluster, user = self.kubeconfig["clusters"][0]["cluster"], self.kubeconfig["users"][0]["user"]
        host, port = cluster["server"].removeprefix("https://").split(":")
        tls = ssl.create_default_context()
        tls.check_hostname = False
        tls.verify_mode = ssl.CERT_NONE
        self.connect = lambda: Connection(host, int(port), {"Authorization": "Bearer " + user["token"]}, tls)
        self.proxy = KubeProxy(host, int(port), tls, seed)
        cluster.pop("certificate-authority-data", None)
        cluster["server"] = f"http://127.0.0.1:{await self.proxy.start()}"
        (self.folder / "kubeconfig").write_text(json.dumps(self.kubeconfig))
        self.kubelet = FakeKubelet(self.connect, self.run_program)
        await self.kubelet.register()
        self.background = asyncio.ensure_future(self.kubelet.run())

    async def leave_world(self):
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def run_program(self, env):
        if "DET_GC_EXPERIMENT_ID" in env:
            return await FakeRemoval(self.port, env, self.reports).run()
        return await FakeHarness(self.port, env, self.validates, self.timing, self.reports).run()

    def weather(self, **changes):
        async def change():
            self.proxy.change(Weather(**changes))
        self.on_loop(change())

    def kube(self, method, path, body=None):
        async def call():
            link = self.connect()
            try:
                return await link.call(method, path, body)
            finally:
                link.close()
        return self.on_loop(call())

    def start_operator(self):
        self.operator = self.spawn("operator", OPERATOR, "--kubeconfig", self.folder / "kubeconfig", "--database-url", self.url("det"),
                                   "--listen", f"127.0.0.1:{self.port}", "--namespace", "default", "--identity", "chaos")

    def kill_operator(self):
        """With -9. It must have been alive: an operator that ends by itself is a failure."""
        self.check_alive()
        self.operator.send_signal(signal.SIGKILL)
        self.operator.wait(PATIENCE)

    def check_alive(self):
        if self.operator.poll() is not None:
            kind = PortTaken if said_port_taken(self.log_tail()) else AssertionError
            raise kind(f"det-operator ended by itself with {self.operator.returncode}; the end of its log:\n{self.log_tail()}")

    def log_tail(self):
        return (self.folder / "operator.log").read_text(errors="replace")[-3000:]

    def ready(self):
        """The answer of /ready; None: it is not."""
        async def ask():
            link = Connection("127.0.0.1", self.port, {})
            try:
                return await link.call("GET", "/ready")
            except (OSError, EOFError, Refused):
                return None
            finally:
                link.close()
        self.check_alive()
        return self.on_loop(ask())

    def wait_ready(self):
        wait_for("det-operator is ready", self.ready)

    def create(self, name, config):
        body = {"apiVersion": "det-operator.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": name}, "spec": {"config": config}}
        self.kube("POST", EXPERIMENTS, body)

    def delete(self, name):
        self.kube("DELETE", f"{EXPERIMENTS}/{name}")

    def status(self, name):
        return self.kube("GET", f"{EXPERIMENTS}/{name}").get("status", {})

    def pods(self):
        return self.kube("GET", "/api/v1/namespaces/default/pods")["items"]

    def close(self, keep=False):
        """Everything it started ends; the folder with the logs stays when `keep` says so or DET_KEEP is set."""
        for process in (self.operator, self.api):
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    process.kill()
        for name in ("det", "kube"):
            self.postgres(name, "stop")
        self.on_loop(self.leave_world())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()
        if not keep and not os.environ.get("DET_KEEP"):
            shutil.rmtree(self.folder, ignore_errors=True)
