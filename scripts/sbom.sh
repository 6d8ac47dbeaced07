#!/usr/bin/env bash
# Bill of materials of an image's root file system: sbom.sh --root DIR [--format spdx|cyclonedx]
# Reads the control files that scripts/image-root.sh left in var/lib/dpkg/status.d; writes JSON to stdout (SPDX 2.3 or
# CycloneDX 1.5). The same root gives the same text: the time is that of the newest file of the packages, or SOURCE_DATE_EPOCH.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

root='' format=spdx
while [ $# -gt 0 ]; do
  case $1 in
    --root) root=$2; shift 2 ;;
    --format) format=$2; shift 2 ;;
    *) die "unknown option $1" ;;
  esac
done
[ -d "$root/var/lib/dpkg/status.d" ] || die "--root: $root is no root file system made by scripts/image-root.sh"
case $format in spdx | cyclonedx) ;; *) die "--format: '$format' is none of spdx, cyclonedx" ;; esac
have python3 || apt_install python3
exec python3 "$det_root/scripts/tools/sbom.py" "$root" "$format"
