"""Reading metrics to excess or with a right that has gone, and reporting them for others."""

import contextlib
import json
import threading
import unittest
import urllib.request

from server import PATIENCE, setup
from waiting import wait_for

server = setup(globals())
STREAM = "/api/v1/trials/metrics/trial_metrics?group=training"
ROWS = 400_000  # 70 MB as JSON


class Reading(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mallory = server.user("mallory")
        cls.job = server.waiting_run(cls.mallory)
        metrics = {"trialId": cls.job.trial, "trialRunId": 1, "stepsCompleted": 1, "metrics": {"avgMetrics": {"loss": 1}}}
        answer = server.http("POST", f"/api/v1/trials/{cls.job.trial}/metrics", cls.job.session, {"group": "training", "metrics": metrics})
        assert answer.status == 200, answer
        server.sql(f"INSERT INTO metrics (time, series_id, steps, values) SELECT now(), s.id, i, ARRAY[i / 3.0] FROM series s, "
                   f"generate_series(2, {ROWS}) i WHERE s.trial_id = {cls.job.trial}")

    def test_readers_who_do_not_read_hold_neither_memory_nor_connections(self):
        """a620492: there was no such route.
        now: a page of reports each; everybody else is answered."""
        before = server.resident()
        request = f"GET {STREAM}&trialIds={self.job.trial} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self.mallory}\r\n\r\n".encode()
        with contextlib.ExitStack() as connections:
            for _ in range(20):
                connection = connections.enter_context(server.raw_socket(request))
                self.assertIn(b"200", connection.recv(32))
            self.assertEqual(server.http("GET", "/api/v1/experiments", server.user("ann")).status, 200)
            idle = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'det-operator' AND state = 'idle in transaction'"
            wait_for("no transaction waits for them", lambda: server.sql(idle)[0][0] == "0")
            self.assertLess(server.resident() - before, 200)

    def test_no_answer_is_larger_than_what_a_screen_shows(self):
        """a620492: there was no such route.
        now: 400 for thousands of trials, negative numbers and more points than may be; the server goes on."""
        trial = self.job.trial
        many = "".join(f"&trialIds={number}" for number in range(1, 1_500))
        for path in (STREAM + many, f"{STREAM}&trialIds=-1&trialIds=-1", f"{STREAM}&trialIds={2**63}",
                     f"/api/v1/trials/time-series?metricNames=loss{many}",
                     f"/api/v1/trials/time-series?metricNames=loss&trialIds={trial}&maxDatapoints=-1",
                     f"/api/v1/trials/time-series?trialIds={trial}&metricIds=" + "&metricIds=".join(f"training.{n}" for n in range(200)),
                     f"/api/v1/trials/time-series?trialIds={trial}&metricNames=loss&timeSeriesFilter.doubleRange.gt=1e999",
                     f"/api/v1/experiments/{self.job.experiment}/metrics-stream/trials-sample?metricName=loss&group=training&maxTrials=100000000",
                     f"/api/v1/experiments/{self.job.experiment}/metrics-stream/batches?metricName=loss&group=training&periodSeconds=-5"):
            with self.subTest(path=path[:100]):
                self.assertEqual(server.http("GET", path, self.mallory).status, 400)
        answer = server.http("GET", f"/api/v1/trials/time-series?trialIds={trial}&metricIds=training.loss&maxDatapoints=2000000000", self.mallory)
        self.assertEqual(answer.status, 200)
        self.assertLessEqual(len(answer.json["trials"][0]["metrics"][0]["data"]), 20_000)

    def test_a_task_reads_and_profiles_nobody_elses_trial(self):
        """a620492: there was no such route.
        now: 403; its session token reads no metrics at all, and profiles its own trial only."""
        other = server.waiting_run(server.user("ann"))
        labels = {"name": "cpu_util_simple", "agentId": "a", "metricType": "PROFILER_METRIC_TYPE_SYSTEM"}
        batch = lambda trial: {"values": [1], "batches": [1], "timestamps": ["2026-01-01T00:00:00Z"], "labels": {**labels, "trialId": trial}}
        post = lambda trials: server.http("POST", "/api/v1/trials/profiler/metrics", self.job.session, {"batches": [batch(t) for t in trials]})
        self.assertEqual(post([self.job.trial]).status, 200)
        self.assertEqual(post([other.trial]).status, 403)
        self.assertEqual(post([self.job.trial, other.trial]).status, 403)
        self.assertEqual(server.sql("SELECT count(*) FROM profiler_batches")[0][0], "1")
        for path in (f"{STREAM}&trialIds={self.job.trial}", f"/api/v1/trials/time-series?trialIds={self.job.trial}&metricNames=loss",
                     f"/api/v1/trials/{self.job.trial}/profiler/metrics?labels.name=cpu_util_simple"):
            self.assertEqual(server.http("GET", path, self.job.session).status, 403, path)

    def test_names_of_metrics_break_no_answer(self):
        """a620492: there was no such route.
        now: they come back as they are."""
        name = 'a"}],"x":[{\\\n\u2028'
        metrics = {"trialId": self.job.trial, "trialRunId": 1, "stepsCompleted": 7, "metrics": {"avgMetrics": {name: 1}}}
        answer = server.http("POST", f"/api/v1/trials/{self.job.trial}/metrics", self.job.session, {"group": 'g"', "metrics": metrics})
        self.assertEqual(answer.status, 200, answer)
        streamed = server.http("GET", f"/api/v1/trials/metrics/trial_metrics?group=g%22&trialIds={self.job.trial}", self.mallory)
        report = json.loads(streamed.data.split(b"\n")[0])["result"]["metrics"][0]
        self.assertEqual((report["group"], report["metrics"]["avg_metrics"]), ('g"', {name: 1}))


class Following(unittest.TestCase):
    def test_a_followed_log_ends_with_the_session(self):
        """a620492: whoever had stolen a session read on in every log that was open, for as long as something was logged.
        now: before a line is sent, ten seconds after the last look, the session must still be there; the last line says what is wrong."""
        run = server.waiting_run(server.user("alice7"), {"name": "alices"})
        self.addCleanup(server.kill, server.admin(), run.experiment)
        server.make_user("thief")
        stolen = server.login("thief", "Abcdefg1")
        request = urllib.request.Request(f"{server.url}/api/v1/trials/{run.trial}/logs?follow=true", headers={"Authorization": "Bearer " + stolen})
        stream = urllib.request.urlopen(request, timeout=PATIENCE)  # open before the session ends
        self.addCleanup(stream.close)
        read = []
        reader = threading.Thread(target=lambda: read.append(stream.read().decode()))
        reader.start()
        self.assertEqual(server.http("POST", "/api/v1/auth/logout", stolen, {}).status, 200)
        said = []

        def ended():
            said.append(f"line {len(said)} is for alice only")
            line = {"task_id": run.task, "allocation_id": run.allocation, "log": said[-1] + "\n", "timestamp": "2026-01-01T00:00:00Z"}
            self.assertEqual(server.http("POST", "/api/v1/task/logs", run.session, {"logs": [line]}).status, 200)
            return not reader.is_alive()

        wait_for("the end of the stream", ended)
        self.assertNotIn(said[-1], read[0])
        self.assertIn("invalid credentials", read[0])


if __name__ == "__main__":
    unittest.main()
