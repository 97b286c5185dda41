#!/bin/bash
# The whole system on this machine: in containers where an engine answers, else as processes (`openwork up`).
# usage: scripts/up.sh [up|build|scale|compose|down|erase|mode]
#   up                    builds the images whose content changed, starts what is not running; keeps what `scale` asked for
#   scale NAME=N ...      so many containers of it, e.g. scale reranker=2; all else stays as it is
#   compose ...           any command of docker compose on the same files, e.g. compose logs -f gateway
#   down, erase           stops; the runs are kept, or removed too      mode: which of the two it would be
#   OPENWORK_OVERLAYS="observability secured"   of deploy/compose/; "" = none. Kept in .env as COMPOSE_FILE until others
#                                               are asked for; where none ever were, observability
#   OPENWORK_UP=local|containers                decides instead of looking
set -euo pipefail
cd "$(dirname "$0")/.."
export COMPOSE_PATH_SEPARATOR=:
project=${COMPOSE_PROJECT_NAME:-openwork}

compose() { # on the files of COMPOSE_FILE
  if docker compose version >/dev/null 2>&1; then docker compose "$@"; else docker-compose "$@"; fi
}

mode() {
  if [ -n "${OPENWORK_UP:-}" ]; then echo "$OPENWORK_UP"
  elif docker info >/dev/null 2>&1 && { docker compose version || docker-compose version; } >/dev/null 2>&1; then echo containers
  else echo local; fi
}

of_overlays() { # the files as COMPOSE_FILE has them
  local files=docker-compose.yml overlay
  for overlay in "$@"; do files+=:deploy/compose/$overlay.yml; done
  echo "$files"
}

of_the_running() { # the files that the newest container was started with: those of this checkout, wherever they lay then
  docker ps --all --filter "label=com.docker.compose.project=$project" \
    --format '{{.Label "com.docker.compose.project.config_files"}}' | head -n 1 | tr , '\n' |
    sed -e 's|.*/\(docker-compose\.yml\)$|\1|' -e 's|.*/\(deploy/compose/[^/]*\)$|\1|' | paste -s -d :
}

