"""Answers as the services store them, made small, and what a browser makes of a page."""

from __future__ import annotations

from html.parser import HTMLParser

from openwork_contracts.answer import AnswerBody, AnswerDocument, AnswerSection, RunStatus, SectionKind
from openwork_contracts.conclusion import (
    AbsoluteEffect,
    ArmFigures,
    Conclusion,
    ConclusionVerdict,
    Fit,
    StudyResult,
)
from openwork_contracts.evidence import EffectEstimate, EvidenceStatus, StudyDesign, TextOrigin
from openwork_contracts.ranking import RankedPassage
from openwork_contracts.record import Decision, RunRecord
from openwork_contracts.verdict import ClaimVerdict, EvidenceSpan, Verdict
from openwork_gateway.results import put_document
from openwork_report.render import render_answer, render_nothing_found

from tests.exports import STUDIED, document, reference, work
from tests.memory_asker import MemoryAsker, api_client

TEXT = (
    "Apixaban was tested in 18,201 people.\n"
    "Death from any cause occurred in 603 people (6.6%) on apixaban and 669 people (7.4%) on warfarin.\n"
    "The end."
)
QUOTE = TEXT.split("\n")[1]
PASSAGE_ID = "pmid:1001#0/x y?z"
START = 400
"""Where the passage begins in its section."""
FIGURES = (
    "6.6% v 7.4% over a median 1.8 years, HR 0.89 (0.80 to 1.00); 8 fewer per 1,000 (1 to 15), NNT 127 (67 to 1,100)"
)
FIRST = (
    f"Yes, in atrial fibrillation: death from any cause was less frequent with apixaban in ARISTOTLE 2011: {FIGURES}."
)


def result(n: int = 1, **changes: object) -> StudyResult:
    """A result whose figures are those of `FIRST`."""
    fields: dict[str, object] = {
        "n": n,
        "study": "ARISTOTLE 2011",
        "comparison": ("apixaban 5 mg twice daily", "warfarin"),
        "outcome": "death from any cause",
        "outcome_fit": Fit.ASKED,
        "time": "median 1.8 years",
        "arms": (ArmFigures(name="apixaban", n=9120, events=603), ArmFigures(name="warfarin", n=9081, events=669)),
        "effect": EffectEstimate(measure="HR", estimate=0.89, ci_low=0.8, ci_high=1.0),
        "absolute": AbsoluteEffect(
            per_1000=-8, low=-15, high=-1, words="8 fewer per 1,000 (1 to 15)", number_needed="NNT 127 (67 to 1,100)",
            method="Newcombe",
        ),
        "bad": True,
        "verdict": ConclusionVerdict.BENEFIT,
    }  # fmt: skip
    return StudyResult.model_validate(fields | changes)


def said(text: str, n: int | None = 1, *, quote: str = QUOTE) -> ClaimVerdict:
    """A sentence; without a number it claims nothing."""
    if n is None:
        return ClaimVerdict(text=text, verdict=Verdict.NOT_A_CLAIM)
    start = START + TEXT.index(quote) if quote in TEXT else START
    span = EvidenceSpan(
        n=n, quote=quote, start=start, end=start + len(quote), passage_id=PASSAGE_ID, text_origin=TextOrigin.PUBLISHER
    )
    return ClaimVerdict(text=text, citations=(n,), verdict=Verdict.SUPPORTED, evidence=(span,))


DIRECT = (
    said(FIRST),
    said("Its composite of stroke or death: HR 0.90 (0.80 to 0.99)."),
    said("Harms: not reported in what was found.", None),
    said("Certainty not rated: it would rest on 1 source of this comparison and outcome.", None),
)
GUIDELINES = (said("The 2023 guideline recommends apixaban (class 1)."),)
LIMITS = (said("The evidence found contains no source published after 2011.", None),)


def answered(
    verdict: ConclusionVerdict = ConclusionVerdict.BENEFIT,
    direct: tuple[ClaimVerdict, ...] = DIRECT,
    lead: StudyResult | None = None,
    **changes: object,
) -> AnswerDocument:
    """An answer with three parts, one passage, and a record."""
    sections = (
        AnswerSection(kind=SectionKind.DIRECT_ANSWER, heading="Answer", claims=direct),
        AnswerSection(kind=SectionKind.EVIDENCE, heading="Guidelines", claims=GUIDELINES),
        AnswerSection(kind=SectionKind.LIMITATIONS, heading="Limits & [odd] _names_", claims=LIMITS),
    )
    conclusion = Conclusion(verdict=verdict, lead=lead or result())
    claims = tuple(claim for section in sections for claim in section.claims)
    body = AnswerBody(markdown=render_answer(sections, conclusion), claims=claims)
    fields: dict[str, object] = {"answer": body, "conclusion": conclusion, "record": record()}
    return document(reference(), **(fields | changes))


def record(text: str = TEXT, **changes: object) -> RunRecord:
    """One cited work, one that was left out, and a passage."""
    passage = RankedPassage.model_validate(
        {
            "n": 1, "passage_id": PASSAGE_ID, "candidate_id": "pmid:1001", "section": "Results", "start": START,
            "end": START + len(text), "text": text, "score": 0.9, "passage_score": 0.9, "document_score": 0.9,
            "text_origin": TextOrigin.PUBLISHER,
        }
        | changes
    )  # fmt: skip
    cited = work("pmid:1001", Decision.CITED, n=1, document_score=0.9, study_design=StudyDesign.RCT, **STUDIED)
    left_out = work("b", Decision.BELOW_THRESHOLD, status=EvidenceStatus.RETRACTED)
    return RunRecord(candidates=(cited, left_out), passages=(passage,))


def told(status: RunStatus, markdown: str, **changes: object) -> AnswerDocument:
    """A run that has a message in the place of an answer."""
    fields: dict[str, object] = {"status": status, "references": (), "answer": AnswerBody(markdown=markdown)}
    return document(**(fields | changes)).model_copy(update={"references": ()})


def nothing_found() -> AnswerDocument:
    """Too little evidence, with something that stands near."""
    near = AnswerSection(kind=SectionKind.EVIDENCE, heading="Nearest", claims=(said("Something near was found."),))
    message = "Not found in what was searched: apixaban in pregnancy. 21 records were read."
    body = AnswerBody(markdown=render_nothing_found(message, (near,)), claims=near.claims)
    found = StudyResult(n=1, study="Near 2020", comparison=("apixaban", "warfarin"), outcome="stroke")
    conclusion = Conclusion(verdict=ConclusionVerdict.NOT_FOUND, nearest=(found,))
    return document(status=RunStatus.TOO_LITTLE_EVIDENCE, answer=body, conclusion=conclusion, record=record())


async def page_of(made: AnswerDocument, path: str) -> str:
    """A page of a run as it is sent, from the whole application."""
    asker = MemoryAsker()
    await put_document(asker.results, made)
    async with api_client(asker) as client:
        response = await client.get(path, headers={"Accept": "text/html"})
    assert response.headers["content-type"].startswith("text/html"), response.text[:300]
    return response.text


class Read(HTMLParser):
    """What a browser would make of a page: its elements, and what may not be in it."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.title = ""
        self._inside: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._inside:
            while self._inside.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if "title" in self._inside and "svg" not in self._inside:
            self.title += data
        self.words.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of each element of a name."""
        return [attributes for name, attributes in self.elements if name == tag]

    def with_attribute(self, name: str) -> list[dict[str, str | None]]:
        """The attributes of each element that has one."""
        return [attributes for _, attributes in self.elements if name in attributes]

    @property
    def text(self) -> str:
        """All words on one line."""
        return " ".join(" ".join(self.words).split())
