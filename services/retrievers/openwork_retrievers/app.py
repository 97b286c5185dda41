"""Wiring of the retrievers: one consumer per source. A deployment runs one source; a laptop runs all in one process."""

from __future__ import annotations

from functools import partial

from openwork_chassis.service import Service
from openwork_contracts.errors import UsageError
from openwork_contracts.plan import RetrievalRequested
from openwork_contracts.subjects import retriever_consumer

from openwork_retrievers.handlers import on_exhausted, on_retrieval_requested
from openwork_retrievers.library.source import LibrarySource
from openwork_retrievers.port import Source
from openwork_retrievers.settings import Settings


def create_service(settings: Settings | None = None) -> Service:
    """The retrievers of `settings.own_sources`, not yet started."""
    settings = settings or Settings()
    service = Service("retrievers", settings)
    for name in settings.own_sources:
        handler = partial(on_retrieval_requested, source=create_source(name, settings))
        service.subscribe(retriever_consumer(name), {RetrievalRequested: handler}, last_resort=on_exhausted)
    return service


def create_source(name: str, settings: Settings) -> Source:
    """The source of that route.

    Raises:
        UsageError: there is none of that name.
    """
    if name == LibrarySource.route:
        return LibrarySource(settings.library_dir, limit=settings.library_limit)
    raise UsageError(f"no source is called {name!r}; `openwork sources list` shows those there are")
