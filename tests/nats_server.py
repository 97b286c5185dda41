"""A nats-server for tests: the accounts of every other, and one user more in that of the services, who may do all."""

from __future__ import annotations

from openwork_laptop.embedded import EmbeddedServer

TRUSTED = "tests"


class OpenServer(EmbeddedServer):
    """`url` is that of the trusted user; an asker comes by `asker_url`, a service by `logins`."""

    @property
    def url(self) -> str:
        """Where a test connects that looks at everything."""
        return f"nats://{TRUSTED}:{TRUSTED}@127.0.0.1:{self.port}"

    @property
    def asker_url(self) -> str:
        """Where an asker without credentials connects."""
        return f"nats://127.0.0.1:{self.port}"

    def accounts(self) -> str:
        """With the trusted user."""
        first = "    users: [\n"
        return super().accounts().replace(first, f"{first}      {{ user: {TRUSTED}, password: {TRUSTED} }}\n", 1)
