"""To add, remove and renew accounts at any place. What fails halfway is taken back."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from openwork_contracts.accounts import check_account
from openwork_contracts.errors import OpenWorkError

from openwork_laptop.accounts.askers import Asker, parse, render, with_asker, without
from openwork_laptop.accounts.keys import new_key
from openwork_laptop.accounts.places import Place
from openwork_laptop.accounts.proof import gateway_answers, logged_in, prove_inbox


@dataclass(frozen=True, slots=True)
class Added:
    """A new account that was tried."""

    name: str
    seed: str
    """Secret, and kept nowhere."""
    url: str
    gateway_answered: bool
    """False = its login and its inbox were tried, and no gateway runs that could answer."""


async def add(place: Place, name: str, *, again: bool = False) -> Added:
    """A new account, tried by requests of its own.

    Args:
        again: although an account of this name was there before, whose runs the new one will read.
    Raises:
        UsageError: the name cannot be used. OpenWorkError: it did not work; what was written was taken back.
    """
    check_account(name)
    old = await place.read()
    seed, key = new_key()
    new = render(with_asker(parse(old), Asker(name, key)))
    await place.make_inbox(name, again=again)
    try:
        await place.replace(old, new)
        await place.reload()
        async with place.reached() as address, logged_in(address, seed) as connection:
            await prove_inbox(connection, name, place.reload)
            return Added(name, seed, address.url, await gateway_answers(connection))
    except BaseException as error:
        left = await asyncio.shield(_taken_back(place, name, key))
        if isinstance(error, OpenWorkError):
            raise type(error)(f"the account {name!r} was not added: {error}. {left}") from error
        raise


async def _taken_back(place: Place, name: str, key: str) -> str:
    """What is left of a new account, in words."""
    inbox = "Its empty inbox stays; add it with --again"
    try:
        text = await place.read()
        if Asker(name, key) not in (askers := parse(text)):
            return f"Nothing of it is in {place.where}. {inbox}"
        await place.replace(text, render(without(askers, name)))
        await place.reload()
    except (OpenWorkError, OSError) as error:
        return f"And it could not be taken back ({error}): remove it from {place.where}"
    return f"It was taken out of {place.where}. {inbox}"


async def remove(place: Place, name: str) -> None:
    """Take an account away; who is logged in with its key is disconnected. What is stored of it stays.

    Raises:
        UsageError: it is not there.
    """
    old = await place.read()
    await place.replace(old, render(without(parse(old), name)))
    await place.reload()
    await place.reload()


async def renew(place: Place) -> tuple[Asker, ...]:
    """Write the blocks of all accounts anew: a new version of the services may export more."""
    old = await place.read()
    askers = parse(old)
    await place.replace(old, render(askers))
    await place.reload()
    await place.reload()
    return askers
