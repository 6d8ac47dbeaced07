"""What the chart renders. Golden files are written by UPDATE=1, and so are the chart's copies of what has its source elsewhere."""

import difflib
import json
import pathlib
import re
import tempfile
import unittest

import yaml

from chart import CHART, GOLDEN, HELMS, PRESETS, PROGRAM, ROOT, TOOLS, UPDATE, find, master_yaml, objects, rendered, run


def without_random(text):
    """Generated passwords differ at every rendering."""
    return re.sub(r"^  password: [A-Za-z0-9+/=]{32}$", "  password: GENERATED", text, flags=re.M)


def known_of(schema):
    return {key: known_of(value) for key, value in schema.get("properties", {}).items()}


class Copies(unittest.TestCase):
    def test_custom_resource_definitions_are_those_of_the_repository(self):
        copies = CHART / "files" / "crds"
        if UPDATE:
            for path in (ROOT / "crds").glob("*.yaml"):
                (copies / path.name).write_text(path.read_text())
        self.assertEqual({p.name: p.read_text() for p in copies.iterdir()}, {p.name: p.read_text() for p in (ROOT / "crds").glob("*.yaml")})

    def test_known_values_are_those_of_the_schema(self):
        known = known_of(json.loads((CHART / "values.schema.json").read_text()))
        path = CHART / "files" / "known-values.yaml"
        if UPDATE:
            head = path.read_text().splitlines()[0]
            path.write_text(head + "\n" + yaml.safe_dump(known, sort_keys=False))
        self.assertEqual(yaml.safe_load(path.read_text()), known)

    def test_every_default_is_in_the_schema(self):
        known = known_of(json.loads((CHART / "values.schema.json").read_text()))
        for key, value in yaml.safe_load((CHART / "values.yaml").read_text()).items():
            self.assertIn(key, known)
            if isinstance(value, dict) and known[key]:
                self.assertLessEqual(set(value), set(known[key]), key)

    def test_chart_and_program_have_the_same_version(self):
        chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
        version = re.search(r'kVersion = "([^"]+)"', (ROOT / "main" / "version.h").read_text())[1]
        self.assertEqual(chart["appVersion"], version)
        if PROGRAM.exists():
            self.assertEqual(run(PROGRAM, "--version").stdout.strip(), f"det-operator {version}")

    def test_artifact_hub_lists_the_shipped_definitions_and_images(self):
        annotations = yaml.safe_load((CHART / "Chart.yaml").read_text())["annotations"]
        shipped = {(d["spec"]["names"]["kind"], d["metadata"]["name"]) for d in (yaml.safe_load(p.read_text()) for p in (ROOT / "crds").glob("*.yaml"))}
        listed = yaml.safe_load(annotations["artifacthub.io/crds"])
        self.assertEqual({(item["kind"], item["name"]) for item in listed}, shipped)
        images = {item["image"] for item in yaml.safe_load(annotations["artifacthub.io/images"])}
        used = set(re.findall(r"^\s+image: (\S+)$", rendered("default"), re.M))
        self.assertEqual(images, used)


