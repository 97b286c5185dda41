"""Logins of the command that saves and restores."""

from __future__ import annotations

from openwork_contracts.accounts import API_ACCOUNT, SERVICES_ACCOUNT
from pydantic import SecretStr

from openwork_bus.settings import ServiceSettings

SAVES = {SERVICES_ACCOUNT: "backup", API_ACCOUNT: "apibackup"}
"""Who reads the streams of an account; may change nothing."""
RESTORES = {SERVICES_ACCOUNT: "restore", API_ACCOUNT: "apirestore"}
"""Who deletes them and puts others in their place; reads nothing."""


class BackupSettings(ServiceSettings):
    """The settings of every service, and passwords by the names that the server knows them by."""

    nats_password_backup: SecretStr | None = None
    """Password of the user `backup`, who saves what the services keep."""
    nats_password_apibackup: SecretStr | None = None
    """Password of the user `apibackup`, who saves what the HTTP API keeps: keys and sessions."""
    nats_password_restore: SecretStr | None = None
    """Password of the user `restore`, who replaces what the services keep. For people: no program needs it."""
    nats_password_apirestore: SecretStr | None = None
    """Password of the user `apirestore`, who replaces what the HTTP API keeps. For people."""

    def password_of(self, user: str) -> SecretStr | None:
        """The password of one of these users; `None` = it was not given."""
        found: SecretStr | None = getattr(self, f"nats_password_{user}")
        return found

    def logged_in(self, user: str) -> ServiceSettings:
        """The settings of a connection as that user."""
        return self.model_copy(update={"nats_user": user, "nats_password": self.password_of(user)})
