"""What commands print: progress while a run goes on, the answer for eyes, the answer for programs."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from openwork_bus.bus import StoredEvent
from openwork_contracts.answer import AnswerDocument, AnswerDrafted, RevisionRequested, RunStatus
from openwork_contracts.errors import UsageError
from openwork_contracts.evidence import EvidenceNormalised
from openwork_contracts.gap import SynthesisRequested
from openwork_contracts.plan import RetrievalCompleted, RetrievalFailed, SearchPlanned
from openwork_contracts.ranking import DocumentsRanked, EvidenceRanked
from openwork_gateway.domain.markdown import unescaped
from openwork_gateway.domain.render import DISCLAIMER, method_lines, render_document, render_reference

EXIT_CODES = {
    RunStatus.ANSWERED: 0,
    RunStatus.REJECTED: 2,
    RunStatus.TOO_LITTLE_EVIDENCE: 3,
    RunStatus.FAILED: 1,
    RunStatus.RUNNING: 1,
}


def exit_code(document: AnswerDocument) -> int:
    """The exit code of a run's status."""
    return EXIT_CODES[document.status]


def print_json(document: AnswerDocument) -> None:
    """One object, and nothing else."""
    sys.stdout.write(document.model_dump_json(indent=2) + "\n")


def describe(stored: StoredEvent) -> str | None:
    """One line of progress for an event; `None` for those that say nothing to a reader."""
    match stored.event:
        case SearchPlanned() as event:
            again = f" (round {event.round}: {event.reason})" if event.round > 1 else ""
            return f"searching {', '.join(event.sources)}{again}"
        case RetrievalCompleted() as event:
            return f"{event.source}: {len(event.records)} records"
        case RetrievalFailed() as event:
            return f"{event.source} failed: {event.message}"
        case EvidenceNormalised() as event:
            return f"{event.counts.screened} works after {event.counts.duplicates} duplicates"
        case DocumentsRanked() as event:
            return f"{len(event.shortlist)} works shortlisted by {event.report.scorer}"
        case EvidenceRanked() as event:
            return f"{len(event.passages)} passages of {len(event.documents)} works ranked"
        case SynthesisRequested() as event:
            return f"evidence {event.gap.assessment.value}, coverage {event.gap.coverage:.2f}"
        case AnswerDrafted() as event:
            return f"draft {event.revision + 1}: {sum(len(s.claims) for s in event.sections)} sentences, now checked"
        case RevisionRequested() as event:
            return f"{len(event.failed)} sentences did not pass; revising"
        case _:
            return None


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[StoredEvent], None]]:
    """A live line on stderr where that is a terminal; silence elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield lambda stored: None
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    with console.status("starting") as status:

        def show(stored: StoredEvent) -> None:
            line = describe(stored)
            if line:
                status.update(line)
                console.print(f"  [dim]{line.replace('[', chr(92) + '[')}[/dim]")

        yield show


def print_document(document: AnswerDocument, *, out: Path | None = None) -> None:
    """The answer for eyes: text, references, method. Plain text where stdout is not a terminal."""
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=not sys.stdout.isatty())
    title = {
        RunStatus.ANSWERED: None,
        RunStatus.REJECTED: "Not searched for",
        RunStatus.TOO_LITTLE_EVIDENCE: "Too little evidence",
        RunStatus.FAILED: "The run failed",
        RunStatus.RUNNING: "The run has not ended yet",
    }[document.status]
    if title:
        console.print(Text(title, style="bold"))
    if not console.is_terminal:
        sys.stdout.write(_plain(document))
    else:
        console.print(Markdown(document.answer.markdown))
        if document.references:
            console.print(Text("\nReferences", style="bold"))
            for reference in document.references:
                console.print(Markdown(f"\\[{reference.n}\\] {render_reference(reference)}"))
        _print_rest(document, console.print)
    if out is not None:
        sys.stdout.write(f"\nWritten to {out}/answer.md, answer.json, events.jsonl\n")


def _plain(document: AnswerDocument) -> str:
    parts = [unescaped(document.answer.markdown), ""]
    if document.references:
        parts += ["References", *(f"[{r.n}] {_unlinked(render_reference(r))}" for r in document.references), ""]
    _print_rest(document, lambda text: parts.append(str(text)))
    return "\n".join(parts) + "\n"


def _unlinked(markdown: str) -> str:
    """Markdown links as plain text: the words, then the address."""
    plain = re.sub(r"\[((?:\\.|[^\]\\])*)\]\((\S+?)\)(?=[.\s])", r"\1 <\2>", markdown)
    return unescaped(plain.replace(" _(", " (").replace(")_", ")"))


def _print_rest(document: AnswerDocument, write: Callable[[object], None]) -> None:
    from rich.text import Text

    if document.withheld:
        write(Text("\nHeld back: these sentences of the draft did not pass the check", style="bold"))
        for claim in document.withheld:
            write(Text(f"- {claim.text} ({'; '.join(reason.detail for reason in claim.reasons)})"))
    write(Text("\nMethod", style="bold"))
    for line in method_lines(document):
        write(Text(f"- {line}"))
    write(Text(f"\n{DISCLAIMER}", style="dim"))


def write_folder(folder: Path, document: AnswerDocument, events: Sequence[str]) -> None:
    """answer.md, answer.json and the run's events, one a line.

    Raises:
        UsageError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "answer.md").write_text(render_document(document), encoding="utf-8")
        (folder / "answer.json").write_text(document.model_dump_json(indent=2) + "\n", encoding="utf-8")
        (folder / "events.jsonl").write_text("".join(f"{line}\n" for line in events), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}") from error
