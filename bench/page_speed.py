"""How quick the web page is: python3 bench/page_speed.py [--experiments 100000] [--trials 10000] [--points 10000] [--loads 20] [--follow 150] [--only NAME,...]

A `det-operator local` of its own (DET_OPERATOR_BIN, else build/bin) whose database gets rows by SQL, and headless Chromium (DET_CHROMIUM) whose CPU is
slowed down four times, signed in: bench/page_speed.mjs measures and says what each figure means. Needs `npm ci && npm run build` in webui/ and, where the
program does not find the page itself, build/ui. A trial that writes 200,000 lines, then 300 a second, is the log: what it writes in --follow seconds
is what a trial of 10 lines a second writes in half as many minutes."""

import argparse
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "local_mode"))
from local import Local, wait_for  # noqa: E402

CONFIG = {"entrypoint": "python3 -ES log.py", "max_restarts": 0, "resources": {"slots_per_trial": 1}, "labels": ["vision", "night"],
          "searcher": {"name": "random", "metric": "validation_loss", "max_trials": 1}, "hyperparameters": {"lr": {"type": "log", "base": 10, "minval": -5, "maxval": 0}}}
LOG = """import sys, time
line = "step %d: loss 0.123456, \\x1b[32maccuracy 0.9876\\x1b[0m, a text as long as lines of training have it\\n"
sys.stdout.write("".join(line % i for i in range(200_000)))
number = 200_000
while True:
    sys.stdout.write("".join(line % i for i in range(number, number + 30)))
    sys.stdout.flush()
    number += 30
    time.sleep(0.1)
"""


