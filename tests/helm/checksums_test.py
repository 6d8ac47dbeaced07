"""Annotations of the operator's pods by which they are made anew with other credentials, and tell nobody which."""

import hashlib
import unittest

import yaml

from chart import FromText, find


class Checksums(FromText):
    def test_a_changed_password_of_the_database_restarts_the_operator(self):
        notes = lambda text: find(self.of_text(text)[0], "Deployment")["spec"]["template"]["metadata"]["annotations"].get("checksum/db")
        first = notes("db: {hostAddress: pg, password: one}")
        self.assertRegex(first, "^[0-9a-f]{64}$")
        self.assertEqual(first, notes("db: {hostAddress: pg, password: one}"))
        self.assertNotEqual(first, notes("db: {hostAddress: pg, password: two}"))
        self.assertIsNone(notes("db: {hostAddress: pg, existingSecret: {name: s}}"))
        self.assertIsNone(notes("{}"))  # one is made, and kept

    def test_checksums_of_credentials_are_no_plain_hashes_of_them(self):
        """Whoever may see the pods would guess from these, a billion times a second."""
        of = lambda **values: find(self.of_text(yaml.safe_dump(values))[0], "Deployment")["spec"]["template"]["metadata"]["annotations"]
        s3 = lambda key: {"type": "s3", "bucket": "b", "accessKey": "A", "secretKey": key}
        registry = lambda password: {"registryAuth": {"username": "u", "password": password}}
        for name, value, prefix, given, key in (("checksum/storage", "checkpointStorage", "checkpoint_storage", s3, "secret_key"),
                                                ("checksum/registry", "taskContainerDefaults", "task_container_defaults.registry_auth", registry, "password")):
            with self.subTest(name):
                first = of(**{value: given("one")})[name]
                self.assertRegex(first, "^[0-9a-f]{64}$")
                self.assertEqual(first, of(**{value: given("one")})[name])
                self.assertNotEqual(first, of(**{value: given("two")})[name])
                pairs = {f"{prefix}.{key}": "one", **({f"{prefix}.access_key": "A"} if value == "checkpointStorage" else {})}
                texts = ["one", *(before + yaml.safe_dump(pairs).rstrip() + after for before in ("", "\n") for after in ("", "\n"))]
                self.assertNotIn(first, [hashlib.sha256(text.encode()).hexdigest() for text in texts])
        self.assertEqual({name for name in of() if name.startswith("checksum/")}, {"checksum/config"})


if __name__ == "__main__":
    unittest.main()
