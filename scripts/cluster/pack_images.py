"""Packs folders as images: pack_images.py OUT.tar < JSON, an archive that `ctr images import` takes. The JSON is a list of
{"name", "layers": [FOLDER...], "entrypoint", "env", "user"}; a folder that several images name is one layer of all."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

PATH = "/usr/local/bin:/usr/bin:/bin"


def pack_layer(folder, out):
    """Numeric owners, so that the users of this machine mean nothing; the files' own times."""
    subprocess.run(["tar", "--numeric-owner", "--sort=name", "-C", folder, "-cf", out, "."], check=True)
    with open(out, "rb") as layer:
        return hashlib.file_digest(layer, "sha256").hexdigest()


def config_of(image, digests):
    environment = {"PATH": PATH, **image.get("env", {})}
    config = {"Env": [f"{name}={value}" for name, value in environment.items()], "Cmd": ["/bin/sh"]}
    if "entrypoint" in image:
        config = {"Env": config["Env"], "Entrypoint": image["entrypoint"]}
    if "user" in image:
        config["User"] = image["user"]
    return {"architecture": "amd64", "os": "linux", "config": config,
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}" for digest in digests]}}


def pack(images, out):
    with tempfile.TemporaryDirectory(dir=out.parent) as work:
        work = pathlib.Path(work)
        digests, files, manifest = {}, {}, []
        for folder in dict.fromkeys(folder for image in images for folder in image["layers"]):
            layer = work / f"layer-{len(files)}.tar"
            digests[folder], files[folder] = pack_layer(folder, layer), layer
        for number, image in enumerate(images):
            config = work / f"config-{number}.json"
            config.write_text(json.dumps(config_of(image, [digests[folder] for folder in image["layers"]])))
            manifest.append({"Config": config.name, "RepoTags": [image["name"]], "Layers": [files[folder].name for folder in image["layers"]]})
        (work / "manifest.json").write_text(json.dumps(manifest))
        part = out.with_suffix(".part")
        with tarfile.open(part, "w") as archive:
            for path in sorted(work.iterdir()):
                archive.add(path, path.name)
        os.replace(part, out)


if __name__ == "__main__":
    pack(json.load(sys.stdin), pathlib.Path(sys.argv[1]))
