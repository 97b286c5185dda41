"""What a format needs that is not installed everywhere."""

from __future__ import annotations

from openwork_contracts.errors import UsageError


def not_installed(what: str, package: str, extra: str) -> UsageError:
    """The error to raise in place of an ImportError: what cannot be made, and how it could be."""
    return UsageError(
        f"{what} needs the package {package}, which is not installed: pip install 'openwork-report[{extra}]'"
    )
