"""Who may do what: attacks by people without a token, by ordinary users, and by programs inside pods."""

import json
import math
import unittest

from server import PASSWORD, setup, timed

server = setup(globals())
OVERRIDE = {"entrypoint": "echo $DET_USER_TOKEN"}
COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Outsiders(unittest.TestCase):
    def test_nobody_without_a_token_reads_or_changes_anything(self):
        """a620492: 401.
        now: 401 with "token missing"."""
        for method, path in [("GET", "/api/v1/me"), ("GET", "/api/v1/users"), ("POST", "/api/v1/users"), ("PATCH", "/api/v1/users/1"),
                             ("GET", "/api/v1/experiments"), ("POST", "/api/v1/experiments"), ("POST", "/api/v1/experiments/continue"),
                             ("POST", "/api/v1/experiments/1/kill"), ("DELETE", "/api/v1/experiments/1"), ("GET", "/api/v1/tasks"),
                             ("GET", "/api/v1/trials/1"), ("GET", "/api/v1/trials/1/logs"), ("GET", "/api/v1/trials/1/logs/count"), ("GET", "/api/v1/experiments/1/logs"),
                             ("GET", "/api/v1/experiments/1/hyperparameter-importance"), ("GET", "/api/v1/templates"),
                             ("POST", "/api/v1/templates/x"), ("PUT", "/api/v1/config-policies/global/EXPERIMENT"),
                             ("POST", "/api/v1/job-queues"), ("POST", "/api/v1/agents/local/disable"), ("POST", "/api/v1/task/logs"),
                             ("POST", "/api/v1/trials/1/metrics"), ("POST", "/api/v1/checkpoints"), ("GET", "/api/v1/models"),
                             ("POST", "/api/v1/models"), ("DELETE", "/api/v1/models/1"), ("GET", "/api/v1/experiments/1/logs/count"),
                             ("GET", "/api/v1/experiments/1/file_tree"), ("POST", "/api/v1/experiments/1/file"),
                             ("GET", "/api/v1/experiment/labels"), ("GET", "/api/v1/allocations/1.1"), ("GET", "/api/v1/tasks/1/acceleratorData"),
                             ("PUT", "/api/v1/projects/1/experiments/retain_logs"), ("POST", "/api/v1/trials/1/validation_metrics"),
                             ("POST", "/api/v1/namespace-bindings/bulk-auto-create")]:
            with self.subTest(method=method, path=path):
                answer = server.http(method, path, body=None if method == "GET" else {})
                self.assertEqual((answer.status, answer.error), (401, "token missing"))

    def test_the_state_metrics_name_nobodys_experiments_to_strangers(self):
        """a620492: pods, GPUs, experiments and their labels, to everybody.
        now: 401; with a token as before, and without one where observability.open_state_metrics says so."""
        self.assertEqual(server.http("GET", "/prom/det-state-metrics").status, 401)
        answer = server.http("GET", "/prom/det-state-metrics", server.user("mallory"))
        self.assertIn("det_allocation_id_task_id", answer.text)

    def test_a_login_does_not_tell_which_names_exist(self):
        """a620492: 0.00 s for a name that does not exist, 1.9 s for one that does.
        now: one hash each, the same words."""
        self.takes_alike("admin", "no-such-user")

    def test_a_user_without_a_password_is_not_told_apart_either(self):
        """a620492: a wrong password for somebody with a blank one came back in 0.00 s.
        now: one hash, as for everybody."""
        server.make_user("blank", password="")
        self.takes_alike("admin", "blank")

    def takes_alike(self, *names):
        """The quickest of a name's logins is what the work takes when nothing else runs: on a loaded machine some more tries find it."""
        quickest = dict.fromkeys(names, math.inf)
        for tries in range(1, 16):
            for name in names:
                seconds, answer = timed(lambda: server.try_login(name, "wrong"))
                self.assertEqual((answer.status, answer.error), (401, "invalid credentials"))
                quickest[name] = min(quickest[name], seconds)
            if tries >= 3 and max(quickest.values()) < 3 * min(quickest.values()):
                return
        self.fail(f"one can be told from the other: {quickest}")


