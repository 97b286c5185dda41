"""Criteria as data: what a record has to be, for which track, and what proves that it is not.

The published default is `criteria.toml`; a run may bring its own of the same form.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from openwork_contracts.errors import UsageError
from openwork_contracts.evidence import EvidenceStatus, StudyDesign
from openwork_contracts.question import Track
from openwork_contracts.strategy import BlockRole
from pydantic import BaseModel, ConfigDict, Field, ValidationError


class Criterion(BaseModel):
    """One thing that a record has to be. What excludes is given; what is not known excludes nothing."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: str = Field(pattern=r"^[a-z][a-z_]*$")
    """Under which exclusions are counted: "design", "population"."""
    words: str = Field(min_length=1)
    """What is wanted, for a reader."""
    tracks: tuple[Track, ...] = Field(min_length=1)
    excludes_designs: frozenset[StudyDesign] = frozenset()
    excludes_statuses: frozenset[EvidenceStatus] = frozenset()
    unless_results: bool = False
    """A record of an excluded design that reports results stays: a registration with its results."""
    blocks: tuple[BlockRole, ...] = ()
    """Parts of the question that the record has to name."""
    may_exclude: bool = True
    """False: a record that does not name the part stays undecided, since titles and abstracts often leave it out."""


class Criteria(BaseModel):
    """The criteria of a run, in the order in which they decide."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    criterion: tuple[Criterion, ...] = Field(min_length=1)

    def of(self, track: Track) -> tuple[Criterion, ...]:
        """Those of one track."""
        return tuple(one for one in self.criterion if track in one.tracks)


@cache
def default_criteria() -> Criteria:
    """The published ones."""
    return read_criteria(files("openwork_screening").joinpath("criteria.toml").read_text("utf-8"))


def read_criteria(text: str) -> Criteria:
    """Criteria out of TOML.

    Raises:
        UsageError: no TOML, an unknown key, design or track; the message says which.
    """
    try:
        return Criteria.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"the criteria are no TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"criteria, {where}: {first['msg']}") from error
