#!/bin/bash
# Everything about images, Compose, workflows and manifests that can be checked without an engine, a cluster or a network.
# usage: scripts/ci-deploy.sh [path of uv]
set -euo pipefail
cd "$(dirname "$0")/.."
uv=${1:-uv}
tools=.tools-venv/bin
rendered=$(mktemp -d)
trap 'rm -rf "$rendered"' EXIT
say() { echo "--- $*"; }

say "tools"
bash scripts/tools.sh "$uv"

say "generated files are current"
.venv/bin/python -m deploy.generate --check

say "images"
$tools/hadolint deploy/docker/*.Dockerfile
trivy() { $tools/trivy config --quiet --skip-check-update --skip-version-check --exit-code 1 --ignorefile deploy/trivyignore.yaml "$@" 2>&1; }
trivy deploy/docker >"$rendered/trivy.txt" || { cat "$rendered/trivy.txt"; exit 1; }

say "scripts"
$tools/shellcheck --severity=warning --exclude=SC2046 scripts/*.sh deploy/triton/*.sh deploy/nats/*.sh .ci/run

say "workflows"
$tools/zizmor --quiet --offline .github/workflows
$tools/yamllint -d '{extends: relaxed, rules: {line-length: {max: 160}}}' .github
# Knows GitHub's expressions, runners and the inputs of actions; it comes from Go, not from PyPI.
if command -v actionlint >/dev/null; then actionlint; else echo "actionlint is not here: its checks are left out"; fi

say "compose"
( # in a shell of their own: Compose's own development passwords are what is tried below
  export OPENWORK_TAVILY_API_KEY=none OPENWORK_MODEL_PROVIDER=gemini OPENWORK_SEARXNG_SECRET=none
  for user in $(sed -n 's/^users="\(.*\)"/\1/p' scripts/passwords.sh | tr '[:lower:]' '[:upper:]'); do
    export "OPENWORK_NATS_PASSWORD_$user=none"
  done
  for overlay in "" observability offline live-sources scholar language-model secured metrics; do
    $tools/docker-compose -f docker-compose.yml ${overlay:+-f deploy/compose/$overlay.yml} --profile cpu --profile gpu config -q
  done
)
$tools/yamllint -d '{extends: relaxed, rules: {line-length: {max: 220}, commas: disable, braces: disable}}' docker-compose.yml deploy/compose k8s/*.yaml k8s/openwork/*.yaml k8s/openwork/files

say "chart"
.tools-venv/bin/python -m deploy.render --check
.venv/bin/pytest -q tests/unit/deploy/test_chart_values.py
checked() { # rendered manifests: strictly, custom resources by their definitions, and the policies
  echo -n "$(basename "$1"): "
  .venv/bin/python -m deploy.validate --kubernetes-validate $tools/kubernetes-validate "$@" | sed 's/; secrets.*//'
  trivy "$1" >"$rendered/trivy.txt" || { cat "$rendered/trivy.txt"; exit 1; }
}
for manifests in k8s/rendered/*.yaml; do
  case $manifests in
    */nats.yaml) checked "$manifests" --beside k8s/rendered/production.yaml ;;
    *) checked "$manifests" ;;
  esac
done
echo "$(printf 'a%.0s' {1..64})  bge-reranker-v2-m3/model.cuda.onnx  https://models.example.org/model.cuda.onnx" >"$rendered/weights.txt"
.tools-venv/bin/python -m deploy.render --print production --set triton.enabled=true --set-file "triton.weights=$rendered/weights.txt" >"$rendered/gpu.yaml"
checked "$rendered/gpu.yaml"
