"""Every leaf of the real det's parser against det-operator local: it works, or it is refused with a reason; nothing is missing."""

import argparse
import collections
import contextlib
import os
import re
import shlex
import shutil
import signal
import sys
import tempfile
import types
import unittest
from unittest import mock

import determined
from determined import cli
from determined.cli import cli as det
from determined.experimental import client

from local import Local, PATIENCE, wait_for
from walk_table import CALLS, GONE, LEFT_OUT, calls_of

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin:" + os.environ.get("PATH", "")) and shutil.which("ssh")
IS_TABLES_VERSION = determined.__version__.startswith("0.38.")
# What somebody sees who calls what is not there: the server's words for it, on its two kinds of paths, and those of a client that gets
# something else than it expects.
MISSING = re.compile(r"does not serve|api not found: |Traceback \(most recent call last\)|unrecognized arguments|invalid choice")
COLORS = re.compile(r"\x1b\[[0-9;]*m")
FILES = {
    "const.yaml": """
name: walk
entrypoint: python3 train.py
searcher: {name: single, metric: loss, smaller_is_better: true}
""",
    # Two checkpoints of which the policy keeps both: the first is the best, the second the latest.
    "train.py": """
from determined import core
with core.init(tensorboard_mode=core.TensorboardMode.MANUAL) as context:
    for step in (1, 2):
        context.train.report_training_metrics(steps_completed=step, metrics={"loss": step})
        context.train.report_validation_metrics(steps_completed=step, metrics={"loss": step})
        with context.checkpoint.store_path({"steps_completed": step}) as (path, _):
            (path / "step").write_text(str(step))
""",
    "template.yaml": "max_restarts: 0\n",
    "policy.yaml": "constraints: {resources: {max_slots: 8}}\n",
    "generic.yaml": 'entrypoint: ["sleep", "600"]\nresources: {slots: 0}\n',
}


def leaves(parser, path=()):
    """The words of each command that has no commands below it, without its other names."""
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not below:
        yield " ".join(path)
    first_names = {}
    for action in below:
        for name, each in action.choices.items():
            first_names.setdefault(id(each), (name, each))
    for name, each in first_names.values():
        yield from leaves(each, (*path, name))


def leaves_of_det():
    parser = det.make_parser()
    getattr(cli, "add_args", getattr(det, "add_args", None))(parser, det.all_args_description)
    return list(leaves(parser))


