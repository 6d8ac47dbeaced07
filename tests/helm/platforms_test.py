"""What a chart meets outside of a lab: Argo CD and Flux, registries, Pod Security, Determined's own values, names and classes that stay."""

import unittest

import yaml

from chart import CHART, HELMS, FromText, SaidByEach, find, master_yaml, objects, template
from values_test import UPSTREAM


class Strict(yaml.SafeLoader):
    """Refuses a map with the same key twice, as Flux does."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key) for key, _ in node.value]
        if len(set(keys)) != len(keys):
            raise AssertionError(f"twice in one map: {sorted({key for key in keys if keys.count(key) > 1})}\n{node.start_mark}")
        return super().construct_mapping(node, deep)


def rendered(*sets, helm="helm", release="det", ns="det-system"):
    done = template(helm, release, ns, *(word for each in sets for word in ("--set", each)))
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return objects(done.stdout)


def container_of(items, kind):
    return find(items, kind)["spec"]["template"]["spec"]["containers"][0]


class Resources(FromText):
    def test_no_limit_is_below_its_request(self):
        items, _ = self.of_text(UPSTREAM)
        for kind in ("Deployment", "StatefulSet"):
            with self.subTest(kind):
                resources = container_of(items, kind)["resources"]
                self.assertEqual((resources["requests"]["memory"], resources["limits"]["memory"]), ("8Gi", "8Gi"))
        resources = container_of(rendered("masterCpuRequest=1500m,masterCpuLimit=1,masterMemRequest=600M,masterMemLimit=2Gi"), "Deployment")["resources"]
        self.assertEqual((resources["limits"]["cpu"], resources["limits"]["memory"]), ("1500m", "2Gi"))

    def test_a_database_without_a_volume_may_grow_on_the_node(self):
        limits = lambda *sets: container_of(rendered(*sets), "StatefulSet")["resources"]["limits"]["ephemeral-storage"]
        self.assertEqual((limits(), limits("db.disablePVC=true,db.storageSize=20Gi")), ("1Gi", "20Gi"))

    def test_the_alert_about_memory_follows_the_limit(self):
        def alert(*sets):
            rules = find(rendered("metrics.prometheusRule.enabled=true", *sets), "PrometheusRule")["spec"]["groups"][0]["rules"]
            return [rule["expr"].rsplit(" ", 1)[1] for rule in rules if rule["alert"] == "DetOperatorMemoryHigh"]

        self.assertEqual(alert("masterMemLimit=4Gi"), [str(round(0.8 * 4 * 2**30))])
        self.assertEqual(alert("masterMemLimit="), [])


class GitOps(unittest.TestCase):
    def test_argo_keeps_what_helm_keeps(self):
        items = rendered()
        kept = [item for item in items if "helm.sh/resource-policy" in (item["metadata"].get("annotations") or {})]
        self.assertEqual({item["kind"] for item in kept}, {"CustomResourceDefinition", "Namespace", "Secret"})
        for item in kept:
            self.assertEqual(item["metadata"]["annotations"]["argocd.argoproj.io/sync-options"], "Prune=false,Delete=false", item["metadata"]["name"])

    def test_no_map_has_a_key_twice_and_what_is_given_counts(self):
        nginx = "nginx.ingress.kubernetes.io/proxy-body-size"
        done = template("helm", "det", "det-system", "--set", "region=ORD1,metrics.serviceMonitor.enabled=true,metrics.prometheusRule.enabled=true,metrics.dashboard.enabled=true",
                        "--set-string", r"ingress.annotations.nginx\.ingress\.kubernetes\.io/proxy-body-size=8m,ingress.annotations.cert-manager\.io/cluster-issuer=ours",
                        "--set-string", r"podLabels.app\.kubernetes\.io/version=9,podLabels.app\.kubernetes\.io/name=other,podAnnotations.checksum/config=x",
                        *(word for each in ("serviceMonitor", "prometheusRule", "dashboard") for word in ("--set-string", rf"metrics.{each}.labels.app\.kubernetes\.io/part-of=stack")))
        self.assertEqual(done.returncode, 0, done.stderr)
        items = [item for item in yaml.load_all(done.stdout, Strict) if item]
        annotations = find(items, "Ingress")["metadata"]["annotations"]
        self.assertEqual((annotations[nginx], annotations["cert-manager.io/cluster-issuer"]), ("8m", "ours"))
        deployment = find(items, "Deployment")["spec"]
        labels = deployment["template"]["metadata"]["labels"]
        self.assertEqual(labels["app.kubernetes.io/version"], "9")
        self.assertLessEqual(deployment["selector"]["matchLabels"].items(), labels.items(), "the pods are selected by these")
        self.assertNotEqual(deployment["template"]["metadata"]["annotations"]["checksum/config"], "x")
        for kind in ("ServiceMonitor", "PrometheusRule"):
            self.assertEqual(find(items, kind)["metadata"]["labels"]["app.kubernetes.io/part-of"], "stack")

    def test_priority_classes_can_be_left_out_alone(self):
        kinds = lambda *sets: {item["kind"] for item in rendered(*sets)}
        self.assertEqual(kinds() - kinds("priorityClasses.create=false"), {"PriorityClass"})

    def test_a_namespace_that_the_chart_makes_takes_labels(self):
        items = rendered("taskNamespaces[0].name=ml,taskNamespaces[0].create=true", r"taskNamespaces[0].labels.pod-security\.kubernetes\.io/enforce=privileged")
        labels = find(items, "Namespace")["metadata"]["labels"]
        self.assertEqual((labels["pod-security.kubernetes.io/enforce"], labels["app.kubernetes.io/part-of"]), ("privileged", "det-operator"))


class Reach(FromText):
    def test_the_ingress_of_a_region_can_be_left_out(self):
        count = lambda *sets: sum(item["kind"] == "Ingress" for item in rendered(*sets))
        self.assertEqual((count(), count("region=ORD1"), count("region=ORD1,ingress.enabled=false"), count("ingress.enabled=true,ingress.host=a.example.com")), (0, 1, 0, 1))

    def test_a_route_without_a_host_is_asked_for_it(self):
        _, notes = self.of_text("openshiftRoute: {enabled: true}")
        self.assertIn("export DET_MASTER=https://$(kubectl get route det-det-operator -n det-system -o jsonpath='{.spec.host}')", notes)

    def test_the_name_in_a_certificate_reaches_tasks_without_a_file_of_it(self):
        defaults = master_yaml(rendered("tlsSecret=det-tls,tlsCertName=det.example.com"))["task_container_defaults"]
        self.assertEqual(defaults["environment_variables"], ["DET_MASTER_CERT_NAME=det.example.com"])

    def test_tasks_beside_the_operator_get_the_authority_too(self):
        defaults = master_yaml(rendered("tlsSecret=det-tls,taskNamespaces[0]=det-system"))["task_container_defaults"]
        (volume,) = defaults["gpu_pod_spec"]["spec"]["volumes"]
        self.assertEqual(volume["secret"], {"secretName": "det-tls", "optional": True,
                                            "items": [{"key": "tls.crt", "path": "master.crt"}, {"key": "ca.crt", "path": "ca.crt"}]})


class Credentials(FromText):
    def test_the_password_of_a_registry_is_in_a_secret_only(self):
        for helm in HELMS:
            with self.subTest(helm):
                items, _ = self.of_text("taskContainerDefaults: {registryAuth: {username: ann, password: s3cr3t, serveraddress: r.example.com}}", helm)
                self.assertEqual(master_yaml(items)["task_container_defaults"]["registry_auth"], {"username": "ann", "serveraddress": "r.example.com"})
                secret = find(items, "Secret", "-registry")
                self.assertEqual(secret["stringData"], {"task_container_defaults.registry_auth.password": "s3cr3t"})
                self.assertEqual([item["kind"] for item in items if "s3cr3t" in yaml.safe_dump(item)], ["Secret"])
                sources = next(volume for volume in find(items, "Deployment")["spec"]["template"]["spec"]["volumes"] if volume["name"] == "secrets")["projected"]["sources"]
                self.assertIn({"secret": {"name": "det-det-operator-registry"}}, sources)
                self.assertIn("det-det-operator-registry", master_yaml(items)["release"]["secrets"])

    def test_that_of_a_pool_is_warned_of(self):
        _, notes = self.of_text("resourcePools: [{pool_name: a, task_container_defaults: {registry_auth: {password: s3cr3t}}}]")
        self.assertIn("WARNING: the password in resourcePools[].task_container_defaults.registry_auth of a", notes)


class Said(FromText):
    def refused(self, *sets):
        said = [template(helm, "det", "ns", *(word for each in sets for word in ("--set", each))) for helm in HELMS]
        for done in said:
            self.assertNotEqual(done.returncode, 0, f"{sets} was taken")
        return SaidByEach(done.stderr for done in said)

    def test_what_cannot_work_is_refused_with_what_would(self):
        for sets, words in ((["db.sslMode=require"], "db.sslMode: require is for a server of your own (db.hostAddress)"),
                            (["db.hostAddress=h,db.password=p,db.sslMode=verify-full"], "db.sslMode: verify-full needs the authority that signed the server's certificate: db.certResourceName"),
                            (["extraEnv[0].name=PGHOST,extraEnv[0].value=elsewhere"], "extraEnv: PGHOST is set by the chart: use db.hostAddress"),
                            (["extraEnv[0].name=DET_X,extraEnv[0].value=1"], "extraEnv: DET_X: variables that begin with DET_ are the chart's")):
            with self.subTest(sets):
                self.assertIn(words, self.refused(*sets))

    def test_client_certificates_of_a_database_are_given_by_variables(self):
        env = container_of(rendered("db.hostAddress=h,db.password=p,extraEnv[0].name=PGSSLCERT,extraEnv[0].value=/c/tls.crt"), "Deployment")["env"]
        self.assertIn({"name": "PGSSLCERT", "value": "/c/tls.crt"}, env)

    def test_a_name_of_which_kubernetes_makes_no_pods_is_refused(self):
        for helm in HELMS:
            for name, more, is_taken in (("a" * 36, (), True), ("a" * 37, (), False), ("a" * 37, ("--set", "fullnameOverride=short"), True),
                                         ("a" * 37, ("--set", "db.hostAddress=h,db.password=p"), True)):
                with self.subTest(helm=helm, name=len(name), more=more):
                    done = template(helm, name, "ns", *more)
                    self.assertEqual(done.returncode == 0, is_taken, done.stderr)
                    if not is_taken:
                        self.assertIn("which has 53 characters", done.stderr)
                        self.assertIn("fullnameOverride", done.stderr)

    def test_a_tag_may_be_a_number(self):
        for helm in HELMS:
            for arguments in (("--set", "image.tag=12345678"), ("--set-json", "image.tag=12345678"), ("--set-string", "image.tag=12345678")):
                done = template(helm, "det", "ns", *arguments)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(container_of(objects(done.stdout), "Deployment")["image"].endswith(":12345678"), (helm, arguments))

    def test_what_a_release_of_one_namespace_cannot_do_is_said(self):
        _, notes = self.of_text("{scope: namespaced, resourceManager: {defaultNamespace: training}, agentControl: true}")
        said = notes.split("These values have no effect:")[1]
        self.assertIn("- resourceManager.defaultNamespace: with scope namespaced experiments run in the release's namespace, det-system", said)
        self.assertIn("- agentControl: ", said)

    def test_the_images_and_storage_of_a_cluster_of_ones_own_are_thought_of(self):
        _, notes = self.of_text("imageRegistry: registry.example.com/ml")
        self.assertIn("defaultImages.postgreSQL=REGISTRY/postgres:15.14", notes)
        self.assertIn("kubectl label namespace det-system-tasks --overwrite pod-security.kubernetes.io/enforce=privileged", notes)
        _, notes = self.of_text("{imageRegistry: r, defaultImages: {postgreSQL: r/postgres:15}, checkpointStorage: {type: s3, bucket: b}}")
        self.assertNotIn("postgreSQL=REGISTRY", notes)
        self.assertNotIn("pod-security", notes)
        _, notes = self.of_text("{db: {disablePVC: true}}")
        self.assertIn("WARNING: db.disablePVC: the database is as old as its pod", notes)


if __name__ == "__main__":
    unittest.main()
