#!/bin/sh
# Start tritonserver on the GPU's models, with the weights that lie below $OPENWORK_MODELS (/models/weights).
#   OPENWORK_TRITON_CONFIG    another config than config.pbtxt (onnxruntime, CUDA, FP16): tensorrt or fp32
#   OPENWORK_MODEL_CONFIGS    the repository without weights (/triton_models)
set -eu
config=${OPENWORK_TRITON_CONFIG:-}
repository=${TMPDIR:-/tmp}/openwork-repository
python3 "$(dirname "$0")/assemble.py" "${OPENWORK_MODEL_CONFIGS:-/triton_models}" "${OPENWORK_MODELS:-/models/weights}" \
  "$repository" ${config:+--config-name "$config"}
exec tritonserver --model-repository="$repository" ${config:+--model-config-name="$config"} \
  --model-control-mode=explicit --load-model=reranker --cache-config=local,size=67108864 --exit-timeout-secs=30 "$@"
