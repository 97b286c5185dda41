#!/bin/bash
# The whole system on this machine: in containers where an engine answers, else as processes (`openwork up`).
# usage: scripts/up.sh [up|build|down|erase|mode]   down keeps the runs; erase removes them too; mode says which it would be
#        OPENWORK_UP=local|containers         decides instead of looking
#        OPENWORK_OVERLAYS="observability"    of deploy/compose/; empty = none
set -euo pipefail
cd "$(dirname "$0")/.."

compose() {
  local files=(-f docker-compose.yml) overlay
  for overlay in ${OPENWORK_OVERLAYS-observability}; do files+=(-f "deploy/compose/$overlay.yml"); done
  if docker compose version >/dev/null 2>&1; then docker compose "${files[@]}" "$@"
  else docker-compose "${files[@]}" "$@"; fi
}

mode() {
  if [ -n "${OPENWORK_UP:-}" ]; then echo "$OPENWORK_UP"
  elif docker info >/dev/null 2>&1 && { docker compose version || docker-compose version; } >/dev/null 2>&1; then echo containers
  else echo local; fi
}

greet() {
  local port=${OPENWORK_NATS_PORT:-4222}
  echo
  echo "web app    http://127.0.0.1:${OPENWORK_API_PORT:-8000}"
  echo "NATS       nats://127.0.0.1:$port"
  case " ${OPENWORK_OVERLAYS-observability} " in
    *" observability "*) echo "traces     http://127.0.0.1:${OPENWORK_PHOENIX_PORT:-6006}   (Phoenix takes a minute to start)" ;;
  esac
  echo "ask        .venv/bin/openwork ask --server nats://127.0.0.1:$port \"Does apixaban cause less bleeding than warfarin?\""
  echo "any client nats -s nats://127.0.0.1:$port req openwork.ask '{\"question\": \"...\"}'"
  echo "stop       make down     (the runs are kept; make erase removes them)"
}

case ${1:-up} in
  mode) mode ;;
  up)
    if [ "$(mode)" = local ]; then
      echo "no container engine answers: running as processes on this machine (OPENWORK_UP=containers to insist)"
      exec .venv/bin/openwork up ${ARGS:-}
    fi
    services=$(compose config --services | grep -v '^\(phoenix\|topology\)$')
    compose up --detach --build topology
    # Phoenix is not waited for: answers do not depend on it.
    # shellcheck disable=SC2086
    compose up --detach --build --wait --wait-timeout 180 $services
    case " ${OPENWORK_OVERLAYS-observability} " in *" observability "*) compose up --detach --build phoenix ;; esac
    greet ;;
  build) compose build ;;
  down) [ "$(mode)" = local ] || compose down ;;
  erase) [ "$(mode)" = local ] || compose down --volumes ;;
  *) sed -n 2,5p "$0"; exit 2 ;;
esac
