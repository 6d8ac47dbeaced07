"""A real control plane with fake nodes and an audit log, PostgreSQL, and the operator as the chart says it runs: the image's root
file system, read-only, a user without rights, the ServiceAccount's own token, the ConfigMap's and Secrets' own files."""

import atexit
import base64
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

from chart import PROGRAM, ROOT, TOOLS, run

sys.path.insert(0, str(ROOT / "tests" / "support"))
from kube_reader import KubeReader  # noqa: E402
from waiting import PATIENCE, PortTaken, free_port, said_port_taken, wait_for  # noqa: E402

AUDIT_POLICY = """
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  userGroups: [system:serviceaccounts]
- level: None
"""


class Cluster:
    _one = None

    @classmethod
    def get(cls):
        """One for all tests of the process."""
        if cls._one is None:
            cls._one = cls()
            atexit.register(cls._one.stop)
            cls._one.start()
        return cls._one

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="det-helm-", dir="/var/tmp"))
        self.folder.chmod(0o755)
        self.state = self.folder / "cluster"
        self.audit = self.folder / "audit.log"
        self.database = self.folder / "postgres"
        self.root = self.folder / "root"
        self.reader = None

    def start(self):
        policy = self.folder / "audit-policy.yaml"
        policy.write_text(AUDIT_POLICY)
        self.must(ROOT / "scripts/cluster/up.sh", "--state", self.state, "--nodes", 2, "--apiserver-arg", f"--audit-policy-file={policy}",
                  "--apiserver-arg", f"--audit-log-path={self.audit}", timeout=600)
        self.url = (self.state / "conf" / "url").read_text().strip()
        self.database_url = self.must(ROOT / "scripts/postgres.sh", "start", "--dir", self.database).strip()
        self.database.chmod(0o755)
        for statement in ("CREATE ROLE postgres SUPERUSER LOGIN", "CREATE DATABASE determined OWNER postgres"):
            self.must("psql", self.database_url, "-qc", statement)

    def image(self):
        """The image's root file system, made on first use."""
        if not self.root.exists():
            self.must(ROOT / "scripts/image-root.sh", "--out", self.root, "--program", PROGRAM, timeout=600)
        return self.root

    def stop(self):
        run(ROOT / "scripts/postgres.sh", "stop", "--dir", self.database)
        run(ROOT / "scripts/cluster/down.sh", "--state", self.state)
        if not os.environ.get("DET_KEEP"):
            shutil.rmtree(self.folder, ignore_errors=True)

    def must(self, *command, stdin=None, timeout=330):
        done = run(*command, stdin=stdin, timeout=timeout)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def kubectl(self, *arguments, stdin=None):
        return self.must(TOOLS / "kubectl", "--kubeconfig", self.state / "kubeconfig", *arguments, stdin=stdin)

    def try_kubectl(self, *arguments, stdin=None):
        return run(TOOLS / "kubectl", "--kubeconfig", self.state / "kubeconfig", *arguments, stdin=stdin)

    def definitions(self):
        """Those of crds/, until the API server serves them."""
        self.kubectl("apply", "-f", ROOT / "crds")
        self.kubectl("wait", "--for=condition=Established", "--timeout=300s", "-f", ROOT / "crds")

    def json(self, *arguments):
        """The object, or the list."""
        if self.reader is None:
            self.reader = KubeReader(self.state / "kubeconfig", self.kubectl)
        return self.reader.get(*arguments)

    def helm(self, helm, *arguments):
        return self.must(TOOLS / helm, "--kubeconfig", self.state / "kubeconfig", *arguments, timeout=600)

    def text_of(self, namespace, secret, key):
        return base64.b64decode(self.json("secret", secret, "-n", namespace)["data"][key]).decode()

    def audited(self, user):
        """The requests of a user, as the API server saw them. A line that is being written is not one yet."""
        for line in self.audit.read_text().rpartition("\n")[0].splitlines():
            event = json.loads(line)
            if event["user"]["username"] == user:
                yield event

    def refused(self, user):
        """What the API server did not let a user do."""
        return [(event["verb"], event.get("objectRef", {}).get("resource"), event["responseStatus"].get("message", ""))
                for event in self.audited(user) if event["responseStatus"]["code"] == 403]


