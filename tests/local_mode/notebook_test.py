"""JupyterLab in det-operator local, and when it is taken for idle: with a tab that nobody uses, with kernels but no tab, with neither."""

import json
import threading
import time
import unittest

import lomond

from local import CACHE, Local, wait_for

JUPYTER = CACHE / "venv-jupyterlab"
IDLE = 15  # seconds


class Tab:
    """What a browser holds open to a kernel."""

    def __init__(self, url):
        self.socket = lomond.WebSocket(url.replace("http", "ws", 1))
        self.is_open = threading.Event()
        self.failure = None
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        for event in self.socket.connect(ping_rate=0):
            if event.name == "ready":
                self.is_open.set()
            elif event.name in ("connect_fail", "rejected"):
                self.failure = str(event)
                return

    def close(self):
        self.socket.close()
        self.thread.join(240)
        assert not self.thread.is_alive(), "the socket was closed"


@unittest.skipUnless((JUPYTER / "bin" / "jupyter-lab").exists(), "not run: scripts/notebook-env.sh has not been run")
class Notebooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.local = Local(slots=2)
        cls.local.start("--image", f"jupyter={JUPYTER}")

    @classmethod
    def tearDownClass(cls):
        cls.local.stop()
        cls.local.remove()

    def launch(self, idle_type):
        config = {"environment": {"image": "jupyter"}, "resources": {"slots": 0}, "idle_timeout": f"{IDLE}s", "notebook_idle_type": idle_type}
        answer = self.local.rest("POST", "/api/v1/notebooks", {"config": config}, self.local.token())
        self.assertEqual(answer.status, 200, answer)
        return answer.json["notebook"]["id"]

    def state(self, notebook):
        answer = self.local.rest("GET", f"/api/v1/notebooks/{notebook}", None, self.local.token())
        return answer.json["notebook"]["state"]

    def log(self, notebook):
        answer = self.local.rest("GET", f"/api/v1/tasks/{notebook}/logs?limit=1000", None, self.local.token())
        return "".join(json.loads(line)["result"]["log"] for line in answer.text.splitlines())

    def address(self, notebook, path):
        """Of JupyterLab's API through the proxy, with the notebook's own token, as `det notebook open` gives it to the browser."""
        given = self.local.rest("GET", f"/api/v1/notebooks/{notebook}", None, self.local.token()).json["notebook"]["serviceAddress"]
        return given.replace("?", f"api/{path}?")

    def jupyter(self, notebook, method, path, body=None):
        return self.local.rest(method, self.address(notebook, path), body)

    def serves(self, notebook):
        wait_for(lambda: f"JupyterLab of {notebook} answers:\n{self.log(notebook)[-2000:]}",
                 lambda: self.jupyter(notebook, "GET", "status").status == 200)

    def kernel(self, notebook):
        answer = self.jupyter(notebook, "POST", "kernels", {"name": "python3"})
        self.assertEqual(answer.status, 201, answer)
        return answer.json["id"]

    def ends_for_idleness(self, notebook):
        wait_for(lambda: f"{notebook} ends: {self.state(notebook)}", lambda: self.state(notebook) == "STATE_TERMINATED")
        wait_for(lambda: self.log(notebook)[-1000:], lambda: f"idle for more than {IDLE}s" in self.log(notebook))

    def test_each_ends_when_it_is_idle_by_its_type_and_not_before(self):
        # One after another: while another one starts, one that serves already is idle.
        with_tab = self.launch("kernel_connections")
        self.serves(with_tab)
        tab = Tab(self.local.url + self.address(with_tab, f"kernels/{self.kernel(with_tab)}/channels"))
        self.addCleanup(tab.close)
        wait_for(lambda: f"the tab is open: {tab.failure}", tab.is_open.is_set)
        with_kernel = self.launch("kernels_or_terminals")
        self.serves(with_kernel)
        self.kernel(with_kernel)
        alone = self.launch("kernels_or_terminals")
        opened = time.monotonic()
        self.ends_for_idleness(alone)
        # Longer than it may idle; nothing was sent in all this time.
        time.sleep(max(0.0, opened + IDLE + 10 - time.monotonic()))
        self.assertEqual([self.state(with_tab), self.state(with_kernel)], ["STATE_RUNNING"] * 2)
        tab.close()
        self.ends_for_idleness(with_tab)
        self.assertEqual(self.state(with_kernel), "STATE_RUNNING")
        self.local.rest("POST", f"/api/v1/notebooks/{with_kernel}/kill", None, self.local.token())
        wait_for("it ends", lambda: self.state(with_kernel) == "STATE_TERMINATED")


if __name__ == "__main__":
    unittest.main()
