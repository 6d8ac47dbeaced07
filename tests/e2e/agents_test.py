"""Agents and slots by the real det, as administrators take them away from new work and give them back."""

import json
import re
import unittest

from stack import ROOT, api, as_admin, det, get, sql, wait_for

CORE_API = ROOT / "examples" / "core_api"


def slots():
    return json.loads(det("slot", "list", "--json").out)


class Agents(unittest.TestCase):
    def setUp(self):
        self.agent = slots()[0]["agent_id"]
        self.addCleanup(as_admin, "agent", "enable", self.agent)

    def create(self):
        made = det("e", "create", "const.yaml", ".", "--config", "hyperparameters.reports=2000", "--config", "hyperparameters.sleep=0.2",
                   "--config", "max_restarts=0", cwd=CORE_API)
        number = int(re.search(r"Created experiment (\d+)", made.all).group(1))
        self.addCleanup(det, "e", "kill", number)
        return number

    def wait_state(self, number, state):
        now = lambda: api("GET", f"/api/v1/experiments/{number}")["experiment"]["state"]
        wait_for(lambda: f"experiment {number} is {state}, not {now()}", lambda: now() == f"STATE_{state}")

    def test_slots_are_disabled_one_by_one_and_kept_free(self):
        total = len(slots())
        self.assertGreaterEqual(total, 2)
        for slot in range(1, total):
            self.addCleanup(as_admin, "slot", "enable", self.agent, slot)
            self.assertIn(f"Disabled slot {slot} of agent {self.agent}", as_admin("slot", "disable", self.agent, slot).out)
        self.assertEqual([one["enabled"] for one in slots()], [True] + [False] * (total - 1))
        first = self.create()
        self.wait_state(first, "RUNNING")
        second = self.create()
        why = lambda: api("GET", f"/api/v1/job-queues/{second}/reason")["reason"]
        wait_for(lambda: f"it waits for a slot: {why()}", lambda: "waits; trial" in why())
        held = lambda: sum(one["allocation_id"] != "FREE" for one in slots())  # what is shown may be five seconds old
        wait_for(lambda: f"one slot is held, not {held()}", lambda: held() == 1)
        self.assertIn("Enabled slot 1", as_admin("slot", "enable", self.agent, 1).out)
        self.wait_state(second, "RUNNING")

    def test_a_drained_agent_finishes_its_work_and_takes_no_other(self):
        first = self.create()
        self.wait_state(first, "RUNNING")
        said = as_admin("agent", "disable", "--drain", self.agent)
        self.assertIn("Tasks still in progress on draining nodes.", said.out)
        reported = lambda: int(sql(f"SELECT count(*) FROM metrics m JOIN series s ON s.id = m.series_id JOIN trials t ON t.id = s.trial_id "
                                   f"WHERE t.experiment_id = {first}")[0][0])
        before = reported()
        wait_for("it goes on", lambda: reported() > before + 2)
        self.assertEqual([pod["metadata"].get("deletionTimestamp") for pod in get("pods", "-l", f"determined.ai/experiment_id={first}")["items"]], [None])
        second = self.create()
        why = lambda: api("GET", f"/api/v1/job-queues/{second}/reason")["reason"]
        wait_for(lambda: f"another one waits: {why()}", lambda: "waits" in why())
        det("e", "kill", second)
        det("e", "kill", first)
        wait_for("its slot is free", lambda: all(one["allocation_id"] == "FREE" for one in slots()))
        (agent,) = json.loads(det("agent", "list", "--json").out)
        self.assertEqual((agent["enabled"], agent["draining"]), (False, True))
        self.assertTrue(get("node", self.agent)["spec"]["unschedulable"])
        as_admin("agent", "enable", self.agent)
        (agent,) = json.loads(det("agent", "list", "--json").out)
        self.assertEqual((agent["enabled"], agent["draining"], agent["version"]), (True, False, "0.38.1"))
        self.assertNotIn("unschedulable", get("node", self.agent)["spec"])

    def test_trials_go_on_after_their_agent_was_disabled(self):
        number = self.create()
        self.wait_state(number, "RUNNING")
        as_admin("agent", "disable", self.agent)
        wait_for("nothing holds a slot", lambda: all(one["allocation_id"] == "FREE" for one in slots()))
        as_admin("agent", "enable", self.agent)
        runs = lambda: sql(f"SELECT run, restarts FROM trials WHERE experiment_id = {number}")
        wait_for(lambda: f"it runs a second time: {runs()}", lambda: runs() == [["2", "0"]])
        self.wait_state(number, "RUNNING")

    def test_users_take_nothing_away(self):
        self.assertIn("only admins can enable and disable agents", det("agent", "disable", self.agent, check=False).all)
        self.assertIn("only admins can enable and disable agents", det("slot", "disable", self.agent, 0, check=False).all)


if __name__ == "__main__":
    unittest.main()
