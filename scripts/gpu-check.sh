#!/bin/bash
# For a machine with a GPU: does Triton start there, are its scores PyTorch's, how fast is it. Prints one table and writes
# gpu-check.json. Takes about half an hour and 20 GB of disk the first time; nothing leaves the machine.
# usage: scripts/gpu-check.sh [--cpu-rehearsal] [--image IMAGE] [--configs fp16,tensorrt,fp32] [--original NAME] [--help]
#        --cpu-rehearsal   all of it with a tiny model on a CPU: everything but the GPU's backend (two minutes)
set -euo pipefail
cd "$(dirname "$0")/.."
case " $* " in *" --help "* | *" -h "*) sed -n 2,5p "$0"; exit ;; esac
make --no-print-directory setup >/dev/null
uv=$(command -v uv || echo .venv-tools/bin/uv)
bash scripts/export-setup.sh "$uv"
"$uv" pip install -q --python .venv/bin/python --require-hashes -r requirements/reranker-triton.txt
case " $* " in
  *" --image "*) ;;
  *" --cpu-rehearsal "*) bash scripts/triton-setup.sh "$uv" ;;
  *)
    if command -v tritonserver >/dev/null; then
      python3 -c 'import tokenizers' 2>/dev/null || python3 -m pip install -q --require-hashes -r requirements/triton-gpu.txt
    elif command -v docker >/dev/null; then
      docker build -q -f deploy/docker/triton-gpu.Dockerfile -t localhost/openwork/triton-gpu:0.1.0 . >/dev/null
    fi ;;
esac
exec .venv/bin/python -m deploy.triton.gpu_check "$@"
