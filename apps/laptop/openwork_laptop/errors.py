"""Errors of the services' code as those of the client, which are all that the command knows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from openwork import errors as client_errors


@contextmanager
def as_client_errors() -> Iterator[None]:
    """An error of the contracts is raised as the client's of the same name; a bad setting as a UsageError.

    Raises:
        openwork.errors.OpenWorkError: in place of openwork_contracts.errors.OpenWorkError.
    """
    try:
        yield
    except client_errors.OpenWorkError:
        raise
    except Exception as error:
        raise _translated(error) from error


def _translated(error: Exception) -> Exception:
    from openwork_contracts.errors import OpenWorkError
    from pydantic import ValidationError

    if isinstance(error, OpenWorkError):
        return client_errors.error_of(str(error), type(error).__name__)
    if isinstance(error, ValidationError):
        found = error.errors(include_input=False, include_url=False)[0]
        name = "OPENWORK_" + "_".join(str(part) for part in found["loc"]).upper()
        return client_errors.UsageError(f"the setting {name} cannot be used: {found['msg']}")
    return error