class OrdinaryUsers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mallory = server.user("mallory")
        cls.waiting = server.waiting_run(server.admin(), {"name": "of-admin"})
        cls.over = server.create(server.admin(), {"name": "over"})
        server.kill(server.admin(), cls.over)

    @classmethod
    def tearDownClass(cls):
        server.kill(server.admin(), cls.waiting.experiment)

    def test_nobody_has_the_log_of_somebody_elses_run_removed(self):
        """a620492: 404, logs stayed for ever.
        now: 403; days of retention are set by the owner and admins, what is over is removed at once and what is held is released by admins."""
        self.denied("PUT", f"/api/v1/experiments/{self.over}/retain_logs", {"numDays": 0})
        self.denied("PUT", f"/api/v1/trials/{self.waiting.trial}/retain_logs", {"numDays": 0})
        for method, path in [("POST", "/api/v1/cleanup_logs"), ("GET", "/api/v1/held-logs"), ("POST", "/api/v1/held-logs/release")]:
            self.denied(method, path, None if method == "GET" else {})

    def denied(self, method, path, body=None, says=""):
        answer = server.http(method, path, self.mallory, body)
        self.assertEqual(answer.status, 403, answer)
        self.assertIn(says, answer.error)

    def test_continuing_somebodys_experiment_with_an_override_is_refused(self):
        """a620492: mallory's entrypoint ran with admin's token: mallory was admin.
        now: 403, "fork it instead"."""
        self.denied("POST", "/api/v1/experiments/continue", {"id": self.over, "overrideConfig": json.dumps(OVERRIDE)}, "fork it")
        self.assertEqual(server.sql(f"SELECT state FROM experiments WHERE id = {self.over}"), [["CANCELED"]])

    def test_an_admins_override_runs_with_the_owners_token(self):
        """a620492: the same.
        now: the run's tokens are the owner's, so the admin's code has no more rights than the owner."""
        number = server.create(self.mallory, {"name": "mallorys"})
        server.kill(self.mallory, number)
        body = {"id": number, "overrideConfig": json.dumps({**OVERRIDE, "resources": {"slots_per_trial": 64}})}
        answer = server.http("POST", "/api/v1/experiments/continue", server.admin(), body)
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(answer.json["experiment"]["username"], "mallory")
        server.kill(server.admin(), number)

    def test_deleting_somebodys_experiment_is_refused(self):
        """a620492: 403.
        now: 403."""
        self.denied("DELETE", f"/api/v1/experiments/{self.over}", says="owner")

    def test_a_template_of_somebody_else_cannot_be_changed(self):
        """a620492: 200; mallory's environment and entrypoint ran in the pods, and with the tokens, of all who used the template.
        now: 403: only its owner and admins change a template."""
        server.http("POST", "/api/v1/templates/shared", server.admin(), {"config": {"description": "good"}, "workspaceId": 1})
        self.denied("PATCH", "/api/v1/templates/shared", {"entrypoint": "evil"}, "owner")
        self.denied("DELETE", "/api/v1/templates/shared", says="owner")
        mine = server.http("POST", "/api/v1/templates/mine", self.mallory, {"config": {}, "workspaceId": 1})
        self.assertEqual(mine.status, 200, mine)
        self.assertEqual(server.http("PATCH", "/api/v1/templates/mine", self.mallory, {"description": "x"}).status, 200)

    def test_a_body_that_comes_late_changes_nothing_that_became_somebody_elses(self):
        """a620492: there was no PUT, and PATCH was anybody's.
        now: 403 for who sends the head of a change while there is no such template, and its body after somebody has made one: who may is
        looked at again when the body is there."""
        evil = json.dumps({"config": {"entrypoint": "evil"}, "workspaceId": 1}).encode()
        for method, path, body in [("PUT", "/api/v1/templates/late-put", evil), ("PUT", "/templates/late-old", b'{"entrypoint": "evil"}'),
                                   ("PATCH", "/api/v1/templates/late-patch", b'{"entrypoint": "evil"}')]:
            with self.subTest(method=method, path=path):
                head = (f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.mallory}\r\nContent-Type: application/json\r\n"
                        f"Connection: close\r\nExpect: 100-continue\r\nContent-Length: {len(body)}\r\n\r\n")
                name = path.rpartition("/")[2]
                with server.raw_socket(head.encode()) as connection:
                    self.assertIn(b" 100 ", connection.recv(4096), "the head is let in")
                    made = server.http("POST", f"/api/v1/templates/{name}", server.admin(), {"config": {"description": "good"}, "workspaceId": 1})
                    self.assertEqual(made.status, 200, made)
                    connection.sendall(body)
                    self.assertIn(b" 403 ", connection.recv(4096)[:20])
                kept = server.http("GET", f"/api/v1/templates/{name}", server.admin()).json["template"]["config"]
                self.assertEqual(kept, {"description": "good"})

    def test_users_make_no_users_and_change_no_others(self):
        """a620492: 403.
        now: 403."""
        self.denied("POST", "/api/v1/users", {"user": {"username": "m2", "admin": True}})
        self.denied("PATCH", "/api/v1/users/1", {"password": "x"}, "only admins can change other users")
        self.denied("PATCH", f"/api/v1/users/{server.http('GET', '/api/v1/me', self.mallory).json['user']['id']}", {"active": True})

    def test_users_set_no_policies(self):
        """a620492: 403.
        now: 403."""
        self.denied("PUT", "/api/v1/config-policies/global/EXPERIMENT", {"configPolicies": "{}"})
        self.denied("PUT", "/api/v1/config-policies/workspaces/1/EXPERIMENT", {"configPolicies": "{}"})

    def test_a_login_reports_for_nobody_elses_trial(self):
        """a620492: 200 for every one of these: any user wrote metrics, logs and checkpoints of any trial.
        now: 403."""
        trial, task, allocation = self.waiting.trial, self.waiting.task, self.waiting.allocation
        metrics = {"group": "training", "metrics": {"trialId": trial, "trialRunId": 1, "stepsCompleted": 1, "metrics": {"avgMetrics": {"loss": 0}}}}
        checkpoint = {"uuid": "00000000-0000-4000-8000-000000000001", "taskId": task, "state": "STATE_COMPLETED",
                      "metadata": {"steps_completed": 10}, "resources": {}}
        for path, body in [(f"/api/v1/trials/{trial}/metrics", metrics), (f"/api/v1/trials/{trial}/progress", {"progress": 1, "is_raw": True}),
                           (f"/api/v1/trials/{trial}/early_exit", {"reason": "EXITED_REASON_INVALID_HP"}),
                           (f"/api/v1/trials/{trial}/runner/metadata", {"state": "x"}),
                           (f"/api/v1/trials/{trial}/searcher/completed_operation", {"op": {"length": 1}, "searcherMetric": 0}),
                           (f"/api/v1/allocations/{allocation}/signals/ack_preemption", {}), (f"/api/v1/allocations/{allocation}/ready", {}),
                           (f"/api/v1/allocations/{allocation}/signals/pending_preemption", {}),
                           (f"/api/v1/allocations/{allocation}/all_gather", {"requestUuid": "x", "numPeers": 1}),
                           (f"/api/v1/allocations/{allocation}/code_commit", {"commit": COMMIT}),
                           ("/api/v1/task/logs", {"logs": [{"task_id": task, "log": "forged\n", "timestamp": "2026-01-01T00:00:00Z"}]}),
                           ("/api/v1/checkpoints", checkpoint)]:
            with self.subTest(path=path):
                self.denied("POST", path, body)
        self.assertEqual(server.sql("SELECT count(*) FROM checkpoints"), [["0"]])

    def test_the_clusters_storage_secret_is_in_nobodys_answer(self):
        """a620492: checkpoint_storage.secret_key and registry_auth.password in every user's GET experiments.
        now: ********; pods have them by their Secret."""
        storage = {"type": "s3", "bucket": "b", "access_key": "AKIAEXAMPLE", "secret_key": "s3-very-secret"}
        registry = {"username": "u", "password": "registry-very-secret"}
        number = server.create(server.admin(), {"checkpoint_storage": storage, "environment": {"registry_auth": registry}})
        for path in (f"/api/v1/experiments/{number}", "/api/v1/experiments"):
            for token in (self.mallory, server.admin()):
                answer = server.http("GET", path, token)
                self.assertNotIn("very-secret", answer.text)
                self.assertIn("********", answer.text)
        stored = server.kube("GET", f"/apis/det-operator.dev/v1alpha1/namespaces/default/experiments/exp-{number}")
        self.assertEqual(stored.status, 200, stored)
        self.assertNotIn("very-secret", stored.text, "nor in the object that REST wrote")
        self.assertEqual(server.sql(f"SELECT config #>> '{{checkpoint_storage,secret_key}}', config #>> '{{environment,registry_auth,password}}' "
                                    f"FROM experiments WHERE id = {number}"), [["s3-very-secret", "registry-very-secret"]])


