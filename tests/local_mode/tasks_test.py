"""Tasks in det-operator local: the examples by kubectl, commands and generic tasks by our det, ssh into a shell, a port by the proxy."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import unittest

from local import ROOT, Local, free_port, wait_for

DET = pathlib.Path(os.environ.get("DET_BIN", ROOT / "build" / "bin" / "det"))
EXAMPLES = ROOT / "examples" / "tasks"
# Programs see the whole path.
SERVER = "mkdir -p served/proxy/$DET_TASK_ID && cd served && echo it is served > proxy/$DET_TASK_ID/hello.txt && exec python3 -m http.server --bind 127.0.0.1 $PORT"
SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:" + os.environ.get("PATH", "")) and shutil.which("ssh")


def is_open(port):
    """Whether somebody listens there."""
    with socket.socket() as knocking:
        return knocking.connect_ex(("127.0.0.1", port)) == 0


class Tasks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.local = Local(slots=2)
        cls.local.start()

    @classmethod
    def tearDownClass(cls):
        cls.local.stop()
        cls.local.remove()

    def det(self, *args, check=True, stdin=subprocess.DEVNULL):
        done = subprocess.run([str(DET), "-m", self.local.url, *map(str, args)], stdin=stdin, capture_output=True, text=True, timeout=240,
                              env=self.local.environment(), check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"det {' '.join(map(str, args))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done

    def status(self, name):
        return self.local.get("task", name).get("status", {})

    def reaches(self, name, state):
        def there():
            status = self.status(name)
            self.assertNotIn(status.get("state"), {"ERROR", "REJECTED"} - {state}, status)
            return status.get("state") == state and status
        return wait_for(f"{name} is {state}", there)

    def test_a_command_of_the_examples_runs_with_its_files(self):
        self.local.kubectl("apply", "-f", EXAMPLES / "command.yaml")
        status = self.reaches("command", "COMPLETED")
        self.assertEqual((status["exitCode"], status["run"]), (0, 1))
        self.assertIn("hello from Python 3", self.det("task", "logs", status["id"]).stdout)
        row = self.local.kubectl("get", "tasks").splitlines()
        self.assertEqual(row[0].split(), ["NAME", "TYPE", "STATE", "READY", "URL", "AGE"])
        self.assertTrue(any(line.split()[:3] == ["command", "Command", "COMPLETED"] for line in row), row)
        self.local.kubectl("delete", "-f", EXAMPLES / "command.yaml")

    def test_a_generic_task_of_the_examples_pauses_and_starts_anew(self):
        # Its first run takes longer than it takes to pause it.
        text = (EXAMPLES / "generic.yaml").read_text().replace("for i in", "case $DET_ALLOCATION_ID in *.1) sleep 600;; esac; for i in")
        self.assertIn("sleep 600", text)
        self.local.kubectl("apply", "-f", "-", stdin=text)
        self.reaches("generic", "RUNNING")
        self.local.kubectl("patch", "task", "generic", "--type", "merge", "-p", '{"spec": {"suspend": true}}')
        self.reaches("generic", "PAUSED")
        self.local.kubectl("patch", "task", "generic", "--type", "merge", "-p", '{"spec": {"suspend": false}}')
        self.assertEqual(self.reaches("generic", "COMPLETED")["run"], 2)
        self.local.kubectl("delete", "-f", EXAMPLES / "generic.yaml")

    def test_command_run_streams_and_returns_the_exit_code(self):
        done = self.det("command", "run", "--config", "resources.slots=0", "sh", "-c", "echo to be seen; exit 7", check=False)
        self.assertEqual(done.returncode, 7, done.stdout + done.stderr)
        self.assertIn("to be seen", done.stdout)

    def test_the_log_says_why_a_task_waits(self):
        *holders, number = [self.det("command", "run", "-d", "sleep", "600").stdout.split()[-1] for _ in range(3)]
        for each in (number, *holders):
            self.addCleanup(self.det, "command", "kill", each)
        said = lambda: self.det("task", "logs", number).stdout
        wait_for(lambda: f"its log says why:\n{said()}", lambda: "Waiting to be scheduled: waits for a free slot: needs 1 CPU, none is free" in said())
        for each in holders:
            self.assertNotIn("Waiting to be scheduled", self.det("task", "logs", each).stdout)

    def test_what_is_wrong_is_said_at_once_by_kubectl_and_det(self):
        task = {"apiVersion": "det-operator.dev/v1alpha1", "kind": "Task", "metadata": {"name": "wrong"},
                "spec": {"type": "Command", "config": {"entrypoint": "x", "resources": {"priority": 7, "shm_size": "much"}, "work_dir": "not/absolute"}}}
        self.local.kubectl("apply", "-f", "-", stdin=json.dumps(task))
        status = wait_for("it is refused", lambda: (s := self.status("wrong")).get("state") == "REJECTED" and s)
        said = next(c["message"] for c in status["conditions"] if c["type"] == "Accepted")
        self.assertIn("spec.config.resources.shm_size", said)
        self.assertIn("spec.config.resources.shm_size", self.local.kubectl("get", "task", "wrong", "-o", "wide"))
        refused = self.det("command", "run", "--config", "resources.shm_size=much", "true", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("shm_size", refused.stderr)
        self.local.kubectl("delete", "task", "wrong")

    def test_a_users_own_checkpoint_gc_is_refused(self):
        task = {"apiVersion": "det-operator.dev/v1alpha1", "kind": "Task", "metadata": {"name": "own-gc"}, "spec": {"type": "CheckpointGC"}}
        done = self.local.kubectl("apply", "-f", "-", stdin=json.dumps(task), check=False)
        if done.returncode == 0:
            status = wait_for("it is refused", lambda: (s := self.status("own-gc")).get("state") == "REJECTED" and s)
            self.assertIn("Notebook, Shell, Command, TensorBoard or Generic", json.dumps(status))
            self.local.kubectl("delete", "task", "own-gc")
        else:  # by the definition
            self.assertIn("Unsupported value: \"CheckpointGC\"", done.stderr)

    @unittest.skipUnless(SSHD, "not run: this machine has no sshd or ssh")
    def test_a_shell_lets_its_owner_in_by_ssh(self):
        started = self.det("shell", "start", "-d", "--config", "resources.slots=0").stdout.split()[-1]
        done = self.det("shell", "open", started, "echo $DET_TASK_ID; exit 5", check=False)
        self.assertEqual(done.returncode, 5, done.stdout + done.stderr)
        self.assertIn(started, done.stdout)
        # A login reads /etc/profile, which sets PATH anew; the task's own is kept.
        logged_in = self.det("shell", "open", started, "echo P=$PATH; bash -l -c 'echo P=$PATH'").stdout
        paths = [line for line in logged_in.splitlines() if line.startswith("P=")]
        self.assertEqual(paths[0], paths[1])
        self.assertNotIn(paths[0], ("P=", "P=/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"))
        self.det("shell", "kill", started)

    def test_the_proxy_reaches_a_port_of_a_task_through_kill_9_of_the_server(self):
        port = free_port()
        config = {"entrypoint": ["sh", "-c", f"PORT={port}; " + SERVER], "resources": {"slots": 0},
                  "environment": {"proxy_ports": [{"proxy_port": port, "default_service_id": True}]}}
        made = self.local.rest("POST", "/api/v1/commands", {"config": config}, self.local.token())
        self.assertEqual(made.status, 200, made)
        number = made.json["command"]["id"]

        def served():
            answer = self.local.rest("GET", f"/proxy/{number}/hello.txt", token=self.local.token())
            return answer.status == 200 and answer
        wait_for("the proxy reaches it", served)
        self.assertEqual(self.local.rest("GET", f"/proxy/{number}/hello.txt").status, 401)
        self.local.kill()
        self.local.start()
        # Its sandbox goes on without the operator.
        wait_for("the proxy reaches it again", served)
        objects = [item["status"] for item in self.local.items("tasks") if item["status"].get("id") == number]
        self.assertEqual([(status["state"], status["run"]) for status in objects], [("RUNNING", 1)])
        self.det("command", "kill", number)
        wait_for("it is gone for the proxy", lambda: self.local.rest("GET", f"/proxy/{number}/hello.txt", token=self.local.token()).status == 404)
        wait_for("nobody listens there any more", lambda: not is_open(port))


if __name__ == "__main__":
    unittest.main()
