# syntax=docker/dockerfile:1
# Phoenix from its pinned wheels: docker build -f deploy/docker/phoenix.Dockerfile -t openwork/phoenix .
# made: bases (`make manifests`, from deploy/docker/bases.env)
ARG PYTHON_IMAGE=python:3.11-slim-bookworm
ARG UV_IMAGE=ghcr.io/astral-sh/uv:0.13
# end: bases

FROM ${UV_IMAGE} AS uv

FROM ${PYTHON_IMAGE} AS build
COPY --from=uv /uv /usr/local/bin/uv
ENV UV_PYTHON_DOWNLOADS=never UV_LINK_MODE=copy UV_COMPILE_BYTECODE=1 UV_NO_CACHE=1
COPY requirements/phoenix.txt /build/requirements.txt
RUN uv venv --quiet /app && \
    uv pip install --quiet --python /app/bin/python --require-hashes -r /build/requirements.txt

FROM ${PYTHON_IMAGE} AS runtime
COPY --from=build /app /app
RUN mkdir /data && chown 10001:10001 /data
# What it would otherwise do by itself: report usage, load scripts from elsewhere, run an assistant and an MCP server.
ENV PATH=/app/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    HOME=/tmp \
    PHOENIX_WORKING_DIR=/data \
    PHOENIX_HOST=0.0.0.0 \
    PHOENIX_PORT=6006 \
    PHOENIX_TELEMETRY_ENABLED=false \
    PHOENIX_ALLOW_EXTERNAL_RESOURCES=false \
    PHOENIX_DISABLE_AGENT_ASSISTANT=true \
    PHOENIX_ALLOWED_SANDBOX_PROVIDERS=NONE \
    PHOENIX_ENABLE_MCP_SERVER=false \
    PHOENIX_DEFAULT_RETENTION_POLICY_DAYS=14
ARG VERSION=unknown
ARG REVISION=unknown
ARG INPUTS=unknown
# Podman 4.3 takes labels from its cache whatever their arguments are now; a step that runs something it does not.
RUN : "${VERSION} ${REVISION} ${INPUTS}"
LABEL org.opencontainers.image.title="openwork-phoenix" \
      org.opencontainers.image.description="Arize Phoenix, which shows Open Work's traces" \
      org.opencontainers.image.licenses="Elastic-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
USER 10001:10001
WORKDIR /tmp
EXPOSE 6006
HEALTHCHECK --interval=15s --timeout=5s --start-period=180s --retries=5 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:6006/healthz', timeout=4)"]
CMD ["phoenix", "serve"]
