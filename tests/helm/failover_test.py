"""Two replicas of the chart under the rendered rights: who leads is killed, or told to stop, while a search runs."""

import datetime
import signal
import time
import unittest

from chart import CHART
from cluster import Cluster, Operator, wait_for

NAME, DEPLOYMENT = "pair", "pair-det-operator"
VALUES = "crds.install=false,db.disablePVC=true,db.name=pair,controllerClass=pair,replicas=2,resourceManager.defaultNamespace=pair"
SEARCH = """name: pair
entrypoint: python3 train.py
resources: {slots_per_trial: 8}
searcher: {name: grid, metric: loss, max_concurrent_trials: 1}
hyperparameters: {x: {type: categorical, vals: [1, 2, 3]}}
max_restarts: 0
"""


def moment(text):
    """Of an RFC 3339 time with microseconds, as Leases have it."""
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")


class Failover(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster.get()

    def lease(self):
        return self.cluster.json("lease", NAME, "-n", NAME)["spec"]

    def trials(self, experiment):
        return self.cluster.json("trials", "-n", NAME, "-l", f"det-operator.dev/experiment={experiment}")["items"]

    def running(self, experiment, but=""):
        """The one pod that runs, as (name, uid), if it is not `but`."""
        pods = [p for p in self.cluster.json("pods", "-n", NAME, "-l", f"det-operator.dev/experiment={experiment}")["items"]
                if p["spec"].get("nodeName") and p["status"].get("phase") == "Running"]
        names = [(p["metadata"]["name"], p["metadata"]["uid"]) for p in pods]
        return names[0] if len(names) == 1 and names[0][0] != but else None

    def end(self, pod):
        self.cluster.kubectl("annotate", "pod", pod, "-n", NAME, "fake.test/exit-code=0")

    def replica(self, number):
        operator = Operator(self.cluster, NAME, DEPLOYMENT, number).start()
        self.addCleanup(operator.stop)
        return operator

    def test_a_search_goes_on_when_its_leader_is_killed_and_when_it_is_told_to_stop(self):
        cluster = self.cluster
        cluster.kubectl("create", "namespace", NAME)
        cluster.definitions()
        cluster.must("psql", cluster.database_url, "-qc", f"CREATE DATABASE {NAME} OWNER postgres")
        cluster.helm("helm", "install", NAME, CHART, "-n", NAME, "--set", VALUES, "--wait", "--timeout", "5m")
        self.addCleanup(cluster.helm, "helm", "uninstall", NAME, "-n", NAME)
        first, second = replicas = [self.replica(number) for number in (0, 1)]
        wait_for("one of them leads", lambda: any(r.leads() for r in replicas))
        leader, other = (first, second) if first.leads() else (second, first)
        self.assertFalse(other.leads())
        self.assertEqual(self.lease()["holderIdentity"], f"operator-{leader.replica}")

        # By the replica that does not lead: both serve.
        token = other.login("determined", cluster.text_of(NAME, f"{DEPLOYMENT}-initial-password", "password"))
        made = other.call("POST", "/api/v1/experiments", {"config": SEARCH, "activate": True}, token)["experiment"]
        name = f"exp-{made['id']}"
        pod = wait_for("the first trial runs", lambda: self.running(name))

        shown = lambda: other.call("GET", f"/api/v1/experiments/{made['id']}", token=token)["experiment"]["state"]
        wait_for("the search runs", lambda: shown() == "STATE_RUNNING")

        before, killed_at = self.lease(), time.monotonic()
        self.assertEqual(before["holderIdentity"], f"operator-{leader.replica}")
        leader.stop(signal.SIGKILL)
        # Nobody leads, and who is left serves all the same.
        self.assertEqual(shown(), "STATE_RUNNING")
        wait_for("the other one leads", other.leads)
        # It waited until the lease was out, which had been renewed then or later.
        after = self.lease()
        self.assertEqual(after["holderIdentity"], f"operator-{other.replica}")
        held = datetime.timedelta(seconds=before["leaseDurationSeconds"])
        self.assertGreaterEqual(moment(after["acquireTime"]) - moment(before["renewTime"]), held)
        print(f"after kill -9 the other one led after {time.monotonic() - killed_at:.1f} s")
        # The trial does not notice: the same pod, and no restart of any kind, which is counted at the end.
        self.assertEqual(self.running(name), pod)
        self.end(pod[0])
        following = wait_for("the second trial runs", lambda: self.running(name, but=pod[0]))

        # What comes back does not take the lease from who has it.
        returned = self.replica(2)
        self.assertTrue(other.leads() and not returned.leads())
        told_at = time.monotonic()
        other.stop()
        # It gave the lease up, so that nobody had to wait until it was out.
        self.assertIn(self.lease()["holderIdentity"], ("", "operator-2"))
        wait_for("the returned one leads", returned.leads)
        print(f"after SIGTERM the other one led after {time.monotonic() - told_at:.1f} s")
        self.assertIn("released the lease", other.log.read_text())
        self.assertEqual(self.running(name), following)
        # What ends while nobody leads is not lost.
        fresh = self.replica(3)
        returned.stop(signal.SIGKILL)
        self.end(following[0])
        wait_for("the fourth one leads", fresh.leads)
        last = wait_for("the third trial runs", lambda: self.running(name, but=following[0]))
        self.end(last[0])
        state = lambda: cluster.json("experiment", name, "-n", NAME).get("status", {})
        ended = lambda: (state().get("state"), state().get("trials", {}).get("completed"))
        wait_for(lambda: f"the search is through: {state()}", lambda: ended() == ("COMPLETED", 3))
        for trial in fresh.call("GET", f"/api/v1/experiments/{made['id']}/trials", token=token)["trials"]:
            self.assertEqual((trial["state"], trial["restarts"]), ("STATE_COMPLETED", 0))
        rows = cluster.must("psql", cluster.database_url.replace("/postgres?", f"/{NAME}?"), "-Atc", "SELECT restarts, infra_restarts, run FROM trials")
        self.assertEqual(set(rows.split()), {"0|0|1"})
        self.assertEqual(cluster.refused(f"system:serviceaccount:{NAME}:{DEPLOYMENT}"), [])


if __name__ == "__main__":
    unittest.main()
