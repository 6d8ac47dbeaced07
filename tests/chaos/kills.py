#!/usr/bin/env python3
"""kill -9 at random points of a large search: kills.py [--kills N] [--trials N] [--seed S] [--free]

One adaptive_asha search after another runs under kills until there were N of them. By default a driver releases event k+1 once the
decision on event k is durable, and every search's log must equal that of an undisturbed one apart from times and epochs. With
--free trials go on by themselves, and each log must equal the replay of its own events. In both, the checks of chaos.py hold too."""

import argparse
import random
import signal
import sys
import threading
import time

import judge
from chaos_stack import Stack, wait_for
from event_driver import EventDriver, Gates
from fake_harness import FreeTiming

VALIDATES = [1, 4, 16]
MAX_QUICK = 5


def config_of(trials):
    return {"name": "kills", "entrypoint": "python3 train.py", "max_restarts": 0, "resources": {"slots_per_trial": 1},
            "hyperparameters": {"x": {"type": "double", "minval": 0, "maxval": 1}, "n": {"type": "int", "minval": 1, "maxval": 64}},
            "reproducibility": {"experiment_seed": 2026},
            "searcher": {"name": "adaptive_asha", "metric": "loss", "time_metric": "batches", "max_time": 16, "max_trials": trials,
                         "max_concurrent_trials": 8, "max_rungs": 3}}


class Killer(threading.Thread):
    """Kills and restarts the operator at random points, whether it has come up again or not, until it is told to stop."""

    def __init__(self, stack, most, mean, seed):
        super().__init__(daemon=True)
        self.stack, self.most, self.mean = stack, most, mean
        self.dice = random.Random(seed)
        self.kills = 0
        self.failure = None
        self.over = threading.Event()

    def run(self):
        try:
            while self.kills < self.most and not self.over.wait(self.dice.expovariate(1 / self.mean)):
                self.stack.kill_operator()
                self.kills += 1
                self.stack.start_operator()
        except Exception as error:  # noqa: BLE001  told by stop()
            self.failure = error

    def stop(self):
        self.over.set()
        self.join()
        if self.failure:
            raise self.failure
        return self.kills


def search(stack, name, trials, seed, kills, mean, is_free):
    """(experiment, kills that hit it)."""
    stack.timing = FreeTiming(0.2) if is_free else Gates()
    stack.create(name, config_of(trials))
    experiment = wait_for(f"{name} has a row", lambda: stack.status(name).get("id"))
    killer = Killer(stack, kills, mean, seed)
    if kills:
        killer.start()
    if not is_free:
        EventDriver(stack, stack.timing, experiment, 1).run()
    else:
        over = f"SELECT 1 FROM searcher_events WHERE experiment_id = {experiment} AND decisions::text LIKE '%\"shutdown\"%'"
        wait_for(f"{name} was shut down", lambda: stack.sql(over), 3600)
    hits = killer.stop() if kills else 0
    stack.wait_ready()
    wait_for(f"{name} is over", lambda: stack.status(name).get("state") in ("COMPLETED", "ERROR", "CANCELED"))
    return experiment, hits


def judged(stack, name, expected, log, is_free):
    """Sentences about what is wrong."""
    experiment, wrong = judge.check_state(stack, name, expected)
    _, more = judge.check_reports(stack, experiment)
    events, differs = judge.check_replay(stack, experiment)
    wrong += more + differs + judge.check_removals(stack, experiment) + judge.check_pods(stack, name) + stack.reports.complaints
    ours = judge.decision_log(stack, experiment)
    if not is_free and ours != log:
        first = next((pair for pair in zip(ours, log) if pair[0] != pair[1]), (len(ours), len(log)))
        wrong.append(f"the log differs from the undisturbed one, first in {first}")
    return wrong, events


def run(kills, trials, seed, is_free=False, mean=1.5, say=print):
    """The number of searches in which something was wrong."""
    stack = Stack(seed, VALIDATES)
    failed = done = number = quick = 0
    try:
        begin = time.monotonic()
        calm, _ = search(stack, "calm", trials, seed, 0, mean, is_free)
        expected, log = judge.trials_of(stack, calm), judge.decision_log(stack, calm)
        wrong, events = judged(stack, "calm", expected, log, is_free)
        say(f"undisturbed: {len(expected)} trials, {events} events in {time.monotonic() - begin:.1f} s")
        while done < kills or number == 0:
            number += 1
            begin = time.monotonic()
            name = f"search-{number}"
            _, hits = search(stack, name, trials, seed + number, kills - done, mean, is_free)
            done += hits
            more, events = judged(stack, name, expected, log, is_free)
            wrong += more
            verdict = "WRONG" if more else "equal to its own replay" if is_free else "equal to the undisturbed log"
            say(f"{name}: {hits} kills, {events} events, {verdict} ({time.monotonic() - begin:.1f} s; {done} kills so far)")
            for line in wrong:
                say("    " + line)
            failed += bool(wrong)
            wrong = []
            stack.reports.complaints.clear()
            # A quick search may be over before its first kill: it shows nothing, and another one is tried.
            quick = 0 if hits else quick + 1
            if quick == MAX_QUICK:
                raise AssertionError(f"{quick} searches in a row were over before the first kill: lower --mean or raise --trials")
        say(f"{number - failed} of {number} searches as they should be, after {done} kills")
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
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mean", type=float, default=1.5, help="seconds between kills, on average")
    parser.add_argument("--free", action="store_true")
    arguments = parser.parse_args()
    failed = run(arguments.kills, arguments.trials, arguments.seed, arguments.free, arguments.mean, lambda line: print(line, flush=True))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
