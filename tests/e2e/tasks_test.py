"""Tasks on a real control plane: the operator killed while they run, TensorBoards that idle, and det beside ours."""

import datetime
import re
import time
import unittest
import urllib.error
import urllib.request

from stack import ROOT, SETTINGS, api, apply_example, det, get, run, sql, stack, status_of, token, wait_complete, wait_for
from waiting import PATIENCE, free_port

OUR_DET = ROOT / "build" / "bin" / "det"
# Programs see the whole path.
SERVER = "mkdir -p served/proxy/$DET_TASK_ID && cd served && echo it is served > proxy/$DET_TASK_ID/hello.txt && exec python3 -m http.server --bind 127.0.0.1 {port}"


def proxied(path):
    """Status and body of a request by way of the proxy; (0, "") while nobody answers."""
    request = urllib.request.Request(SETTINGS["DET_MASTER"] + path, headers={"Authorization": f"Bearer {token()}"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode(errors="replace")
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return 0, ""


def task_objects(number):
    return [item for item in get("tasks")["items"] if item.get("status", {}).get("id") == number]


def status_of_task(number):
    objects = task_objects(number)
    return objects[0]["status"] if objects else {}


def pods_of_task(number):
    """Their names. The status is written behind the rows by which the proxy finds them."""
    return wait_for(f"the pods of {number} are told", lambda: [pod["name"] for pod in status_of_task(number).get("pods", [])])


class Survive(unittest.TestCase):
    def test_kill_9_of_the_operator_restarts_nothing(self):
        port = free_port()
        command = api("POST", "/api/v1/commands", {"config": {
            "entrypoint": ["sh", "-c", SERVER.format(port=port)], "resources": {"slots": 0},
            "environment": {"proxy_ports": [{"proxy_port": port, "default_service_id": True}]}}})["command"]["id"]
        shell = api("POST", "/api/v1/shells", {"config": {"resources": {"slots": 0}}})["shell"]["id"]
        self.addCleanup(api, "POST", f"/api/v1/shells/{shell}/kill", {})
        self.addCleanup(api, "POST", f"/api/v1/commands/{command}/kill", {})
        wait_for("the proxy reaches it", lambda: proxied(f"/proxy/{command}/hello.txt") == (200, "it is served\n"))
        wait_for("the shell runs", lambda: status_of_task(shell).get("state") == "RUNNING")
        pods = {number: pods_of_task(number) for number in (command, shell)}
        uids = {name: get("pod", name)["metadata"]["uid"] for names in pods.values() for name in names}
        for _ in range(2):
            stack("restart", "operator", "--kill")
            wait_for("the proxy reaches it again", lambda: proxied(f"/proxy/{command}/hello.txt") == (200, "it is served\n"))
        for name, uid in uids.items():
            self.assertEqual(get("pod", name)["metadata"]["uid"], uid, "its pod is the same one")
        for number in (command, shell):
            self.assertEqual(status_of_task(number)["run"], 1)

    def test_a_tensorboard_shows_a_trial_and_ends_when_nobody_looks(self):
        apply_example("digits_pytorch", "for-tensorboard")
        wait_complete("for-tensorboard")
        experiment = status_of("experiment", "for-tensorboard")["id"]
        config = {"idle_timeout": "20s", "environment": {"environment_variables": ["DET_SKIP_PIP_INSTALL=1"]}}
        number = api("POST", "/api/v1/tensorboards", {"experimentIds": [experiment], "config": config})["tensorboard"]["id"]
        wait_for("it is ready", lambda: status_of_task(number).get("ready"))
        runs = wait_for("it knows the trial", lambda: "/trial/" in (found := proxied(f"/proxy/{number}/data/runs"))[1] and found[1])
        self.assertIn(f"experiment/{experiment}/trial/", runs)
        # Somebody looks, for longer than it may idle; and the clock goes on while the operator is away.
        for _ in range(15):
            self.assertEqual(proxied(f"/proxy/{number}/data/runs")[0], 200)
            time.sleep(2)
        stack("restart", "operator", "--kill")
        status = wait_for("it ended", lambda: (s := status_of_task(number)).get("state") in ("COMPLETED", "CANCELED", "ERROR") and s)
        used = re.search(r"idle for more than 20s: nobody used it since (\S+)", status["message"])
        self.assertTrue(used, status)
        times = [datetime.datetime.fromisoformat(text.replace("Z", "+00:00")) for text in (used.group(1), status["endTime"])]
        self.assertGreaterEqual((times[1] - times[0]).total_seconds(), 20, "not before its time")


class Clients(unittest.TestCase):
    def test_det_and_ours_run_a_command_to_its_end(self):
        theirs = det("command", "run", "--config", "resources.slots=0", "sh", "-c", "echo said by a command")
        ours = run(OUR_DET, "command", "run", "--config", "resources.slots=0", "sh", "-c", "echo said by a command; exit 3", check=False)
        self.assertIn("said by a command", theirs.out)
        self.assertIn("said by a command", ours.out)
        self.assertEqual(ours.code, 3, ours.all)
        for client in (det, lambda *args: run(OUR_DET, *args)):
            self.assertIn("Command (", client("command", "list", "-a").out)

    def test_generic_tasks_are_made_forked_paused_and_killed_by_det(self):
        config = ROOT / "build" / "generic-task.yaml"
        config.write_text("entrypoint: [sleep, '600']\nresources: {slots: 0}\n")
        self.addCleanup(config.unlink)
        number = det("task", "create", config).out.split()[-1]
        self.assertIn("sleep", det("task", "config", number).out)
        wait_for("it runs", lambda: status_of_task(number).get("state") == "RUNNING")
        det("task", "pause", number)
        wait_for("it pauses", lambda: api("GET", f"/api/v1/tasks/{number}")["task"].get("taskState") == "GENERIC_TASK_STATE_PAUSED")
        det("task", "unpause", number)
        wait_for("it runs again", lambda: status_of_task(number).get("state") == "RUNNING" and status_of_task(number)["run"] == 2)
        fork = det("task", "fork", number).out.split()[-1]
        det("task", "kill", number)
        run(OUR_DET, "task", "kill", fork)
        for killed in (number, fork):
            wait_for("it is killed", lambda: api("GET", f"/api/v1/tasks/{killed}")["task"].get("taskState") == "GENERIC_TASK_STATE_CANCELED")
        self.assertEqual(sql(f"SELECT count(*) FROM allocations a JOIN tasks t ON t.number = a.task_number WHERE t.id = '{number}'"), [["2"]])


if __name__ == "__main__":
    unittest.main()
