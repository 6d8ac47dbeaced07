#!/usr/bin/env bash
# Makes the Python environment that trials run in (and the real `det` command line): train-env.sh [full|lean|older]
#   full   determined 0.38.1 with everything it asks for (the default)
#   lean   without the cloud storage SDKs and matplotlib: a third of the download, enough for shared_fs storage
#   older  one environment for each of the harness versions in det_older_versions, beside a full one whose packages they share
# torch is Debian's CPU build, seen through --system-site-packages; the rest is pinned. Prints the folder of the environment.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

python=/usr/bin/python3 # torch is built for this one; another python3 earlier on PATH would not find it
constraints=$det_root/scripts/harness-constraints.txt
lean_set=(tensorboard analytics-python appdirs argcomplete filelock GitPython lomond packaging pathspec pyOpenSSL pytz pyzmq
  ruamel.yaml tabulate termcolor tqdm docker)

# `import torch` succeeds with a numpy it cannot use, so the conversion itself is tried.
check_env() {
  "$1/bin/python" -c '
import numpy, torch, determined, determined.pytorch, torch.utils.tensorboard
torch.from_numpy(numpy.ones(3))
' || die "the environment in $1 does not work; remove it and run this script again"
}

make_env() {
  local venv=$1 variant=$2 stamp=$1/.det-operator.stamp want pip
  want="$variant $("$python" --version) $(sha256sum < "$constraints")"
  stamped "$stamp" "$want" && return 0
  rm -rf "$venv"
  "$python" -m venv --system-site-packages "$venv"
  pip=("$venv/bin/python" -m pip --disable-pip-version-check -q install)
  if [ "$variant" = lean ]; then
    # Debian's own numpy is the one torch was built against.
    "${pip[@]}" --no-deps "determined==$det_version"
    say "pip may list the packages that the lean environment leaves out; that is no error"
    "${pip[@]}" -c <(grep -v '^numpy==' "$constraints") "${lean_set[@]}"
  else
    "${pip[@]}" -c "$constraints" "determined==$det_version" tensorboard numpy
  fi
  check_env "$venv"
  printf '%s' "$want" > "$stamp"
}

# Older harnesses run on what 0.38.1 asks for: their environments are hard links to its packages, with another `determined`.
make_older_env() {
  local version=$1 venv=$det_cache/venv-determined-$1 stamp want site=lib/python3.11/site-packages
  stamp=$venv/.det-operator.stamp
  want="$version over $(cat "$det_venv/.det-operator.stamp")"
  stamped "$stamp" "$want" && return 0
  rm -rf "$venv"
  "$python" -m venv --system-site-packages --without-pip "$venv"
  rm -rf "$venv/$site"
  cp -al "$det_venv/$site" "$venv/$site"
  rm -rf "$venv/$site"/determined "$venv/$site"/determined-*.dist-info
  "$venv/bin/python" -m pip --disable-pip-version-check -q install --no-deps "determined==$version"
  check_env "$venv"
  printf '%s' "$want" > "$stamp"
}

variant=${1:-full}
case $variant in
  full | older) venv=$det_venv ;;
  lean) venv=$det_venv-lean ;;
  *) die "unknown variant '$variant': full, lean or older" ;;
esac
"$det_root/scripts/install-deps.sh" train
locked "$(basename "$venv")" make_env "$venv" "${variant/older/full}"
if [ "$variant" = older ]; then
  for version in "${det_older_versions[@]}"; do locked "venv-determined-$version" make_older_env "$version"; done
fi
printf '%s\n' "$venv"
