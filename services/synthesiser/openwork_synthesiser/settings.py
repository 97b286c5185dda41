"""Settings of the synthesiser. The only reader of the environment here."""

from __future__ import annotations

from openwork_chassis.settings import ChassisSettings


class Settings(ChassisSettings):
    """Nothing beyond what every service has."""
