#!/usr/bin/env bash
# Makes the Python environment of the OpenID Connect provider that signing in is tested with, pinned. Prints its folder.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

"$det_root/scripts/install-deps.sh" tools
pinned_env venv-sign-in sign-in-constraints.txt oidc-provider-mock
