#!/usr/bin/env python3
"""Prints a folder with a configuration and model code as objects for kubectl: make_experiment.py DIR [--archive].

By default a ConfigMap with the files and an Experiment that refers to it; with --archive one Experiment that carries the
files inside (up to 150 KiB). The configuration's text is kept as it is, comments included.

    examples/make_experiment.py examples/digits_pytorch | kubectl apply -f -
"""

import argparse
import base64
import gzip
import io
import pathlib
import re
import sys
import tarfile

_ARCHIVE_LIMIT = 150 * 1024
_CONFIG_MAP_LIMIT = 1000 * 1000  # the API server's own is 1 MiB for the whole object
_LEFT_OUT = {"README.md", "experiment.yaml"}


def context_files(folder):
    """Path below the folder -> content, in order."""
    chosen = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        hidden = any(part.startswith(".") or part == "__pycache__" for part in name.parts)
        if path.is_file() and not hidden and str(name) not in _LEFT_OUT:
            chosen[str(name)] = path.read_bytes()
    return chosen


def is_plain_text(content):
    """True for what a YAML block can hold unchanged."""
    try:
        text = content.decode("ascii")
    except UnicodeDecodeError:
        return False
    return bool(re.match(r"\S", text)) and bool(re.search(r"[^\n]\n\Z", text)) and not re.search(r"[^\n -~]", text)


def indent(text, width):
    return "".join(" " * width + line if line.strip() else line for line in text.splitlines(keepends=True))


def config_map(name, files):
    nested = [path for path in files if "/" in path]
    if nested:
        raise SystemExit(f"error: {nested[0]} is in a subfolder, which a ConfigMap has not: use --archive")
    if sum(map(len, files.values())) > _CONFIG_MAP_LIMIT:
        raise SystemExit("error: the files are larger than a ConfigMap may be (1 MiB): use `det experiment create`")
    text = [f"  {path}: |\n{indent(data.decode('ascii'), 4)}" for path, data in files.items() if is_plain_text(data)]
    binary = [f"  {path}: {base64.b64encode(data).decode()}\n" for path, data in files.items() if not is_plain_text(data)]
    parts = [f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n"]
    parts += ["data:\n", *text] if text else []
    parts += ["binaryData:\n", *binary] if binary else []
    return "".join(parts)


def archive(files):
    """base64 of a tar.gz that is the same for the same files."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as zipped, tarfile.open(fileobj=zipped, mode="w") as tar:
        for path, data in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(data)
            member.mode = 0o644
            tar.addfile(member, io.BytesIO(data))
    if packed.tell() > _ARCHIVE_LIMIT:
        size = f"{packed.tell() / 1024:.0f} KiB"
        raise SystemExit(f"error: the archive has {size}, at most 150 KiB fit into an object: use `det experiment create`")
    return base64.b64encode(packed.getvalue()).decode()


def experiment(name, config, context):
    return (
        "apiVersion: det-operator.dev/v1alpha1\n"
        "kind: Experiment\n"
        f"metadata:\n  name: {name}\n"
        f"spec:\n  context:\n{context}  config:\n{indent(config, 4)}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--config", default="const.yaml", help="name of the configuration in the folder")
    parser.add_argument("--name", help="name of the object; by default what the configuration calls itself")
    parser.add_argument("--archive", action="store_true", help="put the files into the Experiment itself")
    arguments = parser.parse_args()

    path = arguments.folder / arguments.config
    if not path.is_file():
        parser.error(f"{path} does not exist")
    config = path.read_text()
    found = re.search(r"^name: *([a-z0-9]([-a-z0-9]*[a-z0-9])?) *(#.*)?$", config, re.MULTILINE)
    name = arguments.name or (found and found.group(1))
    if not name:
        parser.error(f"{path} has no `name` that an object may bear (lower case letters, digits, '-'): give --name")
    files = context_files(arguments.folder)
    if arguments.archive:
        sys.stdout.write(experiment(name, config, f"    archive: {archive(files)}\n"))
    else:
        code = f"{name}-code"
        objects = (config_map(code, files), experiment(name, config, f"    configMap: {{name: {code}}}\n"))
        sys.stdout.write("---\n".join(objects))


if __name__ == "__main__":
    main()
