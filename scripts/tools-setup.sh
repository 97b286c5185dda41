#!/bin/bash
# Make .tools-venv: what checks images, the Compose file, the chart and manifests, apart from the services' environment.
# usage: scripts/tools-setup.sh [path of uv]
set -euo pipefail
uv=${1:-uv}
cd "$(dirname "$0")/.."
pins=requirements/tools.txt
if ! cmp -s "$pins" .tools-venv/.made-of; then
  "$uv" venv -q --allow-existing --python .venv/bin/python .tools-venv
  "$uv" pip install -q --python .tools-venv/bin/python --require-hashes -r "$pins"
  cp "$pins" .tools-venv/.made-of
fi
