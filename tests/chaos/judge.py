"""What must be true when a search is over, whatever happened to it: read from PostgreSQL and the Kubernetes API."""

import json
import os
import pathlib
import subprocess
import tempfile

from chaos_stack import program, wait_for

CONFORMANCE = program("searcher_conformance", "DET_SEARCHER_CONFORMANCE")


def trials_of(stack, experiment):
    """(request id, hyperparameters, seed) of each trial, sorted."""
    rows = stack.sql(f"SELECT request_id, hparams, seed FROM trials WHERE experiment_id = {experiment} ORDER BY request_id")
    return [tuple(row) for row in rows]


def decision_log(stack, experiment):
    """The rows of the search's event log without times and epochs."""
    rows = stack.sql(f"SELECT seq, event, decisions FROM searcher_events WHERE experiment_id = {experiment} ORDER BY seq")
    return [(int(seq), event, decisions) for seq, event, decisions in rows]


def check_state(stack, name, expected_trials):
    """The experiment's id; sentences about what is wrong."""
    wrong = []
    experiment = stack.status(name).get("id")
    state = stack.sql(f"SELECT state, message FROM experiments WHERE id = {experiment}")[0]
    if state[0] != "COMPLETED":
        wrong.append(f"the experiment is {state}")
    trials = trials_of(stack, experiment)
    if trials != expected_trials:
        differs = sorted(set(trials) ^ set(expected_trials))[:4]
        wrong.append(f"{len(trials)} trials, and not the {len(expected_trials)} of an undisturbed search: {differs}")
    odd = stack.sql(f"SELECT id, state, run, restarts, infra_restarts, exit_reason FROM trials WHERE experiment_id = {experiment} "
                    "AND (state <> 'COMPLETED' OR run <> 1 OR restarts <> 0 OR infra_restarts <> 0)")
    wrong += [f"trial {row}: must be completed by its first run" for row in odd]
    allocations = stack.sql("SELECT a.id, a.state FROM allocations a JOIN trials t ON t.id = a.trial_id "
                            f"WHERE t.experiment_id = {experiment} AND a.ended_at IS NULL")
    wrong += [f"allocation {row} is open" for row in allocations]
    return experiment, wrong


def check_reports(stack, experiment):
    """Every acknowledged report is there once with its value; nothing else is there."""
    rows = stack.sql(f"""SELECT s.trial_id, s.grp, m.steps, m.values[array_position(n.names, 'loss')] FROM visible_series s
        JOIN metrics m ON m.series_id = s.id AND m.steps <= s.last_steps JOIN metric_names n ON n.id = s.names_id
        JOIN trials t ON t.id = s.trial_id WHERE t.experiment_id = {experiment}""")
    seen = {}
    for trial, group, steps, value in rows:
        seen.setdefault((int(trial), group, int(steps)), []).append(float(value))
    ours = {int(row[0]) for row in stack.sql(f"SELECT id FROM trials WHERE experiment_id = {experiment}")}
    wrong = []
    acknowledged = [key for key in stack.reports.acknowledged if key[0] in ours]
    for key in acknowledged:
        if seen.get(key) != [stack.reports.sent[key]]:
            wrong.append(f"report {key} was acknowledged with {stack.reports.sent[key]} and is there as {seen.get(key, 'nothing')}")
    for key, values in seen.items():
        if key not in stack.reports.sent or len(values) != 1:
            wrong.append(f"report {key} is there as {values}, and was sent as {stack.reports.sent.get(key)}")
    kept = {row[0] for row in stack.sql(f"SELECT c.uuid FROM checkpoints c JOIN trials t ON t.id = c.trial_id WHERE t.experiment_id = {experiment}")}
    wrong += [f"checkpoint {name} of trial {trial} is lost" for trial, name in stack.reports.checkpoints if trial in ours and name not in kept]
    return len(acknowledged), wrong


def check_removals(stack, experiment):
    """Of each trial its only checkpoint that the policy keeps is left: the latest, which is also its best."""
    pending = f"SELECT 1 FROM removals WHERE experiment_id = {experiment} AND state = 'PENDING'"
    due = f"SELECT 1 FROM experiments WHERE id = {experiment} AND collection = 'DUE'"
    try:
        wait_for("what the policy gives up is gone", lambda: not stack.sql(f"{pending} UNION ALL {due}"))
    except AssertionError as late:
        return [f"{late}: {stack.sql(f'SELECT * FROM removals WHERE experiment_id = {experiment}')}"]
    rows = stack.sql(f"SELECT c.uuid, c.state, c.steps = (SELECT max(o.steps) FROM checkpoints o WHERE o.trial_id = c.trial_id) FROM checkpoints c "
                     f"JOIN trials t ON t.id = c.trial_id WHERE t.experiment_id = {experiment}")
    wrong = [f"checkpoint {name} is {state}" for name, state, is_latest in rows if state != ("COMPLETED" if is_latest == "t" else "DELETED")]
    wrong += [f"checkpoint {name} is the latest, and its files were taken away" for name, _, is_latest in rows
              if is_latest == "t" and name in stack.reports.removed]
    return wrong + [f"checkpoint {name} is {state}, and its files are there" for name, state, _ in rows
                    if state == "DELETED" and name not in stack.reports.removed]


def check_pods(stack, name):
    """No pod is alive; the ended ones go with the Experiment object, which goes here, too."""
    wrong = still_there(stack, "alive", lambda pod: pod.get("status", {}).get("phase") not in ("Succeeded", "Failed"))
    stack.delete(name)
    return wrong + still_there(stack, "left without its experiment", lambda pod: True)


def still_there(stack, what, counts):
    def names():
        return [pod["metadata"]["name"] for pod in stack.pods() if counts(pod)]
    try:
        wait_for(f"no pod is {what}", lambda: not names())
        return []
    except AssertionError:
        return [f"pod {name} is {what}" for name in names()]


def check_replay(stack, experiment):
    """The log's decisions are those of a search that takes its events. Another program's replay, not the operator's."""
    log = decision_log(stack, experiment)
    wrong = [] if [row[0] for row in log] == list(range(1, len(log) + 1)) else ["the log has holes"]
    if stack.sql(f"SELECT count(*) FROM searcher_inbox WHERE experiment_id = {experiment}") != [["0"]]:
        wrong.append("news for the search was left in its inbox")
    config = json.loads(stack.sql(f"SELECT config FROM experiments WHERE id = {experiment}")[0][0])
    events = []
    for _, event, decisions in log:
        event = json.loads(event)
        if event["in"] != "set_aside":
            out = [{key: value for key, value in each.items() if key != "why"} for each in json.loads(decisions)]
            events.append({**event, "out": out})
    record = {"name": f"experiment {experiment}", "searcher": config["searcher"], "hyperparameters": config["hyperparameters"],
              "experiment_seed": config["reproducibility"]["experiment_seed"], "events": events}
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "searches.jsonl").write_text(json.dumps(record) + "\n")
        done = subprocess.run([CONFORMANCE, folder], capture_output=True, text=True, check=False, env=os.environ)
    if done.returncode != 0:
        wrong.append(f"the replay differs: {(done.stdout + done.stderr)[-1500:]}")
    return len(log), wrong