class Passwords(unittest.TestCase):
    def test_a_new_password_ends_the_other_logins(self):
        """a620492: whoever had stolen a session kept it for a week.
        now: 401 for all sessions but the one that changed the password."""
        number = server.make_user("careful", "Abcdefg1")
        mine, stolen = server.login("careful", "Abcdefg1"), server.login("careful", "Abcdefg1")
        self.assertEqual(server.http("GET", "/api/v1/me", stolen).status, 200)
        self.assertEqual(server.http("PATCH", f"/api/v1/users/{number}", mine, {"password": "Hijklmn2"}).status, 200)
        self.assertEqual(server.http("GET", "/api/v1/me", stolen).status, 401)
        self.assertEqual(server.http("GET", "/api/v1/me", mine).status, 200)
        self.assertEqual(server.try_login("careful", "Abcdefg1").status, 401)
        self.assertEqual(server.try_login("careful", "Hijklmn2").status, 200)

    def test_a_user_who_is_switched_on_again_logs_in_anew(self):
        """a620492: a stolen session was good again for the rest of its week.
        now: sessions end for good when their user is switched off."""
        number = server.make_user("returning")
        stolen = server.login("returning", "Abcdefg1")
        for active in (False, True):
            self.assertEqual(server.http("PATCH", f"/api/v1/users/{number}", server.admin(), {"active": active}).status, 200)
        self.assertEqual(server.http("GET", "/api/v1/me", stolen).status, 401)
        self.assertEqual(server.try_login("returning", "Abcdefg1").status, 200)

    def test_a_user_who_is_switched_off_is_out_at_once(self):
        """a620492: out at once on this replica, after up to 10 s on others.
        now: out at once."""
        number = server.make_user("former")
        token = server.login("former", "Abcdefg1")
        self.assertEqual(server.http("PATCH", f"/api/v1/users/{number}", server.admin(), {"active": False}).status, 200)
        self.assertIn(server.http("GET", "/api/v1/me", token).status, (401, 403))

    def test_hashes_are_bcrypt_and_old_ones_are_replaced(self):
        """a620492: cost 15, 1.9 s of a core for each login; stored hashes stayed as they were.
        now: cost 12; a hash of another cost is replaced at the next right login, and sessions stay."""
        import crypt  # pylint: disable=deprecated-module
        import hashlib
        number = server.make_user("older")
        sent = hashlib.sha512(b"GubPEmmotfiK9TMD6ZdwAbcdefg1").hexdigest()
        server.sql(f"UPDATE users SET password_hash = '{crypt.crypt(sent, crypt.mksalt(crypt.METHOD_BLOWFISH, rounds=1 << 6))}' WHERE id = {number}")
        before = server.login("older", "Abcdefg1")
        self.assertEqual(server.sql(f"SELECT substr(password_hash, 1, 7) FROM users WHERE id = {number}"), [["$2b$12$"]])
        self.assertEqual(server.http("GET", "/api/v1/me", before).status, 200)
        self.assertEqual(server.try_login("older", "Abcdefg1").status, 200)


