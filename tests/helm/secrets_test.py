"""Certificates, credentials and environment variables of values files: where tasks and the operator find them."""

import re
import unittest

import yaml

from chart import HELMS, ROOT, FromText, find, master_yaml, template


class Secrets(FromText):
    def test_environment_of_the_operator(self):
        items, _ = self.of_text("extraEnv: [{name: GOOGLE_APPLICATION_CREDENTIALS, value: /gcp/key.json},"
                                " {name: TOKEN, valueFrom: {secretKeyRef: {name: s, key: k}}}]")
        env = {one["name"]: one for one in find(items, "Deployment")["spec"]["template"]["spec"]["containers"][0]["env"]}
        self.assertEqual(env["GOOGLE_APPLICATION_CREDENTIALS"]["value"], "/gcp/key.json")
        self.assertEqual(env["TOKEN"]["valueFrom"], {"secretKeyRef": {"name": "s", "key": "k"}})
        self.assertIn("PGHOST", env)
        refused = template("helm", "det", "ns", "--set", "extraEnv[0].name=PGHOST,extraEnv[0].value=elsewhere")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("extraEnv", refused.stderr)

    def test_a_proxy_is_given_as_the_page_says(self):
        (example,) = re.findall(r"```yaml\n(extraEnv:\n.*?)```", (ROOT / "docs" / "helm.md").read_text(), re.S)
        given = {one["name"]: one["value"] for one in yaml.safe_load(example)["extraEnv"]}
        env = {one["name"]: one.get("value") for one in find(self.of_text(example)[0], "Deployment")["spec"]["template"]["spec"]["containers"][0]["env"]}
        self.assertEqual({name: env[name] for name in given}, given)
        self.assertIn("$(KUBERNETES_SERVICE_HOST)", env["NO_PROXY"].split(","))

    def test_tasks_trust_the_certificate_whatever_their_pod_specs_bring(self):
        mount = {"name": "det-master-certificate", "mountPath": "/run/det-operator", "readOnly": True}
        volume = {"name": "det-master-certificate", "configMap": {"name": "det-ca", "items": [{"key": "ca.crt", "path": "master.crt"}]}}
        own_mount, own_volume = {"name": "shm", "mountPath": "/dev/shm"}, {"name": "shm", "emptyDir": {"medium": "Memory"}}
        main = {"name": "determined-container", "volumeMounts": [own_mount]}
        sidecar = {"name": "watcher", "image": "w"}
        values = {"tlsTrustConfigMap": "det-ca",
                  "taskContainerDefaults": {"gpuPodSpec": {"spec": {"containers": [sidecar, main], "volumes": [own_volume]}},
                                            "cpuPodSpec": {"spec": {"containers": [sidecar]}},
                                            "checkpointGcPodSpec": {"spec": {"nodeSelector": {"gc": "yes"}}}},
                  "resourcePools": [{"pool_name": "a", "task_container_defaults": {"gpu_pod_spec": {"spec": {"volumes": [volume, own_volume]}}}}, {"pool_name": "b"}]}
        for helm in HELMS:
            with self.subTest(helm):
                master = master_yaml(self.of_text(yaml.safe_dump(values), helm)[0])
                defaults = master["task_container_defaults"]
                self.assertEqual(defaults["gpu_pod_spec"]["spec"], {"containers": [sidecar, {**main, "volumeMounts": [own_mount, mount]}], "volumes": [own_volume, volume]})
                added = {"name": "determined-container", "volumeMounts": [mount]}
                self.assertEqual(defaults["cpu_pod_spec"]["spec"], {"containers": [sidecar, added], "volumes": [volume]})
                self.assertEqual(defaults["checkpoint_gc_pod_spec"]["spec"], {"nodeSelector": {"gc": "yes"}, "containers": [added], "volumes": [volume]})
                pools = master["resource_pools"]
                self.assertEqual(pools[0]["task_container_defaults"]["gpu_pod_spec"]["spec"], {"containers": [added], "volumes": [own_volume, volume]})
                self.assertEqual(pools[1], {"pool_name": "b"})
        plain = master_yaml(self.of_text(yaml.safe_dump({**values, "tlsTrustConfigMap": ""}))[0])
        self.assertEqual(plain["task_container_defaults"]["gpu_pod_spec"]["spec"]["volumes"], [own_volume])
        self.assertEqual(plain["resource_pools"], values["resourcePools"])

    def test_variables_of_the_certificate_stand_beside_those_that_are_given(self):
        trust = ["DET_MASTER_CERT_FILE=/run/det-operator/master.crt"]
        for given, wanted in (({"cuda": ["A=1"], "cpu": None}, {"cuda": [*trust, "A=1"], "cpu": trust, "rocm": trust}),
                              ({"gpu": ["A=1"]}, {"gpu": [*trust, "A=1"], "cpu": trust, "rocm": trust}),
                              (["A=1"], [*trust, "A=1"]), (None, trust)):
            with self.subTest(given):
                items, _ = self.of_text(yaml.safe_dump({"tlsTrustConfigMap": "det-ca", "taskContainerDefaults": {"environmentVariables": given}}))
                self.assertEqual(master_yaml(items)["task_container_defaults"]["environment_variables"], wanted)

    def test_credentials_of_azure_are_taken_from_an_existing_secret(self):
        for more, key, path in (({}, "connectionString", "connection_string"), ({"account_url": "https://a.blob.core.windows.net"}, "credential", "credential")):
            storage = {"type": "azure", "container": "c", "existingSecret": {"name": "azure"}, **more}
            pod = find(self.of_text(yaml.safe_dump({"checkpointStorage": storage}))[0], "Deployment")["spec"]["template"]["spec"]
            sources = next(volume["projected"]["sources"] for volume in pod["volumes"] if volume["name"] == "secrets")
            self.assertIn({"secret": {"name": "azure", "items": [{"key": key, "path": f"checkpoint_storage.{path}"}]}}, sources)

    def test_no_secret_of_the_release_is_for_pods_of_users(self):
        values = {
            "db": {"existingSecret": {"name": "own-db"}, "certResourceName": "db-ca", "sslRootCert": "ca.crt"},
            "initialUserPasswordSecret": {"name": "own-password"}, "tlsSecret": "tls",
            "ingress": {"enabled": True, "host": "det.example.com", "tlsSecretName": "ingress-tls"},
            "oidc": {"enabled": True, "idpRecipientUrl": "https://a", "idpSsoUrl": "https://b", "clientId": "c", "clientSecretName": "oidc", "clientSecretKey": "k", "caSecretName": "oidc-ca"},
            "webhooks": {"signingKeySecret": {"name": "signing"}},
            "checkpointStorage": {"type": "s3", "bucket": "b", "existingSecret": {"name": "storage"}},
            "extraEnv": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "in-env", "key": "k"}}}, {"name": "B", "value": "plain"}],
            "extraVolumes": [{"name": "a", "secret": {"secretName": "in-volume"}}, {"name": "b", "configMap": {"name": "no-secret"}},
                             {"name": "c", "projected": {"sources": [{"secret": {"name": "in-projection"}}, {"configMap": {"name": "no-secret"}}]}},
                             {"name": "d", "csi": {"driver": "d", "nodePublishSecretRef": {"name": "of-driver"}, "volumeAttributes": {"secretProviderClass": "class"}}}]}
        whose = ["tls", "ingress-tls", "oidc", "oidc-ca", "signing", "own-db", "own-password"]
        shared = ["db-ca", "storage", "in-env", "in-volume", "in-projection", "of-driver", "class"]
        made = ["det-det-operator-db", "det-det-operator-initial-password", "det-det-operator-storage", "det-det-operator-registry"]
        revisions = "sh.helm.release.v1.det.v*"
        for helm in HELMS:
            release = master_yaml(self.of_text(yaml.safe_dump(values), helm)[0])["release"]
            self.assertEqual(sorted(release["secrets"]), sorted([revisions, *made, *whose, *shared]))
            self.assertEqual(release["config_maps"], [revisions, "det-det-operator"])
        self.assertEqual(sorted(master_yaml(self.of_text("s3: {bucket: b, existingSecret: keys}")[0])["release"]["secrets"]), sorted([revisions, *made, "keys"]))
        # What an administrator names in full is meant for people, unless it is the release's alone.
        policy = {"secrets": ["storage", "tls", "*"], "namespaces": {"det-system": {"secrets": ["in-env"]}, "other": None}}
        release = master_yaml(self.of_text(yaml.safe_dump({**values, "podPolicy": policy}))[0])["release"]
        self.assertEqual(sorted(release["secrets"]), sorted([revisions, *made, *whose, *(set(shared) - {"storage", "in-env"})]))
        # A certificate in a ConfigMap is no secret.
        as_map = {**values, "db": {**values["db"], "resourceType": "configMap"}}
        self.assertNotIn("db-ca", master_yaml(self.of_text(yaml.safe_dump(as_map))[0])["release"]["secrets"])


if __name__ == "__main__":
    unittest.main()
