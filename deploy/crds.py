"""The schemas of custom resources that the chart makes, out of the definitions that their projects publish.

    python -m deploy.crds FILE|FOLDER ...      write k8s/schemas/*.json anew from CustomResourceDefinitions

The API server drops a field that it does not know; here each is refused, so that a misspelt one is seen. Descriptions
and rules in CEL are left out: a schema says what there may be, not what it means together.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "k8s" / "schemas"
WANTED = {
    ("keda.sh", "v1alpha1", "ScaledObject"): "scaledobject.json",
    ("gateway.networking.k8s.io", "v1", "HTTPRoute"): "httproute.json",
    ("monitoring.coreos.com", "v1", "PodMonitor"): "podmonitor.json",
    ("monitoring.coreos.com", "v1", "PrometheusRule"): "prometheusrule.json",
}
"""Group, version and kind of what we use; the file of its schema."""
_VERSIONS = ("gateway.networking.k8s.io/bundle-version", "operator.prometheus.io/version")
"""Annotations by which a definition says of which release it is."""
_TEMPLATE = re.compile(r"\{\{.*?\}\}")
"""KEDA publishes its definitions as templates of a chart: switches around them, names and labels within."""


def schemas_of(text: str, release: str = "") -> Iterator[tuple[tuple[str, str, str], dict[str, Any]]]:
    """The strict schema of each wanted version in a file of definitions, by group, version and kind.

    Args:
        release: of the project, for definitions that do not say it.
    """
    for found in yaml.safe_load_all(_untemplated(text)):
        if not found or found.get("kind") != "CustomResourceDefinition":
            continue
        spec = found["spec"]
        notes = found["metadata"].get("annotations") or {}
        said = next((notes[name] for name in _VERSIONS if name in notes), release)
        for version in spec["versions"]:
            key = (spec["group"], version["name"], spec["names"]["kind"])
            if key in WANTED:
                schema = strict(version["schema"]["openAPIV3Schema"])
                schema["properties"]["metadata"] = {"type": "object"}
                yield key, {"$comment": " ".join(filter(None, (*key, said))), **schema}


def _untemplated(text: str) -> str:
    """Lines that are nothing but a template left out, others with a word in its place."""
    kept = (line for line in text.splitlines() if not _TEMPLATE.fullmatch(line.strip()))
    return "\n".join(_TEMPLATE.sub("template", line) for line in kept)


def strict(node: Any) -> Any:
    """A schema as JSON Schema, with every object closed whose fields are listed."""
    if not isinstance(node, dict):
        return [strict(item) for item in node] if isinstance(node, list) else node
    made = {
        key: {name: strict(value) for name, value in inner.items()} if key == "properties" else strict(inner)
        for key, inner in node.items()
        if key not in ("description", "default", "format") and not key.startswith("x-kubernetes-")
    }
    if node.get("x-kubernetes-int-or-string"):
        made.pop("anyOf", None)
        made["type"] = ["integer", "string"]
    open_ended = node.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in node
    if "properties" in node and node.get("type") == "object" and not open_ended:
        made["additionalProperties"] = False
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the schemas that the files hold; status 1 when one that is wanted was not found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, help="files, or folders of them")
    parser.add_argument("--release", default="", help="of definitions that do not say theirs, e.g. 2.20.2")
    chosen = parser.parse_args(arguments)
    files = [file for path in chosen.paths for file in ([path] if path.is_file() else sorted(path.rglob("*.yaml")))]
    found = {key: schema for file in files for key, schema in schemas_of(file.read_text(), chosen.release)}
    for key, schema in found.items():
        (SCHEMAS / WANTED[key]).write_text(json.dumps(schema, separators=(",", ":")) + "\n")
    missing = sorted(WANTED.keys() - found.keys())
    sys.stderr.write("".join(f"no definition of {'/'.join(key)}\n" for key in missing))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
