"""What values are taken, what they end in, and what is said about wrong ones."""

import json
import re
import unittest

import yaml

from chart import CHART, HELMS, PRESETS, ROOT, TOOLS, FromText, SaidByEach, find, master_yaml, objects, rendered, run, template

# A whole values.yaml as people have it from Determined's chart 0.38.1: every key of it that is known.
UPSTREAM = """
imageRegistry: determinedai
detVersion: 0.38.1
enterpriseEdition: false
imagePullSecretName: regcred
masterPort: 8080
createNonNamespacedObjects: true
useNodePortForMaster: false
loadBalancerSourceRanges: [10.0.0.0/8]
masterService: {annotations: {example.com/internal: "true"}}
openshiftRoute: {enabled: false, host: det.example.com, termination: edge}
logLevel: trace
logColor: true
externalCaCertSecretName: ca
security: {defaultTask: {user: root, uid: 0, group: root, gid: 0}, authz: {type: basic}}
oidc: {enabled: false}
scim: {enabled: false}
saml: {enabled: false}
db:
  hostAddress:
  name: determined
  user: postgres
  password: postgres
  port: 5432
  useNodePortForDB: false
  storageSize: 30Gi
  cpuRequest: 2
  memRequest: 8Gi
  disablePVC: false
  snapshotSuffix:
checkpointStorage:
  saveExperimentBest: 0
  saveTrialBest: 1
  saveTrialLatest: 1
  type: shared_fs
  hostPath: /checkpoints
  mountToServer: true
maxSlotsPerPod: 4
slotType: gpu
slotResourceRequests: {}
masterCpuRequest: 2
masterMemRequest: 8Gi
taskContainerDefaults:
  networkMode: bridge
  forcePullImage: false
  cpuPodSpec:
  gpuPodSpec: {spec: {tolerations: [{key: nvidia.com/gpu, operator: Exists}]}}
  cpuImage: example.com/cpu:1
  gpuImage: example.com/gpu:1
telemetry: {enabled: true}
observability: {enable_prometheus: true}
clusterName: old
tensorboardTimeout: 300
initialUserPassword: Secret123
logging: {type: default}
defaultScheduler: coscheduler
resourcePools: [{pool_name: default}]
defaultAuxResourcePool: default
defaultComputeResourcePool: default
determinedMasterHost: det.example.com
determinedMasterPort: 443
determinedMasterScheme: https
additional_resource_managers: []
retentionPolicy: {logRetentionDays: 30, schedule: "0 0 * * *"}
resourceManager: {defaultNamespace: training, clusterName: a}
defaultImages: {postgreSQL: "postgres:10.14", kubeScheduler: "k8s.gcr.io/scheduler-plugins/kube-scheduler:v0.18.9"}
fluent: {image: fluent-bit}
genai: {version: ""}
"""


