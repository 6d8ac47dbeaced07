"""sbom.py ROOT spdx|cyclonedx: see scripts/sbom.sh."""

import datetime
import email.parser
import hashlib
import json
import os
import pathlib
import sys
import urllib.parse
import zipfile

PROGRAM = "det-operator"


def packages(root):
    """Debian's, then Python's: kind, name, version, where it comes from, maintainer, purl; each sorted by name."""
    for path in sorted((root / "var/lib/dpkg/status.d").iterdir()):
        fields = email.parser.HeaderParser().parsestr(path.read_text())
        source = (fields.get("Source") or fields["Package"]).split()[0]
        version = urllib.parse.quote(fields["Version"], safe="")
        yield {"kind": "deb", "name": fields["Package"], "version": fields["Version"], "origin": f"built from Debian source package {source}",
               "maintainer": fields.get("Maintainer", ""),
               "purl": f"pkg:deb/debian/{fields['Package']}@{version}?arch={fields['Architecture']}&distro=debian-12"}
    for path in sorted((root / "usr/share/det-operator/wheels").glob("*.whl")):
        name, version = path.name.split("-")[:2]
        with zipfile.ZipFile(path) as wheel:
            fields = email.parser.HeaderParser().parsestr(wheel.read(f"{name}-{version}.dist-info/METADATA").decode())
        yield {"kind": "pypi", "name": fields["Name"], "version": version, "origin": "a wheel that is served to tasks, not run",
               "maintainer": fields.get("Author", ""), "purl": f"pkg:pypi/{fields['Name']}@{version}"}


def time_of(root):
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    newest = max(path.stat().st_mtime for path in (root / "usr/share/doc").rglob("*") if path.is_file())
    moment = datetime.datetime.fromtimestamp(int(epoch) if epoch else int(newest), datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def program(root):
    data = (root / "usr/bin" / PROGRAM).read_bytes()
    return hashlib.sha256(data).hexdigest()


def spdx(root):
    digest = program(root)
    own = {"SPDXID": "SPDXRef-det-operator", "name": PROGRAM, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
           "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
           "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}
    listed, relations = [own], [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": own["SPDXID"]}]
    for package in packages(root):
        identity = f"SPDXRef-{package['kind']}-" + "".join(c if c.isalnum() or c in ".-" else "-" for c in package["name"])
        listed.append({"SPDXID": identity, "name": package["name"], "versionInfo": package["version"], "downloadLocation": "NOASSERTION",
                       "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION",
                       "sourceInfo": package["origin"],
                       "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": package["purl"]}]})
        relations.append({"spdxElementId": own["SPDXID"], "relationshipType": "DEPENDS_ON", "relatedSpdxElement": identity})
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{PROGRAM} image",
            "documentNamespace": f"https://det-operator.dev/spdx/{digest}",
            "creationInfo": {"created": time_of(root), "creators": ["Tool: det-operator scripts/sbom.sh"]},
            "packages": listed, "relationships": relations}


def cyclonedx(root):
    components = [{"type": "library", "bom-ref": p["purl"], "name": p["name"], "version": p["version"], "purl": p["purl"],
                   "supplier": {"name": p["maintainer"]}} for p in packages(root)]
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
            "metadata": {"timestamp": time_of(root), "component": {
                "type": "application", "bom-ref": PROGRAM, "name": PROGRAM, "licenses": [{"license": {"id": "Apache-2.0"}}],
                "hashes": [{"alg": "SHA-256", "content": program(root)}]}},
            "components": components, "dependencies": [{"ref": PROGRAM, "dependsOn": [c["bom-ref"] for c in components]}]}


if __name__ == "__main__":
    ROOT = pathlib.Path(sys.argv[1])
    json.dump({"spdx": spdx, "cyclonedx": cyclonedx}[sys.argv[2]](ROOT), sys.stdout, indent=1)
    print()
