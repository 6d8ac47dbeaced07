"""The short form of chaos.py and kills.py. Run: python3 -m unittest discover -s tests/chaos -p '*_test.py'"""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import chaos  # noqa: E402
import chaos_stack  # noqa: E402
import judge  # noqa: E402
import kills  # noqa: E402

MISSING = [name for name, path in [("det-operator", chaos_stack.OPERATOR), ("kube_api_server", chaos_stack.KUBE_API),
                                   ("searcher_conformance", judge.CONFORMANCE)] if path is None]


@unittest.skipIf(MISSING, f"not run: not built: {', '.join(MISSING)}")
class Chaos(unittest.TestCase):
    def test_what_is_lost_doubled_or_decided_otherwise_is_noticed(self):
        stack = chaos_stack.Stack(1, chaos.VALIDATES)
        self.addCleanup(stack.close)
        stack.create("calm", chaos.config_of(2))
        chaos_stack.wait_for("the search is over", lambda: chaos.is_over(stack, "calm"))
        experiment = stack.status("calm")["id"]
        trials = judge.trials_of(stack, experiment)

        def wrong():
            return judge.check_state(stack, "calm", trials)[1], judge.check_reports(stack, experiment)[1], judge.check_replay(stack, experiment)[1]

        self.assertEqual(wrong(), ([], [], []))
        stack.sql("DELETE FROM metrics WHERE (series_id, steps) = (SELECT series_id, steps FROM metrics LIMIT 1)")
        self.assertIn("is there as nothing", wrong()[1][0])
        # Of a trial: the collection of its checkpoints has an allocation too, whose random id may be the lowest.
        stack.sql("UPDATE allocations SET ended_at = NULL WHERE id = (SELECT min(id) FROM allocations WHERE trial_id IS NOT NULL)")
        self.assertIn("is open", wrong()[0][0])
        stack.sql("UPDATE trials SET run = 2 WHERE id = (SELECT min(id) FROM trials)")
        self.assertIn("must be completed by its first run", wrong()[0][0])
        stack.sql("UPDATE searcher_events SET decisions = '[]' WHERE seq = 1")
        self.assertIn("the replay differs", wrong()[2][0])
        self.assertIn("and not the", judge.check_state(stack, "calm", trials[1:])[1][0])

    def test_without_the_task_definition_searches_run_and_ready_says_what_to_apply(self):
        stack = chaos_stack.Stack(1, chaos.VALIDATES, without=("tasks.yaml",))
        self.addCleanup(stack.close)
        stack.create("calm", chaos.config_of(2))
        chaos_stack.wait_for("the search is over", lambda: chaos.is_over(stack, "calm"))
        self.assertEqual(stack.status("calm")["state"], "COMPLETED")
        chaos_stack.wait_for(lambda: f"/ready names it: {stack.ready()}",
                             lambda: "Apply crds/tasks.yaml" in stack.ready().get("details", {}).get("tasks", ""))
        # What would take checkpoints away is a Task: it waits, and says for what.
        chaos_stack.wait_for(stack.log_tail, lambda: "a removal does not get on" in stack.log_tail())

    def test_searches_end_as_they_should_whatever_fails_around_them(self):
        said = []
        self.assertEqual(chaos.run(2, 1, said.append), 0, "\n".join(said))

    def test_a_search_that_is_killed_at_random_points_decides_what_it_would_have_decided(self):
        said = []
        self.assertEqual(kills.run(5, 8, 1, mean=1.0, say=said.append), 0, "\n".join(said))

    def test_the_log_of_a_search_that_is_killed_at_random_points_replays(self):
        said = []
        self.assertEqual(kills.run(3, 12, 1, is_free=True, mean=1.0, say=said.append), 0, "\n".join(said))


if __name__ == "__main__":
    unittest.main()
