#!/bin/bash
# The tests in containers: NATS with its real accounts, our images, Compose, Phoenix.
# usage: scripts/test-containers.sh [arguments of pytest]
#   OPENWORK_CI_CONTAINERS=yes   without an engine this fails    =no   it is left out
# Without an engine the tests of the bus and of its accounts run on an embedded nats-server; the others say why they do not run.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/engine.sh
. scripts/engine.sh
trap leave_engine EXIT
if [ "${OPENWORK_CI_CONTAINERS:-}" = no ]; then
  leave_out "tests in containers" "OPENWORK_CI_CONTAINERS=no"
  exit 0
fi
if ! find_engine; then
  if [ "${OPENWORK_CI_CONTAINERS:-}" = yes ]; then echo "$why" >&2; exit 1; fi
  leave_out "tests in containers" "$why"
  export OPENWORK_NO_ENGINE=$why
fi
PATH="$PWD/.tools-venv/bin:$PATH" .venv/bin/pytest tests/containers -m containers "$@"
