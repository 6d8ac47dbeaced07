#!/usr/bin/env python3
"""Searches with fake trials while everything around det-operator fails: chaos.py [--rounds N] [--seed S]

A round is one search and all faults of FAULTS in random order. It must end with exactly the trials of the same search left alone, every
acknowledged report present once, no pod and no allocation left, and a log that replays. Needs kube_api_server and
searcher_conformance beside det-operator (DET_OPERATOR_BIN, DET_KUBE_API_BIN, DET_SEARCHER_CONFORMANCE name them elsewhere)."""

import argparse
import random
import signal
import sys
import time

import judge
from chaos_stack import Stack, wait_for

VALIDATES = [1, 2, 4, 8, 16]
SEARCHERS = [
    {"name": "adaptive_asha", "metric": "loss", "time_metric": "batches", "max_time": 16, "max_rungs": 3, "max_trials": 12,
     "max_concurrent_trials": 4},
    {"name": "async_halving", "metric": "loss", "time_metric": "batches", "max_time": 16, "num_rungs": 3, "max_trials": 10,
     "max_concurrent_trials": 3},
    {"name": "random", "metric": "loss", "max_trials": 6, "max_concurrent_trials": 3},
]


def config_of(kind):
    return {"name": f"chaos-{kind}", "entrypoint": "python3 train.py", "max_restarts": 0, "resources": {"slots_per_trial": 1},
            "hyperparameters": {"x": {"type": "double", "minval": 0, "maxval": 1}, "n": {"type": "int", "minval": 1, "maxval": 64}},
            "reproducibility": {"experiment_seed": 1000 + kind}, "searcher": SEARCHERS[kind]}


def kill_operator(stack, dice):
    stack.kill_operator()
    time.sleep(dice.uniform(0, 0.5))
    stack.start_operator()


def kill_operator_while_it_starts(stack, dice):
    kill_operator(stack, dice)
    time.sleep(dice.uniform(0, 0.6))
    kill_operator(stack, dice)


def restart_postgres(stack, dice):
    stack.postgres("det", "stop")
    time.sleep(dice.uniform(0, 1.5))
    stack.postgres("det", "start")


def cut_api(stack, dice):
    stack.weather(is_cut=True)
    time.sleep(dice.uniform(0.2, 2))
    stack.weather()


def lose_answers(stack, dice):
    stack.weather(lost_answers=0.5)
    time.sleep(dice.uniform(0.5, 2))
    stack.weather()


def expire_watches(stack, dice):
    stack.weather(is_gone=True)
    time.sleep(dice.uniform(0.1, 1))
    stack.weather()


def storm_of_429(stack, dice):
    stack.weather(busy=dice.uniform(0.5, 1), delay=0.1)
    time.sleep(dice.uniform(0.5, 3))
    stack.weather()


# Of a round's faults: so many come before its search is over, or nothing was tried.
LEAST_DURING = 3
FAULTS = [kill_operator, kill_operator_while_it_starts, restart_postgres, cut_api, lose_answers, expire_watches, storm_of_429]


def is_over(stack, name):
    stack.check_alive()
    return stack.status(name).get("state") in ("COMPLETED", "ERROR", "CANCELED")


def undisturbed(stack):
    """By kind of search: its trials."""
    names = [f"calm-{kind}" for kind in range(len(SEARCHERS))]
    for kind, name in enumerate(names):
        stack.create(name, config_of(kind))
    for name in names:
        wait_for(f"{name} is over", lambda: is_over(stack, name))
    trials = [judge.trials_of(stack, stack.status(name)["id"]) for name in names]
    for name in names:
        stack.delete(name)
    return trials


def one_round(stack, dice, number, expected):
    """Sentences about what is wrong, and a summary."""
    kind = dice.randrange(len(SEARCHERS))
    name = f"round-{number}"
    stack.create(name, config_of(kind))
    faults = dice.sample(FAULTS, len(FAULTS))
    during = 0
    for fault in faults:
        time.sleep(dice.uniform(0, 0.7))
        during += not is_over(stack, name)
        fault(stack, dice)
    wait_for(f"{name} is over", lambda: is_over(stack, name))
    experiment, wrong = judge.check_state(stack, name, expected[kind])
    reports, more = judge.check_reports(stack, experiment)
    events, differs = judge.check_replay(stack, experiment)
    wrong += more + differs + judge.check_removals(stack, experiment) + judge.check_pods(stack, name) + stack.reports.complaints
    if during < LEAST_DURING:
        wrong.append(f"{during} faults came before the search's end: fewer than {LEAST_DURING} show nothing")
    summary = f"{SEARCHERS[kind]['name']}, {len(expected[kind])} trials, {reports} reports, {events} events"
    return wrong, f"{summary}, {during} of {len(faults)} faults before its end"


def run(rounds, seed, say=print):
    """The number of rounds in which something was wrong."""
    dice = random.Random(seed)
    stack = Stack(seed, VALIDATES)
    failed = 0
    try:
        expected = undisturbed(stack)
        for number in range(rounds):
            begin = time.monotonic()
            wrong, summary = one_round(stack, dice, number, expected)
            say(f"round {number}: {'WRONG' if wrong else 'ok'} ({summary}; {time.monotonic() - begin:.1f} s)")
            for line in wrong:
                say("    " + line)
            failed += bool(wrong)
            stack.reports.complaints.clear()
        say(f"{rounds - failed} of {rounds} rounds as they should be; spoilt by the proxy: {dict(stack.proxy.injected)}")
    except BaseException:
        failed += 1
        say(f"the logs are in {stack.folder}")
        raise
    finally:
        stack.close(keep=failed > 0)
    return failed


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started ends, too
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    return 1 if run(arguments.rounds, arguments.seed, lambda line: print(line, flush=True)) else 0


if __name__ == "__main__":
    sys.exit(main())
