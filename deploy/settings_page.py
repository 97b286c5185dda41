"""docs/settings.md out of the code: every setting of every service, with its default and what it says of itself."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

from openwork_bus.backup.settings import BackupSettings
from openwork_bus.settings import ServiceSettings
from openwork_http.settings import HttpSettings
from openwork_llm.settings import ModelSettings
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from deploy.registry import ROOT, ServiceSpec, services

_HEAD = """\
# Settings

Every setting is an environment variable. This page is written by `make manifests` from the code,
which is what counts. A variable that is not set has its default; **key** marks what must not be seen: give it from a
secret store, never in a file under version control. Times are seconds where the name ends in `_s`.
"""


def sections() -> Iterator[tuple[str, str, dict[str, FieldInfo]]]:
    """Title, a line on whom it concerns, and the settings that are new there."""
    common = dict(ServiceSettings.model_fields)
    yield "Every service", "Also the topology job and the command line.", common
    keeping = {name: field for name, field in BackupSettings.model_fields.items() if name not in common}
    yield "Backup and restore", "`python -m openwork_bus.backup`, beside those above.", keeping
    outside = {name: field for name, field in HttpSettings.model_fields.items() if name not in common}
    classes = {service.name: settings_of(service) for service in services()}
    asking = [name for name, settings in classes.items() if issubclass(settings, HttpSettings)]
    yield "Services that ask others", f"{_listed(asking)}.", outside
    models = {name: field for name, field in ModelSettings.model_fields.items() if name not in common}
    judging = [name for name, settings in classes.items() if issubclass(settings, ModelSettings)]
    yield "Services that may ask a language model", f"{_listed(judging)}. Without a key none is asked.", models
    for service, settings in classes.items():
        inherited = [base for base in (ServiceSettings, HttpSettings, ModelSettings) if issubclass(settings, base)]
        known = {name for base in inherited for name in base.model_fields}
        own = {name: field for name, field in settings.model_fields.items() if name not in known}
        yield f"The service `{service}`", f"`services/{service}/openwork_{service}/settings.py`", own


def settings_of(service: ServiceSpec) -> type[ServiceSettings]:
    """Its class of settings; of a service that was made just now and is not installed yet, too."""
    folder = str(ROOT / "services" / service.name)
    if folder not in sys.path:
        sys.path.append(folder)
    found: type[ServiceSettings] = importlib.import_module(f"{service.package}.settings").Settings
    return found


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def render() -> str:
    """The whole page."""
    blocks = [_HEAD]
    for title, note, fields in sections():
        rows = [row for name, field in fields.items() for row in _rows(name, field)]
        table = "\n".join(["| Variable | Default | |", "|---|---|---|", *rows]) if rows else "None of its own."
        blocks.append(f"## {title}\n\n{note}\n\n{table}\n")
    return "\n".join(blocks)


def _rows(name: str, field: FieldInfo) -> list[str]:
    """One row for a value; for a group of thresholds one for each, by the name that sets it."""
    if isinstance(field.default, BaseModel):
        fields = type(field.default).model_fields
        return [row for inner, own in fields.items() for row in _rows(f"{name}__{inner}", own)]
    return [_row(name, field)]


def _row(name: str, field: FieldInfo) -> str:
    text = " ".join((field.description or "").split()).replace("|", "\\|")
    secret = "**key** " if SecretStr.__name__ in str(field.annotation) else ""
    return f"| `OPENWORK_{name.upper()}` | {_default(field)} | {secret}{text} |"


def _default(field: FieldInfo) -> str:
    if SecretStr.__name__ in str(field.annotation):
        return ""
    if field.default_factory is not None:
        return "below the user's cache folder"  # the only computed default there is, see HttpSettings
    value = field.default
    if value is None:
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`[{', '.join(map(str, value))}]`"
    return f"`{value}`" if value != "" else "empty"
