"""A new service that works: its folder, its event, its rows in the contracts, its pins, and whatever names it.

python -m deploy.new_service NAME      (`make new-service NAME=...`; docs/adding-a-service.md goes on from there)

It takes `evidence-ranked` through a durable of its own and publishes `NAME-noted`, which nobody reads yet: a service to
be changed into what is wanted, in files that already stand where they belong.
"""

from __future__ import annotations

import argparse
import keyword
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from string import Template

from openwork_contracts.accounts import NOBODY_ACCOUNT
from openwork_contracts.pipelines import PIPELINES
from openwork_contracts.subjects import EVENTS, fixed_consumers

from deploy.permissions import ASKERS, OPERATOR, OWNER
from deploy.pins import third_party
from deploy.registry import NAME, ROOT, services

TEMPLATES = Path(__file__).parent / "scaffold"
_SUBJECTS = Path("contracts/openwork_contracts/subjects.py")
_PIPELINES = Path("contracts/openwork_contracts/pipelines.py")


class NameRefusedError(ValueError):
    """The service cannot be called so; the message says why."""


def check_name(name: str, root: Path = ROOT) -> None:
    """Refuse what is no single lower-case word, and what something else is called.

    Raises:
        NameRefusedError: with the reason.
    """
    if not NAME.fullmatch(name):
        raise NameRefusedError(f"{name!r} is not one lower-case word of 2 to 24 letters, without digits, - and _")
    if name in taken(root) or keyword.iskeyword(name):
        raise NameRefusedError(f"{name!r} is taken: a service, package, app, contract, user or image is called that")


def taken(root: Path) -> set[str]:
    """Names that mean something already: they would share a folder, a module, a NATS user, an image or a subject."""
    folders = (
        "packages/*",
        "services/*",
        "apps/*",
        "requirements/*",
        "contracts/openwork_contracts/*.py",
    )
    names = {path.stem for pattern in folders for path in root.glob(pattern)}
    names |= {service.name for service in services()} | {spec.durable for spec in fixed_consumers()}
    names |= {token for spec in EVENTS for token in (spec.name, spec.route)} | {spec.name for spec in PIPELINES}
    users = {*ASKERS, OWNER, OPERATOR, NOBODY_ACCOUNT, "sys", "client"}
    return names | users | {"any", "all", "run", "contracts", "service", "nats", "phoenix", "topology", "triton"}


def make(name: str, root: Path = ROOT) -> list[Path]:
    """Write the files of a service and its rows in the contracts; what was written, by path."""
    words = {"name": name, "Name": name.capitalize(), "order": str(max(s.order for s in services()) + 10)}
    written = [_rendered(source, target, words) for source, target in _targets(name, root)]
    subjects, pipelines = root / _SUBJECTS, root / _PIPELINES
    subjects.write_text(with_rows(subjects.read_text(), name))
    pipelines.write_text(with_event(pipelines.read_text(), name))
    pins = root / f"requirements/{name}.txt"
    shutil.copyfile(root / f"requirements/{_same_pins(name, root)}.txt", pins)
    _tidied([path for path in (*written, subjects, pipelines) if path.suffix == ".py"])
    return [*written, subjects, pipelines, pins]


def _targets(name: str, root: Path) -> list[tuple[Path, Path]]:
    service, package = root / "services" / name, f"openwork_{name}"
    pairs = [(TEMPLATES / "contract.py.tmpl", root / f"contracts/openwork_contracts/{name}.py")]
    pairs.append((TEMPLATES / "tests/test_handlers.py.tmpl", root / f"tests/unit/{name}/test_{name}_handlers.py"))
    for source in sorted((TEMPLATES / "service").rglob("*.tmpl")):
        place = source.relative_to(TEMPLATES / "service").with_suffix("").as_posix()
        pairs.append((source, service / place.replace("package/", f"{package}/", 1)))
    return pairs


def _rendered(source: Path, target: Path, words: dict[str, str]) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(Template(source.read_text()).substitute(words))
    return target


def with_rows(text: str, name: str) -> str:
    """The contracts' table with the event, its publisher, and the durable that takes `evidence-ranked`."""
    event = f"{name.capitalize()}Noted"
    text = _last_in_table(text, "EVENTS", f'    EventSpec({event}, ("{name}",)),\n')
    row = f'    ConsumerSpec("{name}", "{name}", (Taken(EvidenceRanked),)),\n'
    text = _last_in_table(text, "CONSUMERS", row)
    return _importing(text, name)


def with_event(text: str, name: str) -> str:
    """The pipeline of an answer with the event: what no pipeline has, the stream does not take."""
    last = "            AnswerConcluded,\n"
    return _importing(text.replace(last, f"{last}            {name.capitalize()}Noted,\n", 1), name)


def _importing(text: str, name: str) -> str:
    first = "\nfrom openwork_contracts."  # `_tidied` sorts
    return text.replace(first, f"\nfrom openwork_contracts.{name} import {name.capitalize()}Noted{first}", 1)


def _tidied(files: list[Path]) -> None:
    """Imports in their order, which depends on the name."""
    for command in (["check", "--quiet", "--fix", "--select", "I"], ["format", "--quiet"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, *map(str, files)], cwd=ROOT, check=True)


def _last_in_table(text: str, table: str, row: str) -> str:
    start = text.index(f"\n{table}: ")
    end = text.index("\n)\n", start) + 1
    return text[:end] + row + text[end:]


def _same_pins(name: str, root: Path) -> str:
    """Whose pins are right for it without asking an index: those of the bus, or of a service that needs the same."""
    needed = third_party(f"services/{name}", root=root)
    for pins, folder in (("bus", "packages/bus"), *((s.name, f"services/{s.name}") for s in services())):
        if third_party(folder, root=root) == needed:
            return pins
    raise LookupError(f"nothing here needs the same packages as {name}; run `make requirements`")


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the service, then everything that is made from it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="one lower-case word")
    name = parser.parse_args(arguments).name
    try:
        check_name(name)
    except NameRefusedError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    written = make(name)
    # In processes of their own: this one has read the contracts without the new rows.
    for module in (["openwork_contracts.schema", "--write"], ["deploy.generate"]):
        subprocess.run([sys.executable, "-m", *module], cwd=ROOT, check=True)
    sys.stdout.write("".join(f"{path.relative_to(ROOT)}\n" for path in written))
    sys.stdout.write("and what is made from them (git status). Next: make setup; docs/adding-a-service.md\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
