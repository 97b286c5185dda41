# syntax=docker/dockerfile:1
# One recipe for every service: docker build -f deploy/docker/service.Dockerfile --build-arg SERVICE=query -t openwork/query .
# The job that makes streams and consumers: --build-arg SERVICE=gateway --target topology -t openwork/topology .
# VERSION and REVISION become labels; scripts/up.sh and the release give them.
# made: bases (`make manifests`, from deploy/docker/bases.env)
ARG PYTHON_IMAGE=python:3.11-slim-bookworm
ARG UV_IMAGE=ghcr.io/astral-sh/uv:0.13
# end: bases

FROM ${UV_IMAGE} AS uv

# What is the same for all images, built once: the build backend, which enters none of them ...
FROM ${PYTHON_IMAGE} AS backend
COPY --from=uv /uv /usr/local/bin/uv
ENV UV_PYTHON_DOWNLOADS=never UV_LINK_MODE=copy UV_COMPILE_BYTECODE=1 UV_NO_CACHE=1
WORKDIR /build
COPY requirements/build.txt ./
RUN uv venv --quiet /build/backend && \
    uv pip install --quiet --python /build/backend/bin/python --require-hashes -r build.txt

# ... and the wheels of our libraries.
FROM backend AS libraries
COPY contracts/ ./contracts/
COPY packages/ ./packages/
RUN for package in contracts packages/*; do \
      env -C "$package" /build/backend/bin/python -m hatchling build --target wheel --directory /build/wheels || exit 1; \
    done

# One service: first its pins, which change least.
FROM backend AS build
RUN uv venv --quiet /app
ARG SERVICE
# Another list of pins than the service's own, e.g. reranker-triton.
ARG REQUIREMENTS=${SERVICE}
COPY requirements/${REQUIREMENTS}.txt ./requirements.txt
RUN uv pip install --quiet --python /app/bin/python --require-hashes -r requirements.txt
COPY --from=libraries /build/wheels ./wheels
COPY services/${SERVICE}/ ./services/${SERVICE}/
RUN env -C "services/${SERVICE}" /build/backend/bin/python -m hatchling build --target wheel --directory /build/wheels && \
    uv pip install --quiet --python /app/bin/python --no-deps /build/wheels/*.whl && \
    printf '#!/bin/sh\nexec /app/bin/python -m openwork_%s "$@"\n' "${SERVICE}" > /app/bin/service && \
    chmod 0755 /app/bin/service

FROM ${PYTHON_IMAGE} AS runtime
COPY --from=build /app /app
COPY deploy/docker/health.py /app/health.py
# Nothing is written but below /tmp, so that the root file system can be read-only.
ENV PATH=/app/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/tmp \
    OPENWORK_HEALTH_HOST=0.0.0.0 \
    OPENWORK_HEALTH_PORT=8080
USER 10001:10001
WORKDIR /tmp
ARG SERVICE
ARG VERSION=unknown
ARG REVISION=unknown
ARG INPUTS=unknown
# Podman 4.3 takes labels from its cache whatever their arguments are now; a step that runs something it does not.
RUN : "${VERSION} ${REVISION} ${INPUTS}"
LABEL org.opencontainers.image.title="openwork-${SERVICE}" \
      org.opencontainers.image.description="Open Work: the service ${SERVICE}" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# Told by the metric openwork_build_info.
ENV OPENWORK_REVISION=${REVISION}

FROM runtime AS topology
HEALTHCHECK NONE
CMD ["python", "-m", "openwork_bus.topology"]

FROM runtime AS service
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=3 \
    CMD ["python", "-I", "-S", "/app/health.py"]
STOPSIGNAL SIGTERM
CMD ["service"]
