#!/usr/bin/env bash
# Makes the Python environment of the S3 server that checkpoints are tested with, pinned. Prints the folder of the environment.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

constraints=$det_root/scripts/s3-constraints.txt
venv=$det_cache/venv-s3

make_env() {
  local stamp=$venv/.det-operator.stamp want
  want="$(/usr/bin/python3 --version) $(sha256sum < "$constraints")"
  stamped "$stamp" "$want" && return 0
  rm -rf "$venv"
  /usr/bin/python3 -m venv "$venv"
  "$venv/bin/python" -m pip --disable-pip-version-check -q install -c "$constraints" 'moto[server,s3]'
  printf '%s' "$want" > "$stamp"
}

"$det_root/scripts/install-deps.sh" tools
locked venv-s3 make_env
printf '%s\n' "$venv"
