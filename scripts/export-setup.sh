#!/bin/bash
# Make .export-venv: PyTorch and what exports the cross-encoder with it (about 1.5 GB; 6 GB where pip's PyTorch is the CUDA
# build). The versions are pinned with hashes but for PyTorch's own build, which is the machine's business.
# usage: scripts/export-setup.sh [path of uv]     PIP_INDEX_URL, PIP_EXTRA_INDEX_URL: where another build of PyTorch is
set -euo pipefail
uv=${1:-uv}
cd "$(dirname "$0")/.."
pins=requirements/export.txt
torch=torch==2.13.0
stamp=.export-venv/.made-of
made_of() { cat "$pins"; echo "$torch"; }
if ! made_of | cmp -s - "$stamp"; then
  # With pip and not uv's bare one: pip also finds the builds that its configuration names.
  .venv/bin/python -m venv .export-venv
  "$uv" pip install -q --python .export-venv/bin/python --require-hashes -r "$pins"
  .export-venv/bin/python -m pip install -q --disable-pip-version-check "$torch" 2> >(grep -v '^WARNING: Location' >&2)
  "$uv" pip install -q --python .export-venv/bin/python --no-deps -e services/reranker  # the exporter
  made_of >"$stamp"
fi