@contextlib.contextmanager
def streams_into(file):
    """Standard output and error of this process and of those that it starts go to a file; standard input is empty."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(number) for number in range(3)]
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, target in enumerate((nothing, file.fileno(), file.fileno())):
        os.dup2(target, number)
    text = open(file.fileno(), "w", closefd=False)
    try:
        with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
            yield
    finally:
        text.close()
        for number, target in enumerate(kept):
            os.dup2(target, number)
        for number in (nothing, *kept):
            os.close(number)


def too_long(*_):
    raise TimeoutError(f"det has not ended after {PATIENCE} s")


def call_det(arguments, typed=()):
    """`det` in this process: a process of its own costs a second before it does anything. `typed`: what is answered to its questions."""
    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(PATIENCE)
    answers, code = iter(typed), 0
    if not IS_TABLES_VERSION:
        client._determined = None  # a process logs in once
    answer = lambda *_: next(answers)
    with tempfile.TemporaryFile() as file:
        try:
            with streams_into(file), mock.patch("getpass.getpass", answer), mock.patch("builtins.input", answer), mock.patch("webbrowser.open"):
                det.main(list(arguments))
        except SystemExit as end:
            code = end.code or 0
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)
        file.seek(0)
        return types.SimpleNamespace(code=code, said=COLORS.sub("", file.read().decode(errors="replace")))


def verdict(done):
    if MISSING.search(done.said):
        return "missing"
    return "refused" if done.code else "works"


class TheTable(unittest.TestCase):
    def test_it_has_every_leaf_of_the_parser_and_no_other(self):
        there = {leaf for leaf in leaves_of_det() if leaf.split()[-1] != "help"}
        walked = {call.leaf for call in CALLS} | {call.leaf for call in GONE if not IS_TABLES_VERSION}
        self.assertEqual(there - walked - LEFT_OUT.keys(), set(), "leaves of det that nothing calls")
        if IS_TABLES_VERSION:  # older ones have fewer
            self.assertEqual((walked | LEFT_OUT.keys()) - there, set(), "det has no such leaves")
        self.assertEqual(walked & LEFT_OUT.keys(), set())


@unittest.skipUnless(SSHD, "not run: this machine has no sshd or ssh")
class Walk(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.local = Local(slots=1)
        master = cls.local.folder / "master.yaml"
        master.write_text("security: {authz: {rbac_ui_enabled: true}}\nresource_pools: [{pool_name: default}, {pool_name: spare}]\n")
        cls.local.start("--config", master)
        cls.files = cls.local.folder / "files"
        cls.files.mkdir()
        for name, text in FILES.items():
            (cls.files / name).write_text(text)
        cls.enterClassContext(cls.local.own_logins())
        if not IS_TABLES_VERSION:
            cls.log_in_anew()

    @classmethod
    def log_in_anew(cls):
        """An older client takes a file of logins of today's form for a broken one, and deletes it."""
        (cls.local.folder / "config" / "auth.json").unlink()
        for line in (cls.local.data / "passwords").read_text().splitlines():
            if line.startswith("#"):
                continue
            user, password = line.split()
            done = call_det(["-m", cls.local.url, "user", "login", user], [password])
            assert done.code == 0, done

    @classmethod
    def tearDownClass(cls):
        cls.local.stop()
        cls.local.remove()

    def test_what_is_missing_is_noticed(self):
        if "dev curl" not in leaves_of_det():
            self.skipTest("not run: this det calls no route by hand")
        for words, said in ((["curl", "api/v1/stiles"], "does not serve GET /api/v1/stiles"), (["curl", "stiles"], "api not found: GET /stiles"),
                            (["stiles"], "invalid choice: 'stiles'"), (["bindings", "call", "get_GetTrial", "trialId=?"], "ValueError: invalid literal")):
            done = call_det(["-m", self.local.url, "-u", "admin", "dev", *words])
            self.assertIn(said, done.said)
            self.assertEqual(verdict(done), "missing", done)

    def test_each_leaf_works_or_is_refused_with_a_reason(self):
        known = {"files": str(self.files)}
        verdicts = collections.defaultdict(set)
        for call in calls_of(determined.__version__, set(leaves_of_det())):
            with self.subTest(leaf=call.leaf, arguments=call.arguments):
                done, found = self.made(call, known)
                verdicts[verdict(done)].add(call.leaf)
                self.assertEqual(verdict(done), call.verdict, done)
                self.assertTrue(found, f"{call.said!r} is not in: {done}")
                known.update(found.groupdict())
        # What works in one way may be refused in another.
        verdicts["refused"] -= verdicts["works"]
        print(f"\nleaves of det {determined.__version__}: " + ", ".join(f"{len(verdicts[each])} {each}" for each in ("works", "refused", "missing"))
              + f", {len(LEFT_OUT)} left out", file=sys.stderr)

    def made(self, call, known):
        """How the call ended, and the match of what it was to say; made again until it is so where that may take a while."""
        arguments = [word.format_map(known) for word in shlex.split(call.arguments)]
        said = re.sub(r"\{([a-z_]+)\}", lambda name: re.escape(known[name[1]]), call.said)
        done = found = None

        def is_so():
            nonlocal done, found
            done = call_det(["-m", self.local.url, "-u", call.user, *call.leaf.split(), *arguments], call.typed)
            found = re.search(said, done.said, re.MULTILINE)
            return found and verdict(done) == call.verdict
        if not is_so() and call.eventually:
            wait_for(lambda: f"{call.leaf} says {said!r}: {done}", is_so)
        return done, found

    def test_each_help_of_it_is_printed(self):
        for leaf in (leaf for leaf in leaves_of_det() if leaf.split()[-1] == "help"):
            with self.subTest(leaf=leaf):
                done = call_det(["-m", self.local.url, *leaf.split()])
                self.assertEqual((done.code, verdict(done)), (0, "works"), done)
                self.assertIn("usage: ", done.said)


if __name__ == "__main__":
    unittest.main()
