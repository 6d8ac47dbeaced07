#!/usr/bin/env bash
# Makes the Python environment that notebooks are tested in: JupyterLab and a kernel, pinned, without anything of Determined's.
# Prints the folder of the environment.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$det_root/scripts/install-deps.sh" tools
pinned_env venv-jupyterlab notebook-constraints.txt jupyterlab ipykernel
