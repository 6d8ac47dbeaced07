#!/usr/bin/env bash
# Packages of a release build: package.sh [wheel|deb|oci|chart|all]... --out DIR
#   wheel   for `pip install`: programs, their libraries, PostgreSQL and bubblewrap; for the glibc of this machine and later
#   deb     for this release of Debian; starts nothing
#   oci     the operator's image as an OCI layout, det-operator-VERSION.oci/: what container/Containerfile says, without a container engine
#   chart   the Helm chart as an archive
# The programs are those of build/bin (scripts/build.sh), or of DET_BUILD/bin. The same programs on the same machine give the same bytes:
# times are that of the last commit, or SOURCE_DATE_EPOCH. Leaves SHA256SUMS beside the packages. Nothing is published.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
umask 022

kinds=() out=''
while [ $# -gt 0 ]; do
  case $1 in
    --out) out=${2:-}; shift 2 ;;
    wheel | deb | oci | chart) kinds+=("$1"); shift ;;
    all) kinds+=(wheel deb oci chart); shift ;;
    *) die "unknown argument '$1': wheel, deb, oci, chart or all, and --out DIR" ;;
  esac
done
[ -n "$out" ] || die "usage: package.sh [wheel|deb|oci|chart|all]... --out DIR"
[ ${#kinds[@]} -gt 0 ] || kinds=(wheel deb oci chart)
mkdir -p "$out"
out=$(cd "$out" && pwd)
build=$(cd "${DET_BUILD:-$det_root/build}" && pwd)
for name in det det-operator; do [ -x "$build/bin/$name" ] || die "$build/bin/$name is missing: run scripts/build.sh"; done

# The version is that of CMakeLists.txt; programs and chart have to say the same.
version=$(sed -n 's/^project(det-operator VERSION \([0-9.]*\) .*/\1/p' "$det_root/CMakeLists.txt")
[ "$("$build/bin/det-operator" --version)" = "det-operator $version" ] || die "$build/bin/det-operator is not version $version"
[[ $("$build/bin/det" --version) == "det $version "* ]] || die "$build/bin/det is not version $version"
grep -qx "version: $version" "$det_root/helm/det-operator/Chart.yaml" || die "helm/det-operator/Chart.yaml is not version $version"
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
  SOURCE_DATE_EPOCH=$(git -C "$det_root" -c safe.directory='*' log -1 --format=%ct 2>/dev/null || stat -c %Y "$det_root/CHANGELOG.md")
fi
export SOURCE_DATE_EPOCH

"$det_root/scripts/install-deps.sh" run package
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
for name in det det-operator; do strip --strip-unneeded -o "$work/bin/$name" "$build/bin/$name"; done
tools=$det_root/scripts/package
ui=()
if [ -d "$det_root/webui" ]; then
  [ -f "$build/ui/index.html" ] || die "$build/ui is missing: run scripts/web-page.sh"
  ui=(--ui "$build/ui")
fi

wheel() { /usr/bin/python3 "$tools/wheel.py" --programs "$work/bin" "${ui[@]}" --version "$version" --epoch "$SOURCE_DATE_EPOCH" --out "$out" >&2; }
deb() { "$tools/deb.sh" --programs "$work/bin" "${ui[@]}" --version "$version" --out "$out" >&2; }
oci() {
  local root=$work/image
  "$det_root/scripts/image-root.sh" --out "$root" --program "$work/bin/det-operator" "${ui[@]}"
  "$det_root/scripts/sbom.sh" --root "$root" --format spdx > "$root/usr/share/det-operator.spdx.json"
  /usr/bin/python3 "$tools/oci.py" --root "$root" --containerfile "$det_root/container/Containerfile" --tag "$version" \
    --epoch "$SOURCE_DATE_EPOCH" --out "$out/det-operator-$version.oci" >&2
}
chart() {
  "$det_root/scripts/build-tools.sh" helm > /dev/null
  "$det_tools/helm" package "$det_root/helm/det-operator" --destination "$work" > /dev/null
  /usr/bin/python3 "$tools/plain_archive.py" "$work/det-operator-$version.tgz" "$out/det-operator-$version.tgz" "$SOURCE_DATE_EPOCH"
}
for kind in "${kinds[@]}"; do phase "$kind" "$kind"; done

cd "$out"
find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' sha256sum > SHA256SUMS
phase_summary
ls -d "$out"/*
