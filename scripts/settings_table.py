"""docs/settings.md out of the code: every setting of every service, with its default and what it says of itself.

python scripts/settings_table.py [--check]
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from openwork_bus.settings import ServiceSettings
from openwork_http.settings import HttpSettings
from openwork_laptop.stack import SERVICES
from openwork_llm.settings import ModelSettings
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

TARGET = Path(__file__).resolve().parent.parent / "docs" / "settings.md"
_HEAD = """\
# Settings

Every setting is an environment variable. This page is written by `python scripts/settings_table.py` from the code,
which is what counts. A variable that is not set has its default; **key** marks what must not be seen: give it from a
secret store, never in a file under version control. Times are seconds where the name ends in `_s`.
"""


def sections() -> Iterator[tuple[str, str, dict[str, FieldInfo]]]:
    """Title, a line on whom it concerns, and the settings that are new there."""
    common = dict(ServiceSettings.model_fields)
    yield "Every service", "Also the topology job and the command line.", common
    outside = {name: field for name, field in HttpSettings.model_fields.items() if name not in common}
    yield "Services that ask others", "The retrievers and the full-text service.", outside
    models = {name: field for name, field in ModelSettings.model_fields.items() if name not in common}
    yield (
        "Services that may ask a language model",
        "Query, gap, synthesiser, verifier. Without a key none is asked.",
        models,
    )
    for service in SERVICES:
        settings = importlib.import_module(f"openwork_{service}.settings").Settings
        inherited = [base for base in (ServiceSettings, HttpSettings, ModelSettings) if issubclass(settings, base)]
        known = {name for base in inherited for name in base.model_fields}
        own = {name: field for name, field in settings.model_fields.items() if name not in known}
        if own:
            yield f"The service `{service}`", f"`services/{service}/openwork_{service}/settings.py`", own


def render() -> str:
    """The whole page."""
    blocks = [_HEAD]
    for title, note, fields in sections():
        rows = [row for name, field in fields.items() for row in _rows(name, field)]
        blocks.append(f"## {title}\n\n{note}\n\n| Variable | Default | |\n|---|---|---|\n" + "\n".join(rows) + "\n")
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the page is not current")
    if not parser.parse_args(arguments).check:
        TARGET.write_text(render())
        return 0
    if TARGET.is_file() and TARGET.read_text() == render():
        return 0
    sys.stderr.write("docs/settings.md is not current; run `make settings-table`\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
