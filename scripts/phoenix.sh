#!/bin/bash
# A Phoenix of one's own for traces, on loopback, in an environment of its own (.phoenix-venv, about 625 MB).
# usage: scripts/phoenix.sh [setup|start|stop|status] [path of uv]
#   PHOENIX_PORT (6006), PHOENIX_GRPC_PORT (4317), PHOENIX_WORKING_DIR (~/.local/share/openwork/phoenix)
set -euo pipefail
cd "$(dirname "$0")/.."
uv=${2:-uv}
export PHOENIX_PORT=${PHOENIX_PORT:-6006} PHOENIX_GRPC_PORT=${PHOENIX_GRPC_PORT:-4317} PHOENIX_HOST=127.0.0.1
export PHOENIX_WORKING_DIR=${PHOENIX_WORKING_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/openwork/phoenix}
export PHOENIX_TELEMETRY_ENABLED=false PHOENIX_ALLOW_EXTERNAL_RESOURCES=false PHOENIX_DISABLE_AGENT_ASSISTANT=true
export PHOENIX_ALLOWED_SANDBOX_PROVIDERS=NONE PHOENIX_ENABLE_MCP_SERVER=false PHOENIX_DEFAULT_RETENTION_POLICY_DAYS=14
pidfile=$PHOENIX_WORKING_DIR/phoenix.pid
log=$PHOENIX_WORKING_DIR/phoenix.log
url=http://127.0.0.1:$PHOENIX_PORT

setup() {
  cmp -s requirements/phoenix.txt .phoenix-venv/.made-of && return
  "$uv" venv -q --allow-existing --python .venv/bin/python .phoenix-venv
  "$uv" pip install -q --python .phoenix-venv/bin/python --require-hashes -r requirements/phoenix.txt
  cp requirements/phoenix.txt .phoenix-venv/.made-of
}

# The pid is ours only while its command is Phoenix: a number can be used again.
running() { [ -f "$pidfile" ] && grep -qa phoenix "/proc/$(cat "$pidfile")/cmdline" 2>/dev/null || { [ -f "$pidfile" ] && ps -o command= -p "$(cat "$pidfile")" 2>/dev/null | grep -q phoenix; }; }
answers() { .venv/bin/python -c "import sys, urllib.request; urllib.request.urlopen(sys.argv[1] + '/healthz', timeout=2)" "$url" 2>/dev/null; }

start() {
  setup
  mkdir -p "$PHOENIX_WORKING_DIR"
  if ! running; then
    if answers; then echo "something else answers at $url; choose another PHOENIX_PORT" >&2; exit 1; fi
    nohup .phoenix-venv/bin/phoenix serve >"$log" 2>&1 & echo $! >"$pidfile"
  fi
  for _ in $(seq 180); do
    answers && { status; return; }
    running || { tail -5 "$log" >&2; exit 1; }
    sleep 1
  done
  echo "Phoenix did not answer within three minutes; see $log" >&2
  exit 1
}

status() {
  if running && answers; then
    echo "Phoenix runs at $url (pid $(cat "$pidfile"), log $log)"
    echo "send traces to it:  export OPENWORK_OTLP_ENDPOINT=$url"
  else echo "Phoenix does not run"; return 3; fi
}

stop() {
  running || { rm -f "$pidfile"; echo "Phoenix does not run"; return; }
  local pid; pid=$(cat "$pidfile")
  kill "$pid"
  for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
  kill -9 "$pid" 2>/dev/null || true
  rm -f "$pidfile"
  echo "Phoenix is stopped"
}

case ${1:-start} in
  setup|start|stop|status) "$1" ;;
  *) sed -n 2,4p "$0"; exit 2 ;;
esac
