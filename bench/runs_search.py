"""How fast runs are found: python3 bench/runs_search.py [--runs 100000]

A `det-operator local` of its own (DET_OPERATOR_BIN, else build/bin) whose database is filled with runs of a hundred experiments, each run with nine reports of
three metrics. Requests for 100 runs go over a connection that stays; median and least of so many. The first request adds the reports up."""

import argparse
import http.client
import json
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "attacks"))
from server import Server  # noqa: E402

LOW_LOSS = {"location": "LOCATION_TYPE_VALIDATIONS", "type": "COLUMN_TYPE_NUMBER", "columnName": "validation.loss.min", "operator": "<", "value": 0.25}
HIGH_ACCURACY = {"location": "LOCATION_TYPE_VALIDATIONS", "columnName": "validation.accuracy.last", "operator": ">", "value": 0.9}
SMALL_LR = {"location": "LOCATION_TYPE_RUN_HYPERPARAMETERS", "type": "COLUMN_TYPE_NUMBER", "columnName": "hp.lr", "operator": "<", "value": 0.5}
IS_OVER = {"location": "LOCATION_TYPE_RUN", "columnName": "state", "operator": "=", "value": "COMPLETED"}
NAME = {"location": "LOCATION_TYPE_RUN", "columnName": "experimentName", "operator": "contains", "value": "ship 1"}


def fill(server, runs):
    server.sql("INSERT INTO experiments (nonce, owner_id, project_id, state, config, original_config, config_hash, name, context_kind, end_time) "
               "SELECT gen_random_uuid(), 2, 1, 'COMPLETED', '{\"searcher\": {\"name\": \"random\", \"metric\": \"loss\"}}', '', '', 'ship ' || n, 'none', now() "
               "FROM generate_series(1, 100) n")
    server.sql(f"INSERT INTO tasks (id, type) SELECT 'bench' || n, 'TRIAL' FROM generate_series(1, {runs}) n")
    server.sql("INSERT INTO trials (experiment_id, request_id, task_number, state, hparams, seed, run, start_time, end_time, best_metric, best_rank, best_steps) "
               "SELECT (SELECT min(id) FROM experiments) + k.number % 100, gen_random_uuid(), k.number, 'COMPLETED', "
               "jsonb_build_object('lr', random(), 'width', (random() * 1000)::int, 'optimizer', jsonb_build_object('name', 'sgd')), 0, 1, "
               "now() - interval '2 hours', now() - interval '1 hour', m, m, 3 FROM (SELECT number, random() AS m FROM tasks WHERE id LIKE 'bench%') k")
    for group, names in [("validation", "accuracy,loss"), ("training", "loss")]:
        server.sql(f"INSERT INTO metric_names (hash, names) VALUES ('{group}', '{{{names}}}')")
        server.sql(f"INSERT INTO series (trial_id, run, grp, names_id) SELECT t.id, 1, '{group}', n.id FROM trials t, metric_names n WHERE n.hash = '{group}'")
    server.sql("INSERT INTO metrics (time, series_id, steps, values) SELECT now(), s.id, i, CASE WHEN s.grp = 'training' THEN ARRAY[random()] "
               "ELSE ARRAY[random(), random()] END FROM series s, generate_series(1, CASE WHEN s.grp = 'training' THEN 6 ELSE 3 END) i")
    server.sql("VACUUM ANALYZE")


class Searches:
    def __init__(self, server, token):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port)
        self.headers = {"Authorization": f"Bearer {token}"}

    def ask(self, path, body):
        self.connection.request("POST", path, json.dumps(body), self.headers)
        answer = self.connection.getresponse()
        return answer.status, json.loads(answer.read())

    def first(self):
        begin, asked = time.perf_counter(), 1
        while self.ask("/api/v1/runs", {"sort": "validation.loss.min=asc"})[0] == 503:
            asked += 1
        return f"{time.perf_counter() - begin:.1f} s, asked {asked} times"

    def times(self, sort, *fields, path="/api/v1/runs", count=30):
        body = {"sort": sort}
        if fields:
            children = [{"kind": "field", **field} for field in fields]
            body["filter"] = json.dumps({"filterGroup": {"kind": "group", "conjunction": "and", "children": children}})
        took = []
        for _ in range(count):
            begin = time.perf_counter()
            status, answer = self.ask(path, body)
            took.append((time.perf_counter() - begin) * 1000)
            assert status == 200, answer
        return f"p50 {statistics.median(took):7.1f} ms   least {min(took):7.1f} ms   of {answer['pagination']['total']:,}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100_000)
    arguments = parser.parse_args()
    server = Server()
    try:
        server.start()
        searches = Searches(server, server.user("alice"))
        fill(server, arguments.runs)
        print("added up               ", searches.first(), flush=True)
        server.sql("VACUUM ANALYZE")
        print("newest                 ", searches.times("id=desc"), flush=True)
        print("by a metric            ", searches.times("validation.loss.min=asc"), flush=True)
        print("two metrics' filters   ", searches.times("validation.loss.min=asc", LOW_LOSS, HIGH_ACCURACY), flush=True)
        print("metric and hp filter   ", searches.times("training.loss.mean=desc", HIGH_ACCURACY, SMALL_LR), flush=True)
        print("state and name filter  ", searches.times("searcherMetricsVal=asc", IS_OVER, NAME), flush=True)
        print("by a hyperparameter    ", searches.times("hp.width=desc", HIGH_ACCURACY), flush=True)
        print("experiments by a metric", searches.times("validation.loss.min=asc", HIGH_ACCURACY, path="/api/v1/experiments-search"), flush=True)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
