"""What commands print: progress while a run goes on, the answer for eyes, the answer for programs.

The gateway puts a document into words; here its Markdown becomes plain text or a terminal's.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openwork.errors import ContractViolation, UsageError
from openwork.models import Progress, Rendered, RunStatus, Verdict

if TYPE_CHECKING:
    from openwork.client import Answer

EXIT_CODES = {RunStatus.ANSWERED: 0, RunStatus.REJECTED: 2, RunStatus.TOO_LITTLE_EVIDENCE: 3}
"""Every other way for a run to stand, those of newer services included, is a failure."""
_TITLES = {
    RunStatus.REJECTED: "Not searched for",
    RunStatus.TOO_LITTLE_EVIDENCE: "Too little evidence",
    RunStatus.REFUSED: "The question was not taken",
    RunStatus.FAILED: "The run failed",
    RunStatus.CANCELLED: "The run was cancelled",
    RunStatus.RUNNING: "The run has not ended yet",
}


_COUNTS = {
    "screened": "works",
    "shortlisted": "shortlisted",
    "passages": "passages",
    "sentences": "sentences",
    "supported": "supported",
}
"""What of a run's counts is told while it goes on."""


def exit_code(answer: Answer) -> int:
    """The exit code of a run's status."""
    return EXIT_CODES.get(answer.status, 1)


def print_json(value: Any) -> None:
    """One JSON value, and nothing else. Where the terminal lacks characters they are escaped, not lost."""
    plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=plain) + "\n")


@contextmanager
def progress(
    *, quiet: bool, line: Callable[[Progress], str] | None = None
) -> Iterator[Callable[[Progress], None] | None]:
    """A live line on stderr where that is a terminal; silence elsewhere.

    Args:
        line: a step in words; `None` = as an answer's are told.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True, highlight=False)
    with console.status("starting") as status:

        def show(told: Progress) -> None:
            words = (line or progress_line)(told)
            status.update(Text(words))
            console.print(Text(f"  {words}", style="dim"))

        yield show


def progress_line(told: Progress) -> str:
    """One step of a run in words."""
    words = one_line(told.note or told.step)
    words = f"{words} ({told.done} of {told.total})" if told.total else words
    known = [f"{told.counts[name]} {name_in_words}" for name, name_in_words in _COUNTS.items() if name in told.counts]
    asked = [f"{s.name} {s.state if s.found is None else s.found}" for s in told.sources]
    return f"{words}: {', '.join(known or asked)}" if known or asked else words


def one_line(text: str) -> str:
    """Text of other people on one line. What would steer a terminal ended where it came in: at the services' door."""
    return " ".join(text.split())


def in_words(answer: Answer) -> Rendered:
    """The document in words.

    Raises:
        ContractViolation: the gateway, older or newer, gave none.
    """
    if answer.rendered is None:
        raise ContractViolation("the gateway did not put the document into words; `--json` prints it as it is")
    return answer.rendered


def print_answer(answer: Answer, *, out: Path | None = None) -> None:
    """The answer for eyes: text, references, method. Plain text where stdout is not a terminal."""
    if sys.stdout.isatty() or os.environ.get("FORCE_COLOR"):
        _print_rich(answer)
    else:
        sys.stdout.write(plain(answer))
    if out is not None:
        sys.stdout.write(f"\nWritten to {out}/answer.md, answer.json, events.jsonl\n")


def plain(answer: Answer) -> str:
    """The answer as plain text."""
    words = in_words(answer)
    title = _TITLES.get(answer.status)
    parts = [title] if title else []
    parts += [unescaped(answer.text), ""]
    if answer.references:
        numbered = zip(answer.references, words.references, strict=False)
        parts += ["References", *(f"[{r.n}] {_unlinked(line)}" for r, line in numbered), ""]
    parts += [text for text, _ in _after(answer, words)]
    return "\n".join(parts) + "\n"


def _print_rich(answer: Answer) -> None:
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.text import Text

    words = in_words(answer)
    console = Console(highlight=False, soft_wrap=not sys.stdout.isatty())
    if title := _TITLES.get(answer.status):
        console.print(Text(title, style="bold"))
    console.print(Markdown(answer.text))
    if answer.references:
        console.print(Text("\nReferences", style="bold"))
        for reference, line in zip(answer.references, words.references, strict=False):
            console.print(Markdown(f"\\[{reference.n}\\] {line}"))
    for text, style in _after(answer, words):
        console.print(Text(text, style=style))


def _after(answer: Answer, words: Rendered) -> Iterator[tuple[str, str]]:
    """What stands below the references, each line with its style."""
    if answer.document.withheld:
        yield "\nHeld back: these sentences of the draft did not pass the check", "bold"
        yield from _held_back(answer)
    yield "\nMethod", "bold"
    for line in words.method:
        yield f"- {line}", ""
    yield f"\n{words.disclaimer}", "dim"


def _held_back(answer: Answer) -> Iterator[tuple[str, str]]:
    """The sentences that did not pass: those against which something is proved, then those nobody could confirm."""
    withheld = answer.document.withheld
    open_ = [claim for claim in withheld if claim.verdict in (Verdict.NOT_CONFIRMED, Verdict.PARTLY_SUPPORTED)]
    proved = [claim for claim in withheld if claim not in open_]
    groups = (("Something is proved against these:", proved), ("These could not be confirmed:", open_))
    for words, claims in groups:
        if claims:
            yield words, ""
        for claim in claims:
            yield f"- {claim.text} ({'; '.join(reason.detail for reason in claim.reasons)})", ""


def unescaped(markdown: str) -> str:
    """The words of a text that was escaped for Markdown, for where no Markdown is read."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)


def _unlinked(markdown: str) -> str:
    """Markdown links as plain text: the words, then the address."""
    text = re.sub(r"\[((?:\\.|[^\]\\])*)\]\((\S+?)\)(?=[.\s])", r"\1 <\2>", markdown)
    return unescaped(text.replace(" _(", " (").replace(")_", ")"))


def write_folder(folder: Path, answer: Answer, events: Iterable[str]) -> None:
    """answer.md, answer.json and the run's events, one a line.

    Raises:
        UsageError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "answer.md").write_text(in_words(answer).markdown, encoding="utf-8")
        document = json.dumps(answer.raw, indent=2, ensure_ascii=False)
        (folder / "answer.json").write_text(document + "\n", encoding="utf-8")
        (folder / "events.jsonl").write_text("".join(f"{line}\n" for line in events), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}") from error
