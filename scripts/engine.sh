#!/bin/bash
# To be sourced: `find_engine` is true where a container engine answers and builds; else `why` says why not.
# OPENWORK_ENGINE_HELPER names a script that makes an engine on a machine without one: its `setup` does it, its `env` prints
# the variables, its `stop` ends it. `leave_engine` stops what was made.

engine_helper=${OPENWORK_ENGINE_HELPER:-}
engine_log=$(mktemp)
made_engine=

find_engine() {
  why=
  docker info >/dev/null 2>&1 || make_engine
  if [ -n "$why" ]; then return 1; fi
  if ! answers >"$engine_log" 2>&1; then why="no container engine answers: $(tail -n 1 "$engine_log")"; return 1; fi
  # One may answer and still not be able to build: no base image, no package registry within a build.
  if ! printf 'FROM %s\nRUN python3 -m pip download -q --no-deps -d /tmp/x typing-extensions\n' \
    "${PYTHON_IMAGE:-$(sed -n 's/^PYTHON_IMAGE=//p' deploy/docker/bases.env)}" |
    timeout 300 docker build -q - >"$engine_log" 2>&1; then
    why="the engine cannot build an image: $(tail -n 1 "$engine_log")"
    return 1
  fi
}

answers() { # one that was started just now may take a moment
  for _ in $(seq 20); do docker info >"$engine_log" 2>&1 && return; [ -n "$made_engine" ] || break; sleep 0.5; done
  docker info
}

make_engine() {
  if [ ! -f "$engine_helper" ]; then
    why="no container engine answers"
    return
  fi
  eval "$(bash "$engine_helper" env)"
  if ! docker info >/dev/null 2>&1; then # else it runs already, and whoever started it stops it
    if ! timeout 1800 bash "$engine_helper" setup >"$engine_log" 2>&1; then
      why="no container engine answers, and none could be made: $(tail -n 1 "$engine_log")"
      return
    fi
    made_engine=yes
  fi
  # Its stand-ins for the images of others have no digests, and that of the server no version in its tag.
  PYTHON_IMAGE=$(base_image PYTHON_IMAGE) UV_IMAGE=$(base_image UV_IMAGE) NATS_IMAGE=${NATS_IMAGE:-nats:2-alpine}
  export PYTHON_IMAGE UV_IMAGE NATS_IMAGE
}

base_image() { sed -n "s/^$1=\([^@]*\).*/\1/p" deploy/docker/bases.env; }

leave_engine() {
  rm -f "$engine_log"
  [ -z "$made_engine" ] || bash "$engine_helper" stop
}

leave_out() { # what, why: said, and kept for the end of CI
  echo "$1: NOT DONE, $2"
  [ -z "${OPENWORK_CI_LEFT_OUT:-}" ] || echo "$1: $2" >>"$OPENWORK_CI_LEFT_OUT"
}
