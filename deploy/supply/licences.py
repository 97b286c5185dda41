"""The licences of everything in the lists of parts, and whether the policy of licences.toml lets each be.

python -m deploy.supply.licences [--sboms out/sbom]

writes licences.md beside them; exit 1 and a line for each part whose licence is unknown, not allowed, or another one
than the policy says of it.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from boolean import AND, OR, Expression
from license_expression import ExpressionError, Licensing

from deploy.supply import ROOT

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Part:
    """A package as one list of parts has it: its ecosystem (pypi, deb, ...), and the licences that it declares."""

    kind: str
    name: str
    version: str
    licences: tuple[str, ...]
    where: str


@dataclass(frozen=True, slots=True)
class Policy:
    """What licences.toml says."""

    allowed: frozenset[str]
    names: Mapping[str, str]
    packages: Mapping[str, Mapping[str, Any]]
    ecosystems: Mapping[str, str]

    @classmethod
    def read(cls, text: str) -> Policy:
        """From TOML; KeyError where a package or an ecosystem has no reason."""
        told = tomllib.loads(text)
        packages = {_normal(one["name"]): one for one in told.get("package", ()) if one["reason"]}
        ecosystems = {one["kind"]: one["reason"] for one in told.get("ecosystem", ())}
        return cls(frozenset(told["allowed"]), told.get("names", {}), packages, ecosystems)

    def objection(self, part: Part) -> str | None:
        """Why it may not be used; `None` = it may."""
        if part.kind in self.ecosystems:
            return None
        declared = self.licence(part)
        if (entry := self.packages.get(_normal(part.name))) is not None:
            if declared not in (UNKNOWN, entry["licence"], *entry.get("declared", ())):
                return f"declares {declared}, and licences.toml says {entry['licence']}"
            if not any(fnmatch(part.where, place) for place in entry.get("only_in", ("*",))):
                return f"{entry['licence']} is let be in {', '.join(entry['only_in'])} alone"
            return None
        if declared == UNKNOWN:
            return "declares no licence that is understood"
        return None if self._allows(declared) else f"{declared} is not allowed"

    def licence(self, part: Part) -> str:
        """As one SPDX expression. What stands there as an expression or an identifier goes before older words."""
        exact = [one for one in part.licences if _expression(one) is not None]
        said = exact or [self.names[one] for one in part.licences if one in self.names]
        if not said or (not exact and len(said) < len(part.licences)):
            return UNKNOWN
        return " AND ".join(f"({one})" if " OR " in one and len(set(said)) > 1 else one for one in sorted(set(said)))

    def reason(self, part: Part) -> str:
        """Why it is let be where that does not follow from the list of allowed licences."""
        entry = self.packages.get(_normal(part.name))
        return str(entry["reason"]) if entry and part.kind not in self.ecosystems else ""

    def shown(self, part: Part) -> str:
        """For the list."""
        entry = self.packages.get(_normal(part.name))
        if part.kind in self.ecosystems:
            return ", ".join(part.licences) or UNKNOWN
        found = self.licence(part)
        return str(entry["licence"]) if entry else found

    def _allows(self, expression: str) -> bool:
        parsed = _expression(expression)
        return parsed is not None and _holds(parsed, self.allowed)


def _holds(expression: Expression, allowed: frozenset[str]) -> bool:
    """One of several offered is enough; of several that hold together each has to be allowed."""
    if isinstance(expression, OR):
        return any(_holds(part, allowed) for part in expression.args)
    if isinstance(expression, AND):
        return all(_holds(part, allowed) for part in expression.args)
    return str(expression) in allowed


def _expression(text: str) -> Expression | None:
    """An SPDX expression; `None` = the words are none, such as a classifier or a whole text."""
    if len(text) > 200 or not re.fullmatch(r"[A-Za-z0-9.+ ()-]+", text) or text.endswith("License"):
        return None
    try:
        return Licensing().parse(text)
    except ExpressionError:
        return None


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def parts(paths: Iterable[Path]) -> Iterator[Part]:
    """Every package of every list of parts."""
    for path in paths:
        where = path.name.removesuffix(".cdx.json")
        for one in json.loads(path.read_text()).get("components", ()):
            purl = re.match(r"pkg:(\w+)/", one.get("purl", ""))
            if one["type"] != "library":
                continue
            told = [entry.get("expression") or _name(entry["license"]) for entry in one.get("licenses", ())]
            yield Part(purl[1] if purl else "", one["name"], one.get("version", ""), tuple(told), where)


def _name(licence: Mapping[str, str]) -> str:
    return str(licence.get("id") or licence["name"]).strip()


def page(found: Sequence[Part], policy: Policy) -> str:
    """The list for people: a row per package and version, and where it is."""
    rows: dict[tuple[str, str, str], tuple[str, str, set[str]]] = {}
    for part in found:
        row = (policy.shown(part), policy.reason(part), set[str]())
        rows.setdefault((part.kind or "own", part.name, part.version), row)[2].add(part.where)
    lines = [
        "# Licences",
        "",
        "Made by `make sbom` from the lists of parts beside it. Whole systems are let be for a reason:",
        "",
    ]
    lines += [f"- `{kind}`: {reason}" for kind, reason in policy.ecosystems.items()]
    lines += ["", "| what | version | licence | in | why it is let be |", "|---|---|---|---|---|"]
    for (kind, name, version), (licence, reason, where) in sorted(rows.items()):
        places = ", ".join(sorted(where))
        lines.append(f"| {kind} {name} | {version} | {licence} | {places} | {reason} |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the list, and say what may not be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sboms", type=Path, default=ROOT / "out/sbom", help="folder of the lists of parts")
    parser.add_argument("--policy", type=Path, default=Path(__file__).with_name("licences.toml"))
    chosen = parser.parse_args(arguments)
    found = list(parts(sorted(chosen.sboms.glob("*.cdx.json"))))
    if not found:
        sys.stderr.write(f"no lists of parts in {chosen.sboms}: `make sbom` makes them\n")
        return 1
    policy = Policy.read(chosen.policy.read_text())
    (chosen.sboms / "licences.md").write_text(page(found, policy))
    wrong = {f"{part.name} {part.version} ({part.where}): {why}" for part in found if (why := policy.objection(part))}
    sys.stdout.write("".join(f"LICENCE {line}\n" for line in sorted(wrong)))
    n_packages = len({(part.kind, part.name, part.version) for part in found})
    sys.stdout.write(f"{n_packages} packages, {len(wrong)} against the policy; {chosen.sboms / 'licences.md'}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
