"""kubectl on the embedded Kubernetes API. Run: DET_BUILD=build/asan python3 -m unittest discover -s tests/kubeapi -p '*_test.py'

Needs the program kube_api_server of that build, PostgreSQL and kubectl (scripts/build-tools.sh); says so when one is missing."""

import atexit
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from waiting import PATIENCE, wait_for  # noqa: E402

BUILD = ROOT / os.environ.get("DET_BUILD", "build/asan")
CACHE = pathlib.Path(os.environ.get("DET_OPERATOR_CACHE") or
                     pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "det-operator")
SERVER = BUILD / "bin" / "kube_api_server"
AGENT = BUILD / "bin" / "det-operator"
KUBECTL = CACHE / "tools" / "kubectl"

EXPERIMENT = """
apiVersion: det-operator.dev/v1alpha1
kind: Experiment
metadata: {name: digits, labels: {team: a}}
spec:
  config:
    name: digits
    searcher: {name: single, metric: loss}
"""

POD = """
apiVersion: v1
kind: Pod
metadata: {name: %s}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 2
  containers:
  - {name: c, image: any, command: [/bin/sh, -c, "%s"], resources: {requests: {cpu: "%s"}}}
"""


def missing():
    for path in (SERVER, KUBECTL):
        if not path.exists():
            return f"not run: {path} is not there"
    return None


