"""The tables of events in each service's README, from the contracts' table: what it takes, by which function, and what
it publishes. From README's row of a service to the handler of any event it is two clicks.

Handlers are found in the source by the annotation of their first parameter, as the bus package finds them when it
runs: nothing of a service is imported here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from openwork_contracts.answer import AnswerConcluded
from openwork_contracts.meta import Event
from openwork_contracts.plan import DeadlineReached
from openwork_contracts.requests import API_REQUESTS, REQUESTS
from openwork_contracts.subjects import ASK_SUBJECT, CONSUMERS, EVENTS, SHARED_CONSUMERS, ConsumerSpec, Taken, spec_of
from openwork_contracts.subjects import retriever_consumer as of_source

from deploy.registry import ROOT, RegistryError, ServiceSpec

_CONTRACTS = "../../contracts/openwork_contracts"
_ROWS: tuple[ConsumerSpec, ...] = (*CONSUMERS, *SHARED_CONSUMERS)


def events_tables(service: ServiceSpec) -> str:
    """What the service takes, answers and publishes, each with a link to where that is written.

    Raises:
        RegistryError: it takes an event or answers a request for which it has no function.
    """
    if service.asker:
        return _table("asks", ("what for",), _asked(service))
    tables = [_table("takes", ("through", "handler"), _taken(service))]
    if service.answers:
        tables.append(_table("answers", ("function",), _answered(service)))
    tables.append(_table("publishes", ("taken by",), _published(service)))
    return "\n\n".join(tables)


def _table(first: str, others: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    head = (first, *others)
    return "\n".join((_row(head), _row(("---",) * len(head)), *map(_row, rows)))


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _taken(service: ServiceSpec) -> Iterator[tuple[str, ...]]:
    handlers = handlers_of(service)
    for consumer in _consumers(service):
        for taken in consumer.takes:
            name = taken.model.__name__
            if name not in handlers:
                raise RegistryError(f"{service.name}: {service.package}/handlers.py: no function takes {name}")
            yield _event(taken.model, _route(taken)), f"`{consumer.durable}`", _function(service, handlers[name])


def _consumers(service: ServiceSpec) -> Iterator[ConsumerSpec]:
    yield from (row for row in _ROWS if row.service == service.name)
    if of_source("x").service == service.name:
        yield of_source("<source>")


def _route(taken: Taken) -> str:
    return "" if taken.route in ("*", "<source>") else f", route `{taken.route}`"


def _answered(service: ServiceSpec) -> Iterator[tuple[str, ...]]:
    files = sorted((ROOT / "services" / service.name / service.package).glob("*.py"))
    answers = {node.name: file.name for file in files for node in _functions(service, file.name)}
    for subject in service.answers:
        name = f"answer_{subject.rsplit('.', 1)[1]}"
        if name not in answers:
            raise RegistryError(f"{service.name}: {service.package}: no function is called {name}")
        yield _request(subject), _function(service, name, answers[name])


def _asked(service: ServiceSpec) -> Iterator[tuple[str, ...]]:
    """An asker asks what every asker may, and what the account `api` alone may, in which it is."""
    yield from ((_request(subject), what) for _, subject, what in (*REQUESTS, *API_REQUESTS))


def _request(subject: str) -> str:
    module = "question" if subject == ASK_SUBJECT else "requests"
    return f"[`{subject}`]({_CONTRACTS}/{module}.py)"


def _published(service: ServiceSpec) -> Iterator[tuple[str, ...]]:
    for spec in EVENTS:
        if spec.model is DeadlineReached:
            for joiner in service.timers:
                yield _event(spec.model, f", route `{joiner}`"), ", ".join(_takers(spec.model, joiner))
        elif service.name in spec.publishers:
            yield _event(spec.model, ""), ", ".join(_takers(spec.model)) or "nobody yet"
    ends = next(spec for spec in EVENTS if spec.model.terminal)
    yield _event(ends.model, ""), "whoever asked"


def _takers(model: type[Event], route: str | None = None) -> Iterator[str]:
    """The services that take an event: on that route, or on any."""
    if model is AnswerConcluded:
        yield "whoever asked"
    rows = [row for row in (*_ROWS, of_source("x")) for taken in row.takes if _takes(taken, model, route)]
    yield from (f"[{name}](../{name}/README.md)" for name in dict.fromkeys(row.service for row in rows))


def _takes(taken: Taken, model: type[Event], route: str | None) -> bool:
    return taken.model is model and route in (None, taken.route)


def _event(model: type[Event], more: str) -> str:
    return f"[`{spec_of(model).name}`]({_CONTRACTS}/{model.__module__.rsplit('.', 1)[1]}.py){more}"


def _function(service: ServiceSpec, name: str, file: str = "handlers.py") -> str:
    return f"[`{name}`]({service.package}/{file})"


def handlers_of(service: ServiceSpec) -> dict[str, str]:
    """Class of an event -> the function whose first parameter takes it, alone or in a union; an asker takes none."""
    found: dict[str, str] = {}
    if service.asker:
        return found
    for node in _functions(service, "handlers.py"):
        annotation = node.args.args[0].annotation if node.args.args else None
        if node.name.startswith("on_") and annotation is not None:
            found |= {part.id: node.name for part in ast.walk(annotation) if isinstance(part, ast.Name)}
    return found


def _functions(service: ServiceSpec, file: str) -> list[ast.AsyncFunctionDef]:
    tree = ast.parse((ROOT / "services" / service.name / service.package / file).read_text())
    return [node for node in tree.body if isinstance(node, ast.AsyncFunctionDef)]
