"""Two replicas: when the one that leads is gone, the other one serves what runs, at once and without a break in what goes through it."""

import os
import pathlib
import signal
import subprocess
import time
import unittest
import urllib.error
import urllib.request

from stack import SETTINGS, STATE, api, get, pid_of, stack, token, wait_for
from tasks_test import pods_of_task, status_of_task
from waiting import PATIENCE, free_port

# Says a line every half second, for a minute.
DRIP = """
import http.server, time
class Drip(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        for line in range(120 if self.path.endswith("/drip") else 1):
            self.wfile.write(b"%d\\n" % line)
            self.wfile.flush()
            time.sleep(0.5)
http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Drip).serve_forever()
"""


class Replica:
    """A second process beside the stack's operator, with its arguments and another address."""

    def __init__(self):
        arguments = pathlib.Path(f"/proc/{pid_of('operator')}/cmdline").read_text().split("\0")[:-1]
        environment = dict(each.split("=", 1) for each in pathlib.Path(f"/proc/{pid_of('operator')}/environ").read_text().split("\0") if "=" in each)
        listen = arguments.index("--listen") + 1
        arguments[listen] = f"127.0.0.1:{free_port()}"
        if "--identity" in arguments:
            arguments[arguments.index("--identity") + 1] = "second"
        else:
            arguments += ["--identity", "second"]
        self.url = f"http://{arguments[listen]}"
        with open(STATE / "second.log", "ab") as log:
            self.process = subprocess.Popen(arguments, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_for("the second one is ready", lambda: self.get("/ready", 5) is not None)

    def open(self, path, timeout):
        return urllib.request.urlopen(urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {token()}"}), timeout=timeout)

    def get(self, path, timeout=PATIENCE):
        try:
            with self.open(path, timeout) as answer:
                return answer.read()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return None

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)


def is_ready():
    """Whether the stack's operator says so."""
    try:
        with urllib.request.urlopen(SETTINGS["DET_MASTER"] + "/ready", timeout=PATIENCE) as answer:
            return answer.status == 200
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


class Replicas(unittest.TestCase):
    def test_one_is_killed_and_the_other_serves_on(self):
        second = Replica()
        self.addCleanup(second.stop)
        port = free_port()
        task = api("POST", "/api/v1/commands", {"config": {
            "entrypoint": ["python3", "-c", DRIP.replace("PORT", str(port))], "resources": {"slots": 0},
            "environment": {"proxy_ports": [{"proxy_port": port, "default_service_id": True}]}}})["command"]["id"]
        self.addCleanup(api, "POST", f"/api/v1/commands/{task}/kill", {})
        wait_for("the second one reaches it, too", lambda: second.get(f"/proxy/{task}/") == b"0\n")
        pod = pods_of_task(task)[0]
        uid = get("pod", pod)["metadata"]["uid"]
        with second.open(f"/proxy/{task}/drip", PATIENCE) as stream:
            self.assertEqual(stream.readline(), b"0\n")
            self.addCleanup(stack, "restart", "operator", "--kill")  # whatever happens, the others need it
            os.kill(pid_of("operator"), signal.SIGKILL)
            killed = time.monotonic()
            self.assertEqual(second.get(f"/proxy/{task}/"), b"0\n")
            print(f"the other one answered {time.monotonic() - killed - 0.5:.2f} s after the kill ... ", end="", flush=True)
            self.assertEqual([stream.readline() for _ in range(60)], [b"%d\n" % line for line in range(1, 61)])
        holder = lambda: get("lease", "det-operator")["spec"]["holderIdentity"]
        wait_for(lambda: f"it leads: {holder()}", lambda: holder().startswith("second"))
        self.assertEqual(get("pod", pod)["metadata"]["uid"], uid)
        self.assertEqual(status_of_task(task)["run"], 1)
        stack("restart", "operator", "--kill")
        wait_for("the first one is back", is_ready)


if __name__ == "__main__":
    unittest.main()
