"""Examples of the repository in containers: one that trains with torch, and gangs of two."""

import re
import sys
import unittest

from cluster import ROOT, Case

sys.path.insert(0, str(ROOT / "tests" / "support"))
from example_objects import example_object  # noqa: E402

TORCH = "environment:\n      image: localhost/torch:1"


class Trains(Case):
    def start(self, example, name, change=lambda text: text, namespace=None):
        text = example_object(example, name)
        text = change(re.sub(r"^    environment:$", f"    {TORCH}", text, count=1, flags=re.M) if "\n    environment:" in text.rsplit("kind: Experiment", 1)[1]
                      else text + f"    {TORCH}\n")
        self.kubectl("apply", "-f", "-", stdin=text)
        self.addCleanup(self.kubectl, "delete", "experiment", name, "--timeout=90s", "--ignore-not-found")

    def test_digits(self):
        self.start("digits_pytorch", "digits")
        self.assertCounts(self.wait_over("digits", 240), state="COMPLETED", run=1, restarts=0, infraRestarts=0)
        number = self.status("digits")["id"]
        trial = self.operator.call("GET", f"/api/v1/trials/{number}")["trial"]
        self.assertGreater(trial["bestValidation"]["metrics"]["avgMetrics"]["accuracy"], 0.9)

    def test_a_gang_of_two_on_the_pod_network(self):
        """Each pod has an address of its own; the members find each other by the operator, and it by its Service's name."""
        self.start("distributed_gloo", "gang", lambda text: text.replace("GLOO_SOCKET_IFNAME=lo", "GLOO_SOCKET_IFNAME=eth0"))
        pods = self.wait_running("gang", timeout=120)
        self.assertEqual(len({pod["status"]["podIP"] for pod in pods}), 2)
        self.assertCounts(self.wait_over("gang", 240), state="COMPLETED", run=1, restarts=0, infraRestarts=0)
        self.wait_logged("gang", "2 ranks found")

    def test_a_gang_of_two_on_the_hosts_network(self):
        spec = "pod_spec: {spec: {hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet}}"
        self.start("distributed_gloo", "host-gang", lambda text: text.replace(TORCH, f"{TORCH}\n      {spec}"))
        pods = self.wait_running("host-gang", timeout=120)
        self.assertEqual({pod["status"]["podIP"] for pod in pods}, {"10.99.0.1"})
        self.assertCounts(self.wait_over("host-gang", 240), state="COMPLETED", run=1, restarts=0, infraRestarts=0)
        self.wait_logged("host-gang", "2 ranks found")


if __name__ == "__main__":
    unittest.main()
