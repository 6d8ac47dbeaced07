#!/usr/bin/env bash
# Makes the root file system of the operator's image: image-root.sh --out DIR --program build/bin/det-operator [--ui build/ui]
# The packages of container/packages with all they depend on, unpacked and not installed: no shell, no package manager, nothing
# that runs as root. The Containerfile and the tests make it with this same script. Needs apt with Debian 12's archive; no root.
# Beside them, the wheels of container/wheels from the Python package index.
# Control files are kept in var/lib/dpkg/status.d, where scanners and scripts/sbom.sh look.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

out='' program='' ui=''
while [ $# -gt 0 ]; do
  case $1 in
    --out) out=$2; shift 2 ;;
    --program) program=$2; shift 2 ;;
    --ui) ui=$2; shift 2 ;;
    *) die "unknown option $1" ;;
  esac
done
[ -n "$out" ] && [ -x "$program" ] || die "usage: image-root.sh --out DIR --program build/bin/det-operator [--ui build/ui]"
[ -z "$ui" ] || [ -f "$ui/index.html" ] || die "$ui has no index.html: run scripts/web-page.sh"
[ ! -e "$out" ] || [ -z "$(ls -A "$out")" ] || die "$out is not empty"
mkdir -p "$out"
out=$(cd "$out" && pwd)

# Depends and Pre-Depends, followed to the end. A name in <...> is virtual; a | alternative is taken with the first.
closure() {
  apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances --important "$@" |
    grep -E '^[a-z0-9]' | sort -u
}

mapfile -t wanted < <(grep -v '^#' "$det_root/container/packages")
mapfile -t packages < <(closure "${wanted[@]}")
# Certificates and the folders' layout, without what would install them (debconf, perl, openssl).
packages+=(ca-certificates base-files)

archives=$det_cache/debs
mkdir -p "$archives"
named=() chosen=()
while read -r package version architecture; do
  named+=("$package=$version")
  chosen+=("$archives/${package}_${version//:/%3a}_$architecture.deb")
done < <(apt-cache show --no-all-versions "${packages[@]}" 2>/dev/null |
  awk '/^Package:/ {p = $2} /^Version:/ {v = $2} /^Architecture:/ {a = $2} /^$/ {print p, v, a}' | sort -u)
# Beside the archives that are there, so that nobody takes half a download for one.
download_archives() {
  local new=$archives/new missing=() i
  for i in "${!chosen[@]}"; do [ -s "${chosen[i]}" ] || missing+=("${named[i]}"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  rm -rf "$new"
  mkdir "$new"
  (cd "$new" && apt-get -q download "${missing[@]}" > "$det_cache/image-root.log" 2>&1) ||
    { rm -rf "$new"; tail -5 "$det_cache/image-root.log" >&2; die "apt-get download failed; apt-get update may help"; }
  mv "$new"/*.deb "$archives"
  rm -rf "$new"
}
locked debs download_archives

mkdir -p "$out"/usr/{bin,sbin,lib,lib64} "$out"/{etc,tmp,run,proc,sys,dev,var/lib/dpkg/status.d}
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$out/$folder"; done
for archive in "${chosen[@]}"; do
  dpkg-deb --fsys-tarfile "$archive" | tar -x --keep-directory-symlink --no-same-owner -C "$out" \
    --exclude './usr/share/doc/*/[!c]*' --exclude './usr/share/man' --exclude './usr/share/locale' --exclude './usr/share/lintian'
  dpkg-deb -f "$archive" > "$out/var/lib/dpkg/status.d/$(dpkg-deb -f "$archive" Package)"
done
# Programs of the packages are not for this image; only the dynamic loader is needed.
find "$out/usr/bin" "$out/usr/sbin" -mindepth 1 -delete

rm -rf "$out/etc/update-motd.d" "$out/usr/share/base-files"

wheels=$det_cache/wheels-$(sha256sum "$det_root/container/wheels" | cut -c1-12)
download_wheels() {
  [ ! -d "$wheels" ] || return 0
  python3 -m pip --version > /dev/null 2>&1 || apt_install python3 python3-pip
  rm -rf "$wheels.new"
  python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary :all: -d "$wheels.new" -r "$det_root/container/wheels" ||
    die "pip download of container/wheels failed"
  mv -T "$wheels.new" "$wheels"
}
locked wheels download_wheels
install -d -m 755 "$out/usr/share/det-operator/wheels"
install -m 644 "$wheels"/*.whl "$out/usr/share/det-operator/wheels"

# What the packages' scripts would have made.
mkdir -p "$out/etc/ssl/certs"
cat "$out"/usr/share/ca-certificates/mozilla/*.crt > "$out/etc/ssl/certs/ca-certificates.crt"
printf 'root:x:0:0:root:/:/usr/sbin/nologin\ndet:x:65532:65532:det-operator:/tmp:/usr/sbin/nologin\n' > "$out/etc/passwd"
printf 'root:x:0:\ndet:x:65532:\n' > "$out/etc/group"
mkdir -p "$out/var/run/secrets/kubernetes.io/serviceaccount" "$out"/etc/det-operator/{secrets,tls,db} 2>/dev/null || true
: > "$out/etc/det-operator/master.yaml" # a mount point
install -m 755 "$program" "$out/usr/bin/det-operator"
if [ -n "$ui" ]; then
  install -d -m 755 "$out/usr/share/det-operator"
  cp -r --no-preserve=mode,ownership "$ui" "$out/usr/share/det-operator/ui"
fi
chmod 1777 "$out/tmp"
say "$(du -sh "$out" | cut -f1) in $out, $(ls "$out/var/lib/dpkg/status.d" | wc -l) packages"
