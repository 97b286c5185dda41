#!/bin/bash
# Pin every dependency with its hashes: one file per service, one for all, one for development.
# usage: scripts/pin.sh [path of uv]
set -euo pipefail
uv=${1:-uv}
cd "$(dirname "$0")/.."
pin() { # output, then the pyproject files (of the packages and of every workspace package they need)
  local out=$1; shift
  "$uv" pip compile -q --universal --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate \
    --python-version 3.11 --custom-compile-command "make requirements" --no-emit-package openwork-contracts \
    $(for p in contracts packages/*/ services/*/ apps/*/; do n=$(basename "$p"); echo "--no-emit-package openwork-$n"; done) \
    "$@" -o "requirements/$out.txt"
}
for folder in services/*/; do
  name=$(basename "$folder")
  pin "$name" "services/$name/pyproject.toml"
  # What its image has besides: docs/adding-a-service.md.
  extra=$(sed -n 's/^image_extra = "\(.*\)"$/\1/p' "services/$name/service.toml")
  [ -z "$extra" ] || pin "$name-$extra" "services/$name/pyproject.toml" --extra "$extra"
done
pin bus packages/bus/pyproject.toml  # what every service needs, and a new one needs no more
pin all apps/cli/pyproject.toml apps/laptop/pyproject.toml
pin dev --group pyproject.toml:dev -c requirements/all.txt
pin pdf-eval --group pyproject.toml:pdf-eval -c requirements/all.txt
# Environments of their own: Triton on a CPU (numpy below 2, glibc 2.35) and so on.
"$uv" pip compile -q --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --python-version 3.11 \
  --python-platform x86_64-manylinux_2_35 --custom-compile-command "make requirements" requirements/triton.in \
  -o requirements/triton.txt
pin phoenix --group pyproject.toml:phoenix
for name in tools build export; do pin "$name" "requirements/$name.in"; done
"$uv" pip compile -q --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --python-version 3.12 \
  --python-platform x86_64-manylinux_2_28 --custom-compile-command "make requirements" requirements/triton-gpu.in \
  -o requirements/triton-gpu.txt
