"""det-operator local: experiments through kill -9, sandboxes that cannot see each other, and nothing left behind."""

import hashlib
import json
import os
import pathlib
import signal
import unittest

from local import Local, example_object, pod_object, wait_for


class LocalMode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.local = Local(slots=2)
        cls.local.start()

    @classmethod
    def tearDownClass(cls):
        cls.local.stop()
        cls.local.remove()

    def wait_phase(self, pod, *phases):
        return wait_for(f"pod {pod} is {phases}", lambda: self.phase(pod) in phases and self.phase(pod))

    def phase(self, pod):
        return self.local.get("pod", pod).get("status", {}).get("phase", "")

    def run_pod(self, name, script, **spec):
        self.local.kubectl("create", "-f", "-", stdin=json.dumps(pod_object(name, script, **spec)))
        self.wait_phase(name, "Succeeded", "Failed")
        return self.local.kubectl("logs", name)

    def test_twenty_experiments_through_three_kills(self):
        names = [f"many-{i}" for i in range(20)]
        for name in names:
            self.local.kubectl("apply", "-f", "-", stdin=example_object("core_api", name, reports=10, sleep=0.05))
        done = lambda: sum(row == ["COMPLETED"] for row in self.local.sql("SELECT state FROM experiments"))
        token = self.local.token()
        for completed in (2, 7, 13):
            wait_for(f"{completed} experiments are through", lambda: done() >= completed, 900)
            self.local.kill()
            self.local.start()
            # Whoever followed something meanwhile goes on.
            self.assertEqual(self.local.token(), token)
            self.assertEqual(self.local.rest("GET", "/api/v1/me", token=token).status, 200)
        self.local.kubectl("wait", "--for=condition=Complete", "--timeout=900s", *[f"experiment/{name}" for name in names], timeout=920)
        rows = self.local.sql(
            """SELECT e.id, count(*), count(DISTINCT m.steps), max(m.steps) FROM experiments e JOIN trials t ON t.experiment_id = e.id
               JOIN visible_series s ON s.trial_id = t.id JOIN metrics m ON m.series_id = s.id
               WHERE s.grp = 'training' AND m.steps <= s.last_steps GROUP BY e.id""")
        self.assertEqual(len(rows), 20)
        for number, count, steps, last in rows:
            self.assertEqual((count, steps, last), ("10", "10", "10"), f"experiment {number}: every step once")
        self.local.kubectl("apply", "-f", "-", stdin=example_object("core_api", "one-more", reports=1, sleep=0))
        self.local.kubectl("wait", "--for=condition=Ended", "--timeout=300s", "experiment/one-more", timeout=320)
        numbers = sorted(int(row[0]) for row in self.local.sql("SELECT id FROM experiments"))
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + 21)), "a killed server leaves no numbers out")
        self.assertEqual(self.local.sql("SELECT count(*) FROM user_sessions WHERE user_id = 2 AND expires_at > now() + interval '300 days'"), [["1"]], "one login, not one a start")

    def test_a_pod_sees_neither_the_others_nor_the_data_folder(self):
        self.local.kubectl("create", "-f", "-", stdin=json.dumps(pod_object("neighbour", "echo secret > /tmp/mine; echo written; sleep 300")))
        self.wait_phase("neighbour", "Running")
        wait_for("it has written", lambda: "written" in self.local.kubectl("logs", "neighbour"))
        data = self.local.data
        said = self.run_pod("curious", f"ls /tmp; cat {data}/kubeconfig {data}/token; touch /usr/x /etc/x {data}/x; ps ax 2>/dev/null | wc -l; echo end")
        self.assertNotIn("mine", said)
        self.assertNotIn("users:", said)
        self.assertFalse(pathlib.Path("/usr/x").exists() or pathlib.Path("/etc/x").exists() or (data / "x").exists())
        self.assertIn("end", said)
        self.local.kubectl("delete", "pod", "neighbour", "curious", "--grace-period=1")

    def test_a_hundred_pods_leave_nothing(self):
        # As the node agent names what is its own; other agents of this machine may come and go.
        agent = hashlib.sha256(f"{self.local.data}/agent\nlocal".encode()).hexdigest()[:12]
        # By os.walk, which does not mind that a group goes while it is looked at.
        groups = lambda: {f"{folder}/{name}" for folder, names, _ in os.walk("/sys/fs/cgroup") for name in names if name.startswith(f"det-{agent}-")}
        here = lambda: groups() | self.local.processes()
        before = here()
        for batch in range(10):
            names = [f"brief-{batch}-{i}" for i in range(10)]
            documents = [json.dumps(pod_object(name, "sleep 0 & echo done")) for name in names]
            self.local.kubectl("create", "-f", "-", stdin="\n---\n".join(documents))
            wait_for("the pods are through", lambda: all(p["status"].get("phase") == "Succeeded" for p in self.local.items("pods")
                                                         if p["metadata"]["name"] in names))
            self.local.kubectl("delete", "pod", *names)
        wait_for(lambda: f"nothing is mounted: {self.local.mounts()}", lambda: not self.local.mounts())
        # What tests before this one left may go meanwhile; nothing may have come.
        wait_for(lambda: f"groups and processes are gone: {here() - before}", lambda: here() <= before)
        # A pod's files go after its object has.
        wait_for("the pods' files are gone", lambda: not list((self.local.data / "agent" / "pods").glob("*")))

    def test_the_log_of_a_pod_can_be_followed(self):
        self.local.kubectl("create", "-f", "-", stdin=json.dumps(pod_object("talks", "for i in 1 2 3; do echo line $i; sleep 0.3; done")))
        self.wait_phase("talks", "Running", "Succeeded")
        self.assertEqual(self.local.kubectl("logs", "-f", "talks").splitlines(), ["line 1", "line 2", "line 3"])


