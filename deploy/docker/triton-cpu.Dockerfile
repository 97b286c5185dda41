# syntax=docker/dockerfile:1
# Triton Inference Server for CPU, out of the nvidia-pytriton wheel: Python backend only, x86-64.
# docker build -f deploy/docker/triton-cpu.Dockerfile -t openwork/triton-cpu .      Weights are mounted at /models.
# made: bases (`make manifests`, from deploy/docker/bases.env)
ARG PYTHON_IMAGE=python:3.11-slim-bookworm
ARG UV_IMAGE=ghcr.io/astral-sh/uv:0.13
# end: bases

FROM ${UV_IMAGE} AS uv

FROM ${PYTHON_IMAGE} AS build
COPY --from=uv /uv /usr/local/bin/uv
ENV UV_PYTHON_DOWNLOADS=never UV_LINK_MODE=copy UV_COMPILE_BYTECODE=1 UV_NO_CACHE=1
COPY requirements/triton.txt /build/requirements.txt
RUN uv venv --quiet /app && \
    uv pip install --quiet --python /app/bin/python --require-hashes -r /build/requirements.txt && \
    # The server looks for its stub beside the backend; the wheel keeps one per Python version elsewhere.
    root="$(/app/bin/python -c 'import importlib.util, pathlib; print(pathlib.Path(importlib.util.find_spec("pytriton").origin).parent / "tritonserver")')" && \
    cp "$root/python_backend_stubs/$(/app/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')/triton_python_backend_stub" "$root/backends/python/" && \
    ln -s "$root" /app/tritonserver

FROM ${PYTHON_IMAGE} AS runtime
COPY --from=build /app /app
COPY triton_models/ /triton_models/
COPY deploy/triton/serve_cpu.sh /app/bin/serve
COPY deploy/triton/probe.py /app/probe.py
# hadolint ignore=DL3064
ENV PATH=/app/bin:$PATH \
    LD_LIBRARY_PATH=/usr/local/lib \
    HOME=/tmp \
    OMP_NUM_THREADS=1 \
    TOKENIZERS_PARALLELISM=false \
    OPENWORK_MODELS=/models
ARG VERSION=unknown
ARG REVISION=unknown
ARG INPUTS=unknown
# Podman 4.3 takes labels from its cache whatever their arguments are now; a step that runs something it does not.
RUN : "${VERSION} ${REVISION} ${INPUTS}"
LABEL org.opencontainers.image.title="openwork-triton-cpu" \
      org.opencontainers.image.description="Triton Inference Server with Open Work's models, for CPU" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
USER 10001:10001
WORKDIR /tmp
EXPOSE 8000 8001 8002
HEALTHCHECK --interval=10s --timeout=10s --start-period=120s --retries=3 \
    CMD ["python", "/app/probe.py"]
CMD ["sh", "/app/bin/serve"]
