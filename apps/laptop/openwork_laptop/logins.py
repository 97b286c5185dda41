"""Users of a server on this machine: each service its own, with a password that is made once and kept in the folder."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from openwork_bus.settings import ServiceSettings
from pydantic import SecretStr

S = TypeVar("S", bound=ServiceSettings)

_FILE = "nats-users.json"
_VARIABLE = "OPENWORK_NATS_PASSWORD_"


def accounts_text() -> str:
    """The accounts of every server, as configuration of NATS; made from the contracts by `make manifests`."""
    return (files("openwork_laptop") / "accounts.conf").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Logins:
    """Passwords by user."""

    passwords: Mapping[str, str]

    @property
    def environment(self) -> dict[str, str]:
        """Variables from which the server reads them."""
        return {f"{_VARIABLE}{user.upper()}": password for user, password in self.passwords.items()}

    def variables_of(self, user: str) -> dict[str, str]:
        """Variables by which a process logs in as that user."""
        return {"OPENWORK_NATS_USER": user, "OPENWORK_NATS_PASSWORD": self.passwords[user]}

    def settings_of(self, user: str, settings: S) -> S:
        """The settings of a service that logs in as that user."""
        login = {"nats_user": user, "nats_password": SecretStr(self.passwords[user])}
        return settings.model_copy(update=login)


def logins_in(folder: Path) -> Logins:
    """The logins of the server of a folder, made when there are none; readable for their owner alone."""
    path = folder / _FILE
    known: dict[str, str] = {}
    if path.exists():
        known = json.loads(path.read_text(encoding="utf-8"))
    users = _users()
    if missing := [user for user in users if user not in known]:
        # A letter first: the configuration would read a word that begins with a digit as a number.
        known |= {user: f"p{secrets.token_hex(20)}" for user in missing}
        scratch = path.with_suffix(".tmp")
        descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(known, file)
        scratch.replace(path)
    return Logins(known)


def _users() -> list[str]:
    """Every user whose password the accounts take from the environment."""
    words = accounts_text().replace("}", " ").replace(",", " ").split()
    return [word.removeprefix(f"${_VARIABLE}").lower() for word in words if word.startswith(f"${_VARIABLE}")]
