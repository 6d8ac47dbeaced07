#!/usr/bin/env bash
# Makes the Python environment that notebooks are tested in: JupyterLab and a kernel, pinned, without anything of Determined's.
# Prints the folder of the environment.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

constraints=$det_root/scripts/notebook-constraints.txt
venv=$det_cache/venv-jupyterlab

make_env() {
  local stamp=$venv/.det-operator.stamp want
  want="$(/usr/bin/python3 --version) $(sha256sum < "$constraints")"
  stamped "$stamp" "$want" && return 0
  rm -rf "$venv"
  /usr/bin/python3 -m venv "$venv"
  "$venv/bin/python" -m pip --disable-pip-version-check -q install -c "$constraints" jupyterlab ipykernel
  printf '%s' "$want" > "$stamp"
}

"$det_root/scripts/install-deps.sh" tools
locked venv-jupyterlab make_env
printf '%s\n' "$venv"
