# syntax=docker/dockerfile:1
# NVIDIA's Triton with our models' configs and the tokenizer that they import. Never built nor run by us: it needs
# nvcr.io and a GPU. docker build -f deploy/docker/triton-gpu.Dockerfile -t openwork/triton-gpu .
ARG TRITON_IMAGE=nvcr.io/nvidia/tritonserver:25.08-py3

FROM ${TRITON_IMAGE} AS runtime
# Python 3.12 of that image; numpy is in it.
COPY requirements/triton-gpu.txt /opt/openwork/requirements.txt
RUN pip install --no-cache-dir --require-hashes --requirement /opt/openwork/requirements.txt
COPY triton_models/ /triton_models/
COPY deploy/triton/probe.py deploy/triton/fetch_weights.py /opt/openwork/
# hadolint ignore=DL3064
ENV HOME=/tmp \
    TOKENIZERS_PARALLELISM=false \
    OPENWORK_MODELS=/models
LABEL org.opencontainers.image.title="openwork-triton-gpu" \
      org.opencontainers.image.description="Triton Inference Server with Open Work's models, for NVIDIA GPUs" \
      org.opencontainers.image.licenses="Apache-2.0"
USER 10001:10001
WORKDIR /tmp
EXPOSE 8000 8001 8002
HEALTHCHECK --interval=15s --timeout=10s --start-period=900s --retries=3 \
    CMD ["python3", "/opt/openwork/probe.py", "reranker"]
CMD ["tritonserver", "--model-repository=/triton_models", "--model-control-mode=explicit", "--load-model=reranker", "--cache-config=local,size=67108864", "--exit-timeout-secs=30"]
