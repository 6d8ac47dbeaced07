"""The same expectations of gang scheduling, whoever does it: DET_GANG_BACKEND is own, native or coscheduling. One real control plane with fake nodes;
scenarios run side by side in pools of their own. DET_GANG_ONLY names one."""

import concurrent.futures
import os
import signal
import sys
import time
import unittest
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import BACKEND, STATE, Pool, stack, wait_for  # noqa: E402
import queue_scenarios  # noqa: E402, F401
import room_scenarios  # noqa: E402, F401
from table import TABLE  # noqa: E402

SIDE_BY_SIDE = 6
ONLY = os.environ.get("DET_GANG_ONLY", "")


def play(number, entry):
    name, function, _, _ = entry
    # The backend is part of the name: both play on one control plane, and a volume of the first may still be on its way out.
    pool = Pool(f"{BACKEND}{number}" + "".join(word[0] for word in name.split("_")))
    start = time.monotonic()
    try:
        function(pool)
    finally:
        pool.tidy()
    return time.monotonic() - start


class Scenarios(unittest.TestCase):
    def test_table(self):
        entries = [e for e in TABLE if BACKEND in e[2] and ONLY in e[0]]
        self.assertGreater(len(entries), 0)
        numbered = list(enumerate(entries))
        for width, alone in ((1, True), (SIDE_BY_SIDE, False)):
            with concurrent.futures.ThreadPoolExecutor(width) as pool:
                futures = [(e[0], pool.submit(play, number, e)) for number, e in numbered if e[3] == alone]
                for name, future in futures:
                    with self.subTest(name):
                        took = future.result()
                        print(f"    {name}: {took:.1f} s", file=sys.stderr)
        print(f"    {len(entries)} scenarios on {BACKEND}", file=sys.stderr)


@unittest.skipIf(ONLY and "kill" not in ONLY, "one scenario was asked for")
class OperatorKilled(unittest.TestCase):
    def setUp(self):
        self.pool = Pool(f"{BACKEND}kill{len(self._testMethodName)}")
        self.addCleanup(self.pool.tidy)

    def kill(self):
        os.kill(int((STATE / "operator.pid").read_text()), signal.SIGKILL)
        stack("restart", "operator", "--kill")

    def test_while_a_gang_waits(self):
        self.pool.nodes(1)
        self.pool.gang("a", 16)
        self.pool.waits("a")
        self.kill()
        self.pool.stays(2, "a")
        self.pool.nodes(1)
        self.pool.runs("a")

    def test_while_a_gang_is_made(self):
        # Again and again, at another moment each time: no pod twice, none missing, and nothing that counts as a failure. (On a slow
        # machine the gang may be withdrawn and be another run's; it is whole all the same.)
        self.pool.nodes(12)
        self.pool.gang("a", 96)
        for pods in (1, 4, 7):
            wait_for(f"{pods} pods", lambda: len(self.pool.pods("a")) >= pods)
            self.kill()
        self.pool.runs("a")
        status = self.pool.status("a")
        self.assertEqual((status["restarts"], status["infraRestarts"]), (0, 0))
        self.assertEqual(len(set(self.pool.hosts("a"))), 12)

    def test_with_a_queue_the_order_stays(self):
        self.pool.nodes(1)
        self.pool.gang("running", 8)
        self.pool.runs("running")
        for name, priority in (("low", 10), ("middle", 50), ("high", 90)):
            self.pool.gang(name, 8, priority=priority)
            self.pool.waits(name)
        if BACKEND != "own":
            self.skipTest("not run: kube-scheduler does not know resources.priority")
        self.kill()
        self.pool.finish("running")
        self.pool.runs("high")
        self.pool.waits("middle")
        self.pool.waits("low")


if __name__ == "__main__":
    unittest.main()
