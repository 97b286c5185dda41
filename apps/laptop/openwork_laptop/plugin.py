"""What the `openwork` command asks of this app where no services run: to start some, or to do it without them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from openwork.errors import UsageError

from openwork_laptop.errors import as_client_errors

T = TypeVar("T")


class LocalStack:
    """See `openwork_cli.plugins.Stack`. Imports the services when they are needed."""

    def run(self, work: Callable[[str], Coroutine[Any, Any, T]], *, services: Sequence[str] | None = None) -> T:
        """Start a NATS server and services (`None` = all), do the work with its URL, stop them.

        Raises:
            openwork.errors.OpenWorkError: they cannot be started, and whatever the work raises.
        """
        with as_client_errors():
            from openwork_bus import loop

            from openwork_laptop.stack import SERVICES, embedded

            async def inside() -> T:
                async with embedded(services=SERVICES if services is None else services) as url:
                    return await work(url)

            return loop.run(inside())

    def verify(self, text: str, evidence: Sequence[Mapping[str, Any]], where: str) -> dict[str, Any]:
        """A VerificationReport as JSON.

        Raises:
            openwork.errors.UsageError: an item of the evidence has another form.
        """
        with as_client_errors():
            from openwork_contracts.text import clean
            from openwork_verifier.domain.gate import verify_answer

            from openwork_laptop.offline import evidence_items

            return verify_answer(clean(text), evidence_items(evidence, where)).model_dump(mode="json")

    def write_review(self, document: Mapping[str, Any], folder: Path) -> Sequence[Path]:
        """The files of a review, each whole or not at all; their paths.

        Raises:
            openwork.errors.UsageError: it is no review, or the folder cannot be written.
        """
        with as_client_errors():
            from openwork_contracts.answer import AnswerDocument
            from openwork_report.review.files import review_files

            from openwork_laptop.exporting import write

            return write(review_files(AnswerDocument.model_validate(document)), folder)

    def check_sources(self, names: Sequence[str]) -> None:
        """Raises openwork.errors.UsageError when no source has one of these names."""
        with as_client_errors():
            from openwork_evidence.library.record import SOURCE
            from openwork_retrievers.domain.registry import SOURCES

            known = {SOURCE, *(spec.route for spec in SOURCES)}
        if unknown := [name for name in names if name not in known]:
            raise UsageError(f"no source is called {unknown[0]!r}; `openwork sources list` shows those there are")

    def checks(self, server: str | None = None) -> list[dict[str, str]]:
        """Every check of this machine and of a server, in the order in which an answer needs them."""
        with as_client_errors():
            from openwork_bus import loop

            from openwork_laptop.checks import run_checks

            return [asdict(finding) for finding in loop.run(run_checks(server))]


stack = LocalStack()
