"""What an older version left behind, and how it is looked at: the same questions when the dump is made and after a newer program has
started on it. Every answer has to stay."""

import base64
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "local_mode"))
# Frozen configurations name the folder of checkpoints, so the data has one place on every machine.
HOME = "/var/tmp/det-operator-upgrade-{}"
DATA = pathlib.Path(__file__).resolve().parent / "data"

# Of everything that had ended or stood still when the dump was made. `{ids}`: the experiments that had.
QUESTIONS = {
    "experiments": "SELECT id, nonce, uid, namespace, object_name, owner_id, project_id, parent_id, state, config, original_config, config_hash, "
                   "name, job_id, context_kind, context_sha256, start_time, end_time FROM experiments WHERE id IN ({ids}) ORDER BY id",
    "trials": "SELECT id, experiment_id, request_id, uid, state, hparams, seed, run, restarts, infra_restarts, start_time, end_time, best_steps, "
              "best_metric FROM trials WHERE experiment_id IN ({ids}) ORDER BY id",
    "decisions": "SELECT experiment_id, seq, event::text, decisions::text FROM searcher_events WHERE experiment_id IN ({ids}) ORDER BY 1, 2",
    "checkpoints": "SELECT c.uuid, t.experiment_id, c.trial_id, c.allocation_id, c.report_time, c.state, c.steps, c.metadata, c.resources, c.size FROM checkpoints c "
                   "JOIN trials t ON t.id = c.trial_id WHERE t.experiment_id IN ({ids}) ORDER BY uuid",
    "reports": "SELECT t.experiment_id, count(*), sum(m.steps) FROM metrics m JOIN series s ON s.id = m.series_id JOIN trials t ON t.id = s.trial_id "
               "WHERE t.experiment_id IN ({ids}) GROUP BY 1 ORDER BY 1",
    "log lines": "SELECT t.id, k.log_lines >= 1, (SELECT coalesce(sum(n), 0) FROM task_log_chunks c WHERE c.task_number = k.number) FROM trials t "
                 "JOIN tasks k ON k.number = t.task_number WHERE t.experiment_id IN ({ids}) ORDER BY 1",
    "model code": "SELECT sha256, length(body) FROM model_definitions ORDER BY 1",
    "templates": "SELECT name, config FROM templates ORDER BY 1",
    "users": "SELECT id, username, admin, active, display_name FROM users ORDER BY id",
}


def answers(sql, settled):
    ids = ", ".join(str(number) for number in settled)
    rows = "SELECT coalesce(jsonb_agg(to_jsonb(q)), '[]') FROM ({}) q"
    return {name: json.loads(sql(rows.format(question.format(ids=ids)))[0][0]) for name, question in QUESTIONS.items()}


def files_of(folder):
    """Path -> content (base64) of every file below."""
    return {str(path.relative_to(folder)): base64.b64encode(path.read_bytes()).decode() for path in sorted(folder.rglob("*")) if path.is_file()}


def put_files(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(content))


def load(version):
    return json.loads((DATA / f"{version}.json").read_text())