class Refused(unittest.TestCase):
    def says(self, *arguments):
        answers = []
        for helm in HELMS:
            done = template(helm, "det", "ns", *arguments)
            self.assertNotEqual(done.returncode, 0, f"{helm} took {arguments}")
            self.assertEqual(done.stdout, "")
            answers.append(done.stderr)
        return SaidByEach(answers)

    def test_a_misspelt_value_is_named_with_the_nearest_known_one(self):
        for wrong, meant in (("maxSlotPerPod=1", "maxSlotsPerPod"), ("useNodeportForMaster=true", "useNodePortForMaster"), ("db.pasword=x", "db.password"),
                             ("checkpointStorage.host_path=/x", "checkpointStorage.hostPath"), ("taskContainerDefaults.gpu_pod_spec.a=1", "taskContainerDefaults.gpuPodSpec"),
                             ("metrics.serviceMonitors.enabled=true", "metrics.serviceMonitor"), ("defaultpassword=x", "defaultPassword")):
            with self.subTest(wrong):
                words = f"{wrong.split('=')[0].removesuffix('.a').removesuffix('.enabled')} is not a value of this chart; did you mean {meant}?"
                for said in self.says("--set", wrong):
                    self.assertEqual(said.count(words), 1, said)

    def test_every_wrong_key_is_named_at_once(self):
        text = self.says("--set", "maxSlotPerPod=1,db.pasword=x,zzz=1")
        self.assertIn("did you mean maxSlotsPerPod?", text)
        self.assertIn("did you mean db.password?", text)
        self.assertIn("zzz is not a value of this chart; its values are in values.yaml", text)

    def test_wrong_types_and_words_are_refused_by_the_schema(self):
        for wrong, path in (("maxSlotsPerPod=many", "/maxSlotsPerPod"), ("masterPort=70000", "/masterPort"), ("slotType=tpu", "/slotType"),
                            ("checkpointStorage.type=nfs", "/checkpointStorage/type"), ("scope=global", "/scope"), ("mounts[0].pvc=a", "/mounts/0"),
                            ("controllerClass=Team_A", "/controllerClass"), ("controllerClass=a-", "/controllerClass"), ("notebookTimeout=-1", "/notebookTimeout"),
                            ("checkpointDownloads.endpoints={gs://}", "/checkpointDownloads/endpoints/0"), ("checkpointDownloads.endpoints={gs://a/b}", "/checkpointDownloads/endpoints/0")):
            with self.subTest(wrong):
                self.assertIn(path, self.says("--set", wrong))

    def test_what_belongs_together_is_asked_for(self):
        for given, text in (("checkpointStorage.type=s3", "checkpointStorage.bucket (or s3.bucket) is needed for type s3"),
                            ("slotType=cpu", "slotType: cpu needs slotResourceRequests.cpu, the CPUs of one slot, for example 1"),
                            ("scope=namespaced,taskNamespaces={a}", "with scope namespaced experiments run in the release's namespace ns only, not in a"),
                            ("networkPolicy.taskNamespaces={a}", "networkPolicy.taskNamespaces is now taskNamespaces"),
                            ("oidc.enabled=true", "oidc.clientSecretName is needed: an existing Secret with the client's secret"),
                            ("oidc.enabled=true,oidc.clientSecretName=a,oidc.clientSecretKey=b", "is needed: "),
                            ("audit.retentionDays=30", "audit.retentionDays is about the rows in PostgreSQL: set audit.database: true, or leave it out"),
                            ("audit.file=/var/log/audit.jsonl", "audit.file: /var/log/audit.jsonl cannot be written"),
                            ("audit.file=/logs/a,extraVolumeMounts[0].name=l,extraVolumeMounts[0].mountPath=/logs,extraVolumeMounts[0].readOnly=true", "cannot be written"),
                            ("audit.file=/logs/a,extraVolumeMounts[0].name=l,extraVolumeMounts[0].mountPath=/lo", "cannot be written"), ("audit.file=/dev/fd/7", "cannot be written"),
                            ("ingress.enabled=true", "ingress.enabled needs ingress.host, for example det.example.com"),
                            ("db.hostAddress=pg", "db.hostAddress names a server, so db.existingSecret.name or db.password must give its password")):
            with self.subTest(given):
                self.assertIn(text, self.says("--set", given))


