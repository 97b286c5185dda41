"""Wiring of the web app and the HTTP API."""

from __future__ import annotations

from openwork_api.service import ApiService
from openwork_api.settings import Settings


def create_service(settings: Settings | None = None) -> ApiService:
    """The service, not yet started."""
    return ApiService(settings or Settings())