class Operator:
    """The Deployment's container as a process. Nothing is taken from anywhere but the objects in the cluster, except where the
    database listens and which port is free."""

    def __init__(self, cluster, namespace, deployment, replica=0):
        self.cluster, self.namespace, self.replica = cluster, namespace, replica
        self.spec = cluster.json("deployment", deployment, "-n", namespace)["spec"]["template"]["spec"]
        self.container = self.spec["containers"][0]
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pod-", dir=cluster.folder))
        self.folder.chmod(0o755)
        self.log = self.folder / "log"
        self.process = None

    def _volume(self, volume):
        """A folder or file with the volume's content; None for an emptyDir."""
        folder = self.folder / volume["name"]
        folder.mkdir()
        if "configMap" in volume:
            for key, text in self.cluster.json("configmap", volume["configMap"]["name"], "-n", self.namespace)["data"].items():
                (folder / key).write_text(text)
        elif "projected" in volume:
            for source in volume["projected"]["sources"]:
                secret = source["secret"]
                data = self.cluster.json("secret", secret["name"], "-n", self.namespace)["data"]
                for item in secret.get("items", [{"key": key, "path": key} for key in data]):
                    (folder / item["path"]).write_bytes(base64.b64decode(data[item["key"]]))
            # As the kubelet lays a volume out.
            (folder / "..data").mkdir()
        else:
            return None
        return folder

    def _environment(self):
        values = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": self.cluster.url.rsplit(":", 1)[1]}
        for entry in self.container["env"]:
            source = entry.get("valueFrom", {}).get("secretKeyRef")
            values[entry["name"]] = self.cluster.text_of(self.namespace, source["name"], source["key"]) if source else entry.get("value", "")
        values["PGHOST"] = "/run/postgresql"
        if "asan" in str(PROGRAM):
            values["ASAN_OPTIONS"] = "detect_leaks=0"  # the leak checker wants ptrace, which a pod has not
        return values

    def start(self):
        while True:
            self.port = free_port()
            self.url = f"http://127.0.0.1:{self.port}"
            for volume in self.spec["volumes"]:
                shutil.rmtree(self.folder / volume["name"], ignore_errors=True)
            self._spawn()
            try:
                wait_for(f"the operator is ready; its log is {self.log}", self._answers)
                return self
            except PortTaken:
                self.log.unlink()

    def _spawn(self):
        account = self.folder / "serviceaccount"
        account.mkdir(exist_ok=True)
        token = self.cluster.kubectl("create", "token", self.spec["serviceAccountName"], "-n", self.namespace, "--duration=2h").strip()
        (account / "token").write_text(token)
        (account / "namespace").write_text(self.namespace)
        shutil.copy(self.cluster.state / "pki" / "ca.crt", account / "ca.crt")
        pod, own = self.spec["securityContext"], self.container["securityContext"]
        assert pod["runAsNonRoot"] and own["readOnlyRootFilesystem"] and own["capabilities"]["drop"] == ["ALL"]
        command = ["bwrap", "--unshare-all", "--share-net", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL",
                   "--uid", pod["runAsUser"], "--gid", pod["runAsGroup"], "--hostname", f"operator-{self.replica}",
                   "--ro-bind", self.cluster.image(), "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/run",
                   "--bind", self.cluster.database, "/run/postgresql", "--ro-bind", account, "/var/run/secrets/kubernetes.io/serviceaccount"]
        volumes = {volume["name"]: self._volume(volume) for volume in self.spec["volumes"]}
        for mount in self.container["volumeMounts"]:
            source = volumes[mount["name"]]
            if source is None:
                command += ["--tmpfs", mount["mountPath"]]
            else:
                command += ["--ro-bind", source / mount["subPath"] if "subPath" in mount else source, mount["mountPath"]]
        for name, value in self._environment().items():
            command += ["--setenv", name, value]
        arguments = [f"--listen=127.0.0.1:{self.port}" if a.startswith("--listen=") else a for a in self.container["args"]]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([str(word) for word in [*command, "/usr/bin/det-operator", *arguments]], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def _answers(self):
        if self.process.poll() is not None:
            said = self.log.read_text()
            raise (PortTaken if said_port_taken(said) else AssertionError)(f"the operator ended with {self.process.returncode}:\n{said[-3000:]}")
        try:
            return self.call("GET", "/ready")
        except (urllib.error.URLError, ConnectionError):
            return None

    def call(self, method, path, body=None, token=None):
        request = urllib.request.Request(self.url + path, method=method, data=None if body is None else json.dumps(body).encode())
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            text = answer.read().decode()
        return text if path in ("/metrics", "/harness/wheels") else json.loads(text or "{}")

    def login(self, username, password):
        return self.call("POST", "/api/v1/auth/login", {"username": username, "password": password, "isHashed": False})["token"]

    def leads(self):
        # The whole line: the HELP line, too, goes on with a 1.
        return "\ndet_operator_leader 1\n" in self.call("GET", "/metrics")

    def stop(self, number=signal.SIGTERM):
        """As the kubelet ends it, or the kernel. bwrap's own child is the program."""
        if self.process is None:
            return
        children = run("pgrep", "-P", self.process.pid).stdout.split()
        grandchildren = [pid for child in children for pid in run("pgrep", "-P", child).stdout.split()]
        for pid in grandchildren or children:
            with contextlib.suppress(ProcessLookupError):  # ended by itself meanwhile
                os.kill(int(pid), number)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None
