"""Render the Helm chart with the values of each environment: what `helm template` prints, kept in k8s/rendered.

    python -m deploy.render                    write k8s/rendered/<environment>.yaml anew
    python -m deploy.render --check            exit 1 when one is not current
    python -m deploy.render --nats FOLDER      write k8s/rendered/nats.yaml: NATS' own chart, which is in FOLDER
    python -m deploy.render --print ENVIRONMENT [--values FILE ...] [--set KEY=VALUE ...] [--set-file KEY=FILE ...]

For whoever has kubectl alone, and for the tests, which so need no Helm. Takes the program `helm` where there is one,
else Helm's library from the wheel helm-python-sdk (requirements/tools.txt).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
CHART = ROOT / "k8s" / "openwork"
RENDERED = ROOT / "k8s" / "rendered"
ENVIRONMENTS = ("development", "staging", "production")
NAMESPACE = RELEASE = "openwork"
"""Of the rendered files. Helm takes any."""
_HEADER = """\
# k8s/openwork with values-{environment}.yaml, as `helm template` prints it: made by `make manifests`; do not edit.
# For whoever has no Helm: kubectl apply -n openwork -f k8s/rendered/{environment}.yaml
# (your registry and host: render it with your values, docs/deployment-kubernetes.md).
"""
_NATS_HEADER = """\
# NATS by its own chart ({version}) with k8s/nats-values.yaml, as `deploy.render --nats` makes it; do not edit.
# For whoever has no Helm: kubectl apply -f k8s/rendered/nats.yaml, after the chart of Open Work.
"""
_SOURCE = "# Source: "
_LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
"""The one in C takes a tenth of the time."""
_ORDER = (
    "NetworkPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "ConfigMap",
    "Service",
    "Deployment",
    "StatefulSet",
    "HorizontalPodAutoscaler",
    "Job",
    "CronJob",
    "Ingress",
)
"""The kinds in the order in which Helm installs them."""


class RenderError(ValueError):
    """The chart refuses these values; the message is the chart's own."""


def rendered(environment: str, *, more: Mapping[str, Any] | None = None, chart: Path = CHART) -> str:
    """Every object of the chart for one environment, in the order of their files.

    Args:
        environment: one of `ENVIRONMENTS`.
        more: values that come after those of the environment.
        chart: the folder of the chart.
    Raises:
        RenderError: the values are refused.
    """
    values = merged(yaml.safe_load((chart / f"values-{environment}.yaml").read_text()) or {}, more or {})
    made = template(chart, values)
    documents = [(_place(text), path, text) for path, joined in sorted(made.items()) for text in documents_of(joined)]
    return _HEADER.format(environment=environment) + _in_order(documents)


def nats(chart: Path) -> str:
    """NATS as its own chart makes it with our values.

    Args:
        chart: the folder of that chart (https://github.com/nats-io/k8s, helm/charts/nats).
    """
    # With the namespace in each object, as ours have it: kubectl must not put it where nobody looks.
    values = yaml.safe_load((ROOT / "k8s" / "nats-values.yaml").read_text()) | {"namespaceOverride": NAMESPACE}
    made = template(chart, values, release="nats")
    documents = [(_place(text), path, text) for path, joined in sorted(made.items()) for text in documents_of(joined)]
    version = yaml.safe_load((chart / "Chart.yaml").read_text())["version"]
    return _NATS_HEADER.format(version=version) + _in_order(documents)


def _in_order(documents: Sequence[tuple[int, str, str]]) -> str:
    placed = sorted(documents, key=lambda one: one[0])
    return "".join(f"---\n{_SOURCE}{path}\n{text}" for _, path, text in placed)


def template(
    chart: Path, values: Mapping[str, Any], *, release: str = RELEASE, namespace: str = NAMESPACE
) -> dict[str, str]:
    """The objects of a chart's files that hold some, by the path of the file: what `helm template` prints.

    Raises:
        RenderError: Helm or the chart refuses the values.
    """
    make = _by_program if shutil.which("helm") else _by_library
    made = make(chart, values, release, namespace)
    tests = f"{chart.name}/templates/tests/"
    return {path: text for path, text in made.items() if yaml_in(text) and not path.startswith(tests)}


