"""`kubectl get ... -o json` without a process: what tests look at several times a second. A kubectl takes a fifth of a second of a core to
start, so that suites that wait would mostly start kubectl."""

import base64
import http.client
import json
import pathlib
import ssl
import tempfile
import threading
import urllib.parse

import yaml

from waiting import PATIENCE

CORE, OURS = "/api/v1", "/apis/det-operator.dev/v1alpha1"
# The names that the tests use: by each, the API group, the plural, and whether its objects have namespaces.
KINDS = {
    **{name: (CORE, plural, True) for name, plural in (
        ("pod", "pods"), ("secret", "secrets"), ("configmap", "configmaps"), ("event", "events"), ("service", "services"))},
    **{name: (CORE, plural, False) for name, plural in (("node", "nodes"), ("namespace", "namespaces"))},
    **{name: (OURS, plural, True) for name, plural in (("experiment", "experiments"), ("trial", "trials"), ("task", "tasks"))},
    "resourcepool": (OURS, "resourcepools", False),
    "deployment": ("/apis/apps/v1", "deployments", True),
    "statefulset": ("/apis/apps/v1", "statefulsets", True),
    "lease": ("/apis/coordination.k8s.io/v1", "leases", True),
}
KINDS.update({plural: (group, plural, has_namespace) for group, plural, has_namespace in list(KINDS.values())})


class NotFound(AssertionError):
    """There is no such object."""


def path_of(arguments, namespace):
    """Where the API server has what `kubectl get ARGUMENTS` shows; None where only kubectl knows."""
    words, query = [], {}
    rest = [str(word) for word in arguments]
    everywhere = False
    while rest:
        word = rest.pop(0)
        if word in ("-n", "--namespace") and rest:
            namespace = rest.pop(0)
        elif word == "-l" and rest:
            query["labelSelector"] = rest.pop(0)
        elif word == "--field-selector" and rest:
            query["fieldSelector"] = rest.pop(0)
        elif word == "-A":
            everywhere = True
        elif word.startswith("-"):
            return None
        else:
            words.append(word)
    if len(words) == 1:
        words = words[0].split("/")
    if not words or len(words) > 2 or words[0] not in KINDS:
        return None
    group, plural, has_namespace = KINDS[words[0]]
    parts = [group]
    if has_namespace and not everywhere:
        parts += ["namespaces", namespace]
    parts += [plural, *words[1:]]
    return "/".join(parts) + ("?" + urllib.parse.urlencode(query) if query else "")


class KubeReader:
    """Reads as the user of a kubeconfig; each thread by a connection of its own. kubectl(*words): what kubectl prints, for kinds and
    options that only it knows."""

    def __init__(self, kubeconfig, kubectl):
        self.opened, self.kubectl = [], kubectl
        config = yaml.safe_load(pathlib.Path(kubeconfig).read_text())
        (context,) = [one["context"] for one in config["contexts"] if one["name"] == config["current-context"]]
        (cluster,) = [one["cluster"] for one in config["clusters"] if one["name"] == context["cluster"]]
        (user,) = [one["user"] for one in config["users"] if one["name"] == context["user"]]
        self.namespace = context.get("namespace", "default")
        self.url = urllib.parse.urlparse(cluster["server"])
        self.headers = {"Accept": "application/json"}
        if "token" in user:
            self.headers["Authorization"] = f"Bearer {user['token']}"
        folder = pathlib.Path(kubeconfig).parent
        self.context = ssl.create_default_context()
        if authority := self._content(folder, cluster, "certificate-authority"):
            self.context.load_verify_locations(cadata=authority.decode())
        if certificate := self._content(folder, user, "client-certificate"):
            self._load_client(certificate, self._content(folder, user, "client-key"))
        self.local = threading.local()

    def __del__(self):
        for connection in self.opened:
            connection.close()

    @staticmethod
    def _content(folder, holder, name):
        if name + "-data" in holder:
            return base64.b64decode(holder[name + "-data"])
        return (folder / holder[name]).read_bytes() if name in holder else None

    def _load_client(self, certificate, key):
        """The library takes files only."""
        with tempfile.NamedTemporaryFile() as file:
            file.write(certificate + b"\n" + key)
            file.flush()
            self.context.load_cert_chain(file.name)

    def get(self, *arguments, namespace=None):
        """The object or list. NotFound where there is none."""
        path = path_of(arguments, namespace or self.namespace)
        if path is None:
            return json.loads(self.kubectl("get", *arguments, *(["-n", namespace] if namespace else []), "-o", "json"))
        for is_last in (False, True):
            try:
                status, text = self._ask(path)
                break
            except (http.client.HTTPException, OSError):
                self.local.connection = None  # an idle one may have been closed by the server
                if is_last:
                    raise
        if status == 404:
            raise NotFound(f"GET {path}: {text.decode(errors='replace')[:300]}")
        if status != 200:
            raise AssertionError(f"GET {path}: {status} {text.decode(errors='replace')[:600]}")
        return json.loads(text)

    def _ask(self, path):
        connection = getattr(self.local, "connection", None)
        if connection is None:
            connection = http.client.HTTPSConnection(self.url.hostname, self.url.port, context=self.context, timeout=PATIENCE)
            self.local.connection = connection
            self.opened.append(connection)
        connection.request("GET", path, headers=self.headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
