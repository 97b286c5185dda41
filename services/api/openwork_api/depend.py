"""What handlers ask for: who asks, with the right to do what they are about to do, and the bus."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Request
from openwork_bus.run_ids import is_run_id
from openwork_contracts.errors import RunNotFound

from openwork_api.asker import Asker
from openwork_api.people import Person, Scope
from openwork_api.problems import ProblemError
from openwork_api.security.guard import Guard


def the_asker(request: Request) -> Asker:
    """The bus."""
    asker: Asker = request.app.state.asker
    return asker


async def _somebody(request: Request) -> Person:
    guard: Guard = request.app.state.guard
    request.state.person = person = await guard.person(request)
    return person


def _may(scope: Scope, person: Person) -> Person:
    if not person.may(scope):
        raise ProblemError(403, "ScopeMissing", f"this key may not do that: it lacks the scope {scope.value!r}")
    return person


def _reader(person: Annotated[Person, Depends(_somebody)]) -> Person:
    return _may(Scope.READ, person)


def _questioner(person: Annotated[Person, Depends(_somebody)]) -> Person:
    return _may(Scope.ASK, person)


def _deleter(person: Annotated[Person, Depends(_somebody)]) -> Person:
    return _may(Scope.DELETE, person)


def _observer(person: Annotated[Person, Depends(_somebody)]) -> Person:
    return _may(Scope.OBSERVE, person)


def _run_id(run_id: Annotated[str, Path(description="A ULID.", examples=["01JD3W8Q4Z5N6P7R8S9TAVBWCX"])]) -> str:
    wanted = run_id.upper()
    if not is_run_id(wanted):
        raise RunNotFound(f"{run_id[:40]!r} is not a run id; a run id is a ULID of 26 characters")
    return wanted


Bus = Annotated[Asker, Depends(the_asker)]
Reader = Annotated[Person, Depends(_reader)]
Questioner = Annotated[Person, Depends(_questioner)]
Deleter = Annotated[Person, Depends(_deleter)]
Observer = Annotated[Person, Depends(_observer)]
RunPath = Annotated[str, Depends(_run_id)]
