"""The services that are installed here, found by their entry point; there is no list of them.

Each service's pyproject.toml declares `[project.entry-points."openwork.services"]` (an asker's: "openwork.askers"): its
name and its `create_service`.
So what is installed is what runs, in a checkout as from wheels, and a new service is seen without a change here.
Services start all at once and wait for the bus, so that they have no order of starting; the order of the flow is the
contracts'.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from openwork_bus.settings import ServiceSettings
from openwork_bus.startable import Startable
from openwork_contracts.patterns import events_of
from openwork_contracts.pipelines import ANSWER, pipeline_named
from openwork_contracts.subjects import CONSUMERS, EVENTS, retriever_consumer

GROUP = "openwork.services"
ASKERS = "openwork.askers"
"""Services that are askers on the bus: `openwork up` starts them, a command that asks one question does not."""


def service_names() -> tuple[str, ...]:
    """Every installed service, by the one word that is also its package, image and deployment."""
    return tuple(sorted(_declared()))


def asker_names() -> tuple[str, ...]:
    """Every installed service that is an asker on the bus."""
    return tuple(sorted(_askers()))


def settings_class(name: str) -> type[ServiceSettings]:
    """The settings of a service."""
    package = _all()[name].module.rpartition(".")[0]
    found: type[ServiceSettings] = importlib.import_module(f"{package}.settings").Settings
    return found


def factory(name: str) -> Callable[[ServiceSettings], Startable]:
    """What makes a service, not yet started."""
    create: Callable[[ServiceSettings], Startable] = _all()[name].load()
    return create


def replay_steps(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The events that start each service's step of an answer, in the order of the flow: published to take it up there.

    They are the events that it takes from services before it. What comes back from one behind it (a revision, a further
    round) is made anew by the services, if it is needed at all. A service that only answers whoever called it, as the
    full-text service does the reranker, is part of the caller's step; one that takes nothing but deadlines has none.
    """
    takes = _takes()
    of_answers = takes.keys() | _ASKERS
    publishers = {spec.name: set(spec.publishers) & of_answers for spec in EVENTS}
    places = _places(takes, publishers)
    steps = {}
    for name in sorted({*names} & {*places}, key=lambda name: (places[name], name)):
        before = {other for other, place in places.items() if place < places[name]} | _ASKERS
        events = tuple(event for event in takes[name] if publishers[event] & before)
        given = [event for event, who in publishers.items() if name in who]
        readers = {other for other, taken in takes.items() if set(taken) & set(given)}
        if events and not (readers and readers <= before and not _has_the_last_word(name, takes)):
            steps[name] = events
    return steps


_EVENTS_OF_ANSWERS = frozenset(pipeline_named(ANSWER).events)
_ASKERS = frozenset({"client", "gateway"})
"""Where runs begin."""


def _takes() -> Mapping[str, tuple[str, ...]]:
    takes: dict[str, tuple[str, ...]] = {}
    for spec in (*CONSUMERS, retriever_consumer("any")):
        if spec.only not in (None, ANSWER):
            continue
        takes[spec.service] = tuple(dict.fromkeys((*takes.get(spec.service, ()), *events_of(spec))))
    return takes


def _places(takes: Mapping[str, tuple[str, ...]], publishers: Mapping[str, set[str]]) -> dict[str, int]:
    """How far a service is from the question, by the shortest way along the events."""
    places: dict[str, int] = {}
    reached, place = set(_ASKERS), 0
    while reached:
        place += 1
        reached = {
            name
            for name, events in takes.items()
            if name not in places and name not in _ASKERS and any(publishers[event] & reached for event in events)
        }
        places |= dict.fromkeys(reached, place)
    return places


def _has_the_last_word(name: str, takes: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether it publishes what no service takes: the outcome of a track."""
    taken = {event for events in takes.values() for event in events}
    return any(
        name in spec.publishers and spec.name not in taken for spec in EVENTS if spec.model in _EVENTS_OF_ANSWERS
    )


@cache
def _declared() -> dict[str, EntryPoint]:
    found = {point.name: point for point in entry_points(group=GROUP)}
    if not found:
        raise RuntimeError(f"no service is installed: no entry point in the group {GROUP}; run `make setup`")
    return found


@cache
def _askers() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ASKERS)}


def _all() -> dict[str, EntryPoint]:
    return _declared() | _askers()