class Rendering(unittest.TestCase):
    maxDiff = None

    def test_is_as_the_golden_files_say(self):
        for preset in PRESETS:
            with self.subTest(preset):
                text = without_random(rendered(preset, "--set", "crds.install=false"))
                path = GOLDEN / f"{preset}.yaml"
                if UPDATE:
                    path.write_text(text)
                want = path.read_text()
                if text != want:
                    self.fail("UPDATE=1 writes the golden file anew\n" + "".join(list(difflib.unified_diff(want.splitlines(True), text.splitlines(True), "golden", "rendered"))[:60]))

    def test_pages_of_determined_come_out_of_its_image(self):
        image = "determinedai/determined-master:0.38.1"
        pod = find(objects(rendered("default", "--set", f"webui.fromImage={image}")), "Deployment", "det-operator")["spec"]["template"]["spec"]
        init, main = pod["initContainers"][0], pod["containers"][0]
        self.assertEqual((init["image"], init["command"]), (image, ["cp", "-R", "/usr/share/determined/master/webui/react/.", "/webui/"]))
        self.assertEqual(init["securityContext"], main["securityContext"])
        self.assertNotIn("cpu", init["resources"]["limits"])
        mounts = {mount["name"]: mount for mount in main["volumeMounts"]}
        self.assertIn(f"--webui-dir={mounts['webui']['mountPath']}", main["args"])
        self.assertTrue(mounts["webui"]["readOnly"])
        self.assertEqual(next(v for v in pod["volumes"] if v["name"] == "webui")["emptyDir"], {"sizeLimit": "256Mi"})
        # A ResourceQuota on limits.cpu refuses pods with a container that has none.
        limited = find(objects(rendered("default", "--set", f"webui.fromImage={image},masterCpuLimit=500m")), "Deployment", "det-operator")["spec"]["template"]["spec"]
        self.assertEqual([one["resources"]["limits"]["cpu"] for one in limited["initContainers"] + limited["containers"]], ["500m", "500m"])
        pod = find(objects(rendered("default")), "Deployment", "det-operator")["spec"]["template"]["spec"]
        self.assertNotIn("initContainers", pod)
        self.assertNotIn("webui", str(pod))

    def test_is_the_same_with_helm_3_and_4(self):
        for preset in PRESETS:
            with self.subTest(preset):
                def objects_by(helm):
                    items = objects(without_random(rendered(preset, helm=helm)))
                    return {(i["kind"], i["metadata"].get("namespace"), i["metadata"]["name"]): i for i in items}
                self.assertEqual(objects_by("helm"), objects_by("helm3"))

    def test_passes_lint(self):
        for helm in HELMS:
            for preset in PRESETS:
                files = [word for name in PRESETS[preset][2] for word in ("-f", ROOT / "examples" / "helm" / f"{name}.yaml")]
                done = run(TOOLS / helm, "lint", "--strict", CHART, *files)
                self.assertEqual(done.returncode, 0, f"{helm} {preset}: {done.stdout}{done.stderr}")

    def test_passes_kube_score(self):
        # The image's tag is that of a release and never moves; a NodePort is what the user asked for.
        ignored = ["container-image-pull-policy", "service-type"]
        for preset in PRESETS:
            with self.subTest(preset):
                text = rendered(preset, "--set", "crds.install=false")
                done = run(TOOLS / "kube-score", "score", "--output-format", "ci", "--kubernetes-version", "v1.31",
                           "--ignore-container-cpu-limit", # it throttles a process that is idle most of the time
                           *[word for name in ignored for word in ("--ignore-test", name)], "-", stdin=text)
                self.assertIn("[OK]", done.stdout, done.stderr)
                critical = [line for line in done.stdout.splitlines() if line.startswith("[CRITICAL]")]
                self.assertEqual(critical, [], done.stderr)

    def test_every_key_of_master_yaml_is_understood_by_the_operator(self):
        for preset in PRESETS:
            with self.subTest(preset), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "master.yaml"
                path.write_text(yaml.safe_dump(master_yaml(objects(rendered(preset)))))
                secrets = pathlib.Path(folder) / "secrets"
                secrets.mkdir()
                (secrets / "security.initial_user_password").write_text("secret\n")
                done = run(PROGRAM, "--check-config", "--config", path, "--config-secrets", secrets)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_no_credential_is_outside_a_secret(self):
        given = ["--set", "defaultPassword=Hidden-1,db.password=Hidden-2,checkpointStorage.accessKey=Hidden-3,checkpointStorage.secretKey=Hidden-4,"
                          "checkpointStorage.bucket=b,checkpointStorage.type=s3"]
        for item in objects(rendered("default", *given)):
            if item["kind"] != "Secret":
                self.assertNotIn("Hidden-", yaml.safe_dump(item), item["kind"])
        texts = find(objects(rendered("default", *given)), "Secret", "-storage")["stringData"]
        self.assertEqual(texts, {"checkpoint_storage.access_key": "Hidden-3", "checkpoint_storage.secret_key": "Hidden-4"})

    def test_namespaced_renders_nothing_cluster_scoped(self):
        allowed = {"ConfigMap", "Secret", "Service", "ServiceAccount", "Deployment", "StatefulSet", "Role", "RoleBinding", "NetworkPolicy"}
        items = objects(rendered("namespaced"))
        self.assertEqual({item["kind"] for item in items} - allowed, set())
        args = find(items, "Deployment")["spec"]["template"]["spec"]["containers"][0]["args"]
        self.assertIn("--namespace=team", args)

    def test_definitions_are_kept_when_the_release_goes(self):
        definitions = [item for item in objects(rendered("default")) if item["kind"] == "CustomResourceDefinition"]
        self.assertEqual(len(definitions), len(list((ROOT / "crds").glob("*.yaml"))))
        for item in definitions:
            self.assertEqual(item["metadata"]["annotations"]["helm.sh/resource-policy"], "keep")

    def test_the_page_says_how_to_remove_what_a_release_leaves(self):
        page = (ROOT / "docs" / "helm.md").read_text()
        said = re.search(r"To remove everything, .*?\n```sh\n(.*?)```", page, re.S)[1]
        items = objects(rendered("default"))
        left = {item["metadata"]["name"] for item in items if item["kind"] in ("CustomResourceDefinition", "Namespace")}
        # What the operator makes in its own namespace: its Role has their names.
        for rule in find(items, "Role", "-leader")["rules"]:
            left |= {f"{rule['resources'][0].removesuffix('s')}/{name}" for name in rule.get("resourceNames", [])}
        self.assertIn("configmap/det-operator-database", left)
        self.assertLessEqual(left, set(said.split()))

    def test_the_page_names_every_value_that_changes_what_tasks_dial(self):
        names = (CHART / "templates" / "_names.tpl").read_text()
        parts = [re.search(rf'define "det.{part}" -.*?(?=\n\n|\Z)', names, re.S)[0] for part in ("scheme", "taskUrl")]
        values = set(re.findall(r"\.Values\.(\w+)", "".join(parts)))
        self.assertGreater(len(values), 4)
        page = (ROOT / "docs" / "helm.md").read_text()
        for heading in ("Changing the address", "What an upgrade cannot change"):
            section = page.split(f"\n### {heading}\n")[1].split("\n##")[0]
            self.assertLessEqual(values, set(re.findall(r"`(\w+)`", section)), heading)

    def test_replicas_get_a_disruption_budget_and_one_does_not(self):
        kinds = lambda *arguments: [item["kind"] for item in objects(rendered("default", *arguments))]
        self.assertNotIn("PodDisruptionBudget", kinds())
        budget = find(objects(rendered("default", "--set", "replicas=2")), "PodDisruptionBudget")["spec"]
        self.assertEqual((budget["minAvailable"], budget["unhealthyPodEvictionPolicy"]), (1, "AlwaysAllow"))

    def test_openshift_may_choose_the_ids_of_the_pods(self):
        for arguments, ids in (([], {65532, 999}), (["--set", "fixedUserIds=null"], {65532, 999}), (["--set", "fixedUserIds=false"], {None})):
            pods = [item["spec"]["template"]["spec"] for item in objects(rendered("default", *arguments)) if item["kind"] in ("Deployment", "StatefulSet")]
            for key in ("runAsUser", "runAsGroup", "fsGroup"):
                self.assertEqual({pod["securityContext"].get(key) for pod in pods}, ids)
            self.assertEqual({pod["securityContext"]["runAsNonRoot"] for pod in pods}, {True})

    def test_a_route_hands_on_what_the_operator_encrypts_itself(self):
        for values, termination in (("", "edge"), (",tlsSecret=tls", "passthrough"), (",tlsSecret=tls,openshiftRoute.termination=reencrypt", "reencrypt")):
            route = find(objects(rendered("default", "--set", f"openshiftRoute.enabled=true{values}")), "Route")
            self.assertEqual(route["spec"]["tls"], {"termination": termination})

    def test_roles_have_no_wildcard_and_never_list_secrets(self):
        for preset in PRESETS:
            for item in objects(rendered(preset)):
                for rule in item.get("rules", []) if item["kind"] in ("Role", "ClusterRole") else []:
                    self.assertNotIn("*", rule["verbs"] + rule["resources"] + rule["apiGroups"])
                    if "secrets" in rule["resources"]:
                        self.assertLessEqual(set(rule["verbs"]), {"get", "create", "delete"})


if __name__ == "__main__":
    unittest.main()
