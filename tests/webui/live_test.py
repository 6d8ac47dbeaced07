"""The page while things happen: trials that train, a server that is killed, sessions that end, many tabs, a path above it; a search of 64
trials, a gang that waits and a notebook. Needs `npm ci && npm run build` in webui/, and scripts/notebook-env.sh for the notebook."""

import base64
import http.server
import json
import threading
import unittest
from pathlib import Path

from in_browser import InBrowser, wait_for
from local import CACHE

FOLDER = Path(__file__).parent
JUPYTER = CACHE / "venv-jupyterlab"
SINGLE = {"name": "single", "metric": "validation_loss"}
RANDOM = {"name": "random", "metric": "validation_loss", "max_trials": 64, "max_concurrent_trials": 12}


class Control(http.server.BaseHTTPRequestHandler):
    """What the browser's script asks for: POST /kill, /start; /make/NAME makes an experiment."""

    def do_POST(self):  # noqa: N802
        answer = self.server.test.control(*self.path.strip("/").split("/"))
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Live(InBrowser):
    slots = 16

    @classmethod
    def arguments(cls):
        return ["--image", f"jupyter={JUPYTER}"] if cls.has_jupyter() else []

    @staticmethod
    def has_jupyter():
        return (JUPYTER / "bin" / "jupyter-lab").exists()

    def make(self, name, script, slots=1, searcher=SINGLE, **hyperparameters):
        config = {"name": name, "entrypoint": f"python3 {script}", "max_restarts": 0, "resources": {"slots_per_trial": slots}, "searcher": searcher,
                  "hyperparameters": hyperparameters}
        files = [{"path": script, "content": base64.b64encode((FOLDER / script).read_bytes()).decode()}]
        return self.post("/api/v1/experiments", {"config": json.dumps(config), "activate": True, "modelDefinition": files})["experiment"]["id"]

    def control(self, verb, name=""):
        if verb == "kill":
            self.local.kill()
        elif verb == "start":
            self.local.start("--blank-passwords", *self.arguments())
        return {"made": self.make(name, "quick.py", lr=0.5)} if name else {}

    def trials(self, experiment):
        return self.local.rest("GET", f"/api/v1/experiments/{experiment}", token=self.token).json["experiment"]["trialIds"]

    def has_trained(self, experiment):
        trials = self.trials(experiment)
        return trials and self.local.rest("GET", f"/api/v1/trials/{trials[0]}", token=self.token).json["trial"].get("summaryMetrics")

    def test_pages(self):
        live = self.make("trains on", "train.py", steps=5000, sleep=0.3)
        notebook = None
        if self.has_jupyter():
            config = {"description": "a notebook", "environment": {"image": "jupyter"}, "resources": {"slots": 0}, "idle_timeout": "30m"}
            notebook = self.post("/api/v1/notebooks", {"config": config})["notebook"]["id"]
        wait_for("the trial that trains on has reported", lambda: self.has_trained(live))
        # Ends while the first tests run.
        search = self.make("sixty-four", "quick.py", searcher=RANDOM, lr={"type": "double", "minval": 0.1, "maxval": 1})
        waiting = self.make("a gang", "quick.py", slots=16, lr=0.5)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Control)
        server.test = self
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        facts = {"live": live, "liveTrial": self.trials(live)[0], "search": search, "waiting": waiting, "notebook": notebook,
                 "control": f"http://127.0.0.1:{server.server_address[1]}"}
        self.play("live.test.mjs", "DET_LIVE", facts)
        if notebook is None:
            with self.subTest("a notebook"):
                self.skipTest("not run: scripts/notebook-env.sh has not been run")


if __name__ == "__main__":
    unittest.main()
