"""Check rendered manifests: every kind known, custom resources strictly, everything that is referred to there.

    python -m deploy.validate [--kubernetes-validate PATH] k8s/rendered/production.yaml

`kubernetes-validate --strict` knows Kubernetes' own kinds and only warns of others, so that a mistyped kind would pass;
here it fails. Secrets are never in the manifests: those that are referred to are printed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator

Manifest = Mapping[str, Any]

_SCHEMAS = Path(__file__).resolve().parent.parent / "k8s" / "schemas"
CUSTOM = {
    ("keda.sh/v1alpha1", "ScaledObject"): "scaledobject.json",
    ("gateway.networking.k8s.io/v1", "HTTPRoute"): "httproute.json",
    ("monitoring.coreos.com/v1", "PodMonitor"): "podmonitor.json",
    ("monitoring.coreos.com/v1", "PrometheusRule"): "prometheusrule.json",
}
"""Custom resources that we use, and the strict schema of each, out of its project's own definition (deploy/crds.py)."""
TRIGGERS: Mapping[str, frozenset[str]] = {
    "nats-jetstream": frozenset(
        {
            "natsServerMonitoringEndpoint",
            "account",
            "stream",
            "consumer",
            "lagThreshold",
            "activationLagThreshold",
            "useHttps",
        }
    ),
    "metrics-api": frozenset(
        {
            "url",
            "format",
            "valueLocation",
            "targetValue",
            "activationTargetValue",
            "aggregateFromKubeServiceEndpoints",
            "aggregationType",
        }
    ),
}
"""Keys of the triggers that we use. The definition leaves them open: a misspelt one passes all but the operator."""


def custom_findings(manifest: Manifest) -> list[str]:
    """What is wrong with a custom resource; empty for Kubernetes' own kinds."""
    name = CUSTOM.get((manifest.get("apiVersion", ""), manifest.get("kind", "")))
    if name is None:
        return []
    validator = Draft202012Validator(json.loads((_SCHEMAS / name).read_text()))
    where = f"{manifest['kind']}/{manifest.get('metadata', {}).get('name')}"
    found = [
        f"{where}: {'.'.join(map(str, e.absolute_path))}: {e.message[:300]}" for e in validator.iter_errors(manifest)
    ]
    for trigger in manifest["spec"].get("triggers", ()) if manifest["kind"] == "ScaledObject" else ():
        unknown = sorted(trigger.get("metadata", {}).keys() - TRIGGERS.get(trigger.get("type", ""), frozenset()))
        found += [f"{where}: a trigger {trigger.get('type')!r} has no {key!r}" for key in unknown]
    return found


def dangling(manifests: Sequence[Manifest], beside: Sequence[Manifest] = ()) -> list[str]:
    """References to what is not there: accounts, config maps, targets of autoscalers and routes, pods of budgets.

    Args:
        beside: objects of another release in the same namespace, which may be referred to.
    """
    there = {(m["kind"], m["metadata"]["name"]) for m in (*manifests, *beside)}
    pods = [template["metadata"]["labels"] for m in manifests if (template := _template(m))]
    found = []
    for manifest in manifests:
        where = f"{manifest['kind']}/{manifest['metadata']['name']}"
        for kind, name in _references(manifest):
            if (kind, name) not in there:
                found.append(f"{where} refers to {kind}/{name}, which is not there")
        found += [
            f"{where} selects {dict(selector)}, which no pod has"
            for selector in _selectors(manifest)
            if not any(selector.items() <= labels.items() for labels in pods)
        ]
    return found


def secrets(manifests: Sequence[Manifest]) -> dict[str, set[str]]:
    """Names of the Secrets that are referred to, with the keys that are read of them."""
    named: dict[str, set[str]] = {}
    for manifest in manifests:
        for value in _walk(manifest):
            if isinstance(value, Mapping) and "secretKeyRef" in value:
                named.setdefault(value["secretKeyRef"]["name"], set()).add(value["secretKeyRef"]["key"])
            if isinstance(value, Mapping) and isinstance(source := value.get("secret"), Mapping) and "name" in source:
                keys = (item["key"] for item in source.get("items", ()))  # one of several in a projected volume
                named.setdefault(source["name"], set()).update(keys)
            if isinstance(value, Mapping) and "secretName" in value:
                named.setdefault(value["secretName"], set())
    return named


def _template(manifest: Manifest) -> Mapping[str, Any] | None:
    template = manifest.get("spec", {}).get("template") if isinstance(manifest.get("spec"), Mapping) else None
    return template if isinstance(template, Mapping) else None


def _references(manifest: Manifest) -> Iterator[tuple[str, str]]:
    if manifest["kind"] in ("ScaledObject", "HorizontalPodAutoscaler"):
        target = manifest["spec"]["scaleTargetRef"]
        yield target["kind"], target["name"]
    for value in _walk(manifest):
        if not isinstance(value, Mapping):
            continue
        if "serviceAccountName" in value:
            yield "ServiceAccount", value["serviceAccountName"]
        if manifest["kind"] == "Ingress" and isinstance(value.get("service"), Mapping):
            yield "Service", value["service"]["name"]
        if manifest["kind"] == "HTTPRoute":
            yield from (("Service", backend["name"]) for backend in value.get("backendRefs", ()))
        if "configMapRef" in value:
            yield "ConfigMap", value["configMapRef"]["name"]
        if isinstance(value.get("configMap"), Mapping):
            yield "ConfigMap", value["configMap"]["name"]


def _selectors(manifest: Manifest) -> Iterator[Mapping[str, str]]:
    spec = manifest.get("spec", {})
    if manifest["kind"] == "Service" and spec.get("selector"):
        yield spec["selector"]
    if manifest["kind"] == "PodDisruptionBudget":
        yield spec["selector"]["matchLabels"]


def _walk(value: object) -> Iterator[object]:
    yield value
    children = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for child in children:
        yield from _walk(child)


def kubernetes_findings(text: str, program: str) -> list[str]:
    """What `kubernetes-validate --strict` refuses, and every kind that neither it nor we know."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([program, "--strict", file.name], capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).splitlines()
    found = [line for line in lines if line.startswith("ERROR")]
    ours = tuple(f"kind {kind} with api version {api} " for api, kind in CUSTOM)
    found += [line for line in lines if line.startswith("WARN") and not any(known in line for known in ours)]
    if done.returncode and not found:
        found.append(f"kubernetes-validate ended with {done.returncode}: {lines[-3:]}")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Check one rendered file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="rendered manifests; - = standard input")
    parser.add_argument("--beside", type=Path, help="rendered manifests of another release that may be referred to")
    parser.add_argument("--kubernetes-validate", default="kubernetes-validate", help="the program")
    chosen = parser.parse_args(arguments)
    text = sys.stdin.read() if chosen.file == "-" else Path(chosen.file).read_text()
    manifests: list[Manifest] = [m for m in yaml.safe_load_all(text) if m]
    beside = [m for m in yaml.safe_load_all(chosen.beside.read_text()) if m] if chosen.beside else []
    found = [finding for manifest in manifests for finding in custom_findings(manifest)]
    found += [*dangling(manifests, beside), *kubernetes_findings(text, chosen.kubernetes_validate)]
    sys.stderr.write("".join(f"{line}\n" for line in found))
    named = ", ".join(f"{name}({','.join(sorted(keys))})" for name, keys in sorted(secrets(manifests).items()))
    sys.stdout.write(f"{len(manifests)} objects, {len(found)} findings; secrets referred to: {named}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
