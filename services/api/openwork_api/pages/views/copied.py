"""An answer as plain text with its citations, for pasting elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from openwork_contracts.answer import AnswerDocument
from openwork_report.render import DISCLAIMER
from openwork_report.words import one_line

from openwork_api.pages.views.references import ReferenceView
from openwork_api.pages.views.sentences import Citing, Sentence, arranged


def as_text(document: AnswerDocument, references: tuple[ReferenceView, ...]) -> str:
    """Question, sentences with their marks, references."""
    order, citing = arranged(document), Citing(document)
    parts = [one_line(document.question)]
    if order.direct:
        parts.append(" ".join(_shown(citing.sentence(place)) for place in order.direct))
    else:
        parts.append(document.answer.markdown.partition("\n\n")[0])
    for heading, places in order.sections:
        lines = (f"- {_shown(citing.sentence(place))}" for place in places)
        parts.append("\n".join((heading, *lines)))
    if references:
        parts.append("\n".join(("References", *map(_reference, references))))
    return "\n\n".join((*parts, DISCLAIMER)) + "\n"


def marked(sentence: Sentence) -> str:
    """A sentence with its marks before its full stop."""
    marks = "".join(f"[{cite.n}]" for cite in sentence.cites)
    if not marks:
        return sentence.text
    stop = sentence.text[-1:] if sentence.text[-1:] in ".!?" else ""
    return f"{sentence.text.removesuffix(stop) if stop else sentence.text} {marks}{stop}"


def _shown(sentence: Sentence) -> str:
    return f"{marked(sentence)} ({sentence.remark})" if sentence.remark else marked(sentence)


def _reference(reference: ReferenceView) -> str:
    return f"[{reference.n}] " + " ".join(_told(reference))


def _told(reference: ReferenceView) -> Iterator[str]:
    for part in (reference.authors, reference.title, reference.where):
        if part:
            yield part if part.endswith((".", "?", "!")) else f"{part}."
    for link in reference.links:
        yield f"{link.name} {link.words}."
    remarks = [part for part in (reference.status if reference.warns else "", reference.cited_text) if part]
    if remarks:
        yield f"({'; '.join(remarks)})"
