"""Known vulnerabilities of what we depend on: asked of OSV by pip-audit, of what is in images by trivy.

python -m deploy.supply.audit [--images IMAGE ...]

exit 0: everything was asked, and nothing is known that is not accepted in advisories.toml
     1: something is known
     3: not everything could be asked; what could not is printed, and nothing is called clean

pip-audit ends with 0 and "No known vulnerabilities found" where a service has never heard of a package, or of any. So a
version that is known to be vulnerable is asked for too: a service that does not name it is not believed about the rest.
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deploy.supply import ROOT

OSV_URL = "https://api.osv.dev/v1/query"
_TOOLS = ROOT / ".tools-venv/bin"
_CANARY = ("urllib3", "1.24.1")
"""CVE-2019-11324 and later ones."""
_PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)", re.MULTILINE)
CLEAN, FOUND, NOT_ASKED = 0, 1, 3


@dataclass(frozen=True, slots=True)
class Finding:
    """A vulnerability that is known: what has it, and its name."""

    package: str
    version: str
    advisory: str
    mended_in: str
    names: frozenset[str] = frozenset()
    """What else the advisory is called, e.g. its CVE."""

    def is_one_of(self, known: set[str]) -> bool:
        """By any of its names."""
        return not known.isdisjoint({self.advisory, *self.names})

    def __str__(self) -> str:
        return f"{self.package} {self.version}: {self.advisory}, mended in {self.mended_in or 'no version'}"


@dataclass(slots=True)
class Audit:
    """What came of it: how many were asked, what is known of them, and what could not be asked and why."""

    n_asked: int = 0
    found: list[Finding] = field(default_factory=list)
    not_asked: list[str] = field(default_factory=list)

    def add(self, other: Audit) -> None:
        """Put another's results to these."""
        self.n_asked += other.n_asked
        self.found += other.found
        self.not_asked += other.not_asked

    @property
    def status(self) -> int:
        """Of the process: what is known goes before what could not be asked."""
        return FOUND if self.found else NOT_ASKED if self.not_asked else CLEAN


def pins(paths: Iterable[Path]) -> dict[str, set[str]]:
    """Every version of every package that is pinned anywhere."""
    found: dict[str, set[str]] = {}
    for path in paths:
        for pin in _PIN.finditer(path.read_text()):
            found.setdefault(re.sub(r"[-_.]+", "-", pin["name"]).lower(), set()).add(pin["version"])
    return found


def rounds(found: Mapping[str, set[str]]) -> Iterator[list[str]]:
    """Lists of pins in which each package stands once: pip-audit takes no two versions of one."""
    versions = {name: sorted(several) for name, several in found.items()}
    for number in range(max(map(len, versions.values()), default=0)):
        yield [f"{name}=={several[number]}" for name, several in sorted(versions.items()) if number < len(several)]


def ask(wanted: Sequence[str], osv_url: str) -> Audit:
    """Ask about pins; a tool that fails has asked nothing."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(wanted))
        file.flush()
        command = [
            str(_TOOLS / "pip-audit"),
            "--requirement",
            file.name,
            "--no-deps",
            "--disable-pip",
            "--format",
            "json",
        ]
        command += ["--vulnerability-service", "osv", "--osv-url", osv_url, "--progress-spinner", "off"]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return read(json.loads(told.stdout))
    except json.JSONDecodeError:
        why = (told.stderr.strip() or "no answer").splitlines()[-1]
        return Audit(not_asked=[f"{len(wanted)} packages of PyPI: {why[:300]}"])


def read(report: Mapping[str, Any]) -> Audit:
    """pip-audit's JSON. A dependency that was skipped was not asked about."""
    audit = Audit()
    for one in report["dependencies"]:
        if reason := one.get("skip_reason"):
            audit.not_asked.append(f"{one['name']}: {reason}")
            continue
        audit.n_asked += 1
        for known in one["vulns"]:
            mended = ", ".join(known["fix_versions"])
            names = frozenset(known.get("aliases") or ())
            audit.found.append(Finding(one["name"], one["version"], known["id"], mended, names))
    return audit


def canary(osv_url: str) -> str | None:
    """Why the service is not believed; `None` = it names a vulnerability that there is."""
    name, version = _CANARY
    asked = ask([f"{name}=={version}"], osv_url)
    if asked.not_asked:
        return asked.not_asked[0].partition(": ")[2]
    return None if asked.found else f"{osv_url} knows nothing of {name} {version}, which is vulnerable"


def ask_about_image(image: str) -> Audit:
    """Ask trivy about an image; its data base is downloaded, and where it cannot be nothing was asked."""
    command = [str(_TOOLS / "trivy"), "image", "--quiet", "--scanners", "vuln", "--ignore-unfixed", "--format", "json"]
    command += ["--severity", "HIGH,CRITICAL", "--skip-version-check", image]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    if told.returncode:
        why = (told.stderr.strip() or "no answer").splitlines()[-1]
        return Audit(not_asked=[f"image {image}: {why[-300:]}"])
    audit = Audit(n_asked=1)
    for part in json.loads(told.stdout).get("Results") or ():
        for known in part.get("Vulnerabilities") or ():
            where = f"{image}: {known['PkgName']}"
            audit.found.append(
                Finding(where, known["InstalledVersion"], known["VulnerabilityID"], known["FixedVersion"])
            )
    return audit


def accepted(text: str, today: datetime.date) -> set[str]:
    """Advisories that advisories.toml accepts until a day that has not come yet.

    Raises:
        KeyError: one without a reason or a day.
    """
    entries = tomllib.loads(text).get("accepted", [])
    return {one["id"] for one in entries if one["reason"] and one["until"] >= today}


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask about everything, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--images", nargs="*", default=[], help="images that the engine has")
    parser.add_argument("--not-asked", nargs="*", default=[], help="what could not even be tried, and why")
    parser.add_argument("--osv-url", default=OSV_URL)
    parser.add_argument("--requirements", type=Path, default=ROOT / "requirements", help="folder of lists of pins")
    parser.add_argument("--accepted", type=Path, default=Path(__file__).with_name("advisories.toml"))
    chosen = parser.parse_args(arguments)
    audit = Audit(not_asked=chosen.not_asked)
    wanted = list(rounds(pins(sorted(chosen.requirements.glob("*.txt")))))
    if why := canary(chosen.osv_url):
        audit.not_asked.append(f"{sum(map(len, wanted))} packages of PyPI: {why}")
    else:
        for one in wanted:
            audit.add(ask(one, chosen.osv_url))
    for image in chosen.images:
        audit.add(ask_about_image(image))
    known = accepted(chosen.accepted.read_text(), datetime.datetime.now(datetime.UTC).date())
    let_be = [one for one in audit.found if one.is_one_of(known)]
    audit.found = [one for one in audit.found if not one.is_one_of(known)]
    sys.stdout.write("".join(f"VULNERABLE {one}\n" for one in audit.found))
    sys.stdout.write("".join(f"accepted   {one}\n" for one in let_be))
    sys.stdout.write("".join(f"NOT ASKED  {one}\n" for one in audit.not_asked))
    sys.stdout.write(
        f"asked about {audit.n_asked}; {len(audit.found)} known vulnerabilities, {len(let_be)} accepted; "
        f"{'everything was asked' if not audit.not_asked else 'NOT EVERYTHING COULD BE ASKED'}\n"
    )
    return audit.status


if __name__ == "__main__":
    sys.exit(main())