@unittest.skipIf(missing(), missing() or "")
class Kubectl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        atexit.register(cls.doClassCleanups)  # for tests that are interrupted; else there are none left
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="det-kubeapi-"))
        cls.folder.chmod(0o755)
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        postgres = [ROOT / "scripts" / "postgres.sh"]
        cls.url = subprocess.run([*postgres, "start", "--dir", cls.folder / "pg"], check=True, capture_output=True, text=True).stdout.strip()
        cls.addClassCleanup(subprocess.run, [*postgres, "stop", "--dir", cls.folder / "pg"], check=False)
        cls.kubeconfig = cls.folder / "kubeconfig"
        cls.log = (cls.folder / "server.log").open("w")
        cls.addClassCleanup(cls.log.close)
        cls.log_token = cls.folder / "log-token"
        cls.log_token.write_text("between-server-and-node")
        cls.start_server()
        cls.addClassCleanup(cls.stop_server)

    @classmethod
    def start_server(cls):
        cls.kubeconfig.unlink(missing_ok=True)
        cls.server = subprocess.Popen(
            [SERVER, "--database-url", cls.url, "--kubeconfig", cls.kubeconfig, "--node-log-token", cls.log_token.read_text(), *sorted((ROOT / "crds").glob("*.yaml"))],
            stdout=cls.log, stderr=cls.log)
        wait_for("the server serves", lambda: cls.kubeconfig.exists() or cls.server.poll() is not None)
        if cls.server.poll() is not None:
            raise AssertionError((cls.folder / "server.log").read_text())

    @classmethod
    def stop_server(cls):
        cls.server.send_signal(signal.SIGTERM)
        assert cls.server.wait(timeout=PATIENCE) == 0, "the server ends by itself"

    def kubectl(self, *args, stdin=None, code=0, timeout=330):
        environment = {**os.environ, "KUBECONFIG": str(self.kubeconfig), "HOME": str(self.folder)}
        done = subprocess.run([KUBECTL, *args], input=stdin, capture_output=True, text=True, timeout=timeout, env=environment)
        self.assertEqual(done.returncode, code, f"kubectl {' '.join(map(str, args))}:\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def status(self, pod):
        """What it says by now."""
        return json.loads(self.kubectl("get", "pod", pod, "-o", "json")).get("status", {})

    def watching(self, *args):
        environment = {**os.environ, "KUBECONFIG": str(self.kubeconfig), "HOME": str(self.folder)}
        process = subprocess.Popen([KUBECTL, *args], stdout=subprocess.PIPE, text=True, env=environment)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_version_and_resources(self):
        self.assertIn("Server Version: v1.36", self.kubectl("version"))
        resources = self.kubectl("api-resources")
        for word in ("experiments", "exp", "pods", "po", "leases", "customresourcedefinitions"):
            self.assertIn(word, resources)
        self.assertIn("det-operator.dev/v1alpha1", self.kubectl("api-versions"))

    def test_apply_get_edit_delete_a_custom_resource(self):
        self.assertIn("created", self.kubectl("apply", "-f", "-", stdin=EXPERIMENT))
        self.assertIn("unchanged", self.kubectl("apply", "-f", "-", stdin=EXPERIMENT))
        self.assertIn("configured", self.kubectl("apply", "-f", "-", stdin=EXPERIMENT.replace("team: a", "team: b")))
        table = self.kubectl("get", "exp")
        for word in ("NAME", "STATE", "PROGRESS", "digits"):
            self.assertIn(word, table)
        self.assertIn("REASON", self.kubectl("get", "exp", "-o", "wide"))
        self.assertIn("digits", self.kubectl("get", "exp", "-l", "team=b"))
        self.assertIn("No resources found", self.kubectl("get", "exp", "-l", "team=a"))
        self.assertIn("digits", self.kubectl("get", "exp", "--field-selector", "metadata.name=digits", "-o", "name"))
        self.kubectl("patch", "exp", "digits", "--type=merge", "-p", '{"spec":{"suspend":true}}')
        self.kubectl("patch", "exp", "digits", "--type=json", "-p", '[{"op":"replace","path":"/spec/suspend","value":false}]')
        self.assertIn("suspend: false", self.kubectl("get", "exp", "digits", "-o", "yaml"))
        self.kubectl("patch", "exp", "digits", "--subresource=status", "--type=merge", "-p",
                     '{"status":{"state":"RUNNING","conditions":[{"type":"Complete","status":"True","reason":"Done","lastTransitionTime":"2026-11-21T00:00:00Z"}]}}')
        self.assertIn("RUNNING", self.kubectl("get", "exp", "digits"))
        self.assertIn("condition met", self.kubectl("wait", "--for=condition=Complete", "--timeout=300s", "exp/digits"))
        self.assertIn("State:", self.kubectl("describe", "exp", "digits"))
        os.environ["KUBE_EDITOR"] = "sed -i s/team:.b/team:\\ c/"
        self.assertIn("edited", self.kubectl("edit", "exp", "digits"))
        self.assertIn("digits", self.kubectl("get", "exp", "-l", "team=c"))
        self.assertIn("deleted", self.kubectl("delete", "exp", "digits"))
        self.kubectl("wait", "--for=delete", "--timeout=300s", "exp/digits")

    def test_a_list_is_made_item_by_item(self):
        config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "listed"}, "data": {"a": "1"}}
        listed = json.dumps({"apiVersion": "v1", "kind": "List", "items": [config_map]})
        self.assertIn("configmap/listed created", self.kubectl("create", "-f", "-", stdin=listed))
        self.assertIn("configmap/listed configured", self.kubectl("apply", "-f", "-", stdin=listed))
        self.kubectl("delete", "configmap", "listed")

    def test_mistakes_are_explained(self):
        wrong = self.kubectl("create", "-f", "-", stdin=EXPERIMENT.replace("spec:", "spec:\n  typo: 1"), code=1)
        self.assertIn('unknown field "spec.typo"', wrong)
        wrong = self.kubectl("create", "-f", "-", stdin=EXPERIMENT.replace("name: digits\n    searcher", "name: 5\n    searcher"), code=1)
        self.assertIn("spec.config.name in body must be of type string", wrong)
        self.assertIn("not found", self.kubectl("get", "exp", "nobody", code=1))
        self.assertIn("server-side apply is not supported", self.kubectl("apply", "--server-side", "-f", "-", stdin=EXPERIMENT, code=1))

    def test_explain_and_client_side_kinds(self):
        self.assertIn("Determined's experiment configuration", self.kubectl("explain", "experiment.spec"))
        self.assertIn("describes only", self.kubectl("explain", "pod"))
        self.assertIn("created", self.kubectl("create", "configmap", "made", "--from-literal=k=v"))
        self.assertIn("created", self.kubectl("create", "secret", "generic", "made", "--from-literal=k=v"))
        self.assertIn("created", self.kubectl("create", "namespace", "team"))
        self.assertEqual(json.loads(self.kubectl("get", "secret", "made", "-o", "json"))["data"], {"k": "dg=="})
        self.assertRegex(self.kubectl("get", "configmaps"), r"(?m)^made\s+1\s")
        self.assertIn("Active", self.kubectl("get", "namespaces"))
        self.assertIn("annotated", self.kubectl("annotate", "configmap", "made", "a=b"))
        self.assertIn("labeled", self.kubectl("label", "configmap", "made", "a=b"))
        self.assertIn("a=b", self.kubectl("describe", "configmap", "made"))
        self.assertIn("Name:", self.kubectl("describe", "namespace", "team"))
        self.assertIn("deleted", self.kubectl("delete", "namespace", "team"))

    def test_a_watch_prints_what_happens(self):
        self.kubectl("create", "configmap", "watched", "--from-literal=k=v")
        process = self.watching("get", "configmaps", "-w", "--no-headers", "--field-selector", "metadata.name=watched")
        # The first line is of its list; what follows on that, its watch tells.
        for change in ((), ("annotate", "configmap", "watched", "a=b"), ("delete", "configmap", "watched")):
            if change:
                self.kubectl(*change)
            self.assertIn("watched", process.stdout.readline())

    def test_a_pod_that_fits_nowhere_says_why(self):
        self.kubectl("apply", "-f", "-", stdin=POD % ("large", "true", "9999"))
        (condition,) = wait_for("a reason", lambda: self.status("large").get("conditions"))
        self.assertEqual(condition["reason"], "Unschedulable")
        for words in (("describe", "pod", "large"), ("events", "--for", "pod/large"), ("get", "events")):
            wait_for(f"kubectl {' '.join(words)} shows the event", lambda: "FailedScheduling" in self.kubectl(*words))  # noqa: B023
        self.assertIn("Pending", self.kubectl("get", "pods"))
        self.kubectl("delete", "pod", "large")

    def test_objects_survive_a_restart(self):
        self.kubectl("create", "configmap", "kept", "--from-literal=k=v")
        before = json.loads(self.kubectl("get", "configmap", "kept", "-o", "json"))
        self.stop_server()
        type(self).start_server()
        self.assertEqual(json.loads(self.kubectl("get", "configmap", "kept", "-o", "json")), before)

    @unittest.skipUnless(AGENT.exists() and shutil.which("bwrap"), f"not run: {AGENT} or bwrap is not there")
    def test_the_node_agent_runs_pods_and_serves_logs(self):
        state = self.folder / "agent"
        agent = subprocess.Popen([AGENT, "node-agent", "--kubeconfig", self.kubeconfig, "--node", "local", "--state-dir", state,
                                  "--default-image", "/", "--log-token-file", self.log_token], stdout=self.log, stderr=self.log)
        self.addCleanup(agent.wait)
        self.addCleanup(agent.terminate)
        self.kubectl("apply", "-f", "-", stdin=POD % ("hello", "echo one; sleep 1; echo two", "10m"))
        wait_for("the pod is bound", lambda: "local" in self.kubectl("get", "pod", "hello", "-o", "wide"))
        wait_for("it runs", lambda: self.status("hello").get("phase") not in (None, "Pending"))
        self.assertEqual(self.kubectl("logs", "-f", "hello"), "one\ntwo\n")
        self.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=300s", "pod/hello")
        self.assertIn("Completed", self.kubectl("get", "pod", "hello"))
        self.assertEqual(self.kubectl("logs", "hello", "--tail=1"), "two\n")
        self.assertRegex(self.kubectl("get", "nodes"), r"\bReady\b")
        self.assertIn("Allocatable", self.kubectl("describe", "node", "local"))
        self.kubectl("apply", "-f", "-", stdin=POD % ("long", "exec sleep 1000", "10m"))
        wait_for("it runs", lambda: "Running" in self.kubectl("get", "pod", "long"))
        self.kubectl("delete", "pod", "long", "--timeout=300s")
        claims = "\n  volumes: [{name: d, persistentVolumeClaim: {claimName: datasets}}]\n"
        self.kubectl("apply", "-f", "-", stdin=(POD % ("claims", "true", "10m")).rstrip() + claims)
        wait_for("the pod says why it waits", lambda: "this Kubernetes API has no claims" in self.kubectl("get", "pod", "claims", "-o", "json"))


if __name__ == "__main__":
    unittest.main()
