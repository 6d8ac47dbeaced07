"""What the chart finds in a cluster and refuses with the way out, where Kubernetes or PostgreSQL would take it and break, or say nothing
that helps: on a real API server, because a rendering asks none."""

import json
import unittest

from chart import CHART, HELMS, TOOLS, SaidByEach, run
from cluster import Cluster, wait_for


class Checked(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster.get()
        cls.cluster.definitions()

    def helm(self, verb, name, *values, helm="helm", namespace=None):
        """A release of a class of its own, in a namespace of its name."""
        own = ["--set", f"crds.install=false,controllerClass={name}"]
        return run(TOOLS / helm, "--kubeconfig", self.cluster.state / "kubeconfig", verb, name, CHART, "-n", namespace or name, *own, *values, timeout=600)

    def taken(self, *words, **more):
        done = self.helm(*words, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, *words, **more):
        """What every Helm says, each with its lines joined."""
        said = [self.helm(*words, helm=helm, **more) for helm in HELMS]
        for done in said:
            self.assertNotEqual(done.returncode, 0, done.stdout)
        return SaidByEach(" ".join(done.stderr.split()) for done in said)

    def installed(self, name, *values):
        self.cluster.try_kubectl("create", "namespace", name)
        self.taken("install", name, *values)
        self.addCleanup(self.cluster.helm, "helm", "uninstall", name, "-n", name, "--ignore-not-found")


class Database(Checked):
    def test_another_password_than_that_of_the_volume_is_refused(self):
        name = "keeps"
        self.installed(name, "--set", "db.password=first")
        notes = self.taken("upgrade", name, "--set", "db.password=first")
        self.assertIn("There is no way back by helm rollback", notes)
        said = self.refused("upgrade", name, "--set", "db.password=second")
        self.assertIn("db.password is not the one that this database was made with", said)
        self.assertIn(f"kubectl patch secret {name}-det-operator-db -n {name} -p '{{\"stringData\":{{\"password\":\"NEW\"}}}}'", said)
        self.assertEqual(self.cluster.text_of(name, f"{name}-det-operator-db", "password"), "first")
        self.taken("upgrade", name)  # none given: the one that is kept
        self.assertEqual(self.cluster.text_of(name, f"{name}-det-operator-db", "password"), "first")
        # As the sentence says it is done.
        self.cluster.kubectl("patch", "secret", f"{name}-det-operator-db", "-n", name, "-p", '{"stringData":{"password":"second"}}')
        self.taken("upgrade", name, "--set", "db.password=second")
        # A release that takes up the volume of one that went needs its password, too.
        self.cluster.helm("helm", "uninstall", name, "-n", name)
        claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": f"data-{name}-det-operator-db-0"},
                 "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
        if self.cluster.try_kubectl("get", "pvc", claim["metadata"]["name"], "-n", name).returncode != 0:
            self.cluster.kubectl("create", "-n", name, "-f", "-", stdin=json.dumps(claim))
        self.assertIn("db.password is not the one", self.refused("install", name, "--set", "db.password=first"))
        self.taken("install", name, "--set", "db.password=second")

    def test_a_server_of_somebody_elses_may_have_any_password(self):
        name = "external"
        self.installed(name, "--set", "db.hostAddress=pg.example.com,db.password=first")
        self.taken("upgrade", name, "--set", "db.hostAddress=pg.example.com,db.password=second")
        self.assertEqual(self.cluster.text_of(name, f"{name}-det-operator-db", "password"), "second")

    def test_what_kubernetes_does_not_change_is_refused_with_the_way(self):
        name, database = "grows", "grows-det-operator-db"
        self.installed(name, "--set", "db.storageSize=2048Mi,db.storageClassName=fast")
        size = lambda: self.cluster.json("statefulset", database, "-n", name)["spec"]["volumeClaimTemplates"][0]["spec"]["resources"]["requests"]["storage"]
        same = "db.storageClassName=fast,db.storageSize="
        for equal in ("2048Mi", "2Gi"):
            self.taken("upgrade", name, "--set", same + equal)
        said = self.refused("upgrade", name, "--set", same + "3Gi")
        self.assertIn(f"kubectl patch pvc data-{database}-0 -n {name} -p '{{\"spec\":{{\"resources\":{{\"requests\":{{\"storage\":\"3Gi\"}}}}}}}}'", said)
        orphan = ["delete", "statefulset", database, "-n", name, "--cascade=orphan"]
        self.assertIn("kubectl " + " ".join(orphan), said)
        self.assertIn("volumes do not shrink to 1Gi", self.refused("upgrade", name, "--set", same + "1Gi"))
        self.assertIn("keeps its storage class, fast", self.refused("upgrade", name, "--set", "db.storageSize=2Gi"))
        self.assertIn("without it would be empty", self.refused("upgrade", name, "--set", same + "2Gi,db.disablePVC=true"))
        service = ["delete", "service", f"determined-db-service-{name}", "-n", name]
        self.assertIn("kubectl " + " ".join(service), self.refused("upgrade", name, "--set", same + "2Gi,db.useNodePortForDB=true"))
        # As the sentences say it is done.
        self.cluster.kubectl(*orphan)
        self.taken("upgrade", name, "--set", same + "3Gi")
        self.assertEqual(size(), "3Gi")
        self.cluster.kubectl(*service)
        self.taken("upgrade", name, "--set", same + "3Gi,db.useNodePortForDB=true")
        self.taken("upgrade", name, "--set", same + "3Gi,db.useNodePortForDB=true", helm="helm3")
        self.assertIn("kubectl " + " ".join(service), self.refused("upgrade", name, "--set", same + "3Gi"))
        self.taken("upgrade", name, "--set", "db.hostAddress=pg.example.com,db.password=p")

    def test_a_database_without_a_volume_gets_none_by_an_upgrade(self):
        name = "passing"
        self.installed(name, "--set", "db.disablePVC=true")
        self.taken("upgrade", name, "--set", "db.disablePVC=true,db.storageSize=1Gi")
        self.assertIn("this database has no volume", self.refused("upgrade", name))


    def test_what_a_database_was_made_with_stays(self):
        name = "made"
        self.installed(name, "--set", "db.name=ml,db.user=ann")
        same = "db.name=ml,db.user=ann,"
        self.taken("upgrade", name, "--set", same + "defaultImages.postgreSQL=registry.example.com:5000/mirror/postgres:15.15")
        said = self.refused("upgrade", name, "--set", same + "defaultImages.postgreSQL=postgres:17.2-bookworm")
        self.assertIn("the files of this database are of PostgreSQL 15, and PostgreSQL 17 does not read them", said)
        self.assertIn("db.name: this database was made with ml", self.refused("upgrade", name, "--set", "db.user=ann"))
        self.assertIn("db.user: this database was made with ann", self.refused("upgrade", name, "--set", "db.name=ml"))

    def test_a_release_keeps_its_names_and_its_class(self):
        name = "stays"
        self.installed(name)
        self.assertIn("the objects of this release are called stays-det-operator. Under the name other there would be new ones",
                      self.refused("upgrade", name, "--set", "fullnameOverride=other"))
        self.assertIn("controllerClass: a release keeps its class, stays: what it runs would belong to nobody", self.refused("upgrade", name, "--set", "controllerClass=other"))
        self.taken("upgrade", name)


class OpenShift(Checked):
    def test_is_told_that_ids_are_its_own_to_choose(self):
        group = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "securitycontextconstraints.security.openshift.io"},
                 "spec": {"group": "security.openshift.io", "scope": "Cluster", "names": {"kind": "SecurityContextConstraints", "plural": "securitycontextconstraints"},
                          "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}]}}
        self.cluster.kubectl("create", "-f", "-", stdin=json.dumps(group))
        self.addCleanup(self.cluster.kubectl, "delete", "crd", group["metadata"]["name"])
        self.cluster.kubectl("wait", "--for=condition=Established", "--timeout=300s", "crd", group["metadata"]["name"])
        self.cluster.kubectl("create", "namespace", "shift")
        told = "OpenShift refuses pods that choose their user ids"
        wait_for("it is told", lambda: told in self.taken("install", "shift", "--dry-run=server"))
        self.assertNotIn(told, self.taken("install", "shift", "--dry-run=server", "--set", "fixedUserIds=false"))


class Neighbours(Checked):
    def test_two_releases_that_would_run_the_same_experiments_are_refused(self):
        both = ["--set", "controllerClass=both,db.disablePVC=true"]
        alone = [*both, "-f", "examples/helm/namespaced.yaml"]
        for name in ("wide", "narrow", "other"):
            self.cluster.kubectl("create", "namespace", name)
        self.installed("wide", *both)
        said = self.refused("install", "next", *both, namespace="other")
        self.assertIn("release wide in namespace wide has the class both, too: both would run the same Experiments", said)
        self.assertIn("--set controllerClass=other", said)
        # The other way round, as far as it is seen: by whoever makes objects of the whole cluster.
        self.assertIn("release wide in", self.refused("install", "narrow", "--set", "controllerClass=both,scope=namespaced"))
        self.installed("narrow", *alone)
        self.assertIn("release narrow in namespace narrow", self.refused("install", "next", *alone, namespace="narrow"))
        self.taken("install", "next", *alone, namespace="other")
        self.cluster.helm("helm", "uninstall", "next", "-n", "other")
        self.taken("upgrade", "wide", *both)
        self.taken("install", "next", namespace="other")  # of a class of its own
        self.cluster.helm("helm", "uninstall", "next", "-n", "other")
        # A successor beside what does nothing any more.
        self.cluster.kubectl("scale", "deployment", "wide-det-operator", "-n", "wide", "--replicas=0")
        self.assertIn("release narrow in namespace narrow", self.refused("install", "next", *both, namespace="other"))
        self.cluster.helm("helm", "uninstall", "narrow", "-n", "narrow")
        self.taken("install", "next", *both, namespace="other")
        self.cluster.helm("helm", "uninstall", "next", "-n", "other")


if __name__ == "__main__":
    unittest.main()
