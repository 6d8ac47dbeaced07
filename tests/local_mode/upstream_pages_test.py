"""Determined's own pages under /det, made up here, and the websocket that tells them what changes."""

import subprocess
import unittest
import urllib.request

from local import PROGRAM, Local  # first: it says where tests/support is
from plain_websocket import Closed, WebSocket


class UpstreamPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.local = Local(slots=1)
        cls.pages = cls.local.folder / "pages"
        (cls.pages / "assets").mkdir(parents=True)
        (cls.pages / "index.html").write_text('<head><script src="/det/assets/main-a1.js"></script></head><body>their page</body>')
        (cls.pages / "assets" / "main-a1.js").write_text("one();")
        (cls.local.folder / "master.yaml").write_text("feature_switches: [streaming_updates]\n")
        cls.local.start("--webui-dir", cls.pages, "--config", cls.local.folder / "master.yaml")
        cls.addClassCleanup(cls.local.remove)
        cls.addClassCleanup(cls.local.stop)
        cls.token = cls.local.token()

    def text(self, path):
        with urllib.request.urlopen(self.local.url + path, timeout=240) as answer:
            return answer.read().decode()

    def rest(self, method, path, body=None):
        answer = self.local.rest(method, path, body, self.token)
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def test_pages_are_those_of_the_folder(self):
        for path in ("/det/", "/det/experiments/1/overview", "/det/login"):
            self.assertIn("their page", self.text(path), path)
        self.assertEqual(self.text("/det/assets/main-a1.js"), "one();")
        self.assertNotIn("their page", self.text("/det/login?redirect=/proxy/x/"))
        self.assertEqual(self.local.rest("GET", "/det/assets/main-b2.js").status, 404)

    def test_switches_of_the_configuration_reach_them(self):
        self.assertEqual(self.rest("GET", "/api/v1/master")["featureSwitches"], ["streaming_updates"])
        config = self.local.rest("GET", "/api/v1/master/config", token=self.local.token("admin")).json["config"]
        self.assertEqual(config["feature_switches"], ["streaming_updates"])

    def test_a_folder_without_pages_is_refused_at_start(self):
        done = subprocess.run([PROGRAM, "local", "--data-dir", self.local.folder / "other", "--listen", "127.0.0.1:0", "--no-gpu", "--webui-dir", self.pages / "assets"],
                              capture_output=True, text=True, timeout=240, check=False, env=self.local.environment())
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"--webui-dir: {self.pages}/assets has no index.html", done.stdout + done.stderr)

    def test_the_stream_tells_what_becomes_of_projects(self):
        workspace = self.rest("POST", "/api/v1/workspaces", {"name": "streamed"})["workspace"]["id"]
        stream = WebSocket(self.local.port, "/stream", [f"Cookie: auth={self.token}", "Origin: http://localhost"])
        self.addCleanup(stream.close)
        self.assertEqual(stream.status, 101, stream.head)
        stream.send({"sync_id": "1", "known": {"projects": "1"}, "subscribe": {"projects": {"workspace_ids": [workspace]}}})
        self.assertEqual([stream.receive() for _ in range(3)], [{"sync_id": "1", "complete": False}, {"projects_deleted": "1"}, {"sync_id": "1", "complete": True}])
        project = self.rest("POST", f"/api/v1/workspaces/{workspace}/projects", {"name": "first"})["project"]["id"]
        made = stream.receive()["project"]
        self.assertEqual((made["id"], made["name"], made["workspace_id"]), (project, "first", workspace))
        self.rest("PATCH", f"/api/v1/projects/{project}", {"name": "second"})
        renamed = stream.receive()["project"]
        self.assertEqual(renamed["name"], "second")
        self.assertGreater(renamed["seq"], made["seq"])
        self.rest("DELETE", f"/api/v1/projects/{project}")
        while "projects_deleted" not in (message := stream.receive()):
            self.assertEqual(message["project"]["state"], "DELETING")
        self.assertEqual(message, {"projects_deleted": str(project)})
        token = self.local.rest("POST", "/api/v1/auth/login", {"username": "determined", "password": self.password()}).json["token"]
        other = WebSocket(self.local.port, "/stream", [f"Authorization: Bearer {token}"])
        self.addCleanup(other.close)
        self.assertEqual(self.local.rest("POST", "/api/v1/auth/logout", {}, token).status, 200)
        with self.assertRaises(Closed) as ended:
            other.receive()
        self.assertEqual((ended.exception.status, ended.exception.reason), (1008, "the session has ended"))

    def password(self):
        lines = (self.local.data / "passwords").read_text().splitlines()
        return next(line.split()[1] for line in lines if line.startswith("determined "))


if __name__ == "__main__":
    unittest.main()
