#!/bin/bash
# What we build on and hand out. usage: scripts/supply.sh [secrets|audit|sbom] [path of uv]
#   secrets   looks for keys and passwords in the files and in every commit
#   audit     asks which vulnerabilities are known of the pins and of the images; 3 = it could not ask about everything
#   sbom      lists of parts and of licences, in out/sbom; fails on a licence that deploy/supply/licences.toml does not let be
# In CI (OPENWORK_CI_LEFT_OUT is a file) what could not be asked is kept for the end; OPENWORK_CI_AUDIT=yes fails instead.
set -euo pipefail
cd "$(dirname "$0")/.."
verb=${1:-}
bash scripts/tools.sh "${2:-uv}"
# shellcheck source=scripts/engine.sh
. scripts/engine.sh
trap leave_engine EXIT

our_images() { # that were built by scripts/up.sh here
  docker images --filter label=dev.openwork.inputs --format '{{.Repository}}:{{.Tag}}' | grep -v '<none>' | sort -u
}

build_images() {
  COMPOSE_PROFILES=cpu OPENWORK_OVERLAYS=observability scripts/up.sh build >"$engine_log" 2>&1 ||
    { tail -n 30 "$engine_log"; exit 1; }
}

not_all() { # what, why: a failure, but in CI where nobody insists
  if [ -n "${OPENWORK_CI_LEFT_OUT:-}" ] && [ "${OPENWORK_CI_AUDIT:-}" != yes ]; then leave_out "$1" "$2"; exit 0; fi
  exit 3
}

case $verb in
  secrets)
    status=0
    .venv/bin/python -m deploy.supply.leaks || status=$?
    [ $status != 3 ] || not_all "secrets in the history" "a shallow clone"
    exit $status ;;
  audit)
    status=0 images=() missing=()
    if find_engine; then
      # Where everything has to be asked about, the images have to be there.
      if [ "${OPENWORK_CI_AUDIT:-}" = yes ]; then build_images; fi
      mapfile -t images < <(our_images || true)
    else missing+=("images: $why"); fi
    [ -n "${images[*]}${missing[*]}" ] || missing+=("images: none was built here (make images)")
    .venv/bin/python -m deploy.supply.audit --images "${images[@]}" --not-asked "${missing[@]}" || status=$?
    [ $status != 3 ] || not_all "known vulnerabilities" "not everything could be asked, see above"
    exit $status ;;
  sbom)
    images=()
    if find_engine; then
      build_images
      mapfile -t images < <(our_images)
    else
      leave_out "lists of parts of the images" "$why"
    fi
    .venv/bin/python -m deploy.supply.sbom --images "${images[@]}"
    .venv/bin/python -m deploy.supply.licences ;;
  *) sed -n 3,6p "$0"; exit 2 ;;
esac
