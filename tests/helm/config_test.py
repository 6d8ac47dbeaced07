"""What det-operator says about its configuration: --check-config, --config, --config-secrets."""

import pathlib
import shutil
import tempfile
import unittest

import yaml

from chart import PROGRAM, FromText, master_yaml, run


class Configuration(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="det-config-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.secrets = self.folder / "secrets"
        self.secrets.mkdir()

    def check(self, text, **secrets):
        config = self.folder / "master.yaml"
        config.write_text(text)
        for name, value in secrets.items():
            (self.secrets / name.replace("__", ".")).write_text(value)
        done = run(PROGRAM, "--check-config", "--config", config, "--config-secrets", self.secrets)
        return done.returncode, done.stdout, done.stderr

    def test_says_nothing_about_a_good_one(self):
        self.assertEqual(self.check("cluster_name: a\n", security__initial_user_password="x\n"), (0, "", ""))

    def test_names_what_has_no_effect(self):
        code, out, _ = self.check("saml: {enabled: true}\nsecurity: {authz: {_strict_ntsc_enabled: true}}\n")
        self.assertEqual(code, 0)
        self.assertIn('warning: "saml" has no effect in this version', out)
        self.assertIn('warning: "security.authz._strict_ntsc_enabled" has no effect in this version', out)

    SIGN_IN = ("oidc:\n  enabled: true\n  client_id: det\n  idp_recipient_url: https://det.example.com\n  idp_sso_url: https://sso.example.com\n")

    def test_takes_the_secret_of_the_sign_in_provider_from_a_file_or_the_environment(self):
        code, _, err = self.check(self.SIGN_IN)
        self.assertEqual(code, 2)
        self.assertIn("oidc.client_secret: is needed: as a file oidc.client_secret in the folder of --config-secrets, in the variable DET_OIDC_CLIENT_SECRET", err)
        config = self.folder / "master.yaml"
        done = run("env", "DET_OIDC_CLIENT_SECRET=hidden", PROGRAM, "--check-config", "--config", config)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.check(self.SIGN_IN, oidc__client_secret="hidden\n"), (0, "", ""))
        code, out, err = self.check(self.SIGN_IN + "  alway_redirect: true\n  ca_file: /nowhere/ca.pem\n", oidc__client_secret="hidden")
        self.assertEqual(code, 2)
        self.assertIn('did you mean "always_redirect"', err)
        code, _, err = self.check(self.SIGN_IN + "  ca_file: /nowhere/ca.pem\n", oidc__client_secret="hidden")
        self.assertEqual(code, 2)
        self.assertIn("oidc.ca_file: cannot read /nowhere/ca.pem", err)
        self.assertNotIn("hidden", out + err)

    def test_refuses_a_misspelled_name_with_line_value_and_the_right_one(self):
        code, out, _ = self.check("cluster_name: a\nresource_manager:\n  max_slot_per_pod: 4\n  kubeconfig_path: /k\n")
        self.assertEqual(code, 2)
        self.assertIn('error: "resource_manager.max_slot_per_pod" has no effect in this version: there is no such field; did you mean '
                      '"max_slots_per_pod"? (line 3, value 4)\n', out)
        self.assertIn('warning: "resource_manager.kubeconfig_path" has no effect in this version (line 4, value "/k")\n', out)
        code, out, _ = self.check("security: {inital_user_password: hunter2}\n")
        self.assertEqual(code, 2)
        self.assertNotIn("hunter2", out)

    def test_errors_have_their_line(self):
        code, _, err = self.check("cluster_name: a\nnotebook_timeout: soon\n")
        self.assertEqual(code, 2)
        self.assertIn("master.yaml.notebook_timeout: expected integer or null, but got string (line 2)", err)

    def test_names_what_of_the_tasks_defaults_has_no_effect(self):
        code, out, _ = self.check("task_container_defaults: {gloo_port_range: echo, image: a}\nresource_pools: [{pool_name: p, task_container_defaults: {devices: ['/dev/a:/dev/a']}}]\n")
        self.assertEqual(code, 0)
        self.assertEqual([line.split('"')[1] for line in out.splitlines()],
                         ["resource_pools[0].task_container_defaults.devices", "task_container_defaults.gloo_port_range"])

    def test_a_secret_completes_what_the_file_began(self):
        storage = "checkpoint_storage: {type: s3, bucket: b, access_key: a}\n"
        self.assertEqual(self.check(storage, checkpoint_storage__secret_key="s")[0], 0)
        # With a key that the storage has not, the whole is checked as if it stood in the file.
        (self.secrets / "checkpoint_storage.secretkey").write_text("very-secret")
        code, _, err = self.check(storage)
        self.assertEqual(code, 2)
        self.assertIn("secretkey", err)
        self.assertNotIn("very-secret", err)

    def test_the_folders_of_a_mounted_volume_are_left_alone(self):
        (self.secrets / "..2026_11_21").mkdir()
        (self.secrets / "..2026_11_21" / "cluster_name").write_text("x")
        (self.secrets / "cluster_name").symlink_to("..2026_11_21/cluster_name")
        self.assertEqual(self.check("")[0], 0)

    def test_a_secret_below_something_else_is_refused(self):
        code, _, err = self.check("checkpoint_storage: s3\n", checkpoint_storage__secret_key="hidden")
        self.assertEqual(code, 2)
        self.assertIn("checkpoint_storage.secret_key: master.yaml has something else than an object on the way", err)
        self.assertNotIn("hidden", err)

    def test_a_folder_that_is_not_there_is_named(self):
        done = run(PROGRAM, "--check-config", "--config-secrets", self.folder / "none")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"--config-secrets: cannot read {self.folder}/none", done.stderr)

    def test_without_a_database_it_says_how_one_is_given(self):
        done = run("env", "-u", "DET_DATABASE_URL", PROGRAM)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--database-url or DET_DATABASE_URL is needed, for example postgresql://", done.stderr)


class OfTheChart(FromText):
    def test_values_for_tasks_and_pages_reach_the_program(self):
        items, _ = self.of_text("taskContainerDefaults: {shmSizeBytes: 8589934592, workDir: /work}\nfeatureSwitches: [streaming_updates, -flat_runs]\n"
                                "harness: {install: false, version: 0.37.0, wheelhouse: /wheels}\n"
                                "security: {defaultTask: {user: svc, uid: 0, gid: 5000}}\n")
        config = master_yaml(items)
        self.assertEqual((config["task_container_defaults"]["shm_size_bytes"], config["task_container_defaults"]["work_dir"]), (8589934592, "/work"))
        self.assertEqual(config["feature_switches"], ["streaming_updates", "-flat_runs"])
        self.assertEqual(config["harness"], {"install": False, "version": "0.37.0", "wheelhouse": "/wheels"})
        self.assertEqual(config["security"]["default_task"], {"user": "svc", "uid": 0, "gid": 5000})
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            yaml.safe_dump(config, file)
            file.flush()
            done = run(PROGRAM, "--check-config", "--config", file.name)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
