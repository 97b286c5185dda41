# syntax=docker/dockerfile:1
# NVIDIA's Triton with our models' configs and the tokenizer that they import. Never built nor run by us: it needs
# nvcr.io and a GPU. docker build -f deploy/docker/triton-gpu.Dockerfile -t localhost/openwork/triton-gpu .
# made: bases (`make manifests`, from deploy/docker/bases.env)
ARG TRITON_IMAGE=nvcr.io/nvidia/tritonserver:25.08-py3
# end: bases

FROM ${TRITON_IMAGE} AS runtime
# Python 3.12 of that image; numpy is in it.
COPY requirements/triton-gpu.txt /opt/openwork/requirements.txt
RUN pip install --no-cache-dir --require-hashes --requirement /opt/openwork/requirements.txt
# Where TensorRT keeps the engines that it builds: a volume that is new takes this owner over, and is writable.
RUN mkdir -p /var/cache/trt && chown 10001:10001 /var/cache/trt
COPY triton_models/ /triton_models/
COPY deploy/triton/probe.py deploy/triton/fetch_weights.py deploy/triton/assemble.py deploy/triton/serve_gpu.sh /opt/openwork/
# hadolint ignore=DL3064
ENV HOME=/tmp \
    TOKENIZERS_PARALLELISM=false \
    OPENWORK_MODELS=/models/weights
ARG VERSION=unknown
ARG REVISION=unknown
ARG INPUTS=unknown
# Podman 4.3 takes labels from its cache whatever their arguments are now; a step that runs something it does not.
RUN : "${VERSION} ${REVISION} ${INPUTS}"
LABEL org.opencontainers.image.title="openwork-triton-gpu" \
      org.opencontainers.image.description="Triton Inference Server with Open Work's models, for NVIDIA GPUs" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
USER 10001:10001
WORKDIR /tmp
EXPOSE 8000 8001 8002
HEALTHCHECK --interval=15s --timeout=10s --start-period=900s --retries=3 \
    CMD ["python3", "/opt/openwork/probe.py", "reranker"]
CMD ["sh", "/opt/openwork/serve_gpu.sh"]
