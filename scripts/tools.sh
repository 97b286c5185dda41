#!/bin/bash
# Make .tools-venv: what checks images, manifests, workflows and what we depend on, apart from the services' environment.
# usage: scripts/tools.sh [path of uv]        about 520 MB; nothing is installed elsewhere.
set -euo pipefail
cd "$(dirname "$0")/.."
uv=${1:-uv}
cmp -s requirements/tools.txt .tools-venv/.made-of && exit 0
"$uv" venv -q --allow-existing --python .venv/bin/python .tools-venv
"$uv" pip install -q --python .tools-venv/bin/python --require-hashes -r requirements/tools.txt
cp requirements/tools.txt .tools-venv/.made-of
