"""The services of this repository: one `service.toml` each, read and checked here and nowhere else.

A folder below `services/` is a service. Its `service.toml` says what no contract says; the contracts' tables say which
events it publishes and takes. From the two `python -m deploy.generate` makes whatever names a service. A service that
runs needs neither: the laptop finds the installed ones by their entry point `openwork.services`, so that a wheel holds
nothing but code and no list of names is kept there. One that is an asker has its entry point in `openwork.askers`.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from openwork_contracts.accounts import API_ACCOUNT
from openwork_contracts.buckets import BucketSpec, bucket_named
from openwork_contracts.requests import API_REQUESTS, REQUESTS
from openwork_contracts.subjects import EVENTS
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

ROOT = Path(__file__).resolve().parent.parent
NAME = re.compile(r"[a-z][a-z]{1,23}")
"""One lower-case word: it is a package, an image, a durable, a NATS user and a part of an environment variable."""
Line = Annotated[str, StringConstraints(min_length=1, pattern=r"^[^\n|]+$")]
"""A cell of README's table."""
Size = Annotated[str, StringConstraints(pattern=r"^\d+Mi$")]


class RegistryError(ValueError):
    """A `service.toml` that is missing or wrong; the message names the file."""


class _Table(BaseModel):
    """Frozen; a key that is not known is refused: a misspelt one would be ignored without a word."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Resources(_Table):
    """What a pod asks for and may take; measured by `make measure` (docs/deployment.md)."""

    cpu: Annotated[str, StringConstraints(pattern=r"^\d+m$")] = "100m"
    memory: Size = "128Mi"
    memory_limit: Size = "256Mi"
    minimum: int = Field(default=1, ge=1, le=100)
    maximum: int = Field(default=10, ge=1, le=1000)
    why: Line = "short work"
    """Why so many pods; a cell of the table in docs/deployment-kubernetes.md."""


class Container(_Table):
    """One container of a service that has several, by what each asks."""

    suffix: Annotated[str, StringConstraints(pattern=rf"^{NAME.pattern}$")]
    sources: tuple[str, ...] = Field(min_length=1)


_RIGHTS = ("timers", "buckets", "reads_buckets", "answers", "keeps_the_door", "reads_only", "containers")
"""Keys that give something to a user of the services' account, or to a retriever."""


