"""Trials that run outside of the cluster: what they say comes with a person's token, from anywhere."""

import unittest
import uuid

from server import setup, wait_for

server = setup(globals())
CONFIG = ("name: laptop\nsearcher: {name: single, metric: loss}\n"
          "checkpoint_storage: {type: shared_fs, host_path: %s}\n")


def wanted(host_path="/home/me/ckpt", more=""):
    return {"config": CONFIG % host_path + more, "unmanaged": True}


class Unmanaged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mallory = server.user("mallory")
        cls.alice = server.user("alice")
        cls.experiment = server.http("PUT", "/api/v1/experiments/by-external-id/alices", cls.alice, wanted()).json["experiment"]["id"]
        cls.trial = cls.trial_of(cls.alice, cls.experiment)

    @staticmethod
    def trial_of(token, experiment):
        answer = server.http("POST", "/api/v1/trials", token, {"experimentId": experiment, "unmanaged": True})
        assert answer.status == 200, answer
        return answer.json["trial"]

    def roads(self):
        trial = self.trial["id"]
        return [("PUT", "/api/v1/experiments/by-external-id/alices", wanted()),
                ("POST", "/api/v1/trials", {"experimentId": self.experiment, "unmanaged": True}),
                ("PUT", "/api/v1/trials", {"externalTrialId": "t", "createTrialRequest": {"experimentId": self.experiment, "unmanaged": True}}),
                ("POST", f"/api/v1/trials/{trial}/start", {"resume": True}),
                ("PATCH", f"/api/v1/trials/{trial}", {"state": "STATE_ERROR"}),
                ("POST", "/task-logs", [{"task_id": self.trial["taskId"], "log": "forged"}])]

    def test_nobody_reports_for_the_trial_of_another(self):
        """a620492: there were no such routes.
        now: 401 for strangers, 403 for other users and for a task's own token, whose trial is another."""
        session = server.waiting_run(self.mallory, {"name": "a task"}).session
        for method, path, body in self.roads():
            with self.subTest(path=path):
                self.assertEqual(server.http(method, path, None, body).status, 401)
                self.assertEqual(server.http(method, path, self.mallory, body).status, 403)
                self.assertEqual(server.http(method, path, session, body).status, 403)
        self.assertEqual(server.http("GET", f"/api/v1/trials/{self.trial['id']}", self.alice).json["trial"]["state"], "STATE_PAUSED")

    def test_a_trial_of_the_cluster_is_not_steered_as_if_it_were_elsewhere(self):
        """a620492: there were no such routes.
        now: 400, for its owner, too: the operator alone moves it."""
        job = server.waiting_run(self.alice, {"name": "managed"})
        for token in (self.alice, job.session):
            for method, path, body in [("POST", f"/api/v1/trials/{job.trial}/start", {"resume": True}),
                                       ("PATCH", f"/api/v1/trials/{job.trial}", {"state": "STATE_COMPLETED"})]:
                with self.subTest(path=path):
                    self.assertEqual(server.http(method, path, token, body).status, 400)
        answer = server.http("POST", "/api/v1/trials", self.alice, {"experimentId": job.experiment, "unmanaged": True})
        self.assertEqual(answer.status, 400)

    def test_no_folder_of_the_servers_machine_is_read_or_emptied(self):
        """a620492: there were no such routes; host_path is for pods, which pod_policy bounds.
        now: the server reads no folder that an unmanaged configuration names, and no pod is sent to empty it."""
        experiment = server.http("POST", "/api/v1/experiments", self.mallory, wanted(host_path="/etc")).json["experiment"]["id"]
        trial = self.trial_of(self.mallory, experiment)
        server.http("POST", f"/api/v1/trials/{trial['id']}/start", self.mallory, {"resume": True})
        name = str(uuid.uuid4())
        body = {"uuid": name, "taskId": trial["taskId"], "allocationId": trial["taskId"], "reportTime": "2026-11-25T00:00:00Z",
                "state": "STATE_COMPLETED", "resources": {"passwd": 3}, "metadata": {"steps_completed": 1}}
        self.assertEqual(server.http("POST", "/api/v1/checkpoints", self.mallory, body).status, 200)
        answer = server.http("GET", f"/checkpoints/{name}", self.mallory)
        self.assertEqual(answer.status, 400, answer)
        self.assertIn("a folder of the machine where its unmanaged trial ran", answer.text)
        server.http("POST", f"/api/v1/experiments/{experiment}/kill", self.mallory)
        self.assertEqual(server.http("DELETE", f"/api/v1/experiments/{experiment}", self.mallory).status, 200)
        self.assertEqual(server.sql(f"SELECT count(*) FROM removals WHERE experiment_id = {experiment}"), [["0"]])

    def checkpoint(self, trial, **more):
        return {"uuid": str(uuid.uuid4()), "taskId": trial["taskId"], "allocationId": trial["taskId"], "reportTime": "2026-11-25T00:00:00Z",
                "state": "STATE_COMPLETED", "resources": {"a": 3}, "metadata": {"steps_completed": 1}} | more

    def test_no_policy_of_ones_own_has_a_folder_of_a_node_emptied(self):
        """a620492: there were no such routes.
        now: a changed policy plans no removal in a folder, and no pod mounts one that an unmanaged configuration names."""
        experiment = server.http("POST", "/api/v1/experiments", self.mallory, wanted(host_path="/var/lib/kubelet/pods")).json["experiment"]["id"]
        trial = self.trial_of(self.mallory, experiment)
        server.http("POST", f"/api/v1/trials/{trial['id']}/start", self.mallory, {"resume": True})
        self.assertEqual(server.http("POST", "/api/v1/checkpoints", self.mallory, self.checkpoint(trial)).status, 200)
        self.assertEqual(server.http("PATCH", f"/api/v1/trials/{trial['id']}", self.mallory, {"state": "STATE_COMPLETED"}).status, 200)
        nothing = {"id": experiment, "checkpointStorage": {"saveExperimentBest": 0, "saveTrialBest": 0, "saveTrialLatest": 0}}
        self.assertEqual(server.http("PATCH", f"/api/v1/experiments/{experiment}", self.mallory, nothing).status, 200)
        planned = lambda: server.sql(f"SELECT collection FROM experiments WHERE id = {experiment}") == [["DONE"]]
        wait_for("the collector has looked at the policy", planned)
        self.assertEqual(server.sql(f"SELECT count(*) FROM removals WHERE experiment_id = {experiment}"), [["0"]])

    def test_invented_sizes_and_times_break_nobodys_lists(self):
        """a620492: sizes were added up in 64 bits, and a time of the year 0 was kept: lists that show them answered 500.
        now: 400 for a file that nobody can have and for a time that no text can name."""
        trial = self.trial_of(self.alice, self.experiment)
        server.http("POST", f"/api/v1/trials/{trial['id']}/start", self.alice, {"resume": True})
        huge = self.checkpoint(trial, resources={"a": "9223372036854775807"})
        self.assertEqual(server.http("POST", "/api/v1/checkpoints", self.alice, huge).status, 400)
        for time in ("0000-01-01T00:00:00Z", "9999-12-31T23:59:59-23:00"):
            with self.subTest(time=time):
                report = {"trialId": trial["id"], "trialRunId": 1, "stepsCompleted": 1, "group": "validation", "reportTime": time,
                          "metrics": {"avgMetrics": {"loss": 1}}}
                answer = server.http("POST", f"/api/v1/trials/{trial['id']}/metrics", self.alice, {"metrics": report, "group": "validation"})
                self.assertEqual(answer.status, 400, answer)
        for _ in range(3):  # as many as one likes of what is allowed
            most = self.checkpoint(trial, resources={str(i): str(1 << 53) for i in range(1_000)})
            self.assertEqual(server.http("POST", "/api/v1/checkpoints", self.alice, most).status, 200)
        for path in ("/api/v1/experiments", f"/api/v1/experiments/{self.experiment}/trials", f"/api/v1/experiments/{self.experiment}/checkpoints"):
            with self.subTest(path=path):
                self.assertEqual(server.http("GET", path, self.alice).status, 200)

    def test_pods_that_the_policy_forbids_stay_forbidden(self):
        """a620492: there were no such routes.
        now: 400: only checkpoint_storage is not looked at, and what removes files from S3 takes nothing else of the configuration."""
        more = "environment: {pod_spec: {spec: {hostPID: true}}}\n"
        answer = server.http("POST", "/api/v1/experiments", self.mallory, wanted(more=more))
        self.assertEqual(answer.status, 400, answer)
        self.assertIn("hostPID", answer.error)

    def test_what_is_posted_is_bounded(self):
        """a620492: there were no such routes.
        now: 413 and 400, one clear sentence each."""
        trial = {"experimentId": self.experiment, "unmanaged": True}
        for body in [trial | {"hparams": {"x": "y" * (2 << 20)}}]:
            self.assertEqual(server.http("POST", "/api/v1/trials", self.alice, body).status, 413)
        for name in ["%00", "a%0Ab", "%1b%5B2J", "x" * 300, "%FF"]:
            with self.subTest(name=name):
                self.assertEqual(server.http("PUT", f"/api/v1/experiments/by-external-id/{name}", self.alice, wanted()).status, 400)
        for body in [[], [5], [{"task_id": self.trial["taskId"]}, {"task_id": "other"}], [[[]]], {"task_id": "x"}]:
            with self.subTest(body=body):
                self.assertIn(server.http("POST", "/task-logs", self.alice, body).status, (400, 404))


if __name__ == "__main__":
    unittest.main()
