"""Makes the data of an older version for upgrade_test.py: make_old.py VERSION --program PATH

PATH is `det-operator` built from that version. What it leaves behind goes to data/VERSION.sql.gz (its database, with the objects of its
Kubernetes API) and data/VERSION.json (what has to stay, the checkpoints' files, who is who). Made once and kept; a newer version adds its
own beside it."""

import argparse
import gzip
import json
import os
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("version")
parser.add_argument("--program", required=True)
arguments = parser.parse_args()
os.environ["DET_OPERATOR_BIN"] = arguments.program

from old_data import DATA, HOME, answers, files_of  # noqa: E402
from local import Local, example_object, wait_for  # noqa: E402  pylint: disable=wrong-import-order

# Sleeps in its first run, so that the dump finds it running; a later run ends at once.
GANG = """import os, time
print("rank of run", os.environ["DET_TRIAL_RUN_ID"], flush=True)
time.sleep(3600 if os.environ["DET_TRIAL_RUN_ID"] == "1" else 0)
"""


def gang_object():
    script = "\n".join("    " + line for line in GANG.splitlines())
    return f"""apiVersion: v1
kind: ConfigMap
metadata: {{name: gang-code}}
data:
  gang.py: |
{script}
---
apiVersion: det-operator.dev/v1alpha1
kind: Experiment
metadata: {{name: gang}}
spec:
  context: {{configMap: {{name: gang-code}}}}
  config:
    name: gang
    entrypoint: python3 gang.py
    searcher: {{name: single, metric: loss}}
    resources: {{slots_per_trial: 2}}
    max_restarts: 0
"""


def search_object():
    return example_object("core_api", "search", sleep="0.05").replace(
        "name: single", "name: random\n      max_trials: 6\n      max_concurrent_trials: 1")


def main():
    local = Local(slots=4, folder=HOME.format(arguments.version))
    config = local.folder / "master.yaml"
    config.write_text(json.dumps({"resource_manager": {"type": "kubernetes", "max_slots_per_pod": 1}}))
    os.environ.pop("VIRTUAL_ENV", None)
    local.start("--config", config)
    try:
        record(local)
    finally:
        local.kill()
        subprocess.run(["pkill", "-KILL", "-f", str(local.data)], check=False)
        local.remove()


def record(local):
    login = {"username": "admin", "password": "", "isHashed": True}
    token = local.rest("POST", "/api/v1/auth/login", login).json["token"]
    local.rest("POST", "/api/v1/users", {"user": {"username": "ann", "active": True}, "password": "Abcdefg1"}, token)
    local.rest("POST", "/api/v1/users", {"user": {"username": "blank", "active": True}}, token)
    local.rest("POST", "/api/v1/templates/small", {"config": {"max_restarts": 0}, "workspaceId": 1}, token)
    ids = {}

    def apply(name, text):
        local.kubectl("apply", "-f", "-", stdin=text)
        wait_for(f"{name} is accepted", lambda: local.sql(f"SELECT 1 FROM experiments WHERE object_name = '{name}'"))
        ids[name] = int(local.sql(f"SELECT id FROM experiments WHERE object_name = '{name}'")[0][0])

    def state(name):
        return local.sql(f"SELECT state FROM experiments WHERE id = {ids[name]}")[0][0]

    apply("finished", example_object("core_api", "finished", reports=4))
    apply("continued", example_object("core_api", "continued", reports=3))
    wait_for("both have finished", lambda: {state("finished"), state("continued")} == {"COMPLETED"}, 300)
    local.rest("POST", "/api/v1/experiments/continue", {"id": ids["continued"], "overrideConfig": "{hyperparameters: {reports: 6}}"}, token)
    wait_for("it goes on", lambda: state("continued") != "COMPLETED")
    wait_for("it has finished again", lambda: state("continued") == "COMPLETED", 300)
    apply("search", search_object())
    done = f"SELECT count(*) FROM trials WHERE experiment_id = {ids['search']} AND state = 'COMPLETED'"
    wait_for("two of its trials have ended", lambda: int(local.sql(done)[0][0]) >= 2, 300)
    local.rest("POST", f"/api/v1/experiments/{ids['search']}/pause", {}, token)
    open_runs = f"SELECT 1 FROM allocations a JOIN trials t ON t.id = a.trial_id WHERE t.experiment_id = {ids['search']} AND a.ended_at IS NULL"
    wait_for("it is paused", lambda: state("search") == "PAUSED" and not local.sql(open_runs), 300)
    apply("gang", gang_object())
    wait_for("the gang runs", lambda: gang_runs(local))
    settled = [ids[name] for name in ("finished", "continued", "search")]
    dump = subprocess.run(["pg_dump", f"postgresql://det@/postgres?host={local.data}/postgres", "--no-owner"], capture_output=True, check=True)
    DATA.mkdir(exist_ok=True)
    (DATA / f"{arguments.version}.sql.gz").write_bytes(gzip.compress(dump.stdout, mtime=0))
    known = {"experiments": ids, "settled": settled, "answers": answers(local.sql, settled), "checkpoints": files_of(local.data / "checkpoints")}
    (DATA / f"{arguments.version}.json").write_text(json.dumps(known, indent=1))


def gang_runs(local):
    pods = [pod for pod in local.items("pods") if pod["metadata"]["name"].startswith("gang-")]
    return len(pods) == 2 and all(pod["status"].get("phase") == "Running" for pod in pods)


if __name__ == "__main__":
    sys.exit(main())