class ServiceSpec(_Table):
    """One `service.toml`. What the contracts say (events, consumers, ack wait, concurrency) is not repeated in it."""

    name: Annotated[str, StringConstraints(pattern=rf"^{NAME.pattern}$")]
    order: int = Field(ge=0)
    """Place in the flow of an answer: rows, blocks and workloads stand in this order."""
    reads: Line
    decides: Line
    publishes: Line
    timers: tuple[str, ...] = ()
    """Joiners whose deadlines it sets. Such a service is trusted beyond its subjects: the server does not check what a
    timer is aimed at."""
    buckets: tuple[str, ...] = ()
    """Buckets of `openwork_contracts.buckets` that it reads and writes."""
    reads_buckets: tuple[str, ...] = ()
    """Buckets that it reads and never writes."""
    answers: tuple[str, ...] = ()
    """Request subjects that it answers, shared by its replicas."""
    asker: bool = False
    """Whether it is an asker on the bus, in the account `api`: it takes and publishes no event, and has no user among
    the services. It listens with HTTP, and scales on what it computes."""
    keeps_the_door: bool = False
    """Whether it reads the inboxes of askers, lets questions in, and stores what runs come to."""
    reads_bodies: bool = True
    """Whether it reads events of a run beside the one that it is given; without it, only which there are, and
    those of `reads_only`."""
    reads_only: tuple[str, ...] = ()
    """Events whose bodies it reads although it reads no others."""
    reaches: tuple[Literal["internet", "triton", "model"], ...] = ()
    """What it connects to beside NATS, DNS and Phoenix. `model` = a language model, where one is configured."""
    needs_internet: bool = False
    """Without a network it has nothing to do, and is not started."""
    keys: tuple[str, ...] = ()
    """Settings that are secrets of outside services; each is optional."""
    every_answer: bool = False
    """Whether every answer passes it: it has a spare in production."""
    image_extra: str = ""
    """An extra of its pyproject.toml that its image has: the pins are requirements/<name>-<extra>.txt."""
    containers: tuple[Container, ...] = ()
    """For a service with one workload per source: its containers in Compose."""
    resources: Resources = Resources()

    @field_validator("buckets", "reads_buckets")
    @classmethod
    def _known_buckets(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            try:
                bucket_named(name)
            except KeyError:
                raise ValueError(f"no bucket is called {name!r} in openwork_contracts.buckets") from None
        return names

    @field_validator("answers")
    @classmethod
    def _known_subjects(cls, subjects: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := set(subjects) - {subject for _, subject, _ in (*REQUESTS, *API_REQUESTS)}:
            raise ValueError(f"the contracts have no request subject {sorted(unknown)}")
        return subjects

    @field_validator("reads_only")
    @classmethod
    def _known_events(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := set(names) - {spec.name for spec in EVENTS}:
            raise ValueError(f"the contracts have no event {sorted(unknown)}")
        return names

    @model_validator(mode="after")
    def _without_rights_that_askers_have_not(self) -> ServiceSpec:
        given = [key for key in _RIGHTS if getattr(self, key)]
        if self.asker and given:
            raise ValueError(f"an asker has no user among the services, so it cannot have {', '.join(given)}")
        return self

    @property
    def user(self) -> str:
        """The NATS user that it logs in as."""
        return API_ACCOUNT if self.asker else self.name

    @property
    def package(self) -> str:
        """The Python package."""
        return f"openwork_{self.name}"

    @property
    def requirements(self) -> str:
        """The list of pins of its image, below requirements/."""
        return f"{self.name}-{self.image_extra}" if self.image_extra else self.name

    @property
    def bucket_specs(self) -> tuple[BucketSpec, ...]:
        """The rows of the buckets that it writes."""
        return tuple(bucket_named(name) for name in self.buckets)

    @property
    def read_bucket_specs(self) -> tuple[BucketSpec, ...]:
        """The rows of the buckets that it reads."""
        return tuple(bucket_named(name) for name in (*self.buckets, *self.reads_buckets))

    @property
    def container_names(self) -> tuple[str, ...]:
        """Its blocks in Compose."""
        return tuple(f"{self.name}-{container.suffix}" for container in self.containers) or (self.name,)


def folders(root: Path = ROOT) -> tuple[Path, ...]:
    """Every folder that is a service."""
    return tuple(sorted(path.parent for path in (root / "services").glob("*/pyproject.toml")))


def read_service(folder: Path) -> ServiceSpec:
    """The service of a folder.

    Raises:
        RegistryError: there is no `service.toml`, or it says what it may not.
    """
    path = folder / "service.toml"
    if not path.is_file():
        raise RegistryError(f"{folder.name}: services/{folder.name}/service.toml is missing")
    try:
        spec = ServiceSpec.model_validate(tomllib.loads(path.read_text()))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise RegistryError(f"{folder.name}: services/{folder.name}/service.toml: {error}") from error
    if spec.name != folder.name:
        raise RegistryError(f"{folder.name}: services/{folder.name}/service.toml has the name {spec.name!r}")
    return spec


@cache
def services(root: Path = ROOT) -> tuple[ServiceSpec, ...]:
    """Every service, in the order of the flow."""
    return tuple(sorted(map(read_service, folders(root)), key=lambda spec: (spec.order, spec.name)))


def service_named(name: str) -> ServiceSpec:
    """The service of that name; KeyError when there is none."""
    return {spec.name: spec for spec in services()}[name]
