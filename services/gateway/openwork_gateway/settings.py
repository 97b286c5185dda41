"""Settings of the gateway. The only reader of the environment here."""

from __future__ import annotations

from openwork_bus.settings import ServiceSettings


class Settings(ServiceSettings):
    """Nothing beyond what every service has."""
