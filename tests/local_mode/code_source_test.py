"""Model code from a git repository, fetched inside the pods of det-operator local by the real harness."""

import functools
import http.server
import json
import os
import subprocess
import threading
import unittest
import urllib.request

from local import PATIENCE, ROOT, Local, wait_for

OBJECT = """apiVersion: det-operator.dev/v1alpha1
kind: Experiment
metadata: {{name: {name}, namespace: default}}
spec:
  context: {{git: {{url: "{url}", ref: {ref}, path: {path}}}}}
  config:
    name: {name}
    entrypoint: python3 train.py
    searcher: {searcher}
    hyperparameters: {{reports: 2, sleep: 0.05}}
    resources: {{slots_per_trial: 1}}
    max_restarts: 0
"""
SINGLE = "{name: single, metric: validation_loss}"


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class CodeFromGit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.local = Local(slots=1)
        cls.origin = cls.local.folder / "origin"
        (cls.origin / "src").mkdir(parents=True)
        cls.git("init", "--quiet", "-b", "main")
        cls.code = (ROOT / "examples" / "core_api" / "train.py").read_text()
        cls.first = cls.commit('print("I am the first", flush=True)\n' + cls.code)
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=str(cls.origin / ".git")))
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.url = f"http://127.0.0.1:{cls.server.server_port}"
        cls.local.start()

    @classmethod
    def tearDownClass(cls):
        cls.local.stop()
        cls.server.shutdown()
        cls.server.server_close()
        cls.local.remove()

    @classmethod
    def git(cls, *arguments):
        env = dict(os.environ, GIT_AUTHOR_NAME="t", GIT_AUTHOR_EMAIL="t@t", GIT_COMMITTER_NAME="t", GIT_COMMITTER_EMAIL="t@t", HOME=str(cls.origin))
        return subprocess.run(["git", "-C", cls.origin, *arguments], env=env, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout.strip()

    @classmethod
    def commit(cls, text):
        (cls.origin / "src" / "train.py").write_text(text)
        cls.git("add", "-A")
        cls.git("commit", "--quiet", "-m", "x")
        cls.git("update-server-info")
        return cls.git("rev-parse", "HEAD")

    def apply(self, name, ref="main", path="src", searcher=SINGLE):
        text = OBJECT.format(name=name, url=self.url, ref=ref, path=path, searcher=searcher)
        self.local.kubectl("apply", "-f", "-", stdin=text)

    def ended(self, name):
        def state():
            items = [i for i in self.local.items("experiments") if i["metadata"]["name"] == name]
            return items and items[0].get("status", {}).get("state") in ("COMPLETED", "ERROR", "CANCELED") and items[0]["status"]
        return wait_for(f"{name} is over", state)

    def logs(self, name):
        token = self.local.token()
        rows = self.local.sql(f"SELECT t.id FROM trials t JOIN experiments e ON e.id = t.experiment_id WHERE e.object_name = '{name}' ORDER BY t.id")
        text = ""
        for (trial,) in rows:
            request = urllib.request.Request(f"{self.local.url}/api/v1/trials/{trial}/logs", headers={"Authorization": f"Bearer {token}"})
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                text += "".join(json.loads(line)["result"]["log"] for line in answer.read().decode().splitlines() if line)
        return text

    def test_all_trials_train_the_commit_that_the_first_one_found(self):
        self.apply("pinned", searcher="{name: random, metric: validation_loss, max_trials: 2, max_concurrent_trials: 1}")
        wait_for("the commit is settled", lambda: self.local.sql("SELECT commit FROM code_pins"))
        self.commit('print("I am the second", flush=True)\n' + self.code)
        self.assertEqual(self.ended("pinned")["state"], "COMPLETED")
        text = self.logs("pinned")
        self.assertEqual(text.count("I am the first"), 2, text)
        self.assertNotIn("I am the second", text)
        self.assertEqual(text.count(f"model code is commit {self.first} of {self.url}, folder src"), 2, text)

    def test_a_branch_that_is_not_there_is_said_in_the_log_and_by_the_trial(self):
        self.apply("astray", ref="nonesuch")
        self.assertEqual(self.ended("astray")["state"], "ERROR")
        why = "spec.context.git: cannot fetch nonesuch of " + self.url
        wait_for("the log says so", lambda: why in self.logs("astray"))
        told = lambda: [str(t.get("status")) for t in self.local.items("trials") if t["metadata"]["name"].startswith("astray-")]
        wait_for(lambda: f"the trial says so: {told()}", lambda: [why in status for status in told()] == [True])

    def test_an_address_with_credentials_is_refused_before_anything_runs(self):
        text = OBJECT.format(name="careless", url="https://ann:hunter2@example.com/a", ref="main", path="src", searcher=SINGLE)
        self.local.kubectl("apply", "-f", "-", stdin=text)
        said = wait_for("it is refused", lambda: [c for i in self.local.items("experiments") if i["metadata"]["name"] == "careless"
                                                  for c in i.get("status", {}).get("conditions", []) if c["type"] == "Accepted" and c["status"] == "False"])
        self.assertEqual(said[0]["reason"], "InvalidContext")
        self.assertIn("spec.context.git.secretName", said[0]["message"])
        self.assertNotIn("hunter2", said[0]["message"])


if __name__ == "__main__":
    unittest.main()