remembered() { [ ! -f .env ] || sed -n 's/^COMPOSE_FILE=//p' .env | tail -n 1 | tr -d \"\'; }

# Plain `docker compose` in this folder takes the same files: with others it would take tracing or passwords away again.
remember() {
  [ "$(remembered)" != "$1" ] || return 0
  local rest
  rest=$([ ! -f .env ] || grep -v '^COMPOSE_FILE=' .env || true)
  (umask 077; { [ -z "$rest" ] || echo "$rest"; echo "COMPOSE_FILE=$1"; } >.env.new)
  [ ! -f .env ] || chmod --reference=.env .env.new
  mv .env.new .env
}

choose_files() { # sets COMPOSE_FILE: what was asked for, else what runs or was kept, else with traces
  if [ -n "${OPENWORK_OVERLAYS+set}" ]; then
    # shellcheck disable=SC2086
    COMPOSE_FILE=$(of_overlays $OPENWORK_OVERLAYS)
  elif [ -z "${COMPOSE_FILE:-}" ]; then
    COMPOSE_FILE=$(if [ "$1" = up ]; then remembered; else of_the_running; fi)
    [ -n "$COMPOSE_FILE" ] || COMPOSE_FILE=$(if [ "$1" = up ]; then of_the_running; else remembered; fi)
    [ -n "$COMPOSE_FILE" ] || COMPOSE_FILE=$(of_overlays observability)
  else
    export COMPOSE_FILE
    return
  fi
  export COMPOSE_FILE
  [ "$1" != up ] || remember "$COMPOSE_FILE"
}

revision() { # of the label that says what an image was built from
  local commit
  commit=$(git rev-parse HEAD 2>/dev/null) || { echo unknown; return; }
  if [ -n "$(git status --porcelain)" ]; then commit+=-dirty; fi
  echo "$commit"
}

build() { # the images that are missing or were made of something else, each once
  local work changed
  OPENWORK_REVISION=${OPENWORK_REVISION:-$(revision)}
  export OPENWORK_REVISION
  work=$(mktemp -d)
  compose config --format json >"$work/config.json"
  .venv/bin/python -m deploy.supply.inputs --labels "$work/labels.json" <"$work/config.json" >"$work/changed"
  changed=$(paste -s -d ' ' "$work/changed")
  if [ -z "$changed" ]; then echo "images: nothing to build"
  else
    echo "images to build: $changed"
    # Without BuildKit one after another: each would make the stages that they share, and Podman 4.3 dies of many at once.
    if [ "${DOCKER_BUILDKIT:-}" = 0 ]; then export COMPOSE_PARALLEL_LIMIT=${COMPOSE_PARALLEL_LIMIT:-1}; fi
    # shellcheck disable=SC2086
    COMPOSE_FILE="$COMPOSE_FILE:$work/labels.json" compose build "$@" $changed
  fi
  rm -r "$work"
}

remove_outdated() { # containers that are not what the files and the images say now; `up` makes them anew, in their order
  local work outdated
  work=$(mktemp -d)
  compose config --format json >"$work/config.json"
  compose config --hash '*' >"$work/hashes"
  outdated=$(.venv/bin/python -m deploy.supply.running --project "$project" --hashes "$work/hashes" <"$work/config.json" | paste -s -d ' ')
  rm -r "$work"
  [ -n "$outdated" ] || return 0
  echo "containers to be replaced: $outdated"
  # shellcheck disable=SC2086
  compose rm --stop --force $outdated
}

counts() { # --scale for every service that runs more than once: `up` would take it back to one
  docker ps --filter "label=com.docker.compose.project=$project" --filter "label=com.docker.compose.oneoff=False" \
    --format '{{.Label "com.docker.compose.service"}}' | sort | uniq -c |
    while read -r number service; do if [ "$number" -gt 1 ]; then printf -- '--scale %s=%s ' "$service" "$number"; fi; done
}

traced() { [[ $COMPOSE_FILE == *observability.yml* ]]; }

up() {
  local services numbers
  build
  services=$(compose config --services | grep -v '^\(phoenix\|topology\|nats-volume\)$') # the last two are jobs, which end
  numbers=$(counts)
  remove_outdated
  compose up --detach --no-build --no-recreate topology
  # Phoenix is not waited for: answers do not depend on it.
  # shellcheck disable=SC2086
  compose up --detach --no-build --no-recreate --wait --wait-timeout 180 $numbers $services
  ! traced || compose up --detach --no-build --no-recreate phoenix
}

scale() { # NAME=N ...: those services alone, and none of their containers made anew
  local one flags=() names=()
  for one in "$@"; do
    [[ $one =~ ^[a-z][a-z-]*=[0-9]+$ ]] || { echo "not NAME=N: $one" >&2; exit 2; }
    flags+=(--scale "$one")
    names+=("${one%=*}")
  done
  compose up --detach --no-build --no-recreate --no-deps "${flags[@]}" "${names[@]}"
}

setting() { # as Compose has it: the environment goes before .env
  local kept
  kept=$([ ! -f .env ] || sed -n "s/^$1=//p" .env | tail -n 1 | tr -d \"\')
  echo "${!1:-${kept:-$2}}"
}

greet() {
  local port
  port=$(setting OPENWORK_NATS_PORT 4222)
  echo
  echo "files      $COMPOSE_FILE"
  echo "web app    http://127.0.0.1:$(setting OPENWORK_API_PORT 8000)"
  echo "NATS       nats://127.0.0.1:$port"
  ! traced || echo "traces     http://127.0.0.1:$(setting OPENWORK_PHOENIX_PORT 6006)   (Phoenix takes a minute to start)"
  echo "ask        .venv/bin/openwork ask --server nats://127.0.0.1:$port \"Does apixaban cause less bleeding than warfarin?\""
  echo "any client nats -s nats://127.0.0.1:$port req openwork.ask '{\"question\": \"...\"}'"
  echo "more       make scale ARGS=\"reranker=2\""
  echo "stop       make down     (the runs are kept; make erase removes them)"
}

usage() { sed -n 3,10p "$0"; exit 2; }

verb=${1:-up}
[ $# = 0 ] || shift
case $verb in
  mode) mode ;;
  up)
    if [ "$(mode)" = local ]; then
      echo "no container engine answers: running as processes on this machine (OPENWORK_UP=containers to insist)"
      # shellcheck disable=SC2086
      exec .venv/bin/openwork up ${ARGS:-}
    fi
    choose_files up
    up
    greet ;;
  build) choose_files build; build "$@" ;;
  scale)
    [ $# -gt 0 ] || usage
    choose_files scale
    scale "$@" ;;
  compose)
    [ $# -gt 0 ] || usage
    choose_files compose
    compose "$@" ;;
  down) [ "$(mode)" = local ] || { choose_files down; compose down "$@"; } ;;
  erase) [ "$(mode)" = local ] || { choose_files erase; compose down --volumes "$@"; } ;;
  *) usage ;;
esac
