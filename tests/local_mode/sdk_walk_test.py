"""Every method of the SDK's classes against det-operator local: it works, or it is refused with a reason; nothing is missing."""

import collections
import inspect
import re
import sys
import types
import unittest
import warnings

from determined.common.experimental import checkpoint, determined, experiment, model, project, resource_pool, trial, user, workspace

from local import Local
from sdk_table import CALLS, LEFT_OUT
from walk_test import FILES, MISSING

CLASSES = (determined.Determined, experiment.Experiment, trial.Trial, checkpoint.Checkpoint, model.Model, model.ModelVersion, project.Project,
           resource_pool.ResourcePool, user.User, workspace.Workspace)


def methods():
    return {f"{each.__name__}.{name}" for each in CLASSES for name, member in vars(each).items()
            if not name.startswith("_") and inspect.isfunction(member)}


class TheTable(unittest.TestCase):
    def test_it_has_every_method_and_no_other(self):
        called = {call.method for call in CALLS}
        self.assertEqual(methods() - called - LEFT_OUT.keys(), set(), "methods that nothing calls")
        self.assertEqual((called | LEFT_OUT.keys()) - methods(), set(), "the SDK has no such methods")
        self.assertEqual(called & LEFT_OUT.keys(), set())


class Walk(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.local = Local(slots=1)
        master = cls.local.folder / "master.yaml"
        master.write_text("resource_pools: [{pool_name: default}, {pool_name: spare}]\n")
        cls.local.start("--config", master)
        cls.files = cls.local.folder / "files"
        cls.files.mkdir()
        for name in ("const.yaml", "train.py"):
            (cls.files / name).write_text(FILES[name])
        cls.enterClassContext(cls.local.own_logins())

    @classmethod
    def tearDownClass(cls):
        cls.local.stop()
        cls.local.remove()

    def password(self, name):
        lines = (self.local.data / "passwords").read_text().splitlines()
        return next(line.split()[1] for line in lines if line.startswith(name + " "))

    def test_each_method_works_or_is_refused_with_a_reason(self):
        warnings.simplefilter("ignore")
        client = determined.Determined(self.local.url, user="admin", password=self.password("admin"))
        known = types.SimpleNamespace(det=client, folder=self.files, states=experiment.ExperimentState)
        verdicts = collections.defaultdict(set)
        for call in CALLS:
            with self.subTest(method=call.method):
                try:
                    given = call.call(known)
                except Exception as error:  # noqa: BLE001: whatever the SDK says
                    said = str(error)
                    verdicts["missing" if MISSING.search(said) else "refused"].add(call.method)
                    self.assertFalse(MISSING.search(said), said)
                    self.assertTrue(call.refused, f"{type(error).__name__}: {said}")
                    self.assertTrue(re.search(call.refused, said), said)
                    continue
                verdicts["works"].add(call.method)
                self.assertEqual(call.refused, "", "it was not refused")
                expected = call.expected(known) if callable(call.expected) else call.expected
                if expected is not None:
                    self.assertEqual(given, expected)
        print("\nmethods of the SDK of 0.38.1: " + ", ".join(f"{len(verdicts[each])} {each}" for each in ("works", "refused", "missing"))
              + f", {len(LEFT_OUT)} left out", file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