class Taken(FromText):
    def test_a_whole_values_file_of_determined_is_taken_and_what_it_cannot_do_is_said(self):
        for helm in HELMS:
            with self.subTest(helm):
                items, notes = self.of_text(UPSTREAM, helm)
                master = master_yaml(items)
                self.assertEqual(master["resource_manager"], {"type": "kubernetes", "max_slots_per_pod": 4, "slot_type": "cuda", "default_namespace": "training",
                                                              "default_scheduler": "coscheduler", "default_aux_resource_pool": "default", "default_compute_resource_pool": "default"})
                self.assertEqual(master["checkpoint_storage"], {"type": "shared_fs", "host_path": "/checkpoints", "save_experiment_best": 0, "save_trial_best": 1, "save_trial_latest": 1})
                self.assertEqual(master["task_container_defaults"]["image"], {"cpu": "example.com/cpu:1", "cuda": "example.com/gpu:1"})
                container = find(items, "Deployment")["spec"]["template"]["spec"]["containers"][0]
                self.assertEqual(container["image"], "det-operator:0.1.0")
                self.assertIn("--task-url=https://det.example.com:443", container["args"])
                self.assertIn("--log-level=debug", container["args"])
                self.assertEqual(find(items, "Service", "master-service-det")["spec"]["type"], "LoadBalancer")
                self.assertEqual(find(items, "StatefulSet")["spec"]["template"]["spec"]["containers"][0]["image"], "postgres:15.14")
                said = notes.split("These values have no effect:")[1]
                for key in ("detVersion", "enterpriseEdition", "logColor", "scim", "saml", "telemetry", "logging", "fluent", "genai", "imageRegistry",
                            "defaultImages.postgreSQL", "defaultImages.kubeScheduler", "resourceManager.clusterName", "defaultScheduler"):
                    self.assertIn(f"\n- {key}: ", said)

    def test_every_value_without_effect_is_told_and_its_default_is_not(self):
        rows = [line.split() for line in (ROOT / "tests" / "structure" / "fields.txt").read_text().splitlines()]
        idle = [row[1] for row in rows if row[:1] == ["chart"] and row[2] == "warning"]
        self.assertGreater(len(idle), 20)
        values = {}
        for path in idle:
            *above, name = path.split(".")
            place = values
            for key in above:
                place = place.setdefault(key, {})
            place[name] = "x"
        notes = self.of_text(yaml.safe_dump(values))[1]
        for path in idle:
            self.assertIn(f"\n- {path}: ", notes)
        for quiet in ("{}", "retentionPolicy: {logRetentionDays: 7, schedule: 24h}\ncheckpointStorage: {saveExperimentBest: 7, saveTrialBest: 7}\n"
                            "taskContainerDefaults: {networkMode: bridge, checkpointGcPodSpec: {spec: {}}}"):
            self.assertNotIn("These values have no effect:", self.of_text(quiet)[1])

    def test_the_notes_say_what_a_plain_release_cannot_do(self):
        notes = self.of_text("{}")[1]
        self.assertIn("WARNING: the image det-operator:0.1.0 names no registry", notes)
        self.assertIn("WARNING: no checkpointStorage was given. Checkpoints go to the folder /tmp/checkpoints of the node", notes)
        notes = self.of_text("image: {repository: example.com/det-operator}\ncheckpointStorage: {type: s3, bucket: b}")[1]
        self.assertNotIn("WARNING", notes)
        self.assertNotIn("WARNING", self.of_text("imageRegistry: example.com\ncheckpointStorage: {hostPath: /mnt/all}")[1])

    def test_a_release_of_one_namespace_without_definitions_brings_no_cluster_role(self):
        rendering = lambda *more: objects(template("helm", "det", "tenant-acme", "-f", ROOT / "examples/helm/coreweave.yaml", *more).stdout)
        roles = lambda items: [item["metadata"]["name"] for item in items if item["kind"] == "ClusterRole"]
        self.assertEqual(roles(rendering("--set", "crds.install=false")), [])
        self.assertEqual(len(roles(rendering())), 2)

    def test_claims_are_mounted_more_than_once_and_whatever_their_names(self):
        wanted = [("data", "/a"), ("data", "/b"), ("team.data", "/c"), ("team-data", "/d"), ("l" * 80, "/e")]
        items, _ = self.of_text(yaml.safe_dump({"mounts": [{"pvc": pvc, "name": path} for pvc, path in wanted]}))
        spec = master_yaml(items)["task_container_defaults"]["gpu_pod_spec"]["spec"]
        claims = {volume["name"]: volume["persistentVolumeClaim"]["claimName"] for volume in spec["volumes"]}
        self.assertEqual(len(claims), len(spec["volumes"]))
        self.assertEqual([(claims[mount["name"]], mount["mountPath"]) for mount in spec["containers"][0]["volumeMounts"]], wanted)
        for name in claims:
            self.assertRegex(name, r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$")

    def test_what_downloads_need_reaches_the_operator(self):
        items, notes = self.of_text("checkpointDownloads: {endpoints: ['https://minio:9000']}\n"
                                    "checkpointStorage: {type: shared_fs, hostPath: /ckpt, mountToServer: true}\n"
                                    "extraVolumes: [{name: nfs, persistentVolumeClaim: {claimName: nfs}}]\nextraVolumeMounts: [{name: nfs, mountPath: /nfs}]")
        self.assertEqual(master_yaml(items)["checkpoint_downloads"], {"endpoints": ["https://minio:9000"]})
        pod = find(items, "Deployment")["spec"]["template"]["spec"]
        mounts = {mount["name"]: mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]}
        self.assertEqual((mounts["checkpoints"], mounts["nfs"]), ("/ckpt", "/nfs"))
        volumes = {volume["name"]: volume for volume in pod["volumes"]}
        self.assertEqual(volumes["checkpoints"]["hostPath"]["path"], "/ckpt")
        self.assertEqual(volumes["nfs"]["persistentVolumeClaim"], {"claimName": "nfs"})
        self.assertNotIn("mountToServer", notes)
        self.assertIn("- checkpointStorage.mountToServer: only shared_fs", self.of_text("checkpointStorage: {type: s3, bucket: b, mountToServer: true}")[1])
        self.assertNotIn("checkpoint_downloads", master_yaml(self.of_text("{}")[0]))

    def test_roles_reach_the_master_with_what_else_is_about_security(self):
        items, notes = self.of_text("security: {authz: {type: rbac, workspace_creator_assign_role: {role_id: 5}}, token: {max_lifespan_days: 5}}")
        self.assertEqual(master_yaml(items)["security"], {"authz": {"type": "rbac", "workspace_creator_assign_role": {"role_id": 5}},
                                                          "token": {"max_lifespan_days": 5}})
        self.assertNotIn("security.authz", notes)

    def test_signing_in_with_a_provider_reaches_the_master_and_its_secret_does_not_reach_the_config(self):
        oidc = {"enabled": True, "provider": "Okta", "idpRecipientUrl": "https://det.example.com/", "idpSsoUrl": "https://example.okta.com", "clientId": "det",
                "authenticationClaim": "login", "autoProvisionUsers": True, "groupsAttributeName": "groups", "displayNameAttributeName": "name",
                "agentUidAttributeName": "uid", "agentGidAttributeName": "gid", "agentUserNameAttributeName": "user", "agentGroupNameAttributeName": "group",
                "alwaysRedirect": True, "excludeGroupsScope": True}
        secret = {"clientSecretName": "det-oidc", "clientSecretKey": "client-secret", "caSecretName": "idp-ca"}
        for helm in HELMS:
            with self.subTest(helm):
                items, notes = self.of_text(yaml.safe_dump({"oidc": {**oidc, **secret}}), helm)
                names = {"agentUserNameAttributeName": "agent_user_name_attribute_name", "agentGroupNameAttributeName": "agent_group_name_attribute_name"}
                snake = lambda name: names.get(name) or re.sub(r"[A-Z]", lambda m: "_" + m[0].lower(), name)
                master = master_yaml(items)
                self.assertEqual(master["oidc"], {**{snake(name): value for name, value in oidc.items()}, "ca_file": "/etc/det-operator/sign-in/ca.crt"})
                self.assertLessEqual({"det-oidc", "idp-ca"}, set(master["release"]["secrets"]))
                pod = find(items, "Deployment")["spec"]["template"]["spec"]
                volumes = {volume["name"]: volume for volume in pod["volumes"]}
                self.assertIn({"secret": {"name": "det-oidc", "items": [{"key": "client-secret", "path": "oidc.client_secret"}]}}, volumes["secrets"]["projected"]["sources"])
                self.assertEqual(volumes["sign-in"]["secret"]["secretName"], "idp-ca")
                self.assertIn("/etc/det-operator/sign-in", [mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]])
                self.assertIn("Sign in with Okta: https://det.example.com/det/login", notes)
                self.assertIn("https://det.example.com/oidc/callback", notes)
        items, notes = self.of_text("oidc: {enabled: false, provider: Okta, clientSecretName: a, clientSecretKey: b}")
        self.assertNotIn("oidc", master_yaml(items))
        self.assertNotIn("Sign in", notes)

    def test_the_audit_log_goes_where_it_can_be_written(self):
        mounted = "extraVolumes: [{name: l, emptyDir: {}}]\nextraVolumeMounts: [{name: l, mountPath: /var/log/det/}]\n"
        for file in ("/var/log/det/audit.jsonl", "/tmp/audit.jsonl", "/dev/stdout", "/dev/shm/a"):
            audit = master_yaml(self.of_text(mounted + f"audit: {{file: {file}, database: true, retentionDays: 30}}")[0])["audit"]
            self.assertEqual(audit, {"file": file, "database": True, "retention_days": 30})

    def test_every_storage_that_the_reference_names_may_be_downloaded_from(self):
        page = (ROOT / "docs" / "reference" / "chart.md").read_text().split("## `checkpointDownloads.endpoints`")[1]
        endpoints = yaml.safe_load(re.search(r"Example:\s+`(\[.*?\])`", page)[1])
        self.assertIn("gs://research", endpoints)
        items, _ = self.of_text(yaml.safe_dump({"checkpointDownloads": {"endpoints": endpoints}}))
        self.assertEqual(master_yaml(items)["checkpoint_downloads"], {"endpoints": endpoints})

    def test_classes_are_what_a_lease_may_be_called(self):
        for name in ("ml", "team-a", "team.a", "0"):
            items, _ = self.of_text(f"controllerClass: '{name}'")
            self.assertIn(f"--controller-class={name}", find(items, "Deployment")["spec"]["template"]["spec"]["containers"][0]["args"])

    def test_how_long_logs_are_kept_reaches_the_master(self):
        items, _ = self.of_text('retentionPolicy: {logRetentionDays: 0, schedule: "0 3 * * *"}')
        self.assertEqual(master_yaml(items)["retention_policy"], {"log_retention_days": 0, "schedule": "0 3 * * *"})
        self.assertNotIn("retention_policy", master_yaml(self.of_text("{}")[0]))

    def test_the_scheduler_is_chosen_by_words_of_the_chart(self):
        items, _ = self.of_text("defaultScheduler: coscheduler\nscheduler: {type: auto, bindTimeout: 90, scaleUp: pendingPods, scaleUpTimeout: 1200, topology: [rack], coschedulerName: gangs}")
        master = master_yaml(items)
        self.assertEqual(master["scheduler"], {"type": "auto", "bind_timeout": 90, "scale_up": "pendingPods", "scale_up_timeout": 1200, "topology": ["rack"], "coscheduler_name": "gangs"})
        self.assertNotIn("default_scheduler", master["resource_manager"])
        self.assertNotIn("scheduler", master_yaml(self.of_text("{}")[0]))

    def test_nodes_may_be_cordoned_where_the_role_reaches_them(self):
        may = lambda text: [rule for item in self.of_text(text)[0] if item["kind"] in ("ClusterRole", "Role") for rule in item["rules"]
                            if "nodes" in rule["resources"] and "patch" in rule["verbs"]]
        self.assertEqual(may("{}"), [])
        self.assertEqual(len(may("agentControl: true")), 1)
        self.assertEqual(may("agentControl: true\nscope: namespaced"), [])

    def test_every_list_of_the_pod_policy_is_taken(self):
        documented = re.search(r"^```yaml\n(pod_policy:.*?)^resource_pools:", (ROOT / "docs" / "pod-policy.md").read_text(), re.M | re.S)[1]
        policy = yaml.safe_load(documented)["pod_policy"]
        self.assertGreater(len(policy), 7)
        self.assertEqual(master_yaml(self.of_text(yaml.safe_dump({"podPolicy": policy}))[0])["pod_policy"], policy)

    def test_both_kinds_of_metrics_are_scraped(self):
        items, _ = self.of_text("tlsSecret: tls\nmetrics: {serviceMonitor: {enabled: true}}")
        endpoints = find(items, "ServiceMonitor")["spec"]["endpoints"]
        self.assertEqual([(e["path"], e["scheme"], e["tlsConfig"]["ca"]["secret"]["name"]) for e in endpoints],
                         [("/metrics", "https", "tls"), ("/prom/det-state-metrics", "https", "tls")])

    def test_saving_no_checkpoints_stays_zero(self):
        items, _ = self.of_text("checkpointStorage: {saveTrialBest: 0, saveTrialLatest: 0}")
        self.assertEqual((master_yaml(items)["checkpoint_storage"]["save_trial_best"], master_yaml(items)["checkpoint_storage"]["save_trial_latest"]), (0, 0))

    def test_coreweaves_form_becomes_pod_specs(self):
        master = master_yaml(objects(rendered("coreweave")))
        gpu = master["task_container_defaults"]["gpu_pod_spec"]["spec"]
        terms = gpu["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
        self.assertEqual(terms, [{"matchExpressions": [{"key": "gpu.nvidia.com/class", "operator": "In", "values": ["RTX_A5000"]},
                                                       {"key": "topology.kubernetes.io/region", "operator": "In", "values": ["ORD1"]}]}])
        amounts = {"cpu": "8", "memory": "32Gi"}
        self.assertEqual(gpu["containers"], [{"name": "determined-container", "resources": {"requests": amounts, "limits": amounts},
                                              "volumeMounts": [{"name": "datasets", "mountPath": "/mnt/datasets"}]}])
        self.assertEqual(gpu["volumes"], [{"name": "datasets", "persistentVolumeClaim": {"claimName": "datasets"}}])
        self.assertEqual(master["checkpoint_storage"], {"type": "s3", "bucket": "checkpoints", "endpoint_url": "https://object.ord1.coreweave.com"})
        limits = lambda kind: master_yaml(objects(rendered("coreweave", "--set", f"resources.gpuType={kind}")))["task_container_defaults"]["gpu_pod_spec"]["spec"]["containers"][0]["resources"]["limits"]
        self.assertEqual(limits("A100_NVLINK").get("rdma/ib"), "1")
        self.assertNotIn("rdma/ib", limits("A40"))

    def test_coreweave_is_reached_by_the_address_of_the_notes(self):
        done = run(TOOLS / "helm", "install", "det", CHART, "-n", "tenant-acme", "--dry-run=client", "-f", "examples/helm/coreweave.yaml")
        self.assertIn("export DET_MASTER=https://det.tenant-acme.ord1.ingress.coreweave.cloud\n", done.stdout)
        ingress = find(objects(rendered("coreweave")), "Ingress")
        self.assertEqual(ingress["spec"]["rules"][0]["host"], "det.tenant-acme.ord1.ingress.coreweave.cloud")
        self.assertEqual(find(objects(rendered("coreweave")), "StatefulSet")["spec"]["volumeClaimTemplates"][0]["spec"]["storageClassName"], "block-nvme-ord1")

    def test_coreweaves_keys_in_clear_go_into_a_secret(self):
        items, _ = self.of_text("region: LAS1\ns3: {bucket: b, accessKey: AKEY, secretKey: SKEY}\nnamespace: tenant\n")
        self.assertEqual(find(items, "Secret", "-storage")["stringData"], {"checkpoint_storage.access_key": "AKEY", "checkpoint_storage.secret_key": "SKEY"})

    def test_ezmerals_values_are_what_they_say(self):
        items = objects(rendered("ezmeral"))
        master = master_yaml(items)
        self.assertEqual(find(items, "Service", "determined-master-service-stagingdetai")["spec"]["type"], "NodePort")
        self.assertEqual(master["checkpoint_storage"]["host_path"], "/opt/bluedata/mapr/mnt/hcp.mapr.cluster/exthcp/tenant-4/fsmount/checkpoints")
        self.assertEqual((master["cluster_name"], master["resource_manager"]["max_slots_per_pod"]), ("stagingdetai", 1))
        self.assertEqual(find(items, "Secret", "-initial-password")["data"]["password"], "Y2hhbmdlLW1lLXBsZWFzZQ==")

    def test_experiments_run_in_the_namespaces_that_are_listed(self):
        made = lambda items: {item["metadata"]["name"] for item in items if item["kind"] == "Namespace"}
        for text, listed, default, created in (
                ("{}", ["det-system-tasks"], "det-system-tasks", {"det-system-tasks"}),
                ("taskNamespaces: [a, {name: b, create: true}, a]", ["a", "b"], "a", {"b"}),
                ("taskNamespaces: [{name: det-system, create: true}]", ["det-system"], "det-system", set()),
                ("resourceManager: {defaultNamespace: c}", ["c"], "c", set()),
                ("taskNamespaces: [a]\nresourceManager: {defaultNamespace: c}", ["a", "c"], "c", set()),
                ("scope: namespaced\nresourceManager: {defaultNamespace: c}", ["det-system"], "det-system", set()),
                ("scope: cluster\ncreateNonNamespacedObjects: false", ["det-system"], "det-system", set()),
                ("scope: cluster\ncreateNonNamespacedObjects: false\ntaskNamespaces: [{name: ml, create: true}]", ["ml"], "ml", set())):
            with self.subTest(text):
                items, notes = self.of_text(text)
                master = master_yaml(items)
                self.assertEqual((master["task_namespaces"], master["resource_manager"]["default_namespace"], made(items)), (listed, default, created))
                self.assertIn(f"\nExperiments run in {', '.join(listed)}.", notes)
                for kind in ("Role", "RoleBinding", "NetworkPolicy"):
                    bound = [item["metadata"]["namespace"] for item in items if item["kind"] == kind and item["metadata"]["name"].endswith("-tasks")]
                    self.assertEqual(bound, listed, kind)

    def test_namespaces_that_the_chart_makes_stay_when_it_goes(self):
        made = find(self.of_text("{}")[0], "Namespace")
        self.assertEqual(made["metadata"]["annotations"]["helm.sh/resource-policy"], "keep")

    def test_the_notes_label_what_the_chart_does_not(self):
        enforce = "pod-security.kubernetes.io/enforce"
        hint = "kubectl label namespace {} --overwrite " + enforce + "=privileged"
        made = lambda **entry: yaml.safe_dump({"taskNamespaces": [{"name": "a", "create": True, **entry}]})
        items, notes = self.of_text(made(labels={"team": "ml"}))
        self.assertEqual(find(items, "Namespace")["metadata"]["labels"]["team"], "ml")
        self.assertIn(hint.format("a"), notes)  # which these labels do not settle
        self.assertNotIn("team=ml", notes)
        self.assertNotIn("kubectl label", self.of_text(made(labels={enforce: "privileged"}))[1])
        self.assertNotIn("kubectl label", self.of_text(made() + "checkpointStorage: {type: s3, bucket: b}")[1])
        # Of one that it finds: namespaces_test.py.
        items, notes = self.of_text(yaml.safe_dump({"taskNamespaces": [{"name": "a", "labels": {enforce: "privileged", "team": "ml"}}, "b"]}))
        self.assertNotIn("Namespace", {item["kind"] for item in items})
        self.assertIn(f"The chart did not make the namespace a, and does not label it. To give it the labels of taskNamespaces:\n  {hint.format('a')} team=ml\n", notes)
        self.assertEqual(notes.count("kubectl label"), 1)

    def test_our_pods_are_selected_by_labels_of_ours(self):
        for preset in PRESETS:
            items = objects(rendered(preset, "--set", "replicas=2"))
            selectors = [item["spec"]["selector"] for item in items if item["kind"] == "Service"]
            selectors += [item["spec"]["selector"]["matchLabels"] for item in items if item["kind"] == "PodDisruptionBudget"]
            selectors += [item["spec"]["podSelector"]["matchLabels"] for item in items if item["kind"] == "NetworkPolicy"]
            self.assertGreaterEqual(len(selectors), 4, preset)
            for selector in selectors:
                self.assertEqual({key.split("/")[0] for key in selector}, {"det-operator.dev"}, preset)
            for item in (item for item in items if item["kind"] in ("Deployment", "StatefulSet")):
                # Fields that no upgrade can change.
                self.assertEqual({key.split("/")[0] for key in item["spec"]["selector"]["matchLabels"]}, {"app.kubernetes.io"})
                component = "operator" if item["kind"] == "Deployment" else "database"
                self.assertEqual(item["spec"]["template"]["metadata"]["labels"]["det-operator.dev/component"], component)

    def test_blank_passwords_need_to_be_asked_for(self):
        items, notes = self.of_text("allowBlankPasswords: true")
        self.assertEqual([item for item in items if item["kind"] == "Secret" and item["metadata"]["name"].endswith("-initial-password")], [])
        self.assertIn("have blank passwords", notes)
        _, notes = self.of_text("{}")
        self.assertIn("kubectl get secret det-det-operator-initial-password -n det-system -o jsonpath='{.data.password}' | base64 -d", notes)

    def test_the_schema_names_what_the_documentation_names(self):
        text = (CHART.parents[1] / "docs" / "helm.md").read_text()
        for key in json.loads((CHART / "values.schema.json").read_text())["properties"]:
            if key != "global":
                self.assertIn(f"`{key}", text, "docs/helm.md does not mention it")


if __name__ == "__main__":
    unittest.main()