class Tasks(unittest.TestCase):
    """What a program inside a pod can do with the two tokens in its environment."""

    @classmethod
    def setUpClass(cls):
        cls.mine = server.waiting_run(server.admin(), {"name": "attacker"})  # the worst case: an admin's task
        cls.other = server.waiting_run(server.admin(), {"name": "victim"})

    @classmethod
    def tearDownClass(cls):
        for run in (cls.mine, cls.other):
            server.kill(server.admin(), run.experiment)

    def test_the_two_tokens_of_a_pod_differ(self):
        """a620492: one string for both.
        now: two, each with its own rights."""
        self.assertNotEqual(self.mine.session, self.mine.user)

    def test_no_token_of_a_task_pins_another_experiments_commit(self):
        """a620492: 200: the victim's next run trained the attacker's commit, with the victim's token.
        now: 403."""
        for token in (self.mine.session, self.mine.user):
            answer = server.http("POST", f"/api/v1/allocations/{self.other.allocation}/code_commit", token, {"commit": COMMIT})
            self.assertEqual(answer.status, 403, answer)
        self.assertEqual(server.sql(f"SELECT count(*) FROM code_pins WHERE experiment_id = {self.other.experiment}"), [["0"]])
        own = server.http("POST", f"/api/v1/allocations/{self.mine.allocation}/code_commit", self.mine.session, {"commit": COMMIT})
        self.assertEqual((own.status, own.json), (200, {"commit": COMMIT}))

    def test_no_token_of_a_task_reports_for_another(self):
        """a620492: 200 for every one of these.
        now: 403, with both tokens; its own are taken."""
        def posts(run):
            metrics = {"group": "training", "metrics": {"trialId": run.trial, "trialRunId": 1, "stepsCompleted": 1, "metrics": {"avgMetrics": {"loss": 0.5}}}}
            checkpoint = {"uuid": f"00000000-0000-4000-8000-{run.trial:012d}", "taskId": run.task, "allocationId": run.allocation,
                          "state": "STATE_COMPLETED", "metadata": {"steps_completed": 1}, "resources": {"a": "1"}}
            return [(f"/api/v1/trials/{run.trial}/metrics", metrics), (f"/api/v1/trials/{run.trial}/progress", {"progress": 0.5, "is_raw": True}),
                    (f"/api/v1/trials/{run.trial}/runner/metadata", {"state": "training"}),
                    (f"/api/v1/runs/{run.trial}/metadata", {"metadata": {"k": 1}}),
                    (f"/api/v1/allocations/{run.allocation}/signals/ack_preemption", {}),
                    ("/api/v1/task/logs", {"logs": [{"task_id": run.task, "allocation_id": run.allocation, "log": "line\n", "timestamp": "2026-01-01T00:00:00Z"}]}),
                    ("/api/v1/checkpoints", checkpoint),
                    ("/api/v1/trial-source-info", {"trialSourceInfo": {"trialId": run.trial, "checkpointUuid": checkpoint["uuid"],
                                                                      "trialSourceInfoType": "TRIAL_SOURCE_INFO_TYPE_INFERENCE"}})]
        for token in (self.mine.session, self.mine.user):
            for (path, body), (own_path, own_body) in zip(posts(self.other), posts(self.mine)):
                with self.subTest(path=path):
                    refused = server.http("POST", path, token, body)
                    self.assertEqual(refused.status, 403, refused)
                    taken = server.http("POST", own_path, token, own_body)
                    self.assertEqual(taken.status, 200, taken)
        forged = f"00000000-0000-4000-8000-{self.other.trial:012d}"
        self.assertEqual(server.sql(f"SELECT count(*) FROM checkpoints WHERE uuid = '{forged}'"), [["0"]])

    def test_a_task_takes_over_no_checkpoint_of_another(self):
        """a620492: a report with the uuid of somebody's checkpoint replaced its files, and PATCH deleted it.
        now: 409 and 403; the checkpoint stays."""
        uuid = "11111111-2222-4333-8444-555555555555"
        body = {"uuid": uuid, "taskId": self.other.task, "state": "STATE_COMPLETED", "metadata": {"steps_completed": 5}, "resources": {"f": "7"}}
        self.assertEqual(server.http("POST", "/api/v1/checkpoints", self.other.session, body).status, 200)
        stolen = server.http("POST", "/api/v1/checkpoints", self.mine.session, {**body, "taskId": self.mine.task, "resources": {"evil": "1"}})
        self.assertEqual(stolen.status, 409, stolen)
        deleted = server.http("PATCH", "/api/v1/checkpoints", self.mine.session, {"checkpoints": [{"uuid": uuid, "resources": {"resources": {}}}]})
        self.assertEqual(deleted.status, 403, deleted)
        self.assertEqual(server.sql(f"SELECT state, resources FROM checkpoints WHERE uuid = '{uuid}'"), [["COMPLETED", '{"f": 7}']])

    def test_the_registry_loses_nothing_to_others(self):
        """a620492: there was no registry; every user deleted nobody's checkpoints but through their experiments.
        now: 403 for others' models, versions and checkpoints; what is registered its owner and its task do not delete either, before the version."""
        uuid = "22222222-2222-4333-8444-555555555555"
        body = {"uuid": uuid, "taskId": self.other.task, "state": "STATE_COMPLETED", "metadata": {"steps_completed": 5}, "resources": {"f": "7"}}
        self.assertEqual(server.http("POST", "/api/v1/checkpoints", self.other.session, body).status, 200)
        self.assertEqual(server.http("POST", "/api/v1/models", self.other.user, {"name": "theirs"}).status, 200)
        versions = "/api/v1/models/theirs/versions"
        self.assertEqual(server.http("POST", versions, self.other.user, {"checkpointUuid": uuid}).status, 200)
        deletes = {"checkpoints": [{"uuid": uuid, "resources": {"resources": {}}}]}
        for token in (self.mine.session, server.user("mallory")):
            for method, path, said in [("DELETE", "/api/v1/models/theirs", None), ("DELETE", versions + "/1", None),
                                       ("DELETE", "/api/v1/checkpoints", {"checkpointUuids": [uuid]}), ("PATCH", "/api/v1/checkpoints", deletes)]:
                with self.subTest(method=method, path=path):
                    refused = server.http(method, path, token, said)
                    self.assertEqual(refused.status, 403, refused)
        own = server.http("DELETE", "/api/v1/checkpoints", self.other.user, {"checkpointUuids": [uuid]})
        self.assertIn("in the model registry and cannot be deleted", own.error)
        own = server.http("PATCH", "/api/v1/checkpoints", self.other.session, deletes)
        self.assertIn("in the model registry and cannot be patched", own.error)
        for change in ({"state": "STATE_DELETED"}, {"resources": {}}):
            again = server.http("POST", "/api/v1/checkpoints", self.other.session, {**body, **change})
            self.assertIn("in the model registry and cannot be reported with another state or other files", again.error)
        self.assertEqual(server.sql(f"SELECT state FROM checkpoints WHERE uuid = '{uuid}'"), [["COMPLETED"]])
        self.assertEqual(server.http("GET", versions + "/1", server.user("mallory")).status, 200)

    def test_a_session_token_does_nothing_but_report(self):
        """a620492: DET_SESSION_TOKEN was its owner: it made experiments and killed others'.
        now: 403 with a sentence that names DET_USER_TOKEN."""
        for method, path, body in [("GET", "/api/v1/experiments", None), ("POST", "/api/v1/experiments", {"config": "{}"}),
                                   ("POST", f"/api/v1/experiments/{self.other.experiment}/kill", {}), ("GET", "/api/v1/users", None),
                                   ("GET", f"/api/v1/trials/{self.other.trial}", None), ("GET", f"/api/v1/trials/{self.other.trial}/logs", None),
                                   ("GET", f"/api/v1/tasks/{self.other.task}/context_directory", None), ("GET", "/api/v1/templates", None),
                                   ("POST", "/api/v1/job-queues", {"updates": []}), ("POST", "/api/v1/agents/local/disable", {})]:
            with self.subTest(path=path):
                answer = server.http(method, path, self.mine.session, body)
                self.assertEqual(answer.status, 403, answer)
                self.assertIn("DET_USER_TOKEN", answer.error)
        for path in ("/api/v1/me", f"/api/v1/trials/{self.mine.trial}", f"/api/v1/tasks/{self.mine.task}/context_directory",
                     f"/api/v1/allocations/{self.mine.allocation}/signals/preemption"):
            self.assertEqual(server.http("GET", path, self.mine.session).status, 200, path)

    def test_no_token_of_a_task_sets_passwords_or_makes_users(self):
        """a620492: a task of admin's made admins; every task set its owner's password.
        now: 403, "log in"."""
        for token in (self.mine.session, self.mine.user):
            for method, path, body in [("POST", "/api/v1/users", {"user": {"username": "backdoor", "admin": True}}),
                                       ("PATCH", "/api/v1/users/1", {"password": ""}),
                                       ("PUT", "/api/v1/config-policies/global/EXPERIMENT", {"configPolicies": "{}"}),
                                       ("PUT", "/api/v1/config-policies/workspaces/1/EXPERIMENT", {"configPolicies": "{}"})]:
                answer = server.http(method, path, token, body)
                self.assertEqual(answer.status, 403, answer)
                self.assertIn("log in", answer.error)
        self.assertEqual(server.try_login("admin", PASSWORD).status, 200)

    def test_a_user_token_of_a_task_is_otherwise_its_owner(self):
        """a620492: so was it.
        now: the same: det and the SDK work inside tasks."""
        self.assertEqual(server.http("GET", "/api/v1/experiments", self.mine.user).status, 200)
        made = server.create(self.mine.user, {"name": "by-a-task"})
        self.assertEqual(server.http("GET", f"/api/v1/experiments/{made}", self.mine.user).json["experiment"]["username"], "admin")

    def test_tokens_of_pods_from_before_an_upgrade_go_on_working(self):
        """a620492: one string for both.
        now: a run whose two hashes are the same has DET_USER_TOKEN's rights, which include its own reports."""
        run = server.waiting_run(server.admin(), {"name": "older-pod"})
        server.sql(f"UPDATE allocations SET user_token_hash = token_hash WHERE id = '{run.allocation}'")
        self.assertEqual(server.http("GET", "/api/v1/experiments", run.session).status, 200)
        self.assertEqual(server.http("POST", f"/api/v1/trials/{run.trial}/runner/metadata", run.session, {"state": "training"}).status, 200)
        self.assertEqual(server.http("POST", "/api/v1/users", run.session, {"user": {"username": "x"}}).status, 403)
        server.kill(server.admin(), run.experiment)

    def test_the_tokens_end_with_the_run(self):
        """a620492: 401 once the allocation has ended.
        now: 401."""
        run = server.waiting_run(server.admin(), {"name": "short"})
        self.assertEqual(server.http("GET", "/api/v1/me", run.session).status, 200)
        server.kill(server.admin(), run.experiment)
        for token in (run.session, run.user):
            self.assertEqual(server.http("GET", "/api/v1/me", token).status, 401)


if __name__ == "__main__":
    unittest.main()
