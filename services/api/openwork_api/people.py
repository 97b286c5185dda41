"""Who asks. Everything that a request may do, it does as somebody."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from openwork_contracts.accounts import API_ACCOUNT, LOCAL_ACCOUNT


class Scope(StrEnum):
    """What a key may do: with the runs of its person, or see of the system."""

    READ = "read"
    """See the person's runs, export them, follow them."""
    ASK = "ask"
    """Ask, cancel, verify a text."""
    DELETE = "delete"
    """Delete the person's runs."""
    OBSERVE = "observe"
    """See figures about the runs of everybody, none of which says whose it was or what was asked."""


ALL_SCOPES = frozenset(Scope)
OWN_SCOPES = ALL_SCOPES - {Scope.OBSERVE}
"""What anybody may with runs of their own. To observe is given by name."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whose runs are theirs alone."""

    name: str | None
    """A token of the bus, e.g. `dr-weiss`; `None` = whoever sits at this machine, the account `local`."""
    scopes: frozenset[Scope] = OWN_SCOPES
    key_id: str | None = None
    """The key with which they came, or began their session; limits count by it. `None` = they came without one."""
    runs_per_day: int | None = None
    """Runs that the key may begin in a day; `None` = as the settings say."""

    @property
    def account(self) -> str:
        """The account on the bus in which they ask."""
        return LOCAL_ACCOUNT if self.name is None else API_ACCOUNT

    @property
    def owner(self) -> str:
        """Whose their runs are, as documents say it."""
        return self.account if self.name is None else f"{API_ACCOUNT}/{self.name}"

    def may(self, scope: Scope) -> bool:
        """Whether they may do that."""
        return scope in self.scopes


LOCAL = Person(None, ALL_SCOPES)
"""Whoever sits at this machine: they share their runs with the terminal, and the system is theirs."""