class Stops(unittest.TestCase):
    def test_stop_ends_everything_and_the_next_start_goes_on(self):
        local = Local(slots=1)
        self.addCleanup(local.remove)
        self.addCleanup(local.stop)
        local.start()
        local.kubectl("apply", "-f", "-", stdin=example_object("core_api", "interrupted", reports=60, sleep=0.1))
        wait_for("reports", lambda: local.sql("SELECT count(*) FROM metrics") != [["0"]])
        self.stops(local)
        local.start()
        local.kubectl("wait", "--for=condition=Complete", "--timeout=300s", "experiment/interrupted", timeout=310)
        self.stops(local)

    def test_what_a_program_prints_when_it_is_stopped_is_in_its_log(self):
        local, log = self.with_command("trap 'echo its last words; exit 0' TERM; echo ready; while :; do sleep 0.1; done")
        self.stops(local)
        local.start()
        self.assertIn("its last words", log())

    def test_a_second_signal_does_not_cut_the_stop_short(self):
        local, log = self.with_command("trap 'sleep 4; echo its last words; exit 0' TERM; echo ready; while :; do sleep 0.1; done")
        local.process.send_signal(signal.SIGTERM)
        noted = local.data / "agent" / "stops-by"
        wait_for("the stop is under way", noted.exists)
        self.stops(local)
        local.start()
        self.assertIn("its last words", log())

    def with_command(self, script):
        """A server in which a command of this shell script runs and has said that it is ready, and a way to read its log."""
        local = Local(slots=1)
        self.addCleanup(local.remove)
        self.addCleanup(local.stop)
        local.start()
        made = local.rest("POST", "/api/v1/commands", {"config": {"entrypoint": ["sh", "-c", script], "resources": {"slots": 0}}}, local.token())
        self.assertEqual(made.status, 200, made)
        log = lambda: local.rest("GET", f"/api/v1/tasks/{made.json['command']['id']}/logs", token=local.token()).text
        wait_for(lambda: f"it logs: {log()}", lambda: "ready" in log())
        return local, log

    def stops(self, local):
        self.assertEqual(local.stop(), 0)
        # What was killed is gone once the kernel has freed it.
        wait_for(lambda: f"nothing is left: {local.processes()} {local.mounts()}", lambda: not local.processes() and not local.mounts())


if __name__ == "__main__":
    unittest.main()
