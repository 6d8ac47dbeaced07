#!/usr/bin/env bash
# Makes the Python environment of the S3 server that checkpoints are tested with, pinned. Prints the folder of the environment.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$det_root/scripts/install-deps.sh" tools
pinned_env venv-s3 s3-constraints.txt 'moto[server,s3]'
