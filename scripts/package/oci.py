"""oci.py --root DIR --containerfile FILE --tag TAG --epoch SECONDS --out DIR: an image of one layer as an OCI layout.

Who runs it, how it starts and what it says of itself are read from the last stage of the Containerfile, so that the two cannot differ. The
same root gives the same bytes: files in the order of their names, owned by root, none newer than SECONDS."""

import argparse
import datetime
import gzip
import hashlib
import json
import pathlib
import shlex
import shutil
import tarfile

TYPE = "application/vnd.oci.image"


def instructions(containerfile):
    """Of the last stage: word, rest of the line; a line that ends in a backslash goes on."""
    lines = containerfile.read_text().replace("\\\n", " ").splitlines()
    pairs = [line.split(None, 1) for line in lines if line.strip() and not line.startswith("#")]
    last = max(index for index, pair in enumerate(pairs) if pair[0] == "FROM")
    return pairs[last + 1:]


def config_of(containerfile):
    config = {"Labels": {}, "ExposedPorts": {}}
    for word, rest in instructions(containerfile):
        if word == "LABEL":
            config["Labels"].update(pair.split("=", 1) for pair in shlex.split(rest))
        elif word == "USER":
            config["User"] = rest.strip()
        elif word == "EXPOSE":
            config["ExposedPorts"][f"{rest.strip()}/tcp"] = {}
        elif word == "ENTRYPOINT":
            config["Entrypoint"] = json.loads(rest)
        elif word != "COPY":
            raise SystemExit(f"error: {containerfile}: {word} is not known here")
    return config


class Layout:
    def __init__(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        self.blobs = folder / "blobs" / "sha256"
        self.blobs.mkdir(parents=True)
        (folder / "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}')
        self.folder = folder

    def descriptor(self, kind, path):
        """Gives the file the name of its digest."""
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        path.rename(self.blobs / digest)
        return {"mediaType": f"{TYPE}.{kind}", "digest": f"sha256:{digest}", "size": (self.blobs / digest).stat().st_size}

    def add_json(self, kind, value):
        path = self.folder / "new"
        path.write_text(json.dumps(value, sort_keys=True, separators=(",", ":")))
        return self.descriptor(kind, path)

    def add_layer(self, root, epoch):
        """Its descriptor, and the digest of what is in it unpacked."""
        path, plain = self.folder / "new", self.folder / "plain"
        with tarfile.open(plain, "w", format=tarfile.GNU_FORMAT) as archive:
            for entry in sorted(root.rglob("*")):
                info = archive.gettarinfo(entry, str(entry.relative_to(root)))
                info.uid = info.gid = 0
                info.uname = info.gname = ""
                info.mtime = min(int(info.mtime), epoch)
                if info.isreg():
                    with open(entry, "rb") as file:
                        archive.addfile(info, file)
                else:
                    archive.addfile(info)
        with open(plain, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        with open(plain, "rb") as file, open(path, "wb") as target, gzip.GzipFile("", "wb", 6, target, mtime=0) as packed:
            shutil.copyfileobj(file, packed)
        plain.unlink()
        return self.descriptor("layer.v1.tar+gzip", path), f"sha256:{digest}"


def build(root, containerfile, tag, epoch, out):
    layout = Layout(out)
    layer, unpacked = layout.add_layer(root, epoch)
    made = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    settings = config_of(containerfile)
    config = layout.add_json("config.v1+json", {"created": made, "architecture": "amd64", "os": "linux", "config": settings,
                                                "rootfs": {"type": "layers", "diff_ids": [unpacked]},
                                                "history": [{"created": made, "created_by": "scripts/package.sh oci"}]})
    manifest = layout.add_json("manifest.v1+json", {"schemaVersion": 2, "mediaType": f"{TYPE}.manifest.v1+json", "config": config, "layers": [layer],
                                                    "annotations": settings["Labels"]})
    manifest["annotations"] = {"org.opencontainers.image.ref.name": tag}
    manifest["platform"] = {"architecture": "amd64", "os": "linux"}
    index = {"schemaVersion": 2, "mediaType": f"{TYPE}.index.v1+json", "manifests": [manifest]}
    (out / "index.json").write_text(json.dumps(index, sort_keys=True, separators=(",", ":")))
    print(f"{out.name}: {layer['size'] / 2**20:.1f} MiB, {manifest['digest']}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("root", "containerfile", "out"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--tag", required=True)
    parser.add_argument("--epoch", type=int, required=True)
    given = parser.parse_args()
    build(given.root, given.containerfile, given.tag, given.epoch, given.out)
