"""Deleting what is not one's own: checkpoints of others, files outside of a checkpoint, and GC tasks of one's own making."""

import unittest
import uuid

from server import setup

server = setup(globals())
UUID = "22222222-3333-4444-8555-666666666666"


class Removals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mallory = server.user("mallory-gc")
        cls.victim = server.waiting_run(server.admin(), {"name": "victim-gc"})
        body = {"uuid": UUID, "taskId": cls.victim.task, "state": "STATE_COMPLETED", "metadata": {"steps_completed": 5}, "resources": {"f": "7"}}
        taken = server.http("POST", "/api/v1/checkpoints", cls.victim.session, body)
        assert taken.status == 200, taken

    @classmethod
    def tearDownClass(cls):
        server.kill(server.admin(), cls.victim.experiment)

    def stays(self):
        self.assertEqual(server.sql("SELECT count(*) FROM removals"), [["0"]])
        self.assertEqual(server.sql(f"SELECT state FROM checkpoints WHERE uuid = '{UUID}'"), [["COMPLETED"]])

    def test_checkpoints_of_others_are_not_deleted(self):
        """a620492: 501: nothing was deleted by anybody.
        now: 403 for deleting, for globs, for the TensorBoard files and for a policy that keeps nothing."""
        number = self.victim.experiment
        for method, path, body in [("DELETE", "/api/v1/checkpoints", {"checkpointUuids": [UUID]}),
                                   ("POST", "/api/v1/checkpoints/rm", {"checkpointUuids": [UUID], "checkpointGlobs": ["**/*"]}),
                                   ("DELETE", f"/api/v1/experiments/{number}/tensorboard-files", None),
                                   ("PATCH", f"/api/v1/experiments/{number}", {"checkpointStorage": {"saveTrialBest": 0, "saveTrialLatest": 0}}),
                                   ("POST", "/api/v1/held-checkpoints/release", {})]:
            with self.subTest(path=path):
                answer = server.http(method, path, self.mallory, body)
                self.assertEqual(answer.status, 403, answer)
        self.stays()

    def test_globs_do_not_leave_the_checkpoint(self):
        """a620492: 501.
        now: 400 for `..`, absolute paths, the empty pattern and what is no UUID."""
        for glob in ["", "..", "../*", "a/../../b", "/etc/*"]:
            answer = server.http("POST", "/api/v1/checkpoints/rm", server.admin(), {"checkpointUuids": [UUID], "checkpointGlobs": [glob]})
            self.assertEqual(answer.status, 400, answer)
        for uuid in ["", "..", "../" + UUID, UUID + "/..", "x'; DROP TABLE checkpoints; --", UUID.replace("-", "/")]:
            answer = server.http("DELETE", "/api/v1/checkpoints", server.admin(), {"checkpointUuids": [uuid]})
            self.assertEqual(answer.status, 400, answer)
        self.stays()

    def test_what_a_run_goes_on_from_stays(self):
        """a620492: 501.
        now: 400 for its owner and for admins, naming the checkpoint."""
        answer = server.http("DELETE", "/api/v1/checkpoints", server.admin(), {"checkpointUuids": [UUID]})
        self.assertEqual(answer.status, 400, answer)
        self.assertIn(UUID, answer.error)
        self.stays()

    def test_a_tasks_token_deletes_nothing_by_its_session(self):
        """a620492: 501.
        now: 403: a session token reports for its own run only."""
        for method, path, body in [("DELETE", "/api/v1/checkpoints", {"checkpointUuids": [UUID]}), ("GET", f"/experiments/{self.victim.experiment}/preview_gc", None)]:
            answer = server.http(method, path, self.victim.session, body)
            self.assertEqual(answer.status, 403, answer)
        self.stays()

    def test_nobody_reaches_a_storage_of_others_by_its_number(self):
        """a620492: 200: a checkpoint could name any number, but nothing read a storage by it yet.
        now: 400: a number, which stands for keys, is good for checkpoints of the experiment that got it; 403 for who asks for another's run."""
        keys = {"type": "s3", "bucket": "payroll", "access_key": "theirs", "secret_key": "theirs too"}
        given = server.http("POST", "/api/v1/runs/start", self.victim.session, {"runId": self.victim.trial, "checkpointStorage": keys})
        self.assertEqual(given.status, 200, given)
        number = int(given.json["storageId"])
        own = {"type": "s3", "bucket": "mine", "access_key": "k", "secret_key": "s"}
        job = server.waiting_run(self.mallory, {"name": "mallorys", "checkpoint_storage": own})
        self.addCleanup(server.kill, self.mallory, job.experiment)
        for token in (self.mallory, job.session, job.user):
            with self.subTest(token=token[:8]):
                asked = server.http("POST", "/api/v1/runs/start", token, {"runId": self.victim.trial, "checkpointStorage": keys})
                self.assertEqual(asked.status, 403, asked)
                for guess in range(number + 2):
                    body = {"uuid": str(uuid.uuid4()), "taskId": job.task, "state": "STATE_COMPLETED", "storageId": guess, "metadata": {"steps_completed": 1}}
                    answer = server.http("POST", "/api/v1/checkpoints", token, body)
                    self.assertEqual(answer.status, 400, answer)
                    self.assertNotIn("theirs", answer.text)
        self.assertEqual(server.sql(f"SELECT count(*) FROM checkpoints c JOIN trials t ON t.id = c.trial_id WHERE t.experiment_id = {job.experiment}"), [["0"]])
        self.stays()


if __name__ == "__main__":
    unittest.main()
