"""Digests of the base images, asked of their registries; none is ever made up.

python -m deploy.supply.digests            look all of them up and write deploy/docker/bases.env; nothing when one fails
python -m deploy.supply.digests --check    write nothing; exit 1 where a tag has come to mean another image

A digest is the SHA-256 of the manifest, so what a registry says is checked against what it sends.
Source: OCI distribution specification 1.1, "Pulling manifests"; Docker's token authentication.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import httpx

from deploy.supply.bases import FILE, bases, with_digest, written

_ACCEPT = ", ".join(
    (
        "application/vnd.oci.image.index.v1+json",
        "application/vnd.docker.distribution.manifest.list.v2+json",
        "application/vnd.oci.image.manifest.v1+json",
        "application/vnd.docker.distribution.manifest.v2+json",
    )
)
_DOCKER_HUB = "registry-1.docker.io"


class DigestError(Exception):
    """A registry that does not answer, refuses, or says what is not so; the message names it."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Where the manifest of an image is."""

    host: str
    repository: str
    tag: str

    @property
    def url(self) -> str:
        """Of the manifest. As Docker does, without TLS on this machine alone."""
        scheme = "http" if self.host.partition(":")[0] in ("localhost", "127.0.0.1") else "https"
        return f"{scheme}://{self.host}/v2/{self.repository}/manifests/{self.tag}"


def reference(image: str) -> Reference:
    """Read as Docker does: a first part with a dot or a port is a host, else it is Docker Hub."""
    name, _, tag = image.partition("@")[0].rpartition(":")
    if not name or "/" in tag:
        raise DigestError(f"{image}: an image needs a tag")
    host, _, rest = name.partition("/")
    if rest and ("." in host or ":" in host or host == "localhost"):
        return Reference(host, rest, tag)
    return Reference(_DOCKER_HUB, name if rest else f"library/{name}", tag)


def digest_of(image: str, client: httpx.Client) -> str:
    """The digest that the tag has now, of the list of all platforms where there is one.

    Raises:
        DigestError: no answer, a refusal, or a manifest with another digest than the registry says.
    """
    wanted = reference(image)
    try:
        answer = client.get(wanted.url, headers={"Accept": _ACCEPT})
        if answer.status_code == httpx.codes.UNAUTHORIZED:
            token = _token(client, answer.headers.get("WWW-Authenticate", ""))
            answer = client.get(wanted.url, headers={"Accept": _ACCEPT, "Authorization": f"Bearer {token}"})
        answer.raise_for_status()
    except (httpx.HTTPError, KeyError, ValueError) as error:
        raise DigestError(f"{image}: {wanted.host}: {error}") from error
    digest = f"sha256:{hashlib.sha256(answer.content).hexdigest()}"
    if (said := answer.headers.get("Docker-Content-Digest", digest)) != digest:
        raise DigestError(f"{image}: {wanted.host} says {said} and sends {digest}")
    return digest


def _token(client: httpx.Client, challenge: str) -> str:
    words = dict(re.findall(r'(\w+)="([^"]*)"', challenge))
    asked = {key: words[key] for key in ("service", "scope") if key in words}
    told = client.get(words["realm"], params=asked).raise_for_status().json()
    return str(told.get("token") or told["access_token"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Look up and write, or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a digest is another one now")
    parser.add_argument("--only", nargs="*", default=[], help="these names alone, e.g. PYTHON_IMAGE UV_IMAGE")
    chosen = parser.parse_args(arguments)
    before = bases(FILE)
    now = dict(before)
    failed = []
    with httpx.Client(timeout=30, follow_redirects=True) as client:
        for name in chosen.only or before:
            try:
                now[name] = with_digest(before[name], digest_of(before[name], client))
            except DigestError as error:
                failed.append(str(error))
                continue
            was = "" if now[name] == before[name] else f"   (was {before[name]})"
            sys.stdout.write(f"{name}={now[name]}{was}\n")
    sys.stderr.write("".join(f"not looked up: {line}\n" for line in failed))
    if failed or (chosen.check and now != before):
        return 1
    if not chosen.check:
        FILE.write_text(written(FILE.read_text(), now))
    return 0


if __name__ == "__main__":
    sys.exit(main())
