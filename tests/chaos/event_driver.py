"""Lets trials go on one event at a time: event k+1 is released once the decision on event k is in the database."""

import asyncio
import json
import random
import subprocess
import time


class Session:
    """One psql that stays open: a question a poll would otherwise cost a process."""

    END = "--end--"

    def __init__(self, url):
        self.process = subprocess.Popen(["psql", url, "-qAt", "-F", "\t"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, query):
        self.process.stdin.write(f"{query};\n\\echo {self.END}\n")
        self.process.stdin.flush()
        rows = []
        for line in self.process.stdout:
            line = line.rstrip("\n")
            if line == self.END:
                return rows
            rows.append(line.split("\t"))
        raise AssertionError("psql ended")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Gates:
    """The timing of fake trials under a driver. A trial waits until its next step, or its exit, is released."""

    def __init__(self):
        self.released = {}  # (request id, what) -> future of the event loop
        self.loop = None

    def gate(self, *key):
        self.loop = asyncio.get_running_loop()
        return self.released.setdefault(key, self.loop.create_future())

    async def next(self, request_id, steps):
        """False: the search has stopped the trial, and it is to wait for the signal that says so."""
        return await asyncio.shield(self.gate(request_id, steps))

    async def may_exit(self, request_id):
        await asyncio.shield(self.gate(request_id, "exit"))

    def release(self, loop, key, value):
        """From another thread; also before the trial is there."""
        def settle():
            future = self.released.setdefault(key, loop.create_future())
            if not future.done():
                future.set_result(value)
        loop.call_soon_threadsafe(settle)


class EventDriver:
    """Drives one search to its end. The same seed releases the same events in the same order."""

    def __init__(self, stack, gates, experiment, seed):
        self.stack, self.gates, self.experiment = stack, gates, experiment
        self.dice = random.Random(seed)
        self.session = Session(stack.url("det"))
        self.seq = 0
        self.created, self.exited, self.stopped = [], set(), set()
        self.validated = {}  # request id -> steps of its last validation
        self.is_over = False

    def read_log(self):
        rows = self.session.ask(f"SELECT seq, event, decisions FROM searcher_events WHERE experiment_id = {self.experiment} "
                                f"AND seq > {self.seq} ORDER BY seq")
        for seq, event, decisions in rows:
            self.seq = int(seq)
            event = json.loads(event)
            if event["in"] == "validation":
                self.validated[event["id"]] = event["metrics"]["batches"]
            elif event["in"] == "exited":
                self.exited.add(event["id"])
            for decision in json.loads(decisions):
                if decision["t"] == "create":
                    self.created.append(decision["id"])
                elif decision["t"] == "stop":
                    self.stopped.add(decision["id"])
                elif decision["t"] == "shutdown":
                    self.is_over = True

    def wait(self, what, condition, timeout=600):
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"after {timeout} s still not in the log: {what}")
            time.sleep(0.02)
            self.read_log()

    def release(self, *key, value=True):
        self.gates.release(self.stack.loop, key, value)

    def run(self):
        """Until the search is over; the number of events that were released."""
        count = 0
        self.wait("the first trials", lambda: self.created)
        while not self.is_over:
            live = [each for each in self.created if each not in self.exited]
            trial = self.dice.choice(live)
            done = self.validated.get(trial, 0)
            later = [steps for steps in self.stack.validates if steps > done]
            if trial in self.stopped or not later:
                if later:
                    self.release(trial, later[0], value=False)
                self.release(trial, "exit")
                self.wait(f"the exit of {trial}", lambda: trial in self.exited)
            else:
                self.release(trial, later[0])
                self.wait(f"validation {later[0]} of {trial}", lambda: self.validated.get(trial) == later[0])
            count += 1
        self.session.close()
        return count
