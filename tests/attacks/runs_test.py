"""Lists of runs whose filters anybody may write, and what is done to many runs at once."""

import json
import unittest

from server import setup

server = setup(globals())
VERBS = ["kill", "pause", "resume", "archive", "unarchive", "delete", "move"]
READS = ["/api/v1/projects/1/columns", "/api/v1/projects/1/experiments/metric-ranges", "/api/v1/projects/1/metadata/a"]
EVIL = ["' OR true --", "\\', true) --", "'; DROP TABLE trials; --", "$1", "{pool}", "\"}", "%", "\ud800", "a" * 5000]


def filter_of(*fields, conjunction="and"):
    children = [{"kind": "field", **field} for field in fields]
    return json.dumps({"filterGroup": {"kind": "group", "conjunction": conjunction, "children": children}})


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mallory = server.user("mallory")
        cls.alice = server.user("alice")
        cls.run_of_alice = server.waiting_run(cls.alice, {"name": "alices"})
        cls.over = server.waiting_run(cls.alice, {"name": "over"})
        server.kill(cls.alice, cls.over.experiment)

    def search(self, token, **body):
        return server.http("POST", "/api/v1/runs", token, body)

    def test_strangers_see_and_touch_no_runs(self):
        """a620492: there were no such routes.
        now: 401."""
        for path in ["/api/v1/runs", "/api/v1/experiments-search", *(f"/api/v1/runs/{verb}" for verb in VERBS)]:
            with self.subTest(path=path):
                self.assertEqual(server.http("POST", path, None, {}).status, 401)
        for path in READS:
            with self.subTest(path=path):
                self.assertEqual(server.http("GET", path).status, 401)

    def test_a_tasks_own_token_lists_and_stops_no_runs(self):
        """a620492: there were no such routes.
        now: 403; DET_SESSION_TOKEN is for what its own run does."""
        for path in ["/api/v1/runs", "/api/v1/experiments-search", *(f"/api/v1/runs/{verb}" for verb in VERBS)]:
            with self.subTest(path=path):
                body = {"projectId": 1, "runIds": [self.run_of_alice.trial]}
                self.assertEqual(server.http("POST", path, self.run_of_alice.session, body).status, 403)

    def test_what_is_written_into_a_filter_is_never_sql(self):
        """a620492: there were no filters.
        now: values, names of hyperparameters, of metadata and of metrics are parameters; columns and operators are words of a list."""
        places = [("RUN", "experimentName"), ("RUN", "localId"), ("RUN_HYPERPARAMETERS", "hp.EVIL"), ("HYPERPARAMETERS", "hp.EVIL"),
                  ("RUN_METADATA", "metadata.EVIL"), ("CUSTOM_METRIC", "g.EVIL.last"), ("RUN", "EVIL"), ("EVIL", "id")]
        for evil in EVIL:
            for place, column in places:
                for operator in ["=", "contains", "notEmpty", evil]:
                    field = {"location": "LOCATION_TYPE_" + place.replace("EVIL", evil), "columnName": column.replace("EVIL", evil),
                             "operator": operator, "value": evil, "type": "COLUMN_TYPE_TEXT"}
                    answer = self.search(self.mallory, filter=filter_of(field))
                    with self.subTest(field=str(field)[:200]):
                        self.assertIn(answer.status, (200, 400), answer)
                        if answer.status == 200 and operator in ("=", "contains"):
                            self.assertEqual(answer.json["runs"], [], "it matched something")
            for sort in [f"hp.{evil}=asc", f"metadata.{evil}=desc", f"g.{evil}.last=asc", f"{evil}=asc", f"id={evil}"]:
                self.assertIn(self.search(self.mallory, sort=sort).status, (200, 400))
        self.assertGreaterEqual(len(server.sql("SELECT 1 FROM trials")), 2)

    def test_a_filter_is_bounded(self):
        """a620492: there were no filters.
        now: 400 beyond 64 KiB, 200 parts or 20 levels, 413 beyond 256 KiB; nobody else waits."""
        field = {"location": "LOCATION_TYPE_RUN", "columnName": "experimentName", "operator": "contains", "value": "x"}
        self.assertEqual(self.search(self.mallory, filter=filter_of(*[field] * 300)).status, 400)
        self.assertEqual(self.search(self.mallory, filter="[" * 60000).status, 400)
        deep = {"kind": "group", "conjunction": "and", "children": []}
        for _ in range(50):
            deep = {"kind": "group", "conjunction": "or", "children": [deep]}
        self.assertEqual(self.search(self.mallory, filter=json.dumps({"filterGroup": deep})).status, 400)
        self.assertEqual(self.search(self.mallory, filter="x" * (70 << 10)).status, 400)
        self.assertEqual(self.search(self.mallory, filter="x" * (300 << 10)).status, 413)
        self.assertEqual(self.search(self.mallory, sort=",".join(["id=asc"] * 100)).status, 400)
        most = filter_of(*[{**field, "location": "LOCATION_TYPE_RUN_METADATA", "columnName": "metadata." + ".".join("abcdefghij")}] * 198)
        self.assertEqual(self.search(self.mallory, filter=most).status, 200)

    def test_metadata_of_a_neighbour_breaks_nobodys_list(self):
        """a620492: there was neither.
        now: what looks like a time and is none is no time; numbers beyond floating point are compared as they are."""
        said = {"at": "2026-02-30T00:00:00Z", "n": int("9" * 400), "quote\"'\\": "'; --", "deep": {"a": [{"b": 1}, [2]]}}
        path = f"/api/v1/runs/{self.run_of_alice.trial}/metadata"
        answer = server.http("POST", path, self.run_of_alice.session, {"metadata": said})
        self.assertIn(answer.status, (200, 400), answer)
        server.http("POST", path, self.run_of_alice.session, {"metadata": {**said, "n": 1e308}})
        for column, kind, value in [("metadata.at", "DATE", "2026-01-01T00:00:00Z"), ("metadata.n", "NUMBER", 1e300),
                                    ("metadata.deep.a.b", "NUMBER", 1), ("metadata.quote\"'\\", "TEXT", "x")]:
            for operator in ["=", ">", "!=", "notEmpty"]:
                field = {"location": "LOCATION_TYPE_RUN_METADATA", "type": "COLUMN_TYPE_" + kind, "columnName": column,
                         "operator": operator, "value": value}
                self.assertEqual(self.search(self.mallory, filter=filter_of(field)).status, 200, field)
        self.assertEqual(server.http("GET", "/api/v1/projects/1/columns?tableType=TABLE_TYPE_RUN", self.mallory).status, 200)

    def test_somebody_elses_runs_are_not_deleted_or_moved(self):
        """a620492: there were no such routes.
        now: an error for each run; its experiment's owner and admins delete and move it."""
        mine = server.http("POST", "/api/v1/workspaces", self.mallory, {"name": "mallorys"}).json["workspace"]["id"]
        to = server.http("POST", f"/api/v1/workspaces/{mine}/projects", self.mallory, {"name": "x"}).json["project"]["id"]
        ids = {"runIds": [self.over.trial]}
        for path, body in [("delete", {"projectId": 1, **ids}), ("move", {"sourceProjectId": 1, "destinationProjectId": to, **ids})]:
            answer = server.http("POST", f"/api/v1/runs/{path}", self.mallory, body)
            self.assertIn("only its owner and admins", answer.json["results"][0]["error"], answer)
        self.assertEqual(server.sql(f"SELECT project_id, state FROM experiments WHERE id = {self.over.experiment}"), [["1", "CANCELED"]])

    def test_lists_show_no_secrets(self):
        """a620492: lists of experiments showed checkpoint_storage.secret_key to everybody.
        now: masks, in these lists too."""
        storage = {"type": "s3", "bucket": "b", "access_key": "id", "secret_key": "very-secret-key"}
        number = server.create(self.alice, {"checkpoint_storage": storage})
        for method, path, body in [("POST", "/api/v1/experiments-search", {"limit": -1}), ("GET", "/api/v1/experiments?limit=-1", None)]:
            answer = server.http(method, path, self.mallory, body)
            found = [one.get("experiment", one) for one in answer.json["experiments"]]
            self.assertIn(number, [one["id"] for one in found], path)
            self.assertNotIn("very-secret-key", answer.text)


if __name__ == "__main__":
    unittest.main()
