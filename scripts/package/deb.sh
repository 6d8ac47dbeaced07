#!/usr/bin/env bash
# The Debian package, for the release of Debian that the programs were built on: deb.sh --programs DIR [--ui DIR] --version V --out DIR
# Of package.sh, which sets SOURCE_DATE_EPOCH. What it depends on is asked of the programs (dpkg-shlibdeps); no service, no maintainer script.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

programs='' ui='' version='' out=''
while [ $# -gt 0 ]; do
  case $1 in
    --programs) programs=$2; shift 2 ;;
    --ui) ui=$2; shift 2 ;;
    --version) version=$2; shift 2 ;;
    --out) out=$2; shift 2 ;;
    *) die "unknown option $1" ;;
  esac
done
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
root=$tree/root
. /etc/os-release
release=$version+deb${VERSION_ID}

install -d "$root"/usr/share/{man/man1,doc/det-operator,det-operator,bash-completion/completions}
install -D -m 755 -t "$root/usr/bin" "$programs/det" "$programs/det-operator"
cp -r "$det_root/crds" "$det_root/examples" "$root/usr/share/det-operator/"
[ -z "$ui" ] || cp -r "$ui" "$root/usr/share/det-operator/ui"
find "$root" -name __pycache__ -prune -exec rm -rf {} +
"$programs/det" completion bash > "$root/usr/share/bash-completion/completions/det"

man_page() { help2man --no-info --section 1 --name "$2" --version-string "$version" "$programs/$1" | gzip -9n > "$root/usr/share/man/man1/$1.1.gz"; }
man_page det "the command line of det-operator and of Determined"
man_page det-operator "runs Determined experiments on Kubernetes or on one machine"

doc=$root/usr/share/doc/det-operator
gzip -9n < "$det_root/CHANGELOG.md" > "$doc/changelog.gz"
cp "$det_root"/docs/local-mode.md "$doc/"
cat > "$doc/copyright" <<TEXT
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: det-operator

Files: *
Copyright: the authors of det-operator
License: Apache-2.0
 On Debian systems, the full text of the Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0.
TEXT

mkdir -p "$tree/debian" "$root/DEBIAN"
printf 'Source: det-operator\nMaintainer: det-operator <det-operator@localhost>\n\nPackage: det-operator\nArchitecture: any\n' > "$tree/debian/control"
depends=$(cd "$tree" && dpkg-shlibdeps -O root/usr/bin/det root/usr/bin/det-operator 2> "$tree/shlibdeps.log" | sed -n 's/^shlibs:Depends=//p') || true
[ -n "$depends" ] || { cat "$tree/shlibdeps.log" >&2; die "dpkg-shlibdeps found nothing that the programs depend on"; }
cat > "$root/DEBIAN/control" <<TEXT
Package: det-operator
Version: $release
Architecture: $(dpkg --print-architecture)
Maintainer: det-operator <det-operator@localhost>
Section: science
Priority: optional
Installed-Size: $(du -sk --apparent-size --exclude=DEBIAN "$root" | cut -f1)
Depends: $depends, bubblewrap, util-linux
Recommends: postgresql, python3-venv, ca-certificates
Description: runs Determined experiments on Kubernetes or on one machine
 Takes experiment configurations as Determined AI does, runs the training, keeps metrics, logs and checkpoints, and talks to the det command
 line and the Python package determined. "det deploy local cluster-up" is everything on one machine (with PostgreSQL, which is recommended
 only because the operator on a cluster has its own elsewhere); det-operator is the control plane of a cluster. No service is started.
TEXT
find "$root" -type d -exec chmod 755 {} +
find "$root" -type f -path '*/share/*' -exec chmod 644 {} +
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum > DEBIAN/md5sums)
find "$root" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build "$root" "$out/det-operator_${release}_$(dpkg --print-architecture).deb"
