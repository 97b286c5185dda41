#!/bin/bash
# What has to be so before images are released. usage: scripts/release-check.sh TAG        e.g. v0.1.0
#   OPENWORK_REGISTRY   where the images go, e.g. ghcr.io/somebody
set -euo pipefail
cd "$(dirname "$0")/.."
tag=${1:?which tag}
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml | head -n 1)
wrong=0
complain() { echo "$1" >&2; wrong=1; }

case ${OPENWORK_REGISTRY:-} in
  "" | localhost/*) complain "no registry: set the variable IMAGE_REGISTRY" ;;
  */*[!/]) ;;
  *) complain "OPENWORK_REGISTRY=$OPENWORK_REGISTRY is no host with a name, such as ghcr.io/somebody" ;;
esac
[ "$tag" = "v$version" ] || complain "the tag is $tag, and pyproject.toml says version $version"
while read -r name; do
  complain "$name has no digest in deploy/docker/bases.env: run \`make digests\`, then \`make manifests\`"
done < <(sed -n 's/^\([A-Z]*_IMAGE\)=[^@]*$/\1/p' deploy/docker/bases.env)
exit $wrong