def _by_library(chart: Path, values: Mapping[str, Any], release: str, namespace: str) -> dict[str, str]:
    import helm_python  # type: ignore[import-not-found,unused-ignore]

    with helm_python.Chart.load(str(chart)) as loaded:
        try:
            made: dict[str, str] = loaded.render(dict(values), name=release, namespace=namespace)
        except helm_python.HelmError as error:
            raise RenderError(str(error)) from None
    return {path: text for path, text in made.items() if path.endswith(".yaml")}


def _by_program(chart: Path, values: Mapping[str, Any], release: str, namespace: str) -> dict[str, str]:
    command = ["helm", "template", release, str(chart), "--namespace", namespace, "--values", "-"]
    done = subprocess.run(command, input=yaml.safe_dump(dict(values)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RenderError(done.stderr.strip())
    made: dict[str, str] = {}
    for part in done.stdout.split(f"---\n{_SOURCE}")[1:]:
        path, _, text = part.partition("\n")
        made[path] = f"{made[path]}---\n{text}" if path in made else text
    return made


def merged(base: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Values over values, as Helm puts them together: tables are joined, everything else is replaced."""
    joined = dict(base)
    for key, value in more.items():
        old = joined.get(key)
        joined[key] = merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return joined


def yaml_in(text: str) -> list[dict[str, Any]]:
    """The objects in a rendered file."""
    return [found for found in yaml.load_all(text, Loader=_LOADER) if found]


def documents_of(text: str) -> list[str]:
    """The documents of a rendered file that hold an object, each with the comments above it."""
    lines = [line.rstrip() for line in text.splitlines()]
    parts = "\n".join(lines).split("\n---\n")
    trimmed = [part.strip("\n").removeprefix("---\n").strip("\n") for part in parts]
    return [f"{part}\n" for part in trimmed if yaml_in(part)]


def _place(document: str) -> int:
    """Configuration before what needs it, as Helm installs it; what is not listed comes last."""
    (found,) = yaml_in(document)
    return _ORDER.index(found["kind"]) if found["kind"] in _ORDER else len(_ORDER)


def _chosen(pairs: Sequence[str], *, files: bool = False) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for pair in pairs:
        path, _, value = pair.partition("=")
        leaf: Any = Path(value).read_text() if files else yaml.safe_load(value)
        for key in reversed(path.split(".")):
            leaf = {key: leaf}
        found = merged(found, leaf)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Write, check or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when something differs")
    parser.add_argument("--nats", metavar="FOLDER", type=Path, help="write NATS alone, out of its own chart")
    parser.add_argument("--print", metavar="ENVIRONMENT", choices=ENVIRONMENTS, help="to standard output")
    parser.add_argument(
        "--values", action="append", default=[], metavar="FILE", type=Path, help="with --print: of yours"
    )
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="with --print: another value")
    parser.add_argument("--set-file", action="append", default=[], metavar="KEY=FILE", help="with --print: from a file")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.nats:
            (RENDERED / "nats.yaml").write_text(nats(chosen.nats))
            return 0
        if chosen.print:
            more: dict[str, Any] = {}
            for path in chosen.values:
                more = merged(more, yaml.safe_load(path.read_text()) or {})
            more = merged(more, merged(_chosen(chosen.set), _chosen(chosen.set_file, files=True)))
            sys.stdout.write(rendered(chosen.print, more=more))
            return 0
        texts = {RENDERED / f"{environment}.yaml": rendered(environment) for environment in ENVIRONMENTS}
    except RenderError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    wrong = [path for path, text in texts.items() if not path.is_file() or path.read_text() != text]
    if chosen.check:
        sys.stderr.write("".join(f"{path.relative_to(ROOT)} is not current; run `make manifests`\n" for path in wrong))
        return 1 if wrong else 0
    RENDERED.mkdir(exist_ok=True)
    for path in wrong:
        path.write_text(texts[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
