"""Types of the bodies that the API takes. They are strict: a number in quotation marks is no number."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from openwork_contracts import question
from openwork_contracts.pipelines import PIPELINES
from pydantic import AfterValidator, BeforeValidator, Field, Strict

_ROUTE = r"^[a-z0-9][a-z0-9_-]{0,63}$"
ULID = r"^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$"


def _whole(value: object) -> object:
    """JSON knows one kind of number: 3.0 is as whole as 3."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Place = Annotated[int, Strict(), Field(ge=1, le=10_000), BeforeValidator(_whole)]
"""A number that counts from 1."""
Year = Annotated[int, Strict(), Field(ge=1500, le=3000), BeforeValidator(_whole)]
ChosenYear = Annotated[question.Year, Strict(), BeforeValidator(_whole)]
"""A bound of the years of publication, as the contracts take it."""
Studies = Annotated[int, Strict(), Field(ge=1, le=200), BeforeValidator(_whole)]
"""Most studies that a review reads."""
Source = Annotated[str, Field(pattern=_ROUTE)]
"""A source by its route, e.g. "pubmed"."""
RunName = Annotated[str, Field(pattern=ULID), AfterValidator(str.upper)]
"""A run id, in small letters too."""
PipelineName = StrEnum("PipelineName", {spec.name.upper(): spec.name for spec in PIPELINES})  # type: ignore[misc]
"""A kind of run that the contracts know; which are installed, the services say."""