class Seed:
    def __init__(self, local, token):
        self.local, self.token = local, token

    def sql(self, statement):
        done = subprocess.run(["psql", f"postgresql://det@/postgres?host={self.local.data}/postgres", "-qAt", "-v", "ON_ERROR_STOP=1", "-c", statement],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        return done.stdout.strip()

    def experiment(self, name):
        files = [{"path": "log.py", "content": base64.b64encode(LOG.encode()).decode()}]
        answer = self.local.rest("POST", "/api/v1/experiments", {"config": json.dumps({**CONFIG, "name": name}), "activate": name == "a log", "modelDefinition": files}, self.token)
        if answer.status != 200:
            raise SystemExit(f"POST /api/v1/experiments: {answer}")
        return answer.json["experiment"]["id"]

    def copies(self, of, count, name):
        """Experiments that are over, each with one trial that has a best metric."""
        return self.sql(f"""
            WITH made AS (INSERT INTO experiments (nonce, owner_id, project_id, state, config, original_config, config_hash, name, context_kind, start_time, end_time)
              SELECT gen_random_uuid(), 2, 1, (ARRAY['COMPLETED', 'ERROR', 'CANCELED'])[1 + i % 3], e.config, e.original_config, e.config_hash, '{name}' || i, 'none',
                     now() - i * interval '1 min', now() - i * interval '30 s' FROM experiments e, generate_series(1, {count}) i WHERE e.id = {of} RETURNING id),
            tasked AS (INSERT INTO tasks (id, type, end_time) SELECT id || '.bench', 'TRIAL', now() FROM made RETURNING id, number)
            INSERT INTO trials (experiment_id, request_id, task_number, state, hparams, seed, run, start_time, end_time, best_steps, best_metric, best_rank)
              SELECT split_part(id, '.', 1)::bigint, gen_random_uuid(), number, 'COMPLETED', '{{"lr": 0.01}}', 1, 1, now() - interval '1 h', now(), 1, m, m
              FROM (SELECT id, number, random() AS m FROM tasked) k; SELECT max(id) FROM experiments""")

    def trials(self, experiment, count, points):
        """Trials that are over, each with so many validations."""
        self.sql(f"""
            WITH tasked AS (INSERT INTO tasks (id, type, end_time) SELECT '{experiment}.bench' || i, 'TRIAL', now() FROM generate_series(1, {count}) i RETURNING number)
            INSERT INTO trials (experiment_id, request_id, task_number, state, hparams, seed, run, start_time, end_time, best_steps, best_metric, best_rank)
              SELECT {experiment}, gen_random_uuid(), number, 'COMPLETED', jsonb_build_object('lr', power(10, -5 * random()), 'layers', 1 + number % 8, 'dropout', random(),
                     'optimizer', (ARRAY['adam', 'sgd'])[1 + number % 2]), 1, 1, now() - interval '1 h', now(), {points}, m, m FROM (SELECT number, random() AS m FROM tasked) k;
            INSERT INTO metric_names (hash, names) VALUES ('page-bench', '{{validation_loss}}') ON CONFLICT DO NOTHING;
            INSERT INTO series (trial_id, run, grp, names_id) SELECT t.id, 1, 'validation', n.id FROM trials t, metric_names n
              WHERE t.experiment_id = {experiment} AND n.hash = 'page-bench';
            INSERT INTO metrics (time, series_id, steps, values) SELECT now() - interval '1 h' + i * interval '100 ms', s.id, i, ARRAY[t.best_metric + 2 * exp(-i * 8.0 / {points}) + 0.1 * random()]
              FROM trials t JOIN series s ON s.trial_id = t.id, generate_series(1, {points}) i WHERE t.experiment_id = {experiment}""")

    def trial_of(self, experiment):
        return self.local.rest("GET", f"/api/v1/experiments/{experiment}", token=self.token).json["experiment"]["trialIds"]


def fill(local, token, arguments):
    seed = Seed(local, token)
    base, many, curves = (seed.experiment(name) for name in ("a base", "many trials", "many points"))
    for one in (base, many, curves):
        local.rest("POST", f"/api/v1/experiments/{one}/kill", {}, token)
        wait_for(f"experiment {one} is over", lambda one=one: seed.sql(f"SELECT state FROM experiments WHERE id = {one}") == "CANCELED")
    begin = time.monotonic()
    seed.copies(base, arguments.experiments, "run of the night ")
    seed.trials(many, arguments.trials, 5)
    seed.trials(curves, 200, arguments.points)
    for one, trials in ((many, arguments.trials), (curves, 200)):  # Determined's pages take an experiment of at most one trial for that trial
        seed.sql(f"UPDATE experiments SET state = 'COMPLETED', config = jsonb_set(config, '{{searcher,max_trials}}', '{trials}') WHERE id = {one}")
    seed.sql("VACUUM ANALYZE")
    print(f"filled in {time.monotonic() - begin:.0f} s: {arguments.experiments:,} experiments, one with {arguments.trials:,} trials, one with 200 curves of {arguments.points:,} points", flush=True)
    log = seed.experiment("a log")
    trial = wait_for("the trial that writes a log", lambda: seed.trial_of(log))[0]
    return {"many": many, "curves": curves, "logTrial": trial}


def settle(local, token):
    """Until lists are as quick as they are on other days, five in a row; a slow machine is waited for no longer than three minutes."""
    quick = 0
    end = time.monotonic() + 180
    while quick < 5 and time.monotonic() < end:
        begin = time.monotonic()
        answer = local.rest("POST", "/api/v1/experiments-search", {"limit": 100}, token)
        quick = quick + 1 if answer.status == 200 and time.monotonic() - begin < 0.5 else 0


def upstream_arguments(local, pages):
    """With the switch by which those pages have an experiment's page, and curves on it."""
    if not pages:
        return []
    config = local.folder / "master.yaml"
    config.write_text("feature_switches: [-flat_runs]\n")
    return ["--webui-dir", pages, "--config", config]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--experiments", type=int, default=100_000)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--loads", type=int, default=20)
    parser.add_argument("--follow", type=int, default=150, help="seconds")
    parser.add_argument("--only", default="", help="experiments, trials, curves, scroll, memory")
    parser.add_argument("--upstream", metavar="DIR", help="Determined's own pages, as its image has them: bench/upstream_pages.mjs measures those instead")
    arguments = parser.parse_args()
    local = Local(slots=2)
    try:
        local.start("--blank-passwords", *upstream_arguments(local, arguments.upstream))
        token = local.rest("POST", "/api/v1/auth/login", {"username": "determined", "password": ""}).json["token"]
        facts = fill(local, token, arguments)
        begin = time.monotonic()
        settle(local, token)
        print(f"the first lists, which add up what came by SQL: {time.monotonic() - begin:.0f} s", flush=True)
        facts |= {"loads": arguments.loads, "follow": arguments.follow, "only": [one for one in arguments.only.split(",") if one]}
        with open("/proc/loadavg", encoding="ascii") as load:
            print(f"load average {load.read().split()[0]}", flush=True)
        script = "upstream_pages.mjs" if arguments.upstream else "page_speed.mjs"
        subprocess.run([shutil.which("node"), str(ROOT / "bench" / script)], env={**os.environ, "DET_SERVER": local.url, "DET_BENCH": json.dumps(facts)}, check=True)
    finally:
        local.stop()
        local.remove()


if __name__ == "__main__":
    main()
