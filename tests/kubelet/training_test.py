"""Examples of the repository in containers: one that trains with torch, and gangs of two."""

import sys
import unittest

from cluster import ROOT, Case

sys.path.insert(0, str(ROOT / "tests" / "support"))
from example_objects import example_object  # noqa: E402

ENVIRONMENT = "\n    environment:\n"
IN_TORCH = ENVIRONMENT + "      image: localhost/torch:1\n"


class Trains(Case):
    def start(self, example, name, change=lambda text: text):
        head, tail = example_object(example, name).rsplit("kind: Experiment", 1)
        assert tail.count(ENVIRONMENT) == 1, f"{example} says nothing of its environment"
        self.kubectl("apply", "-f", "-", stdin=head + "kind: Experiment" + change(tail.replace(ENVIRONMENT, IN_TORCH)))
        self.addCleanup(self.delete, name)

    def test_digits(self):
        self.start("digits_pytorch", "digits")
        self.assertCounts(self.wait_over("digits"), state="COMPLETED", run=1, restarts=0, infraRestarts=0)
        number = self.status("digits")["id"]
        trial = self.operator.call("GET", f"/api/v1/trials/{number}")["trial"]
        self.assertGreater(trial["bestValidation"]["metrics"]["avgMetrics"]["accuracy"], 0.9)

    def test_a_gang_of_two_on_the_pod_network(self):
        """Each pod has an address of its own; the members find each other by the operator, and it by its Service's name."""
        self.start("distributed_gloo", "gang", lambda text: text.replace("GLOO_SOCKET_IFNAME=lo", "GLOO_SOCKET_IFNAME=eth0"))
        pods = self.wait_running("gang")
        self.assertEqual(len({pod["status"]["podIP"] for pod in pods}), 2)
        self.assertCounts(self.wait_over("gang"), state="COMPLETED", run=1, restarts=0, infraRestarts=0)
        self.wait_logged("gang", "2 ranks found")

    def test_a_gang_of_two_on_the_hosts_network(self):
        spec = "      pod_spec: {spec: {hostNetwork: true, dnsPolicy: ClusterFirstWithHostNet}}\n"
        self.start("distributed_gloo", "host-gang", lambda text: text.replace(IN_TORCH, IN_TORCH + spec))
        pods = self.wait_running("host-gang")
        self.assertEqual({pod["status"]["podIP"] for pod in pods}, {"10.99.0.1"})
        self.assertCounts(self.wait_over("host-gang"), state="COMPLETED", run=1, restarts=0, infraRestarts=0)
        self.wait_logged("host-gang", "2 ranks found")


if __name__ == "__main__":
    unittest.main()
