"""Answers as Markdown. References are rendered from records by this code, never written by a model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from openwork_answers.table import HEADER, Row, table_of
from openwork_contracts.answer import AnswerDocument, AnswerSection, Method, MethodSource, Reference, RunStatus
from openwork_contracts.conclusion import Conclusion
from openwork_contracts.evidence import EvidenceStatus
from openwork_contracts.question import years_in_words
from openwork_contracts.requests import Rendered
from openwork_contracts.verdict import ClaimVerdict, Verdict
from openwork_knowledge import designs
from openwork_knowledge.source_names import is_live, source_names

from openwork_report.held_back import counted, held_back_parts
from openwork_report.markdown import address_of, escaped, link
from openwork_report.whose_words import checked_against, cited_text
from openwork_report.words import STATUS_WORDS, authors_of

DISCLAIMER = (
    "Open Work presents published evidence for professionals. It does not diagnose, prescribe or advise a patient."
)
_COUNTS = {
    "excluded_notices": "retraction or correction notices",
    "excluded_no_text": "without text",
    "excluded_superseded": "older versions of Cochrane reviews",
    "screened": "works",
    "fulltext": "read in full text",
    "not_retrieved": "without abstract or full text",
}
"""Counts of the method section in words; the others are words already."""
_TRAILING_STOP = re.compile(r"([.!?])(\s*)$")


def cited(claim: ClaimVerdict) -> str:
    """A claim as Markdown, with its citation marks before the full stop: `... 0.66 to 0.95 [1][3].`"""
    text = escaped(claim.text)
    if not claim.citations:
        return text
    marks = "".join(f"[{n}]" for n in claim.citations)
    stop = _TRAILING_STOP.search(text)
    return f"{text[: stop.start()]} {marks}{stop.group(1)}" if stop else f"{text} {marks}."


def render_answer(
    sections: Sequence[AnswerSection], conclusion: Conclusion | None = None, method: Method | None = None
) -> str:
    """The verified sections: the direct answer as a paragraph, the table of its studies, the others as lists.

    Args:
        method: the direct answer ends with what was searched live, and how misspelt names were read.
    """
    blocks: list[str] = []
    for index, section in enumerate(sections):
        if not section.claims:
            continue
        if index == 0:
            sentences = map(marked, section.claims)
            blocks.append(" ".join([*sentences, *_last_words(method)]))
            if conclusion is not None and (rows := table_of(conclusion)):
                blocks.append(render_table(rows))
        else:
            blocks.append(_listed(section))
    return "\n\n".join(blocks)


def _listed(section: AnswerSection) -> str:
    return f"### {escaped(section.heading)}\n\n" + "\n".join(f"- {marked(claim)}" for claim in section.claims)


def _last_words(method: Method | None) -> list[str]:
    return [*searched_live(method.sources), *_read_as(method)] if method is not None else []


def _read_as(method: Method | None) -> list[str]:
    return [escaped(f"Read: {', '.join(method.respelt)}.")] if method is not None and method.respelt else []


def render_nothing_found(
    message: str,
    sections: Sequence[AnswerSection],
    method: Method | None = None,
    conclusion: Conclusion | None = None,
) -> str:
    """What is told where there is too little evidence; what stands nearest in a list and a table below."""
    blocks = [" ".join([escaped(message), *_read_as(method)]), *map(_listed, sections)]
    if conclusion is not None and sections and (rows := table_of(conclusion)):
        blocks.append(render_table(rows))
    return "\n\n".join(blocks)


def searched_live(sources: Sequence[MethodSource]) -> list[str]:
    """One sentence: which sources were searched when the question was asked, and which were not; none of no source."""
    if not sources:
        return []
    live = [s for s in sources if is_live(s.name)]
    reached = source_names(s.name for s in live if s.reason is None)
    missed = [name for name in source_names(s.name for s in live) if name not in reached]
    if not reached:
        return ["From stored records; not searched live."]
    not_reached = f"; not searched: {', '.join(missed)}" if missed else ""
    return [escaped(f"Searched live: {', '.join(reached)}{not_reached}.")]


def render_table(rows: Sequence[Row]) -> str:
    """The studies behind the direct answer, a row each."""
    lines = [f"| {' | '.join(HEADER)} |", "|" + " --- |" * len(HEADER)]
    lines += [f"| {' | '.join(_in_cell(cell) for cell in row.cells)} |" for row in rows]
    return "\n".join(lines)


def _in_cell(text: str) -> str:
    return escaped(text).replace("|", "\\|")


def marked(claim: ClaimVerdict) -> str:
    """A sentence of the answer with its citations, and a remark where it is not borne out."""
    text = cited(claim)
    remark = remark_on(claim)
    return f"{text} _({remark})_" if remark else text


def remark_on(claim: ClaimVerdict) -> str:
    """What stands behind a sentence that was shown and not borne out, as answers of former versions have it."""
    return (
        "" if claim.verdict in (Verdict.SUPPORTED, Verdict.NOT_A_CLAIM) else "not fully supported by the cited passage"
    )


def render_reference(reference: Reference) -> str:
    """One reference in Vancouver order, with links."""
    authors = escaped(authors_of(reference))
    if authors and not authors.endswith("."):
        authors += "."
    if reference.collective_author:
        authors = f"{authors} {escaped(reference.collective_author)}.".strip()
    where = ". ".join(escaped(str(part)) for part in (reference.journal, reference.year) if part)
    words = [authors, _sentence(escaped(reference.title)), f"{where}." if where else "", *_links(reference)]
    return " ".join(w for w in words if w) + remarks(reference)


def remarks(reference: Reference) -> str:
    """What follows a reference in brackets: kind of study, retraction, note, whose words were cited; may be empty."""
    kind = designs.label(reference.study_design)
    notes = [n for n in (kind, STATUS_WORDS.get(reference.status), reference.note, cited_text(reference)) if n]
    return f" _({escaped('; '.join(dict.fromkeys(notes)))})_" if notes else ""


def _sentence(title: str) -> str:
    """A title with one stop at its end; a question keeps its mark."""
    title = title.rstrip(".")
    return title if title.endswith(("?", "!")) else f"{title}."


def _links(reference: Reference) -> Iterator[str]:
    if reference.pmid:
        yield f"PMID {link(reference.pmid, f'https://pubmed.ncbi.nlm.nih.gov/{reference.pmid}/')}."
    if reference.doi:
        yield f"doi {link(reference.doi, f'https://doi.org/{reference.doi}')}."
    if reference.nct_id:
        yield f"{link(reference.nct_id, f'https://clinicaltrials.gov/study/{reference.nct_id}')}."
    if reference.url and not (reference.pmid or reference.doi) and (address := address_of(reference.url)):
        yield f"{address}."


def render_document(document: AnswerDocument) -> str:
    """The whole document as a Markdown file: question, answer, references, method."""
    return rendered(document).markdown


def rendered(document: AnswerDocument) -> Rendered:
    """The document in words, in the parts that a client prints."""
    references = tuple(render_reference(reference) for reference in document.references)
    method = tuple(method_lines(document))
    markdown = _markdown(document, references, method)
    return Rendered(markdown=markdown, references=references, method=method, disclaimer=DISCLAIMER)


def _markdown(document: AnswerDocument, references: Sequence[str], method: Sequence[str]) -> str:
    parts = [f"# {escaped(document.question)}", document.answer.markdown or "_No answer._"]
    if references:
        lines = [f"{r.n}. {words}" for r, words in zip(document.references, references, strict=True)]
        parts.append("## References\n\n" + "\n".join(lines))
    if document.withheld:
        parts += ["## Held back", "These sentences of the draft did not pass the check."]
        parts += held_back_parts(document.withheld)
    parts.append("## Method\n\n" + "\n".join(f"- {escaped(line)}" for line in method))
    parts.append(f"_{DISCLAIMER}_")
    return "\n\n".join(parts) + "\n"


def method_lines(document: AnswerDocument) -> list[str]:
    """How the answer came about, a line each: search, counts, ranking, verification, degradations, time."""
    method = document.method
    lines = list(method.drug_names)
    if years := years_in_words(document.options.from_year, document.options.to_year):
        lines.append(f"published: {years}, as asked; works of which no year is known are kept")
    for source in method.sources:
        if source.reason is not None:
            continue  # named in a note
        took = f" in {source.elapsed_s:.2f} s" if source.elapsed_s is not None else ""
        lines.append(f"{source.name}: {source.found} found{took}, {source.kept} kept")
    # A review has the counts of all its searches in its flow, and sentences of fixed forms, which no gate has read.
    if document.review is None and (counts := {name: n for name, n in method.counts.items() if n}):
        lines.append("records: " + ", ".join(f"{_COUNTS.get(name, name)} {n}" for name, n in counts.items()))
    if method.scorer:
        lines.append(f"ranking: {method.scorer}")
    if method.synthesis:
        lines.append(f"synthesis: {method.synthesis}")
    if document.status is RunStatus.ANSWERED and document.review is None:
        v = document.verification
        why = f": {counted(document.withheld)}" if v.removed and document.withheld else ""
        lines.append(
            f"verification: {v.supported} of {v.claims} sentences passed the check{checked_against(v)} (grounding "
            f"{v.grounding_score:.2f}, citation coverage {v.citation_coverage:.2f}), {v.removed} removed{why}"
        )
    unchecked = sum(r.status is EvidenceStatus.NOT_CHECKED for r in document.references)
    if unchecked:
        lines.append(f"retraction status: not checked for {unchecked} of {len(document.references)} references")
    usage = document.usage
    if usage.model_calls:
        lines.append(
            f"language model: {usage.model_calls} calls, {usage.input_tokens} tokens in, {usage.output_tokens} out, "
            f"${usage.cost_usd:.4f} at list price"
        )
    lines.extend(f"note: {text}" for text in method.degradations)
    lines.append(f"time: {document.timings.total_s:.2f} s; run {document.run_id}; trace {document.trace_id}")
    return lines
